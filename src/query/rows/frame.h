/* frame: a block of a query's rows, stored by columns, which one stage of the query passes to the next; and
 * gemp_row_stage, the interface of the stages.
 *
 * A frame has columns[count] of `rows` cells each. The cells of a column are ids of vertices, numbers of edges, or
 * values. Elements (vertices and edges) stay ids until a stage reads their attributes or writes them.
 * multiplicity[rows] is the number of times that each row counts, so that equal rows need not be repeated. */

#ifndef GEMP_QUERY_ROWS_FRAME_H
#define GEMP_QUERY_ROWS_FRAME_H

#include "graph/column.h"

#include <stdlib.h>

typedef enum gemp_cell_kind { GEMP_CELL_VALUE, GEMP_CELL_VERTEX, GEMP_CELL_EDGE } gemp_cell_kind;

#define GEMP_NO_ELEMENT UINT64_MAX /* a NULL element: OPTIONAL MATCH found none */

typedef struct gemp_frame_column {
	gemp_cell_kind kind;
	gemp_column values; /* of a column of values; other columns use its name and type only */
	uint64_t *elements; /* [rows] ids, or GEMP_NO_ELEMENT; NULL if no clause reads this column */
	size_t capacity;
	/* Of a column of values that are rows of another column, for example of an attribute in the graph: the other column
	 * (borrowed until the push ends) and [rows] rows of it, or GEMP_NO_ROW for NULL. `values` is empty then. */
	const gemp_column *dictionary;
	uint32_t *index;
	size_t index_capacity;
	/* Of a column of arguments that were folded (clause/folded_groups.h): [rows] number of values that each row stands
	 * for, however often the row counts (borrowed until the push ends); NULL: a row has its own value. */
	const uint64_t *folded;
} gemp_frame_column;

typedef struct gemp_frame {
	size_t rows, count;
	gemp_frame_column *columns; /* [count] */
	uint64_t *multiplicity;     /* [rows] number of times that each row counts; NULL: each row counts once */
	size_t multiplicity_capacity;
} gemp_frame;

/* Makes columns of values without a type. gemp_frame_set gives each column its kind, name and type. */
gemp_code gemp_frame_init(gemp_frame *frame, size_t count);
gemp_code gemp_frame_set(gemp_frame *frame, size_t column, gemp_cell_kind kind, const char *name, gemp_type type);
/* The first `count` columns get the kinds, names and types of the columns of `from`. */
gemp_code gemp_frame_set_like(gemp_frame *frame, const gemp_frame *from, size_t count);
/* *out becomes a frame with the columns of `frame`, without rows. */
gemp_code gemp_frame_like(gemp_frame *out, const gemp_frame *frame);
void gemp_frame_column_free(gemp_frame_column *column); /* for a column that is in no frame */
void gemp_frame_free(gemp_frame *frame);
void gemp_frame_clear(gemp_frame *frame);          /* keeps the columns and their memory */
size_t gemp_frame_memory(const gemp_frame *frame); /* in bytes */

/* Appends all rows of `from`, which must have the same columns. */
gemp_code gemp_frame_append(gemp_frame *frame, const gemp_frame *from);
/* *out becomes the rows picked[0] to picked[count - 1] of `frame`, in this order. */
gemp_code gemp_frame_pick(gemp_frame *out, const gemp_frame *frame, const uint64_t *picked, size_t count);
/* *out becomes the rows from `first` to first + count - 1 of `frame`. */
gemp_code gemp_frame_slice(gemp_frame *out, const gemp_frame *frame, size_t first, size_t count);
/* Gives the columns with a dictionary values of their own. */
gemp_code gemp_frame_flatten(gemp_frame *frame);
/* Repeats every row as often as its multiplicity says, but no row more than max_times times. */
gemp_code gemp_frame_expand(gemp_frame *frame, uint64_t max_times);

gemp_value gemp_frame_value(const gemp_frame_column *column, size_t row); /* for a column of values */
bool gemp_frame_is_null(const gemp_frame_column *column, size_t row);
/* `row` is the number of rows that the column has so far */
gemp_code gemp_frame_add_element(gemp_frame_column *column, size_t row, uint64_t element);

/* gemp_cell_pack appends a cell as bytes. Two cells are equal exactly if their bytes are (NaN equals NaN, 0.0 equals
 * -0.0). gemp_cell_unpack appends the cell at *at to a column that has `row` rows so far, and moves *at behind the
 * cell. */
void gemp_cell_pack(const gemp_frame_column *column, size_t row, gemp_text *out);
gemp_code gemp_cell_unpack(gemp_frame_column *column, size_t row, const char **at, const char *end);

/* gemp_frame_pack appends every step-th row of [first, end) as bytes, cell by cell, with -0.0 as it is.
 * gemp_frame_unpack appends the rows in such bytes to a frame with the same columns. */
gemp_code gemp_frame_pack(const gemp_frame *frame, size_t first, size_t end, size_t step, gemp_text *out);
gemp_code gemp_frame_unpack(gemp_frame *frame, const char *at, const char *end);

/* The order of ORDER BY, min and max: numbers by value, then NaN; strings bytewise; false before true. NULL comes
 * last. */
int gemp_value_order(const gemp_value *a, const gemp_value *b);
/* A number that compares with those of other values of the type as the values do. Strings with equal first 8 bytes have
 * equal numbers, and so have NULL, NaN and the largest integer. gemp_order_value is the inverse for numbers and
 * booleans, except NULL. */
uint64_t gemp_order_bits(const gemp_value *value);
gemp_value gemp_order_value(gemp_type type, uint64_t bits);
/* Maps values that are equal in this order to one value: all NaNs become one NaN, and -0.0 becomes 0.0. */
gemp_value gemp_value_canonical(gemp_value value);

/* A stage is one step of the clauses between the matches and the output; each stage pushes its rows into the next. */

typedef struct gemp_row_stage {
	void *self;
	/* Collective. Takes this rank's next rows. The stage may change the frame or take its arrays, and the caller clears
	 * the frame afterwards. `last` is true if no more rows follow. The stage sets *enough, equally on all ranks, when
	 * it wants no more rows; all later stages have had their last rows by then. All ranks return the same code. */
	gemp_code (*push)(void *self, gemp_frame *frame, bool last, bool *enough);
	void (*free)(void *self);
} gemp_row_stage; /* {0}: no stage */

static inline void gemp_row_stage_free(gemp_row_stage *stage)
{
	if (stage->free)
		stage->free(stage->self);
	*stage = (gemp_row_stage){ 0 };
}

#endif
