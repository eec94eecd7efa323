/* toolbox: the kernels of this room on one device, each built when it is first needed.
 *
 * They have two forms. In groups, for GPUs, work-groups exchange a tile through local memory, with the warp functions of
 * kernels/group.clh; by items, for CPU devices, each work-item has a slab for itself. In neither does a work-group wait for
 * another one, but for sorts in sweeps, where it waits for those that began before it. Arrays have at most
 * GEMP_DEVICE_MOST elements on a device: numbers of elements have 32 bits there, also those past the end that a work-item comes
 * to with its last step.
 */
#ifndef GEMP_PRIMITIVE_TOOLBOX_H
#define GEMP_PRIMITIVE_TOOLBOX_H

#include "device/device.h"
#include "device/laps.h"

#define GEMP_DEVICE_MOST ((size_t)UINT32_MAX - (1u << 26))

typedef enum gemp_form {
	GEMP_FORM_AUTO,   /* in groups on a GPU, with sweeps on an NVIDIA one; by items on a CPU device */
	GEMP_FORM_GROUPS, /* works anywhere, slowly on a CPU device: for tests */
	GEMP_FORM_SWEEPS, /* in groups, and sorts are in sweeps (sweep_device.h) */
	GEMP_FORM_ITEMS,
} gemp_form;

typedef struct gemp_toolbox gemp_toolbox;

/* Local. The device is borrowed. */
gemp_code gemp_toolbox_new(gemp_toolbox **out, gemp_device *device, gemp_form form);
/* Waits for what was launched; takes NULL. */
void gemp_toolbox_free(gemp_toolbox *box);

/* Waits, and tells how long the device has worked on launches since the last call, by its own clock. */
gemp_code gemp_toolbox_seconds(gemp_toolbox *box, double *seconds);
/* Seconds that programs took to be built or loaded since the last call. */
double gemp_toolbox_build_seconds(gemp_toolbox *box);

#endif
