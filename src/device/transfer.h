/* transfer: numbers between the host, where they may have 64 bits, and a device, where they have 32.
 *
 * They go through a few pieces of page-locked memory: threads convert into or out of some while others are under way.
 */

#ifndef GEMP_DEVICE_TRANSFER_H
#define GEMP_DEVICE_TRANSFER_H

#include "device/device.h"

/* An array of the host: one of them is set. */
typedef struct gemp_transfer_numbers {
	uint32_t *narrow;
	uint64_t *wide;
} gemp_transfer_numbers;

/* All `count` of them to the beginning of the buffer; and from place `at` of it on. Kernels that use the buffer have
 * ended. */
gemp_code gemp_transfer_upload(gemp_device *device, const gemp_buffer *to, gemp_transfer_numbers from, size_t count);
gemp_code gemp_transfer_download(gemp_device *device, const gemp_buffer *from, size_t at, gemp_transfer_numbers to,
                                 size_t count);

#endif
