/* vertex_degrees_device: edges of one rank counted at their targets, on a device. */
#ifndef GEMP_TOPOLOGY_VERTEX_DEGREES_DEVICE_H
#define GEMP_TOPOLOGY_VERTEX_DEGREES_DEVICE_H

#include "topology/vertex_degrees.h"

/* Not for 2^32 edges or more. */
bool gemp_vertex_degrees_choose_device(const gemp_device *device, const gemp_csr *csr, size_t count, gemp_where place);

/* Adds to in[], and fills in on_device, seconds and transfers. All edges lead to own vertices. */
gemp_code gemp_vertex_degrees_on_device(gemp_vertex_degrees *out, gemp_device *device, const gemp_csr *csr,
                                        size_t count);

#endif
