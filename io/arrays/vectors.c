/* Threads parse the rows of a text table chunk by chunk. A rank's bytes hold an unknown number of rows, so after
 * parsing the rows are sent to the ranks whose blocks contain them. Columns can be selected by name: a map that was
 * trained on some columns can be applied to a table that has more columns or another order. */

#include "io/arrays/vectors.h"

#include "core/random.h"
#include "core/status.h"
#include "core/threads.h"
#include "io/arrays/array_file.h"
#include "io/file/output.h"
#include "io/text/cells.h"
#include "io/text/lines.h"
#include "partition/exchange/value_exchange.h"

#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_DIMS = 1 << 20 };

/* Tests that the sizes and the arrays are consistent. */
static inline bool gemp_vectors_is_valid(const gemp_vectors *vectors)
{
	return vectors->x && vectors->dims > 0 && vectors->count <= vectors->total &&
	       (!gemp_column_loaded(&vectors->keys) || vectors->keys.rows == vectors->count);
}

/* The vectors may be read only in part, after a failure. */
void gemp_vectors_free(gemp_vectors *vectors)
{
	for (uint32_t c = 0; vectors->names && c < vectors->dims; c++)
		gemp_free(vectors->names[c]);
	gemp_free_all(vectors->names, vectors->x);
	gemp_column_free(&vectors->keys);
	*vectors = (gemp_vectors){ 0 };
}

/* Local. Allocates this rank's block of `rows` rows. A dataset may claim any shape without storing bytes, so the sizes
 * are checked before memory is requested. */
static gemp_code gemp_vectors_alloc(gemp_vectors *out, const gemp_comm *comm, const char *place, uint64_t rows,
                                    uint64_t columns)
{
	if (columns == 0 || columns > MAX_DIMS)
		return gemp_fail(GEMP_EDATA, "%s: has vectors of %" PRIu64 " numbers; 1 to %d are read", place, columns,
		                 MAX_DIMS);
	gemp_block_range span = gemp_comm_block(comm, rows);
	if (span.end - span.begin > SIZE_MAX / sizeof *out->x / columns)
		return gemp_fail(GEMP_ENOMEM, "%s: has %" PRIu64 " vectors of %" PRIu64 " numbers: more than any memory holds",
		                 place, rows, columns);
	out->count = span.end - span.begin;
	out->dims = (uint32_t)columns;
	out->total = rows;
	return GEMP_NEW(out->x, out->count * columns);
}

/* The hash is the sum of the hashes of all rows, each with the row's number as the seed. So the hash does not depend on
 * the distribution over ranks. */
uint64_t gemp_vectors_hash(const gemp_vectors *vectors, const gemp_comm *comm)
{
	assert(gemp_vectors_is_valid(vectors));
	const uint64_t first = gemp_comm_block(comm, vectors->total).begin;
	return gemp_comm_sum1(comm, gemp_hash_sum(vectors->x, vectors->dims * sizeof *vectors->x, vectors->count, first));
}

/* SELECTION */

/* The index of the column names[c]; v->dims if there is none. If several columns have this name, the second one in
 * `names` is the second one in the table, and so on. */
static uint32_t column_of(const gemp_vectors *v, char *const *names, uint32_t c)
{
	uint32_t alike = 0, at = 0;
	for (uint32_t before = 0; before < c; before++)
		alike += strcmp(names[before], names[c]) == 0;
	while (at < v->dims && (strcmp(v->names[at], names[c]) != 0 || alike-- > 0))
		at++;
	return at;
}

/* Two equal names need two columns of this name. */
bool gemp_vectors_have(const gemp_vectors *vectors, char *const *names, uint32_t dims)
{
	uint32_t c = 0;
	while (c < dims && column_of(vectors, names, c) < vectors->dims)
		c++;
	return c == dims;
}

