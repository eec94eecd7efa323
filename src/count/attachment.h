/* attachment: what the vertices outside of a core contribute to a sum over the core: rooted subtrees become vertex
 * tables, triangles on an edge become its support, and vertices adjacent to the whole core a power of c.
 */

#ifndef GEMP_COUNT_ATTACHMENT_H
#define GEMP_COUNT_ATTACHMENT_H

#include "count/expression.h"
#include "count/plan.h"
#include "count/term.h"

/* Factors of a core's vertices and edges. */
typedef struct gemp_attachments {
	uint8_t table[GEMP_MAX_TERM][GEMP_TABLES];     /* powers */
	uint8_t support[GEMP_MAX_TERM][GEMP_MAX_TERM]; /* symmetric */
	uint8_t ordered_support[GEMP_MAX_TERM]; /* of the edge between the root and another, where the root is the core */
	uint8_t low[GEMP_MAX_TERM], up[GEMP_MAX_TERM]; /* of rooted terms */
	int common; /* vertices that hang on both of a core of two that are not adjacent, or on all of a core round a centre */
	int codegree; /* those that hang on a centre's two neighbours */
} gemp_attachments;

typedef struct gemp_derivation {
	gemp_polynomial sums[GEMP_SUM_NEIGHBOURS + 1];          /* by kind, those that have an expression */
	int64_t joined, path_pairs, cliques[GEMP_MAX_TERM + 1]; /* factors; cliques by size */
	size_t table_count;
	gemp_monomial tables[GEMP_TABLES]; /* of the symbols of place 1 and the support 01; [0] is empty */
} gemp_derivation;

/* False if some vertex does not hang so, or there are too many tables. Tables that are not there yet are added. Pairs that
 * are held apart are not looked at. centre: of a core of three that NEIGHBOURS sums over; -1: none. */
bool gemp_attach(gemp_attachments *out, gemp_derivation *derivation, const gemp_term *term, unsigned core, int centre);

/* All factors are so many times too large, so that a part of them is whole. */
enum { GEMP_DERIVATION_SCALE = 720 };

#endif
