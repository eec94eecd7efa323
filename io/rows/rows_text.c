/* Each cell reserves the bytes that it may need, so the buffer of a chunk grows while the chunk is written, and a cell
 * is written once. Edges and strings with special characters are left to the functions for one cell. */

#include "io/rows/rows_text.h"

#include "core/memory.h"
#include "core/number_text.h"
#include "core/threads.h"
#include "io/text/cells.h"

#include <math.h>
#include <string.h>

enum {
	CHUNK = 1 << 11, /* rows that one thread writes at a time */
	BLOCK = 16,      /* bytes of a short string that are copied together, whatever its size */
	ROW_BYTES = 64,  /* bytes that a chunk reserves for each row at first */
	AHEAD = 16,      /* rows between the requests for an offset, for the bytes there, and their use */
};

/* A column, with the text in front of each of its cells: the separator, and in JSON the column's name. */
typedef struct cell_writer {
	const gemp_projected *column;
	const gemp_column *values;
	const uint32_t *index; /* as in gemp_projected; NULL: row i is row i */
	gemp_text before;
} cell_writer;

typedef struct rows_writer {
	gemp_row_form form;
	size_t count, chunks;
	cell_writer *cells; /* [count] */
	gemp_text *texts;   /* [chunks] */
	size_t *begin;      /* [chunks] where the text of a chunk begins in `to` */
	char *to;
} rows_writer;

/* Makes room for `bytes` more bytes. Returns NULL if there is no memory. */
static inline char *reserve(gemp_text *out, size_t bytes)
{
	if (out->capacity - out->size <= bytes &&
	    (out->failed || GEMP_RESERVE(out->data, out->capacity, out->size + bytes + 1) != GEMP_OK)) {
		out->failed = true;
		return NULL;
	}
	return out->data + out->size;
}

/* STRINGS */

static const uint64_t ones = UINT64_C(0x0101010101010101), high_bits = UINT64_C(0x8080808080808080);

/* Sets the high bit of some byte if one of the eight bytes is `byte`, and perhaps if a byte is byte + 1 or so. */
static inline uint64_t find_byte(uint64_t word, unsigned char byte)
{
	const uint64_t zero = word ^ (ones * byte);
	return (zero - ones) & ~zero & high_bits;
}

/* Not 0 if one of eight bytes may need an escape. */
static inline uint64_t find_special(uint64_t word, gemp_row_form form)
{
	const uint64_t control = (word - ones * ' ') & ~word & high_bits;
	switch (form) {
	case GEMP_ROWS_TSV: return control | find_byte(word, '\\');
	case GEMP_ROWS_CSV: return control | find_byte(word, '"') | find_byte(word, ',');
	default: return control | find_byte(word, '"') | find_byte(word, '\\');
	}
}

/* The last bytes of a string, fewer than 8, with points behind them. */
static inline uint64_t last_word(const char *bytes, size_t size, size_t readable)
{
	const uint64_t mask = (UINT64_C(1) << 8 * size) - 1;
	uint64_t word = 0;
	if (readable >= sizeof word)
		memcpy(&word, bytes, sizeof word);
	else
		memcpy(&word, bytes, size);
	return (word & mask) | (ones * '.' & ~mask);
}

/* True if the string is written as it is. JSON must be UTF-8, which is checked if a byte is not ASCII. */
static inline bool is_plain(gemp_row_form form, const char *bytes, size_t size, size_t readable)
{
	uint64_t special = 0, all = 0, word;
	size_t at = 0;
	for (; at + sizeof word <= size; at += sizeof word) {
		memcpy(&word, bytes + at, sizeof word);
		special |= find_special(word, form);
		all |= word;
	}
	if (at < size) {
		word = last_word(bytes + at, size - at, readable - at);
		special |= find_special(word, form);
		all |= word;
	}
	return !special && (form != GEMP_ROWS_JSON || !(all & high_bits) || gemp_utf8_check(bytes, size) == size);
}

/* readable: bytes behind `bytes` that may be read, at least `size`. The target has room for a block. */
static inline void copy_string(char *to, const char *bytes, size_t size, size_t readable)
{
	if (size <= BLOCK && readable >= BLOCK)
		memcpy(to, bytes, BLOCK);
	else if (size)
		memcpy(to, bytes, size);
}

