/* toolbox: the kernels of src/primitive on one device, each built when it is first needed, with scratch buffers and
 * timings.
 *
 * Kernels have two forms. In the form in groups, for GPUs, work-groups order tiles in local memory with the warp
 * functions of kernels/device/group.clh. In the form by items, for CPU devices, each work-item has a slab of its own.
 * Work-groups never wait for one another, except in Onesweep sorts, where a group waits for groups that began before
 * it. Arrays have at most gemp_device_max() elements, so that all indices, including those beyond the end that a
 * work-item's last step computes, fit into 32 bits. Local. */

#ifndef GEMP_PRIMITIVE_TOOLBOX_H
#define GEMP_PRIMITIVE_TOOLBOX_H

#include "core/limits.h"
#include "device/launch.h"
#include "device/program.h"
#include "device/resources.h"

/* The maximum number of elements of an array. */
static inline size_t gemp_device_max(void)
{
	return gemp_limits_now()->device_elements;
}

typedef enum gemp_form {
	GEMP_FORM_AUTO,     /* in groups on a GPU, with Onesweep on an NVIDIA GPU; by items on a CPU device */
	GEMP_FORM_GROUPS,   /* works on all devices, slowly on a CPU device: for tests */
	GEMP_FORM_ONESWEEP, /* in groups, and sorts use Onesweep */
	GEMP_FORM_ITEMS,
} gemp_form;

typedef struct gemp_toolbox gemp_toolbox;

/* Local. The device is borrowed. */
gemp_code gemp_toolbox_new(gemp_toolbox **out, gemp_device *device, gemp_form form);
/* Waits for all launches. NULL is allowed. */
void gemp_toolbox_free(gemp_toolbox *box);

/* Waits for all launches. *seconds becomes the sum of their durations since the last call, by the device's clock. */
gemp_code gemp_toolbox_seconds(gemp_toolbox *box, double *seconds);
/* Returns the seconds of building or loading programs since the last call. */
double gemp_toolbox_build_seconds(gemp_toolbox *box);

enum { GEMP_TOOLS = 48, GEMP_TOOL_KERNELS = 8, GEMP_TOOL_WARP = 32, GEMP_TOOL_OPTIONS = 256 };

/* One program: a kernel file with options. */
typedef struct gemp_tool {
	char file[32], options[GEMP_TOOL_OPTIONS];
	gemp_program program;
	cl_kernel kernels[GEMP_TOOL_KERNELS]; /* in the order of their first use */
	const char *names[GEMP_TOOL_KERNELS];
	bool stored; /* the stored binary has the work-groups that PoCL compiles at first launches */
} gemp_tool;

/* Small buffers that all operations share. */
enum { GEMP_SCRATCH_COUNTS, GEMP_SCRATCH_TOTALS, GEMP_SCRATCH_SUMS, GEMP_SCRATCH_TILES, GEMP_SCRATCHES };

struct gemp_toolbox {
	gemp_device *device; /* borrowed */
	bool groups;         /* false: the form by items */
	bool onesweep;
	unsigned cached_bits; /* a bitmap of 2^cached_bits bits fits into the device's cache; tests make this small */
	size_t sparse; /* a bitmap with up to this number of words per key is faster than sorting; tests make this large */
	gemp_tool tools[GEMP_TOOLS]; /* the newest programs */
	size_t tool_count;           /* number of programs so far */
	gemp_buffer scratch[GEMP_SCRATCHES];
	gemp_timings timings;
	double build_seconds;
};

/* Returns the work-group size of the form in groups: `wanted` on an NVIDIA GPU that allows it, otherwise one warp.
 * Returns 0 for the form by items. */
size_t gemp_tool_group(const gemp_toolbox *box, size_t wanted);

/* Gets a kernel of `file` with these options and those of the form, for groups of `group` work-items; 0: the form by
 * items. The toolbox owns the kernel. It is valid until GEMP_TOOLS other programs have been requested. */
gemp_code gemp_tool_kernel(gemp_toolbox *box, cl_kernel *out, const char *file, const char *name, size_t group,
                           const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Gets a scratch buffer of at least `size` bytes, valid until the next request with the same `which`. */
gemp_code gemp_tool_scratch(gemp_toolbox *box, int which, size_t size, gemp_buffer **out);

/* Launches groups * group work-items and counts their time. If group is 0, launches `groups` work-items, one for each
 * group. */
#define gemp_tool_launch(box, kernel, groups, group, ...)                                             \
	gemp_tool_launch_with((box), (kernel), (groups), (group), (const gemp_argument[]){ __VA_ARGS__ }, \
	                      sizeof((gemp_argument[]){ __VA_ARGS__ }) / sizeof(gemp_argument))
gemp_code gemp_tool_launch_with(gemp_toolbox *box, cl_kernel kernel, size_t groups, size_t group,
                                const gemp_argument *arguments, size_t count);

/* Launches a kernel over `count` elements, through which it steps: for (i = get_global_id(0); i < count; i +=
 * get_global_size(0)). With count 0 nothing is launched, and the kernel is not built. */
#define gemp_tool_each(box, file, name, count, ...)                                             \
	gemp_tool_each_list((box), (file), (name), (count), (const gemp_argument[]){ __VA_ARGS__ }, \
	                    sizeof((gemp_argument[]){ __VA_ARGS__ }) / sizeof(gemp_argument))
gemp_code gemp_tool_each_list(gemp_toolbox *box, const char *file, const char *name, size_t count,
                              const gemp_argument *arguments, size_t argument_count);

/* An array divided into slabs, whose length is a multiple of `tile`. A group or a work-item processes one slab. */
typedef struct gemp_slabs {
	cl_uint count, slab;
	size_t slabs;
} gemp_slabs;
gemp_slabs gemp_tool_slabs(const gemp_toolbox *box, size_t count, size_t tile, size_t slabs_a_unit);

/* Calls visit() for each kernel of the newest programs that has been used, program by program.
 * Stops at the first failure of a visit. */
typedef gemp_code gemp_tool_visit(void *self, const gemp_tool *tool, const char *kernel,
                                  const gemp_kernel_resources *resources);
gemp_code gemp_toolbox_resources(gemp_toolbox *box, gemp_tool_visit *visit, void *self);

/* A number as the argument of a kernel whose keys have this size. Numbers are little-endian, so the low half comes
 * first. */
#define GEMP_KEY_ARG(ulong_pointer, size_of_key) ((gemp_argument){ (size_of_key), (ulong_pointer) })

/* Launches with two more arguments behind the first two, or without them if values is NULL. */
gemp_code gemp_tool_launch_values(gemp_toolbox *box, cl_kernel kernel, size_t groups, size_t group,
                                  const gemp_argument *arguments, size_t count, const gemp_argument *values);

/* Returns GEMP_ENOMEM if the array has more than gemp_device_max() elements, so that callers to which the place is left
 * turn to the host. */
gemp_code gemp_tool_check(const gemp_toolbox *box, size_t count);

#endif
