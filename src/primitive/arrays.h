/* arrays: sort and distinct of arrays on the host, by one rank or by all ranks together. The device or the host's
 * threads compute, whichever is expected to be faster.
 *
 * Over ranks, each rank sorts its array, the ranks agree on cuts that divide all keys evenly and exchange the parts,
 * and each rank sorts the elements that it has received. The cuts are found exactly, by multi-way bisection of the key
 * codes: each round counts 255 probes for every cut in one reduction, so 32-bit keys need at most 5 rounds. */

#ifndef GEMP_PRIMITIVE_ARRAYS_H
#define GEMP_PRIMITIVE_ARRAYS_H

#include "comm/exchange.h"
#include "core/timer.h"
#include "device/tuning.h"
#include "primitive/sort.h"

/* The place of the computation, and its costs: the phases upload, kernel and download on a device, resolve on the host,
 * and exchange. */
typedef struct gemp_arrays {
	gemp_toolbox *box; /* borrowed; NULL if there is no device */
	gemp_device *device;
	gemp_placement place;
	gemp_timers timers;
	gemp_traffic traffic;
	bool on_device; /* the last operation was computed on the device */
} gemp_arrays;

/* Local. Same results as gemp_sort_host and gemp_distinct_host. With GEMP_PLACE_AUTO the host computes if the device's
 * memory does not suffice. */
gemp_code gemp_arrays_sort(gemp_arrays *arrays, const gemp_sort *sort, void *keys, void *values, size_t count);
gemp_code gemp_arrays_distinct(gemp_arrays *arrays, gemp_key_kind kind, const void *keys, size_t count, void **out,
                               size_t *distinct);

/* Collective. Sorts the arrays of all ranks stably, as one array in rank order, and divides the result into equal
 * parts: of N elements, rank r of R gets positions from floor(r N / R) to floor((r + 1) N / R), regardless of equal
 * keys. *keys[*count] and *values[*count] (NULL without values) are blocks of gemp_calloc and are replaced. */
gemp_code gemp_sort_ranks(const gemp_comm *comm, gemp_arrays *arrays, const gemp_sort *sort, void **keys, void **values,
                          size_t *count);

/* Collective. Finds the distinct keys of all ranks' arrays. Each rank gets the keys of one range, in ascending order of
 * ranks, and the ranges hold about equally many keys. The caller frees *out[*distinct] (gemp_free). */
gemp_code gemp_distinct_ranks(const gemp_comm *comm, gemp_arrays *arrays, gemp_key_kind kind, const void *keys,
                              size_t count, void **out, size_t *distinct);

#endif
