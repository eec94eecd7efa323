/* A sparse matrix of scipy (.npz) or of binsparse (HDF5) becomes a graph with an edge for each stored entry. The
 * entry's value is the column `value`. Vertices are 0, 1, ... as in Python. If the matrix is not square, its rows are
 * the vertices r0, r1, ... and its columns are the vertices c0, c1, ...
 *
 * Pointers, indices and values are read together in batches, so a matrix need not fit in memory. In this file a line is
 * a row of a matrix by rows, or a column of a matrix by columns. The line of an entry follows from the pointers, which
 * are read one by one when the entries reach the end of a line. */

#include "io/import/import_sparse.h"

#include "core/status.h"
#include "io/arrays/npz.h"
#include "io/file/claim.h"
#include "io/hdf5/hdf5_attributes.h"
#include "io/hdf5/hdf5_column.h"
#include "io/import/import.h"
#include "partition/build/builder.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BATCH = 1 << 14 }; /* entries in memory at a time */

void gemp_sparse_close(gemp_sparse *matrix)
{
	gemp_array_reader_close(&matrix->pointers);
	gemp_array_reader_close(&matrix->indices);
	gemp_array_reader_close(&matrix->values);
}

static gemp_code reject(const gemp_sparse *m, const char *why)
{
	return gemp_fail(GEMP_EDATA, "%s: %s: %s; the file is damaged or no sparse matrix", m->path, m->what, why);
}

/* The three arrays come from a file, in which they may contradict each other. */
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

/* ENTRIES */

typedef struct entry_batch {
	size_t count;
	int64_t indices[BATCH], majors[BATCH], integers[BATCH];
	double reals[BATCH];
} entry_batch;

typedef struct cursor {
	uint64_t at;   /* number of the next entry */
	uint64_t line; /* number of lines whose end was read */
	int64_t end;   /* number of the first entry after these lines */
} cursor;

/* Sets the line of each entry in the batch, and reads pointers as needed. */
static gemp_code advance_cursor(gemp_sparse *m, cursor *c, entry_batch *p)
{
	uint64_t lines = m->pointers.length - 1;
	for (size_t i = 0; i < p->count; i++) {
		while (c->end <= (int64_t)(c->at + i)) {
			int64_t before = c->end;
			if (c->line == lines)
				return reject(m, "the pointers end before the last entry");
			GEMP_TRY(m->pointers.next(m->pointers.self, 1, &c->end, NULL));
			if (c->end < before || (uint64_t)c->end > m->indices.length)
				return reject(m, "the pointers do not ascend to the number of entries");
			c->line++;
		}
		p->majors[i] = (int64_t)c->line - 1;
	}
	c->at += p->count;
	return GEMP_OK;
}

/* Reads `count` values, of the matrix's type. */
static gemp_code read_values(gemp_sparse *m, entry_batch *p, size_t count)
{
	const bool real = m->values.type == GEMP_FLOAT;
	return m->values.next(m->values.self, count, real ? NULL : p->integers, real ? p->reals : NULL);
}

/* Tests whether all entries share a single stored value. */
static bool is_shared(const gemp_sparse *m)
{
	return m->values.length == 1 && m->indices.length > 1;
}

/* A shared value is read once and copied to each place of the batch. */
static gemp_code read_shared(gemp_sparse *m, entry_batch *p)
{
	if (!m->values.next || !is_shared(m))
		return GEMP_OK;
	GEMP_TRY(read_values(m, p, 1));
	for (size_t i = 1; i < BATCH; i++) {
		p->integers[i] = p->integers[0];
		p->reals[i] = p->reals[0];
	}
	return GEMP_OK;
}

/* Reads the same range of all arrays. */
static gemp_code read_batch(gemp_sparse *m, cursor *c, entry_batch *p)
{
	p->count = (size_t)gemp_min(m->indices.length - c->at, BATCH);
	GEMP_TRY(m->indices.next(m->indices.self, p->count, p->indices, NULL));
	if (m->values.next && !is_shared(m))
		GEMP_TRY(read_values(m, p, p->count));
	if (m->layout != GEMP_BY_ENTRIES)
		return advance_cursor(m, c, p);
	GEMP_TRY(m->pointers.next(m->pointers.self, p->count, p->majors, NULL));
	c->at += p->count;
	return GEMP_OK;
}

