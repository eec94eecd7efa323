/* One relation in a file: rows by source and by target as sparse matrices, and the table of its edges. */
#include "core/memory.h"
#include "io/graph_file_parts.h"

#include <string.h>

/* A matrix of n x n below `path` with its width of numbers: both pointers and indices are i32 if all fit, else i64. */
typedef struct matrix {
	const gemp_h5 *h5;
	char *path;
	uint64_t vertices, edges;
	gemp_h5_type type;
	const gemp_column *weight; /* gives the values; NULL: ones */
} matrix;

static gemp_code join(const gemp_h5 *h5, char **out, const char *path, const char *name)
{
	gemp_text text = { 0 };
	gemp_text_print(&text, "%s/%s", path, name);
	*out = text.data;
	return gemp_comm_agree(h5->comm, gemp_text_status(&text));
}

static gemp_code relation_path(const gemp_h5 *h5, const char *name, const char *top, const char *part, char **out)
{
	gemp_text text = { 0 };
	gemp_text_print(&text, "%s/", top);
	gemp_h5_encode(name, &text);
	gemp_text_print(&text, "%s%s", *part ? "/" : "", part);
	*out = text.data;
	return gemp_comm_agree(h5->comm, gemp_text_status(&text));
}

uint64_t gemp_file_i32_limit = INT32_MAX;

static gemp_h5_type width(uint64_t vertices, uint64_t edges)
{
	uint64_t limit = gemp_file_i32_limit;
	return gemp_h5_type_of(vertices <= limit && edges <= limit ? GEMP_H5_I32 : GEMP_H5_I64);
}

static void narrow(void *out, gemp_h5_type type, uint64_t index, uint64_t number)
{
	if (type.kind == GEMP_H5_I32)
		((int32_t *)out)[index] = (int32_t)number;
	else
		((int64_t *)out)[index] = (int64_t)number;
}

static uint64_t widen(const void *in, gemp_h5_type type, uint64_t index)
{
	return type.kind == GEMP_H5_I32 ? (uint64_t)((const int32_t *)in)[index] : (uint64_t)((const int64_t *)in)[index];
}

/* dataset `name` and its AnnData name as a hard link. */
static gemp_code put_array(const matrix *matrix, const char *name, const char *also, gemp_h5_type type, gemp_slab rows,
                           const void *data)
{
	gemp_code code = GEMP_OK;
	char *path = NULL, *link = NULL;
	GEMP_TRY(join(matrix->h5, &path, matrix->path, name));
	GEMP_TRY(join(matrix->h5, &link, matrix->path, also));
	GEMP_TRY(gemp_h5_write(matrix->h5, path, type, rows.total, rows.first, rows.count, data));
	GEMP_TRY(gemp_h5_link(matrix->h5, path, link));
done:
	gemp_free(path);
	gemp_free(link);
	return code;
}

static gemp_code put_pointers(const matrix *matrix, const gemp_graph *graph, const uint64_t *begin, uint64_t first)
{
	gemp_code code = GEMP_OK;
	uint64_t count = graph->rows + (graph->rank == graph->ranks - 1);
	void *numbers = gemp_calloc(count, matrix->type.size);
	GEMP_TRY(gemp_comm_agree(matrix->h5->comm, numbers ? GEMP_OK : GEMP_ENOMEM));
	for (uint64_t v = 0; v < count; v++)
		narrow(numbers, matrix->type, v, first + begin[v]);
	GEMP_TRY(put_array(matrix, "pointers_to_1", "indptr", matrix->type,
	                   (gemp_slab){ graph->vertices + 1, graph->first, count }, numbers));
done:
	gemp_free(numbers);
	return code;
}

static gemp_code put_indices(const matrix *matrix, const gemp_vertex *indices, gemp_slab edges)
{
	gemp_code code = GEMP_OK;
	void *numbers = NULL;
	const void *data = indices; /* of the same width in memory and file */
	if (matrix->type.kind == GEMP_H5_I64) {
		numbers = gemp_calloc(edges.count, matrix->type.size);
		data = numbers;
		for (uint64_t e = 0; numbers && e < edges.count; e++)
			narrow(numbers, matrix->type, e, indices[e]);
	}
	GEMP_TRY(gemp_comm_agree(matrix->h5->comm, data ? GEMP_OK : GEMP_ENOMEM));
	GEMP_TRY(put_array(matrix, "indices_1", "indices", matrix->type, edges, data));
done:
	gemp_free(numbers);
	return code;
}

