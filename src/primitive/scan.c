#include "primitive/scan.h"

#include <stdio.h>

enum { GROUP = 256, VECTOR = 4, SLABS_A_UNIT = 8, ITEM_SLAB = 1 << 12, FEW = 1 << 12 };

/* One group scans a short array faster than three launches take. */
static gemp_code scan_few(gemp_toolbox *box, const gemp_buffer *numbers, const gemp_buffer *sums, size_t count,
                          const char *options)
{
	size_t group = gemp_tool_group(box, GROUP);
	cl_uint few = (cl_uint)count;
	cl_kernel kernel;
	GEMP_PROPAGATE(gemp_tool_kernel(box, &kernel, "scan.cl", "scan_few", group, "%s", options));
	return gemp_tool_launch(box, kernel, 1, group, GEMP_ARG(&numbers->mem), GEMP_ARG(&few), GEMP_ARG(&sums->mem));
}

gemp_code gemp_scan_device(gemp_toolbox *box, const gemp_buffer *numbers, unsigned number_size, const gemp_buffer *sums,
                           unsigned sum_size, size_t count)
{
	static const char *const names[] = { "scan_slab_sums", "scan_sums", "scan_slabs" };
	cl_kernel kernels[3];
	gemp_buffer *of_slabs;
	size_t group = gemp_tool_group(box, GROUP);
	gemp_slabs s = gemp_tool_slabs(box, count, group ? group * VECTOR : ITEM_SLAB, SLABS_A_UNIT);
	cl_uint slabs = (cl_uint)s.slabs;
	char options[GEMP_TOOL_OPTIONS];
	snprintf(options, sizeof options, "-DSCAN_NUMBER=%s -DSCAN_SUM=%s", number_size == 4 ? "uint" : "ulong",
	         sum_size == 4 ? "uint" : "ulong");
	if (count <= FEW)
		return scan_few(box, numbers, sums, count, options);
	GEMP_PROPAGATE(gemp_tool_check(box, count));
	for (int k = 0; k < 3; k++)
		GEMP_PROPAGATE(gemp_tool_kernel(box, &kernels[k], "scan.cl", names[k], group, "%s", options));
	GEMP_PROPAGATE(gemp_tool_scratch(box, GEMP_SCRATCH_SUMS, (s.slabs + 1) * sizeof(cl_ulong), &of_slabs));
	GEMP_PROPAGATE(gemp_tool_launch(box, kernels[0], s.slabs, group, GEMP_ARG(&numbers->mem), GEMP_ARG(&s.count),
	                                GEMP_ARG(&s.slab), GEMP_ARG(&of_slabs->mem)));
	GEMP_PROPAGATE(gemp_tool_launch(box, kernels[1], 1, group, GEMP_ARG(&of_slabs->mem), GEMP_ARG(&slabs),
	                                GEMP_ARG(&sums->mem), GEMP_ARG(&s.count)));
	return gemp_tool_launch(box, kernels[2], s.slabs, group, GEMP_ARG(&numbers->mem), GEMP_ARG(&s.count),
	                        GEMP_ARG(&s.slab), GEMP_ARG(&of_slabs->mem), GEMP_ARG(&sums->mem));
}
