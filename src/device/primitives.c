#include "device/primitives.h"

#include "core/memory.h"
#include "core/text.h"

enum { MOST_GROUPS = 4096 };

struct gemp_primitives {
	gemp_device *device;
	gemp_program program; /* scan.cl and compact.cl: building two costs nearly twice as much */
	cl_kernel scan_sums, scan_apply, compact_count, compact_write;
	gemp_buffer sums;  /* [MOST_GROUPS] */
	gemp_buffer total; /* [1] */
	size_t group, groups;
};

/* How a launch divides `count` elements. */
typedef struct shape {
	cl_ulong count, chunk;
	size_t groups, global;
} shape;

static gemp_code build(gemp_primitives *p)
{
	gemp_code code = GEMP_OK;
	char *scan = NULL, *compact = NULL;
	gemp_text source = { 0 };
	GEMP_TRY(gemp_kernel_source(&scan, "scan.cl"));
	GEMP_TRY(gemp_kernel_source(&compact, "compact.cl"));
	gemp_text_print(&source, "%s%s", scan, compact);
	GEMP_TRY(gemp_text_status(&source));
	GEMP_TRY(gemp_program_new(&p->program, p->device, source.data, NULL));
	GEMP_TRY(gemp_kernel_new(&p->scan_sums, &p->program, "scan_sums"));
	GEMP_TRY(gemp_kernel_new(&p->scan_apply, &p->program, "scan_apply"));
	GEMP_TRY(gemp_kernel_new(&p->compact_count, &p->program, "compact_count"));
	GEMP_TRY(gemp_kernel_new(&p->compact_write, &p->program, "compact_write"));
done:
	gemp_text_free(&source);
	gemp_free(compact);
	gemp_free(scan);
	return code;
}

gemp_code gemp_primitives_new(gemp_primitives **out, gemp_device *device)
{
	gemp_code code = GEMP_OK;
	gemp_primitives *p = NULL;
	*out = NULL;
	GEMP_TRY(GEMP_NEW(p, 1));
	p->device = device;
	if (device->gpu)
		gemp_primitives_shape(p, 256, (size_t)device->units * 8);
	else
		gemp_primitives_shape(p, 1, device->units);
	GEMP_TRY(build(p));
	GEMP_TRY(gemp_buffer_new(&p->sums, device, MOST_GROUPS * sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_buffer_new(&p->total, device, sizeof(cl_uint), NULL));
	*out = p;
	p = NULL;
done:
	gemp_primitives_free(p);
	return code;
}

static void free_kernel(cl_kernel kernel)
{
	if (kernel)
		clReleaseKernel(kernel);
}

void gemp_primitives_free(gemp_primitives *p)
{
	if (!p)
		return;
	if (p->program.program && !p->program.cached)
		gemp_program_store(p->device, &p->program); /* with what its first launches compiled */
	gemp_buffer_free(&p->total, p->device);
	gemp_buffer_free(&p->sums, p->device);
	free_kernel(p->compact_write);
	free_kernel(p->compact_count);
	free_kernel(p->scan_apply);
	free_kernel(p->scan_sums);
	gemp_program_free(&p->program);
	gemp_free(p);
}

void gemp_primitives_shape(gemp_primitives *p, size_t group, size_t groups)
{
	p->group = group < p->device->group ? group : p->device->group;
	p->groups = groups < MOST_GROUPS ? groups : MOST_GROUPS;
}

/* Chunks of whole tiles of 4 elements a work-item, so that small arrays take few groups. */
static shape divide(const gemp_primitives *p, size_t count, size_t elements)
{
	size_t tile = p->group * 4;
	size_t chunk = (elements + p->groups - 1) / p->groups;
	chunk = (chunk + tile - 1) / tile * tile;
	size_t groups = (elements + chunk - 1) / chunk;
	return (shape){ .count = count, .chunk = chunk, .groups = groups, .global = groups * p->group };
}

gemp_code gemp_scan_u32(gemp_primitives *p, const gemp_buffer *values, size_t count, uint32_t *total)
{
	gemp_code code = GEMP_OK;
	GEMP_CHECK(count <= values->size / sizeof(cl_uint));
	if (total)
		*total = 0;
	if (count == 0)
		return GEMP_OK;
	shape s = divide(p, count, count);
	size_t scratch = p->group * sizeof(cl_uint);
	if (s.groups > 1)
		GEMP_TRY(gemp_launch(p->device, p->scan_sums, s.global, p->group, GEMP_ARG(&values->mem),
		                     GEMP_ARG(&s.count), GEMP_ARG(&s.chunk), GEMP_ARG(&p->sums.mem),
		                     GEMP_LOCAL(scratch)));
	GEMP_TRY(gemp_launch(p->device, p->scan_apply, s.global, p->group, GEMP_ARG(&values->mem), GEMP_ARG(&s.count),
	                     GEMP_ARG(&s.chunk), GEMP_ARG(&p->sums.mem), GEMP_ARG(&p->total.mem), GEMP_LOCAL(scratch)));
	if (total)
		GEMP_TRY(gemp_buffer_read(p->device, &p->total, 0, sizeof *total, total));
done:
	return code;
}

/* Sums of the groups to sums; their sum to *found. */
static gemp_code count_groups(gemp_primitives *p, const gemp_buffer *bitmap, const shape *s, size_t *found)
{
	gemp_code code = GEMP_OK;
	cl_uint *sums = NULL;
	*found = 0;
	GEMP_TRY(GEMP_NEW(sums, s->groups));
	GEMP_TRY(gemp_launch(p->device, p->compact_count, s->global, p->group, GEMP_ARG(&bitmap->mem),
	                     GEMP_ARG(&s->count), GEMP_ARG(&s->chunk), GEMP_ARG(&p->sums.mem),
	                     GEMP_LOCAL(p->group * sizeof(cl_uint))));
	GEMP_TRY(gemp_buffer_read(p->device, &p->sums, 0, s->groups * sizeof *sums, sums));
	for (size_t g = 0; g < s->groups; g++)
		*found += sums[g];
done:
	gemp_free(sums);
	return code;
}

gemp_code gemp_count_bits(gemp_primitives *p, const gemp_buffer *bitmap, size_t count, size_t *found)
{
	size_t words = (count + 31) / 32;
	GEMP_CHECK(words <= bitmap->size / sizeof(cl_uint));
	*found = 0;
	if (count == 0)
		return GEMP_OK;
	shape s = divide(p, count, words);
	return count_groups(p, bitmap, &s, found);
}

gemp_code gemp_compact_bits(gemp_primitives *p, const gemp_buffer *bitmap, size_t count, uint32_t base,
                            const gemp_buffer *out, size_t *found)
{
	gemp_code code = GEMP_OK;
	size_t words = (count + 31) / 32;
	GEMP_CHECK(words <= bitmap->size / sizeof(cl_uint));
	*found = 0;
	if (count == 0)
		return GEMP_OK;
	shape s = divide(p, count, words);
	GEMP_TRY(count_groups(p, bitmap, &s, found));
	GEMP_CHECK(*found <= out->size / sizeof(cl_uint));
	GEMP_TRY(gemp_launch(p->device, p->compact_write, s.global, p->group, GEMP_ARG(&bitmap->mem), GEMP_ARG(&s.count),
	                     GEMP_ARG(&s.chunk), GEMP_ARG(&p->sums.mem), GEMP_ARG(&base), GEMP_ARG(&out->mem),
	                     GEMP_LOCAL(p->group * sizeof(cl_uint))));
done:
	return code;
}