/* Replaces the columns by copies of the columns from[dims]. After a failure the vectors are unchanged. */
static gemp_code keep_columns(gemp_vectors *v, const uint32_t *from, uint32_t dims)
{
	GEMP_OWNED_BY(gemp_vectors_free) gemp_vectors kept = { .dims = dims };
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(kept.x, v->count * dims), GEMP_ARRAY(kept.names, dims)));
	for (uint32_t c = 0; c < dims; c++) {
		kept.names[c] = gemp_strdup(v->names[from[c]]);
		GEMP_TRY(kept.names[c] ? GEMP_OK : GEMP_ENOMEM);
	}
	for (size_t i = 0; i < v->count; i++)
		for (uint32_t c = 0; c < dims; c++)
			kept.x[i * dims + c] = v->x[i * v->dims + from[c]];
	for (uint32_t c = 0; c < v->dims; c++)
		gemp_free(v->names[c]);
	gemp_free_all(v->names, v->x);
	v->x = kept.x;
	v->names = kept.names;
	v->dims = dims;
	kept = (gemp_vectors){ 0 };
	return GEMP_OK;
}

/* Local. Nothing is copied if the columns have the wanted order already, which is the usual case. */
static gemp_code select_columns(gemp_vectors *vectors, const char *place, char *const *names, uint32_t dims)
{
	GEMP_OWNED uint32_t *from = NULL;
	bool same = dims == vectors->dims;
	GEMP_TRY(GEMP_NEW(from, dims));
	for (uint32_t c = 0; c < dims; c++) {
		from[c] = column_of(vectors, names, c);
		if (from[c] == vectors->dims)
			return gemp_fail(GEMP_EDATA,
			                 "%s: has no column '%s'; give the columns that the map was trained on, in any order",
			                 place, names[c]);
		same &= from[c] == c;
	}
	return same ? GEMP_OK : keep_columns(vectors, from, dims);
}

/* Missing values are counted again, since only the selected columns count. */
gemp_code gemp_vectors_select(gemp_vectors *vectors, const gemp_comm *comm, const char *place, char *const *names,
                              uint32_t dims)
{
	uint64_t missing = 0;
	assert(gemp_vectors_is_valid(vectors));
	GEMP_TRY(gemp_comm_agree(comm, select_columns(vectors, place, names, dims)));
	for (size_t i = 0; i < vectors->count * dims; i++)
		missing += isnan(vectors->x[i]) != 0;
	vectors->missing = gemp_comm_sum1(comm, missing);
	return GEMP_OK;
}

/* TABLES OF TEXT */

enum { MAX_CELL = 64, MAX_SHOWN = 24 /* maximal numbers of bytes of a cell: for a number, and in messages */ };

/* The layout of the table; it is the same on all ranks. */
typedef struct table_layout {
	uint64_t header;  /* line number of the header; 0: no header */
	uint64_t columns; /* number of columns, including the column of keys */
	int64_t key;      /* index of the column of keys; -1: none */
} table_layout;

/* The rows in one chunk of lines. */
typedef struct parsed_chunk {
	float *x; /* [lines of the chunk][dims] */
	size_t rows;
	gemp_column keys;
} parsed_chunk;

typedef struct table_reader {
	gemp_vectors *out;
	const char *key; /* the name of the column of keys, if the user gives one, else NULL */
	bool csv;
	table_layout layout;
	gemp_cells *cells; /* [threads] */
	parsed_chunk parsed[GEMP_LINE_CHUNKS];
	size_t capacity;   /* allocated floats of out->x */
	size_t lines_seen; /* number of non-empty lines that read_head has seen */
	bool head_is_read;
} table_reader;

static gemp_code split_row(const table_reader *r, gemp_cells *cells, const gemp_line *line)
{
	return r->csv ? gemp_cells_csv(cells, line->text, line->size) : gemp_cells_tsv(cells, line->text, line->size);
}

/* Returns false if the cell is no number. An empty cell, nan and NA are missing values, which become NaN. */
static bool parse_cell(const gemp_text_cell *cell, double *value)
{
	char copy[MAX_CELL + 1], *end;
	*value = (double)NAN;
	if (cell->size == 0 || gemp_cell_is(cell, "nan") || gemp_cell_is(cell, "na"))
		return true;
	if (cell->size > MAX_CELL || memchr(cell->bytes, 'x', cell->size) || memchr(cell->bytes, 'X', cell->size))
		return false;
	memcpy(copy, cell->bytes, cell->size);
	copy[cell->size] = '\0';
	*value = strtod(copy, &end);
	end += strspn(end, " ");
	return end == copy + cell->size && !isnan(*value);
}

/* THE HEAD */

