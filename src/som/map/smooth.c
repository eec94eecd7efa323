#include "som/map/smooth.h"

#include "core/memory.h"
#include "device/launch.h"

#include <math.h>
#include <stdio.h>

enum { SOM_GAUSSIAN, SOM_BUBBLE, SOM_SQUARE };                 /* as in kernels/som/som_grid.clh */
enum { LINES = 4, GROUP = 64 };                                /* as in kernels/som/som_smooth.cl */
enum { WIDE = 32, TALL = 8, WIDE_LOCAL = 8, TALL_LOCAL = 32 }; /* groups with row sums in global or local memory */

/* Returns the number of units of a row that a work-item processes. A CPU device has vectors for GEMP_SOM_LANES
 * units. */
static uint32_t lanes_of(const gemp_som_smooth *smooth)
{
	return smooth->gpu ? 1 : GEMP_SOM_LANES;
}

/* The size of the grid is one of the options, so each size of a map has its own programs in the cache. */
void gemp_som_grid_options(char options[GEMP_SOM_OPTIONS], uint32_t lanes, const gemp_som_grid *grid)
{
	snprintf(options, GEMP_SOM_OPTIONS, " -DSOM_ROWS=%u -DSOM_COLUMNS=%u -DSOM_LANES=%u%s%s", grid->rows, grid->columns,
	         lanes, grid->lattice == GEMP_SOM_HEXAGONAL ? " -DSOM_HEX" : "", grid->toroid ? " -DSOM_TOROID" : "");
}

gemp_code gemp_som_planes_new(gemp_buffer *out, gemp_device *device, uint32_t units, uint32_t planes)
{
	return gemp_buffer_new(out, device, ((size_t)units * planes + GEMP_SOM_PADDING) * sizeof(float), NULL);
}

/* Sets the width and the height, in work-items, of a group of the kernel som_running. */
static void group_of(const gemp_som_smooth *smooth, uint32_t *wide, uint32_t *tall)
{
	*wide = !smooth->gpu ? 1 : smooth->local_sums ? WIDE_LOCAL : WIDE;
	*tall = !smooth->gpu ? 1 : smooth->local_sums ? TALL_LOCAL : TALL;
}

/* Returns whether the row sums of a strip and its results fit into half of the local memory. Two groups then run on a
 * compute unit at the same time. A hexagonal grid has two kinds of row sums, and a rectangular grid has one kind. The
 * results take as much memory as one kind. */
static bool local_sums_fit(const gemp_device *device, const gemp_som_grid *grid)
{
	const size_t kinds = grid->lattice == GEMP_SOM_HEXAGONAL ? 3 : 2;
	return kinds * grid->rows * WIDE_LOCAL * sizeof(float) <= device->local_memory / 2;
}

/* The program has the kernels of two passes or, for round neighbourhoods, the kernel with running sums of rows. */
static gemp_code build(gemp_som_smooth *smooth)
{
	char of_grid[GEMP_SOM_OPTIONS], options[GEMP_SOM_OPTIONS + 64];
	const bool cut = gemp_som_is_cut(smooth->neighbourhood);
	uint32_t wide, tall;
	group_of(smooth, &wide, &tall);
	gemp_som_grid_options(of_grid, lanes_of(smooth), &smooth->grid);
	if (cut)
		snprintf(options, sizeof options, "-DSOM_RUNNING -DSOM_WIDE=%u -DSOM_TALL=%u%s%s", wide, tall,
		         smooth->local_sums ? " -DSOM_NEAR" : "", of_grid);
	else
		snprintf(options, sizeof options, "-DSOM_PASSES -DSOM_LANES=%u%s", lanes_of(smooth),
		         smooth->grid.lattice == GEMP_SOM_HEXAGONAL ? " -DSOM_HEX" : "");
	return gemp_program_build(
		&smooth->program, smooth->device, "som_smooth.cl", options, { cut ? "som_running" : NULL, &smooth->running },
		{ cut ? NULL : "som_along", &smooth->along }, { cut ? NULL : "som_across", &smooth->across });
}

/* A hexagonal grid needs a second scratch plane for the sums of rows of the other parity. */
size_t gemp_som_smooth_planes(const gemp_som_grid *grid)
{
	return grid->lattice == GEMP_SOM_HEXAGONAL ? 2 : 1;
}

/* Returns the bytes of the tables in kernels/som/som_grid.clh: three tables along rows, [2 * columns + padding] each,
 * and one table of [2 * rows + padding]. */
size_t gemp_som_smooth_tables(const gemp_som_grid *grid)
{
	return (3 * (2 * (size_t)grid->columns + GEMP_SOM_PADDING) + 2 * (size_t)grid->rows + GEMP_SOM_PADDING) *
	       sizeof(float);
}

/* Local. Gaussian and square neighbourhoods are products of two factors, so two passes suffice. One kernel with sums of
 * rows computes round neighbourhoods. Row sums in local memory need no scratch planes. */
gemp_code gemp_som_smooth_new(gemp_som_smooth *out, gemp_device *device, const gemp_som_grid *grid,
                              gemp_som_neighbourhood neighbourhood, uint32_t planes, bool gpu)
{
	gemp_code code = GEMP_OK;
	*out = (gemp_som_smooth){
		.device = device, .grid = *grid, .neighbourhood = neighbourhood, .planes = planes, .gpu = gpu
	};
	out->local_sums = gpu && gemp_som_is_cut(neighbourhood) && local_sums_fit(device, grid);
	GEMP_TRY_DONE(
		gemp_program_build(&out->tables, device, "som_factors.cl", "-DSOM_LANES=1", { "som_factors", &out->factors }));
	if (planes)
		GEMP_TRY_DONE(build(out));
	GEMP_TRY_DONE(gemp_buffer_new(&out->steps, device, gemp_som_smooth_tables(grid), NULL));
	for (size_t k = 0; k < gemp_som_smooth_planes(grid) && planes && !out->local_sums; k++)
		GEMP_TRY_DONE(gemp_som_planes_new(&out->scratch[k], device, gemp_som_units(grid), planes));
done:
	if (code != GEMP_OK)
		gemp_som_smooth_free(out);
	return code;
}

