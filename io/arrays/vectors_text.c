#include "io/arrays/vectors_text.h"

#include "comm/exchange.h"
#include "core/memory.h"
#include "core/text.h"
#include "io/text/lines.h"
#include "io/text/text_cells.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 64, SHOWN = 24 };

/* How the table is laid out, the same on all ranks. */
typedef struct layout {
	uint64_t header;  /* its line; 0: none */
	uint64_t columns; /* with that of keys */
	int64_t key;      /* column of keys; -1: none */
} layout;

typedef struct reading {
	gemp_vectors *out;
	const char *key; /* as asked for */
	bool csv;
	layout layout;
	gemp_cells cells;
	size_t room; /* floats in out->x */
	/* of the head */
	size_t seen; /* lines that are not empty */
	bool enough;
} reading;

static gemp_code split(reading *r, const gemp_line *line)
{
	return r->csv ? gemp_cells_csv(&r->cells, line->text, line->size)
	              : gemp_cells_tsv(&r->cells, line->text, line->size);
}

/* ONE NUMBER */

static bool is_word(const gemp_text_cell *cell, const char *word)
{
	return cell->size == strlen(word) && strncasecmp(cell->bytes, word, cell->size) == 0;
}

/* False: the cell is no number. */
static bool parse(const gemp_text_cell *cell, double *value)
{
	char copy[LONGEST + 1], *end;
	*value = (double)NAN;
	if (cell->size == 0 || is_word(cell, "nan") || is_word(cell, "na"))
		return true;
	if (cell->size > LONGEST || memchr(cell->bytes, 'x', cell->size) || memchr(cell->bytes, 'X', cell->size))
		return false;
	memcpy(copy, cell->bytes, cell->size);
	copy[cell->size] = '\0';
	*value = strtod(copy, &end);
	end += strspn(end, " ");
	return end == copy + cell->size && !isnan(*value);
}

/* THE HEAD */

static gemp_code keep_names(reading *r)
{
	size_t kept = 0;
	GEMP_PROPAGATE(GEMP_NEW(r->out->names, r->cells.count));
	for (size_t c = 0; c < r->cells.count; c++) {
		const gemp_text_cell *cell = &r->cells.cell[c];
		if (r->key && cell->size == strlen(r->key) && memcmp(cell->bytes, r->key, cell->size) == 0)
			r->layout.key = (int64_t)c;
		r->out->names[c] = gemp_strndup(cell->bytes, cell->size);
		if (!r->out->names[c])
			return GEMP_ENOMEM;
		r->out->dims = (uint32_t)++kept;
	}
	return GEMP_OK;
}

/* The first line that is not empty, and the one behind a header. */
static gemp_code inspect_line(void *self, const gemp_line *line)
{
	reading *r = self;
	double value;
	bool names = false;
	if (line->size == 0)
		return GEMP_OK;
	GEMP_PROPAGATE(split(r, line));
	for (size_t c = r->cells.count > 1; c < r->cells.count; c++)
		names |= !parse(&r->cells.cell[c], &value);
	if (r->seen++ == 0 && names) {
		r->layout.header = line->line;
		r->layout.columns = r->cells.count;
		return keep_names(r);
	}
	r->layout.columns = r->layout.columns ? r->layout.columns : r->cells.count;
	if (r->layout.key < 0 && !r->key && r->cells.count > 1 && !parse(&r->cells.cell[0], &value))
		r->layout.key = 0;
	r->enough = true;
	return GEMP_OK;
}

