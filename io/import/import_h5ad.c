/* AnnData (.h5ad). Observations become vertices with the columns of `obs`. Each sparse matrix in `obsp` becomes a type
 * of edges, and its values become the column `value`. Each rank reads its block of the observations. Rank i % ranks
 * reads matrix i. */

#include "core/status.h"
#include "io/hdf5/hdf5_attributes.h"
#include "io/hdf5/hdf5_column.h"
#include "io/import/import.h"
#include "io/import/import_sparse.h"
#include "partition/build/builder.h"

#include <string.h>

typedef struct relation {
	char *name, *path; /* owned; type of the edges; group of the matrix */
	gemp_sparse matrix;
	bool used; /* the matrix is sparse and is read */
} relation;

typedef struct h5ad_import {
	const gemp_comm *comm;
	gemp_h5 h5;
	uint64_t vertices;
	gemp_block_range mine; /* this rank's block of the observations */
	gemp_column keys;      /* keys of all observations */
	size_t column_count;
	gemp_column *columns; /* [column_count], each with the rows of this rank's block */
	size_t relation_count;
	relation *relations; /* [relation_count] */
	gemp_builder *builder;
} h5ad_import;

/* OBSERVATIONS */

/* The index of the data frame `obs` gives the keys of the vertices. */
static gemp_code read_keys(h5ad_import *self)
{
	GEMP_OWNED char *index = NULL, *path = NULL;
	bool exists = false, known = false;
	const gemp_h5 *h5 = &self->h5;
	GEMP_TRY(gemp_h5_exists(h5, "/obs", &exists));
	if (exists)
		GEMP_TRY(gemp_h5_has_attribute(h5, "/obs", "_index", &exists));
	if (!exists)
		return gemp_fail(GEMP_EDATA,
		                 "%s: there is no data frame /obs; it is no AnnData file, or of a version before 0.7; "
		                 "write it again with a newer anndata",
		                 h5->path);
	GEMP_TRY(gemp_h5_get_text(h5, "/obs", "_index", &index));
	path = gemp_h5_join("/obs", index);
	GEMP_TRY(gemp_h5_length(h5, path, &self->vertices));
	if (self->vertices > GEMP_MAX_VERTICES)
		return gemp_fail(GEMP_EDATA, "%s: has %" PRIu64 " observations; a graph has at most %" PRIu64 " vertices",
		                 h5->path, self->vertices, GEMP_MAX_VERTICES);
	GEMP_TRY(gemp_h5_column(&self->keys, h5, path, "_id", 0, (size_t)self->vertices, &known));
	if (!known || (self->keys.type != GEMP_STRING && self->keys.type != GEMP_INTEGER))
		return gemp_fail(GEMP_EDATA,
		                 "%s: the index %s of the %" PRIu64
		                 " observations must be strings or integers; set obs_names to "
		                 "such values and write the file again",
		                 h5->path, path, self->vertices);
	return GEMP_OK;
}

/* A column of a kind that a graph cannot hold is left out with a warning. The other columns are still useful. */
static gemp_code read_columns(h5ad_import *self)
{
	GEMP_OWNED_BY(gemp_h5_texts_free) gemp_h5_texts names = { 0 };
	GEMP_TRY(gemp_h5_get_texts(&self->h5, "/obs", "column-order", &names));
	GEMP_TRY(GEMP_NEW(self->columns, names.count));
	self->mine = gemp_comm_block(self->comm, self->vertices);
	for (size_t i = 0; i < names.count; i++) {
		GEMP_OWNED char *path = gemp_h5_join("/obs", names.text[i]);
		bool known = false;
		GEMP_TRY(gemp_h5_column(&self->columns[self->column_count], &self->h5, path, names.text[i], self->mine.begin,
		                        (size_t)(self->mine.end - self->mine.begin), &known));
		self->column_count += known;
		if (!known)
			gemp_warn("%s: column '%s' of obs is of a kind that is not supported, and is left out", self->h5.path,
			          names.text[i]);
	}
	return GEMP_OK;
}

