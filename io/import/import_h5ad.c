/* AnnData (.h5ad): observations are vertices with the columns of `obs`, and each sparse matrix in `obsp` is a type
 * of edges, their values in column `value`. Each rank reads its share of the observations; matrices are dealt out to
 * the ranks. */

#include "core/status.h"
#include "io/hdf5/hdf5_attributes.h"
#include "io/hdf5/hdf5_column.h"
#include "io/import/import.h"
#include "io/import/import_sparse.h"
#include "partition/build/builder.h"

#include <string.h>

typedef struct relation {
	char *name, *path;  /* owned; decoded, and where it is */
	gemp_sparse matrix; /* open at the rank that reads it */
	bool taken;
} relation;

typedef struct h5ad_import {
	const gemp_comm *comm;
	gemp_h5 h5;
	uint64_t vertices;
	gemp_block_range mine; /* observations */
	gemp_column keys;      /* of all of them */
	size_t column_count;
	gemp_column *columns; /* [column_count] of this rank's share */
	size_t relation_count;
	relation *relations; /* [relation_count] */
	gemp_builder *builder;
} h5ad_import;

/* Local, as each rank reads the file for itself. */
static gemp_code join(char **out, const char *folder, const char *name)
{
	gemp_text text = { 0 };
	gemp_text_print(&text, "%s/%s", folder, name);
	*out = text.data;
	return gemp_text_status(&text);
}

/* OBSERVATIONS */

static gemp_code read_keys(h5ad_import *self)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED char *index = NULL, *path = NULL, *encoding = NULL;
	bool exists = false, known = false;
	const gemp_h5 *h5 = &self->h5;
	GEMP_PROPAGATE(gemp_h5_exists(h5, "/obs", &exists));
	if (exists)
		GEMP_PROPAGATE(gemp_h5_has_attribute(h5, "/obs", "_index", &exists));
	if (!exists)
		GEMP_PROPAGATE(gemp_fail(GEMP_EDATA,
		                         "%s: there is no data frame /obs; it is no AnnData file, or of a version before 0.7; "
		                         "write it again with a newer anndata",
		                         h5->path));
	GEMP_PROPAGATE(gemp_h5_get_text(h5, "/obs", "_index", &index));
	GEMP_PROPAGATE(gemp_h5_get_text(h5, "/obs", "encoding-type", &encoding));
	GEMP_PROPAGATE(join(&path, "/obs", index));
	GEMP_PROPAGATE(gemp_h5_length(h5, path, &self->vertices));
	if (self->vertices > GEMP_MAX_VERTICES)
		GEMP_PROPAGATE(gemp_fail(GEMP_EDATA, "%s: more observations than a graph may have vertices", h5->path));
	GEMP_PROPAGATE(gemp_h5_column(&self->keys, h5, path, "_id", 0, (size_t)self->vertices, &known));
	if (!known || (self->keys.type != GEMP_STRING && self->keys.type != GEMP_INTEGER))
		code = gemp_fail(GEMP_EDATA, "%s: the index of /obs must be strings or integers", h5->path);
	return code;
}

/* Columns of kinds that a graph cannot have are left out with a warning, as others are still of use. */
static gemp_code read_columns(h5ad_import *self)
{
	gemp_code code = GEMP_OK;
	char **names = NULL, *path = NULL;
	size_t count = 0;
	GEMP_TRY(gemp_h5_get_texts(&self->h5, "/obs", "column-order", &names, &count));
	GEMP_TRY(GEMP_NEW(self->columns, count));
	self->mine = gemp_comm_block(self->comm, self->vertices);
	for (size_t i = 0; i < count; i++) {
		bool known = false;
		GEMP_TRY(join(&path, "/obs", names[i]));
		GEMP_TRY(gemp_h5_column(&self->columns[self->column_count], &self->h5, path, names[i], self->mine.begin,
		                        (size_t)(self->mine.end - self->mine.begin), &known));
		self->column_count += known;
		if (!known)
			gemp_warn("%s: column '%s' of obs is of a kind that is not supported, and is left out", self->h5.path,
			          names[i]);
		gemp_free(path);
		path = NULL;
	}
done:
	gemp_free(path);
	gemp_h5_free_texts(names, count);
	return code;
}

/* MATRICES */

static gemp_code open_matrix(h5ad_import *self, relation *r)
{
	gemp_code code = GEMP_OK;
	char *encoding = NULL, *paths[3] = { NULL };
	static const char *const parts[] = { "indptr", "indices", "data" };
	const gemp_h5 *h5 = &self->h5;
	bool has = false;
	r->matrix = (gemp_sparse){ .path = h5->path, .what = r->path };
	GEMP_TRY(gemp_h5_has_attribute(h5, r->path, "encoding-type", &has));
	if (has)
		GEMP_TRY(gemp_h5_get_text(h5, r->path, "encoding-type", &encoding));
	r->taken = has && (strcmp(encoding, "csr_matrix") == 0 || strcmp(encoding, "csc_matrix") == 0);
	if (!r->taken) {
		gemp_warn("%s: %s is no sparse matrix, and is left out", h5->path, r->path);
		goto done;
	}
	r->matrix.layout = strcmp(encoding, "csr_matrix") == 0 ? GEMP_BY_ROWS : GEMP_BY_COLUMNS;
	for (size_t i = 0; i < 3; i++)
		GEMP_TRY(join(&paths[i], r->path, parts[i]));
	GEMP_TRY(gemp_h5_shape(h5, r->path, "shape", &r->matrix.rows, &r->matrix.columns));
	GEMP_TRY(gemp_h5_open_array(&r->matrix.pointers, h5, paths[0]));
	GEMP_TRY(gemp_h5_open_array(&r->matrix.indices, h5, paths[1]));
	GEMP_TRY(gemp_h5_open_array(&r->matrix.values, h5, paths[2]));
	GEMP_TRY(gemp_sparse_check(&r->matrix));
	if (r->matrix.rows != self->vertices || r->matrix.columns != self->vertices)
		code = gemp_fail(GEMP_EDATA, "%s: the shape of %s does not fit the number of observations", h5->path, r->path);
done:
	gemp_free(encoding);
	for (size_t i = 0; i < 3; i++)
		gemp_free(paths[i]);
	return code;
}

