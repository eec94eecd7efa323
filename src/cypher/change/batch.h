/* batch: the changes of a query on their way to a patch. Internal to change/.
 *
 *   survey.c   rank 0: numbers of created elements, and the settings in groups by name
 *   header.c   the shape of the patch, which rank 0 sends to all ranks: columns, label sets, types, deleted nodes
 *   fill.c     rows and values, which rank 0 sends to the owners of their elements
 *   apply.c    the check of deleted nodes, the patch, and the new ids
 *
 * Settings of nodes are one group. Those of relationships are in a group for each relation of the graph, then in a
 * group for each type of created relationships. */

#ifndef GEMP_CYPHER_CHANGE_BATCH_H
#define GEMP_CYPHER_CHANGE_BATCH_H

#include "cypher/change/change.h"
#include "partition/exchange/value_exchange.h"
#include "partition/patch/patch.h"
#include "partition/runtime.h"

/* One setting of a record that becomes part of the patch. */
typedef struct gemp_cypher_use {
	uint32_t record, setting;
} gemp_cypher_use;

/* The nodes or the relationships of a change, on rank 0. A cell is group * names + name. */
typedef struct gemp_cypher_survey {
	gemp_cypher_records *all;
	uint8_t *alive;   /* [all->count] the element stays or is created */
	uint32_t *number; /* [all->count] of a created element that is alive: among those of its group */
	uint32_t *group;  /* [all->count] */
	size_t groups, names;
	uint64_t *begin;       /* [groups * names + 1] */
	uint8_t *types;        /* [groups * names] bits 1 << gemp_type of the values that are not NULL */
	gemp_cypher_use *uses; /* [begin[groups * names]] by cell */
} gemp_cypher_survey;

/* New values of one column: of vertices, or of the edges of a relation. */
typedef struct gemp_cypher_entry {
	uint64_t relation, column;
	size_t name; /* rank 0: number of the name */
} gemp_cypher_entry;

typedef struct gemp_cypher_batch {
	gemp_runtime *context;
	gemp_shard *graph;
	gemp_cypher_change *change; /* NULL on ranks other than 0 */
	gemp_edge_owners owners;
	gemp_patch patch;
	/* rank 0 */
	gemp_cypher_survey nodes, relationships;
	size_t type_count;
	uint32_t *type_names;   /* [type_count] names of the types of created relationships */
	uint64_t dropped_edges; /* created relationships that went with a node */
	bool wants_edges;       /* rows have relationships */
	/* all ranks */
	uint64_t new_nodes; /* of all ranks; node i goes to rank i / nodes_per_rank */
	uint64_t nodes_per_rank;
	bool relabels, deletes_edges;
	bool renumbers_edges; /* relationships in rows need new ids */
	size_t deleted_count;
	uint64_t *deleted; /* [deleted_count] 2 * id of a deleted vertex + (1: with all its edges) */
	size_t vertex_entries, edge_entries;
	gemp_cypher_entry *entries; /* [vertex_entries + edge_entries] */
	char **types;               /* [patch.added_edge_count] owned */
} gemp_cypher_batch;

void gemp_cypher_batch_free(gemp_cypher_batch *batch);

/* Rank 0, local. GEMP_EUSAGE if a deleted node keeps a created relationship. */
gemp_code gemp_cypher_batch_survey(gemp_cypher_batch *batch);
/* Collective. code: the result of the survey on rank 0. */
gemp_code gemp_cypher_batch_header(gemp_cypher_batch *batch, gemp_code code);
/* Collective. */
gemp_code gemp_cypher_batch_fill(gemp_cypher_batch *batch);

extern const char gemp_cypher_still_attached[];

#endif
