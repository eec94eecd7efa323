/* A relation is stored as binsparse and AnnData both describe it: the same datasets have the names of
 * either by hard links. Pointers, indices and values are written by all ranks together, each its own rows. */

#include "io/graph_file/graph_file_relation_write.h"

#include "core/limits.h"
#include "core/memory.h"
#include "io/graph_file/graph_file_matrix_values.h"
#include "io/graph_file/graph_file_tables.h"
#include "io/hdf5/hdf5_attributes.h"

#include <string.h>

/* A matrix of n x n below `path` with its width of numbers: both pointers and indices are i32 if all fit, else i64. */
typedef struct matrix {
	const gemp_h5 *h5;
	char *path;
	uint64_t vertices, edges;
	gemp_h5_type type;
	const gemp_column *weight; /* gives the values; NULL: ones */
} matrix;

/* AnnData and scipy read 32-bit indices faster, so that they are used where they fit. */
static gemp_h5_type width(uint64_t vertices, uint64_t edges)
{
	uint64_t limit = gemp_limits_now()->file_i32_max;
	return gemp_h5_type_of(vertices <= limit && edges <= limit ? GEMP_H5_I32 : GEMP_H5_I64);
}

/* The value fits, as the type was chosen by the largest number. */
static void narrow(void *out, gemp_h5_type type, uint64_t index, uint64_t number)
{
	if (type.kind == GEMP_H5_I32)
		((int32_t *)out)[index] = (int32_t)number;
	else
		((int64_t *)out)[index] = (int64_t)number;
}

/* dataset `name` and its AnnData name as a hard link. */
static gemp_code put_array(const matrix *matrix, const char *name, const char *also, gemp_h5_type type,
                           gemp_h5_slab rows, const void *data)
{
	GEMP_OWNED char *path = NULL, *link = NULL;
	GEMP_PROPAGATE(gemp_h5_join(matrix->h5, matrix->path, name, &path));
	GEMP_PROPAGATE(gemp_h5_join(matrix->h5, matrix->path, also, &link));
	GEMP_PROPAGATE(gemp_h5_write(matrix->h5, path, type, rows.total, rows.first, rows.count, data));
	return gemp_h5_link(matrix->h5, path, link);
}

/* The last rank writes the pointer behind the last row, too. */
static gemp_code put_pointers(const matrix *matrix, const gemp_shard *graph, const uint64_t *begin, uint64_t first)
{
	uint64_t count = graph->rows + (graph->rank == graph->ranks - 1);
	GEMP_OWNED void *numbers = gemp_calloc(count, matrix->type.size);
	GEMP_PROPAGATE(gemp_comm_agree(matrix->h5->comm, numbers ? GEMP_OK : GEMP_ENOMEM));
	for (uint64_t v = 0; v < count; v++)
		narrow(numbers, matrix->type, v, first + begin[v]);
	return put_array(matrix, "pointers_to_1", "indptr", matrix->type,
	                 (gemp_h5_slab){ graph->vertex_count + 1, graph->first_vertex, count }, numbers);
}

/* Vertices are 32 bits in memory and are written as they are where the file has 32 bits. */
static gemp_code put_indices(const matrix *matrix, const gemp_vertex *indices, gemp_h5_slab edges)
{
	GEMP_OWNED void *numbers = NULL;
	const void *data = indices; /* of the same width in memory and file */
	if (matrix->type.kind == GEMP_H5_I64) {
		numbers = gemp_calloc(edges.count, matrix->type.size);
		data = numbers;
		for (uint64_t e = 0; numbers && e < edges.count; e++)
			narrow(numbers, matrix->type, e, indices[e]);
	}
	GEMP_PROPAGATE(gemp_comm_agree(matrix->h5->comm, data ? GEMP_OK : GEMP_ENOMEM));
	return put_array(matrix, "indices_1", "indices", matrix->type, edges, data);
}

/* binsparse wants values: a byte of one for each edge. */
static gemp_code put_ones(const matrix *matrix, gemp_h5_slab edges)
{
	GEMP_OWNED uint8_t *ones = gemp_calloc(edges.count, 1);
	GEMP_PROPAGATE(gemp_comm_agree(matrix->h5->comm, ones ? GEMP_OK : GEMP_ENOMEM));
	if (edges.count)
		memset(ones, 1, edges.count);
	return put_array(matrix, "values", "data", gemp_h5_type_of(GEMP_H5_U8), edges, ones);
}

