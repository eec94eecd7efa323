/* Pointers, indices and values are read side by side in batches, so that a matrix need not fit in memory.
 * The line of an entry follows from the pointers, which are read one by one as entries pass their ends. */

#include "io/import/sparse_matrix.h"

#include "core/memory.h"
#include "core/types.h"
#include "partition/build/builder.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BATCH = 1 << 14 }; /* entries held */

void gemp_sparse_close(gemp_sparse *matrix)
{
	gemp_array_close(&matrix->pointers);
	gemp_array_close(&matrix->indices);
	gemp_array_close(&matrix->values);
}

static gemp_code reject(const gemp_sparse *m, const char *why)
{
	return gemp_fail(GEMP_EDATA, "%s: %s: %s; the file is damaged or no sparse matrix", m->path, m->what, why);
}

/* The three arrays come from one file and may contradict each other. */
gemp_code gemp_sparse_check(const gemp_sparse *m)
{
	uint64_t entries = m->indices.length, lines = m->layout == GEMP_BY_ROWS ? m->rows : m->columns;
	if (m->pointers.type != GEMP_INTEGER || m->indices.type != GEMP_INTEGER)
		return reject(m, "pointers and indices must be integers");
	if (m->layout == GEMP_BY_ENTRIES ? m->pointers.length != entries : m->pointers.length != lines + 1)
		return reject(m, "the length of the pointers does not fit the shape");
	if (m->values.next && m->values.length != entries && m->values.length != 1)
		return reject(m, "there are not as many values as indices");
	if (m->rows > GEMP_MAX_VERTICES || m->columns > GEMP_MAX_VERTICES)
		return gemp_fail(GEMP_EDATA,
		                 "%s: %s: %" PRIu64 " x %" PRIu64 " is too large; a graph has at most %" PRIu64 " vertices",
		                 m->path, m->what, m->rows, m->columns, GEMP_MAX_VERTICES);
	return GEMP_OK;
}

gemp_type gemp_sparse_type(const gemp_sparse *m)
{
	return m->values.type;
}

/* ENTRIES */

typedef struct entry_batch {
	size_t count;
	int64_t indices[BATCH], majors[BATCH], integers[BATCH];
	double reals[BATCH];
} entry_batch;

/* How far the pointers are followed: this line has the entries up to `end`. */
typedef struct cursor {
	uint64_t line, at; /* at: number of the next entry */
	int64_t end;
} cursor;

/* The lines of the next entries, from the pointers. */
static gemp_code advance_cursor(gemp_sparse *m, cursor *c, entry_batch *p)
{
	uint64_t lines = m->pointers.length - 1;
	for (size_t i = 0; i < p->count; i++) {
		while (c->end <= (int64_t)(c->at + i)) {
			int64_t before = c->end;
			if (c->line == lines)
				return reject(m, "the pointers end before the last entry");
			GEMP_PROPAGATE(m->pointers.next(m->pointers.self, 1, &c->end, NULL));
			if (c->end < before || (uint64_t)c->end > m->indices.length)
				return reject(m, "the pointers do not ascend to the number of entries");
			c->line++;
		}
		p->majors[i] = (int64_t)c->line - 1;
	}
	c->at += p->count;
	return GEMP_OK;
}

/* Matrices without values have edges without an attribute. */
static gemp_code read_values(gemp_sparse *m, entry_batch *p)
{
	bool real = m->values.type == GEMP_FLOAT, shared = m->values.length == 1 && m->indices.length > 1;
	if (!m->values.next || shared)
		return GEMP_OK;
	return m->values.next(m->values.self, p->count, real ? NULL : p->integers, real ? p->reals : NULL);
}

/* One value for all stands in each place of the batch. */
static gemp_code read_shared(gemp_sparse *m, entry_batch *p)
{
	bool real = m->values.type == GEMP_FLOAT;
	if (!m->values.next || m->values.length != 1 || m->indices.length < 2)
		return GEMP_OK;
	GEMP_PROPAGATE(m->values.next(m->values.self, 1, real ? NULL : p->integers, real ? p->reals : NULL));
	for (size_t i = 1; i < BATCH; i++) {
		p->integers[i] = p->integers[0];
		p->reals[i] = p->reals[0];
	}
	return GEMP_OK;
}

