/* selftest: a kernel with known answers, run once for each device and driver before real work. */
#ifndef GEMP_DEVICE_SELFTEST_H
#define GEMP_DEVICE_SELFTEST_H

#include "device/device.h"

/* Passing is remembered in the cache. GEMP_ENODEVICE if the device computes wrongly. */
gemp_code gemp_device_selftest(gemp_device *device);

#endif