/* A multigraph is no binsparse matrix, as that has one entry at a place. */
static gemp_code put_description(const matrix *matrix, const char *format, bool multigraph)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text json = { 0 };
	const gemp_h5 *h5 = matrix->h5;
	const char *integer = matrix->type.kind == GEMP_H5_I32 ? "int32" : "int64";
	const char *values = !matrix->weight ? "uint8" : matrix->weight->type == GEMP_INTEGER ? "int64" : "float64";
	int64_t shape[2] = { (int64_t)matrix->vertices, (int64_t)matrix->vertices };
	GEMP_PROPAGATE(gemp_h5_put_numbers(h5, matrix->path, "shape", shape, 2));
	GEMP_PROPAGATE(gemp_h5_put_number(h5, matrix->path, "sorted", 1));
	GEMP_PROPAGATE(gemp_h5_put_number(h5, matrix->path, "multigraph", multigraph));
	if (multigraph)
		return GEMP_OK;
	gemp_text_print(&json,
	                "{\"binsparse\": {\"version\": \"0.1\", \"format\": \"%s\", \"shape\": [%" PRIu64 ", %" PRIu64
	                "], \"number_of_stored_values\": %" PRIu64 ", \"data_types\": {\"pointers_to_1\": \"%s\", "
	                "\"indices_1\": \"%s\", \"values\": \"%s\"}}}",
	                format, matrix->vertices, matrix->vertices, matrix->edges, integer, integer, values);
	GEMP_PROPAGATE(gemp_comm_agree(h5->comm, gemp_text_status(&json)));
	return gemp_h5_put_text(h5, matrix->path, "binsparse", json.data);
}

/* first: how many edges lower ranks have in this order. */
static gemp_code put_matrix(const matrix *matrix, const gemp_shard *graph, const gemp_relation *relation,
                            bool by_target)
{
	const uint64_t *begin = by_target ? relation->in_offsets : relation->out_offsets;
	const gemp_vertex *indices = by_target ? relation->in_sources : relation->out_targets;
	gemp_h5_slab edges = { relation->edge_count, gemp_comm_exscan(matrix->h5->comm, begin[graph->rows]),
		                   begin[graph->rows] };
	GEMP_PROPAGATE(gemp_h5_group(matrix->h5, matrix->path, by_target ? "csc_matrix" : "csr_matrix", "0.1.0"));
	GEMP_PROPAGATE(put_description(matrix, by_target ? "CSC" : "CSR", relation->multigraph));
	GEMP_PROPAGATE(put_pointers(matrix, graph, begin, edges.first));
	GEMP_PROPAGATE(put_indices(matrix, indices, edges));
	if (!by_target && !matrix->weight)
		return put_ones(matrix, edges);
	return GEMP_OK;
}

/* The dataset `name` of another group under both names of a matrix's values. */
static gemp_code link_values(const matrix *matrix, const char *group, const char *name)
{
	GEMP_OWNED char *target = NULL, *values = NULL, *data = NULL;
	GEMP_PROPAGATE(gemp_h5_join(matrix->h5, group, name, &target));
	GEMP_PROPAGATE(gemp_h5_join(matrix->h5, matrix->path, "values", &values));
	GEMP_PROPAGATE(gemp_h5_join(matrix->h5, matrix->path, "data", &data));
	GEMP_PROPAGATE(gemp_h5_link(matrix->h5, target, values));
	return gemp_h5_link(matrix->h5, target, data);
}

/* Of the rows by source: the column of the edges' table, which is in that order. */
static gemp_code link_weights(const matrix *matrix, const gemp_relation *relation)
{
	GEMP_OWNED char *group = NULL;
	GEMP_OWNED_BY(gemp_text_free) gemp_text name = { 0 };
	GEMP_PROPAGATE(gemp_file_relation_path(matrix->h5, relation->name, "/edges", "props", &group));
	gemp_h5_encode(matrix->weight->name, &name);
	GEMP_PROPAGATE(gemp_comm_agree(matrix->h5->comm, gemp_text_status(&name)));
	return link_values(matrix, group, name.data);
}

/* The attribute table is in the order by source; values by target are fetched from their owners. */
static gemp_code put_weights_by_target(const matrix *matrix, const gemp_shard *graph, const gemp_relation *relation,
                                       gemp_h5_slab edges)
{
	GEMP_OWNED uint64_t *words = NULL;
	gemp_h5_type type = gemp_h5_type_of(matrix->weight->type == GEMP_INTEGER ? GEMP_H5_I64 : GEMP_H5_F64);
	GEMP_PROPAGATE(gemp_file_weights_by_target(matrix->h5->comm, graph, relation, matrix->weight, &words));
	return put_array(matrix, "values", "data", type, edges, words);
}

