/* reverse_device: rows by target, on a device. */
#ifndef GEMP_TOPOLOGY_REVERSE_DEVICE_H
#define GEMP_TOPOLOGY_REVERSE_DEVICE_H

#include "topology/reverse.h"

/* Not for 2^32 edges or more. */
bool gemp_reverse_choose_device(const gemp_device *device, const gemp_csr *csr, gemp_where place);

/* Fills in the arrays of `out`, which have room, on_device, seconds and transfers. */
gemp_code gemp_reverse_on_device(gemp_reversed *out, const gemp_csr *csr, gemp_device *device);

#endif