static gemp_code put_ones(const matrix *matrix, gemp_slab edges)
{
	gemp_code code = GEMP_OK;
	uint8_t *ones = gemp_calloc(edges.count, 1);
	GEMP_TRY(gemp_comm_agree(matrix->h5->comm, ones ? GEMP_OK : GEMP_ENOMEM));
	if (edges.count)
		memset(ones, 1, edges.count);
	GEMP_TRY(put_array(matrix, "values", "data", gemp_h5_type_of(GEMP_H5_U8), edges, ones));
done:
	gemp_free(ones);
	return code;
}

static gemp_code put_description(const matrix *matrix, const char *format, bool multigraph)
{
	gemp_code code = GEMP_OK;
	gemp_text json = { 0 };
	const gemp_h5 *h5 = matrix->h5;
	const char *integer = matrix->type.kind == GEMP_H5_I32 ? "int32" : "int64";
	const char *values = !matrix->weight ? "uint8" : matrix->weight->type == GEMP_INTEGER ? "int64" : "float64";
	int64_t shape[2] = { (int64_t)matrix->vertices, (int64_t)matrix->vertices };
	GEMP_TRY(gemp_h5_put_numbers(h5, matrix->path, "shape", shape, 2));
	GEMP_TRY(gemp_h5_put_number(h5, matrix->path, "sorted", 1));
	GEMP_TRY(gemp_h5_put_number(h5, matrix->path, "multigraph", multigraph));
	if (multigraph)
		goto done;
	gemp_text_print(&json, "{\"binsparse\": {\"version\": \"0.1\", \"format\": \"%s\", \"shape\": [%" PRIu64 ", %" PRIu64
	                "], \"number_of_stored_values\": %" PRIu64 ", \"data_types\": {\"pointers_to_1\": \"%s\", "
	                "\"indices_1\": \"%s\", \"values\": \"%s\"}}}", format, matrix->vertices, matrix->vertices,
	                matrix->edges, integer, integer, values);
	GEMP_TRY(gemp_comm_agree(h5->comm, gemp_text_status(&json)));
	GEMP_TRY(gemp_h5_put_text(h5, matrix->path, "binsparse", json.data));
done:
	gemp_text_free(&json);
	return code;
}

/* first: how many edges lower ranks have in this order. */
static gemp_code put_matrix(const matrix *matrix, const gemp_graph *graph, const gemp_relation *relation, bool by_target)
{
	gemp_code code = GEMP_OK;
	const uint64_t *begin = by_target ? relation->in_begin : relation->out_begin;
	const gemp_vertex *indices = by_target ? relation->in : relation->out;
	gemp_slab edges = { relation->edges, gemp_comm_before(matrix->h5->comm, begin[graph->rows]), begin[graph->rows] };
	GEMP_TRY(gemp_h5_group(matrix->h5, matrix->path, by_target ? "csc_matrix" : "csr_matrix", "0.1.0"));
	GEMP_TRY(put_description(matrix, by_target ? "CSC" : "CSR", relation->multigraph));
	GEMP_TRY(put_pointers(matrix, graph, begin, edges.first));
	GEMP_TRY(put_indices(matrix, indices, edges));
	if (!by_target && !matrix->weight)
		code = put_ones(matrix, edges);
done:
	return code;
}

/* The dataset `name` of another group under both names of a matrix's values. */
static gemp_code link_values(const matrix *matrix, const char *group, const char *name)
{
	gemp_code code = GEMP_OK;
	char *target = NULL, *values = NULL, *data = NULL;
	GEMP_TRY(join(matrix->h5, &target, group, name));
	GEMP_TRY(join(matrix->h5, &values, matrix->path, "values"));
	GEMP_TRY(join(matrix->h5, &data, matrix->path, "data"));
	GEMP_TRY(gemp_h5_link(matrix->h5, target, values));
	GEMP_TRY(gemp_h5_link(matrix->h5, target, data));
done:
	gemp_free(target);
	gemp_free(values);
	gemp_free(data);
	return code;
}