/* The three arrays are read in step, so that memory does not depend on the matrix. */
static gemp_code read_batch(gemp_sparse *m, cursor *c, entry_batch *p)
{
	uint64_t left = m->indices.length - c->at;
	p->count = left < BATCH ? (size_t)left : BATCH;
	GEMP_PROPAGATE(m->indices.next(m->indices.self, p->count, p->indices, NULL));
	GEMP_PROPAGATE(read_values(m, p));
	if (m->layout != GEMP_BY_ENTRIES)
		return advance_cursor(m, c, p);
	GEMP_PROPAGATE(m->pointers.next(m->pointers.self, p->count, p->majors, NULL));
	c->at += p->count;
	return GEMP_OK;
}

/* NaN is NULL. */
static gemp_value value_of(const gemp_sparse *m, const entry_batch *p, size_t i)
{
	gemp_value value = { .type = m->values.type };
	if (value.type == GEMP_FLOAT) {
		value.real = p->reals[i];
		value.null = isnan(value.real);
	} else if (value.type == GEMP_BOOLEAN) {
		value.truth = p->integers[i] != 0;
	} else {
		value.integer = p->integers[i];
	}
	return value;
}

typedef struct target {
	gemp_builder *builder;
	uint32_t file;
	const char *type;
	size_t column;
	gemp_sparse_key *key;
	void *self;
} target;

/* Entries of a matrix by columns are turned, so that a row is always the source. */
static gemp_code add_entry(const gemp_sparse *m, const entry_batch *p, size_t i, uint64_t number, const target *to)
{
	bool turned = m->layout == GEMP_BY_COLUMNS;
	uint64_t row = (uint64_t)(turned ? p->indices[i] : p->majors[i]);
	uint64_t column = (uint64_t)(turned ? p->majors[i] : p->indices[i]);
	if (row >= m->rows || column >= m->columns)
		return reject(m, "an index is beyond the shape");
	gemp_value source = to->key(to->self, row, false), end = to->key(to->self, column, true);
	GEMP_PROPAGATE(
		gemp_builder_edge(to->builder, &source, &end, to->type, strlen(to->type), (gemp_place){ to->file, number }));
	if (m->values.next) {
		gemp_value value = value_of(m, p, i);
		if (!value.null)
			GEMP_PROPAGATE(gemp_builder_edge_value(to->builder, to->column, &value));
	}
	return GEMP_OK;
}

/* The pointers are read as far as the entries have come. */
gemp_code gemp_sparse_feed(gemp_sparse *m, gemp_builder *builder, uint32_t file, const char *type, size_t column,
                           gemp_sparse_key *key, void *self)
{
	const target to = { builder, file, type, column, key, self };
	cursor c = { 0 };
	GEMP_OWNED entry_batch *p = NULL;
	GEMP_PROPAGATE(GEMP_NEW(p, 1));
	GEMP_PROPAGATE(read_shared(m, p));
	if (m->layout != GEMP_BY_ENTRIES) {
		GEMP_PROPAGATE(m->pointers.next(m->pointers.self, 1, &c.end, NULL));
		if (c.end != 0)
			GEMP_PROPAGATE(reject(m, "the pointers do not begin with 0"));
	}
	while (c.at < m->indices.length) {
		uint64_t first = c.at;
		GEMP_PROPAGATE(read_batch(m, &c, p));
		for (size_t i = 0; i < p->count; i++)
			GEMP_PROPAGATE(add_entry(m, p, i, first + i + 1, &to));
	}
	return GEMP_OK;
}

/* KEYS THAT ARE NUMBERS */

gemp_value gemp_sparse_number(void *self, uint64_t index, bool column)
{
	gemp_sparse_numbers *numbers = self;
	gemp_value key = { .type = GEMP_INTEGER, .integer = (int64_t)index };
	if (numbers->square)
		return key;
	char *text = numbers->text[column];
	key.type = GEMP_STRING;
	key.string.size = (size_t)snprintf(text, sizeof numbers->text[column], "%c%" PRIu64, column ? 'c' : 'r', index);
	key.string.bytes = text;
	return key;
}

/* All ranks add their share, as entries are read by one. */
gemp_code gemp_sparse_vertices(const gemp_comm *comm, gemp_builder *builder, uint32_t file, uint64_t rows,
                               uint64_t columns)
{
	gemp_sparse_numbers numbers = { .square = rows == columns };
	for (int side = 0; side < (numbers.square ? 1 : 2); side++) {
		gemp_block_range mine = gemp_comm_block(comm, side ? columns : rows);
		for (uint64_t i = mine.begin; i < mine.end; i++) {
			gemp_value key = gemp_sparse_number(&numbers, i, side != 0);
			GEMP_PROPAGATE(gemp_builder_vertex(builder, &key, "", 0, (gemp_place){ file, i + 1 }));
		}
	}
	return GEMP_OK;
}
