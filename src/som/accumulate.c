#include "som/accumulate.h"

#include "core/memory.h"

#include <stdio.h>

enum { GROUP = 128 };

uint32_t gemp_som_planes(uint32_t dims, bool missing)
{
	return dims + (missing ? dims : 1);
}

void gemp_som_sample_options(char options[GEMP_SOM_OPTIONS], const gemp_som_samples *samples, bool missing)
{
	snprintf(options, GEMP_SOM_OPTIONS, " -DSOM_DIMS=%u%s%s", samples->dims, missing ? " -DSOM_MISSING" : "",
	         samples->missing ? " -DSOM_MASK" : "");
}

gemp_code gemp_som_accumulate_new(gemp_som_accumulate *out, gemp_device *device, const gemp_som_samples *samples, uint32_t stride,
                                  bool missing)
{
	gemp_code code = GEMP_OK;
	char *source = NULL, of_samples[GEMP_SOM_OPTIONS], options[GEMP_SOM_OPTIONS + 64];
	*out = (gemp_som_accumulate){ .device = device, .dims = samples->dims };
	gemp_som_sample_options(of_samples, samples, missing);
	snprintf(options, sizeof options, "-DSOM_STRIDE=%u%s", stride, of_samples);
	GEMP_TRY(gemp_kernel_source(&source, "som_accumulate.cl"));
	GEMP_TRY(gemp_program_new(&out->program, device, source, options));
	GEMP_TRY(gemp_kernel_new(&out->add, &out->program, device->gpu ? "som_add" : "som_add_planes"));
	GEMP_TRY(gemp_kernel_new(&out->finish, &out->program, "som_finish"));
	GEMP_TRY(gemp_kernel_new(&out->move, &out->program, "som_move"));
done:
	gemp_free(source);
	if (code != GEMP_OK)
		gemp_som_accumulate_free(out);
	return code;
}

void gemp_som_accumulate_free(gemp_som_accumulate *accumulate)
{
	cl_kernel kernels[] = { accumulate->add, accumulate->finish, accumulate->move };
	for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
		if (kernels[k])
			clReleaseKernel(kernels[k]);
	gemp_program_free(&accumulate->program);
	*accumulate = (gemp_som_accumulate){ 0 };
}

gemp_code gemp_som_accumulate_run(gemp_som_accumulate *accumulate, const gemp_som_samples *samples, const gemp_buffer *best,
                                  uint32_t units, const gemp_buffer *planes)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = accumulate->device;
	const cl_uint count = (cl_uint)samples->count;
	/* as many as the planes of these samples at most; the kernel knows those that it is built for */
	const size_t most = planes->size / sizeof(float) / units;
	const gemp_buffer *present = samples->missing ? &samples->present : &samples->x;
	GEMP_TRY(gemp_buffer_zero(device, planes, 0, planes->size));
	if (count)
		code = gemp_launch(device, accumulate->add, device->gpu ? most * count : most, device->gpu ? GROUP : 1,
		                   GEMP_ARG(&planes->mem), GEMP_ARG(&best->mem), GEMP_ARG(&samples->x.mem),
		                   GEMP_ARG(&present->mem), GEMP_ARG(&count), GEMP_ARG(&units));
done:
	return code;
}

gemp_code gemp_som_accumulate_finish(gemp_som_accumulate *accumulate, const gemp_buffer *planes, gemp_som_codebook *book)
{
	const cl_float least = GEMP_SOM_LEAST;
	return gemp_launch(accumulate->device, accumulate->finish, book->units, accumulate->device->gpu ? GROUP : 0,
	                   GEMP_ARG(&planes->mem), GEMP_ARG(&book->w.mem), GEMP_ARG(&book->units), GEMP_ARG(&least));
}

gemp_code gemp_som_accumulate_move(gemp_som_accumulate *accumulate, const gemp_buffer *planes, gemp_som_codebook *book)
{
	return gemp_launch(accumulate->device, accumulate->move, book->units, accumulate->device->gpu ? GROUP : 0,
	                   GEMP_ARG(&planes->mem), GEMP_ARG(&book->w.mem), GEMP_ARG(&book->units));
}