/* Stores the names in the header, including the name of the column of keys, which read_head removes later. */
static gemp_code keep_names(table_reader *r)
{
	size_t kept = 0;
	GEMP_TRY(GEMP_NEW(r->out->names, r->cells->count));
	for (size_t c = 0; c < r->cells->count; c++) {
		const gemp_text_cell *cell = &r->cells->cell[c];
		if (r->key && cell->size == strlen(r->key) && memcmp(cell->bytes, r->key, cell->size) == 0)
			r->layout.key = (int64_t)c;
		r->out->names[c] = gemp_strndup(cell->bytes, cell->size);
		if (!r->out->names[c])
			return GEMP_ENOMEM;
		r->out->dims = (uint32_t)++kept;
	}
	return GEMP_OK;
}

/* Visits the first non-empty line. If this line is a header, visits the next non-empty line, too. */
static gemp_code inspect_line(void *self, const gemp_line *line)
{
	table_reader *r = self;
	double value;
	bool names = false;
	if (line->size == 0)
		return GEMP_OK;
	GEMP_TRY(split_row(r, r->cells, line));
	for (size_t c = r->cells->count > 1; c < r->cells->count; c++)
		names |= !parse_cell(&r->cells->cell[c], &value);
	if (r->lines_seen++ == 0 && names) {
		r->layout.header = line->line;
		r->layout.columns = r->cells->count;
		return keep_names(r);
	}
	r->layout.columns = r->layout.columns ? r->layout.columns : r->cells->count;
	if (r->layout.key < 0 && !r->key && r->cells->count > 1 && !parse_cell(&r->cells->cell[0], &value))
		r->layout.key = 0;
	r->head_is_read = true;
	return GEMP_OK;
}

/* Local. All ranks read the same first lines of the file. */
static gemp_code read_head(table_reader *r, const char *path)
{
	gemp_vectors *out = r->out;
	GEMP_TRY(gemp_lines_head(path, inspect_line, r, &r->head_is_read));
	if (r->key && r->layout.key < 0)
		return gemp_fail(GEMP_EUSAGE, "key %s: %s", r->key,
		                 r->layout.header ? "the table's header has no such column"
		                                  : "the table has no header that names its columns");
	const size_t key = r->layout.key >= 0;
	if (r->layout.columns <= key)
		return gemp_fail(GEMP_EDATA, "%s: holds no columns of numbers; add one", path);
	if (out->names && key) {
		gemp_free(out->names[r->layout.key]);
		memmove(out->names + r->layout.key, out->names + r->layout.key + 1,
		        (r->layout.columns - (size_t)r->layout.key - 1) * sizeof *out->names);
	}
	out->dims = (uint32_t)(r->layout.columns - key);
	if (!key)
		return GEMP_OK;
	GEMP_TRY(gemp_column_init(&out->keys, "key", GEMP_STRING));
	return gemp_column_reserve(&out->keys, 0, 0);
}

/* ROWS */

/* The message names the column. out->names lacks the column of keys, so the index of a later column is one less. */
static gemp_code refuse_cell(const table_reader *r, size_t column, const gemp_text_cell *cell, const char *why)
{
	const int length = (int)(cell->size < MAX_SHOWN ? cell->size : MAX_SHOWN);
	size_t number = column - (r->layout.key >= 0 && (int64_t)column > r->layout.key);
	const char *name = r->out->names ? r->out->names[number] : NULL;
	return gemp_fail(GEMP_EDATA, "column %zu%s%s%s: '%.*s%s' %s", column + 1, name ? " (" : "", name ? name : "",
	                 name ? ")" : "", length, cell->bytes, cell->size > MAX_SHOWN ? "..." : "", why);
}

/* Several threads call this function. A call uses only the cells of its thread and the output of its chunk. */
static gemp_code read_row(void *self, unsigned thread, size_t chunk, const gemp_line *line)
{
	table_reader *r = self;
	gemp_cells *cells = &r->cells[thread];
	parsed_chunk *p = &r->parsed[chunk];
	const uint32_t dims = r->out->dims;
	float *to = p->x + p->rows * dims;
	if (line->size == 0 || line->line == r->layout.header)
		return GEMP_OK;
	GEMP_TRY(gemp_utf8_require(line->text, line->size));
	GEMP_TRY(split_row(r, cells, line));
	if (cells->count != r->layout.columns)
		return gemp_fail(GEMP_EDATA, "column %zu: this row has %zu column%s, and the first one %" PRIu64, cells->count,
		                 cells->count, cells->count == 1 ? "" : "s", r->layout.columns);
	for (size_t c = 0; c < cells->count; c++) {
		const gemp_text_cell *cell = &cells->cell[c];
		double value;
		if ((int64_t)c == r->layout.key) {
			const gemp_value key = { .type = GEMP_STRING, .string = { cell->bytes, cell->size } };
			GEMP_TRY(gemp_column_add(&p->keys, &key));
			continue;
		}
		if (!parse_cell(cell, &value))
			return refuse_cell(r, c, cell, "is not a number; an empty cell, nan or NA is a missing one");
		if (fabs(value) > (double)FLT_MAX)
			return refuse_cell(r, c, cell, "is more than a float holds");
		*to++ = (float)value;
	}
	p->rows++;
	return GEMP_OK;
}

