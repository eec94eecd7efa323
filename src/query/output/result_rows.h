/* result_rows: the last sink of a query. It passes matches through the clauses WITH and RETURN (clause/pipeline.h)
 * and writes the resulting rows in the user's keys to a terminal or a file.
 *
 * Matches are kept in a row store until the round ends, where all ranks push and write together. Rows that are only
 * integer keys of vertices take a shorter path once there are enough of them.
 */

#ifndef GEMP_QUERY_OUTPUT_RESULT_ROWS_H
#define GEMP_QUERY_OUTPUT_RESULT_ROWS_H

#include "graph/batch.h"
#include "io/rows/row_writer.h"
#include "partition/runtime.h"

#include <stdio.h>

/* Collective. graph and pattern, bound, are borrowed. A path that cannot be written to is GEMP_EIO here, an ending that
 * is not known GEMP_EUSAGE. Rows are as long as gemp_pattern_row_vertices and _edges say; GEMP_NO_VERTEX and
 * GEMP_NO_EDGE are NULL. end_round sets *enough once no more matches are wanted, as by a LIMIT without ORDER BY; the
 * output is complete after that round or the last one. If the sink is freed earlier there is no file. */
gemp_code gemp_rows_new(gemp_sink *out, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern,
                        const gemp_rows_options *options);
/* Of all ranks, after the last round: the number of rows written or shown; the number of rows of the result, of which a
 * preview shows some; and whether the output is complete, so that no limit left out rows. */
uint64_t gemp_rows_written(const gemp_sink *rows);
uint64_t gemp_rows_total(const gemp_sink *rows);
bool gemp_rows_complete(const gemp_sink *rows);

/* Collective. Replaces the search where clauses only count matches (gemp_clause_only_counts): there are `count`
 * matches. */
gemp_code gemp_rows_count(gemp_sink *rows, uint64_t count);

/* A sink that reports "enough" once all ranks together have received so many rows. */

typedef struct gemp_limit {
	const gemp_comm *comm; /* borrowed */
	uint64_t limit, taken; /* taken: by this rank */
	gemp_sink *next;       /* borrowed; NULL: rows go no further */
} gemp_limit;

/* limit is borrowed and set by the caller; the sink has nothing to free. */
gemp_sink gemp_limit_sink(gemp_limit *limit);

#endif
