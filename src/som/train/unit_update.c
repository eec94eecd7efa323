#include "som/train/unit_update.h"

#include "core/memory.h"
#include "device/launch.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

/* RUN_SUMS: number of sums that a work-item of a CPU device rounds to floats. */
enum { GROUP = 128, RUN_SUMS = 512, MAX_BANKS = 32 };

/* Returns the number of banks, which are copies of the sums. They take at most as many bytes as the values of the
 * samples, so adding them up takes at most as long as reading the samples. They also fit into one buffer and take at
 * most an eighth of the free memory. A CPU device has one task for each plane, which needs no copies. */
static cl_uint banks_of(const gemp_device *device, const gemp_som_samples *samples, size_t bytes)
{
	const size_t free_bytes = device->memory > device->buffer_bytes ? (device->memory - device->buffer_bytes) / 8 : 0;
	size_t max_bytes = samples->x.size;
	if (!device->gpu)
		return 1;
	max_bytes = max_bytes < free_bytes ? max_bytes : free_bytes;
	max_bytes = max_bytes < device->max_buffer ? max_bytes : device->max_buffer;
	return max_bytes < 2 * bytes ? 1 : max_bytes / bytes < MAX_BANKS ? (cl_uint)(max_bytes / bytes) : MAX_BANKS;
}

/* Online training needs only the kernel that applies affine maps. */
gemp_code gemp_som_accumulate_new(gemp_som_accumulate *out, gemp_device *device, const gemp_som_samples *samples,
                                  uint32_t units, uint32_t max_values, bool online)
{
	gemp_code code = GEMP_OK;
	char options[64];
	const bool missing = samples->missing;
	const size_t sums = (size_t)units * gemp_som_planes(max_values, missing) * sizeof(double);
	*out = (gemp_som_accumulate){
		.device = device, .units = units, .missing = missing, .banks = banks_of(device, samples, sums)
	};
	if (online)
		snprintf(options, sizeof options, "-DSOM_MOVE%s", missing ? " -DSOM_MISSING" : "");
	else
		snprintf(options, sizeof options, "-DSOM_RUN=%d%s", device->gpu ? 1 : RUN_SUMS,
		         missing ? " -DSOM_MISSING" : "");
	GEMP_TRY_DONE(gemp_program_build(
		&out->program, device, "som_accumulate.cl", options, { online ? "som_move" : NULL, &out->move },
		{ online        ? NULL
	      : device->gpu ? "som_add"
	                    : "som_add_planes",
	      &out->add },
		{ online ? NULL : "som_take", &out->take }, { online ? NULL : "som_finish", &out->finish }));
	if (!online) {
		GEMP_TRY_DONE(gemp_buffer_new(&out->sums, device, out->banks * sums, NULL));
		GEMP_TRY_DONE(gemp_buffer_zero(device, &out->sums, 0, out->sums.size));
	}
done:
	if (code != GEMP_OK)
		gemp_som_accumulate_free(out);
	return code;
}

void gemp_som_accumulate_free(gemp_som_accumulate *accumulate)
{
	gemp_kernels_free(&accumulate->add, &accumulate->take, &accumulate->finish, &accumulate->move);
	if (accumulate->device)
		gemp_buffer_free(&accumulate->sums, accumulate->device);
	gemp_program_free(&accumulate->program);
	*accumulate = (gemp_som_accumulate){ 0 };
}

/* Local. Enqueues the sums of a block, which are added to the sums of earlier blocks. A GPU has one work-item for each
 * sample and plane. A CPU device has one work-item for each plane, which adds the samples in order. */
gemp_code gemp_som_accumulate_add(gemp_som_accumulate *accumulate, const gemp_som_samples *samples,
                                  const gemp_buffer *best, gemp_som_values values)
{
	gemp_device *device = accumulate->device;
	const cl_uint count = (cl_uint)samples->count;
	const size_t planes = gemp_som_planes(values.count, accumulate->missing);
	const gemp_buffer *present = samples->missing ? &samples->present : &samples->x;
	return gemp_launch(device, accumulate->add,
	                   device->gpu ? planes * count
	                   : count     ? planes
	                               : 0,
	                   device->gpu ? GROUP : 1, GEMP_ARG(&accumulate->sums.mem), GEMP_ARG(&best->mem),
	                   GEMP_ARG(&samples->x.mem), GEMP_ARG(&present->mem), GEMP_ARG(&count),
	                   GEMP_ARG(&accumulate->units), GEMP_ARG(&values.first), GEMP_ARG(&values.count),
	                   GEMP_ARG(&accumulate->banks));
}

