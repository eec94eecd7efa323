/* tuning: launch geometry of one device, small numbers with names ("nested.lanes"), measured by `gemp-mpi bench tune`.
 *
 * The numbers are from one text file of `name = value` lines, the first of
 *   the file that GEMP_TUNING names (empty: no file at all),
 *   gemp-mpi/tuning/DEVICE.conf in XDG_CONFIG_HOME, or else in ~/.config,
 *   configs/tuning/DEVICE.conf of the source, as it was when the program was built,
 * where DEVICE is the device's name in small letters and digits, with hyphens for all other characters ("nvidia-h200").
 * If the file does not have a number, the caller's default is used. */

#ifndef GEMP_DEVICE_TUNING_H
#define GEMP_DEVICE_TUNING_H

#include "device/device.h"
#include "gemp/types.h"

/* A tunable number, a power of 2. `gemp-mpi bench tune` tries all powers of 2 from min to max. */
typedef struct gemp_tunable {
	const char *name;
	uint32_t min, max;
	bool gpu_only; /* not for CPU devices */
	/* the --pattern whose time the number changes most; NULL: `bench tune` does not try several values of the number */
	const char *probe;
	bool by_search; /* the probe is counted by search */
	const char *description;
} gemp_tunable;

/* All tunable numbers, in the order in which they are tuned. A new number is a new line of the table in tuning.c. */
const gemp_tunable *gemp_tunables(size_t *count);

/* Returns the tuned number of this device, or `otherwise` if there is none. `name` must be one of gemp_tunables(). */
uint32_t gemp_tuning(const gemp_device *device, const char *name, uint32_t otherwise);
/* Sets a number for later calls; 0 restores the caller's default. */
void gemp_tuning_set(gemp_device *device, const char *name, uint32_t value);

/* Fills the table for a device with this name. An unknown name or a value out of range is GEMP_EUSAGE; the message has
 * the line. GEMP_ENOINPUT if the file of GEMP_TUNING cannot be opened. */
gemp_code gemp_tuning_load(gemp_tuning_table *table, const char *device_name);
/* Fills the table from a text. */
gemp_code gemp_tuning_parse(gemp_tuning_table *table, const char *path, const char *text);
/* "NVIDIA H200" -> "nvidia-h200.conf" */
void gemp_tuning_file_name(char name[GEMP_TUNING_NAME], const char *device_name);

/* Should work on this number of items run on the device? device may be NULL. A `place` other than GEMP_PLACE_AUTO
 * decides alone if there is a device. Otherwise tuning is a name such as "sort.host_below", the number of items below
 * which the host is faster than the device with its copies. otherwise: this number for a GPU without a tuning file. A
 * CPU device without a tuning file is not used. */
bool gemp_use_device(const gemp_device *device, gemp_placement place, uint64_t items, const char *tuning,
                     uint32_t otherwise);

#endif
