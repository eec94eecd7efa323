/* A relation is stored as two sparse matrices, by source and by target, and a table of edges in the order of the matrix
 * by source. binsparse and AnnData can both read the matrices: hard links give each dataset the names of both formats.
 * When writing, all ranks write each array together, each rank its own rows. When reading, the ranks read only the
 * parts that a query needs. */

#include "io/graph_file/graph_file_relation.h"
#include "io/graph_file/graph_file_strings.h"

#include "core/limits.h"
#include "core/status.h"
#include "core/threads.h"
#include "graph/either_rows.h"
#include "io/hdf5/hdf5_attributes.h"

#include <stdatomic.h>
#include <string.h>

/* A matrix of `vertices` rows and columns in the group `path`. */
typedef struct relation_matrix {
	const gemp_h5 *h5;
	char *path; /* owned; NULL if out of memory, see hdf5_file.h */
	uint64_t vertices, edges;
	gemp_h5_type type;         /* type of pointers and indices */
	const gemp_column *weight; /* the column that gives the values; NULL: all values are 1 */
} relation_matrix;

/* Local. Describes the matrix "csr" or "csc" of a relation; the type is not set yet. */
static relation_matrix matrix_of(const gemp_h5 *h5, const gemp_shard *graph, const gemp_relation *relation,
                                 const char *name)
{
	return (relation_matrix){ .h5 = h5,
		                      .path = gemp_h5_join_encoded("/edges", relation->name, name),
		                      .vertices = graph->vertex_count,
		                      .edges = relation->edge_count };
}

static void free_matrix(relation_matrix *matrix)
{
	gemp_free(matrix->path);
}

/* Collective. Reads elements [first, first + count) of the matrix's dataset `name`. The first `own` elements belong to
 * this rank alone. code: as in gemp_h5_read. */
static gemp_code get_array(const relation_matrix *matrix, gemp_code code, const char *name, gemp_h5_type type,
                           uint64_t first, uint64_t count, uint64_t own, void *out)
{
	GEMP_OWNED char *path = gemp_h5_join(matrix->path, name);
	return gemp_h5_read(matrix->h5, code, path, type, first, count, own, out);
}

/* Element `index` of an array of 32-bit or 64-bit integers. */
static uint64_t load_number(const void *in, gemp_h5_type type, uint64_t index)
{
	return type.kind == GEMP_H5_I32 ? (uint64_t)((const int32_t *)in)[index] : (uint64_t)((const int64_t *)in)[index];
}

/* Shape and flags are attributes, so no array is read. */
gemp_code gemp_file_describe_relation(const gemp_h5 *h5, const gemp_shard *graph, gemp_relation *relation,
                                      gemp_column_layout *columns)
{
	GEMP_OWNED char *group = gemp_h5_join_encoded("/edges", relation->name, "");
	GEMP_OWNED char *csr = gemp_h5_join(group, "csr"), *props = gemp_h5_join(group, "props");
	GEMP_OWNED char *indices = gemp_h5_join(csr, "indices_1");
	GEMP_OWNED int64_t *shape = NULL;
	gemp_h5_type type;
	uint64_t multigraph = 0;
	size_t count = 0;
	GEMP_TRY(gemp_h5_get_flag(h5, group, "directed", &relation->directed));
	GEMP_TRY(gemp_h5_get_number(h5, csr, "multigraph", &multigraph));
	GEMP_TRY(gemp_h5_get_numbers(h5, csr, "shape", &shape, &count));
	GEMP_TRY(gemp_h5_info(h5, indices, &type, &relation->edge_count));
	relation->multigraph = multigraph;
	if (count != 2 || (uint64_t)shape[0] != graph->vertex_count || (uint64_t)shape[1] != graph->vertex_count)
		return gemp_file_damaged(h5, csr, "has another number of rows or columns than the graph has vertices");
	return gemp_file_get_schema(h5, props, &relation->props, columns);
}

