/* device_choice: whether all ranks work on their devices, or all of them on their hosts. An engine whose ranks exchange
 * data needs one answer, since the kernels and the exchanges of both forms do not match. */

#ifndef GEMP_PRIMITIVE_DEVICE_CHOICE_H
#define GEMP_PRIMITIVE_DEVICE_CHOICE_H

#include "comm/comm.h"
#include "device/tuning.h"

/* Collective. Like gemp_use_device, with the same answer on all ranks. The rank with the most items decides about the
 * seconds, so `items` is compared as the maximum over the ranks. If one rank has no device or its tuning prefers the
 * host, all ranks work on their hosts. place, tuning and otherwise are the same on all ranks; device may be NULL. */
bool gemp_use_all_devices(const gemp_comm *comm, const gemp_device *device, gemp_placement place, uint64_t items,
                          const char *tuning, uint32_t otherwise);

#endif
