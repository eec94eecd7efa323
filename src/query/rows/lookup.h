/* lookup: the attributes, keys, labels, degrees and edge values that expressions read, fetched from the ranks that own
 * the vertices and edges of a frame. The lookup also has the scope in which the expressions are evaluated.
 *
 * Requests are collected from the expressions once. A fetch is collective: each distinct element is requested once for
 * each frame. With one rank, attributes and keys are read where they lie, in the columns of the graph. The values of an
 * attribute in a frame are rows of a column, of the graph or of the fetched values, so they need not be copied. */

#ifndef GEMP_QUERY_ROWS_LOOKUP_H
#define GEMP_QUERY_ROWS_LOOKUP_H

#include "core/memory.h"
#include "graph/graph.h"
#include "partition/runtime.h"
#include "pattern/condition/evaluate.h"
#include "query/rows/frame.h"

/* Maps the variables of an expression to columns of a frame. The columns of a match are its vertices, then its edges,
 * then the values of its sub-patterns. The columns of a clause are its items. */
typedef struct gemp_frame_map {
	bool items;             /* true: the frame has the items of a clause; false: the frame has matches */
	size_t vertices, edges; /* of a match */
	bool count_loops;       /* whether degrees count loops: see gemp_degree_loops */
} gemp_frame_map;

/* True if the expression itself is a column: a vertex, an edge, a value of WITH, or the value of a sub-pattern. */
bool gemp_frame_map_column(const gemp_frame_map *map, const gemp_expr *expr, size_t *column);

typedef struct gemp_lookup gemp_lookup;

/* Borrows the expressions. */
gemp_code gemp_lookup_new(gemp_lookup **out, gemp_runtime *context, gemp_shard *graph, const gemp_frame_map *map,
                          const gemp_expr *const *exprs, size_t count);
void gemp_lookup_free(gemp_lookup *lookup);
GEMP_RELEASE(gemp_lookup_free, gemp_lookup *)
/* Sets used[column] for the columns of a frame that the expressions read. */
void gemp_lookup_uses(const gemp_frame_map *map, const gemp_expr *expr, bool *used);

/* Collective. Fetches the requested values for the rows of this frame. The frame must stay alive until the next fetch
 * or gemp_lookup_forget. */
gemp_code gemp_lookup_fetch(gemp_lookup *lookup, const gemp_frame *frame);
void gemp_lookup_forget(gemp_lookup *lookup);

/* If the expression is only an attribute or the key of a vertex, returns the column whose rows are its values, and sets
 * index[i] for row first + i of the frame, i < count, to the row of that column, or GEMP_NO_ROW for a missing vertex.
 * Returns NULL for all other expressions. `index` may be NULL. Threads may call it concurrently. */
const gemp_column *gemp_lookup_rows(const gemp_lookup *lookup, const gemp_expr *expr, size_t first, size_t count,
                                    uint32_t *index);

/* Reads the rows of the frame one after the other. Each thread has a reader of its own. */
typedef struct gemp_lookup_reader {
	const gemp_lookup *lookup;
	size_t row;       /* the caller sets it before it evaluates an expression */
	gemp_scope scope; /* of gemp_lookup_reader_init; it points to the reader, which must not be moved */
} gemp_lookup_reader;

void gemp_lookup_reader_init(gemp_lookup_reader *reader, const gemp_lookup *lookup);

#endif
