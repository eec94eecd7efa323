/* arrays_ranks: sort and distinct of the arrays of all ranks, by the devices or the hosts of all ranks. Collective.
 *
 * Each rank sorts its keys, the ranks agree on cuts that divide all keys (primitive/cuts.h) and exchange the parts, and
 * each rank sorts the elements that it has received (sample sort with exact cuts). On devices the elements are uploaded
 * once and downloaded once: between devices they move by primitive/device_exchange. Either all ranks compute on their
 * devices or all compute on their hosts. */

#ifndef GEMP_PRIMITIVE_ARRAYS_RANKS_H
#define GEMP_PRIMITIVE_ARRAYS_RANKS_H

#include "primitive/arrays.h"

/* Collective. Sorts the arrays of all ranks stably, as one array in rank order, and divides the result into equal
 * parts: of N elements, rank r of R gets positions from floor(r N / R) to floor((r + 1) N / R), regardless of equal
 * keys. *keys[*count] and *values[*count] (NULL without values) are blocks of gemp_calloc and are replaced. */
gemp_code gemp_sort_ranks(const gemp_comm *comm, gemp_arrays *arrays, const gemp_sort *sort, void **keys, void **values,
                          size_t *count);

/* Collective. Finds the distinct keys of all ranks' arrays. Each rank gets the keys of one range, in ascending order of
 * ranks, and the ranges hold about equally many keys. The caller frees *out[*distinct] (gemp_free). If out is NULL, the
 * keys are only counted. */
gemp_code gemp_distinct_ranks(const gemp_comm *comm, gemp_arrays *arrays, gemp_key_kind kind, const void *keys,
                              size_t count, void **out, size_t *distinct);

#endif
