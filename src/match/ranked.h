/* ranked: the order of the user's keys, for choosing among embeddings of one class.
 *
 * --distinct subgraph and vertices keep the embedding with the smallest tuple of keys, and a class can span orbits. Before
 * deduplication a sink writes each match in ranks of keys, smallest within its orbit; another behind it writes ids again.
 * Price: 8 bytes a vertex on each rank's host, only when rows of those senses are listed.
 */
#ifndef GEMP_MATCH_RANKED_H
#define GEMP_MATCH_RANKED_H

#include "graph/table.h"
#include "partition/context.h"
#include "pattern/symmetry.h"

typedef struct gemp_ranked {
	uint32_t *rank_of;  /* [vertices] by id */
	gemp_vertex *id_of; /* [vertices] by rank of key */
} gemp_ranked;

/* Collective. */
gemp_code gemp_ranked_new(gemp_ranked *out, const gemp_comm *comm, gemp_graph *graph);
void gemp_ranked_free(gemp_ranked *ranked);

/* All borrowed. chain: of the whole tuple, for the smallest embedding of an orbit. */
gemp_code gemp_to_ranks(gemp_sink *out, const gemp_ranked *ranked, const gemp_chain *chain, gemp_sink *next);
gemp_code gemp_from_ranks(gemp_sink *out, const gemp_ranked *ranked, gemp_sink *next);

#endif
