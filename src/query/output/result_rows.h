/* result_rows: the last sink of a query. The sink passes matches through the clauses WITH and RETURN
 * (clause/pipeline.h) and writes the resulting rows in the user's keys to a terminal or a file.
 *
 * Matches are kept in a row store until the round ends. Then all ranks push and write together. Rows that consist only
 * of integer keys of vertices take a shorter path once there are enough rows. */

#ifndef GEMP_QUERY_OUTPUT_RESULT_ROWS_H
#define GEMP_QUERY_OUTPUT_RESULT_ROWS_H

#include "graph/batch.h"
#include "io/rows/row_writer.h"
#include "partition/runtime.h"
#include "query/clause/folded_groups.h"

#include <stdio.h>

/* Collective. graph and pattern are borrowed; the pattern must be bound. A path that cannot be written to is GEMP_EIO,
 * an unknown ending GEMP_EUSAGE. Rows have gemp_pattern_row_vertices vertices and gemp_pattern_row_edges edges;
 * GEMP_NO_VERTEX and GEMP_NO_EDGE stand for NULL. end_round sets *enough when no more matches are wanted, for example
 * after a LIMIT without ORDER BY. The output is complete after that round or the last round. If the sink is freed
 * earlier, no file remains. */
gemp_code gemp_rows_new(gemp_sink *out, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern,
                        const gemp_rows_options *options);
/* Collective. The same for folded groups (borrowed), which gemp_rows_fold passes through the clauses instead of
 * batches. */
gemp_code gemp_rows_new_folded(gemp_sink *out, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern,
                               const gemp_folded_groups *folded, const gemp_rows_options *options);
gemp_code gemp_rows_fold(gemp_sink *rows);
/* Results over all ranks, valid after the last round. gemp_rows_written is the number of rows written or shown.
 * gemp_rows_total is the number of rows of the result, of which a preview shows some. gemp_rows_complete is true if no
 * limit left out rows. */
uint64_t gemp_rows_written(const gemp_sink *rows);
uint64_t gemp_rows_total(const gemp_sink *rows);
bool gemp_rows_complete(const gemp_sink *rows);

/* Collective. Used instead of a search if the clauses only count matches (gemp_clause_only_counts). count is the number
 * of matches. */
gemp_code gemp_rows_count(gemp_sink *rows, uint64_t count);

/* A sink that sets *enough once all ranks together have received `limit` rows. */

typedef struct gemp_limit {
	const gemp_comm *comm; /* borrowed */
	uint64_t limit, taken; /* taken: number of rows that this rank received */
	gemp_sink *next;       /* borrowed; NULL: rows are only counted */
} gemp_limit;

/* The caller sets the members of `limit`, which is borrowed. The sink has nothing to free. */
gemp_sink gemp_limit_sink(gemp_limit *limit);

#endif
