/* plain_rows: rows that consist of integer keys of a match's vertices only, converted from ids to columns by all
 * threads.
 *
 * Each rank holds tables of the whole graph: key[vertices], and with a chain also rank[vertices] by id. They replace
 * the fetch of keys for every block of rows (rows/elements.h), at 8 to 20 bytes per vertex; result_rows.c uses them
 * once enough rows have come.
 */

#ifndef GEMP_QUERY_OUTPUT_PLAIN_ROWS_H
#define GEMP_QUERY_OUTPUT_PLAIN_ROWS_H

#include "graph/batch.h"
#include "graph/graph.h"
#include "io/rows/row_text.h"
#include "partition/runtime.h"
#include "pattern/symmetry/permutation_group.h"

typedef struct gemp_plain_rows gemp_plain_rows;

/* Is every row of this query plain, and is there memory for the tables? */
bool gemp_plain_rows_apply(const gemp_runtime *context, const gemp_shard *graph, const gemp_pattern *pattern);

/* Collective. All is borrowed; chain as in gemp_rows_options. Keys are loaded. */
gemp_code gemp_plain_rows_new(gemp_plain_rows **out, gemp_runtime *context, const gemp_shard *graph,
                              const gemp_pattern *pattern, const gemp_stab_chain *chain);
void gemp_plain_rows_free(gemp_plain_rows *plain);

/* Local. _take adds the first `rows` rows of a batch; _accepts is false for a batch with a multiplicity, or with edges where
 * there is a chain. */
bool gemp_plain_rows_accepts(const gemp_plain_rows *plain, const gemp_batch *batch);
gemp_code gemp_plain_rows_take(gemp_plain_rows *plain, const gemp_batch *batch, size_t rows);
size_t gemp_plain_rows_count(const gemp_plain_rows *plain);
/* Columns [pattern->result.shown] of the rows taken, owned by `plain`; gemp_plain_rows_clear empties them after writing. */
const gemp_projected *gemp_plain_rows_columns(const gemp_plain_rows *plain);
void gemp_plain_rows_clear(gemp_plain_rows *plain);

#endif
