#include "som/judge.h"

#include "core/memory.h"

#include <stdio.h>

enum { GROUP = 256, MOST_GROUPS = 128, TASKS_OF_CORE = 4 };

/* What a group leaves (kernels/som_judge.cl). */
typedef struct group_sums {
	float distances, rest;
	uint32_t torn, samples;
} group_sums;

static size_t group_of(const gemp_device *device)
{
	return device->gpu ? GROUP : 1;
}

static size_t groups_for(const gemp_device *device, size_t count)
{
	const size_t most = device->gpu ? MOST_GROUPS : device->units * (size_t)TASKS_OF_CORE;
	const size_t wanted = (count + group_of(device) - 1) / group_of(device);
	return wanted < most ? wanted : most;
}

size_t gemp_som_judge_bytes(const gemp_device *device, size_t count)
{
	return GEMP_SOM_SLOTS * groups_for(device, count) * sizeof(group_sums);
}

gemp_code gemp_som_judge_new(gemp_som_judge *out, gemp_device *device, const gemp_som_grid *grid, size_t count)
{
	gemp_code code = GEMP_OK;
	char *source = NULL, options[32];
	const size_t group = group_of(device);
	*out = (gemp_som_judge){ .device = device, .grid = *grid, .group = group, .groups = groups_for(device, count) };
	if (count == 0)
		return GEMP_OK;
	snprintf(options, sizeof options, "-DSOM_GROUP=%zu", group);
	GEMP_TRY(gemp_kernel_source(&source, "som_judge.cl"));
	GEMP_TRY(gemp_program_new(&out->program, device, source, options));
	GEMP_TRY(gemp_kernel_new(&out->kernel, &out->program, "som_judge"));
	GEMP_TRY(gemp_buffer_new(&out->distance, device, count * sizeof(float), NULL));
	GEMP_TRY(gemp_buffer_new(&out->sums, device, gemp_som_judge_bytes(device, count), NULL));
done:
	gemp_free(source);
	if (code != GEMP_OK)
		gemp_som_judge_free(out);
	return code;
}

void gemp_som_judge_free(gemp_som_judge *judge)
{
	if (judge->kernel)
		clReleaseKernel(judge->kernel);
	gemp_program_free(&judge->program);
	if (judge->device) {
		gemp_buffer_free(&judge->distance, judge->device);
		gemp_buffer_free(&judge->sums, judge->device);
	}
	*judge = (gemp_som_judge){ 0 };
}

gemp_code gemp_som_judge_run(gemp_som_judge *judge, gemp_som_search *search, const gemp_som_samples *samples,
                             gemp_som_codebook *book, const gemp_buffer *best, const gemp_buffer *second, uint32_t slot, bool more)
{
	gemp_code code = GEMP_OK;
	const cl_ulong count = samples->count;
	const cl_uint hexagonal = judge->grid.lattice == GEMP_SOM_HEXAGONAL, toroid = judge->grid.toroid, add = more;
	if (count == 0)
		return GEMP_OK;
	GEMP_TRY(gemp_som_search_distances(search, samples, book, best, &judge->distance));
	code = gemp_launch(judge->device, judge->kernel, judge->groups * judge->group, judge->group, GEMP_ARG(&best->mem),
	                   GEMP_ARG(&second->mem), GEMP_ARG(&judge->distance.mem), GEMP_ARG(&count), GEMP_ARG(&judge->grid.rows),
	                   GEMP_ARG(&judge->grid.columns), GEMP_ARG(&hexagonal), GEMP_ARG(&toroid), GEMP_ARG(&judge->sums.mem),
	                   GEMP_ARG(&slot), GEMP_ARG(&add));
done:
	return code;
}

gemp_code gemp_som_judge_take(gemp_som_judge *judge, uint32_t slot, gemp_som_fit *fit)
{
	gemp_code code = GEMP_OK;
	group_sums sums[GROUP * TASKS_OF_CORE];
	const size_t most = sizeof sums / sizeof *sums;
	*fit = (gemp_som_fit){ 0 };
	for (size_t done = 0; done < judge->groups; done += most) {
		const size_t here = judge->groups - done < most ? judge->groups - done : most;
		GEMP_TRY(GEMP_CL(clEnqueueReadBuffer(judge->device->transfer, judge->sums.mem, CL_TRUE,
		                                     (slot * judge->groups + done) * sizeof *sums, here * sizeof *sums, sums, 0, NULL,
		                                     NULL)));
		for (size_t g = 0; g < here; g++) {
			fit->distances += (double)sums[g].distances + (double)sums[g].rest;
			fit->torn += sums[g].torn;
			fit->samples += sums[g].samples;
		}
	}
done:
	return code;
}
