/* Arrays of numbers are narrow where the numbers are: pointers have 32 bits if the matrix has fewer than 2^31 entries,
 * indices if the graph has fewer than 2^31 vertices. scipy, AnnData and binsparse accept different types for them.
 * Arrays that are read are used as indices later, so they are checked on all threads. */

#include "io/graph_file/graph_file_matrix.h"

#include "core/limits.h"
#include "core/status.h"
#include "core/threads.h"
#include "core/vector.h"
#include "io/graph_file/graph_file_strings.h"
#include "io/hdf5/hdf5_attributes.h"
#include "io/hdf5/hdf5_numbers.h"

#include <stdatomic.h>
#include <string.h>

/* The type of numbers up to `max`, of which the matrix has also numbers up to `other` (in version 1, which has one type
 * for both). */
static gemp_h5_type number_type(uint64_t max, uint64_t other)
{
	max = gemp_limits_now()->file_version == 1 ? gemp_max(max, other) : max;
	return gemp_h5_type_of(max <= gemp_limits_now()->file_i32_max ? GEMP_H5_I32 : GEMP_H5_I64);
}

gemp_file_matrix gemp_file_matrix_of(const gemp_h5 *h5, const gemp_shard *graph, const gemp_relation *relation,
                                     const char *name, uint64_t entries)
{
	return gemp_file_matrix_at(h5, graph, gemp_h5_join_encoded("/edges", relation->name, name), entries);
}

gemp_file_matrix gemp_file_matrix_at(const gemp_h5 *h5, const gemp_shard *graph, char *path, uint64_t entries)
{
	return (gemp_file_matrix){ .h5 = h5,
		                       .path = path,
		                       .vertices = graph->vertex_count,
		                       .entries = entries,
		                       .pointer = number_type(entries, graph->vertex_count),
		                       .index = number_type(graph->vertex_count, entries) };
}

void gemp_file_matrix_free(gemp_file_matrix *matrix)
{
	gemp_free(matrix->path);
}

/* READING */

/* Collective. Reads elements [first, first + count) of the matrix's dataset `name`. The first `own` elements belong to
 * this rank alone. code: as in gemp_h5_read. */
static gemp_code get_array(const gemp_file_matrix *matrix, gemp_code code, const char *name, gemp_h5_type type,
                           uint64_t first, uint64_t count, uint64_t own, void *out)
{
	GEMP_OWNED char *path = gemp_h5_join(matrix->path, name);
	return gemp_h5_read(matrix->h5, code, path, type, first, count, own, out);
}

/* Collective. Finds the types of pointers and indices and checks their lengths. */
static gemp_code get_types(gemp_file_matrix *matrix)
{
	GEMP_OWNED char *pointers = gemp_h5_join(matrix->path, "pointers_to_1");
	GEMP_OWNED char *indices = gemp_h5_join(matrix->path, "indices_1");
	uint64_t total = 0, entries = 0;
	GEMP_TRY(gemp_h5_info(matrix->h5, pointers, &matrix->pointer, &total));
	GEMP_TRY(gemp_h5_info(matrix->h5, indices, &matrix->index, &entries));
	bool integers = (matrix->pointer.kind == GEMP_H5_I32 || matrix->pointer.kind == GEMP_H5_I64) &&
	                (matrix->index.kind == GEMP_H5_I32 || matrix->index.kind == GEMP_H5_I64);
	if (!integers || total != matrix->vertices + 1 || entries != matrix->entries)
		return gemp_file_damaged(matrix->h5, matrix->path, "has arrays that do not fit one another");
	return GEMP_OK;
}

/* What a thread checks: that pointers ascend, or that rows are sorted and hold only vertices of the graph. */
typedef struct row_check {
	const gemp_file_matrix *matrix;
	const gemp_shard *graph;
	const void *numbers; /* pointers as they are in the file */
	uint64_t *pointers;  /* widened */
	const uint64_t *begin;
	const gemp_vertex *indices;
	atomic_bool bad;
} row_check;

