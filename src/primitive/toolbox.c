/* Kernels on demand. A program is identified by its file and its build options. The newest 48 programs are kept, each
 * with up to 8 kernels. Scratch buffers grow and are freed with the toolbox. Every launch adds an event, and
 * gemp_toolbox_seconds sums the times of the events. */

#include "primitive/toolbox.h"

#include "core/limits.h"
#include "core/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_ARGUMENTS = 16, CACHED_BITS = 27, SPARSE = 4 };

/* Onesweep needs forward progress between work-groups, which NVIDIA's GPUs guarantee. */
gemp_code gemp_toolbox_new(gemp_toolbox **out, gemp_device *device, gemp_form form)
{
	gemp_toolbox *box;
	gemp_code code = GEMP_NEW(box, 1);
	*out = box;
	if (code == GEMP_OK) {
		box->device = device;
		box->cached_bits = CACHED_BITS;
		box->sparse = SPARSE;
		if (form == GEMP_FORM_AUTO)
			form = (gemp_form)gemp_limits_now()->toolbox_form;
		box->groups = form == GEMP_FORM_AUTO ? device->gpu : form != GEMP_FORM_ITEMS;
		box->onesweep = form == GEMP_FORM_AUTO ? device->gpu && device->nvidia : form == GEMP_FORM_ONESWEEP;
	}
	return code;
}

/* A tool that was not made is allowed. */
static void free_tool(gemp_tool *tool)
{
	for (size_t k = 0; k < GEMP_TOOL_KERNELS && tool->kernels[k]; k++)
		clReleaseKernel(tool->kernels[k]);
	gemp_program_free(&tool->program);
	*tool = (gemp_tool){ 0 };
}

/* Timings are freed first, since this waits for the launches. */
void gemp_toolbox_free(gemp_toolbox *box)
{
	if (!box)
		return;
	gemp_timings_free(&box->timings);
	for (size_t t = 0; t < GEMP_TOOLS; t++)
		free_tool(&box->tools[t]);
	for (int s = 0; s < GEMP_SCRATCHES; s++)
		gemp_buffer_free(&box->scratch[s], box->device);
	gemp_free(box);
}

/* Programs are stored here, after their first launches, because PoCL compiles work-groups at launch. */
gemp_code gemp_toolbox_seconds(gemp_toolbox *box, double *seconds)
{
	GEMP_TRY(gemp_timings_seconds(&box->timings, seconds));
	for (size_t t = 0; t < GEMP_TOOLS; t++) {
		if (box->tools[t].program.program && !box->tools[t].stored)
			GEMP_TRY(gemp_program_store(box->device, &box->tools[t].program));
		box->tools[t].stored = true;
	}
	return GEMP_OK;
}

/* Resets the sum, so each build is reported once. */
double gemp_toolbox_build_seconds(gemp_toolbox *box)
{
	double seconds = box->build_seconds;
	box->build_seconds = 0;
	return seconds;
}

/* On devices other than NVIDIA's, work-groups have the size of one warp. */
size_t gemp_tool_group(const gemp_toolbox *box, size_t wanted)
{
	const gemp_device *device = box->device;
	if (!box->groups)
		return 0;
	return device->nvidia && wanted <= device->max_group ? wanted : GEMP_TOOL_WARP;
}

/* Fills a free tool, which stays free if the program cannot be built. */
static gemp_code make_tool(gemp_toolbox *box, gemp_tool *tool, const char *file, const char *options)
{
	GEMP_TRY(gemp_program_build_list(&tool->program, box->device, file, options, NULL, 0));
	snprintf(tool->file, sizeof tool->file, "%s", file);
	snprintf(tool->options, sizeof tool->options, "%s", options);
	box->build_seconds += tool->program.seconds;
	tool->stored = tool->program.cached;
	box->tool_count++;
	return GEMP_OK;
}

/* Finds the program, or makes it in the place of the oldest of GEMP_TOOLS programs. */
static gemp_code find_tool(gemp_toolbox *box, gemp_tool **out, const char *file, const char *options)
{
	for (size_t t = 0; t < GEMP_TOOLS; t++)
		if (box->tools[t].program.program && strcmp(box->tools[t].file, file) == 0 &&
		    strcmp(box->tools[t].options, options) == 0) {
			*out = &box->tools[t];
			return GEMP_OK;
		}
	*out = &box->tools[box->tool_count % GEMP_TOOLS];
	free_tool(*out);
	return make_tool(box, *out, file, options);
}

/* Names are string literals of the callers, so they are not copied. */
gemp_code gemp_tool_kernel(gemp_toolbox *box, cl_kernel *out, const char *file, const char *name, size_t group,
                           const char *format, ...)
{
	char options[GEMP_TOOL_OPTIONS] = "";
	gemp_tool *tool;
	size_t k = 0;
	int used = group ? snprintf(options, sizeof options, "-DGEMP_GROUP=%zu -DGEMP_LANES=%d ", group, GEMP_TOOL_WARP)
	                 : 0;
	va_list rest;
	va_start(rest, format);
	int length = vsnprintf(options + used, sizeof options - (size_t)used, format, rest);
	va_end(rest);
	GEMP_CHECK(length >= 0 && (size_t)(used + length) < sizeof options);
	GEMP_TRY(find_tool(box, &tool, file, options));
	while (k < GEMP_TOOL_KERNELS && tool->kernels[k] && strcmp(tool->names[k], name) != 0)
		k++;
	GEMP_CHECK(k < GEMP_TOOL_KERNELS);
	if (!tool->kernels[k])
		GEMP_TRY(gemp_kernel_new(&tool->kernels[k], &tool->program, name));
	tool->names[k] = name;
	*out = tool->kernels[k];
	return GEMP_OK;
}

