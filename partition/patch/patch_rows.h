/* patch_rows: the new rows of a relation, merged from its old rows and the added edges. */

#ifndef GEMP_PARTITION_PATCH_PATCH_ROWS_H
#define GEMP_PARTITION_PATCH_PATCH_ROWS_H

#include "partition/build/builder_state.h"
#include "partition/patch/patch_state.h"

typedef struct gemp_row_patch {
	const gemp_patch_state *p;
	const gemp_relation *old; /* NULL if the relation is new */
	/* [own edges] nonzero: the edge is deleted; NULL: only edges of deleted vertices are deleted */
	const uint8_t *edge_actions;
	size_t added;
	const gemp_edge_pair *edges; /* [added] ends as new ids; this rank owns the sources */
	bool ordered;                /* whether the caller wants `order` */
	bool wants_keys;             /* whether the caller wants `keys` */

	uint64_t *begin;  /* [rows + 1]; the caller frees begin, out and order */
	gemp_vertex *out; /* [begin[rows]] targets, ascending in each row */
	uint64_t *order;  /* [begin[rows]] number of each edge: old edges count from 0, added edges follow all old edges */
	bool parallel;    /* whether some row has a target twice */
	bool merged;      /* few edges were added, and none was deleted */
	uint64_t *keys;   /* [added] row << 32 | target, ascending, if `merged`; the caller frees them */
} gemp_row_patch;

/* Local. The order of parallel edges is arbitrary. */
gemp_code gemp_patch_rows(gemp_row_patch *r);
/* Local. Replaces targets by their new ids. No target was deleted. */
void gemp_patch_targets(const gemp_patch_state *p, gemp_vertex *out, uint64_t count);
#endif
