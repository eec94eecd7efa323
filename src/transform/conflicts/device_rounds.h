/* device_rounds: conflict resolution on the devices of all ranks. Each rank keeps the keys of its matches on its
 * device.
 *
 * In each round a rank sends the smallest priority of its undecided matches once for each access to a slot that is
 * contended among several ranks, and the bits of newly selected matches once. The owner of the slot answers with the
 * smallest priority of a conflicting access among all ranks. When no rank has a message any more, the ranks decide
 * about their remaining matches alone. Decisions and rounds are those of gemp_conflict_rounds_host. */

#ifndef GEMP_TRANSFORM_CONFLICTS_DEVICE_ROUNDS_H
#define GEMP_TRANSFORM_CONFLICTS_DEVICE_ROUNDS_H

#include "transform/conflicts/device_slots.h"
#include "transform/conflicts/rounds.h"

/* Local. Returns whether the arrays of so many matches and keys fit (gemp_device_slots_fit). */
bool gemp_device_rounds_fit(const gemp_comm *comm, const gemp_device *device, uint64_t matches, uint64_t keys,
                            uint64_t average_keys);

/* Collective. Decides about all matches of all ranks. code: the result of the caller's earlier steps on this rank. */
gemp_code gemp_device_rounds_run(const gemp_conflict_device *device, gemp_code code, gemp_conflict_rounds *problem,
                                 uint64_t *rounds);

/* Collective. Selects the undecided matches whose slots are not contended. *left becomes the number of the other
 * undecided matches of this rank. The result is a code of all ranks. */
gemp_code gemp_device_uncontended(const gemp_conflict_device *device, const gemp_conflict_keys *conflict_keys,
                                  uint8_t *decisions, uint64_t *left);

#endif