/* Of the rows by source: the column of the edges' table, which is in that order. */
static gemp_code link_weights(const matrix *matrix, const gemp_relation *relation)
{
	gemp_code code = GEMP_OK;
	char *group = NULL;
	gemp_text name = { 0 };
	GEMP_TRY(relation_path(matrix->h5, relation->name, "/edges", "props", &group));
	gemp_h5_encode(matrix->weight->name, &name);
	GEMP_TRY(gemp_comm_agree(matrix->h5->comm, gemp_text_status(&name)));
	code = link_values(matrix, group, name.data);
done:
	gemp_text_free(&name);
	gemp_free(group);
	return code;
}

static gemp_code put_weights_by_target(const matrix *matrix, const gemp_graph *graph, const gemp_relation *relation,
                                       gemp_slab edges)
{
	gemp_code code = GEMP_OK;
	uint64_t *words = NULL;
	gemp_h5_type type = gemp_h5_type_of(matrix->weight->type == GEMP_INTEGER ? GEMP_H5_I64 : GEMP_H5_F64);
	GEMP_TRY(gemp_file_weights_by_target(matrix->h5->comm, graph, relation, matrix->weight, &words));
	code = put_array(matrix, "values", "data", type, edges, words);
done:
	gemp_free(words);
	return code;
}

/* Rows by target: if all values are 1 they are those of the rows by source; and each edge's number. */
static gemp_code put_targets(matrix *matrix, const gemp_graph *graph, const gemp_relation *relation, const char *csr)
{
	gemp_code code = GEMP_OK;
	char *edge = NULL;
	uint64_t count = relation->in_begin[graph->rows], first = gemp_comm_before(matrix->h5->comm, count);
	GEMP_TRY(put_matrix(matrix, graph, relation, true));
	GEMP_TRY(matrix->weight ? put_weights_by_target(matrix, graph, relation, (gemp_slab){ relation->edges, first, count })
	                        : link_values(matrix, csr, "values"));
	GEMP_TRY(join(matrix->h5, &edge, matrix->path, "edge"));
	GEMP_TRY(gemp_h5_write(matrix->h5, edge, gemp_h5_type_of(GEMP_H5_U64), relation->edges, first, count,
	                       relation->in_edge));
done:
	gemp_free(edge);
	return code;
}

/* The edges' table; AnnData wants an index, and the targets are there already. */
static gemp_code put_props(const gemp_h5 *h5, const gemp_graph *graph, const gemp_relation *relation, const char *csr)
{
	gemp_code code = GEMP_OK;
	char *group = NULL, *strings = NULL, *target = NULL, *index = NULL;
	gemp_file_columns columns = { 0 };
	gemp_text path = { 0 };
	gemp_slab rows = { relation->edges, relation->first, relation->out_begin[graph->rows] };
	GEMP_TRY(relation_path(h5, relation->name, "/edges", "props", &group));
	GEMP_TRY(relation_path(h5, relation->name, "/strings/edges", "props", &strings));
	GEMP_TRY(gemp_h5_group(h5, group, "dataframe", "0.2.0"));
	GEMP_TRY(gemp_file_columns_new(h5, relation->props.count, &columns));
	for (size_t c = 0; c < columns.count; c++) {
		GEMP_TRY(gemp_file_put_column(h5, group, strings, &relation->props.columns[c], rows, &path));
		GEMP_TRY(gemp_file_columns_set(h5, &columns, c, path.data, ""));
	}
	GEMP_TRY(join(h5, &target, csr, "indices_1"));
	GEMP_TRY(join(h5, &index, group, "_target"));
	GEMP_TRY(gemp_h5_link(h5, target, index));
	GEMP_TRY(gemp_file_put_dataframe(h5, group, "_target", &columns, NULL, 0));
	GEMP_TRY(gemp_file_put_schema(h5, group, &relation->props, &columns));
done:
	gemp_file_columns_free(&columns);
	gemp_text_free(&path);
	gemp_free(group);
	gemp_free(strings);
	gemp_free(target);
	gemp_free(index);
	return code;
}

