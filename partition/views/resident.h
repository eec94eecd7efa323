/* resident: the rows of a set of views that this rank has on the host and on the device: its own rows, and replicas of
 * hot rows. Searches over the same views share them, so they are made and copied once.
 */

#ifndef GEMP_PARTITION_VIEWS_RESIDENT_H
#define GEMP_PARTITION_VIEWS_RESIDENT_H

#include "gemp/types.h"
#include "partition/runtime.h"
#include "partition/views/view.h"

/* The same views on another of the rank's devices. */
typedef struct gemp_resident_copy {
	const gemp_device *device;
	gemp_view *views; /* [view_count]; their host arrays belong to the first views */
} gemp_resident_copy;

typedef struct gemp_resident {
	gemp_slot_order order; /* by the degrees in all the views together */
	gemp_residency residency;
	size_t view_count;
	gemp_view *views;       /* [view_count] */
	int node_sharers;       /* ranks of this node whose memory can hold all rows once; 1: they do not share */
	bool wide;              /* some view of some rank has so many entries that positions need 64 bits on devices */
	uint64_t bytes;         /* of resident rows on this rank, or its part of those that its node shares */
	uint64_t replica_bytes; /* of those, rows of other ranks (and own hot ones) */

	gemp_resident_copy *copies;
	size_t copy_count, copy_capacity;
	gemp_runtime *context; /* where it is listed */
	const gemp_shard *graph;
	gemp_view_key *keys; /* [view_count] */
	bool *relations;     /* [view_count * graph->relation_count] of the keys */
	int64_t replicate;
	size_t users;
	struct gemp_resident *next;
} gemp_resident;

/* Collective. Gets the rows of the graph in these views, in this order; a view with edge numbers also serves a request
 * without them. Each get needs a release. While context->keep_resident is set, unused rows stay for later requests if
 * they leave half of the device free; the graph must then live until the context is freed. */
gemp_code gemp_resident_get(gemp_resident **out, gemp_runtime *context, const gemp_shard *graph,
                            const gemp_view_key *keys, size_t view_count, int64_t replicate);
/* Local. Its views, to be uploaded to one of the rank's devices. */
gemp_code gemp_resident_views(gemp_view **out, gemp_resident *resident, const gemp_device *device);
/* Ranks of this node that have its rows in common; 1: not shared. */
int gemp_resident_sharers(const gemp_resident *resident);
void gemp_resident_release(gemp_resident *resident); /* collective over the ranks of a node; takes NULL */

/* Frees the kept rows that are not in use. */
void gemp_resident_evict(gemp_runtime *context);

#endif