/* Local. All ranks read the same few lines. */
static gemp_code read_head(reading *r, const char *path)
{
	gemp_code code = GEMP_OK;
	gemp_vectors *out = r->out;
	size_t key;
	GEMP_TRY(gemp_lines_head(path, inspect_line, r, &r->enough));
	if (r->key && r->layout.key < 0)
		GEMP_TRY(gemp_fail(GEMP_EUSAGE, "--key %s: %s", r->key,
		                   r->layout.header ? "the table's header has no such column"
		                                    : "the table has no header, so that its columns have no names"));
	key = r->layout.key >= 0;
	if (r->layout.columns <= key)
		GEMP_TRY(gemp_fail(GEMP_EDATA, "%s: holds no columns of numbers", path));
	if (out->names && key) {
		gemp_free(out->names[r->layout.key]);
		memmove(out->names + r->layout.key, out->names + r->layout.key + 1,
		        (r->layout.columns - (size_t)r->layout.key - 1) * sizeof *out->names);
	}
	out->dims = (uint32_t)(r->layout.columns - key);
	if (key) {
		GEMP_TRY(gemp_column_init(&out->keys, "key", GEMP_STRING));
		code = gemp_column_reserve(&out->keys, 0, 0);
	}
done:
	return code;
}

/* ROWS */

static gemp_code refuse(const reading *r, size_t column, const gemp_text_cell *cell, const char *why)
{
	const int length = (int)(cell->size < SHOWN ? cell->size : SHOWN);
	size_t number = column - (r->layout.key >= 0 && (int64_t)column > r->layout.key);
	const char *name = r->out->names ? r->out->names[number] : NULL;
	return gemp_fail(GEMP_EDATA, "column %zu%s%s%s: '%.*s%s' %s", column + 1, name ? " (" : "", name ? name : "",
	                 name ? ")" : "", length, cell->bytes, cell->size > SHOWN ? "..." : "", why);
}

static gemp_code read_row(void *self, const gemp_line *line)
{
	reading *r = self;
	gemp_vectors *out = r->out;
	if (line->size == 0 || line->line == r->layout.header)
		return GEMP_OK;
	GEMP_PROPAGATE(split(r, line));
	if (r->cells.count != r->layout.columns)
		return gemp_fail(GEMP_EDATA, "column %zu: this row has %zu column%s, and the first one %" PRIu64,
		                 r->cells.count, r->cells.count, r->cells.count == 1 ? "" : "s", r->layout.columns);
	GEMP_PROPAGATE(GEMP_RESERVE(out->x, r->room, (out->count + 1) * out->dims));
	float *to = out->x + out->count * out->dims;
	for (size_t c = 0; c < r->cells.count; c++) {
		const gemp_text_cell *cell = &r->cells.cell[c];
		double value;
		if ((int64_t)c == r->layout.key) {
			GEMP_PROPAGATE(gemp_column_add(
				&out->keys, &(gemp_value){ .type = GEMP_STRING, .string = { cell->bytes, cell->size } }));
			continue;
		}
		if (!parse(cell, &value))
			return refuse(r, c, cell, "is not a number; an empty cell, nan or NA is a missing one");
		if (fabs(value) > (double)FLT_MAX)
			return refuse(r, c, cell, "is more than a float holds");
		*to++ = (float)value;
	}
	out->count++;
	return GEMP_OK;
}

/* TO THEIR RANKS */

/* This rank's rows that rank `to` is to have: [*begin, *end). */
static void part_for(const gemp_comm *comm, int to, uint64_t first, uint64_t count, uint64_t all, size_t *begin,
                     size_t *end)
{
	gemp_comm other = *comm;
	other.rank = to;
	gemp_block_range span = gemp_comm_block(&other, all);
	uint64_t from = span.begin > first ? span.begin - first : 0, until = span.end > first ? span.end - first : 0;
	*begin = from < count ? from : count;
	*end = until < count ? until : count;
}

