/* resident: the rows of a set of views that this rank has on the host and on the device. They are the rank's own rows
 * and replicas of hot rows, which have the highest degrees. Searches over the same views share these rows, so the rows
 * are made and copied once.
 *
 * If all ranks are on one node and the graph does not fit on their devices, all rows are resident on the host, in one
 * copy that the ranks share. Searches then take the rows of each round from there (match/exchange/pull.h). */

#ifndef GEMP_PARTITION_VIEWS_RESIDENT_H
#define GEMP_PARTITION_VIEWS_RESIDENT_H

#include "gemp/types.h"
#include "partition/patch/patch.h"
#include "partition/runtime.h"
#include "partition/views/view.h"

/* A number of bytes for replicas, beside those of gemp/types.h: as GEMP_REPLICATE_AUTO, but without rows on the host
 * that do not fit on a device. Push needs it: what a rank has is also on its device. */
enum { GEMP_REPLICATE_ON_DEVICE = -3 };

/* The same views on another of the rank's devices. */
typedef struct gemp_resident_copy {
	const gemp_device *device;
	gemp_view *views; /* [view_count] their host arrays belong to the views of the first device */
} gemp_resident_copy;

typedef struct gemp_resident {
	gemp_slot_order order; /* slots by the degrees in all views together */
	gemp_residency residency;
	size_t view_count;
	gemp_view *views; /* [view_count] */
	int node_sharers; /* ranks of this node that may share one copy of all rows; 1: no sharing */
	bool rounds;      /* all rows are resident only because the ranks share them on the host; devices need rounds */
	bool wide;        /* some view of some rank has so many entries that positions need 64 bits on devices */
	uint64_t bytes;   /* bytes of the resident rows; of shared rows only this rank's part */
	uint64_t replica_bytes; /* the bytes of the hot rows among these, which include the rank's own hot rows */

	gemp_resident_copy *copies;
	size_t copy_count, copy_capacity;
	gemp_runtime *context; /* the runtime whose list has this entry */
	const gemp_shard *graph;
	gemp_view_key *keys; /* [view_count] */
	bool *relations;     /* [view_count][graph->relation_count] relations of the keys */
	int64_t replicate;
	bool on_host; /* made by gemp_resident_on_host */
	bool by_id;   /* the order numbers vertices by ids, not by degrees */
	size_t users;
	struct gemp_resident *next;
} gemp_resident;

/* Collective. Gets the resident rows of the graph in these views, in this order. A view with edge numbers also serves a
 * request without edge numbers. Each gemp_resident_get needs a gemp_resident_release. While context->keep_resident is
 * set, unused rows stay for later requests, unless new rows need their memory (half of a device's memory is for rows).
 * The graph must then outlive the context. Unless replicas are chosen by memory (GEMP_REPLICATE_AUTO), no device need
 * be open. */
gemp_code gemp_resident_get(gemp_resident **out, gemp_runtime *context, const gemp_shard *graph,
                            const gemp_view_key *keys, size_t view_count, int64_t replicate);
/* Collective. Gets all rows of the graph in these views on the host, without asking a device. by_id: slots are ids;
 * otherwise they are by degrees, and rows that gemp_resident_get made with all rows serve as well. */
gemp_code gemp_resident_on_host(gemp_resident **out, gemp_runtime *context, const gemp_shard *graph,
                                const gemp_view_key *keys, size_t view_count, bool by_id);
/* Local. Gets the views for one of the rank's devices. The caller uploads them. */
gemp_code gemp_resident_views(gemp_view **out, gemp_resident *resident, const gemp_device *device);
/* Local. Copies rows that only the device has to the host. */
gemp_code gemp_resident_to_host(gemp_resident *resident);
/* Returns the number of ranks of this node that share the rows; 1: no sharing. */
static inline int gemp_resident_sharers(const gemp_resident *resident)
{
	return resident->view_count && resident->views[0].shared.bytes ? resident->views[0].shared.ranks : 1;
}
void gemp_resident_release(gemp_resident *resident); /* collective over the ranks of a node; takes NULL */

/* Collective, after a patch with gemp_patch.want_growth has made `graph` of the graph `before`, a freed address. Rows
 * whose relations have not changed now belong to `graph`. On a single rank, rows to which few edges or vertices were
 * added are merged with them, on the host and on its device (view_growth.h). All other rows are freed, so that the next
 * request makes them. No row may be in use. */
gemp_code gemp_resident_follow(gemp_runtime *context, const gemp_shard *before, gemp_shard *graph,
                               const gemp_patch_result *patched);
/* Local. Takes the rows off the list and frees them. */
void gemp_resident_free(gemp_resident *resident);
/* Returns the bytes of the first `rows` rows. If ranks share the rows, returns this rank's part. */
uint64_t gemp_resident_view_bytes(const gemp_view *view, size_t rows);
/* Frees all kept rows that are not in use. */
void gemp_resident_evict(gemp_runtime *context);

#endif