/* Widens pointers. A pointer that descends, or that is beyond the last entry, is found. */
static void widen_range(void *context, size_t begin, size_t end)
{
	row_check *check = context;
	const gemp_h5_kind kind = check->matrix->pointer.kind;
	const uint64_t first = (uint64_t)gemp_h5_number_at(check->numbers, kind, 0);
	bool bad = false;
	for (size_t v = begin; v < end; v++) {
		uint64_t pointer = (uint64_t)gemp_h5_number_at(check->numbers, kind, v);
		bad |= pointer > check->matrix->entries ||
		       (v && pointer < (uint64_t)gemp_h5_number_at(check->numbers, kind, v - 1));
		check->pointers[v] = pointer - first;
	}
	if (bad)
		atomic_store(&check->bad, true);
}

gemp_code gemp_file_matrix_get_pointers(gemp_file_matrix *matrix, const gemp_shard *graph, uint64_t **begin,
                                        uint64_t *first)
{
	GEMP_TRY(get_types(matrix));
	uint64_t count = graph->rows + 1, last = graph->rank == graph->ranks - 1;
	GEMP_OWNED void *numbers = gemp_calloc(count, matrix->pointer.size);
	GEMP_OWNED uint64_t *pointers = NULL;
	gemp_code code = numbers ? GEMP_NEW(pointers, count) : GEMP_ENOMEM;
	GEMP_TRY(get_array(matrix, code, "pointers_to_1", matrix->pointer, graph->first_vertex, count, graph->rows + last,
	                   numbers));
	*first = (uint64_t)gemp_h5_number_at(numbers, matrix->pointer.kind, 0);
	row_check check = { .matrix = matrix, .graph = graph, .numbers = numbers, .pointers = pointers };
	gemp_for_elements(count, widen_range, &check);
	if (check.bad || (graph->first_vertex == 0 && *first != 0) ||
	    (graph->first_vertex + graph->rows == graph->vertex_count && pointers[graph->rows] + *first != matrix->entries))
		code = gemp_file_damaged(matrix->h5, matrix->path,
		                         "has pointers that do not ascend from 0 to the number of edges");
	GEMP_TRY(gemp_comm_agree(matrix->h5->comm, code));
	*begin = pointers;
	pointers = NULL;
	return GEMP_OK;
}

/* *descends becomes whether an index of the row is less than the index before it. */
GEMP_VECTOR_BODY void find_descent_loop(const gemp_vertex *row, uint64_t count, bool *descends)
{
	uint32_t found = 0;
	for (uint64_t e = 1; e < count; e++)
		found |= row[e] < row[e - 1];
	*descends = found;
}
GEMP_VECTOR_LOOP(find_descent, (const gemp_vertex *row, uint64_t count, bool *descends), (row, count, descends))

/* Searches rely on rows that are sorted and hold only vertices of the graph, so both are checked. */
static void check_range(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	row_check *check = context;
	bool bad = false;
	for (size_t v = begin; v < end; v++) {
		uint64_t first = check->begin[v], last = check->begin[v + 1];
		bool descends;
		find_descent(check->indices + first, last - first, &descends);
		bad |= descends;
		/* If the row ascends, its last index is the largest. */
		bad |= last > first && check->indices[last - 1] >= check->graph->vertex_count;
	}
	if (bad)
		atomic_store(&check->bad, true);
}

/* Local. Threads check ranges of rows. */
static gemp_code check_rows(const gemp_file_matrix *matrix, const gemp_shard *graph, const uint64_t *begin,
                            const gemp_vertex *indices)
{
	row_check check = { .graph = graph, .begin = begin, .indices = indices };
	gemp_for_ranges(graph->rows, check_range, &check);
	return check.bad ? gemp_file_damaged(matrix->h5, matrix->path, "has a row that is not sorted or leaves the graph")
	                 : GEMP_OK;
}

/* Collective. 64-bit indices are narrowed. An index that is no vertex becomes GEMP_NO_VERTEX, which check_rows
 * refuses. */
gemp_code gemp_file_matrix_get_indices(const gemp_file_matrix *matrix, const gemp_shard *graph, const uint64_t *begin,
                                       uint64_t first, gemp_vertex **out)
{
	const uint64_t count = begin[graph->rows];
	const bool wide = matrix->index.kind == GEMP_H5_I64;
	GEMP_OWNED int64_t *numbers = NULL;
	GEMP_OWNED gemp_vertex *indices = NULL;
	gemp_code code = gemp_new_all(GEMP_ARRAY(indices, count), GEMP_ARRAY(numbers, wide ? count : 0));
	GEMP_TRY(get_array(matrix, code, "indices_1", matrix->index, first, count, count,
	                   wide ? (void *)numbers : (void *)indices));
	for (uint64_t e = 0; wide && e < count; e++)
		indices[e] = (uint64_t)numbers[e] < graph->vertex_count ? (gemp_vertex)numbers[e] : GEMP_NO_VERTEX;
	GEMP_TRY(gemp_comm_agree(matrix->h5->comm, check_rows(matrix, graph, begin, indices)));
	*out = indices;
	indices = NULL;
	return GEMP_OK;
}