/* Empty lines leave gaps between the rows of chunks. This function closes the gaps. */
static gemp_code gather_chunks(table_reader *r)
{
	gemp_vectors *out = r->out;
	for (size_t i = 0; i < GEMP_LINE_CHUNKS; i++) {
		const parsed_chunk *p = &r->parsed[i];
		float *to = out->x + out->count * out->dims;
		if (to != p->x)
			memmove(to, p->x, p->rows * out->dims * sizeof *to);
		out->count += p->rows;
		for (size_t row = 0; row < p->keys.rows; row++) {
			const gemp_value key = gemp_column_get(&p->keys, row);
			GEMP_TRY(gemp_column_add(&out->keys, &key));
		}
	}
	return GEMP_OK;
}

/* Each chunk has memory for as many rows as it has lines, so threads need no common counter. */
static gemp_code read_block(void *self, const gemp_line_chunks *chunks, gemp_line_failure *failure)
{
	table_reader *r = self;
	gemp_vectors *out = r->out;
	const uint64_t before = chunks->chunk[0].lines_before;
	gemp_code code = GEMP_RESERVE(out->x, r->capacity, (out->count + chunks->lines) * out->dims);
	memset(r->parsed, 0, sizeof r->parsed);
	for (size_t i = 0; i < GEMP_LINE_CHUNKS && code == GEMP_OK; i++) {
		r->parsed[i].x = out->x + (out->count + chunks->chunk[i].lines_before - before) * out->dims;
		if (r->layout.key >= 0)
			code = gemp_column_init(&r->parsed[i].keys, "key", GEMP_STRING);
	}
	GEMP_THEN(gemp_line_chunks_visit(chunks, read_row, r, failure));
	GEMP_THEN(gather_chunks(r));
	for (size_t i = 0; i < GEMP_LINE_CHUNKS; i++)
		gemp_column_free(&r->parsed[i].keys);
	return code;
}

/* OWNERS OF ROWS */

/* owner[i] becomes the rank whose block contains this rank's i-th row. first: the number of this rank's first row among
 * the rows of all ranks. */
static void find_owners(const gemp_comm *comm, uint64_t first, size_t count, uint64_t total, int *owner)
{
	gemp_comm other = *comm;
	size_t row = 0;
	for (other.rank = 0; other.rank < comm->size; other.rank++) {
		const uint64_t end = gemp_comm_block(&other, total).end;
		for (; row < count && first + row < end; row++)
			owner[row] = other.rank;
	}
}

/* Collective. Each rank has read the rows in its part of the file. Afterwards it holds its block of all rows. */
static gemp_code exchange_rows(gemp_vectors *v, const gemp_comm *comm)
{
	const uint64_t first = gemp_comm_exscan(comm, v->count);
	gemp_column keys = { 0 };
	GEMP_OWNED int *owner = NULL;
	GEMP_OWNED void *rows = NULL;
	GEMP_OWNED size_t *from = NULL;
	v->total = gemp_comm_sum1(comm, v->count);
	gemp_code code = GEMP_NEW(owner, v->count);
	if (code == GEMP_OK)
		find_owners(comm, first, v->count, v->total, owner);
	GEMP_TRY(gemp_exchange_records(comm, code, v->x, v->count, v->dims * sizeof *v->x, owner, &rows, &from, NULL));
	if (gemp_column_loaded(&v->keys)) {
		GEMP_TRY(gemp_column_exchange(&keys, comm, &v->keys, owner));
		gemp_column_free(&v->keys);
		v->keys = keys;
	}
	gemp_free(v->x);
	v->x = rows;
	rows = NULL;
	v->count = from[comm->size];
	if (!v->x)
		code = GEMP_NEW(v->x, 1);
	return gemp_comm_agree(comm, code);
}