/* Collective. Finds the type of pointers and indices, which must both be i32 or both i64, and checks their lengths. */
static gemp_code get_type(relation_matrix *matrix)
{
	GEMP_OWNED char *pointers = gemp_h5_join(matrix->path, "pointers_to_1");
	GEMP_OWNED char *indices = gemp_h5_join(matrix->path, "indices_1");
	gemp_h5_type other;
	uint64_t total = 0, edges = 0;
	GEMP_TRY(gemp_h5_info(matrix->h5, pointers, &matrix->type, &total));
	GEMP_TRY(gemp_h5_info(matrix->h5, indices, &other, &edges));
	bool integers = matrix->type.kind == GEMP_H5_I32 || matrix->type.kind == GEMP_H5_I64;
	if (!integers || other.kind != matrix->type.kind || total != matrix->vertices + 1 || edges != matrix->edges)
		return gemp_file_damaged(matrix->h5, matrix->path, "has arrays that do not fit one another");
	return GEMP_OK;
}

/* Collective. Reads this rank's pointers. *first becomes the first pointer, and (*begin)[rows + 1] the pointers minus
 * *first. The pointers are used as indices later, so they are checked. */
static gemp_code get_pointers(const relation_matrix *matrix, const gemp_shard *graph, uint64_t **begin, uint64_t *first)
{
	uint64_t count = graph->rows + 1, last = graph->rank == graph->ranks - 1;
	GEMP_OWNED void *numbers = gemp_calloc(count, matrix->type.size);
	GEMP_OWNED uint64_t *pointers = NULL;
	gemp_code code = numbers ? GEMP_NEW(pointers, count) : GEMP_ENOMEM;
	GEMP_TRY(get_array(matrix, code, "pointers_to_1", matrix->type, graph->first_vertex, count, graph->rows + last,
	                   numbers));
	*first = load_number(numbers, matrix->type, 0);
	for (uint64_t v = 0; v < count && code == GEMP_OK; v++) {
		uint64_t pointer = load_number(numbers, matrix->type, v), before = v ? pointers[v - 1] + *first : 0;
		if (pointer < before || pointer > matrix->edges || (graph->first_vertex + v == 0 && pointer != 0) ||
		    (graph->first_vertex + v == graph->vertex_count && pointer != matrix->edges))
			code = gemp_file_damaged(matrix->h5, matrix->path,
			                         "has pointers that do not ascend from 0 to the number of edges");
		pointers[v] = pointer - *first;
	}
	GEMP_TRY(gemp_comm_agree(matrix->h5->comm, code));
	*begin = pointers;
	pointers = NULL;
	return GEMP_OK;
}

typedef struct row_check {
	const gemp_shard *graph;
	const uint64_t *begin;
	const gemp_vertex *indices;
	atomic_bool bad;
} row_check;

/* Searches rely on rows that are sorted and hold only vertices of the graph, so both are checked. */
static void check_range(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	row_check *check = context;
	bool bad = false;
	for (size_t v = begin; v < end; v++) {
		uint64_t first = check->begin[v], last = check->begin[v + 1];
		for (uint64_t e = first + 1; e < last; e++)
			bad |= check->indices[e] < check->indices[e - 1];
		/* If the row ascends, its last index is the largest. */
		bad |= last > first && check->indices[last - 1] >= check->graph->vertex_count;
	}
	if (bad)
		atomic_store(&check->bad, true);
}

/* Local. Threads check ranges of rows. */
static gemp_code check_rows(const relation_matrix *matrix, const gemp_shard *graph, const uint64_t *begin,
                            const gemp_vertex *indices)
{
	row_check check = { graph, begin, indices, false };
	gemp_for_ranges(graph->rows, check_range, &check);
	return check.bad ? gemp_file_damaged(matrix->h5, matrix->path, "has a row that is not sorted or leaves the graph")
	                 : GEMP_OK;
}

/* Collective. 64-bit indices are narrowed. An index that is no vertex becomes GEMP_NO_VERTEX, which check_rows
 * refuses. */
static gemp_code get_indices(const relation_matrix *matrix, const gemp_shard *graph, const uint64_t *begin,
                             uint64_t first, gemp_vertex **out)
{
	const uint64_t count = begin[graph->rows];
	const bool wide = matrix->type.kind == GEMP_H5_I64;
	GEMP_OWNED int64_t *numbers = NULL;
	GEMP_OWNED gemp_vertex *indices = NULL;
	gemp_code code = gemp_new_all(GEMP_ARRAY(indices, count), GEMP_ARRAY(numbers, wide ? count : 0));
	GEMP_TRY(get_array(matrix, code, "indices_1", matrix->type, first, count, count,
	                   wide ? (void *)numbers : (void *)indices));
	for (uint64_t e = 0; wide && e < count; e++)
		indices[e] = (uint64_t)numbers[e] < graph->vertex_count ? (gemp_vertex)numbers[e] : GEMP_NO_VERTEX;
	GEMP_TRY(gemp_comm_agree(matrix->h5->comm, check_rows(matrix, graph, begin, indices)));
	*out = indices;
	indices = NULL;
	return GEMP_OK;
}