typedef struct edge_check {
	const gemp_edge *edges;
	uint64_t entries;
} edge_check;

static bool is_beyond(const void *self, size_t i)
{
	const edge_check *check = self;
	return check->edges[i] >= check->entries;
}

gemp_code gemp_file_matrix_get_edges(const gemp_file_matrix *matrix, uint64_t first, uint64_t count, gemp_edge **out)
{
	GEMP_OWNED char *path = gemp_h5_join(matrix->path, "edge");
	GEMP_OWNED gemp_edge *edges = NULL;
	GEMP_OWNED uint32_t *narrow = NULL;
	gemp_h5_type type;
	uint64_t total = 0;
	GEMP_TRY(gemp_h5_info(matrix->h5, path, &type, &total));
	bool wide = type.kind != GEMP_H5_U32;
	gemp_code code = gemp_new_all(GEMP_ARRAY(edges, count), GEMP_ARRAY(narrow, wide ? 0 : count));
	GEMP_TRY(gemp_h5_read(matrix->h5, code, path, gemp_h5_type_of(wide ? GEMP_H5_U64 : GEMP_H5_U32), first, count,
	                      count, wide ? (void *)edges : narrow));
	if (!wide)
		gemp_h5_numbers_widen((int64_t *)edges, narrow, GEMP_H5_U32, count);
	if (gemp_any(count, is_beyond, &(edge_check){ edges, matrix->entries }))
		code = gemp_file_damaged(matrix->h5, matrix->path, "has the number of an edge beyond the last one");
	GEMP_TRY(gemp_comm_agree(matrix->h5->comm, code));
	*out = edges;
	edges = NULL;
	return GEMP_OK;
}

/* WRITING */

/* The limit of 32-bit numbers is doubled, since these have no sign. */
gemp_code gemp_file_matrix_put_edges(const gemp_file_matrix *matrix, gemp_h5_slab rows, const gemp_edge *edges)
{
	GEMP_OWNED uint32_t *narrow = NULL;
	const gemp_limits *limits = gemp_limits_now();
	const bool wide = matrix->entries / 2 > limits->file_i32_max || limits->file_version == 1;
	gemp_code code = GEMP_NEW(narrow, wide ? 0 : rows.count);
	if (code == GEMP_OK && !wide)
		gemp_h5_numbers_narrow(narrow, GEMP_H5_U32, (const int64_t *)edges, rows.count, 0);
	return gemp_h5_write_in(matrix->h5, code, matrix->path, "edge", gemp_h5_type_of(wide ? GEMP_H5_U64 : GEMP_H5_U32),
	                        rows, wide ? (const void *)edges : narrow);
}

/* Collective. Writes the dataset under binsparse's name and links it under AnnData's name. code: as in
 * gemp_h5_write. */
static gemp_code put_array(const gemp_file_matrix *matrix, gemp_code code, const char *name, const char *anndata_name,
                           gemp_h5_type type, gemp_h5_slab rows, const void *data)
{
	GEMP_OWNED char *path = gemp_h5_join(matrix->path, name), *link = gemp_h5_join(matrix->path, anndata_name);
	GEMP_TRY(gemp_h5_write(matrix->h5, code, path, type, rows, data));
	return gemp_h5_link(matrix->h5, path, link);
}

/* Collective. Each rank writes one pointer for each of its rows. The last rank also writes the final pointer. */
static gemp_code put_pointers(const gemp_file_matrix *matrix, const gemp_shard *graph, const uint64_t *begin,
                              uint64_t first)
{
	uint64_t count = graph->rows + (graph->rank == graph->ranks - 1);
	GEMP_OWNED void *numbers = gemp_calloc(count, matrix->pointer.size);
	if (numbers)
		gemp_h5_numbers_narrow(numbers, matrix->pointer.kind, (const int64_t *)begin, count, (int64_t)first);
	return put_array(matrix, numbers ? GEMP_OK : GEMP_ENOMEM, "pointers_to_1", "indptr", matrix->pointer,
	                 (gemp_h5_slab){ graph->vertex_count + 1, graph->first_vertex, count }, numbers);
}

