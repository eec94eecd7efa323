/* locality: how far from a change of the graph the matches of a rule are that it can make or break.
 *
 * Of each match one vertex is its place. Whatever a step changes is marked at vertices: those that are new, those whose
 * labels or attributes were changed, and the ends of edges that came, went or were changed. A match that there is in only
 * one of two graphs has its place at most `radius` edges from a marked vertex, along relations that the rule speaks of, in
 * the newer graph: on the way from its place to what it lost, the first end of a lost edge is marked.
 */
#ifndef GEMP_TRANSFORM_LOCALITY_H
#define GEMP_TRANSFORM_LOCALITY_H

#include "pattern/rule.h"

typedef struct gemp_locality {
	const char *global;  /* why a change anywhere can make or break a match; NULL: it cannot, and then: */
	int vertex;          /* of the pattern, the place; no automorphism moves it */
	size_t column;       /* of the pattern's RETURN, which has it */
	unsigned radius;
	unsigned reach;      /* edges from its place to the farthest vertex of a match and of its conditions */
	bool *relations;     /* [graph->relation_count] that the rule speaks of */
} gemp_locality;

/* rules->rules[index] is bound to the graph. */
gemp_code gemp_locality_find(gemp_locality *out, const gemp_rules *rules, size_t index, const gemp_graph *graph,
                             gemp_semantics semantics);
void gemp_locality_free(gemp_locality *locality);

#endif