/* Collective. The numbers of edges are used as rows of the attribute table, so they are checked. */
static gemp_code get_edge_numbers(const relation_matrix *matrix, uint64_t first, uint64_t count, gemp_edge **out)
{
	GEMP_OWNED gemp_edge *edges = NULL;
	gemp_code code = GEMP_NEW(edges, count);
	GEMP_TRY(get_array(matrix, code, "edge", gemp_h5_type_of(GEMP_H5_U64), first, count, count, edges));
	bool beyond = false;
	for (uint64_t e = 0; e < count; e++)
		beyond |= edges[e] >= matrix->edges;
	if (beyond)
		code = gemp_file_damaged(matrix->h5, matrix->path, "has the number of an edge beyond the last one");
	GEMP_TRY(gemp_comm_agree(matrix->h5->comm, code));
	*out = edges;
	edges = NULL;
	return GEMP_OK;
}

/* Collective. Reads the matrix by target, whose row v holds the edges that end in v. */
static gemp_code get_in(const gemp_h5 *h5, const gemp_shard *graph, gemp_relation *relation, unsigned parts)
{
	GEMP_OWNED_BY(free_matrix) relation_matrix matrix = matrix_of(h5, graph, relation, "csc");
	GEMP_OWNED uint64_t *begin = NULL;
	uint64_t first = 0;
	if (parts & GEMP_LOAD_IN) {
		GEMP_TRY(get_type(&matrix));
		GEMP_TRY(get_pointers(&matrix, graph, &begin, &first));
		GEMP_TRY(get_indices(&matrix, graph, begin, first, &relation->in_sources));
		relation->in_offsets = begin;
		relation->loaded |= GEMP_LOAD_IN;
		begin = NULL;
	}
	if (parts & GEMP_LOAD_IN_EDGES) {
		uint64_t count = relation->in_offsets[graph->rows];
		GEMP_TRY(get_edge_numbers(&matrix, gemp_comm_exscan(h5->comm, count), count, &relation->in_edges));
		relation->loaded |= GEMP_LOAD_IN_EDGES;
	}
	return GEMP_OK;
}

/* Collective. Each column is a dataset or group of its own, so columns are read one after another. */
static gemp_code get_props(const gemp_h5 *h5, gemp_relation *relation, const gemp_column_layout *columns,
                           gemp_h5_slab rows)
{
	for (size_t c = 0; c < columns->count; c++)
		GEMP_TRY(gemp_file_get_column(h5, columns->paths.text[c], &relation->props.columns[c], rows));
	relation->props.rows = rows.count;
	relation->loaded |= GEMP_LOAD_PROPS;
	return GEMP_OK;
}

/* Collective. Reads the matrix by source and the table of edges. The matrix's pointers give this rank's rows of the
 * table. */
static gemp_code get_out(const gemp_h5 *h5, const gemp_shard *graph, gemp_relation *relation,
                         const gemp_column_layout *columns, unsigned parts)
{
	GEMP_OWNED_BY(free_matrix) relation_matrix matrix = matrix_of(h5, graph, relation, "csr");
	GEMP_OWNED uint64_t *begin = NULL;
	GEMP_TRY(get_type(&matrix));
	GEMP_TRY(get_pointers(&matrix, graph, &begin, &relation->first_edge));
	gemp_h5_slab rows = { relation->edge_count, relation->first_edge, begin[graph->rows] };
	if (parts & GEMP_LOAD_PROPS)
		GEMP_TRY(get_props(h5, relation, columns, rows));
	if (!(parts & GEMP_LOAD_OUT))
		return GEMP_OK;
	GEMP_TRY(get_indices(&matrix, graph, begin, relation->first_edge, &relation->out_targets));
	relation->out_offsets = begin;
	relation->loaded |= GEMP_LOAD_OUT;
	begin = NULL;
	return GEMP_OK;
}