/* The row is the source of the edge, even in a matrix by columns. */
static gemp_code add_entry(const gemp_sparse *m, const entry_batch *p, size_t i, uint64_t number,
                           const gemp_sparse_edges *to)
{
	bool by_columns = m->layout == GEMP_BY_COLUMNS;
	uint64_t row = (uint64_t)(by_columns ? p->indices[i] : p->majors[i]);
	uint64_t column = (uint64_t)(by_columns ? p->majors[i] : p->indices[i]);
	if (row >= m->rows || column >= m->columns)
		return reject(m, "an index is beyond the shape");
	gemp_value source = to->key(to->self, row, false), target = to->key(to->self, column, true);
	GEMP_TRY(
		gemp_builder_edge(to->builder, &source, &target, to->type, strlen(to->type), (gemp_place){ to->file, number }));
	const gemp_value value = gemp_array_value(m->values.type, p->integers[i], p->reals[i]);
	return m->values.next && !value.null ? gemp_builder_edge_value(to->builder, to->column, &value) : GEMP_OK;
}

/* Memory is that of one batch, whatever the size of the matrix. The first pointer must be 0. Later pointers are checked
 * when they are read. */
gemp_code gemp_sparse_feed(gemp_sparse *m, const gemp_sparse_edges *to)
{
	cursor c = { 0 };
	GEMP_OWNED entry_batch *p = NULL;
	GEMP_TRY(GEMP_NEW(p, 1));
	GEMP_TRY(read_shared(m, p));
	if (m->layout != GEMP_BY_ENTRIES) {
		GEMP_TRY(m->pointers.next(m->pointers.self, 1, &c.end, NULL));
		if (c.end != 0)
			GEMP_TRY(reject(m, "the pointers do not begin with 0"));
	}
	while (c.at < m->indices.length) {
		uint64_t first = c.at;
		GEMP_TRY(read_batch(m, &c, p));
		for (size_t i = 0; i < p->count; i++)
			GEMP_TRY(add_entry(m, p, i, first + i + 1, to));
	}
	return GEMP_OK;
}

/* KEYS THAT ARE NUMBERS */

/* The keys of a matrix without names: 0, 1, ... if it is square, otherwise r0, r1, ... and c0, c1, ... */
typedef struct sparse_numbers {
	bool square;
	char text[2][24];
} sparse_numbers;

/* If the matrix is not square, row i and column i are different vertices, and a letter distinguishes their keys. */
static gemp_value gemp_sparse_number(void *self, uint64_t index, bool column)
{
	sparse_numbers *numbers = self;
	gemp_value key = { .type = GEMP_INTEGER, .integer = (int64_t)index };
	if (numbers->square)
		return key;
	char *text = numbers->text[column];
	key.type = GEMP_STRING;
	key.string.size = (size_t)snprintf(text, sizeof numbers->text[column], "%c%" PRIu64, column ? 'c' : 'r', index);
	key.string.bytes = text;
	return key;
}

/* Local. Each rank adds its block of the vertices, even though one rank reads all entries. */
static gemp_code gemp_sparse_vertices(const gemp_comm *comm, gemp_builder *builder, uint32_t file, uint64_t rows,
                                      uint64_t columns)
{
	sparse_numbers numbers = { .square = rows == columns };
	for (int side = 0; side < (numbers.square ? 1 : 2); side++) {
		gemp_block_range mine = gemp_comm_block(comm, side ? columns : rows);
		for (uint64_t i = mine.begin; i < mine.end; i++) {
			gemp_value key = gemp_sparse_number(&numbers, i, side != 0);
			GEMP_TRY(gemp_builder_vertex(builder, &key, "", 0, (gemp_place){ file, i + 1 }));
		}
	}
	return GEMP_OK;
}

