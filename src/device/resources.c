#include "device/resources.h"

#include "core/memory.h"
#include "core/text.h"
#include "core/timer.h"

#include <string.h>

/* The log has for each kernel a line "Compiling entry function 'NAME'" and, some lines later, "Used N registers". */
int gemp_registers_in_log(const char *log, const char *kernel)
{
	char quoted[128];
	int registers = GEMP_REGISTERS_UNKNOWN;
	snprintf(quoted, sizeof quoted, "Compiling entry function '%s'", kernel);
	const char *begin = strstr(log, quoted), *used = begin ? strstr(begin, "Used ") : NULL;
	const char *next = begin ? strstr(begin + 1, "Compiling entry function") : NULL;
	if (used && (!next || used < next) && sscanf(used, "Used %d registers", &registers) != 1)
		return GEMP_REGISTERS_UNKNOWN;
	return registers;
}

gemp_code gemp_kernel_resources_of(gemp_kernel_resources *out, const gemp_device *device, cl_kernel kernel,
                                   const char *name, const char *log)
{
	cl_ulong local = 0, own = 0;
	*out = (gemp_kernel_resources){ .registers = log ? gemp_registers_in_log(log, name) : GEMP_REGISTERS_UNKNOWN };
	GEMP_TRY(
		GEMP_CL(clGetKernelWorkGroupInfo(kernel, device->id, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local, NULL)));
	GEMP_TRY(GEMP_CL(clGetKernelWorkGroupInfo(kernel, device->id, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof own, &own, NULL)));
	GEMP_TRY(GEMP_CL(clGetKernelWorkGroupInfo(kernel, device->id, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
	                                          sizeof out->group_multiple, &out->group_multiple, NULL)));
	out->local_memory = local;
	out->private_memory = own;
	return GEMP_CL(clGetKernelWorkGroupInfo(kernel, device->id, CL_KERNEL_WORK_GROUP_SIZE, sizeof out->max_group,
	                                        &out->max_group, NULL));
}

static gemp_code options_of(gemp_text *out, const gemp_device *device, cl_program program)
{
	GEMP_OWNED char *options = NULL;
	size_t size = 0;
	GEMP_TRY(GEMP_CL(clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_OPTIONS, 0, NULL, &size)));
	GEMP_TRY(GEMP_NEW(options, size + 1));
	GEMP_TRY(GEMP_CL(clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_OPTIONS, size, options, NULL)));
	gemp_text_print(out, "%s -cl-nv-verbose", options);
	return gemp_text_status(out);
}

/* The source is that of the file, since a program that was loaded as a binary has none. One more kernel with the time
 * in its code makes it a program that no cache has, neither of sources nor of PTX. */
static gemp_code unknown_source(gemp_text *out, const char *file)
{
	GEMP_TRY(gemp_kernel_append(out, file));
	gemp_text_print(out, "\n__kernel void gemp_compiled_at(__global ulong *time) { *time = %.0fUL; }\n",
	                1e9 * gemp_now());
	return gemp_text_status(out);
}

static gemp_code read_log(char **log, const gemp_device *device, cl_program program)
{
	size_t size = 0;
	GEMP_TRY(GEMP_CL(clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size)));
	GEMP_TRY(GEMP_NEW(*log, size + 1));
	return GEMP_CL(clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, size, *log, NULL));
}

/* A failed build yields no log and no failure, because the resources are not essential. */
gemp_code gemp_program_verbose_log(char **log, const gemp_device *device, const gemp_program *program, const char *file)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text options = { 0 }, source = { 0 };
	gemp_code code = GEMP_OK;
	cl_int error = CL_SUCCESS;
	*log = NULL;
	if (!device->nvidia)
		return GEMP_OK;
	GEMP_TRY(options_of(&options, device, program->program));
	GEMP_TRY(unknown_source(&source, file));
	const char *text = source.data;
	cl_program verbose = clCreateProgramWithSource(device->context, 1, &text, NULL, &error);
	GEMP_TRY(gemp_cl_check(error, "clCreateProgramWithSource", __FILE__, __LINE__));
	if (clBuildProgram(verbose, 1, &device->id, options.data, NULL, NULL) == CL_SUCCESS)
		code = read_log(log, device, verbose);
	clReleaseProgram(verbose);
	return code;
}
