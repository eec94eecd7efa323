/* choose: which of a machine's devices a --devices text means. */
#ifndef GEMP_DEVICE_CHOOSE_H
#define GEMP_DEVICE_CHOOSE_H

#include "device/device.h"

/* chosen[0..*chosen_count), room for `count`, gets indices into devices, each once, in the order of the text, and of
 * one word in PCI order (see gemp_device_choose_one). A part that fits no device is GEMP_ENODEVICE, with what there is. */
gemp_code gemp_device_choose(const char *spec, const gemp_device_info *devices, size_t count, size_t *chosen,
                             size_t *chosen_count);

#endif
