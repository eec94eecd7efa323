/* device_slots: the slots of a rank's conflict keys as numbers on its device, and which of them their owners decide.
 *
 * The owner of a slot is the rank that a hash of the slot names. Each rank sends each of its slots once to its owner,
 * with four bits that say how its keys access the slot, and the owner answers. Either the answer says whether the slot
 * is contended (gemp_device_slots_mark), or it numbers the slots that are contended among several ranks
 * (gemp_device_slots_number). The rank decides about all other slots alone, so their keys are never sent again. */

#ifndef GEMP_TRANSFORM_CONFLICTS_DEVICE_SLOTS_H
#define GEMP_TRANSFORM_CONFLICTS_DEVICE_SLOTS_H

#include "partition/runtime.h"
#include "primitive/device_exchange.h"
#include "primitive/toolbox.h"

/* The kernels of a rank's device and its exchange with the devices of the other ranks. */
typedef struct gemp_conflict_device {
	const gemp_comm *comm;
	gemp_device *device;
	gemp_toolbox *box;
	gemp_device_exchange *exchange; /* NULL: there is a single rank */
} gemp_conflict_device;

/* Collective. The devices of the runtime are open. The caller frees *out, also after an error. */
gemp_code gemp_conflict_device_new(gemp_conflict_device *out, gemp_runtime *context, gemp_form form);
/* Collective. */
void gemp_conflict_device_free(gemp_conflict_device *device);

/* Local. Launches a kernel over `count` elements, without waiting. */
#define gemp_conflict_launch(device, file, name, count, ...)                                             \
	gemp_conflict_launch_with((device), (file), (name), (count), (const gemp_argument[]){ __VA_ARGS__ }, \
	                          sizeof((gemp_argument[]){ __VA_ARGS__ }) / sizeof(gemp_argument))
gemp_code gemp_conflict_launch_with(const gemp_conflict_device *device, const char *file, const char *name,
                                    size_t count, const gemp_argument *arguments, size_t argument_count);
/* Local. Makes a buffer, which has room for one element also if count is 0. With `zero` all bytes are 0. */
gemp_code gemp_conflict_buffer(const gemp_conflict_device *device, gemp_buffer *out, size_t count, size_t size,
                               bool zero);

/* Slots are less than 2^60, so that a message of 8 bytes has a slot and how keys access it. */
enum { GEMP_DEVICE_SLOT_BITS = 60 };

/* Local. Returns whether so many keys on this rank, and on average on all ranks, fit on its device with all arrays that
 * their resolution needs, besides `bytes`. */
bool gemp_device_slots_fit(const gemp_comm *comm, const gemp_device *device, uint64_t keys, uint64_t average,
                           uint64_t bytes);

typedef struct gemp_device_slots {
	uint32_t count;         /* number of slots of this rank */
	uint32_t shared;        /* the slots below it are decided by their owners */
	uint32_t owned;         /* number of slots about which this rank decides for all ranks */
	gemp_buffer owner_slot; /* u32 [shared] the number of each slot at its owner; slots are in the order of owners */
	gemp_buffer bounds;     /* u32 [ranks + 1] the first slot of each owner */
	gemp_buffer states;     /* u32 [entries] gemp_device_slots_mark: the state of each slot (conflict_rounds_abi.h) */
} gemp_device_slots;

/* Collective. Replaces the slots of keys[count] on the device by indices of `states`, which become those of all
 * ranks. The result is a code of this rank alone. The caller frees *out, also after an error. code: the result of the
 * caller's earlier steps on this rank. */
gemp_code gemp_device_slots_mark(gemp_device_slots *out, const gemp_conflict_device *device, gemp_code code,
                                 const gemp_buffer *keys, size_t count);
/* Collective. Replaces the slots of the keys by numbers below out->count. Otherwise the same. */
gemp_code gemp_device_slots_number(gemp_device_slots *out, const gemp_conflict_device *device, gemp_code code,
                                   const gemp_buffer *keys, size_t count);
void gemp_device_slots_free(gemp_device_slots *slots, gemp_device *device);

#endif