/* The kernel adds up the banks, rounds the sums to floats, and zeroes the banks for the next epoch. */
gemp_code gemp_som_accumulate_read(gemp_som_accumulate *accumulate, gemp_som_values values, const gemp_buffer *planes)
{
	gemp_device *device = accumulate->device;
	const cl_ulong count = (cl_ulong)accumulate->units * gemp_som_planes(values.count, accumulate->missing);
	const size_t run = device->gpu ? 1 : RUN_SUMS;
	return gemp_launch(device, accumulate->take, (count + run - 1) / run, device->gpu ? GROUP : 1,
	                   GEMP_ARG(&accumulate->sums.mem), GEMP_ARG(&planes->mem), GEMP_ARG(&count),
	                   GEMP_ARG(&accumulate->banks));
}

/* Updates all units, as many at a time as are on the device. The last argument of the kernel som_finish is min_weight.
 * The kernel som_move has no such argument, and min_weight is NULL. */
static gemp_code update_units(gemp_som_accumulate *accumulate, cl_kernel kernel, const gemp_buffer *planes,
                              gemp_som_values values, gemp_som_codebook *book, const cl_float *min_weight)
{
	assert(gemp_som_codebook_is_valid(book));
	const size_t group = accumulate->device->gpu ? GROUP : 0;
	for (uint32_t first = 0; first < book->units; first += book->resident) {
		GEMP_TRY(gemp_som_codebook_load(book, first));
		const gemp_argument arguments[] = { GEMP_ARG(&planes->mem),    GEMP_ARG(&book->w.mem),
			                                GEMP_ARG(&book->units),    GEMP_ARG(&book->first),
			                                GEMP_ARG(&book->resident), GEMP_ARG(&values.first),
			                                GEMP_ARG(&values.count),   GEMP_ARG(&book->dims),
			                                GEMP_ARG(&book->stride),   { sizeof *min_weight, min_weight } };
		GEMP_TRY(gemp_launch_with(accumulate->device, kernel, book->resident, group, arguments, min_weight ? 10 : 9));
		GEMP_TRY(gemp_som_codebook_store(book));
	}
	return GEMP_OK;
}

gemp_code gemp_som_accumulate_finish(gemp_som_accumulate *accumulate, const gemp_buffer *planes, gemp_som_values values,
                                     gemp_som_codebook *book)
{
	static const cl_float min_weight = GEMP_SOM_MIN_WEIGHT;
	return update_units(accumulate, accumulate->finish, planes, values, book, &min_weight);
}

gemp_code gemp_som_accumulate_affine(gemp_som_accumulate *accumulate, const gemp_buffer *planes, gemp_som_values values,
                                     gemp_som_codebook *book)
{
	return update_units(accumulate, accumulate->move, planes, values, book, NULL);
}

enum { TALL = 8, WIDE = 8, STEP = 8, BLOCK_GPU = 16, BLOCK_CPU = 8 };

static const float min_share =
	1e-8f; /* the samples that are left out have at most this weight in a unit, all together */

