/* vertex_counts: in how many matches each host vertex is, at one pattern vertex: counters on the device, one a vertex,
 * so that no match has to be listed.
 *
 * Where symmetry is broken a match stands for all that automorphisms make of it: then it counts for the images of all
 * pattern vertices that automorphisms carry to the one asked for.
 * */
#ifndef GEMP_MATCH_VERTEX_COUNTS_H
#define GEMP_MATCH_VERTEX_COUNTS_H

#include "match/match.h"
#include "match/search.h"

/* Pattern vertices, as bits, at whose images matches count for pattern vertex v. */
gemp_code gemp_counted_vertices(uint64_t *out, const gemp_plan *plan, const gemp_symmetry *symmetry, int v);

/* Local. The search's counters, and those set back. */
gemp_code gemp_search_vertex_counts(gemp_search *search);
gemp_code gemp_search_vertex_counts_clear(gemp_search *search);

/* Collective. After a run of a match prepared with options.count_per: counts[graph->rows] of own vertices, in the
 * chosen sense: with --distinct none embeddings, else matches. Over all vertices their sum is `members` times that of
 * the report. */
gemp_code gemp_match_vertex_counts(gemp_match *match, uint64_t *counts, int *members);

#endif