/* scipy stores the shape as an array of two integers. */
static gemp_code read_size(gemp_sparse *m, const gemp_zip *zip)
{
	GEMP_OWNED_BY(gemp_array_reader_close) gemp_array_reader shape = { 0 };
	int64_t size[2];
	GEMP_TRY(gemp_npy_open(&shape, zip, "shape"));
	if (shape.length != 2 || shape.type != GEMP_INTEGER)
		GEMP_TRY(gemp_fail(GEMP_EDATA, "%s: the matrix must have two dimensions", zip->path));
	GEMP_TRY(shape.next(shape.self, 2, size, NULL));
	if (size[0] < 0 || size[1] < 0)
		GEMP_TRY(gemp_fail(GEMP_EDATA, "%s: the shape is negative; the file is damaged", zip->path));
	m->rows = (uint64_t)size[0];
	m->columns = (uint64_t)size[1];
	return GEMP_OK;
}

/* Other formats, such as scipy's DIA, BSR and DOK, have other arrays and are not read. */
static bool find_layout(gemp_sparse_layout *out, const char *format)
{
	static const struct {
		const char *name;
		gemp_sparse_layout layout;
	} layouts[] = {
		{ "CSR", GEMP_BY_ROWS },     { "CSC", GEMP_BY_COLUMNS },  { "COO", GEMP_BY_ENTRIES },
		{ "COOR", GEMP_BY_ENTRIES }, { "COOC", GEMP_BY_ENTRIES },
	};
	for (size_t i = 0; format && i < sizeof layouts / sizeof *layouts; i++)
		if (strcasecmp(format, layouts[i].name) == 0) {
			*out = layouts[i].layout;
			return true;
		}
	return false;
}

/* Each array has its own stream, so the arrays can be read together in batches. */
static gemp_code open_npz(gemp_sparse *m, const gemp_zip *zip)
{
	GEMP_OWNED char *format = NULL;
	*m = (gemp_sparse){ .path = zip->path, .what = "matrix" };
	GEMP_TRY(gemp_npy_text(&format, zip, "format"));
	if (!find_layout(&m->layout, format))
		return gemp_fail(GEMP_EDATA, "%s: matrices of format '%.20s' are not supported; save matrix.tocsr()", zip->path,
		                 format);
	GEMP_TRY(read_size(m, zip));
	GEMP_TRY(gemp_npy_open(&m->pointers, zip, m->layout == GEMP_BY_ENTRIES ? "row" : "indptr"));
	GEMP_TRY(gemp_npy_open(&m->indices, zip, m->layout == GEMP_BY_ENTRIES ? "col" : "indices"));
	GEMP_TRY(gemp_npy_open(&m->values, zip, "data"));
	return gemp_sparse_check(m);
}

/* FILES: a file of binsparse has a matrix at the root, or matrices in groups of the root; each matrix is a type of
 * edges. A file of scipy is one matrix. */

typedef struct sparse_relation {
	char *name, *path; /* owned; name is NULL for the default type */
	gemp_sparse matrix;
} sparse_relation;

typedef struct sparse_import {
	gemp_h5 h5;
	gemp_zip zip;
	size_t count;
	sparse_relation *relations; /* [count] */
} sparse_import;

/* The import may be opened only in part, after a failure. */
static void close_import(sparse_import *self)
{
	for (size_t i = 0; i < self->count; i++) {
		gemp_sparse_close(&self->relations[i].matrix);
		gemp_free_all(self->relations[i].name, self->relations[i].path);
	}
	gemp_free(self->relations);
	gemp_zip_close(&self->zip);
	gemp_h5_close(&self->h5);
}

static gemp_code reject_binsparse(const sparse_relation *r, const char *why)
{
	return gemp_fail(GEMP_EDATA, "%s: %s: %s", r->matrix.path, r->path, why);
}

