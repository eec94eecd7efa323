/* list: the OpenCL devices of this machine. */
#ifndef GEMP_DEVICE_LIST_H
#define GEMP_DEVICE_LIST_H

#include "device/device.h"

/* As gemp_device_list, with handles: ids[i] is the device of out[i]; the caller frees both. None at all is no error. */
gemp_code gemp_device_list_ids(gemp_device_info **out, cl_device_id **ids, size_t *count);

#endif
