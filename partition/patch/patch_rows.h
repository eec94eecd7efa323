/* patch_rows: the new rows of a relation, merged from the rows that it had and the edges that are added. */

#ifndef GEMP_PARTITION_PATCH_PATCH_ROWS_H
#define GEMP_PARTITION_PATCH_PATCH_ROWS_H

#include "partition/build/builder_state.h"
#include "partition/patch/patch_state.h"

typedef struct gemp_row_patch {
	const gemp_patch_state *p;
	const gemp_relation *old;    /* NULL: the relation is new */
	const uint8_t *edge_actions; /* [own edges] nonzero: deleted; NULL: only edges of deleted vertices are deleted */
	size_t added;
	const gemp_edge_pair *edges; /* [added] new ids; the sources are own vertices */
	bool ordered;                /* the caller wants `order` */

	uint64_t *begin;  /* [rows + 1]; these arrays are the caller's */
	gemp_vertex *out; /* [begin[rows]] ascending in a row */
	uint64_t *order;  /* the number of each edge: old edges count from 0, added edges follow */
	bool parallel;    /* a row has a target twice */
} gemp_row_patch;

/* Local. The order of parallel edges is arbitrary. */
gemp_code gemp_patch_rows(gemp_row_patch *r);
/* Local. Replaces targets by their new ids; none of them was deleted. */
void gemp_patch_targets(const gemp_patch_state *p, gemp_vertex *out, uint64_t count);
#endif
