/* place: where something is computed. The answer is the same everywhere. */
#ifndef GEMP_PRIMITIVE_PLACE_H
#define GEMP_PRIMITIVE_PLACE_H

#include "device/device.h"

/* As the words of --on. */
typedef enum gemp_where {
	GEMP_PLACE_AUTO,   /* wherever it is expected to be faster */
	GEMP_PLACE_HOST,   /* on the threads of this rank (core/threads.h) */
	GEMP_PLACE_DEVICE,
} gemp_where;

/* Is work on so many items to be done on the device? device NULL: there is none. tuning: "sort.host_below" or the like
 * (device/tuning.h), the number of items below which the host is faster than this device with its copies; otherwise: of a GPU
 * that nobody has measured. A CPU device that nobody has measured leaves it to the host's threads. */
bool gemp_on_device(const gemp_device *device, gemp_where place, uint64_t items, const char *tuning, uint32_t otherwise);

#endif
