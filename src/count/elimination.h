/* elimination: the counts of typed terms (typed_terms.h) by variable elimination, on the threads of the host.
 *
 * A vertex that is joined to one other vertex only is eliminated: the number of its images becomes a factor of the
 * other vertex's images (vertex_tables.h). A tree becomes a sum over the images of its root. Vertices of cycles that
 * remain, the core, are enumerated with the product of their factors (core_walk.h).
 *
 * Equal factors are computed once for all terms. A *product* is what a vertex contributes: its candidates, its weights
 * and its *folds*, each of which sums the product of an eliminated vertex over a row, or counts the loops at the
 * vertex.
 *
 * Terms with a root give a table, the numbers of matches by the image of the root, instead of a sum. */

#ifndef GEMP_COUNT_ELIMINATION_H
#define GEMP_COUNT_ELIMINATION_H

#include "count/core_order.h"
#include "count/core_walk.h"
#include "count/typed_terms.h"
#include "partition/runtime.h"
#include "partition/views/resident.h"

enum { GEMP_FOLD_EDGES = 6, GEMP_PRODUCT_FOLDS = 24 };

/* An edge as it leads from a vertex to one that was eliminated, or that is bound later. */
typedef struct gemp_fold_edge {
	size_t types;
	gemp_view_direction direction;
	bool exists;
} gemp_fold_edge;

typedef struct gemp_fold {
	int child; /* the product that is summed; -1: loops are counted */
	int edge_count, uses;
	gemp_fold_edge edges[GEMP_FOLD_EDGES]; /* sorted; all of them lead to the child's image */
	uint64_t *table;                       /* [graph->rows] owned; NULL unless several products use it */
} gemp_fold;

typedef struct gemp_fold_product {
	uint64_t candidates; /* classes */
	uint64_t weights;
	int fold_count;
	int folds[GEMP_PRODUCT_FOLDS]; /* sorted */
	uint32_t *bits;                /* owned; NULL unless the vertex has several classes */
	uint64_t *values;              /* [vertices] owned; NULL: not computed yet */
} gemp_fold_product;

/* The sum of one term. A single vertex is the root of a tree. The root of the term comes first. */
typedef struct gemp_elimination_sum {
	int64_t factor;
	int target;
	int count;
	int products[GEMP_CORE_VERTICES]; /* of the core's vertices, in the order in which they are bound */
	size_t check_count[GEMP_CORE_VERTICES];
	struct {
		int from; /* place in the order */
		gemp_fold_edge edge;
	} checks[GEMP_CORE_VERTICES][GEMP_CORE_CHECKS];
	double cost; /* expected entries that the walk reads */
} gemp_elimination_sum;

/* Rows of all vertices that walks read. */
typedef struct gemp_elimination_rows {
	size_t types;
	gemp_view_direction direction;
	gemp_core_rows rows;
	gemp_resident *copy; /* NULL: the rows are in place */
} gemp_elimination_rows;

typedef struct gemp_elimination {
	gemp_runtime *context;
	gemp_shard *graph;
	const gemp_type_sets *types; /* borrowed */
	gemp_candidate_classes classes;
	size_t fold_count, fold_capacity, product_count, product_capacity, sum_count, sum_capacity, row_count, row_capacity;
	gemp_fold *folds;
	gemp_fold_product *products;
	gemp_elimination_sum *sums;
	gemp_elimination_rows *rows;
	uint64_t *const *weights;    /* [64][graph->rows] borrowed; the caller sets it if terms have weights */
	double pass_cost, walk_cost; /* expected entries that folds and walks read */
} gemp_elimination;

/* Collective. Plans the sums of the terms. *reason becomes a phrase if they have none, and NULL otherwise. types and
 * the bitmaps of the classes are borrowed. Loads what is needed to know where edges end and which are parallel. */
gemp_code gemp_elimination_new(gemp_elimination *out, gemp_runtime *context, gemp_shard *graph,
                               const gemp_type_sets *types, const gemp_candidate_classes *classes,
                               const gemp_typed_terms *terms, const char **reason);
/* Local. The cost of a search for all matches of a term, and their expected number. The ends of its relations are
 * known. */
gemp_core_order gemp_elimination_search(const gemp_elimination *elimination, const gemp_typed_term *term);
/* Collective over the ranks of a node. */
void gemp_elimination_free(gemp_elimination *elimination);

/* Collective. *count becomes the sum of the terms of a target, divided by `divisor`. The terms have no root. GEMP_EDATA
 * if a number does not fit. */
gemp_code gemp_elimination_run(gemp_elimination *elimination, int target, uint64_t divisor, uint64_t *count);
/* Collective. table[graph->rows] becomes the same by the image of the root, for own vertices. The terms have a root.
 * The caller frees *table, also after an error. */
gemp_code gemp_elimination_table(gemp_elimination *elimination, int target, uint64_t divisor, uint64_t **table);
/* Appends a line for each sum of a target. A weight is printed as a number in braces. */
void gemp_elimination_print(const gemp_elimination *elimination, int target, gemp_text *out);

#endif