gemp_code gemp_file_put_relation(const gemp_h5 *h5, const gemp_graph *graph, const gemp_relation *relation,
                                 const char *weight)
{
	gemp_code code = GEMP_OK;
	char *group = NULL, *csr = NULL, *csc = NULL;
	matrix matrix = { h5, NULL, graph->vertices, relation->edges, width(graph->vertices, relation->edges),
	                  gemp_file_weight_of(relation, weight) };
	GEMP_TRY(relation_path(h5, relation->name, "/edges", "", &group));
	GEMP_TRY(join(h5, &csr, group, "csr"));
	GEMP_TRY(join(h5, &csc, group, "csc"));
	GEMP_TRY(gemp_h5_group(h5, group, "dict", "0.1.0"));
	GEMP_TRY(gemp_h5_put_flag(h5, group, "directed", relation->directed));
	matrix.path = csr;
	GEMP_TRY(put_matrix(&matrix, graph, relation, false));
	GEMP_TRY(put_props(h5, graph, relation, csr));
	if (matrix.weight)
		GEMP_TRY(link_weights(&matrix, relation));
	matrix.path = csc;
	GEMP_TRY(put_targets(&matrix, graph, relation, csr));
done:
	gemp_free(group);
	gemp_free(csr);
	gemp_free(csc);
	return code;
}

static gemp_code damaged(const gemp_h5 *h5, const char *path, const char *what)
{
	return gemp_fail(GEMP_EDATA, "%s: '%s' %s; make the file again", h5->path, path, what);
}

gemp_code gemp_file_describe_relation(const gemp_h5 *h5, const gemp_graph *graph, gemp_relation *relation,
                                      gemp_file_columns *columns)
{
	gemp_code code = GEMP_OK;
	char *group = NULL, *csr = NULL, *props = NULL, *indices = NULL;
	gemp_h5_type type;
	uint64_t multigraph = 0;
	int64_t *shape = NULL;
	size_t count = 0;
	GEMP_TRY(relation_path(h5, relation->name, "/edges", "", &group));
	GEMP_TRY(join(h5, &csr, group, "csr"));
	GEMP_TRY(join(h5, &props, group, "props"));
	GEMP_TRY(join(h5, &indices, csr, "indices_1"));
	GEMP_TRY(gemp_h5_get_flag(h5, group, "directed", &relation->directed));
	GEMP_TRY(gemp_h5_get_number(h5, csr, "multigraph", &multigraph));
	GEMP_TRY(gemp_h5_get_numbers(h5, csr, "shape", &shape, &count));
	GEMP_TRY(gemp_h5_info(h5, indices, &type, &relation->edges));
	relation->multigraph = multigraph;
	if (count != 2 || (uint64_t)shape[0] != graph->vertices || (uint64_t)shape[1] != graph->vertices)
		code = damaged(h5, csr, "is not of as many rows as there are vertices");
	else
		code = gemp_file_get_schema(h5, props, &relation->props, columns);
done:
	gemp_free(group);
	gemp_free(csr);
	gemp_free(props);
	gemp_free(indices);
	gemp_free(shape);
	return code;
}

/* Pointers and indices of the file are both i32 or both i64. */
static gemp_code get_width(matrix *matrix)
{
	gemp_code code = GEMP_OK;
	char *pointers = NULL, *indices = NULL;
	gemp_h5_type other;
	uint64_t total = 0, edges = 0;
	GEMP_TRY(join(matrix->h5, &pointers, matrix->path, "pointers_to_1"));
	GEMP_TRY(join(matrix->h5, &indices, matrix->path, "indices_1"));
	GEMP_TRY(gemp_h5_info(matrix->h5, pointers, &matrix->type, &total));
	GEMP_TRY(gemp_h5_info(matrix->h5, indices, &other, &edges));
	bool integers = matrix->type.kind == GEMP_H5_I32 || matrix->type.kind == GEMP_H5_I64;
	if (!integers || other.kind != matrix->type.kind || total != matrix->vertices + 1 || edges != matrix->edges)
		code = damaged(matrix->h5, matrix->path, "has arrays that do not fit one another");
done:
	gemp_free(pointers);
	gemp_free(indices);
	return code;
}