/* Returns the caller's shape. Members that are 0 get the default of the device. */
static gemp_som_online_shape complete_online_shape(const gemp_device *device, const gemp_som_online_shape *wanted)
{
	gemp_som_online_shape shape = wanted ? *wanted : (gemp_som_online_shape){ 0 };
	if (device->gpu && shape.tile_rows == 0)
		shape.tile_rows = TALL;
	if (shape.tile_rows && shape.tile_columns == 0)
		shape.tile_columns = WIDE;
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

/* Values are divided into as few blocks of equal size as the shape allows. */
gemp_code gemp_som_online_new(gemp_som_online *out, gemp_device *device, const gemp_som_samples *samples,
                              const gemp_som_smooth *smooth, uint32_t max_values, const gemp_som_online_shape *wanted)
{
	gemp_code code = GEMP_OK;
	char of_grid[GEMP_SOM_OPTIONS], options[GEMP_SOM_OPTIONS + 192], tiles[96] = "";
	const gemp_som_grid *grid = &smooth->grid;
	const gemp_som_online_shape shape = complete_online_shape(device, wanted);
	const uint32_t block = divide_up(max_values, divide_up(max_values, shape.block));
	*out = (gemp_som_online){ .device = device,
		                      .block = block,
		                      .tile_rows = shape.tile_rows ? shape.tile_rows : 1,
		                      .group = shape.tile_rows ? shape.tile_rows * shape.tile_columns : 1,
		                      .across = divide_up(grid->columns,
		                                          shape.tile_rows ? shape.tile_columns : GEMP_SOM_LANES) };
	gemp_som_grid_options(of_grid, shape.tile_rows ? 1 : GEMP_SOM_LANES, grid);
	if (shape.tile_rows)
		snprintf(tiles, sizeof tiles, " -DSOM_TALL=%u -DSOM_WIDE=%u -DSOM_STEP=%u", shape.tile_rows, shape.tile_columns,
		         shape.step);
	snprintf(options, sizeof options, "-DSOM_BLOCK=%u%s%s%s%s%s", block, tiles,
	         block == samples->dims ? " -DSOM_ALL" : "", gemp_som_is_cut(smooth->neighbourhood) ? " -DSOM_CUT" : "",
	         of_grid, samples->missing ? " -DSOM_MISSING" : "");
	code = gemp_program_build(&out->program, device, "som_online.cl", options, { "som_online", &out->run });
	if (code != GEMP_OK)
		gemp_som_online_free(out);
	return code;
}

void gemp_som_online_free(gemp_som_online *online)
{
	gemp_kernels_free(&online->run);
	gemp_program_free(&online->program);
	*online = (gemp_som_online){ 0 };
}

/* Returns the number of steps along a row beyond which a sample's weight is at most `min_weight`. On a toroid it is the
 * number of columns, since the shorter way may cross the border. */
static cl_uint reach_of(const gemp_som_smooth *smooth, double rate, double min_weight)
{
	double reach = smooth->radius;
	if (smooth->neighbourhood == GEMP_SOM_GAUSSIAN)
		reach *= rate > min_weight ? sqrt(2 * log(rate / min_weight)) : 0;
	return smooth->grid.toroid || reach > smooth->grid.columns ? smooth->grid.columns : (cl_uint)reach + 2;
}

/* Samples with a weight below min_weight are left out. All of these samples together would change a unit by less than a
 * rounding error. A group processes a tile or strip of units for one block of values. */
gemp_code gemp_som_online_run(gemp_som_online *online, const gemp_som_samples *samples, const gemp_buffer *best,
                              const gemp_som_smooth *smooth, double rate, gemp_som_values values, bool begun,
                              gemp_som_rows rows, const gemp_buffer *planes)
{
	const gemp_buffer *present = samples->missing ? &samples->present : &samples->x;
	const cl_uint count = (cl_uint)samples->count;
	const cl_float share = (cl_float)rate, min_weight = min_share / (cl_float)(count ? count : 1);
	const cl_uint go_on = begun, reach = reach_of(smooth, rate, (double)min_weight);
	const size_t groups = online->across * divide_up(rows.end - rows.first, online->tile_rows) *
	                      divide_up(values.count, online->block);
	return gemp_launch(online->device, online->run, groups * online->group, online->group, GEMP_ARG(&planes->mem),
	                   GEMP_ARG(&best->mem), GEMP_ARG(&samples->x.mem), GEMP_ARG(&present->mem), GEMP_ARG(&count),
	                   GEMP_ARG(&smooth->steps.mem), GEMP_ARG(&smooth->cutoff), GEMP_ARG(&share), GEMP_ARG(&min_weight),
	                   GEMP_ARG(&reach), GEMP_ARG(&values.first), GEMP_ARG(&values.count), GEMP_ARG(&go_on),
	                   GEMP_ARG(&rows.first), GEMP_ARG(&rows.end));
}
