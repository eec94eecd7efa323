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

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gemp_device gemp_device;

enum { GEMP_MAX_TUNINGS = 32, GEMP_TUNING_NAME = 128 };

/* One number there is, a power of 2; `gemp-mpi bench tune` tries all from least to most. */
typedef struct gemp_tunable {
	const char *name;
	uint32_t least, most;
	bool gpu_only;     /* CPU devices have no choice */
	const char *probe; /* --pattern whose time it changes most; NULL: no launch geometry, but a
	                      size that command/bench_places.h measures */
	bool one_by_one;   /* and that is counted by search */
	const char *what;
} gemp_tunable;

/* In the order in which they are tuned. A new number is a line there, in tuning.c. */
const gemp_tunable *gemp_tunables(size_t *count);

typedef struct gemp_tuning_table {
	uint32_t values[GEMP_MAX_TUNINGS]; /* as gemp_tunables(); 0: not given */
	char source[256];                  /* file they came from; "": none */
} gemp_tuning_table;

/* What is known of this device; `name` must be one of gemp_tunables(). */
uint32_t gemp_tuning(const gemp_device *device, const char *name, uint32_t otherwise);
/* From now on; 0: the caller's default again. */
void gemp_tuning_set(gemp_device *device, const char *name, uint32_t value);

/* Fills the table of a device of this name. Unknown names and values out of range are GEMP_EUSAGE, with the line. */
gemp_code gemp_tuning_load(gemp_tuning_table *table, const char *device_name);
/* The same from a text. */
gemp_code gemp_tuning_parse(gemp_tuning_table *table, const char *path, const char *text);
/* "NVIDIA H200" -> "nvidia-h200.conf" */
void gemp_tuning_file_name(char name[GEMP_TUNING_NAME], const char *device_name);

#endif
