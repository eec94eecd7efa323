#include "som/online.h"

#include "core/memory.h"
#include "som/accumulate.h"

#include <math.h>
#include <stdio.h>

enum { TALL = 8, WIDE = 8, STEP = 8, BLOCK_GPU = 16, BLOCK_CPU = 8 };

static const float least_share = 1e-8f; /* of all samples left out, in a unit */

static gemp_som_online_shape complete(const gemp_device *device, const gemp_som_online_shape *asked)
{
	gemp_som_online_shape shape = asked ? *asked : (gemp_som_online_shape){ 0 };
	if (device->gpu && shape.tall == 0)
		shape.tall = TALL;
	if (shape.tall && shape.wide == 0)
		shape.wide = WIDE;
	if (shape.step == 0)
		shape.step = STEP;
	if (shape.block == 0)
		shape.block = device->gpu ? BLOCK_GPU : BLOCK_CPU;
	return shape;
}

static uint32_t divide_up(uint32_t a, uint32_t b)
{
	return (a + b - 1) / b;
}

gemp_code gemp_som_online_new(gemp_som_online *out, gemp_device *device, const gemp_som_samples *samples,
                              const gemp_som_smooth *smooth, uint32_t most, const gemp_som_online_shape *asked)
{
	gemp_code code = GEMP_OK;
	char *source = NULL, of_grid[GEMP_SOM_OPTIONS], options[GEMP_SOM_OPTIONS + 192];
	char tiles[96] = "";
	const gemp_som_grid *grid = &smooth->grid;
	const gemp_som_online_shape shape = complete(device, asked);
	const uint32_t block = divide_up(most, divide_up(most, shape.block));
	*out = (gemp_som_online){ .device = device, .block = block, .tall = shape.tall ? shape.tall : 1,
		.group = shape.tall ? shape.tall * shape.wide : 1,
		.across = divide_up(grid->columns, shape.tall ? shape.wide : GEMP_SOM_LANES) };
	gemp_som_grid_options(of_grid, shape.tall ? 1 : GEMP_SOM_LANES, grid);
	if (shape.tall)
		snprintf(tiles, sizeof tiles, " -DSOM_TALL=%u -DSOM_WIDE=%u -DSOM_STEP=%u", shape.tall, shape.wide, shape.step);
	snprintf(options, sizeof options, "-DSOM_BLOCK=%u%s%s%s%s%s", block, tiles,
	         block == samples->dims ? " -DSOM_ALL" : "",
	         gemp_som_is_cut(smooth->neighbourhood) ? " -DSOM_CUT" : "", of_grid,
	         samples->missing ? " -DSOM_MISSING" : "");
	GEMP_TRY(gemp_kernel_source(&source, "som_online.cl"));
	GEMP_TRY(gemp_program_new(&out->program, device, source, options));
	GEMP_TRY(gemp_kernel_new(&out->run, &out->program, "som_online"));
done:
	gemp_free(source);
	if (code != GEMP_OK)
		gemp_som_online_free(out);
	return code;
}

void gemp_som_online_free(gemp_som_online *online)
{
	if (online->run)
		clReleaseKernel(online->run);
	gemp_program_free(&online->program);
	*online = (gemp_som_online){ 0 };
}

/* Whole steps along a row beyond which a sample's share is not above `least`; on a toroid one may come from the other side. */
static cl_uint far_of(const gemp_som_smooth *smooth, double rate, double least)
{
	double far = smooth->radius;
	if (smooth->neighbourhood == GEMP_SOM_GAUSSIAN)
		far *= rate > least ? sqrt(2 * log(rate / least)) : 0;
	return smooth->grid.toroid || far > smooth->grid.columns ? smooth->grid.columns : (cl_uint)far + 2;
}

gemp_code gemp_som_online_run(gemp_som_online *online, const gemp_som_samples *samples, const gemp_buffer *best,
                              const gemp_som_smooth *smooth, double rate, gemp_som_values values, bool begun, gemp_som_rows rows,
                              const gemp_buffer *planes)
{
	const gemp_buffer *present = samples->missing ? &samples->present : &samples->x;
	const cl_uint count = (cl_uint)samples->count;
	const cl_float share = (cl_float)rate, least = least_share / (cl_float)(count ? count : 1);
	const cl_uint go_on = begun, far = far_of(smooth, rate, (double)least);
	const size_t groups = online->across * divide_up(rows.end - rows.first, online->tall) * divide_up(values.count, online->block);
	return gemp_launch(online->device, online->run, groups * online->group, online->group, GEMP_ARG(&planes->mem),
	                   GEMP_ARG(&best->mem), GEMP_ARG(&samples->x.mem), GEMP_ARG(&present->mem), GEMP_ARG(&count),
	                   GEMP_ARG(&smooth->steps.mem),
	                   GEMP_ARG(&smooth->reach), GEMP_ARG(&share), GEMP_ARG(&least), GEMP_ARG(&far),
	                   GEMP_ARG(&values.first), GEMP_ARG(&values.count), GEMP_ARG(&go_on),
	                   GEMP_ARG(&rows.first), GEMP_ARG(&rows.end));
}