/* The description is JSON in an attribute, either as the root object or as its member `binsparse`. */
static gemp_code read_description(sparse_relation *r, const char *text)
{
	gemp_code code = GEMP_OK;
	json_error_t error;
	json_t *json = json_loads(text, 0, &error), *inner = json_object_get(json, "binsparse");
	const json_t *root = inner ? inner : json, *shape = json_object_get(root, "shape");
	const char *format = json_string_value(json_object_get(root, "format"));
	json_int_t rows = json_integer_value(json_array_get(shape, 0)),
			   columns = json_integer_value(json_array_get(shape, 1));
	if (!json)
		code = reject_binsparse(r, "the attribute binsparse is no JSON; write the file again");
	else if (json_array_size(shape) != 2 || rows < 0 || columns < 0)
		code = reject_binsparse(r, "the shape must be two numbers; write the file again");
	else if (json_object_get(root, "structure"))
		code = reject_binsparse(r, "matrices of which only a part is stored are not supported; store all entries");
	else if (!find_layout(&r->matrix.layout, format))
		code = gemp_fail(GEMP_EDATA, "%s: %s: format '%.20s' is not supported; there are CSR, CSC and COO",
		                 r->matrix.path, r->path, format ? format : "");
	r->matrix.rows = (uint64_t)rows;
	r->matrix.columns = (uint64_t)columns;
	json_decref(json);
	return code;
}

/* The arrays have the names that binsparse 0.1 gives them. */
static gemp_code open_binsparse(const gemp_h5 *h5, sparse_relation *r)
{
	GEMP_OWNED char *text = NULL;
	gemp_sparse *m = &r->matrix;
	*m = (gemp_sparse){ .path = h5->path, .what = r->path };
	GEMP_TRY(gemp_h5_get_text(h5, r->path, "binsparse", &text));
	GEMP_TRY(read_description(r, text));
	GEMP_TRY(
		gemp_h5_open_array(&m->pointers, h5, r->path, m->layout == GEMP_BY_ENTRIES ? "indices_0" : "pointers_to_1"));
	GEMP_TRY(gemp_h5_open_array(&m->indices, h5, r->path, "indices_1"));
	GEMP_TRY(gemp_h5_open_array(&m->values, h5, r->path, "values"));
	return gemp_sparse_check(m);
}

/* Local. Opens the matrices of a file. close_import closes them, also after a failure. */
typedef gemp_code open_matrices(sparse_import *self, const char *path);

/* A file of scipy has one matrix, whose edges get the default type. */
static gemp_code open_npz_file(sparse_import *self, const char *path)
{
	GEMP_TRY(gemp_zip_open(&self->zip, path));
	GEMP_TRY(GEMP_NEW(self->relations, 1));
	self->count = 1;
	return open_npz(&self->relations[0].matrix, &self->zip);
}

/* Adds a relation if the group at `path` is a matrix. */
static gemp_code inspect_group(sparse_import *self, const char *path, const char *name)
{
	bool has = false;
	GEMP_TRY(gemp_h5_has_attribute(&self->h5, path, "binsparse", &has));
	if (!has)
		return GEMP_OK;
	sparse_relation *r = &self->relations[self->count++];
	r->path = gemp_strdup(path);
	r->name = name ? gemp_strdup(name) : NULL;
	return r->path && (r->name || !name) ? open_binsparse(&self->h5, r) : GEMP_ENOMEM;
}

/* The matrices of a file share the vertices and the column of values, so they must have the same shape and type. */
static gemp_code check_alike(const sparse_import *self)
{
	const gemp_sparse *first = &self->relations[0].matrix;
	for (size_t i = 1; i < self->count; i++) {
		const gemp_sparse *m = &self->relations[i].matrix;
		if (m->rows != first->rows || m->columns != first->columns)
			return reject_binsparse(&self->relations[i], "the matrices of one file must be of one shape");
		if (m->values.type != first->values.type)
			return reject_binsparse(&self->relations[i],
			                        "the values of all matrices of one file must be of one type; convert them");
	}
	return GEMP_OK;
}

