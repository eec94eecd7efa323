/* Sparse matrices as scipy.sparse.save_npz writes them: an edge for each stored entry, its value in column `value`.
 * Vertices are 0, 1, ... as in Python; of a matrix that is not square rows are r0, r1, ... and columns c0, c1, ... */

#include "core/memory.h"
#include "io/arrays/npy.h"
#include "io/hdf5/hdf5_attributes.h"
#include "io/hdf5/hdf5_column.h"
#include "io/import/import.h"
#include "io/import/sparse_matrix.h"
#include "partition/build/build_graph.h"
#include "partition/build/builder.h"

#include <jansson.h>
#include <string.h>

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

typedef struct relation {
	char *name, *path; /* owned; name NULL: the default type */
	gemp_sparse matrix;
} relation;

typedef struct binsparse_import {
	const gemp_comm *comm;
	gemp_h5 h5;
	size_t count;
	relation *relations; /* [count] */
	gemp_builder *builder;
} binsparse_import;

static gemp_code reject(const relation *r, const char *why)
{
	return gemp_fail(GEMP_EDATA, "%s: %s: %s", r->matrix.path, r->path, why);
}

/* Matrices by rows and columns, and lists of entries in any order. */
static gemp_code find_binsparse_layout(relation *r, const char *format)
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
static gemp_code read_description(relation *r, const char *text)
{
	gemp_code code = GEMP_OK;
	json_error_t error;
	json_t *json = json_loads(text, 0, &error), *inner = json_object_get(json, "binsparse");
	const json_t *root = inner ? inner : json, *shape = json_object_get(root, "shape");
	const char *format = json_string_value(json_object_get(root, "format"));
	json_int_t rows = json_integer_value(json_array_get(shape, 0)),
			   columns = json_integer_value(json_array_get(shape, 1));
	if (!json)
		code = reject(r, "the attribute binsparse is no JSON");
	else if (json_array_size(shape) != 2 || rows < 0 || columns < 0)
		code = reject(r, "the shape must be two numbers");
	else if (json_object_get(root, "structure"))
		code = reject(r, "matrices of which only a part is stored are not supported; store all entries");
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
static gemp_code open_binsparse(const gemp_h5 *h5, relation *r)
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
	relation *r = &self->relations[self->count++];
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
			code = reject(&self->relations[i], "the matrices of one file must be of one shape");
	for (size_t i = 1; i < self->count && code == GEMP_OK; i++)
		if (gemp_sparse_type(&self->relations[i].matrix) != gemp_sparse_type(&self->relations[0].matrix))
			code = reject(&self->relations[i], "the values of all matrices of one file must be of one type");
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
		relation *r = &self->relations[i];
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
