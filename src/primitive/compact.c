#include "primitive/compact.h"

#include "primitive/radix_pass.h"

enum { GROUP = 256, GROUPS_OF_UNIT = 16 };

/* A GPU has more work-items than run at the same time, to hide latencies; a CPU device has one for each unit. */
gemp_code gemp_tool_each_list(gemp_toolbox *box, const char *file, const char *name, size_t count,
                              const gemp_argument *arguments, size_t argument_count)
{
	const size_t group = gemp_tool_group(box, GROUP), units = box->device->units;
	const size_t wanted = group ? (count + group - 1) / group : count, most = group ? units * GROUPS_OF_UNIT : units;
	cl_kernel kernel;
	if (!count)
		return GEMP_OK;
	GEMP_TRY(gemp_tool_kernel(box, &kernel, file, name, group, "%s", ""));
	return gemp_tool_launch_with(box, kernel, wanted < most ? wanted : most, group, arguments, argument_count);
}

gemp_code gemp_compact_places(gemp_toolbox *box, const gemp_buffer *flags, size_t count, size_t *selected)
{
	cl_uint all = 0;
	*selected = 0;
	if (!count)
		return GEMP_OK;
	GEMP_TRY(gemp_scan_device(box, flags, sizeof all, flags, sizeof all, count));
	GEMP_TRY(gemp_buffer_read(box->device, flags, count * sizeof all, sizeof all, &all));
	*selected = all;
	return GEMP_OK;
}

gemp_code gemp_buffer_reserve(gemp_buffer *buffer, gemp_device *device, size_t size)
{
	if (buffer->mem && buffer->size >= size)
		return GEMP_OK;
	gemp_buffer_free(buffer, device);
	*buffer = (gemp_buffer){ 0 };
	return gemp_buffer_new(buffer, device, size ? size : 1, NULL);
}
