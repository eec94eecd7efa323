/* typed_terms: the count of a pattern whose vertices or edges must differ, as a sum of counts of patterns without such
 * conditions (inclusion and exclusion). Edges have types and directions, vertices have candidates, and the graph may
 * have loops and parallel edges. Local.
 *
 *     matches with a <> b  =  all matches  -  matches of the pattern in which a and b are one vertex
 *
 * Edges that must differ are handled alike: matches in which two edges have the same image are those of the pattern in
 * which they are one edge. Two edges without direction can have the same image in two ways, which coincide at loops.
 *
 * [NOT] EXISTS of an edge is an edge that counts once, however many parallel edges there are: matches without the edge
 * are all matches less those with it.
 *
 * Isomorphic terms are joined. Candidates are classes: bit c of a vertex's candidates stands for a set of vertices that
 * the caller knows, and a vertex without bits can be any vertex. Types are indices of sets of relations. Weights are
 * tables that the caller knows: bit w of a vertex's weights multiplies a match by the number of the vertex's image in
 * table w. No two vertices of a pattern have the same weight, so vertices that become one have the weights of both. */

#ifndef GEMP_COUNT_TYPED_TERMS_H
#define GEMP_COUNT_TYPED_TERMS_H

#include "core/memory.h"
#include "pattern/model/pattern.h"

enum { GEMP_TYPED_EDGES = GEMP_MAX_PATTERN_EDGES, GEMP_TYPED_PAIRS = 64 };

typedef struct gemp_typed_edge {
	int from, to;
	size_t types; /* index in gemp_type_sets */
	bool either;  /* without direction */
	bool exists;  /* parallel edges count once */
} gemp_typed_edge;

/* A pattern without conditions on several vertices, and the factor of its count in the sum. */
typedef struct gemp_typed_term {
	int64_t factor;
	int target; /* the sum to which the term belongs, if a pattern has several sums */
	int root;   /* the vertex by whose images matches are counted; -1: the number of all matches is wanted */
	int vertex_count, edge_count;
	uint64_t candidates[GEMP_MAX_PATTERN_VERTICES], weights[GEMP_MAX_PATTERN_VERTICES];
	gemp_typed_edge edges[GEMP_TYPED_EDGES];
} gemp_typed_term;

/* Sets of relations. */
typedef struct gemp_type_sets {
	size_t relation_count, count, capacity;
	bool *sets; /* [count][relation_count] */
} gemp_type_sets;

static inline const bool *gemp_type_set(const gemp_type_sets *sets, size_t i)
{
	return sets->sets + i * sets->relation_count;
}

/* Sets *index to that of the set, which is added unless it is there. */
gemp_code gemp_type_sets_add(gemp_type_sets *sets, const bool *relations, size_t *index);
void gemp_type_sets_free(gemp_type_sets *sets);

/* A pattern with the conditions that terms resolve. */
typedef struct gemp_typed_pattern {
	gemp_typed_term whole;         /* factor 1; edges of [NOT] EXISTS included */
	bool absent[GEMP_TYPED_EDGES]; /* the edge must not exist */
	int match[GEMP_TYPED_EDGES];   /* edges with the same number must differ; -1: no edge must differ from it */
	size_t unequal_count;
	int unequal[GEMP_TYPED_PAIRS][2]; /* vertices that must differ */
	gemp_type_sets types;             /* terms add intersections */
} gemp_typed_pattern;

typedef struct gemp_typed_terms {
	size_t count, capacity;
	gemp_typed_term *terms; /* [count] not isomorphic, factors not 0 */
} gemp_typed_terms;

/* *fits becomes false if there would be too many terms. */
gemp_code gemp_typed_terms_new(gemp_typed_terms *out, gemp_typed_pattern *pattern, bool *fits);
void gemp_typed_terms_free(gemp_typed_terms *terms);

/* Adds a term to an isomorphic one, or to the list. Factors of terms in the list may become 0. */
gemp_code gemp_typed_terms_add(gemp_typed_terms *terms, const gemp_typed_term *term);
/* True if a permutation of vertices maps one pattern to the other, whatever their factors. Their targets are equal. */
bool gemp_typed_terms_isomorphic(const gemp_typed_term *a, const gemp_typed_term *b);

#endif
