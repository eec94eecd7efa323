/* rows: the last sinks of a match: RETURN items of each match, in the user's keys, to a terminal, TSV, JSON lines or HDF5. */
#ifndef GEMP_COMMAND_ROWS_H
#define GEMP_COMMAND_ROWS_H

#include "graph/table.h"
#include "graph/graph.h"
#include "partition/context.h"
#include "pattern/pattern.h"
#include "pattern/symmetry.h"

#include <stdio.h>

typedef struct gemp_rows_options {
	const char *path;           /* by its ending .tsv .jsonl .h5; "-": TSV on stdout; NULL: a preview for people */
	uint64_t limit;             /* rows written over all ranks; of a preview: rows shown, and no end to those taken */
	const gemp_chain *chain;    /* turn each match into the smallest by user keys of its class; NULL: as it is */
	const char *semantics, *distinct;
	FILE *preview;              /* where it is shown: on rank 0, NULL elsewhere; NULL on all: nowhere */
} gemp_rows_options;

/* Collective. graph and pattern borrowed. A path that cannot be written to is GEMP_EIO here, an ending that is not known
 * GEMP_EUSAGE. Sets *enough in turn once the limit is reached; the output is whole after that turn or the last one. Freed
 * before that, it leaves no file. */
gemp_code gemp_rows_new(gemp_sink *out, gemp_context *context, gemp_graph *graph, const gemp_pattern *pattern,
                        const gemp_rows_options *options);
uint64_t gemp_rows_written(const gemp_sink *rows); /* all ranks, after the last turn */

/* Collective. The one row of RETURN count(*) in the same forms. */
gemp_code gemp_rows_count(gemp_context *context, gemp_graph *graph, const gemp_pattern *pattern,
                          const gemp_rows_options *options, uint64_t count);

#endif
