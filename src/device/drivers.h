/* drivers: which OpenCL drivers the ICD loader of this process loads, and when.
 *
 * The loader loads every driver that a file in /etc/OpenCL/vendors names, at the first OpenCL call. NVIDIA's driver
 * takes 0.2 s for that (H200, 2026-11), also if only a CPU is used. The loader reads the folder in OCL_ICD_VENDORS
 * instead if that variable is set. The module makes such a folder, in the cache folder (device/cache.h), with copies of
 * the files that may name a chosen device. The folder's name has a hash of its content, so a folder never changes.
 *
 * A thread can load the drivers while the process reads a file. The drivers read the environment, so it must not change
 * meanwhile: MPI_Init changes it, and the thread is started after it. Local. */

#ifndef GEMP_DEVICE_DRIVERS_H
#define GEMP_DEVICE_DRIVERS_H

#include "device/device.h"

#include <stdbool.h>

#define GEMP_VENDORS "/etc/OpenCL/vendors"

/* Sets OCL_ICD_VENDORS so that the loader leaves out the drivers in the folder `vendors` that cannot have the devices:
 * for the text "cpu" those of vendors of GPUs, for "gpu" those for CPUs. An unknown driver is kept. Returns false and
 * changes nothing for any other text, if no driver would be left out or none kept, if there is no cache folder, or if
 * the user has set OCL_ICD_VENDORS, OPENCL_VENDOR_PATH or OCL_ICD_FILENAMES. Must be called before the first OpenCL
 * call and before other threads exist. */
bool gemp_drivers_restrict(const char *vendors, const char *devices);

/* Starts a thread that loads the drivers and finds their devices. If there is exactly one GPU, the thread also makes a
 * context for it, since this takes another 0.1 s. Does nothing after the first call. */
void gemp_drivers_preload(void);
/* True if the folder `vendors` names a driver that may have a GPU. Loads no driver. */
bool gemp_drivers_may_have_gpu(const char *vendors);
/* Returns whether there is a GPU. Loads the drivers and waits for them, unless those of GEMP_VENDORS are all for
 * CPUs. */
bool gemp_drivers_find_gpu(void);
/* Waits until the thread has ended, if there is one. Each list of devices calls it first. */
void gemp_drivers_wait(void);
/* Returns the thread's context if it is for this device; NULL: there is none. The caller releases it. */
cl_context gemp_drivers_take_context(cl_device_id id);
/* Waits for the thread and releases its context, unless that was taken. */
void gemp_drivers_end(void);

#endif