static void free_cells(table_reader *r)
{
	const unsigned threads = gemp_threads();
	for (unsigned t = 0; r->cells && t < threads; t++)
		gemp_cells_free(&r->cells[t]);
	gemp_free(r->cells);
}

/* A file with any other ending is read as TSV. */
static bool is_csv(const char *path)
{
	return gemp_file_ends_in(path, ".csv") || gemp_file_ends_in(path, ".csv.gz") || gemp_file_ends_in(path, ".csv.zst");
}

/* Collective. Every rank reads the head, since rows can be parsed only when header and key column are known. */
static gemp_code read_text(gemp_vectors *out, const gemp_comm *comm, const char *path, const char *key)
{
	gemp_lines lines;
	GEMP_OWNED_BY(free_cells)
	table_reader r = { .out = out, .key = key, .csv = is_csv(path), .layout.key = -1 };
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(r.cells, gemp_threads())));
	GEMP_TRY(gemp_lines_open(&lines, comm, path, NULL, 0));
	GEMP_TRY(gemp_comm_agree(comm, read_head(&r, path)));
	GEMP_TRY(gemp_lines_visit_blocks(&lines, comm, read_block, &r));
	return exchange_rows(out, comm);
}

/* ARRAYS OF NUMPY AND HDF5 */

/* Collective. Each rank reads its own block of rows, so nothing is exchanged. */
static gemp_code read_array(gemp_vectors *out, const gemp_comm *comm, const char *place)
{
	gemp_array_file file;
	gemp_code code = gemp_array_file_open(&file, place, 2);
	GEMP_THEN(gemp_vectors_alloc(out, comm, place, file.rows, file.columns));
	GEMP_THEN(gemp_array_file_read_floats(&file, gemp_comm_block(comm, out->total).begin, out->count, out->x));
	gemp_array_file_close(&file);
	return gemp_comm_agree(comm, code);
}

/* ALL FORMS OF FILES */

/* Without a header the columns are named x1, x2, ... */
static gemp_code name_columns(gemp_vectors *v)
{
	char name[16];
	v->named = v->names != NULL;
	if (v->named)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(v->names, v->dims));
	for (uint32_t c = 0; c < v->dims; c++) {
		snprintf(name, sizeof name, "x%" PRIu32, c + 1);
		v->names[c] = gemp_strdup(name);
		GEMP_TRY(v->names[c] ? GEMP_OK : GEMP_ENOMEM);
	}
	return GEMP_OK;
}

/* Refuses infinite values, counts missing values, and gives every NaN the bits of C's NAN. */
static gemp_code check_values(gemp_vectors *v, uint64_t first, const char *place)
{
	for (size_t i = 0; i < v->count * v->dims; i++) {
		if (isnan(v->x[i])) {
			v->missing++;
			v->x[i] = NAN;
		}
		if (isinf(v->x[i]))
			return gemp_fail(GEMP_EDATA,
			                 "%s: row %" PRIu64 ", column %zu (from 0) is infinite, or more than a float "
			                 "holds; leave it out, or make it NaN",
			                 place, first + i / v->dims, i % v->dims);
	}
	return GEMP_OK;
}

/* Each rank checks its own values, so the ranks agree on their codes before they sum the missing values. */
gemp_code gemp_vectors_read(gemp_vectors *out, const gemp_comm *comm, const char *place, const char *key)
{
	gemp_code code = GEMP_OK;
	const bool is_array = gemp_array_file_is(place);
	*out = (gemp_vectors){ 0 };
	if (key && is_array)
		code = gemp_fail(GEMP_EUSAGE, "key %s: %s is an array of numbers, without a column of keys; leave the key out",
		                 key, place);
	GEMP_TRY_DONE(gemp_comm_agree(comm, code));
	GEMP_TRY_DONE(is_array ? read_array(out, comm, place) : read_text(out, comm, place, key));
	code = name_columns(out);
	GEMP_THEN(check_values(out, gemp_comm_block(comm, out->total).begin, place));
	GEMP_TRY_DONE(gemp_comm_agree(comm, code));
	out->missing = gemp_comm_sum1(comm, out->missing);
done:
	if (code != GEMP_OK)
		gemp_vectors_free(out);
	return code;
}