/* Collective. Keys as gemp_column_pack has them. */
static gemp_code exchange_keys(gemp_vectors *v, const gemp_comm *comm, uint64_t first, size_t *sizes, size_t *received)
{
	gemp_code code = GEMP_OK;
	gemp_text packed = { 0 };
	gemp_column keys = { 0 };
	void *bytes = NULL;
	size_t capacity = 0, begin, end, total = 0, before = 0;
	gemp_text_add(&packed, "", 0);
	for (int to = 0; to < comm->size && code == GEMP_OK; to++) {
		part_for(comm, to, first, v->keys.rows, v->total, &begin, &end);
		for (size_t row = begin; row < end && code == GEMP_OK; row++)
			code = gemp_column_pack(&v->keys, row, &packed);
		sizes[to] = packed.size - before;
		before = packed.size;
	}
	GEMP_TRY(gemp_comm_agree(comm, code == GEMP_OK ? gemp_text_status(&packed) : code));
	GEMP_TRY(gemp_exchange(comm, packed.data, sizes, &bytes, &capacity, received, NULL));
	for (int from = 0; from < comm->size; from++)
		total += received[from];
	code = gemp_column_init(&keys, "key", GEMP_STRING);
	GEMP_THEN(gemp_column_reserve(&keys, 0, 0));
	for (const char *at = bytes, *stop = at + total; at < stop && code == GEMP_OK;)
		code = gemp_column_unpack(&keys, &at, stop);
	GEMP_TRY(gemp_comm_agree(comm, code));
	gemp_column_free(&v->keys);
	v->keys = keys;
	keys = (gemp_column){ 0 };
done:
	gemp_column_free(&keys);
	gemp_text_free(&packed);
	gemp_free(bytes);
	return code;
}

/* Collective. Each rank has the rows of its bytes, and is to have its share. */
static gemp_code exchange_rows(gemp_vectors *v, const gemp_comm *comm)
{
	gemp_code code = GEMP_OK;
	uint64_t first = gemp_comm_exscan(comm, v->count), all = gemp_comm_sum1(comm, v->count);
	size_t *sizes = NULL, *received = NULL, capacity = 0, begin, end, width = v->dims * sizeof(float);
	void *rows = NULL;
	v->total = all;
	code = GEMP_NEW(sizes, (size_t)comm->size);
	GEMP_THEN(GEMP_NEW(received, (size_t)comm->size));
	GEMP_TRY(gemp_comm_agree(comm, code));
	for (int to = 0; to < comm->size; to++) {
		part_for(comm, to, first, v->count, all, &begin, &end);
		sizes[to] = (end - begin) * width;
	}
	GEMP_TRY(gemp_exchange(comm, v->x, sizes, &rows, &capacity, received, NULL));
	gemp_block_range span = gemp_comm_block(comm, all);
	gemp_free(v->x);
	v->x = rows;
	rows = NULL;
	v->count = span.end - span.begin;
	if (!v->x)
		code = GEMP_NEW(v->x, 1);
	GEMP_TRY(gemp_comm_agree(comm, code));
	if (gemp_column_loaded(&v->keys))
		code = exchange_keys(v, comm, first, sizes, received);
done:
	gemp_free(rows);
	gemp_free(sizes);
	gemp_free(received);
	return code;
}

static bool is_csv(const char *path)
{
	static const char *const endings[] = { ".csv", ".csv.gz", ".csv.zst" };
	size_t length = strlen(path);
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
		if (length > strlen(endings[i]) && strcmp(path + length - strlen(endings[i]), endings[i]) == 0)
			return true;
	return false;
}

gemp_code gemp_vectors_read_text(gemp_vectors *out, const gemp_comm *comm, const char *path, const char *key)
{
	gemp_code code = GEMP_OK;
	reading r = { .out = out, .key = key, .csv = is_csv(path), .layout = { .key = -1 } };
	gemp_lines lines;
	GEMP_TRY(gemp_lines_open(&lines, comm, path, NULL, 0));
	GEMP_TRY(gemp_comm_agree(comm, read_head(&r, path)));
	GEMP_TRY(gemp_lines_visit(&lines, comm, read_row, &r));
	code = exchange_rows(out, comm);
done:
	gemp_cells_free(&r.cells);
	return code;
}
