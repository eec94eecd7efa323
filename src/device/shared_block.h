/* shared_block: memory of a device that the devices of other processes of the node read directly.
 *
 *   new -> the block's file goes to another process (comm/node_files), which imports it -> both use their buffers ->
 *   free the imported block -> free the block
 *
 * On an NVIDIA GPU a block is memory of CUDA's driver (device/cuda), imported into OpenCL
 * (cl_khr_external_memory_opaque_fd), and a copy from another GPU's block goes from GPU to GPU. Two H200s copy at 322
 * GB/s, and through a window of the host at 37. On a CPU device it is a file in memory that processes map. Other
 * devices have no blocks. A process that has written to a block finishes its queue before others read. Local. */

#ifndef GEMP_DEVICE_SHARED_BLOCK_H
#define GEMP_DEVICE_SHARED_BLOCK_H

#include "device/cuda.h"
#include "device/device.h"

typedef struct gemp_shared_block {
	gemp_device *device;
	gemp_buffer buffer;
	gemp_cuda_memory memory; /* on a GPU, of a block that this process has made */
	int file;                /* borrowed from `memory` on a GPU; -1: an imported block, or no block */
	void *mapped;            /* on a CPU device: [buffer.size] */
	bool acquired;           /* the buffer is acquired for OpenCL */
} gemp_shared_block;

/* Can this device make and import blocks, as far as the driver tells? */
bool gemp_shared_block_possible(const gemp_device *device);

/* Bytes that identify the device for gemp_shared_block_check_peers; zeros for a CPU device. */
enum { GEMP_BLOCK_DEVICE = GEMP_CUDA_UUID };
gemp_code gemp_shared_block_device(unsigned char out[GEMP_BLOCK_DEVICE], const gemp_device *device);
/* Says GEMP_ENODEVICE if the device cannot read blocks of one of the devices peers[count][GEMP_BLOCK_DEVICE]. */
gemp_code gemp_shared_block_check_peers(const gemp_device *device, const unsigned char *peers, size_t count);

/* Makes a block of at least `size` > 0 bytes. It counts against the device's memory. Any failure is a reason to do
 * without blocks: the driver may lack a call or a right. */
gemp_code gemp_shared_block_new(gemp_shared_block *out, gemp_device *device, size_t size);
/* Imports a block of `size` bytes (the buffer.size of its owner) of the same kind of device. The file, which the caller
 * owns, may be closed afterwards. */
gemp_code gemp_shared_block_import(gemp_shared_block *out, gemp_device *device, int file, size_t size);
/* {0} and a block that could not be made are allowed. No command may use the block. */
void gemp_shared_block_free(gemp_shared_block *block);

#endif
