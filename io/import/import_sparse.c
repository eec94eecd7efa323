/* Sparse matrices as scipy.sparse.save_npz writes them: an edge for each stored entry, its value in column `value`.
 * Vertices are 0, 1, ... as in Python; of a matrix that is not square rows are r0, r1, ... and columns c0, c1, ... */

#include "io/import/import_sparse.h"

#include "core/status.h"
#include "io/arrays/npz.h"
#include "io/hdf5/hdf5_attributes.h"
#include "io/hdf5/hdf5_column.h"
#include "io/import/import.h"
#include "partition/build/builder.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Pointers, indices and values are read side by side in batches, so that a matrix need not fit in memory.
 * The line of an entry follows from the pointers, which are read one by one as entries pass their ends. */

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

static gemp_value gemp_sparse_number(void *self, uint64_t index, bool column)
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

/* Local. Each rank adds its share of the vertices of such a matrix. */
/* All ranks add their share, as entries are read by one. */
static gemp_code gemp_sparse_vertices(const gemp_comm *comm, gemp_builder *builder, uint32_t file, uint64_t rows,
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

/* scipy stores the shape as an array of two integers. */
static gemp_code read_size(gemp_sparse *m, const gemp_zip *zip)
{
	GEMP_OWNED_BY(gemp_array_close) gemp_array shape = { 0 };
	int64_t size[2];
	GEMP_PROPAGATE(gemp_npy_open(&shape, zip, "shape"));
	if (shape.length != 2 || shape.type != GEMP_INTEGER)
		GEMP_PROPAGATE(gemp_fail(GEMP_EDATA, "%s: the matrix must have two dimensions", zip->path));
	GEMP_PROPAGATE(shape.next(shape.self, 2, size, NULL));
	if (size[0] < 0 || size[1] < 0)
		GEMP_PROPAGATE(gemp_fail(GEMP_EDATA, "%s: the shape is negative; the file is damaged", zip->path));
	m->rows = (uint64_t)size[0];
	m->columns = (uint64_t)size[1];
	return GEMP_OK;
}

/* DIA, BSR and DOK have other arrays. */
static gemp_code find_npz_layout(gemp_sparse *m, const gemp_zip *zip)
{
	char *format = NULL;
	gemp_code code = gemp_npy_text(&format, zip, "format");
	if (code != GEMP_OK)
		return code;
	if (strcmp(format, "csr") == 0)
		m->layout = GEMP_BY_ROWS;
	else if (strcmp(format, "csc") == 0)
		m->layout = GEMP_BY_COLUMNS;
	else if (strcmp(format, "coo") == 0)
		m->layout = GEMP_BY_ENTRIES;
	else
		code = gemp_fail(GEMP_EDATA, "%s: matrices of format '%.20s' are not supported; save matrix.tocsr()", zip->path,
		                 format);
	gemp_free(format);
	return code;
}

/* The arrays are read side by side, each from a stream of its own. */
static gemp_code open_npz(gemp_sparse *m, const gemp_zip *zip)
{
	*m = (gemp_sparse){ .path = zip->path, .what = "matrix" };
	GEMP_PROPAGATE(find_npz_layout(m, zip));
	GEMP_PROPAGATE(read_size(m, zip));
	GEMP_PROPAGATE(gemp_npy_open(&m->pointers, zip, m->layout == GEMP_BY_ENTRIES ? "row" : "indptr"));
	GEMP_PROPAGATE(gemp_npy_open(&m->indices, zip, m->layout == GEMP_BY_ENTRIES ? "col" : "indices"));
	GEMP_PROPAGATE(gemp_npy_open(&m->values, zip, "data"));
	return gemp_sparse_check(m);
}

typedef struct npz_import {
	gemp_zip zip;
	gemp_sparse matrix;
	gemp_builder *builder;
} npz_import;

/* Values have one column; the matrix has one type of edges. */
static gemp_code feed_npz(npz_import *self, const gemp_comm *comm, const gemp_import_options *options)
{
	gemp_sparse *m = &self->matrix;
	gemp_sparse_numbers numbers = { .square = m->rows == m->columns };
	const char *type = options->default_type ? options->default_type : "E";
	uint32_t file;
	size_t column;
	GEMP_PROPAGATE(gemp_builder_file(self->builder, m->path, &file));
	GEMP_PROPAGATE(gemp_builder_edge_column(self->builder, "value", gemp_sparse_type(m), &column));
	GEMP_PROPAGATE(gemp_sparse_vertices(comm, self->builder, file, m->rows, m->columns));
	if (comm->rank == 0) /* compressed: it is read from its beginning to its end */
		return gemp_sparse_feed(m, self->builder, file, type, column, gemp_sparse_number, &numbers);
	return GEMP_OK;
}

/* Vertices follow from the shape, so that rows without entries are there, too. */
static gemp_code read_npz(gemp_shard **out, const gemp_comm *comm, const gemp_import_options *options)
{
	npz_import self = { 0 };
	gemp_builder_options built = gemp_format_builder(options);
	built.vertices_from_edges = false;
	gemp_code code = gemp_zip_open(&self.zip, options->edge_files[0]);
	GEMP_THEN(open_npz(&self.matrix, &self.zip));
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_builder_new(&self.builder, comm, &built));
	GEMP_TRY(gemp_comm_agree(comm, feed_npz(&self, comm, options)));
	GEMP_TRY(gemp_builder_finish(self.builder, out));
done:
	gemp_builder_free(self.builder);
	gemp_sparse_close(&self.matrix);
	gemp_zip_close(&self.zip);
	return code;
}

