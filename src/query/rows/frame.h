/* frame: a block of a query's rows between two stages, by columns; and gemp_row_stage, the interface of stages.
 *
 * A frame has columns[count] of `rows` cells each: ids of vertices, numbers of edges, or values. Elements stay ids
 * until their attributes are read or they are written. multiplicity[rows] says how often each row stands there, so
 * that equal rows need not be repeated.
 */

#ifndef GEMP_QUERY_ROWS_FRAME_H
#define GEMP_QUERY_ROWS_FRAME_H

#include "graph/column.h"

#include <stdlib.h>

typedef enum gemp_cell_kind { GEMP_CELL_VALUE, GEMP_CELL_VERTEX, GEMP_CELL_EDGE } gemp_cell_kind;

#define GEMP_NO_ELEMENT UINT64_MAX /* where OPTIONAL MATCH found none; it is NULL */

typedef struct gemp_frame_column {
	gemp_cell_kind kind;
	gemp_column values; /* of values; else it has name and type only */
	uint64_t *elements; /* [rows] of vertices and edges, or GEMP_NO_ELEMENT; NULL: no clause reads this column */
	size_t capacity;
} gemp_frame_column;

typedef struct gemp_frame {
	size_t rows, count;
	gemp_frame_column *columns; /* [count] */
	uint64_t *multiplicity;     /* [rows] number of times that each row counts; NULL: once */
	size_t multiplicity_capacity;
} gemp_frame;

/* Columns of values without a type; gemp_frame_set gives each its kind, name and type. */
gemp_code gemp_frame_init(gemp_frame *frame, size_t count);
gemp_code gemp_frame_set(gemp_frame *frame, size_t column, gemp_cell_kind kind, const char *name, gemp_type type);
/* The first `count` columns get the kinds, names and types of those of `from`. */
gemp_code gemp_frame_set_like(gemp_frame *frame, const gemp_frame *from, size_t count);
/* out gets the columns of frame, without rows. */
gemp_code gemp_frame_like(gemp_frame *out, const gemp_frame *frame);
void gemp_frame_column_free(gemp_frame_column *column); /* of a column that is in no frame */
void gemp_frame_free(gemp_frame *frame);
void gemp_frame_clear(gemp_frame *frame);          /* keeps columns and memory */
size_t gemp_frame_memory(const gemp_frame *frame); /* bytes */

/* All rows of `from`, which has the same columns. */
gemp_code gemp_frame_append(gemp_frame *frame, const gemp_frame *from);
/* out becomes the rows picked[0..count) of frame, in that order; out is initialised here. */
gemp_code gemp_frame_pick(gemp_frame *out, const gemp_frame *frame, const uint64_t *picked, size_t count);
/* The same of rows [first, first + count). */
gemp_code gemp_frame_slice(gemp_frame *out, const gemp_frame *frame, size_t first, size_t count);
/* Repeats every row as often as its multiplicity says, but at most max_times times. */
gemp_code gemp_frame_expand(gemp_frame *frame, uint64_t max_times);

gemp_value gemp_frame_value(const gemp_frame_column *column, size_t row); /* of a column of values */
bool gemp_frame_is_null(const gemp_frame_column *column, size_t row);
gemp_code gemp_frame_add_element(gemp_frame_column *column, size_t row, uint64_t element); /* row: the next one */

/* A cell as bytes: equal bytes are equal cells (NaN equals NaN, 0.0 equals -0.0); appended, and read back to the end of
 * a column whose rows so far are `row`; *at advances. */
void gemp_cell_pack(const gemp_frame_column *column, size_t row, gemp_text *out);
gemp_code gemp_cell_unpack(gemp_frame_column *column, size_t row, const char **at, const char *end);

/* The order of ORDER BY and of min and max: numbers by value, then NaN; strings bytewise; false before true. NULL comes
 * last. */
int gemp_value_order(const gemp_value *a, const gemp_value *b);
/* Values that are equal in this order become the same value: all NaNs become one, and -0.0 becomes 0.0. */
gemp_value gemp_value_canonical(gemp_value value);

/* A stage is one step of the clauses between the matches and the output; each stage pushes its rows into the next. */

typedef struct gemp_row_stage {
	void *self;
	/* Collective. Takes this rank's next rows. The stage may change the frame or take its arrays; the caller clears the
	 * rest. last: no more rows follow. The stage sets *enough, equally on all ranks, when it wants no more rows: all
	 * stages behind it have had their last rows then. All ranks return the same code. */
	gemp_code (*push)(void *self, gemp_frame *frame, bool last, bool *enough);
	void (*free)(void *self);
} gemp_row_stage; /* {0}: none */

static inline void gemp_row_stage_free(gemp_row_stage *stage)
{
	if (stage->free)
		stage->free(stage->self);
	*stage = (gemp_row_stage){ 0 };
}

#endif
