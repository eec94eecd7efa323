/* components: patterns that consist of several connected components, or have paths of variable length.
 *
 * A variant fixes the length of every path. The components of a variant are searched for one by one, and the product
 * sink combines their matches. The rows of the component with the largest estimated number of matches stream through
 * the sink; the rows of the other components are gathered on every rank. The sink keeps a combination if all elements
 * that must differ do differ. If matches are counted by orbit, the sink keeps only the canonical combination of each
 * orbit. */

#ifndef GEMP_QUERY_SEARCH_COMPONENTS_H
#define GEMP_QUERY_SEARCH_COMPONENTS_H

#include "pattern/plan/derive.h"
#include "query/search/finder.h"

enum { GEMP_MAX_COMPONENTS = GEMP_MAX_PATTERN_VERTICES };

typedef struct gemp_product_input {
	const gemp_derived *component; /* maps the whole pattern to the component; borrowed */
	size_t rows;                   /* number of rows gathered from all ranks; 0 for the streaming component */
	gemp_vertex *vertices;         /* [rows * vertices of the component], owned */
	gemp_edge *edges;              /* [rows * edges of the component], owned; NULL without edge columns */
} gemp_product_input;

typedef struct gemp_product {
	const gemp_pattern *pattern; /* the whole pattern; borrowed */
	gemp_semantics semantics;
	bool edges;                   /* rows have edge columns */
	const gemp_stab_chain *chain; /* borrowed; NULL: keep all combinations, else only the canonical one of each orbit */
	size_t input_count, streaming;
	gemp_product_input inputs[GEMP_MAX_COMPONENTS];
	gemp_sink *next;    /* borrowed */
	gemp_row_store out; /* combinations that are not passed on yet */
} gemp_product;

/* Collective. Gathers the rows of component number `part` on every rank. Returns GEMP_ENOMEM if the rows of all ranks
 * together have more than max_bytes. */
gemp_code gemp_product_gather(gemp_product *product, size_t part, gemp_runtime *context, const gemp_row_store *rows,
                              size_t max_bytes);
/* Makes a sink for the rows of the streaming component. The sink borrows the product; gemp_product_free frees
 * everything. */
gemp_sink gemp_product_sink(gemp_product *product);
void gemp_product_free(gemp_product *product);

/* A variant is one of the patterns that a finder searches for: one choice of lengths for the paths of variable length,
 * with the connected components of the resulting pattern. Internal to src/query. */

typedef struct gemp_variant {
	gemp_derived derived;
	gemp_symmetry *symmetry; /* set if matches are counted by orbit, else NULL */
	/* set if there are several components and matches are counted by orbit: the group that defines canonical rows */
	gemp_stab_chain *chain;
	bool edges; /* rows have edge columns */
	size_t component_count;
	/* [component_count] set only if there are several components */
	gemp_derived components[GEMP_MAX_COMPONENTS];
	gemp_match *matches[GEMP_MAX_COMPONENTS]; /* [component_count] owned; prepared by the finder */
	size_t join_condition_count;
	const gemp_condition **join_conditions; /* [join_condition_count] conditions that read several components */
} gemp_variant;

/* Finds one variant of each class under the pattern's automorphisms. Too many variants are GEMP_EUSAGE. If
 * options->edges is true, rows have edge columns. */
gemp_code gemp_variants_find(gemp_variant **out, size_t *count, const gemp_pattern *pattern,
                             const gemp_finder_options *options);
void gemp_variants_free(gemp_variant *variants, size_t count);

#endif