/* Inspects the root and then the groups in it. */
static gemp_code open_binsparse_file(sparse_import *self, const char *path)
{
	GEMP_OWNED_BY(gemp_h5_texts_free) gemp_h5_texts names = { 0 };
	GEMP_OWNED_BY(gemp_text_free) gemp_text place = { 0 };
	GEMP_TRY(gemp_h5_open_local(&self->h5, path, false, "write it again"));
	GEMP_TRY(gemp_h5_list(&self->h5, "/", &names));
	GEMP_TRY(GEMP_NEW(self->relations, names.count + 1));
	GEMP_TRY(inspect_group(self, "/", NULL));
	for (size_t i = 0; i < names.count; i++) {
		gemp_text_clear(&place);
		gemp_text_print(&place, "/%s", names.text[i]);
		GEMP_TRY(gemp_text_status(&place));
		GEMP_TRY(inspect_group(self, place.data, names.text[i]));
	}
	if (self->count == 0)
		return gemp_fail(GEMP_EDATA,
		                 "%s: neither the root nor a group in it has the attribute 'binsparse'; if this is a "
		                 "graph file of gemp-mpi, it needs no import",
		                 path);
	return check_alike(self);
}

/* Local. A matrix must be read from its beginning to its end, so rank i % ranks reads all of matrix i. */
static gemp_code feed_matrices(sparse_import *self, const gemp_comm *comm, const gemp_import_options *options,
                               gemp_builder *builder)
{
	const gemp_sparse *first = &self->relations[0].matrix;
	sparse_numbers numbers = { .square = first->rows == first->columns };
	gemp_sparse_edges to = { .builder = builder, .key = gemp_sparse_number, .self = &numbers };
	GEMP_TRY(gemp_builder_file(builder, first->path, &to.file));
	GEMP_TRY(gemp_builder_edge_column(builder, "value", first->values.type, &to.column));
	GEMP_TRY(gemp_sparse_vertices(comm, builder, to.file, first->rows, first->columns));
	for (size_t i = (size_t)comm->rank; i < self->count; i += (size_t)comm->size) {
		to.type = self->relations[i].name;
		if (!to.type)
			to.type = options->default_type ? options->default_type : "E";
		GEMP_TRY(gemp_sparse_feed(&self->relations[i].matrix, &to));
	}
	return GEMP_OK;
}

/* Collective. A row without entries is a vertex, too, and an array of coordinates does not bound the shape. */
static gemp_code check_shape(const sparse_import *self, const gemp_comm *comm)
{
	const gemp_sparse *m = &self->relations[0].matrix;
	return gemp_claim_vertices(comm, m->path, m->rows == m->columns ? m->rows : m->rows + m->columns,
	                           self->h5.source ? self->h5.source->file.size : self->zip.size);
}

/* The shape gives the vertices. */
static gemp_code read_matrices(gemp_shard **out, const gemp_comm *comm, const gemp_import_options *options,
                               open_matrices *open)
{
	GEMP_OWNED_BY(close_import) sparse_import self = { 0 };
	GEMP_OWNED_BY(gemp_builder_free_at) gemp_builder *builder = NULL;
	gemp_builder_options built = gemp_format_builder(options);
	built.vertices_from_edges = false;
	GEMP_TRY(gemp_comm_agree(comm, open(&self, options->edge_files[0])));
	GEMP_TRY(check_shape(&self, comm));
	GEMP_TRY(gemp_builder_new(&builder, comm, &built));
	GEMP_TRY(gemp_comm_agree(comm, feed_matrices(&self, comm, options, builder)));
	return gemp_builder_finish(builder, out);
}

static gemp_code read_npz(gemp_shard **out, const gemp_comm *comm, const gemp_import_options *options)
{
	return read_matrices(out, comm, options, open_npz_file);
}

static gemp_code read_binsparse(gemp_shard **out, const gemp_comm *comm, const gemp_import_options *options)
{
	return read_matrices(out, comm, options, open_binsparse_file);
}

const gemp_format gemp_format_npz = {
	.name = "npz",
	.endings = ".npz",
	.summary = "Sparse matrix of scipy (save_npz: CSR, CSC, COO); vertices 0, 1, ...",
	.one_file = true,
	.read = read_npz,
};

const gemp_format gemp_format_binsparse = {
	.name = "binsparse",
	.endings = ".bsp.h5 .bsp.hdf5",
	.summary = "Sparse matrices of binsparse in HDF5 (CSR, CSC, COO); vertices 0, 1, ...",
	.one_file = true,
	.read = read_binsparse,
};
