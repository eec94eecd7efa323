/* cuda: memory of an NVIDIA GPU that other processes can import, which OpenCL alone cannot make.
 *
 * The calls are those of CUDA's driver, which every NVIDIA driver contains. Its library is loaded when it is first
 * needed, so the program also runs without it. The calls that make and export memory need no CUDA context. The driver's
 * start (cuInit) takes 70 ms and delays OpenCL calls meanwhile (H200, 2026-11), so it should run on a thread while a
 * file is read. Local. */

#ifndef GEMP_DEVICE_CUDA_H
#define GEMP_DEVICE_CUDA_H

#include "device/device.h"

typedef struct gemp_cuda_memory {
	unsigned long long handle;
	int file;    /* other processes import the memory from this file; -1: no memory */
	size_t size; /* bytes, a multiple of the driver's granularity (2 MiB) */
} gemp_cuda_memory;

/* Starts the driver on a thread. Does nothing after the first call. */
void gemp_cuda_preload(void);
/* Has gemp_cuda_preload been called? Has the driver started, or failed to start? */
bool gemp_cuda_requested(void);
bool gemp_cuda_started(void);
/* Waits until the thread has ended, if there is one: the process must not end before. */
void gemp_cuda_wait(void);

/* Says GEMP_ENODEVICE if this process does not see one of the devices, peers[count][GEMP_CUDA_UUID], or if the device
 * cannot read its memory. NVIDIA's driver 580 imports memory of a GPU that CUDA_VISIBLE_DEVICES hides, and crashes when
 * it is read. */
enum { GEMP_CUDA_UUID = 16 };
gemp_code gemp_cuda_check_peers(const gemp_device *device, const unsigned char *peers, size_t count);

/* Makes at least `size` bytes in the memory of the device. GEMP_ENODEVICE if the driver cannot. */
gemp_code gemp_cuda_memory_new(gemp_cuda_memory *out, const gemp_device *device, size_t size);
/* The memory itself lives until the last process that imported it has released it. {.file = -1} is allowed. */
void gemp_cuda_memory_free(gemp_cuda_memory *memory);

#endif