static void put_string(gemp_text *out, gemp_row_form form, const char *bytes, size_t size, size_t readable)
{
	const bool quoted = form == GEMP_ROWS_JSON || (form == GEMP_ROWS_CSV && size == 0);
	if (!is_plain(form, bytes, size, readable)) {
		const gemp_value value = { .type = GEMP_STRING, .string = { bytes, size } };
		gemp_cell_text(out, form, &value);
		return;
	}
	char *to = reserve(out, size + BLOCK + 2);
	if (!to)
		return;
	*to = '"';
	to += quoted;
	copy_string(to, bytes, size, readable);
	to += size;
	*to = '"';
	to += quoted;
	out->size = (size_t)(to - out->data);
}

/* CELLS */

static inline void put_bytes(gemp_text *out, const char *bytes, size_t size)
{
	char *to = reserve(out, size);
	if (to)
		memcpy(to, bytes, size);
	out->size += to ? size : 0;
}

/* Most separators are one byte, and a call of memcpy would cost more than copying this byte. */
static inline void put_before(gemp_text *out, const gemp_text *before)
{
	char *to = reserve(out, before->size);
	if (!to)
		return;
	if (before->size == 1)
		*to = *before->data;
	else if (before->size)
		memcpy(to, before->data, before->size);
	out->size += before->size;
}

static void put_null(gemp_text *out, gemp_row_form form, size_t columns)
{
	if (form == GEMP_ROWS_JSON)
		put_bytes(out, "null", 4);
	else if (form == GEMP_ROWS_CSV && columns == 1) /* an empty line would be no row */
		put_bytes(out, "\"\"", 2);
}

static void put_value(gemp_text *out, gemp_row_form form, const gemp_column *values, size_t row)
{
	char *to;
	switch (values->type) {
	case GEMP_INTEGER:
		if ((to = reserve(out, GEMP_INTEGER_TEXT)))
			out->size = (size_t)(gemp_integer_put(to, values->integers[row]) - out->data);
		break;
	case GEMP_FLOAT:
		if (form == GEMP_ROWS_JSON && !isfinite(values->floats[row]))
			put_bytes(out, "null", 4);
		else if ((to = reserve(out, GEMP_FLOAT_TEXT)))
			out->size = (size_t)(gemp_float_put(to, values->floats[row]) - out->data);
		break;
	case GEMP_BOOLEAN:
		if (values->booleans[row])
			put_bytes(out, "true", 4);
		else
			put_bytes(out, "false", 5);
		break;
	case GEMP_STRING:
	case GEMP_LIST: {
		const uint64_t first = values->offsets[row], size = values->offsets[row + 1] - first;
		if (values->type == GEMP_LIST && form == GEMP_ROWS_JSON)
			put_bytes(out, values->bytes + first, size);
		else
			put_string(out, form, values->bytes + first, size, values->offsets[values->rows] - first);
	}
	}
}

static inline bool is_null(const cell_writer *cell, size_t place)
{
	return (cell->index && place == GEMP_NO_ROW) || (cell->values->null && cell->values->null[place]);
}

static void put_row(const rows_writer *w, gemp_text *out, size_t row)
{
	static const char *const after[] = { "\n", "\r\n", "}\n" };
	for (size_t c = 0; c < w->count; c++) {
		const cell_writer *cell = &w->cells[c];
		const size_t place = cell->index ? cell->index[row] : row;
		put_before(out, &cell->before);
		if (cell->column->edge && !is_null(cell, place))
			gemp_edge_text(out, w->form, cell->column, row);
		else if (is_null(cell, place))
			put_null(out, w->form, w->count);
		else
			put_value(out, w->form, cell->values, place);
	}
	put_bytes(out, after[w->form], w->form == GEMP_ROWS_TSV ? 1 : 2);
}

/* PREFETCHING: the rows of a dictionary are anywhere in memory, and the many branches of a cell keep the processor from
 * reading the next cells meanwhile. So the cache lines of later rows are requested. GCC takes a function that only
 * requests lines for one without effects and leaves it out, unless it is inlined. */