/* Collective. A vertex has 32 bits in memory, so only 64-bit indices need a widened copy. */
static gemp_code put_indices(const gemp_file_matrix *matrix, const gemp_vertex *indices, gemp_h5_slab edges)
{
	const bool wide = matrix->index.kind == GEMP_H5_I64;
	GEMP_OWNED int64_t *numbers = NULL;
	gemp_code code = GEMP_NEW(numbers, wide ? edges.count : 0);
	for (uint64_t e = 0; code == GEMP_OK && wide && e < edges.count; e++)
		numbers[e] = (int64_t)indices[e];
	return put_array(matrix, code, "indices_1", "indices", matrix->index, edges,
	                 wide ? (const void *)numbers : (const void *)indices);
}

/* Collective. Writes the attributes of a matrix. A binsparse matrix has at most one entry for each pair of row and
 * column, so the matrix of a multigraph gets no binsparse description. */
static gemp_code put_description(const gemp_file_matrix *matrix, const char *format, bool multigraph)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text json = { 0 };
	const gemp_h5 *h5 = matrix->h5;
	const char *pointer = matrix->pointer.kind == GEMP_H5_I32 ? "int32" : "int64";
	const char *index = matrix->index.kind == GEMP_H5_I32 ? "int32" : "int64";
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
	                format, matrix->vertices, matrix->vertices, matrix->entries, pointer, index, values);
	GEMP_TRY(gemp_comm_agree(h5->comm, gemp_text_status(&json)));
	return gemp_h5_put_text(h5, matrix->path, "binsparse", json.data);
}

gemp_code gemp_file_matrix_put(const gemp_file_matrix *matrix, const gemp_shard *graph, const char *encoding,
                               const char *format, bool multigraph, const uint64_t *begin, const gemp_vertex *indices)
{
	const uint64_t count = begin[graph->rows];
	const gemp_h5_slab entries = { matrix->entries, gemp_comm_exscan(matrix->h5->comm, count), count };
	GEMP_TRY(gemp_h5_group(matrix->h5, matrix->path, encoding, "0.1.0"));
	GEMP_TRY(put_description(matrix, format, multigraph));
	GEMP_TRY(put_pointers(matrix, graph, begin, entries.first));
	return put_indices(matrix, indices, entries);
}

/* Collective. Gives the dataset `values` its other name. */
static gemp_code link_data(const gemp_file_matrix *matrix, const char *values)
{
	GEMP_OWNED char *data = gemp_h5_join(matrix->path, "data");
	return gemp_h5_link(matrix->h5, values, data);
}

/* Collective. In version 1 ones take space. */
static gemp_code put_real_ones(const gemp_file_matrix *matrix, gemp_h5_slab rows)
{
	GEMP_OWNED uint8_t *ones = gemp_calloc(rows.count, 1);
	if (ones && rows.count)
		memset(ones, 1, rows.count);
	return put_array(matrix, ones ? GEMP_OK : GEMP_ENOMEM, "values", "data", gemp_h5_type_of(GEMP_H5_U8), rows, ones);
}

/* binsparse and AnnData require values, so each entry has the byte 1, which takes no space. */
gemp_code gemp_file_matrix_put_ones(const gemp_file_matrix *matrix, gemp_h5_slab rows)
{
	GEMP_OWNED char *values = gemp_h5_join(matrix->path, "values");
	if (gemp_limits_now()->file_version == 1)
		return put_real_ones(matrix, rows);
	GEMP_TRY(gemp_h5_write_constant(matrix->h5, values, gemp_h5_type_of(GEMP_H5_U8), matrix->entries, 1));
	return link_data(matrix, values);
}

gemp_code gemp_file_matrix_put_values(const gemp_file_matrix *matrix, gemp_h5_type type, gemp_h5_slab rows,
                                      const void *words)
{
	return put_array(matrix, GEMP_OK, "values", "data", type, rows, words);
}

gemp_code gemp_file_matrix_link_values(const gemp_file_matrix *matrix, const char *dataset)
{
	GEMP_OWNED char *values = gemp_h5_join(matrix->path, "values");
	GEMP_TRY(gemp_h5_link(matrix->h5, dataset, values));
	return link_data(matrix, values);
}
