/* resources: what a kernel needs of a compute unit, as far as the driver tells. Local. */

#ifndef GEMP_DEVICE_RESOURCES_H
#define GEMP_DEVICE_RESOURCES_H

#include "device/program.h"

enum { GEMP_REGISTERS_UNKNOWN = -1 };

typedef struct gemp_kernel_resources {
	uint64_t local_memory;   /* bytes of a work-group */
	uint64_t private_memory; /* bytes of a work-item that are not in registers, such as spilled ones */
	size_t group_multiple;   /* the size of work-groups is best a multiple of this number */
	size_t max_group;        /* maximum size of a work-group with this kernel */
	int registers;           /* of a work-item; GEMP_REGISTERS_UNKNOWN: the driver does not tell */
} gemp_kernel_resources;

/* Local memory counts the arguments of the last launch, too. log: gemp_program_verbose_log, or NULL. */
gemp_code gemp_kernel_resources_of(gemp_kernel_resources *out, const gemp_device *device, cl_kernel kernel,
                                   const char *name, const char *log);

/* Compiles the program of an embedded file once more, so that an NVIDIA driver writes the registers of each kernel to
 * its log. It writes none for a program that its cache has, so each compilation gets another source. *log becomes the
 * log, or NULL for other drivers. The caller frees it (gemp_free). */
gemp_code gemp_program_verbose_log(char **log, const gemp_device *device, const gemp_program *program,
                                   const char *file);

/* Returns the registers of a kernel in such a log, or GEMP_REGISTERS_UNKNOWN. */
int gemp_registers_in_log(const char *log, const char *kernel);

#endif
