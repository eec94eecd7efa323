#include "api/bench/kernel_report.h"

#include <inttypes.h>
#include <string.h>

typedef struct kernel_list {
	gemp_report *report;
	json_t *kernels;
} kernel_list;

static gemp_code add_kernel(void *self, const gemp_tool *tool, const char *kernel, const gemp_kernel_resources *r)
{
	kernel_list *list = self;
	if (strcmp(tool->file, "shuffle_trial.cl") == 0) /* makes and checks the tuples of bench shuffle */
		return GEMP_OK;
	const bool known = r->registers != GEMP_REGISTERS_UNKNOWN;
	char registers[24] = "not told";
	if (known)
		snprintf(registers, sizeof registers, "%d", r->registers);
	gemp_report_detail(list->report, "  %-20s %10" PRIu64 " %10" PRIu64 " %10s   %s\n", kernel, r->local_memory,
	                   r->private_memory, registers, tool->options);
	json_t *object = gemp_json_counts({ "local_memory", r->local_memory }, { "private_memory", r->private_memory },
	                                  { "group_multiple", r->group_multiple }, { "max_group", r->max_group });
	json_object_set_new(object, "kernel", json_string(kernel));
	json_object_set_new(object, "options", json_string(tool->options));
	json_object_set_new(object, "registers", known ? json_integer(r->registers) : json_null());
	json_array_append_new(list->kernels, object);
	return GEMP_OK;
}

/* Ranks other than 0 have no report. */
gemp_code gemp_report_kernels(gemp_report *report, gemp_toolbox *box)
{
	kernel_list list = { report, report->json ? json_array() : NULL };
	if (!list.kernels)
		return GEMP_OK;
	gemp_report_detail(report, "\n  %-20s %10s %10s %10s   %s\n", "kernel", "local B", "private B", "registers",
	                   "options");
	const gemp_code code = gemp_toolbox_resources(box, add_kernel, &list);
	gemp_report_set(report, "kernels", list.kernels);
	return code;
}
