/* subgraph_sink: a sink that collects the vertices and edges of all matches and writes the subgraph that they cover.
 * The ending of the path chooses a graph file or an export format. With a limit only the first matches in rank order
 * count.
 */

#ifndef GEMP_QUERY_OUTPUT_SUBGRAPH_SINK_H
#define GEMP_QUERY_OUTPUT_SUBGRAPH_SINK_H

#include "graph/batch.h"
#include "io/graph_file/graph_file_write.h"
#include "partition/runtime.h"

typedef struct gemp_subgraph_sink_options {
	const char *path;                  /* .h5, .tsv, .csv, .jsonl, .graphml, .dot, .mtx */
	const gemp_provenance *provenance; /* of a .h5 */
	uint64_t limit;                    /* matches over all ranks; UINT64_MAX: all */
	gemp_sink *next;                   /* takes the same rows; borrowed; NULL: none */
} gemp_subgraph_sink_options;

/* Local. GEMP_EUSAGE for an unknown ending. */
gemp_code gemp_subgraph_sink_check(const char *path);

/* Collective. Rows must have edge columns (see gemp_match_options). All arguments are borrowed. The
 * file is complete after the last round, or the one that reaches the limit; freed before that, there is no file. */
gemp_code gemp_subgraph_sink_new(gemp_sink *out, gemp_runtime *context, gemp_shard *graph,
                                 const gemp_subgraph_sink_options *options);
/* The size of the graph that was written, over all ranks. */
void gemp_subgraph_sink_size(const gemp_sink *sink, uint64_t *vertices, uint64_t *edges);

#endif
