/* apply: makes the changes of a query a part of the graph, on all ranks. */

#ifndef GEMP_CYPHER_CHANGE_APPLY_H
#define GEMP_CYPHER_CHANGE_APPLY_H

#include "cypher/change/change.h"
#include "cypher/clause/table.h"
#include "partition/runtime.h"

/* The tables of a query whose rows outlive a patch, innermost first. */
typedef struct gemp_cypher_live_table {
	gemp_cypher_table *table;
	struct gemp_cypher_live_table *outer;
} gemp_cypher_live_table;

/* The elements in the rows of a query, on rank 0, and their ids after a patch. */
typedef struct gemp_cypher_element_ids {
	size_t count, capacity;
	uint64_t *old; /* [count] ascending, distinct */
	uint64_t *new; /* [count] */
} gemp_cypher_element_ids;

typedef struct gemp_cypher_row_ids {
	gemp_cypher_element_ids nodes, relationships;
} gemp_cypher_row_ids;
void gemp_cypher_row_ids_free(gemp_cypher_row_ids *ids);

/* Rank 0, before the patch: lists the elements of the rows, and makes ghosts of those that are deleted. */
gemp_code gemp_cypher_row_ids_new(gemp_cypher_row_ids *ids, gemp_cypher_change *change,
                                  const gemp_cypher_live_table *tables);
/* Rank 0, after the patch: gives the elements in the rows their new ids. */
gemp_code gemp_cypher_row_ids_replace(const gemp_cypher_row_ids *ids, const gemp_cypher_live_table *tables);

/* Collective. change and ids are NULL on ranks other than 0. The search of the graph must be freed before. *graph
 * becomes the graph with the changes, which are forgotten; after an error it can only be freed. GEMP_EUSAGE if a node
 * that was deleted without DETACH still has relationships. */
gemp_code gemp_cypher_change_apply(gemp_cypher_change *change, gemp_runtime *context, gemp_shard **graph,
                                   gemp_cypher_row_ids *ids);

#endif