/* MATRICES */

/* Opens a matrix. A dense matrix is left out with a warning. A sparse matrix must have as many rows and as many columns
 * as there are observations. */
static gemp_code open_matrix(h5ad_import *self, relation *r)
{
	GEMP_OWNED char *encoding = NULL;
	const gemp_h5 *h5 = &self->h5;
	gemp_sparse *m = &r->matrix;
	bool has = false;
	*m = (gemp_sparse){ .path = h5->path, .what = r->path };
	GEMP_TRY(gemp_h5_has_attribute(h5, r->path, "encoding-type", &has));
	if (has)
		GEMP_TRY(gemp_h5_get_text(h5, r->path, "encoding-type", &encoding));
	r->used = has && (strcmp(encoding, "csr_matrix") == 0 || strcmp(encoding, "csc_matrix") == 0);
	if (!r->used) {
		gemp_warn("%s: %s is no sparse matrix, and is left out; store it as CSR or CSC", h5->path, r->path);
		return GEMP_OK;
	}
	m->layout = strcmp(encoding, "csr_matrix") == 0 ? GEMP_BY_ROWS : GEMP_BY_COLUMNS;
	GEMP_TRY(gemp_h5_shape(h5, r->path, "shape", &m->rows, &m->columns));
	GEMP_TRY(gemp_h5_open_array(&m->pointers, h5, r->path, "indptr"));
	GEMP_TRY(gemp_h5_open_array(&m->indices, h5, r->path, "indices"));
	GEMP_TRY(gemp_h5_open_array(&m->values, h5, r->path, "data"));
	GEMP_TRY(gemp_sparse_check(m));
	if (m->rows != self->vertices || m->columns != self->vertices)
		return gemp_fail(GEMP_EDATA,
		                 "%s: %s is of %" PRIu64 " x %" PRIu64 ", and there are %" PRIu64
		                 " observations; write the file again with anndata, which keeps them alike",
		                 h5->path, r->path, m->rows, m->columns, self->vertices);
	return GEMP_OK;
}

/* A matrix in obsp relates observations to observations, so its entries are edges. */
static gemp_code open_matrices(h5ad_import *self)
{
	GEMP_OWNED_BY(gemp_h5_texts_free) gemp_h5_texts names = { 0 };
	bool exists = false;
	GEMP_TRY(gemp_h5_exists(&self->h5, "/obsp", &exists));
	if (!exists)
		return GEMP_OK;
	GEMP_TRY(gemp_h5_list(&self->h5, "/obsp", &names));
	GEMP_TRY(GEMP_NEW(self->relations, names.count));
	for (size_t i = 0; i < names.count; i++) {
		relation *r = &self->relations[self->relation_count++];
		r->name = gemp_strdup(names.text[i]);
		r->path = gemp_h5_join("/obsp", names.text[i]);
		GEMP_TRY(r->name ? open_matrix(self, r) : GEMP_ENOMEM);
	}
	return GEMP_OK;
}

/* BUILDING */

/* All matrices share the column `value` of edges. A mixture of integers and floats becomes floats. */
static gemp_code declare(h5ad_import *self, size_t *column)
{
	const relation *first = NULL;
	gemp_type type = GEMP_INTEGER;
	size_t at;
	for (size_t c = 0; c < self->column_count; c++)
		GEMP_TRY(gemp_builder_vertex_column(self->builder, self->columns[c].name, self->columns[c].type, &at));
	for (size_t i = 0; i < self->relation_count; i++) {
		const relation *r = &self->relations[i];
		const gemp_type next = r->matrix.values.type;
		if (!r->used)
			continue;
		if (first && next != type && (next == GEMP_BOOLEAN || type == GEMP_BOOLEAN))
			return gemp_fail(GEMP_EDATA, "%s: %s holds %ss and %s %ss; convert one, as by matrix.astype(float)",
			                 self->h5.path, first->path, gemp_type_name[type], r->path, gemp_type_name[next]);
		type = first && next != type ? GEMP_FLOAT : next;
		first = first ? first : r;
	}
	return gemp_builder_edge_column(self->builder, "value", type, column);
}

