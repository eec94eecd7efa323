/* product: a sink that puts the matches of a pattern's parts together: every combination in which what has to differ differs.
 *
 * The rows of one part stream through; those of the others are at hand on every rank.
 */
#ifndef GEMP_QUERY_PRODUCT_H
#define GEMP_QUERY_PRODUCT_H

#include "match/row_store.h"
#include "partition/context.h"
#include "pattern/derive.h"

enum { GEMP_MAX_PARTS = GEMP_MAX_PATTERN_VERTICES };

typedef struct gemp_product_part {
	const gemp_derived *derived; /* the part, from the whole pattern; borrowed */
	size_t rows;                 /* gathered from all ranks; of the streaming part: none */
	gemp_vertex *vertices;       /* [rows * vertices of the part], owned */
	gemp_edge *edges;            /* [rows * edges of the part], owned; NULL without edge columns */
} gemp_product_part;

typedef struct gemp_product {
	const gemp_pattern *pattern; /* whole; borrowed */
	gemp_semantics semantics;
	bool edges;                  /* rows have edge columns */
	const gemp_chain *chain;     /* keep one of each orbit: rows that are canonical; borrowed; NULL: keep all */
	size_t part_count, streaming;
	gemp_product_part parts[GEMP_MAX_PARTS];
	gemp_sink *next;             /* borrowed */
	gemp_row_store out;          /* rows made, not handed on yet */
} gemp_product;

/* Collective. Gathers the rows of one part; `most` bytes in all ranks together. */
gemp_code gemp_product_gather(gemp_product *product, size_t part, gemp_context *context, const gemp_row_store *rows,
                              size_t most);
/* The sink takes rows of the streaming part. product is borrowed; nothing to free but gemp_product_free. */
gemp_sink gemp_product_sink(gemp_product *product);
void gemp_product_free(gemp_product *product);

#endif
