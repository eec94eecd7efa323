/* choose: which of a machine's devices a --devices text means. */
#ifndef GEMP_DEVICE_CHOOSE_H
#define GEMP_DEVICE_CHOOSE_H

#include "device/device.h"

/* chosen[0..*chosen_count), room for `count`, gets indices into devices, each once, in the order of the text, and of
 * one word in PCI order (see gemp_device_choose_one). A part that fits no device is GEMP_ENODEVICE, with what there is. */
gemp_code gemp_device_choose(const char *spec, const gemp_device_info *devices, size_t count, size_t *chosen,
                             size_t *chosen_count);

/* Does the text list devices one by one, or say all? */
bool gemp_device_shares_out(const char *spec);
/* Of `chosen` devices those of the node_rank-th of node_size ranks of a machine, *count from *first on: neighbouring ones,
 * shared out evenly, if the text says so and they are more than the ranks; else one, in turn. */
void gemp_device_share(const char *spec, size_t chosen, int node_rank, int node_size, size_t *first, size_t *count);

#endif
