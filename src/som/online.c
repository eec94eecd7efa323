#include "som/online.h"

#include "core/memory.h"

#include <stdio.h>

enum { GROUP = 64, STAGE = 64, BLOCK_GPU = 16, BLOCK_CPU = 8, LANES = 16 }; /* LANES: kernels/som_grid.clh, CPU devices */

gemp_code gemp_som_online_new(gemp_som_online *out, gemp_device *device, const gemp_som_samples *samples,
                              const gemp_som_smooth *smooth, bool missing, uint32_t most)
{
	gemp_code code = GEMP_OK;
	char *source = NULL, of_grid[GEMP_SOM_OPTIONS], of_samples[GEMP_SOM_OPTIONS], options[2 * GEMP_SOM_OPTIONS + 128], stage[32];
	const gemp_som_grid *grid = &smooth->grid;
	const uint32_t widest = device->gpu ? BLOCK_GPU : BLOCK_CPU, lanes = device->gpu ? 1 : LANES;
	const uint32_t blocks = (most + widest - 1) / widest, block = (most + blocks - 1) / blocks;
	const size_t strips = (size_t)(grid->columns + lanes - 1) / lanes * grid->rows;
	*out = (gemp_som_online){ .device = device, .block = block, .group = device->gpu ? GROUP : 1 };
	out->items = (strips + out->group - 1) / out->group * out->group;
	gemp_som_grid_options(of_grid, device, grid);
	gemp_som_sample_options(of_samples, samples, missing);
	snprintf(stage, sizeof stage, " -DSOM_STAGE=%d", STAGE);
	snprintf(options, sizeof options, "-DSOM_BLOCK=%u -DSOM_GROUP=%zu%s%s%s%s%s", block, out->group,
	         most == samples->dims ? " -DSOM_ALL" : "", device->gpu ? stage : "",
	         gemp_som_is_cut(smooth->neighbourhood) ? " -DSOM_CUT" : "", of_grid, of_samples);
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

gemp_code gemp_som_online_run(gemp_som_online *online, const gemp_som_samples *samples, const gemp_buffer *best,
                              const gemp_som_smooth *smooth, double rate, gemp_som_values values, bool begun,
                              const gemp_buffer *planes)
{
	const gemp_buffer *present = samples->missing ? &samples->present : &samples->x;
	const cl_uint count = (cl_uint)samples->count, go_on = begun;
	const size_t blocks = (values.count + online->block - 1) / online->block;
	const cl_float share = (cl_float)rate;
	return gemp_launch(online->device, online->run, online->items * blocks, online->group, GEMP_ARG(&planes->mem), GEMP_ARG(&best->mem),
	                   GEMP_ARG(&samples->x.mem), GEMP_ARG(&present->mem), GEMP_ARG(&count), GEMP_ARG(&smooth->steps.mem),
	                   GEMP_ARG(&smooth->reach), GEMP_ARG(&share), GEMP_ARG(&values.first), GEMP_ARG(&values.count),
	                   GEMP_ARG(&go_on));
}

/* RANKS */

/* An element is a, then all b that it goes with: as many as the datatype has room for. The earlier map is in `first`. */
static void compose(void *first, void *second, int *count, MPI_Datatype *type)
{
	const float *earlier = first;
	float *later = second;
	int size;
	GEMP_MPI(MPI_Type_size(*type, &size));
	const size_t width = (size_t)size / sizeof(float);
	for (int i = 0; i < *count; i++, earlier += width, later += width) {
		for (size_t k = 1; k < width; k++)
			later[k] += later[0] * earlier[k];
		later[0] *= earlier[0];
	}
}

/* Planes and elements, there or back. */
static void turn(float *planes, float *elements, uint32_t units, uint32_t dims, bool missing, bool back)
{
	const size_t values = missing ? 1 : dims, parts = missing ? dims : 1;
	for (size_t part = 0; part < parts; part++)
		for (size_t k = 0; k <= values; k++) {
			float *plane = planes + (k == 0 ? dims + part : part + k - 1) * units;
			for (size_t unit = 0; unit < units; unit++) {
				float *element = &elements[(part * units + unit) * (values + 1) + k];
				*(back ? &plane[unit] : element) = *(back ? element : &plane[unit]);
			}
		}
}

void gemp_som_online_compose(const gemp_comm *comm, float *planes, float *scratch, uint32_t units, uint32_t dims, bool missing)
{
	const int width = missing ? 2 : (int)dims + 1;
	const size_t all = (size_t)units * (missing ? dims : 1);
	MPI_Datatype type;
	MPI_Op op;
	turn(planes, scratch, units, dims, missing, false);
	GEMP_MPI(MPI_Type_contiguous(width, MPI_FLOAT, &type));
	GEMP_MPI(MPI_Type_commit(&type));
	GEMP_MPI(MPI_Op_create(compose, 0, &op));
	for (size_t done = 0; done < all; done += INT32_MAX) {
		const int part = (int)(all - done < INT32_MAX ? all - done : INT32_MAX);
		GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, scratch + done * (size_t)width, part, type, op, comm->world));
	}
	GEMP_MPI(MPI_Op_free(&op));
	GEMP_MPI(MPI_Type_free(&type));
	turn(planes, scratch, units, dims, missing, true);
}