/* This rank's [rows + 1] pointers, made to begin at 0; *first is what the first was. */
static gemp_code get_pointers(const matrix *matrix, const gemp_graph *graph, uint64_t **begin, uint64_t *first)
{
	gemp_code code = GEMP_OK;
	char *path = NULL;
	void *numbers = NULL;
	uint64_t *pointers = NULL, count = graph->rows + 1, last = graph->rank == graph->ranks - 1;
	GEMP_TRY(join(matrix->h5, &path, matrix->path, "pointers_to_1"));
	numbers = gemp_calloc(count, matrix->type.size);
	code = numbers ? GEMP_NEW(pointers, count) : GEMP_ENOMEM;
	GEMP_TRY(gemp_comm_agree(matrix->h5->comm, code));
	GEMP_TRY(gemp_h5_read(matrix->h5, path, matrix->type, graph->first, count, graph->rows + last, numbers));
	*first = widen(numbers, matrix->type, 0);
	for (uint64_t v = 0; v < count && code == GEMP_OK; v++) {
		uint64_t pointer = widen(numbers, matrix->type, v), before = v ? pointers[v - 1] + *first : 0;
		if (pointer < before || pointer > matrix->edges || (graph->first + v == 0 && pointer != 0) ||
		    (graph->first + v == graph->vertices && pointer != matrix->edges))
			code = damaged(matrix->h5, path, "does not ascend from 0 to the number of edges");
		pointers[v] = pointer - *first;
	}
	GEMP_TRY(gemp_comm_agree(matrix->h5->comm, code));
	*begin = pointers;
	pointers = NULL;
done:
	gemp_free(path);
	gemp_free(numbers);
	gemp_free(pointers);
	return code;
}

static gemp_code check_rows(const matrix *matrix, const gemp_graph *graph, const uint64_t *begin, const gemp_vertex *indices)
{
	for (size_t v = 0; v < graph->rows; v++)
		for (uint64_t e = begin[v]; e < begin[v + 1]; e++)
			if (indices[e] >= graph->vertices || (e > begin[v] && indices[e] < indices[e - 1]))
				return damaged(matrix->h5, matrix->path, "has a row that is not sorted or leaves the graph");
	return GEMP_OK;
}

static gemp_code get_indices(const matrix *matrix, const gemp_graph *graph, const uint64_t *begin, uint64_t first,
                             gemp_vertex **out)
{
	gemp_code code = GEMP_OK;
	char *path = NULL;
	uint64_t count = begin[graph->rows];
	void *numbers = NULL;
	gemp_vertex *indices = NULL;
	bool wide = matrix->type.kind == GEMP_H5_I64;
	GEMP_TRY(join(matrix->h5, &path, matrix->path, "indices_1"));
	code = GEMP_NEW(indices, count);
	if (code == GEMP_OK && wide) {
		numbers = gemp_calloc(count, matrix->type.size);
		code = numbers ? GEMP_OK : GEMP_ENOMEM;
	}
	GEMP_TRY(gemp_comm_agree(matrix->h5->comm, code));
	GEMP_TRY(gemp_h5_read(matrix->h5, path, matrix->type, first, count, count, wide ? numbers : indices));
	for (uint64_t e = 0; wide && e < count; e++) {
		uint64_t index = widen(numbers, matrix->type, e);
		indices[e] = index < graph->vertices ? (gemp_vertex)index : GEMP_NO_VERTEX;
	}
	GEMP_TRY(gemp_comm_agree(matrix->h5->comm, check_rows(matrix, graph, begin, indices)));
	*out = indices;
	indices = NULL;
done:
	gemp_free(path);
	gemp_free(numbers);
	gemp_free(indices);
	return code;
}