/* get_in loads GEMP_LOAD_IN before GEMP_LOAD_IN_EDGES, which needs the offsets of the matrix by target. */
static gemp_code get_matrices(const gemp_h5 *h5, gemp_shard *graph, gemp_relation *relation,
                              const gemp_column_layout *columns, unsigned parts)
{
	if (parts & (GEMP_LOAD_OUT | GEMP_LOAD_PROPS))
		GEMP_TRY(get_out(h5, graph, relation, columns, parts));
	return parts & (GEMP_LOAD_IN | GEMP_LOAD_IN_EDGES) ? get_in(h5, graph, relation, parts) : GEMP_OK;
}

/* The file has no rows of both directions merged, so they are made from the rows by source and by target. If the caller
 * has not asked for these two, they are freed afterwards. */
gemp_code gemp_file_get_relation(const gemp_h5 *h5, gemp_shard *graph, gemp_relation *relation,
                                 const gemp_column_layout *columns, unsigned parts)
{
	unsigned wanted = relation->loaded | parts;
	if (parts & GEMP_LOAD_EITHER)
		parts |= (GEMP_LOAD_OUT | GEMP_LOAD_IN) & ~relation->loaded;
	GEMP_TRY(get_matrices(h5, graph, relation, columns, parts));
	if (parts & GEMP_LOAD_EITHER) {
		GEMP_TRY(gemp_comm_agree(h5->comm, gemp_relation_merge_rows(graph, relation)));
		gemp_relation_keep_rows(relation, wanted);
	}
	return GEMP_OK;
}

/* 32-bit indices take half the bytes of 64-bit indices, so they are used if all numbers fit. */
static gemp_h5_type matrix_type(uint64_t vertices, uint64_t edges)
{
	uint64_t limit = gemp_limits_now()->file_i32_max;
	return gemp_h5_type_of(vertices <= limit && edges <= limit ? GEMP_H5_I32 : GEMP_H5_I64);
}

/* Every number fits, since matrix_type chose the type by the largest number. */
static void store_number(void *out, gemp_h5_type type, uint64_t index, uint64_t number)
{
	if (type.kind == GEMP_H5_I32)
		((int32_t *)out)[index] = (int32_t)number;
	else
		((int64_t *)out)[index] = (int64_t)number;
}

/* Collective. Writes the dataset under binsparse's name and links it under AnnData's name. code: as in
 * gemp_h5_write. */
static gemp_code put_array(const relation_matrix *matrix, gemp_code code, const char *name, const char *anndata_name,
                           gemp_h5_type type, gemp_h5_slab rows, const void *data)
{
	GEMP_OWNED char *path = gemp_h5_join(matrix->path, name), *link = gemp_h5_join(matrix->path, anndata_name);
	GEMP_TRY(gemp_h5_write(matrix->h5, code, path, type, rows, data));
	return gemp_h5_link(matrix->h5, path, link);
}

/* Collective. Each rank writes one pointer for each of its rows. The last rank also writes the final pointer. */
static gemp_code put_pointers(const relation_matrix *matrix, const gemp_shard *graph, const uint64_t *begin,
                              uint64_t first)
{
	uint64_t count = graph->rows + (graph->rank == graph->ranks - 1);
	GEMP_OWNED void *numbers = gemp_calloc(count, matrix->type.size);
	for (uint64_t v = 0; numbers && v < count; v++)
		store_number(numbers, matrix->type, v, first + begin[v]);
	return put_array(matrix, numbers ? GEMP_OK : GEMP_ENOMEM, "pointers_to_1", "indptr", matrix->type,
	                 (gemp_h5_slab){ graph->vertex_count + 1, graph->first_vertex, count }, numbers);
}

/* Collective. A vertex has 32 bits in memory, so only 64-bit indices need a widened copy. */
static gemp_code put_indices(const relation_matrix *matrix, const gemp_vertex *indices, gemp_h5_slab edges)
{
	const bool wide = matrix->type.kind == GEMP_H5_I64;
	GEMP_OWNED int64_t *numbers = NULL;
	gemp_code code = GEMP_NEW(numbers, wide ? edges.count : 0);
	for (uint64_t e = 0; code == GEMP_OK && wide && e < edges.count; e++)
		numbers[e] = (int64_t)indices[e];
	return put_array(matrix, code, "indices_1", "indices", matrix->type, edges,
	                 wide ? (const void *)numbers : (const void *)indices);
}

