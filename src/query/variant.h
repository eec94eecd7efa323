/* variant: one of the patterns that a finder searches for: a choice of lengths for the paths of variable length, and the
 * parts of it that hang together. Internal to src/query.
 */
#ifndef GEMP_QUERY_VARIANT_H
#define GEMP_QUERY_VARIANT_H

#include "pattern/derive.h"
#include "query/finder.h"
#include "query/product.h"

typedef struct gemp_variant {
	gemp_derived derived;
	gemp_symmetry *symmetry;      /* by orbit */
	gemp_chain *chain;            /* several parts by orbit: rows are kept if canonical */
	bool edges;                   /* the search has to give edge columns */
	size_t part_count;
	gemp_derived parts[GEMP_MAX_PARTS]; /* more than one: what hangs together */
	gemp_match *matches[GEMP_MAX_PARTS]; /* owned; whoever prepares them */
	size_t crossing_count;
	const gemp_condition **crossing;    /* conditions between parts */
} gemp_variant;

/* All that differ by more than an automorphism; too many are GEMP_EUSAGE. options->edges: rows have edge columns. */
gemp_code gemp_variants_find(gemp_variant **out, size_t *count, const gemp_pattern *pattern,
                             const gemp_finder_options *options);
void gemp_variants_free(gemp_variant *variants, size_t count);

#endif
