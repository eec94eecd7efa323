/* extent_device: the same as extent, on a device; whether keys are sorted is not told. */
#ifndef GEMP_PRIMITIVE_EXTENT_DEVICE_H
#define GEMP_PRIMITIVE_EXTENT_DEVICE_H

#include "primitive/extent.h"
#include "primitive/toolbox_parts.h"

/* Waits. */
gemp_code gemp_extent_device(gemp_toolbox *box, const gemp_buffer *keys, size_t count, gemp_key_map map, gemp_extent *extent);

#endif
