/* patch_rows: the new rows of a relation, merged from the rows that it had and the edges that are added. */

#ifndef GEMP_PARTITION_PATCH_PATCH_ROWS_H
#define GEMP_PARTITION_PATCH_PATCH_ROWS_H

#include "partition/build/builder_state.h"
#include "partition/patch/patch_state.h"

typedef struct gemp_row_patch {
	const gemp_patch_state *p;
	const gemp_relation *old;    /* NULL: there was none */
	const uint8_t *edge_actions; /* [its own edges] nonzero: gone; NULL: all stay but those of vertices that go */
	size_t added;
	const gemp_edge_pair *edges; /* [added] new ids; the sources are own vertices */
	bool ordered;                /* `order` is wanted */

	uint64_t *begin;  /* [rows + 1]; these arrays are the caller's */
	gemp_vertex *out; /* [begin[rows]] ascending in a row */
	uint64_t *order;  /* which edge each is: old ones count from 0, added ones go on */
	bool parallel;    /* some row has a target twice */
} gemp_row_patch;

/* Local. Parallel edges are in any order yet. */
gemp_code gemp_patch_rows(gemp_row_patch *r);
/* Local. Targets get their new ids, where no vertex has gone. */
void gemp_patch_targets(const gemp_patch_state *p, gemp_vertex *out, uint64_t count);
#endif
