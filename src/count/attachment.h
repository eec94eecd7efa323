/* attachment: what the vertices outside of a core contribute to a sum over the core: rooted subtrees become vertex
 * tables, triangles on an edge become its support, and vertices adjacent to the whole core a power of c.
 */

#ifndef GEMP_COUNT_ATTACHMENT_H
#define GEMP_COUNT_ATTACHMENT_H

#include "count/expression.h"
#include "count/plan.h"
#include "count/term.h"

/* Factors that the attached vertices contribute to each vertex and edge of the core. */
typedef struct gemp_attachments {
	uint8_t table[GEMP_MAX_TERM][GEMP_TABLES];     /* powers */
	uint8_t support[GEMP_MAX_TERM][GEMP_MAX_TERM]; /* symmetric */
	uint8_t ordered_support[GEMP_MAX_TERM]; /* of the edge between the root and another, where the root is the core */
	uint8_t low[GEMP_MAX_TERM], up[GEMP_MAX_TERM]; /* of rooted terms */
	int common;   /* vertices attached to both ends of a non-adjacent pair, or to all of a core with a centre */
	int codegree; /* vertices attached to the two neighbours of the centre */
} gemp_attachments;

typedef struct gemp_derivation {
	gemp_polynomial sums[GEMP_SUM_NEIGHBOURS + 1];          /* by kind, those that have an expression */
	int64_t joined, path_pairs, cliques[GEMP_MAX_TERM + 1]; /* factors; cliques by size */
	size_t table_count;
	gemp_monomial tables[GEMP_TABLES]; /* of the symbols of place 1 and the support 01; [0] is empty */
} gemp_derivation;

/* Returns false if some vertex has no such factor, or more than GEMP_TABLES tables are needed. Missing tables are added to
 * derivation. Pairs that must differ are ignored: derive.c corrects for them. centre: the middle vertex of a core of three
 * (NEIGHBOURS); -1 for all other cores. */
bool gemp_attach(gemp_attachments *out, gemp_derivation *derivation, const gemp_term *term, unsigned core, int centre);

/* Factors are scaled by 6!, so that a fraction of a factor (add_difference of derive.c) stays an integer. */
enum { GEMP_DERIVATION_SCALE = 720 };

#endif