/* Rows by target: if all values are 1 they are those of the rows by source; and each edge's number. */
static gemp_code put_targets(matrix *matrix, const gemp_shard *graph, const gemp_relation *relation, const char *csr)
{
	GEMP_OWNED char *edge = NULL;
	uint64_t count = relation->in_offsets[graph->rows], first = gemp_comm_exscan(matrix->h5->comm, count);
	GEMP_PROPAGATE(put_matrix(matrix, graph, relation, true));
	GEMP_PROPAGATE(matrix->weight ? put_weights_by_target(matrix, graph, relation,
	                                                      (gemp_h5_slab){ relation->edge_count, first, count })
	                              : link_values(matrix, csr, "values"));
	GEMP_PROPAGATE(gemp_h5_join(matrix->h5, matrix->path, "edge", &edge));
	return gemp_h5_write(matrix->h5, edge, gemp_h5_type_of(GEMP_H5_U64), relation->edge_count, first, count,
	                     relation->in_edges);
}

/* The edges' table; AnnData wants an index, and the targets are there already. */
static gemp_code put_props(const gemp_h5 *h5, const gemp_shard *graph, const gemp_relation *relation, const char *csr)
{
	GEMP_OWNED char *group = NULL, *strings = NULL, *target = NULL, *index = NULL;
	GEMP_OWNED_BY(gemp_column_layout_free) gemp_column_layout columns = { 0 };
	GEMP_OWNED_BY(gemp_text_free) gemp_text path = { 0 };
	gemp_h5_slab rows = { relation->edge_count, relation->first_edge, relation->out_offsets[graph->rows] };
	GEMP_PROPAGATE(gemp_file_relation_path(h5, relation->name, "/edges", "props", &group));
	GEMP_PROPAGATE(gemp_file_relation_path(h5, relation->name, "/strings/edges", "props", &strings));
	GEMP_PROPAGATE(gemp_h5_group(h5, group, "dataframe", "0.2.0"));
	GEMP_PROPAGATE(gemp_column_layout_new(h5, relation->props.count, &columns));
	for (size_t c = 0; c < columns.count; c++) {
		GEMP_PROPAGATE(gemp_file_put_column(h5, group, strings, &relation->props.columns[c], rows, &path));
		GEMP_PROPAGATE(gemp_column_layout_set(h5, &columns, c, path.data, ""));
	}
	GEMP_PROPAGATE(gemp_h5_join(h5, csr, "indices_1", &target));
	GEMP_PROPAGATE(gemp_h5_join(h5, group, "_target", &index));
	GEMP_PROPAGATE(gemp_h5_link(h5, target, index));
	GEMP_PROPAGATE(gemp_file_put_dataframe(h5, group, "_target", &columns, NULL, 0));
	return gemp_file_put_schema(h5, group, &relation->props, &columns);
}

/* Matrices come before the table whose index links to them. */
gemp_code gemp_file_put_relation(const gemp_h5 *h5, const gemp_shard *graph, const gemp_relation *relation,
                                 const char *weight)
{
	GEMP_OWNED char *group = NULL, *csr = NULL, *csc = NULL;
	matrix matrix = { h5,
		              NULL,
		              graph->vertex_count,
		              relation->edge_count,
		              width(graph->vertex_count, relation->edge_count),
		              gemp_file_weight_of(relation, weight) };
	GEMP_PROPAGATE(gemp_file_relation_path(h5, relation->name, "/edges", "", &group));
	GEMP_PROPAGATE(gemp_h5_join(h5, group, "csr", &csr));
	GEMP_PROPAGATE(gemp_h5_join(h5, group, "csc", &csc));
	GEMP_PROPAGATE(gemp_h5_group(h5, group, "dict", "0.1.0"));
	GEMP_PROPAGATE(gemp_h5_put_flag(h5, group, "directed", relation->directed));
	matrix.path = csr;
	GEMP_PROPAGATE(put_matrix(&matrix, graph, relation, false));
	GEMP_PROPAGATE(put_props(h5, graph, relation, csr));
	if (matrix.weight)
		GEMP_PROPAGATE(link_weights(&matrix, relation));
	matrix.path = csc;
	return put_targets(&matrix, graph, relation, csr);
}
