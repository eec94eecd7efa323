/* matched: a sink that keeps what the matches cover, the union of their images, and writes it as a graph: a graph
 * file, or any form of convert, by the path's ending. */
#ifndef GEMP_COMMAND_MATCHED_H
#define GEMP_COMMAND_MATCHED_H

#include "command/options.h"
#include "graph/table.h"
#include "io/graph_file.h"
#include "partition/context.h"

typedef struct gemp_matched_options {
	const char *path;                  /* .h5, .tsv, .csv, .jsonl, .graphml, .dot, .mtx */
	const gemp_provenance *provenance; /* of a .h5 */
	uint64_t limit;                    /* matches over all ranks; UINT64_MAX: all */
	gemp_sink *next;                   /* takes the same rows; borrowed; NULL: none */
} gemp_matched_options;

/* Where what the matches cover goes: --subgraph, or an --output that ends in .dot or .graphml; NULL: nowhere. And where
 * rows go: any other --output. */
const char *gemp_matched_path(const gemp_options *options);
const char *gemp_matched_rows_path(const gemp_options *options);

/* Local. GEMP_EUSAGE for an ending that there is not. */
gemp_code gemp_matched_check(const char *path);

/* Collective. Rows must have the edges that matches are to be told by (see gemp_match_options). All is borrowed. The
 * file is whole after the last turn, or the one that reaches the limit; freed before that, there is none. */
gemp_code gemp_matched_new(gemp_sink *out, gemp_context *context, gemp_graph *graph,
                           const gemp_matched_options *options);
/* What was written, over all ranks. */
void gemp_matched_size(const gemp_sink *matched, uint64_t *vertices, uint64_t *edges);

#endif