/* Collective. binsparse requires values, so each edge without a weight gets the byte 1. */
static gemp_code put_ones(const relation_matrix *matrix, gemp_h5_slab edges)
{
	GEMP_OWNED uint8_t *ones = gemp_calloc(edges.count, 1);
	if (ones && edges.count)
		memset(ones, 1, edges.count);
	return put_array(matrix, ones ? GEMP_OK : GEMP_ENOMEM, "values", "data", gemp_h5_type_of(GEMP_H5_U8), edges, ones);
}

/* Collective. Writes the attributes of a matrix. A binsparse matrix has at most one entry for each pair of row and
 * column, so the matrix of a multigraph gets no binsparse description. */
static gemp_code put_description(const relation_matrix *matrix, const char *format, bool multigraph)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text json = { 0 };
	const gemp_h5 *h5 = matrix->h5;
	const char *integer = matrix->type.kind == GEMP_H5_I32 ? "int32" : "int64";
	const char *values = !matrix->weight ? "uint8" : matrix->weight->type == GEMP_INTEGER ? "int64" : "float64";
	int64_t shape[2] = { (int64_t)matrix->vertices, (int64_t)matrix->vertices };
	GEMP_TRY(gemp_h5_put_numbers(h5, matrix->path, "shape", shape, 2));
	GEMP_TRY(gemp_h5_put_number(h5, matrix->path, "sorted", 1));
	GEMP_TRY(gemp_h5_put_number(h5, matrix->path, "multigraph", multigraph));
	if (multigraph)
		return GEMP_OK;
	gemp_text_print(&json,
	                "{\"binsparse\": {\"version\": \"0.1\", \"format\": \"%s\", \"shape\": [%" PRIu64 ", %" PRIu64
	                "], \"number_of_stored_values\": %" PRIu64 ", \"data_types\": {\"pointers_to_1\": \"%s\", "
	                "\"indices_1\": \"%s\", \"values\": \"%s\"}}}",
	                format, matrix->vertices, matrix->vertices, matrix->edges, integer, integer, values);
	GEMP_TRY(gemp_comm_agree(h5->comm, gemp_text_status(&json)));
	return gemp_h5_put_text(h5, matrix->path, "binsparse", json.data);
}

/* Collective. Makes the group of a matrix and writes its pointers and indices. The matrix by source also gets its
 * values here if all values are 1. */
static gemp_code put_matrix(const relation_matrix *matrix, const gemp_shard *graph, const gemp_relation *relation,
                            bool by_target)
{
	const uint64_t *begin = by_target ? relation->in_offsets : relation->out_offsets;
	const gemp_vertex *indices = by_target ? relation->in_sources : relation->out_targets;
	gemp_h5_slab edges = { relation->edge_count, gemp_comm_exscan(matrix->h5->comm, begin[graph->rows]),
		                   begin[graph->rows] };
	GEMP_TRY(gemp_h5_group(matrix->h5, matrix->path, by_target ? "csc_matrix" : "csr_matrix", "0.1.0"));
	GEMP_TRY(put_description(matrix, by_target ? "CSC" : "CSR", relation->multigraph));
	GEMP_TRY(put_pointers(matrix, graph, begin, edges.first));
	GEMP_TRY(put_indices(matrix, indices, edges));
	if (!by_target && !matrix->weight)
		return put_ones(matrix, edges);
	return GEMP_OK;
}

/* Collective. Links a dataset as the matrix's values, under binsparse's and AnnData's names. */
static gemp_code link_values(const relation_matrix *matrix, const char *dataset)
{
	GEMP_OWNED char *values = gemp_h5_join(matrix->path, "values"), *data = gemp_h5_join(matrix->path, "data");
	GEMP_TRY(gemp_h5_link(matrix->h5, dataset, values));
	return gemp_h5_link(matrix->h5, dataset, data);
}

/* Collective. The table of edges has the order of the matrix by source, so the weight's column is linked as the
 * values. */
static gemp_code link_weights(const relation_matrix *matrix, const gemp_relation *relation)
{
	GEMP_OWNED char *props = gemp_h5_join_encoded("/edges", relation->name, "props");
	GEMP_OWNED char *column = gemp_h5_join_encoded(props, matrix->weight->name, "");
	return link_values(matrix, column);
}

/* Collective. The table of edges has the order by source. So the values in the order by target are requested from the
 * ranks that own the edges. */
