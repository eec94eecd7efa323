#include "som/accumulate.h"

#include "core/memory.h"

#include <stdio.h>

enum { GROUP = 128, RUN = 512, MOST_BANKS = 32 }; /* RUN: sums that a work-item of a CPU device rounds */

uint32_t gemp_som_planes(uint32_t values, bool missing)
{
	return values + (missing ? values : 1);
}

/* All of them take no longer to go over than samples do, and an eighth of what is free. */
static cl_uint banks_of(const gemp_device *device, const gemp_som_samples *samples, size_t bytes)
{
	const size_t room = device->memory > device->held ? (device->memory - device->held) / 8 : 0;
	size_t most = samples->x.size;
	if (!device->gpu)
		return 1;
	most = most < room ? most : room;
	most = most < device->largest ? most : device->largest;
	return most < 2 * bytes ? 1 : most / bytes < MOST_BANKS ? (cl_uint)(most / bytes) : MOST_BANKS;
}

gemp_code gemp_som_accumulate_new(gemp_som_accumulate *out, gemp_device *device, const gemp_som_samples *samples, uint32_t units,
                                  uint32_t most, bool online)
{
	gemp_code code = GEMP_OK;
	char *source = NULL, options[64];
	const bool missing = samples->missing;
	const size_t sums = (size_t)units * gemp_som_planes(most, missing) * sizeof(double);
	*out = (gemp_som_accumulate){ .device = device, .units = units, .missing = missing,
		.banks = banks_of(device, samples, sums) };
	if (online)
		snprintf(options, sizeof options, "-DSOM_MOVE%s", missing ? " -DSOM_MISSING" : "");
	else
		snprintf(options, sizeof options, "-DSOM_RUN=%d%s", device->gpu ? 1 : RUN, missing ? " -DSOM_MISSING" : "");
	GEMP_TRY(gemp_kernel_source(&source, "som_accumulate.cl"));
	GEMP_TRY(gemp_program_new(&out->program, device, source, options));
	if (online) {
		GEMP_TRY(gemp_kernel_new(&out->move, &out->program, "som_move"));
	} else {
		GEMP_TRY(gemp_kernel_new(&out->add, &out->program, device->gpu ? "som_add" : "som_add_planes"));
		GEMP_TRY(gemp_kernel_new(&out->take, &out->program, "som_take"));
		GEMP_TRY(gemp_kernel_new(&out->finish, &out->program, "som_finish"));
		GEMP_TRY(gemp_buffer_new(&out->sums, device, out->banks * sums, NULL));
		GEMP_TRY(gemp_buffer_zero(device, &out->sums, 0, out->sums.size));
	}
done:
	gemp_free(source);
	if (code != GEMP_OK)
		gemp_som_accumulate_free(out);
	return code;
}

void gemp_som_accumulate_free(gemp_som_accumulate *accumulate)
{
	cl_kernel kernels[] = { accumulate->add, accumulate->take, accumulate->finish, accumulate->move };
	for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
		if (kernels[k])
			clReleaseKernel(kernels[k]);
	if (accumulate->device)
		gemp_buffer_free(&accumulate->sums, accumulate->device);
	gemp_program_free(&accumulate->program);
	*accumulate = (gemp_som_accumulate){ 0 };
}

gemp_code gemp_som_accumulate_add(gemp_som_accumulate *accumulate, const gemp_som_samples *samples, const gemp_buffer *best,
                                  gemp_som_values values)
{
	gemp_device *device = accumulate->device;
	const cl_uint count = (cl_uint)samples->count;
	const size_t planes = gemp_som_planes(values.count, accumulate->missing);
	const gemp_buffer *present = samples->missing ? &samples->present : &samples->x;
	return gemp_launch(device, accumulate->add, device->gpu ? planes * count : count ? planes : 0, device->gpu ? GROUP : 1,
	                   GEMP_ARG(&accumulate->sums.mem), GEMP_ARG(&best->mem), GEMP_ARG(&samples->x.mem),
	                   GEMP_ARG(&present->mem), GEMP_ARG(&count), GEMP_ARG(&accumulate->units), GEMP_ARG(&values.first),
	                   GEMP_ARG(&values.count), GEMP_ARG(&accumulate->banks));
}

gemp_code gemp_som_accumulate_take(gemp_som_accumulate *accumulate, gemp_som_values values, const gemp_buffer *planes)
{
	gemp_device *device = accumulate->device;
	const cl_ulong count = (cl_ulong)accumulate->units * gemp_som_planes(values.count, accumulate->missing);
	const size_t run = device->gpu ? 1 : RUN;
	return gemp_launch(device, accumulate->take, (count + run - 1) / run, device->gpu ? GROUP : 1,
	                   GEMP_ARG(&accumulate->sums.mem), GEMP_ARG(&planes->mem), GEMP_ARG(&count),
	                   GEMP_ARG(&accumulate->banks));
}

/* Of all units, those on the device at a time. Kernels that take `least`, too, have it as their last argument. */
static gemp_code change(gemp_som_accumulate *accumulate, cl_kernel kernel, const gemp_buffer *planes, gemp_som_values values,
                        gemp_som_codebook *book, const cl_float *least)
{
	gemp_code code = GEMP_OK;
	const size_t group = accumulate->device->gpu ? GROUP : 0;
	for (uint32_t first = 0; first < book->units; first += book->here) {
		GEMP_TRY(gemp_som_codebook_hold(book, first));
		const gemp_argument arguments[] = { GEMP_ARG(&planes->mem), GEMP_ARG(&book->w.mem), GEMP_ARG(&book->units),
			GEMP_ARG(&book->first), GEMP_ARG(&book->here), GEMP_ARG(&values.first), GEMP_ARG(&values.count),
			GEMP_ARG(&book->dims), GEMP_ARG(&book->stride), { sizeof *least, least } };
		GEMP_TRY(gemp_launch_with(accumulate->device, kernel, book->here, group, arguments, least ? 10 : 9));
		GEMP_TRY(gemp_som_codebook_keep(book));
	}
done:
	return code;
}

gemp_code gemp_som_accumulate_finish(gemp_som_accumulate *accumulate, const gemp_buffer *planes, gemp_som_values values,
                                     gemp_som_codebook *book)
{
	static const cl_float least = GEMP_SOM_LEAST;
	return change(accumulate, accumulate->finish, planes, values, book, &least);
}

gemp_code gemp_som_accumulate_move(gemp_som_accumulate *accumulate, const gemp_buffer *planes, gemp_som_values values,
                                   gemp_som_codebook *book)
{
	return change(accumulate, accumulate->move, planes, values, book, NULL);
}
