/* common: memory that the ranks of a node have in common, through which tuples go from GPU to GPU: each writes what leaves it
 * there, a part at a time, while the others read the part before. Kept from shuffle to shuffle: its pages are locked, which takes
 * longer than a shuffle. */
#ifndef GEMP_SHUFFLE_COMMON_H
#define GEMP_SHUFFLE_COMMON_H

#include "comm/exchange.h"
#include "comm/shared.h"
#include "device/readback.h"

enum { GEMP_SHUFFLE_PART = 32 << 20 };

typedef struct gemp_shuffle_common {
	char *bytes; /* [ranks][2][part]; NULL: without */
	size_t part;
	gemp_shared shared;
	gemp_locked pinned;
} gemp_shuffle_common;

/* Collective. Without it if ranks are on several nodes or there is one, if one has no GPU (and it is not forced, for tests), or if
 * there is no room: then tuples go by MPI. part: bytes. To be freed before the device is closed. */
void gemp_shuffle_common_new(gemp_shuffle_common *out, const gemp_comm *comm, gemp_device *device, size_t part, bool forced);
/* Collective. Takes one that is without. */
void gemp_shuffle_common_free(gemp_shuffle_common *common);

/* Collective; not without. Elements of `size` bytes, in the order of the ranks that they are for, to buffers in which they are in
 * the order of those that they are from: counts[r * ranks + to] are rank r's for rank `to`. A rank's own are left out, in both.
 * What was enqueued before has ended. A failure of any rank is one of all. */
gemp_code gemp_shuffle_common_pass(const gemp_shuffle_common *common, const gemp_comm *comm, gemp_device *device,
                                   const gemp_buffer *from, const gemp_buffer *to, const uint64_t *counts, size_t size,
                                   gemp_traffic *traffic);

#endif
