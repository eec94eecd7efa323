/* Sparse matrices as scipy.sparse.save_npz writes them: an edge for each stored entry, its value in column `value`.
 * Vertices are 0, 1, ... as in Python; of a matrix that is not square rows are r0, r1, ... and columns c0, c1, ... */
#include "io/format.h"

#include "core/memory.h"
#include "io/npy.h"
#include "io/sparse.h"

#include <string.h>

static gemp_code read_size(gemp_sparse *m, const gemp_zip *zip)
{
	gemp_code code = GEMP_OK;
	gemp_array shape = { 0 };
	int64_t size[2];
	GEMP_TRY(gemp_npy_open(&shape, zip, "shape"));
	if (shape.length != 2 || shape.type != GEMP_INTEGER)
		GEMP_TRY(gemp_fail(GEMP_EDATA, "%s: the matrix must have two dimensions", zip->path));
	GEMP_TRY(shape.next(shape.self, 2, size, NULL));
	if (size[0] < 0 || size[1] < 0)
		GEMP_TRY(gemp_fail(GEMP_EDATA, "%s: the shape is negative; the file is damaged", zip->path));
	m->rows = (uint64_t)size[0];
	m->columns = (uint64_t)size[1];
done:
	gemp_array_close(&shape);
	return code;
}

static gemp_code find_layout(gemp_sparse *m, const gemp_zip *zip)
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

static gemp_code open_matrix(gemp_sparse *m, const gemp_zip *zip)
{
	gemp_code code = GEMP_OK;
	*m = (gemp_sparse){ .path = zip->path, .what = "matrix" };
	GEMP_TRY(find_layout(m, zip));
	GEMP_TRY(read_size(m, zip));
	GEMP_TRY(gemp_npy_open(&m->pointers, zip, m->layout == GEMP_BY_ENTRIES ? "row" : "indptr"));
	GEMP_TRY(gemp_npy_open(&m->indices, zip, m->layout == GEMP_BY_ENTRIES ? "col" : "indices"));
	GEMP_TRY(gemp_npy_open(&m->values, zip, "data"));
	code = gemp_sparse_check(m);
done:
	return code;
}

typedef struct import {
	gemp_zip zip;
	gemp_sparse matrix;
	gemp_builder *builder;
} import;

static gemp_code feed(import *self, const gemp_comm *comm, const gemp_import_options *options)
{
	gemp_code code = GEMP_OK;
	gemp_sparse *m = &self->matrix;
	gemp_sparse_numbers numbers = { .square = m->rows == m->columns };
	const char *type = options->default_type ? options->default_type : "E";
	uint32_t file;
	size_t column;
	GEMP_TRY(gemp_builder_file(self->builder, m->path, &file));
	GEMP_TRY(gemp_builder_edge_column(self->builder, "value", gemp_sparse_type(m), &column));
	GEMP_TRY(gemp_sparse_vertices(comm, self->builder, file, m->rows, m->columns));
	if (comm->rank == 0) /* compressed: it is read from its beginning to its end */
		code = gemp_sparse_feed(m, self->builder, file, type, column, gemp_sparse_number, &numbers);
done:
	return code;
}

static gemp_code read_npz(gemp_graph **out, const gemp_comm *comm, const gemp_import_options *options)
{
	gemp_code code = GEMP_OK;
	import self = { 0 };
	gemp_builder_options built = gemp_format_builder(options);
	built.vertices_from_edges = false;
	code = gemp_zip_open(&self.zip, options->edge_files[0]);
	if (code == GEMP_OK)
		code = open_matrix(&self.matrix, &self.zip);
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_builder_new(&self.builder, comm, &built));
	GEMP_TRY(gemp_comm_agree(comm, feed(&self, comm, options)));
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
