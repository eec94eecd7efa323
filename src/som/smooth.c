#include "som/smooth.h"

#include "core/memory.h"

#include <math.h>
#include <stdio.h>

enum { SOM_GAUSSIAN, SOM_BUBBLE, SOM_SQUARE }; /* kernels/som_grid.clh */
enum { LINES = 4, WIDE = 32, TALL = 8, GROUP = 64 }; /* kernels/som_grid.clh, som_smooth.cl */

gemp_som_spread gemp_som_spread_of(const gemp_som_grid *grid, gemp_som_neighbourhood neighbourhood)
{
	if (neighbourhood == GEMP_SOM_GAUSSIAN || neighbourhood == GEMP_SOM_SQUARE)
		return GEMP_SOM_SPREAD_PASSES;
	return grid->lattice == GEMP_SOM_RECTANGULAR ? GEMP_SOM_SPREAD_RUNNING : GEMP_SOM_SPREAD_GENERAL;
}

static uint32_t lanes_of(const gemp_device *device)
{
	return device->gpu ? 1 : GEMP_SOM_LANES;
}

void gemp_som_grid_options(char options[GEMP_SOM_OPTIONS], uint32_t lanes, const gemp_som_grid *grid)
{
	snprintf(options, GEMP_SOM_OPTIONS, " -DSOM_ROWS=%u -DSOM_COLUMNS=%u -DSOM_LANES=%u%s%s", grid->rows, grid->columns,
	         lanes, grid->lattice == GEMP_SOM_HEXAGONAL ? " -DSOM_HEX" : "", grid->toroid ? " -DSOM_TOROID" : "");
}

gemp_code gemp_som_planes_new(gemp_buffer *out, gemp_device *device, uint32_t units, uint32_t planes)
{
	return gemp_buffer_new(out, device, ((size_t)units * planes + GEMP_SOM_PADDING) * sizeof(float), NULL);
}

static gemp_code build(gemp_som_smooth *smooth)
{
	gemp_code code = GEMP_OK;
	const gemp_device *device = smooth->device;
	char *source = NULL, of_grid[GEMP_SOM_OPTIONS], options[GEMP_SOM_OPTIONS + 64];
	gemp_som_grid_options(of_grid, lanes_of(device), &smooth->grid);
	snprintf(options, sizeof options, "-DSOM_WIDE=%d -DSOM_TALL=%d%s", device->gpu ? WIDE : 1, device->gpu ? TALL : 1, of_grid);
	GEMP_TRY(gemp_kernel_source(&source, "som_smooth.cl"));
	GEMP_TRY(gemp_program_new(&smooth->program, smooth->device, source, options));
	GEMP_TRY(gemp_kernel_new(&smooth->factors, &smooth->program, "som_factors"));
	GEMP_TRY(gemp_kernel_new(&smooth->along, &smooth->program, "som_along"));
	GEMP_TRY(gemp_kernel_new(&smooth->across, &smooth->program, "som_across"));
	GEMP_TRY(gemp_kernel_new(&smooth->running, &smooth->program, "som_running"));
	GEMP_TRY(gemp_kernel_new(&smooth->general, &smooth->program, "som_general"));
done:
	gemp_free(source);
	return code;
}

size_t gemp_som_smooth_parts(const gemp_som_grid *grid, gemp_som_spread spread)
{
	if (spread == GEMP_SOM_SPREAD_PASSES)
		return grid->lattice == GEMP_SOM_HEXAGONAL ? 2 : 1;
	return spread == GEMP_SOM_SPREAD_RUNNING;
}

size_t gemp_som_smooth_tables(const gemp_som_grid *grid)
{
	return (3 * (2 * (size_t)grid->columns + GEMP_SOM_PADDING) + 2 * (size_t)grid->rows + GEMP_SOM_PADDING) * sizeof(float);
}

gemp_code gemp_som_smooth_new(gemp_som_smooth *out, gemp_device *device, const gemp_som_grid *grid,
                              gemp_som_neighbourhood neighbourhood, uint32_t planes, gemp_som_spread spread)
{
	gemp_code code = GEMP_OK;
	const size_t parts = gemp_som_smooth_parts(grid, spread);
	*out = (gemp_som_smooth){ .device = device, .grid = *grid, .neighbourhood = neighbourhood, .spread = spread, .planes = planes };
	GEMP_TRY(build(out));
	GEMP_TRY(gemp_buffer_new(&out->steps, device, gemp_som_smooth_tables(grid), NULL));
	for (size_t k = 0; k < parts && planes; k++)
		GEMP_TRY(gemp_som_planes_new(&out->part[k], device, gemp_som_units(grid), planes));
done:
	if (code != GEMP_OK)
		gemp_som_smooth_free(out);
	return code;
}