void gemp_som_smooth_free(gemp_som_smooth *smooth)
{
	gemp_kernels_free(&smooth->factors, &smooth->along, &smooth->across, &smooth->running);
	if (smooth->device)
		gemp_buffers_free(smooth->device, &smooth->steps, &smooth->scratch[0], &smooth->scratch[1]);
	gemp_program_free(&smooth->program);
	gemp_program_free(&smooth->tables);
	*smooth = (gemp_som_smooth){ 0 };
}

/* The kernel gets the radius as two floats, as the square of the radius must be exact enough to include units at
 * exactly this distance. */
gemp_code gemp_som_smooth_radius(gemp_som_smooth *smooth, double radius)
{
	static const cl_uint shapes[] = { SOM_GAUSSIAN, SOM_GAUSSIAN, SOM_BUBBLE, SOM_SQUARE };
	/* the square stays within floats, and no map has steps outside this range */
	const double within = fmin(fmax(radius, 1e-12), 1e12);
	const double about = within * (1 + 1e-9); /* units at the radius are within it, whatever the rounding */
	const double wide = smooth->neighbourhood == GEMP_SOM_SQUARE ? about : within;
	const cl_float first = (cl_float)wide, rest = (cl_float)(wide - first);
	const cl_uint hexagonal = smooth->grid.lattice == GEMP_SOM_HEXAGONAL, toroid = smooth->grid.toroid;
	smooth->radius = radius;
	smooth->cutoff = gemp_som_is_cut(smooth->neighbourhood) ? (cl_ulong)(4 * about * about) : CL_ULONG_MAX;
	return gemp_launch(smooth->device, smooth->factors, smooth->steps.size / sizeof(float), smooth->gpu ? GROUP : 0,
	                   GEMP_ARG(&smooth->steps.mem), GEMP_ARG(&smooth->grid.rows), GEMP_ARG(&smooth->grid.columns),
	                   GEMP_ARG(&hexagonal), GEMP_ARG(&toroid), GEMP_ARG(&shapes[smooth->neighbourhood]),
	                   GEMP_ARG(&first), GEMP_ARG(&rest));
}

/* Smooths along rows, then across rows. The scratch planes have the sums of the first pass. The cost for each unit is
 * the sum of both sides of the map; for all pairs of units it would be their product. */
static gemp_code run_passes(gemp_som_smooth *smooth, const gemp_buffer *from, const gemp_buffer *to)
{
	gemp_device *device = smooth->device;
	const gemp_som_grid *grid = &smooth->grid;
	const gemp_buffer *row_pass = &smooth->scratch[0], *other = smooth->scratch[1].mem ? &smooth->scratch[1] : row_pass;
	const cl_uint lines = smooth->planes * grid->rows;
	const size_t strips = (grid->columns + lanes_of(smooth) - 1) / lanes_of(smooth), group = smooth->gpu ? GROUP : 1;
	GEMP_TRY(gemp_launch(device, smooth->along, strips * ((lines + LINES - 1) / LINES), group, GEMP_ARG(&from->mem),
	                     GEMP_ARG(&row_pass->mem), GEMP_ARG(&other->mem), GEMP_ARG(&smooth->steps.mem),
	                     GEMP_ARG(&lines), GEMP_ARG(&grid->rows), GEMP_ARG(&grid->columns)));
	return gemp_launch(device, smooth->across, strips * ((grid->rows + LINES - 1) / LINES) * smooth->planes, group,
	                   GEMP_ARG(&row_pass->mem), GEMP_ARG(&other->mem), GEMP_ARG(&to->mem),
	                   GEMP_ARG(&smooth->steps.mem), GEMP_ARG(&smooth->planes), GEMP_ARG(&grid->rows),
	                   GEMP_ARG(&grid->columns));
}

/* One kernel goes from the farthest rows to the unit's own row. The circle is wider in nearer rows, so the sum of each
 * row only grows, and no value is added twice. If row sums are in local memory, the kernel does not read the buffer
 * arguments `rows` and `others`. */
static gemp_code run_row_sums(gemp_som_smooth *smooth, const gemp_buffer *from, const gemp_buffer *to)
{
	const gemp_buffer *rows = smooth->local_sums ? to : &smooth->scratch[0],
					  *others = smooth->scratch[1].mem ? &smooth->scratch[1] : rows;
	uint32_t wide, tall;
	group_of(smooth, &wide, &tall);
	const size_t columns = (size_t)wide * lanes_of(smooth), group = (size_t)wide * tall;
	const size_t groups = (smooth->grid.columns + columns - 1) / columns * smooth->planes;
	return gemp_launch(smooth->device, smooth->running, groups * group, group, GEMP_ARG(&from->mem),
	                   GEMP_ARG(&rows->mem), GEMP_ARG(&others->mem), GEMP_ARG(&to->mem), GEMP_ARG(&smooth->steps.mem),
	                   GEMP_ARG(&smooth->cutoff));
}

/* Waits for nothing. The buffers must be different, as som_running may zero `to` before it reads `from`. */
gemp_code gemp_som_smooth_run(gemp_som_smooth *smooth, const gemp_buffer *from, const gemp_buffer *to)
{
	return smooth->running ? run_row_sums(smooth, from, to) : run_passes(smooth, from, to);
}

uint32_t gemp_som_planes(uint32_t values, bool missing)
{
	return values + (missing ? values : 1);
}