static gemp_code put_weights_by_target(const relation_matrix *matrix, const gemp_shard *graph,
                                       const gemp_relation *relation, gemp_h5_slab edges)
{
	GEMP_OWNED uint64_t *words = NULL;
	gemp_h5_type type = gemp_h5_type_of(matrix->weight->type == GEMP_INTEGER ? GEMP_H5_I64 : GEMP_H5_F64);
	GEMP_TRY(gemp_file_weights_by_target(matrix->h5->comm, graph, relation, matrix->weight, &words));
	return put_array(matrix, GEMP_OK, "values", "data", type, edges, words);
}

/* Collective. Writes the matrix by target. `edge` holds the number of each edge, which is its row in the table. The
 * values are the weights in the order by target or, without weights, a link to the values of the matrix by source. */
static gemp_code put_targets(relation_matrix *matrix, const gemp_shard *graph, const gemp_relation *relation,
                             const char *csr)
{
	uint64_t count = relation->in_offsets[graph->rows];
	gemp_h5_slab rows = { relation->edge_count, gemp_comm_exscan(matrix->h5->comm, count), count };
	GEMP_OWNED char *ones = gemp_h5_join(csr, "values");
	GEMP_TRY(put_matrix(matrix, graph, relation, true));
	GEMP_TRY(matrix->weight ? put_weights_by_target(matrix, graph, relation, rows) : link_values(matrix, ones));
	return gemp_h5_write_in(matrix->h5, GEMP_OK, matrix->path, "edge", gemp_h5_type_of(GEMP_H5_U64), rows,
	                        relation->in_edges);
}

/* Collective. Writes the table of edges. AnnData requires an index column, so the targets are linked as this index. */
static gemp_code put_props(const gemp_h5 *h5, const gemp_shard *graph, const gemp_relation *relation, const char *csr)
{
	GEMP_OWNED char *group = gemp_h5_join_encoded("/edges", relation->name, "props");
	GEMP_OWNED char *strings = gemp_h5_join_encoded("/strings/edges", relation->name, "props");
	GEMP_OWNED char *target = gemp_h5_join(csr, "indices_1"), *index = gemp_h5_join(group, "_target");
	GEMP_OWNED_BY(gemp_column_layout_free) gemp_column_layout columns = { 0 };
	gemp_h5_slab rows = { relation->edge_count, relation->first_edge, relation->out_offsets[graph->rows] };
	gemp_code code = gemp_column_layout_new(relation->props.count, &columns);
	GEMP_TRY(gemp_comm_agree(h5->comm, strings ? code : GEMP_ENOMEM));
	GEMP_TRY(gemp_h5_group(h5, group, "dataframe", "0.2.0"));
	for (size_t c = 0; c < columns.count; c++)
		GEMP_TRY(gemp_file_put_column(h5, group, strings, &relation->props.columns[c], rows, &columns.paths.text[c]));
	GEMP_TRY(gemp_h5_link(h5, target, index));
	GEMP_TRY(gemp_file_put_dataframe(h5, group, "_target", &columns, NULL, 0));
	return gemp_file_put_schema(h5, group, &relation->props, &columns);
}

/* The matrix by source is written before the table, since the table's index is a link to the matrix's indices. */
gemp_code gemp_file_put_relation(const gemp_h5 *h5, const gemp_shard *graph, const gemp_relation *relation,
                                 const char *weight)
{
	GEMP_OWNED char *group = gemp_h5_join_encoded("/edges", relation->name, "");
	GEMP_OWNED_BY(free_matrix) relation_matrix csr = matrix_of(h5, graph, relation, "csr");
	GEMP_OWNED_BY(free_matrix) relation_matrix csc = matrix_of(h5, graph, relation, "csc");
	csr.type = csc.type = matrix_type(graph->vertex_count, relation->edge_count);
	csr.weight = csc.weight = gemp_file_weight_of(relation, weight);
	GEMP_TRY(gemp_h5_group(h5, group, "dict", "0.1.0"));
	GEMP_TRY(gemp_h5_put_flag(h5, group, "directed", relation->directed));
	GEMP_TRY(put_matrix(&csr, graph, relation, false));
	GEMP_TRY(put_props(h5, graph, relation, csr.path));
	if (csr.weight)
		GEMP_TRY(link_weights(&csr, relation));
	return put_targets(&csc, graph, relation, csr.path);
}
