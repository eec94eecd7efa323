/* som_parts: measures the neighbourhood update alone.
 *
 *     bench_som_parts ROWS COLUMNS LATTICE NEIGHBOURHOOD RADIUS [TALLxWIDExSTEPxBLOCK...]
 *
 * There are 12,000 vectors of 12 values, each with a random unit. LATTICE 0 and 1 and NEIGHBOURHOOD 0 to 3 are those of
 * include/gemp/types.h. Prints mean milliseconds by the host's clock: of spreading sums (batch training), and of
 * updating by samples one after another (online training) in each launch shape; TALL, WIDE, STEP and BLOCK are the
 * fields of gemp_som_online_shape (src/som/train/unit_update.h). */
#include "core/memory.h"
#include "core/random.h"
#include "core/status.h"
#include "core/timer.h"
#include "device/device.h"
#include "device/open.h"
#include "som/map/samples.h"
#include "som/map/smooth.h"
#include "som/map/units.h"
#include "som/train/unit_update.h"

#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 12000, DIMS = 12 };

typedef struct parts {
	gemp_device *device;
	gemp_som_grid grid;
	gemp_som_samples samples;
	gemp_som_smooth smooth;
	gemp_buffer best, from, to;
} parts;

static gemp_code prepare(parts *p, gemp_som_neighbourhood near, double radius)
{
	gemp_code code = GEMP_OK;
	uint64_t random = 9, *keys = NULL;
	float *x = NULL;
	const uint32_t units = gemp_som_units(&p->grid);
	GEMP_TRY_DONE(GEMP_NEW(keys, COUNT));
	GEMP_TRY_DONE(GEMP_NEW(x, COUNT * DIMS));
	for (size_t i = 0; i < COUNT; i++)
		keys[i] = gemp_random_below(&random, units);
	for (size_t k = 0; k < COUNT * DIMS; k++)
		x[k] = (float)gemp_random_unit(&random);
	GEMP_TRY_DONE(gemp_som_samples_new(&p->samples, p->device, x, COUNT, DIMS));
	GEMP_TRY_DONE(gemp_som_smooth_new(&p->smooth, p->device, &p->grid, near, DIMS + 1, p->device->gpu));
	GEMP_TRY_DONE(gemp_som_smooth_radius(&p->smooth, radius));
	GEMP_TRY_DONE(gemp_buffer_new(&p->best, p->device, COUNT * sizeof *keys, keys));
	GEMP_TRY_DONE(gemp_som_planes_new(&p->from, p->device, units, DIMS + 1));
	GEMP_TRY_DONE(gemp_buffer_zero(p->device, &p->from, 0, p->from.size));
	code = gemp_som_planes_new(&p->to, p->device, units, DIMS + 1);
done:
	gemp_free(x);
	gemp_free(keys);
	return code;
}

static gemp_code run(parts *p, gemp_som_online *online)
{
	if (online)
		return gemp_som_online_run(online, &p->samples, &p->best, &p->smooth, .1, (gemp_som_values){ 0, DIMS }, false,
		                           (gemp_som_rows){ 0, p->smooth.grid.rows }, &p->to);
	return gemp_som_smooth_run(&p->smooth, &p->from, &p->to);
}

/* Mean over several runs. The first run is not counted. */
static gemp_code measure(parts *p, gemp_som_online *online, const char *what)
{
	gemp_code code = GEMP_OK;
	const int turns = p->device->gpu ? 20 : 3;
	double since = 0;
	for (int turn = -1; turn < turns; turn++) {
		GEMP_TRY_DONE(run(p, online));
		if (turn < 0) {
			GEMP_TRY_DONE(GEMP_CL(clFinish(p->device->queue)));
			since = gemp_now();
		}
	}
	GEMP_TRY_DONE(GEMP_CL(clFinish(p->device->queue)));
	printf("  %-16s %9.4f ms\n", what, 1e3 * (gemp_now() - since) / turns);
done:
	return code;
}

static gemp_code measure_online(parts *p, const char *text)
{
	gemp_code code = GEMP_OK;
	gemp_som_online online = { 0 };
	gemp_som_online_shape shape = { 0 };
	if (sscanf(text, "%ux%ux%ux%u", &shape.tile_rows, &shape.tile_columns, &shape.step, &shape.block) < 1)
		return gemp_fail(GEMP_EUSAGE, "%s: TALLxWIDExSTEPxBLOCK", text);
	GEMP_TRY_DONE(gemp_som_online_new(&online, p->device, &p->samples, &p->smooth, DIMS, &shape));
	code = measure(p, &online, text);
done:
	gemp_som_online_free(&online);
	return code;
}

static gemp_code measure_all(gemp_device *device, int argc, char **argv)
{
	gemp_code code = GEMP_OK;
	parts p = { .device = device };
	if (argc < 6)
		return gemp_fail(GEMP_EUSAGE, "ROWS COLUMNS LATTICE NEIGHBOURHOOD RADIUS [TALLxWIDExSTEPxBLOCK...]");
	p.grid = (gemp_som_grid){ (uint32_t)strtoul(argv[1], NULL, 10), (uint32_t)strtoul(argv[2], NULL, 10),
		                      (gemp_som_lattice)strtoul(argv[3], NULL, 10), false };
	GEMP_TRY_DONE(prepare(&p, (gemp_som_neighbourhood)strtoul(argv[4], NULL, 10), strtod(argv[5], NULL)));
	printf("%s: %s x %s, lattice %s, neighbourhood %s, radius %s\n", device->name, argv[1], argv[2], argv[3], argv[4],
	       argv[5]);
	GEMP_TRY_DONE(measure(&p, NULL, "batch"));
	for (int k = 6; k < argc; k++)
		GEMP_TRY_DONE(measure_online(&p, argv[k]));
done:
	gemp_som_smooth_free(&p.smooth);
	gemp_som_samples_free(&p.samples);
	gemp_buffer_free(&p.best, device);
	gemp_buffer_free(&p.from, device);
	gemp_buffer_free(&p.to, device);
	return code;
}

int main(int argc, char **argv)
{
	gemp_device *device;
	gemp_code code = gemp_device_open(&device, NULL, 0, 1, 0);
	if (code == GEMP_OK) {
		code = measure_all(device, argc, argv);
		gemp_device_close(device);
	}
	if (code != GEMP_OK)
		fprintf(stderr, "%s\n", gemp_message());
	return (int)code;
}