/* The content is lost when the buffer grows. */
gemp_code gemp_tool_scratch(gemp_toolbox *box, int which, size_t size, gemp_buffer **out)
{
	gemp_buffer *scratch = &box->scratch[which];
	*out = scratch;
	if (scratch->mem && scratch->size >= size)
		return GEMP_OK;
	gemp_buffer_free(scratch, box->device); /* launches that use the old buffer keep it alive */
	return gemp_buffer_new(scratch, box->device, size, NULL);
}

/* With 0 groups there is no launch and no event. */
gemp_code gemp_tool_launch_with(gemp_toolbox *box, cl_kernel kernel, size_t groups, size_t group,
                                const gemp_argument *arguments, size_t count)
{
	size_t items = group ? group : 1;
	gemp_code code = gemp_launch_with(box->device, kernel, groups * items, items, arguments, count);
	return code == GEMP_OK && groups ? gemp_timings_add(&box->timings, box->device) : code;
}

/* Kernels with values have two more parameters behind the keys. */
gemp_code gemp_tool_launch_values(gemp_toolbox *box, cl_kernel kernel, size_t groups, size_t group,
                                  const gemp_argument *arguments, size_t count, const gemp_argument *values)
{
	gemp_argument all[MAX_ARGUMENTS];
	size_t total = 0;
	GEMP_CHECK(count + 2 <= MAX_ARGUMENTS);
	for (size_t i = 0; i < count; i++) {
		if (i == 2 && values) {
			all[total++] = values[0];
			all[total++] = values[1];
		}
		all[total++] = arguments[i];
	}
	return gemp_tool_launch_with(box, kernel, groups, group, all, total);
}

/* There are at most slabs_a_unit slabs for each compute unit, since each slab has a row of counts. */
gemp_slabs gemp_tool_slabs(const gemp_toolbox *box, size_t count, size_t tile, size_t slabs_a_unit)
{
	size_t max_slabs = box->device->units * slabs_a_unit, tiles = (count + tile - 1) / tile;
	size_t slab_tiles = (tiles + max_slabs - 1) / max_slabs;
	size_t slab = slab_tiles ? slab_tiles * tile : tile;
	slab = slab < gemp_device_max() ? slab : gemp_device_max();
	return (gemp_slabs){ (cl_uint)count, (cl_uint)slab, (count + slab - 1) / slab };
}

/* Indices on devices have 32 bits, and the last step of a work-item may reach a tile beyond the end. */
gemp_code gemp_tool_check(const gemp_toolbox *box, size_t count)
{
	if (count <= gemp_device_max())
		return GEMP_OK;
	return gemp_fail(GEMP_ENOMEM,
	                 "%zu elements are more than the %zu that are sorted on %s at a time; use more ranks, or the host",
	                 count, gemp_device_max(), box->device->name);
}

static gemp_code visit_kernels(gemp_toolbox *box, gemp_tool *tool, gemp_tool_visit *visit, void *self)
{
	GEMP_OWNED char *log = NULL;
	gemp_kernel_resources resources;
	GEMP_TRY(gemp_program_verbose_log(&log, box->device, &tool->program, tool->file));
	for (size_t k = 0; k < GEMP_TOOL_KERNELS && tool->kernels[k]; k++) {
		GEMP_TRY(gemp_kernel_resources_of(&resources, box->device, tool->kernels[k], tool->names[k], log));
		GEMP_TRY(visit(self, tool, tool->names[k], &resources));
	}
	return GEMP_OK;
}

gemp_code gemp_toolbox_resources(gemp_toolbox *box, gemp_tool_visit *visit, void *self)
{
	for (size_t t = 0; t < GEMP_TOOLS; t++)
		if (box->tools[t].program.program)
			GEMP_TRY(visit_kernels(box, &box->tools[t], visit, self));
	return GEMP_OK;
}

enum { EACH_GROUP = 256, GROUPS_OF_UNIT = 16 };

/* A GPU has more work-items than run at the same time, to hide latencies; a CPU device has one for each unit. */
gemp_code gemp_tool_each_list(gemp_toolbox *box, const char *file, const char *name, size_t count,
                              const gemp_argument *arguments, size_t argument_count)
{
	const size_t group = gemp_tool_group(box, EACH_GROUP), units = box->device->units;
	const size_t wanted = group ? (count + group - 1) / group : count, most = group ? units * GROUPS_OF_UNIT : units;
	cl_kernel kernel;
	if (!count)
		return GEMP_OK;
	GEMP_TRY(gemp_tool_kernel(box, &kernel, file, name, group, "%s", ""));
	return gemp_tool_launch_with(box, kernel, wanted < most ? wanted : most, group, arguments, argument_count);
}