static gemp_code get_edge_numbers(const matrix *matrix, uint64_t first, uint64_t count, gemp_edge **out)
{
	gemp_code code = GEMP_OK;
	char *path = NULL;
	gemp_edge *edges = NULL;
	GEMP_TRY(join(matrix->h5, &path, matrix->path, "edge"));
	code = GEMP_NEW(edges, count);
	GEMP_TRY(gemp_comm_agree(matrix->h5->comm, code));
	GEMP_TRY(gemp_h5_read(matrix->h5, path, gemp_h5_type_of(GEMP_H5_U64), first, count, count, edges));
	for (uint64_t e = 0; e < count && code == GEMP_OK; e++)
		if (edges[e] >= matrix->edges)
			code = damaged(matrix->h5, path, "has a number beyond the last edge");
	GEMP_TRY(gemp_comm_agree(matrix->h5->comm, code));
	*out = edges;
	edges = NULL;
done:
	gemp_free(path);
	gemp_free(edges);
	return code;
}

static gemp_code get_in(matrix *matrix, const gemp_graph *graph, gemp_relation *relation)
{
	gemp_code code = GEMP_OK;
	uint64_t *begin = NULL, first = 0;
	gemp_vertex *in = NULL;
	gemp_edge *edge = NULL;
	GEMP_TRY(relation_path(matrix->h5, relation->name, "/edges", "csc", &matrix->path));
	GEMP_TRY(get_width(matrix));
	GEMP_TRY(get_pointers(matrix, graph, &begin, &first));
	GEMP_TRY(get_indices(matrix, graph, begin, first, &in));
	GEMP_TRY(get_edge_numbers(matrix, first, begin[graph->rows], &edge));
	relation->in_begin = begin;
	relation->in = in;
	relation->in_edge = edge;
	relation->loaded |= GEMP_PART_IN;
	begin = NULL;
	in = NULL;
	edge = NULL;
done:
	gemp_free(begin);
	gemp_free(in);
	gemp_free(edge);
	return code;
}

static gemp_code get_props(const gemp_h5 *h5, gemp_relation *relation, const gemp_file_columns *columns, gemp_slab rows)
{
	gemp_code code = GEMP_OK;
	for (size_t c = 0; c < columns->count && code == GEMP_OK; c++)
		code = gemp_file_get_column(h5, columns->paths[c], &relation->props.columns[c], rows);
	if (code != GEMP_OK)
		return code;
	relation->props.rows = rows.count;
	relation->loaded |= GEMP_PART_PROPS;
	return GEMP_OK;
}

static gemp_code get_out(matrix *matrix, const gemp_graph *graph, gemp_relation *relation,
                         const gemp_file_columns *columns, unsigned parts)
{
	gemp_code code = GEMP_OK;
	uint64_t *begin = NULL;
	gemp_vertex *out = NULL;
	GEMP_TRY(relation_path(matrix->h5, relation->name, "/edges", "csr", &matrix->path));
	GEMP_TRY(get_width(matrix));
	GEMP_TRY(get_pointers(matrix, graph, &begin, &relation->first));
	gemp_slab rows = { relation->edges, relation->first, begin[graph->rows] };
	if (parts & GEMP_PART_PROPS)
		GEMP_TRY(get_props(matrix->h5, relation, columns, rows));
	if (!(parts & GEMP_PART_OUT))
		goto done;
	GEMP_TRY(get_indices(matrix, graph, begin, relation->first, &out));
	relation->out_begin = begin;
	relation->out = out;
	relation->loaded |= GEMP_PART_OUT;
	begin = NULL;
done:
	gemp_free(begin);
	return code;
}

gemp_code gemp_file_get_relation(const gemp_h5 *h5, gemp_graph *graph, gemp_relation *relation,
                                 const gemp_file_columns *columns, unsigned parts)
{
	gemp_code code = GEMP_OK;
	matrix matrix = { .h5 = h5, .vertices = graph->vertices, .edges = relation->edges };
	if (parts & (GEMP_PART_OUT | GEMP_PART_PROPS))
		GEMP_TRY(get_out(&matrix, graph, relation, columns, parts));
	gemp_free(matrix.path);
	matrix.path = NULL;
	if (parts & GEMP_PART_IN)
		code = get_in(&matrix, graph, relation);
done:
	gemp_free(matrix.path);
	return code;
}