void gemp_som_smooth_free(gemp_som_smooth *smooth)
{
	cl_kernel kernels[] = { smooth->factors, smooth->along, smooth->across, smooth->running, smooth->general };
	for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
		if (kernels[k])
			clReleaseKernel(kernels[k]);
	if (smooth->device) {
		gemp_buffer_free(&smooth->steps, smooth->device);
		gemp_buffer_free(&smooth->part[0], smooth->device);
		gemp_buffer_free(&smooth->part[1], smooth->device);
	}
	gemp_program_free(&smooth->program);
	*smooth = (gemp_som_smooth){ 0 };
}

gemp_code gemp_som_smooth_radius(gemp_som_smooth *smooth, double radius)
{
	static const cl_uint shapes[] = { SOM_GAUSSIAN, SOM_GAUSSIAN, SOM_BUBBLE, SOM_SQUARE };
	const double about = radius * (1 + 1e-9); /* units at the radius are within it, whatever the rounding */
	const double wide = smooth->neighbourhood == GEMP_SOM_SQUARE ? about : radius;
	const cl_float first = (cl_float)wide, rest = (cl_float)(wide - first);
	smooth->reach = gemp_som_is_cut(smooth->neighbourhood) ? (cl_ulong)fmin(4 * about * about, 0x1p62) : CL_ULONG_MAX;
	return gemp_launch(smooth->device, smooth->factors, smooth->steps.size / sizeof(float), smooth->device->gpu ? GROUP : 0,
	                   GEMP_ARG(&smooth->steps.mem), GEMP_ARG(&shapes[smooth->neighbourhood]), GEMP_ARG(&first), GEMP_ARG(&rest));
}

static gemp_code pass(gemp_som_smooth *smooth, const gemp_buffer *from, const gemp_buffer *to)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = smooth->device;
	const gemp_som_grid *grid = &smooth->grid;
	const gemp_buffer *part = &smooth->part[0], *other = smooth->part[1].mem ? &smooth->part[1] : part;
	const cl_uint lines = smooth->planes * grid->rows;
	const size_t strips = (grid->columns + lanes_of(device) - 1) / lanes_of(device), group = device->gpu ? GROUP : 1;
	GEMP_TRY(gemp_launch(device, smooth->along, strips * ((lines + LINES - 1) / LINES), group, GEMP_ARG(&from->mem),
	                     GEMP_ARG(&part->mem), GEMP_ARG(&other->mem), GEMP_ARG(&smooth->steps.mem), GEMP_ARG(&lines)));
	code = gemp_launch(device, smooth->across, strips * ((grid->rows + LINES - 1) / LINES) * smooth->planes, group,
	                   GEMP_ARG(&part->mem), GEMP_ARG(&other->mem), GEMP_ARG(&to->mem), GEMP_ARG(&smooth->steps.mem),
	                   GEMP_ARG(&smooth->planes));
done:
	return code;
}

static gemp_code run_rows(gemp_som_smooth *smooth, const gemp_buffer *from, const gemp_buffer *to)
{
	gemp_device *device = smooth->device;
	const size_t wide = (device->gpu ? WIDE : 1) * lanes_of(device), group = device->gpu ? WIDE * TALL : 1;
	const size_t groups = (smooth->grid.columns + wide - 1) / wide * smooth->planes;
	return gemp_launch(device, smooth->running, groups * group, group, GEMP_ARG(&from->mem), GEMP_ARG(&smooth->part[0].mem),
	                   GEMP_ARG(&to->mem), GEMP_ARG(&smooth->steps.mem), GEMP_ARG(&smooth->reach));
}

gemp_code gemp_som_smooth_run(gemp_som_smooth *smooth, const gemp_buffer *from, const gemp_buffer *to)
{
	if (smooth->spread == GEMP_SOM_SPREAD_PASSES)
		return pass(smooth, from, to);
	if (smooth->spread == GEMP_SOM_SPREAD_RUNNING)
		return run_rows(smooth, from, to);
	return gemp_launch(smooth->device, smooth->general, (size_t)smooth->planes * gemp_som_units(&smooth->grid),
	                   smooth->device->gpu ? GROUP : 0, GEMP_ARG(&from->mem), GEMP_ARG(&to->mem), GEMP_ARG(&smooth->steps.mem),
	                   GEMP_ARG(&smooth->reach), GEMP_ARG(&smooth->planes));
}
