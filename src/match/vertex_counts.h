/* vertex_counts: the number of matches of each vertex (options.count_per), which devices or the interpreter count
 * without listing a match. */

#ifndef GEMP_MATCH_VERTEX_COUNTS_H
#define GEMP_MATCH_VERTEX_COUNTS_H

#include "match/planner/match_options.h"

/* Collective. Call it after a run of a match that was prepared with options.count_per. counts[graph->rows] becomes, for
 * each own vertex, the number of matches in which the vertex is the image of the chosen pattern vertex; with --distinct
 * none, of embeddings. The device has one counter for each vertex, so no match is listed. If the plan breaks symmetry,
 * a match stands for its images under all automorphisms, and counts at the images of the whole orbit of the chosen
 * vertex. The sum of counts over all vertices is *members times the number of matches that the result reports. */
gemp_code gemp_match_vertex_counts(gemp_match *match, uint64_t *counts, int *members);

#endif
