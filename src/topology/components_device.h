/* components_device: components of the rows of one rank, on a device. */

#ifndef GEMP_TOPOLOGY_COMPONENTS_DEVICE_H
#define GEMP_TOPOLOGY_COMPONENTS_DEVICE_H

#include "device/tuning.h"
#include "topology/component_result.h"
#include "topology/csr.h"

bool gemp_components_choose_device(const gemp_device *device, const gemp_csr *csr, size_t count, gemp_placement place);

/* Fills in component[], tree[] (in no order), on_device, seconds and transfers. All edges lead to own vertices. */
gemp_code gemp_components_on_device(gemp_components *out, gemp_device *device, const gemp_csr *csr, size_t count,
                                    bool tree);

#endif
