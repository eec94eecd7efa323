/* tuning: launch geometry of one device, small numbers with names ("nested.lanes"), measured by `gemp-mpi bench tune`.
 *
 * They come from one text file of `name = value` lines, the first of
 *   the file that GEMP_TUNING names (empty: none at all),
 *   gemp-mpi/tuning/DEVICE.conf in XDG_CONFIG_HOME, or else in ~/.config,
 *   configs/tuning/DEVICE.conf of the source, as it was when the program was built,
 * where DEVICE is the device's name in small letters and digits, anything else a hyphen ("nvidia-h200"). What the file
 * does not name is the caller's default.
 */

#ifndef GEMP_DEVICE_TUNING_H
#define GEMP_DEVICE_TUNING_H

#include "device/device.h"
#include "gemp/types.h"

/* A tunable number, a power of 2; `gemp-mpi bench tune` tries all powers from min to max. */
typedef struct gemp_tunable {
	const char *name;
	uint32_t min, max;
	bool gpu_only;     /* CPU devices have no choice */
	const char *probe; /* --pattern whose time it changes most; NULL: no launch geometry, but a
	                      size that gemp-mpi bench tune measures */
	bool by_search;    /* and that is counted by search */
	const char *description;
} gemp_tunable;

/* In the order in which they are tuned. A new number is a line there, in tuning.c. */
const gemp_tunable *gemp_tunables(size_t *count);

/* The tuned number of this device, or `otherwise` without one; `name` must be one of gemp_tunables(). */
uint32_t gemp_tuning(const gemp_device *device, const char *name, uint32_t otherwise);
/* From now on; 0: the caller's default again. */
void gemp_tuning_set(gemp_device *device, const char *name, uint32_t value);

/* Fills the table of a device of this name. Unknown names and values out of range are GEMP_EUSAGE, with the line. */
gemp_code gemp_tuning_load(gemp_tuning_table *table, const char *device_name);
/* The same from a text. */
gemp_code gemp_tuning_parse(gemp_tuning_table *table, const char *path, const char *text);
/* "NVIDIA H200" -> "nvidia-h200.conf" */
void gemp_tuning_file_name(char name[GEMP_TUNING_NAME], const char *device_name);

/* Is work on so many items faster on the device? device may be NULL. tuning: a name such as "sort.host_below", the
 * number of items below which the host is faster than this device with its copies; otherwise: this number for a GPU
 * without a tuning file. A CPU device without a tuning file is not used. */
bool gemp_use_device(const gemp_device *device, gemp_placement place, uint64_t items, const char *tuning,
                     uint32_t otherwise);

#endif
