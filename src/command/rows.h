/* rows: the last sinks of a match: RETURN items of each match, in the user's keys, to a terminal, TSV, JSON lines or HDF5. */
#ifndef GEMP_COMMAND_ROWS_H
#define GEMP_COMMAND_ROWS_H

#include "graph/table.h"
#include "graph/graph.h"
#include "partition/context.h"
#include "pattern/pattern.h"
#include "pattern/symmetry.h"

typedef struct gemp_rows_options {
	const char *path;           /* by its ending .tsv .jsonl .h5; "-": TSV on stdout; NULL: a preview on stdout */
	uint64_t limit;             /* rows written over all ranks */
	const gemp_chain *chain;    /* turn each match into the smallest by user keys of its class; NULL: as it is */
	const char *semantics, *distinct;
} gemp_rows_options;

/* Collective. graph and pattern borrowed. Sets *enough in turn once the limit is reached. */
gemp_code gemp_rows_new(gemp_sink *out, gemp_context *context, gemp_graph *graph, const gemp_pattern *pattern,
                        const gemp_rows_options *options);
uint64_t gemp_rows_written(const gemp_sink *rows); /* all ranks, after the last turn */

#endif