__attribute__((always_inline)) static inline void prefetch_cell(const cell_writer *cell, size_t near, size_t far)
{
	const gemp_column *values = cell->values;
	const bool text = gemp_is_text(values->type);
	if (far != GEMP_NO_ROW) {
		if (values->null)
			__builtin_prefetch(values->null + far);
		__builtin_prefetch(text                           ? (const void *)(values->offsets + far)
		                   : values->type == GEMP_BOOLEAN ? (const void *)(values->booleans + far)
		                   : values->type == GEMP_INTEGER ? (const void *)(values->integers + far)
		                                                  : values->floats + far);
	}
	if (text && near != GEMP_NO_ROW)
		__builtin_prefetch(values->bytes + values->offsets[near]);
}

__attribute__((always_inline)) static inline void prefetch(const rows_writer *w, size_t row, size_t end)
{
	if (row + 2 * AHEAD >= end)
		return;
	for (size_t c = 0; c < w->count; c++)
		if (w->cells[c].index)
			prefetch_cell(&w->cells[c], w->cells[c].index[row + AHEAD], w->cells[c].index[row + 2 * AHEAD]);
}

/* Each chunk has its own text, so threads need no lock. */
static void write_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	const rows_writer *w = context;
	gemp_text *out = &w->texts[chunk];
	if (!reserve(out, (end - begin) * ROW_BYTES))
		return;
	for (size_t row = begin; row < end && !out->failed; row++) {
		prefetch(w, row, end);
		put_row(w, out, row);
	}
}

/* JOINING */

static void join_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	const rows_writer *w = context;
	(void)begin;
	(void)end;
	memcpy(w->to + w->begin[chunk], w->texts[chunk].data, w->texts[chunk].size);
}

/* The chunks' texts are joined in the order of the rows. */
static gemp_code join(rows_writer *w, gemp_text *out, size_t rows)
{
	size_t all = 0;
	for (size_t p = 0; p < w->chunks; p++) {
		GEMP_TRY(gemp_text_status(&w->texts[p]));
		w->begin[p] = all;
		all += w->texts[p].size;
	}
	GEMP_TRY(GEMP_RESERVE(out->data, out->capacity, out->size + all + 1));
	w->to = out->data + out->size;
	gemp_for_chunks(rows, CHUNK, join_chunk, w);
	out->size += all;
	out->data[out->size] = '\0';
	return GEMP_OK;
}

static void free_writer(rows_writer *w)
{
	for (size_t c = 0; w->cells && c < w->count; c++)
		gemp_text_free(&w->cells[c].before);
	for (size_t p = 0; w->texts && p < w->chunks; p++)
		gemp_text_free(&w->texts[p]);
	gemp_free_all(w->cells, w->texts, w->begin);
}

static gemp_code set_cell(cell_writer *cell, gemp_row_form form, const gemp_projected *column, size_t c)
{
	static const char *const between[] = { "\t", ",", ", " };
	cell->column = column;
	cell->values = column->dictionary ? column->dictionary : &column->value;
	cell->index = column->dictionary ? column->index : NULL;
	gemp_text_print(&cell->before, "%s", c ? between[form] : form == GEMP_ROWS_JSON ? "{" : "");
	if (form == GEMP_ROWS_JSON) {
		gemp_json_string(&cell->before, column->name, strlen(column->name));
		gemp_text_print(&cell->before, ": ");
	}
	return gemp_text_status(&cell->before);
}

gemp_code gemp_rows_text(gemp_text *out, gemp_row_form form, const gemp_projected *columns, size_t count, size_t rows)
{
	GEMP_OWNED_BY(free_writer)
	rows_writer w = { .form = form, .count = count, .chunks = (rows + CHUNK - 1) / CHUNK };
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(w.cells, count), GEMP_ARRAY(w.texts, w.chunks), GEMP_ARRAY(w.begin, w.chunks)));
	for (size_t c = 0; c < count; c++)
		GEMP_TRY(set_cell(&w.cells[c], form, &columns[c], c));
	gemp_for_chunks(rows, CHUNK, write_chunk, &w);
	return join(&w, out, rows);
}
