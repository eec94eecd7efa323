/* match_order: an order of the matches of all ranks that depends neither on ids nor on ranks.
 *
 * A match is identified by a tuple of numbers: ranks of the keys of its vertices, positions of its edges among the
 * edges of a vertex. Tuples are compared number by number, and equal tuples stand for the same match. Rank r is
 * responsible for a range of first numbers, sorts the tuples that it receives and returns their positions.
 */

#ifndef GEMP_TRANSFORM_CONFLICTS_MATCH_ORDER_H
#define GEMP_TRANSFORM_CONFLICTS_MATCH_ORDER_H

#include "match/filter/element_values.h"
#include "pattern/model/rule.h"
#include "query/rows/frame.h"

/* The tuples of this rank's matches: tuples[count * width], width >= 1. */
typedef struct gemp_match_keys {
	size_t count, width;
	uint64_t *tuples;
	uint64_t bound; /* most first numbers lie below it; it spreads them over the ranks */
} gemp_match_keys;

/* Collective. The tuples of the rows of a frame; the caller frees out->tuples. Each has, in this order:
 *   for each vertex: the rank of its key; graph->vertex_count where the row lacks the vertex;
 *   for each edge that the vertices do not determine: rank of the source's key and number among the parallel edges; then, if
 *   neither the vertices nor the pattern determine them, relation and rank of the target's key; UINT64_MAX for a missing edge;
 *   for each value, where rows stand for many matches: two numbers.
 * Rows that are equal in all their columns have equal tuples. */
gemp_code gemp_match_keys_new(gemp_match_keys *out, gemp_runtime *context, gemp_shard *graph, const gemp_rule *rule,
                              const gemp_frame *frame);

/* Collective. Fetches the ends of the edges in elements[rows], of which some may be GEMP_NO_ELEMENT. */
gemp_code gemp_row_edges_fetch(gemp_edge_values *out, gemp_runtime *context, gemp_shard *graph,
                               const uint64_t *elements, size_t rows);

/* Collective. Numbers the marked matches of all ranks in their order: number[i] becomes the number of marked matches
 * before match i, if match i is marked. *total (NULL: not wanted) becomes the number of marked matches. */
gemp_code gemp_match_order_number(const gemp_comm *comm, const gemp_match_keys *matches, const uint8_t *marked,
                                  uint64_t *number, uint64_t *total);

/* Collective. Replaces priorities of marked matches, which may be equal on any ranks, until all differ. The first of
 * equal ones in the order keeps its priority. */
gemp_code gemp_match_order_distinct(const gemp_comm *comm, const gemp_match_keys *matches, const uint8_t *marked,
                                    uint64_t *priority);

/* Local. rows[count] become ascending by tuples[row * width ...], compared word by word; equal rows keep their
 * order. width >= 1. Least-significant-word radix sort: 2 million tuples of 3 words took 0.10 s on 2 shared Xeon
 * cores (2026-11). */
gemp_code gemp_tuple_sort(const uint64_t *tuples, size_t width, size_t *rows, size_t count);

#endif
