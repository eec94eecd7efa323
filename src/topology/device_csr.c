#include "topology/device_csr.h"

#include "core/memory.h"

#include <stdio.h>

unsigned gemp_device_csr_lanes;

enum { LANES = 32, WANTED = 256, ITEMS_OF_UNIT = 2048 };

static unsigned lanes_of(const gemp_device *device)
{
	return gemp_device_csr_lanes ? gemp_device_csr_lanes : device->gpu ? LANES : 1;
}

static gemp_code load(gemp_buffer *out, gemp_device *device, size_t size, const void *from)
{
	if (size == 0)
		return gemp_buffer_new(out, device, 1, NULL); /* there are no empty buffers */
	if (device->gpu)
		return gemp_buffer_new(out, device, size, from);
	return gemp_buffer_borrow(out, device, size, (void *)from);
}

gemp_code gemp_device_csr_new(gemp_device_csr *out, gemp_device *device, const gemp_csr *csr)
{
	gemp_code code = GEMP_OK;
	uint64_t edges = gemp_csr_edges(csr);
	double since = gemp_now();
	*out = (gemp_device_csr){ .device = device, .rows = (uint32_t)csr->rows, .first = csr->first, .edges = edges,
	                          .wide = edges > UINT32_MAX };
	if (!out->wide) {
		GEMP_TRY(GEMP_NEW(out->narrow, csr->rows + 1));
		for (size_t row = 0; row <= csr->rows; row++)
			out->narrow[row] = (uint32_t)csr->begin[row];
	}
	const void *begin = out->wide ? (const void *)csr->begin : out->narrow;
	GEMP_TRY(load(&out->begin, device, (csr->rows + 1) * (out->wide ? sizeof(uint64_t) : sizeof(uint32_t)), begin));
	GEMP_TRY(load(&out->target, device, (size_t)edges * sizeof *csr->target, csr->target));
	out->seconds = gemp_now() - since;
done:
	if (code != GEMP_OK)
		gemp_device_csr_free(out);
	return code;
}

void gemp_device_csr_free(gemp_device_csr *csr)
{
	if (csr->device) {
		gemp_buffer_free(&csr->begin, csr->device);
		gemp_buffer_free(&csr->target, csr->device);
	}
	gemp_free(csr->narrow);
	*csr = (gemp_device_csr){ 0 };
}

gemp_code gemp_device_csr_program(gemp_program *out, const gemp_device_csr *csr, const char *file, const char *defines)
{
	gemp_code code = GEMP_OK;
	char *source = NULL, options[128];
	snprintf(options, sizeof options, "-DGEMP_LANES=%u -DTOPOLOGY_SHARE=%d%s %s", lanes_of(csr->device),
	         GEMP_DEVICE_SHARE, csr->wide ? " -DTOPOLOGY_WIDE" : "", defines ? defines : "");
	GEMP_TRY(gemp_kernel_source(&source, file));
	code = gemp_program_new(out, csr->device, source, options);
done:
	gemp_free(source);
	return code;
}

gemp_device_grid gemp_device_csr_grid(const gemp_device_csr *csr)
{
	unsigned lanes = lanes_of(csr->device);
	size_t shares = (size_t)((csr->edges + csr->rows + GEMP_DEVICE_SHARE - 1) / GEMP_DEVICE_SHARE);
	size_t workers = csr->device->gpu || shares < csr->device->units ? shares : csr->device->units;
	size_t group = gemp_worker_group(csr->device, lanes, WANTED);
	return (gemp_device_grid){ workers * lanes, group, group / lanes * GEMP_DEVICE_SHARE * sizeof(uint32_t) };
}

gemp_device_grid gemp_device_grid_over(const gemp_device *device, size_t count)
{
	size_t most = device->gpu ? device->units * (size_t)ITEMS_OF_UNIT : device->units;
	return (gemp_device_grid){ count < most ? count : most, device->gpu ? WANTED : 1, 0 };
}
