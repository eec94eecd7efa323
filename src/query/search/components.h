/* components: patterns that fall into several connected components, or have paths of variable length.
 *
 * A variant fixes the length of every path; its components are searched for one by one. The product sink combines
 * their matches: the rows of the component with most matches stream through, those of the others are gathered on
 * every rank. A combination is kept if the elements that must differ do, and, by orbit, if it is the canonical one.
 */

#ifndef GEMP_QUERY_SEARCH_COMPONENTS_H
#define GEMP_QUERY_SEARCH_COMPONENTS_H

#include "pattern/plan/derive.h"
#include "query/search/finder.h"

enum { GEMP_MAX_COMPONENTS = GEMP_MAX_PATTERN_VERTICES };

typedef struct gemp_product_input {
	const gemp_derived *component; /* maps the whole pattern to the part; borrowed */
	size_t rows;                   /* gathered from all ranks; 0 for the streaming part */
	gemp_vertex *vertices;         /* [rows * vertices of the part], owned */
	gemp_edge *edges;              /* [rows * edges of the part], owned; NULL without edge columns */
} gemp_product_input;

typedef struct gemp_product {
	const gemp_pattern *pattern; /* whole; borrowed */
	gemp_semantics semantics;
	bool edges;                   /* rows have edge columns */
	const gemp_stab_chain *chain; /* keep one of each orbit: rows that are canonical; borrowed; NULL: keep all */
	size_t input_count, streaming;
	gemp_product_input inputs[GEMP_MAX_COMPONENTS];
	gemp_sink *next;    /* borrowed */
	gemp_row_store out; /* combinations that were not passed on yet */
} gemp_product;

/* Collective. Gathers the rows of one component; at most max_bytes over all ranks together, else GEMP_ENOMEM. */
gemp_code gemp_product_gather(gemp_product *product, size_t part, gemp_runtime *context, const gemp_row_store *rows,
                              size_t max_bytes);
/* A sink for the rows of the streaming component. product is borrowed; gemp_product_free frees everything. */
gemp_sink gemp_product_sink(gemp_product *product);
void gemp_product_free(gemp_product *product);

/* One of the patterns that a finder searches for: a choice of lengths for the paths of variable length, and its
 * connected components. Internal to src/query. */

typedef struct gemp_variant {
	gemp_derived derived;
	gemp_symmetry *symmetry; /* by orbit */
	gemp_stab_chain *chain;  /* several parts by orbit: rows are kept if canonical */
	bool edges;              /* rows have edge columns */
	size_t component_count;
	gemp_derived components[GEMP_MAX_COMPONENTS]; /* if there are several */
	gemp_match *matches[GEMP_MAX_COMPONENTS];     /* owned; prepared by the finder */
	size_t join_condition_count;
	const gemp_condition **join_conditions; /* conditions between parts */
} gemp_variant;

/* All variants, one of each class under the pattern's automorphisms; too many variants are GEMP_EUSAGE. options->edges:
 * rows have edge columns. */
gemp_code gemp_variants_find(gemp_variant **out, size_t *count, const gemp_pattern *pattern,
                             const gemp_finder_options *options);
void gemp_variants_free(gemp_variant *variants, size_t count);

#endif