/* Local. Each rank adds its block of the observations. */
static gemp_code add_vertices(h5ad_import *self, uint32_t file)
{
	for (uint64_t i = self->mine.begin; i < self->mine.end; i++) {
		gemp_value key = gemp_column_get(&self->keys, (size_t)i);
		GEMP_TRY(gemp_builder_vertex(self->builder, &key, "", 0, (gemp_place){ file, i + 1 }));
		for (size_t c = 0; c < self->column_count; c++) {
			gemp_value value = gemp_column_get(&self->columns[c], (size_t)(i - self->mine.begin));
			if (!value.null)
				GEMP_TRY(gemp_builder_vertex_value(self->builder, c, &value));
		}
	}
	return GEMP_OK;
}

/* In obsp both the rows and the columns of a matrix are observations. */
static gemp_value key_of(void *context, uint64_t index, bool column)
{
	const h5ad_import *self = context;
	(void)column;
	return gemp_column_get(&self->keys, (size_t)index);
}

/* Local. A matrix must be read from its beginning to its end, so one rank reads all of it. */
static gemp_code feed(h5ad_import *self)
{
	gemp_sparse_edges to = { .builder = self->builder, .key = key_of, .self = self };
	GEMP_TRY(gemp_builder_file(self->builder, self->h5.path, &to.file));
	GEMP_TRY(declare(self, &to.column));
	GEMP_TRY(add_vertices(self, to.file));
	for (size_t r = (size_t)self->comm->rank; r < self->relation_count; r += (size_t)self->comm->size) {
		to.type = self->relations[r].name;
		if (self->relations[r].used)
			GEMP_TRY(gemp_sparse_feed(&self->relations[r].matrix, &to));
	}
	return GEMP_OK;
}

/* Local. Every rank reads the keys and the list of matrices. */
static gemp_code read_head(h5ad_import *self, const char *path)
{
	GEMP_TRY(gemp_h5_open_local(&self->h5, path, false, "write it again"));
	GEMP_TRY(read_keys(self));
	GEMP_TRY(read_columns(self));
	return open_matrices(self);
}

/* The import may be set up only in part, after a failure. */
static void free_import(h5ad_import *self)
{
	gemp_builder_free(self->builder);
	for (size_t r = 0; r < self->relation_count; r++) {
		gemp_sparse_close(&self->relations[r].matrix);
		gemp_free_all(self->relations[r].name, self->relations[r].path);
	}
	gemp_free(self->relations);
	for (size_t c = 0; c < self->column_count; c++)
		gemp_column_free(&self->columns[c]);
	gemp_free(self->columns);
	gemp_column_free(&self->keys);
	gemp_h5_close(&self->h5);
}

/* The observations are all the vertices, so edges add no vertices. */
static gemp_code read_h5ad(gemp_shard **out, const gemp_comm *comm, const gemp_import_options *options)
{
	GEMP_OWNED_BY(free_import) h5ad_import self = { .comm = comm };
	gemp_builder_options built = gemp_format_builder(options);
	built.vertices_from_edges = false;
	GEMP_TRY(gemp_comm_agree(comm, read_head(&self, options->edge_files[0])));
	GEMP_TRY(gemp_builder_new(&self.builder, comm, &built));
	GEMP_TRY(gemp_comm_agree(comm, feed(&self)));
	return gemp_builder_finish(self.builder, out);
}

const gemp_format gemp_format_h5ad = {
	.name = "h5ad",
	.endings = ".h5ad",
	.summary = "AnnData: obs are vertices, the sparse matrices of obsp edges",
	.one_file = true,
	.read = read_h5ad,
};
