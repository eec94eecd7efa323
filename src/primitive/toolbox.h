/* toolbox: the kernels of src/primitive on one device, each built when it is first needed, with scratch buffers and
 * timings.
 *
 * Kernels have two forms. In groups, for GPUs, work-groups exchange tiles through local memory with the warp functions
 * of kernels/device/group.clh; by items, for CPU devices, each work-item has a slab of its own. Work-groups never wait
 * for one another, except in Onesweep sorts, where a group waits for those that began before it. Arrays have at most
 * GEMP_DEVICE_MAX elements: indices have 32 bits, also those past the end that a work-item reaches with its last step.
 * Local.
 */

#ifndef GEMP_PRIMITIVE_TOOLBOX_H
#define GEMP_PRIMITIVE_TOOLBOX_H

#include "device/launch.h"
#include "device/program.h"

#define GEMP_DEVICE_MAX ((size_t)UINT32_MAX - (1u << 26))

typedef enum gemp_form {
	GEMP_FORM_AUTO,     /* in groups on a GPU, with sweeps on an NVIDIA one; by items on a CPU device */
	GEMP_FORM_GROUPS,   /* works anywhere, slowly on a CPU device: for tests */
	GEMP_FORM_ONESWEEP, /* in groups, and sorts use Onesweep */
	GEMP_FORM_ITEMS,
} gemp_form;

typedef struct gemp_toolbox gemp_toolbox;

/* Local. The device is borrowed. */
gemp_code gemp_toolbox_new(gemp_toolbox **out, gemp_device *device, gemp_form form);
/* Waits for what was launched; takes NULL. */
void gemp_toolbox_free(gemp_toolbox *box);

/* Waits; *seconds: the durations of all launches since the last call, by the device's clock. */
gemp_code gemp_toolbox_seconds(gemp_toolbox *box, double *seconds);
/* Seconds that programs took to be built or loaded since the last call. */
double gemp_toolbox_build_seconds(gemp_toolbox *box);

enum { GEMP_TOOLS = 48, GEMP_TOOL_KERNELS = 8, GEMP_TOOL_WARP = 32, GEMP_TOOL_OPTIONS = 256 };

/* One program of a kernel file. */
typedef struct gemp_tool {
	char file[32], options[GEMP_TOOL_OPTIONS];
	gemp_program program;
	cl_kernel kernels[GEMP_TOOL_KERNELS]; /* in the order of their first use */
	const char *names[GEMP_TOOL_KERNELS];
	bool stored; /* its binary holds the work-groups that PoCL compiles at first launches */
} gemp_tool;

/* Small buffers that are used again and again. */
enum { GEMP_SCRATCH_COUNTS, GEMP_SCRATCH_TOTALS, GEMP_SCRATCH_SUMS, GEMP_SCRATCH_TILES, GEMP_SCRATCHES };

struct gemp_toolbox {
	gemp_device *device; /* borrowed */
	bool groups;         /* the form */
	bool onesweep;
	unsigned cached_bits; /* of a bitmap that fits the device's cache; tests make it small */
	size_t sparse; /* up to so many bitmap words for each key a bitmap is faster than sorting; tests make it large */
	gemp_tool tools[GEMP_TOOLS]; /* the newest */
	size_t tool_count;           /* so far */
	gemp_buffer scratch[GEMP_SCRATCHES];
	gemp_timings timings;
	double build_seconds;
};

/* The work-group of the form in groups: `wanted` work-items where warps are real, else one warp. */
size_t gemp_tool_group(const gemp_toolbox *box, size_t wanted);

/* A kernel of `file` with these options and those of the form, for groups of `group` work-items (0: as the form by
 * items); The toolbox owns it, and it is valid until GEMP_TOOLS other programs were requested. */
gemp_code gemp_tool_kernel(gemp_toolbox *box, cl_kernel *out, const char *file, const char *name, size_t group,
                           const char *format, ...) __attribute__((format(printf, 6, 7)));

/* A scratch buffer of at least `size` bytes, valid until the next request for the same one. */
gemp_code gemp_tool_scratch(gemp_toolbox *box, int which, size_t size, gemp_buffer **out);

/* Launches groups * group work-items (group 0: `groups` work-items, one a group), and counts the time. */
#define gemp_tool_launch(box, kernel, groups, group, ...)                                             \
	gemp_tool_launch_with((box), (kernel), (groups), (group), (const gemp_argument[]){ __VA_ARGS__ }, \
	                      sizeof((gemp_argument[]){ __VA_ARGS__ }) / sizeof(gemp_argument))
gemp_code gemp_tool_launch_with(gemp_toolbox *box, cl_kernel kernel, size_t groups, size_t group,
                                const gemp_argument *arguments, size_t count);

/* An array cut into slabs, multiples of `tile`; each slab is one group's or one work-item's. */
typedef struct gemp_slabs {
	cl_uint count, slab;
	size_t slabs;
} gemp_slabs;
gemp_slabs gemp_tool_slabs(const gemp_toolbox *box, size_t count, size_t tile, size_t slabs_a_unit);

/* A number as argument of a kernel whose keys have this size: little-endian, so its low half comes first. */
#define GEMP_KEY_ARG(ulong_pointer, size_of_key) ((gemp_argument){ (size_of_key), (ulong_pointer) })

/* The same launch with two arguments more behind the first two; NULL: without. */
gemp_code gemp_tool_launch_values(gemp_toolbox *box, cl_kernel kernel, size_t groups, size_t group,
                                  const gemp_argument *arguments, size_t count, const gemp_argument *values);

/* GEMP_EUSAGE for arrays that are too long for a device. */
gemp_code gemp_tool_check(const gemp_toolbox *box, size_t count);

#endif
