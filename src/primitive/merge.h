/* merge: merges sorted runs of keys on a device, alone or with a value for each key. Stable: of equal keys, those of
 * earlier runs are first.
 *
 * Adjacent runs are merged in pairs, so R runs take ceil(log2(R)) passes over the array. A pass reads and writes each
 * element once, like a pass of a sort over 8 bits, so few runs are merged faster than sorted. Local. */

#ifndef GEMP_PRIMITIVE_MERGE_H
#define GEMP_PRIMITIVE_MERGE_H

#include "primitive/sort.h"

/* Are `runs` runs of `count` elements in total merged faster than sorted? */
bool gemp_merge_pays(const gemp_toolbox *box, const gemp_sort *sort, size_t count, size_t runs);

/* keys[0] and values[0] have the runs, from element 0 on, and get the result; the merge may swap the buffers of a pair.
 * length[runs] are the lengths of the runs, of which some may be 0; the array is overwritten. Does not wait. */
gemp_code gemp_merge_device(gemp_toolbox *box, const gemp_sort *sort, gemp_sort_buffers *buffers, uint64_t *length,
                            size_t runs);

#endif