const gemp_format gemp_format_npz = {
	.name = "npz",
	.endings = ".npz",
	.summary = "Sparse matrix of scipy (save_npz: CSR, CSC, COO); vertices 0, 1, ...",
	.one_file = true,
	.read = read_npz,
};

/* Sparse matrices in HDF5 as binsparse describes them: at the root, or in groups of the root, each a type of edges.
 * Vertices are 0, 1, ...; values go to column `value`. */

typedef struct binsparse_relation {
	char *name, *path; /* owned; name NULL: the default type */
	gemp_sparse matrix;
} binsparse_relation;

typedef struct binsparse_import {
	const gemp_comm *comm;
	gemp_h5 h5;
	size_t count;
	binsparse_relation *relations; /* [count] */
	gemp_builder *builder;
} binsparse_import;

static gemp_code reject_binsparse(const binsparse_relation *r, const char *why)
{
	return gemp_fail(GEMP_EDATA, "%s: %s: %s", r->matrix.path, r->path, why);
}

/* Matrices by rows and columns, and lists of entries in any order. */
static gemp_code find_binsparse_layout(binsparse_relation *r, const char *format)
{
	static const struct {
		const char *name;
		gemp_sparse_layout layout;
	} layouts[] = {
		{ "CSR", GEMP_BY_ROWS },     { "CSC", GEMP_BY_COLUMNS },  { "COO", GEMP_BY_ENTRIES },
		{ "COOR", GEMP_BY_ENTRIES }, { "COOC", GEMP_BY_ENTRIES },
	};
	for (size_t i = 0; format && i < sizeof layouts / sizeof *layouts; i++)
		if (strcmp(format, layouts[i].name) == 0) {
			r->matrix.layout = layouts[i].layout;
			return GEMP_OK;
		}
	return gemp_fail(GEMP_EDATA, "%s: %s: format '%.20s' is not supported; there are CSR, CSC and COO", r->matrix.path,
	                 r->path, format ? format : "");
}

/* The description is JSON in an attribute, directly or below a member binsparse. */
static gemp_code read_description(binsparse_relation *r, const char *text)
{
	gemp_code code = GEMP_OK;
	json_error_t error;
	json_t *json = json_loads(text, 0, &error), *inner = json_object_get(json, "binsparse");
	const json_t *root = inner ? inner : json, *shape = json_object_get(root, "shape");
	const char *format = json_string_value(json_object_get(root, "format"));
	json_int_t rows = json_integer_value(json_array_get(shape, 0)),
			   columns = json_integer_value(json_array_get(shape, 1));
	if (!json)
		code = reject_binsparse(r, "the attribute binsparse is no JSON");
	else if (json_array_size(shape) != 2 || rows < 0 || columns < 0)
		code = reject_binsparse(r, "the shape must be two numbers");
	else if (json_object_get(root, "structure"))
		code = reject_binsparse(r, "matrices of which only a part is stored are not supported; store all entries");
	else
		code = find_binsparse_layout(r, format);
	r->matrix.rows = (uint64_t)rows;
	r->matrix.columns = (uint64_t)columns;
	json_decref(json);
	return code;
}

/* Arrays lie in the group of their matrix. */
static gemp_code open_array(gemp_array *out, const gemp_h5 *h5, const char *folder, const char *name)
{
	gemp_text path = { 0 };
	gemp_text_print(&path, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, name);
	gemp_code code = gemp_text_status(&path);
	GEMP_THEN(gemp_h5_open_array(out, h5, path.data));
	gemp_text_free(&path);
	return code;
}

/* Names of arrays are those of binsparse 0.1. */
static gemp_code open_binsparse(const gemp_h5 *h5, binsparse_relation *r)
{
	GEMP_OWNED char *text = NULL;
	gemp_sparse *m = &r->matrix;
	*m = (gemp_sparse){ .path = h5->path, .what = r->path };
	GEMP_PROPAGATE(gemp_h5_get_text(h5, r->path, "binsparse", &text));
	GEMP_PROPAGATE(read_description(r, text));
	GEMP_PROPAGATE(open_array(&m->pointers, h5, r->path, m->layout == GEMP_BY_ENTRIES ? "indices_0" : "pointers_to_1"));
	GEMP_PROPAGATE(open_array(&m->indices, h5, r->path, "indices_1"));
	GEMP_PROPAGATE(open_array(&m->values, h5, r->path, "values"));
	return gemp_sparse_check(m);
}

