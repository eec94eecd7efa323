/* subgraph_sink: a sink that collects the vertices and edges of all matches and writes the subgraph that consists of
 * them. The ending of the path determines whether this is a graph file or an export format. With a limit, only the
 * first matches in rank order count. */

#ifndef GEMP_QUERY_OUTPUT_SUBGRAPH_SINK_H
#define GEMP_QUERY_OUTPUT_SUBGRAPH_SINK_H

#include "graph/batch.h"
#include "io/graph_file/graph_file_write.h"
#include "partition/runtime.h"

typedef struct gemp_subgraph_sink_options {
	const char *path;                  /* ends in .h5, .tsv, .csv, .jsonl, .graphml, .dot or .mtx */
	const gemp_provenance *provenance; /* used for a path that ends in .h5 */
	uint64_t limit;                    /* max number of matches over all ranks; UINT64_MAX: no limit */
	gemp_sink *next;                   /* a sink that gets the same rows; borrowed; NULL: none */
} gemp_subgraph_sink_options;

/* Local. Returns GEMP_EUSAGE for an unknown ending. */
gemp_code gemp_subgraph_sink_check(const char *path);

/* Collective. Rows must have edge columns (see gemp_match_options). All arguments are borrowed. The file is complete
 * after the last round, or after the round that reaches the limit. If the sink is freed earlier, no file remains. */
gemp_code gemp_subgraph_sink_new(gemp_sink *out, gemp_runtime *context, gemp_shard *graph,
                                 const gemp_subgraph_sink_options *options);
/* The size of the graph that was written, counted over all ranks. */
void gemp_subgraph_sink_size(const gemp_sink *sink, uint64_t *vertices, uint64_t *edges);

#endif
