/* arrays: sort and distinct of arrays on the host, computed where it is expected to be faster (device or threads), by
 * one rank or by all ranks together.
 *
 * Over ranks: each rank sorts its array, the ranks agree on cuts that divide all keys evenly, exchange the parts, and
 * each sorts what it received. The cuts are found exactly, by multi-way bisection of the key codes: each round counts
 * 255 probes for every cut in one reduction, so 32-bit keys need 4 rounds.
 */

#ifndef GEMP_PRIMITIVE_ARRAYS_H
#define GEMP_PRIMITIVE_ARRAYS_H

#include "comm/exchange.h"
#include "core/timer.h"
#include "device/tuning.h"
#include "primitive/sort.h"

/* The place of the computation and its costs: upload, kernel and download on a device, resolve on the host,
 * exchange. */
typedef struct gemp_arrays {
	gemp_toolbox *box; /* borrowed; NULL: there is no device */
	gemp_device *device;
	gemp_placement place;
	gemp_timers timers;
	gemp_traffic traffic;
	bool on_device; /* the last operation was computed there */
} gemp_arrays;

/* Local. As gemp_sort_host and gemp_distinct_host. With GEMP_PLACE_AUTO the host computes what exceeds the device's
 * memory. */
gemp_code gemp_arrays_sort(gemp_arrays *arrays, const gemp_sort *sort, void *keys, void *values, size_t count);
gemp_code gemp_arrays_distinct(gemp_arrays *arrays, gemp_key_kind kind, const void *keys, size_t count, void **out,
                               size_t *distinct);

/* Collective. The arrays of all ranks as one, in rank order, are sorted stably, and cut into equal parts: rank r of R
 * has places floor(r N / R) .. floor((r + 1) N / R) of the N, however many keys are the same. *keys[*count] and
 * *values[*count] (NULL without any) are of gemp_calloc and are replaced. */
gemp_code gemp_sort_ranks(const gemp_comm *comm, gemp_arrays *arrays, const gemp_sort *sort, void **keys, void **values,
                          size_t *count);

/* Collective. The distinct keys of all ranks' arrays in ascending order over the ranks, each on one of them: those of a
 * range of keys that holds about as many as the others. *out[*distinct] is the caller's to free (gemp_free). */
gemp_code gemp_distinct_ranks(const gemp_comm *comm, gemp_arrays *arrays, gemp_key_kind kind, const void *keys,
                              size_t count, void **out, size_t *distinct);

#endif