/* If the group has a matrix: a relation more. */
static gemp_code inspect_group(binsparse_import *self, const char *path, const char *name)
{
	bool has = false;
	GEMP_PROPAGATE(gemp_h5_has_attribute(&self->h5, path, "binsparse", &has));
	if (!has)
		return GEMP_OK;
	binsparse_relation *r = &self->relations[self->count++];
	r->path = gemp_strdup(path);
	r->name = name ? gemp_strdup(name) : NULL;
	return r->path && (r->name || !name) ? open_binsparse(&self->h5, r) : GEMP_ENOMEM;
}

/* Several matrices in one file are several types of edges on the same vertices. */
static gemp_code open_matrices(binsparse_import *self, const char *path)
{
	gemp_code code = GEMP_OK;
	char **names = NULL;
	size_t count = 0;
	gemp_text place = { 0 };
	GEMP_TRY(gemp_h5_open_local(&self->h5, path, "write it again"));
	GEMP_TRY(gemp_h5_list(&self->h5, "/", &names, &count));
	GEMP_TRY(GEMP_NEW(self->relations, count + 1));
	GEMP_TRY(inspect_group(self, "/", NULL));
	for (size_t i = 0; i < count; i++) {
		gemp_text_clear(&place);
		gemp_text_print(&place, "/%s", names[i]);
		GEMP_TRY(gemp_text_status(&place));
		GEMP_TRY(inspect_group(self, place.data, names[i]));
	}
	if (self->count == 0)
		code = gemp_fail(GEMP_EDATA,
		                 "%s: neither the root nor a group in it has the attribute 'binsparse'; if this is a "
		                 "graph file of gemp-mpi, it needs no import",
		                 path);
	for (size_t i = 1; i < self->count && code == GEMP_OK; i++)
		if (self->relations[i].matrix.rows != self->relations[0].matrix.rows ||
		    self->relations[i].matrix.columns != self->relations[0].matrix.columns)
			code = reject_binsparse(&self->relations[i], "the matrices of one file must be of one shape");
	for (size_t i = 1; i < self->count && code == GEMP_OK; i++)
		if (gemp_sparse_type(&self->relations[i].matrix) != gemp_sparse_type(&self->relations[0].matrix))
			code = reject_binsparse(&self->relations[i], "the values of all matrices of one file must be of one type");
done:
	gemp_text_free(&place);
	gemp_h5_free_texts(names, count);
	return code;
}

/* Matrices are dealt out to the ranks. */
static gemp_code feed_binsparse(binsparse_import *self, const gemp_import_options *options)
{
	const gemp_sparse *first = &self->relations[0].matrix;
	gemp_sparse_numbers numbers = { .square = first->rows == first->columns };
	const char *standard = options->default_type ? options->default_type : "E";
	uint32_t file;
	size_t column;
	GEMP_PROPAGATE(gemp_builder_file(self->builder, self->h5.path, &file));
	GEMP_PROPAGATE(gemp_builder_edge_column(self->builder, "value", gemp_sparse_type(first), &column));
	GEMP_PROPAGATE(gemp_sparse_vertices(self->comm, self->builder, file, first->rows, first->columns));
	for (size_t i = (size_t)self->comm->rank; i < self->count; i += (size_t)self->comm->size) {
		binsparse_relation *r = &self->relations[i];
		GEMP_PROPAGATE(gemp_sparse_feed(&r->matrix, self->builder, file, r->name ? r->name : standard, column,
		                                gemp_sparse_number, &numbers));
	}
	return GEMP_OK;
}

/* Matrices are dealt out to the ranks. */
static gemp_code read_binsparse(gemp_shard **out, const gemp_comm *comm, const gemp_import_options *options)
{
	gemp_code code = GEMP_OK;
	binsparse_import self = { .comm = comm };
	gemp_builder_options built = gemp_format_builder(options);
	built.vertices_from_edges = false;
	GEMP_TRY(gemp_comm_agree(comm, open_matrices(&self, options->edge_files[0])));
	GEMP_TRY(gemp_builder_new(&self.builder, comm, &built));
	GEMP_TRY(gemp_comm_agree(comm, feed_binsparse(&self, options)));
	GEMP_TRY(gemp_builder_finish(self.builder, out));
done:
	gemp_builder_free(self.builder);
	for (size_t i = 0; i < self.count; i++) {
		gemp_sparse_close(&self.relations[i].matrix);
		gemp_free_all(self.relations[i].name, self.relations[i].path);
	}
	gemp_free(self.relations);
	gemp_h5_close(&self.h5);
	return code;
}

const gemp_format gemp_format_binsparse = {
	.name = "binsparse",
	.endings = ".bsp.h5 .bsp.hdf5",
	.summary = "Sparse matrices of binsparse in HDF5 (CSR, CSC, COO); vertices 0, 1, ...",
	.one_file = true,
	.read = read_binsparse,
};