/* Matrices in obsp relate observations to observations, which is what edges are. */
static gemp_code open_matrices(h5ad_import *self)
{
	gemp_code code = GEMP_OK;
	char **names = NULL;
	size_t count = 0;
	bool exists = false;
	GEMP_TRY(gemp_h5_exists(&self->h5, "/obsp", &exists));
	if (!exists)
		goto done;
	GEMP_TRY(gemp_h5_list(&self->h5, "/obsp", &names, &count));
	GEMP_TRY(GEMP_NEW(self->relations, count));
	for (; self->relation_count < count; self->relation_count++) {
		relation *r = &self->relations[self->relation_count];
		r->name = gemp_strdup(names[self->relation_count]);
		GEMP_TRY(join(&r->path, "/obsp", names[self->relation_count]));
		code = r->name ? open_matrix(self, r) : GEMP_ENOMEM;
		if (code != GEMP_OK) {
			self->relation_count++;
			goto done;
		}
	}
done:
	gemp_h5_free_texts(names, count);
	return code;
}

/* BUILDING */

/* Of all matrices one column; integers and floats are floats together. */
static gemp_code declare(h5ad_import *self, size_t *column)
{
	bool any = false;
	gemp_type type = GEMP_INTEGER;
	size_t at;
	for (size_t c = 0; c < self->column_count; c++)
		GEMP_PROPAGATE(gemp_builder_vertex_column(self->builder, self->columns[c].name, self->columns[c].type, &at));
	for (size_t r = 0; r < self->relation_count; r++) {
		if (!self->relations[r].taken)
			continue;
		gemp_type next = gemp_sparse_type(&self->relations[r].matrix);
		if (any && next != type && (next == GEMP_BOOLEAN || type == GEMP_BOOLEAN))
			return gemp_fail(GEMP_EDATA, "%s: some matrices of obsp hold booleans and some numbers; convert one",
			                 self->h5.path);
		type = any && next != type ? GEMP_FLOAT : next;
		any = true;
	}
	return gemp_builder_edge_column(self->builder, "value", type, column);
}

/* Each rank adds its share of the observations. */
static gemp_code add_vertices(h5ad_import *self, uint32_t file)
{
	for (uint64_t i = self->mine.begin; i < self->mine.end; i++) {
		gemp_value key = gemp_column_get(&self->keys, (size_t)i);
		GEMP_PROPAGATE(gemp_builder_vertex(self->builder, &key, "", 0, (gemp_place){ file, i + 1 }));
		for (size_t c = 0; c < self->column_count; c++) {
			gemp_value value = gemp_column_get(&self->columns[c], (size_t)(i - self->mine.begin));
			if (!value.null)
				GEMP_PROPAGATE(gemp_builder_vertex_value(self->builder, c, &value));
		}
	}
	return GEMP_OK;
}

/* Rows and columns of the matrices in obsp are both observations. */
static gemp_value key_of(void *context, uint64_t index, bool column)
{
	const h5ad_import *self = context;
	(void)column;
	return gemp_column_get(&self->keys, (size_t)index);
}

/* Matrices are dealt out to the ranks, since each is read from its beginning to its end. */
static gemp_code feed(h5ad_import *self)
{
	uint32_t file;
	size_t column;
	GEMP_PROPAGATE(gemp_builder_file(self->builder, self->h5.path, &file));
	GEMP_PROPAGATE(declare(self, &column));
	GEMP_PROPAGATE(add_vertices(self, file));
	for (size_t r = (size_t)self->comm->rank; r < self->relation_count; r += (size_t)self->comm->size)
		if (self->relations[r].taken)
			GEMP_PROPAGATE(gemp_sparse_feed(&self->relations[r].matrix, self->builder, file, self->relations[r].name,
			                                column, key_of, self));
	return GEMP_OK;
}

/* Local: every rank reads keys and the list of matrices. */
static gemp_code read_head(h5ad_import *self, const char *path)
{
	GEMP_PROPAGATE(gemp_h5_open_local(&self->h5, path, "write it again"));
	GEMP_PROPAGATE(read_keys(self));
	GEMP_PROPAGATE(read_columns(self));
	return open_matrices(self);
}

/* Takes an import that failed early. */
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

/* Vertices are the observations; edges never add any. */
static gemp_code read_h5ad(gemp_shard **out, const gemp_comm *comm, const gemp_import_options *options)
{
	gemp_code code = GEMP_OK;
	h5ad_import self = { .comm = comm };
	gemp_builder_options built = gemp_format_builder(options);
	built.vertices_from_edges = false;
	GEMP_TRY(gemp_comm_agree(comm, read_head(&self, options->edge_files[0])));
	GEMP_TRY(gemp_builder_new(&self.builder, comm, &built));
	GEMP_TRY(gemp_comm_agree(comm, feed(&self)));
	GEMP_TRY(gemp_builder_finish(self.builder, out));
done:
	free_import(&self);
	return code;
}

const gemp_format gemp_format_h5ad = {
	.name = "h5ad",
	.endings = ".h5ad",
	.summary = "AnnData: obs are vertices, the sparse matrices of obsp edges",
	.one_file = true,
	.read = read_h5ad,
};
