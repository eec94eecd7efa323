/* Index number i of rows is the matrix /indexes/rows/i. Its attributes name the relations and the direction. */

#include "io/graph_file/graph_file_index.h"

#include "core/status.h"
#include "io/graph_file/graph_file_matrix.h"
#include "io/graph_file/graph_file_strings.h"
#include "io/graph_file/graph_file_values.h"
#include "io/hdf5/hdf5_attributes.h"
#include "partition/views/view_rows.h"

#include <stdio.h>
#include <string.h>

static gemp_file_matrix matrix_of(const gemp_h5 *h5, const gemp_shard *graph, size_t number, uint64_t entries)
{
	char name[24];
	snprintf(name, sizeof name, "%zu", number);
	return gemp_file_matrix_at(h5, graph, gemp_h5_join("/indexes/rows", name), entries);
}

/* Collective. Makes the rows of an index anew. */
static gemp_code make(const gemp_comm *comm, gemp_shard *graph, const gemp_row_index *index, gemp_row_index *out)
{
	out->part = index->part;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_COPY(out->relations, index->relations, graph->relation_count)));
	return gemp_row_index_make(out, comm, graph);
}

/* READING */

/* Local. A name that is no relation of the graph is damage. */
static gemp_code mark_relations(const gemp_h5 *h5, const char *path, const gemp_shard *graph,
                                const gemp_h5_texts *names, gemp_row_index *index)
{
	GEMP_TRY(GEMP_NEW(index->relations, graph->relation_count));
	for (size_t i = 0; i < names->count; i++) {
		size_t r = 0;
		while (r < graph->relation_count && strcmp(graph->relations[r].name, names->text[i]) != 0)
			r++;
		if (r == graph->relation_count)
			return gemp_file_damaged(h5, path, "names a relation that the graph lacks");
		index->relations[r] = true;
	}
	return GEMP_OK;
}

/* Collective. Reads what describes an index. */
static gemp_code describe(const gemp_h5 *h5, const gemp_shard *graph, size_t number, gemp_row_index *index)
{
	GEMP_OWNED_BY(gemp_file_matrix_free) gemp_file_matrix matrix = matrix_of(h5, graph, number, 0);
	GEMP_OWNED char *indices = gemp_h5_join(matrix.path, "indices_1"), *direction = NULL;
	GEMP_OWNED_BY(gemp_h5_texts_free) gemp_h5_texts names = { 0 };
	gemp_h5_type type;
	uint64_t multigraph = 0;
	GEMP_TRY(gemp_h5_info(h5, indices, &type, &index->entries));
	GEMP_TRY(gemp_h5_get_number(h5, matrix.path, "multigraph", &multigraph));
	GEMP_TRY(gemp_h5_get_text(h5, matrix.path, "direction", &direction));
	GEMP_TRY(gemp_h5_get_texts(h5, matrix.path, "relations", &names));
	index->multigraph = multigraph;
	index->part = gemp_row_index_part(direction);
	gemp_code code = mark_relations(h5, matrix.path, graph, &names, index);
	if (code == GEMP_OK && !index->part)
		code = gemp_file_damaged(h5, matrix.path, "has an unknown direction");
	return gemp_comm_agree(h5->comm, code);
}

/* Collective. *count becomes the number of indexes of one kind. */
static gemp_code count_indexes(const gemp_h5 *h5, const char *group, size_t *count)
{
	GEMP_OWNED_BY(gemp_h5_texts_free) gemp_h5_texts names = { 0 };
	bool there = false;
	GEMP_TRY(gemp_h5_exists(h5, "/indexes", &there));
	if (there)
		GEMP_TRY(gemp_h5_exists(h5, group, &there));
	if (there)
		GEMP_TRY(gemp_h5_list(h5, group, &names));
	*count = names.count;
	return GEMP_OK;
}

gemp_code gemp_file_describe_indexes(const gemp_h5 *h5, gemp_shard *graph)
{
	size_t rows, values;
	GEMP_TRY(count_indexes(h5, "/indexes/rows", &rows));
	GEMP_TRY(count_indexes(h5, "/indexes/values", &values));
	if (!rows && !values)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(
		h5->comm, gemp_new_all(GEMP_ARRAY(graph->row_indexes, rows), GEMP_ARRAY(graph->value_indexes, values))));
	graph->row_index_count = rows;
	graph->value_index_count = values;
	for (size_t i = 0; i < rows; i++)
		GEMP_TRY(describe(h5, graph, i, &graph->row_indexes[i]));
	for (size_t i = 0; i < values; i++)
		GEMP_TRY(gemp_file_describe_value_index(h5, graph, i, &graph->value_indexes[i]));
	return GEMP_OK;
}

gemp_code gemp_file_get_row_index(const gemp_h5 *h5, const gemp_shard *graph, gemp_row_index *index)
{
	GEMP_OWNED_BY(gemp_file_matrix_free)
	gemp_file_matrix matrix = matrix_of(h5, graph, (size_t)(index - graph->row_indexes), index->entries);
	GEMP_OWNED_BY(gemp_row_index_free) gemp_row_index now = { 0 };
	GEMP_OWNED uint64_t *begin = NULL;
	uint64_t first = 0;
	GEMP_TRY(gemp_file_expect_index(h5, "/indexes/rows", matrix.path));
	GEMP_TRY(describe(h5, graph, (size_t)(index - graph->row_indexes), &now));
	if (now.part != index->part || now.entries != index->entries ||
	    memcmp(now.relations, index->relations, graph->relation_count * sizeof *now.relations) != 0)
		return gemp_file_index_replaced(h5);
	GEMP_TRY(gemp_file_matrix_get_pointers(&matrix, graph, &begin, &first));
	GEMP_TRY(gemp_file_matrix_get_indices(&matrix, graph, begin, first, &index->neighbours));
	index->offsets = begin;
	begin = NULL;
	return GEMP_OK;
}

static gemp_code verify(const gemp_h5 *h5, gemp_shard *graph, size_t number)
{
	gemp_row_index *index = &graph->row_indexes[number];
	GEMP_OWNED_BY(gemp_row_index_free) gemp_row_index made = { 0 };
	GEMP_TRY(make(h5->comm, graph, index, &made));
	GEMP_TRY(gemp_shard_load_row_index(graph, index));
	const size_t rows = graph->rows;
	const bool same = made.multigraph == index->multigraph &&
	                  memcmp(made.offsets, index->offsets, (rows + 1) * sizeof *made.offsets) == 0 &&
	                  memcmp(made.neighbours, index->neighbours, made.offsets[rows] * sizeof *made.neighbours) == 0;
	return gemp_comm_agree(h5->comm, same ? GEMP_OK : gemp_file_stale_index(h5, "rows", number));
}

gemp_code gemp_file_verify_indexes(const gemp_h5 *h5, gemp_shard *graph)
{
	for (size_t i = 0; i < graph->row_index_count; i++)
		GEMP_TRY(verify(h5, graph, i));
	for (size_t i = 0; i < graph->value_index_count; i++)
		GEMP_TRY(gemp_file_verify_value_index(h5, graph, i));
	return GEMP_OK;
}

/* WRITING */

/* Collective. Writes an index whose rows are made. */
static gemp_code put(const gemp_h5 *h5, const gemp_shard *graph, size_t number, const gemp_row_index *index)
{
	GEMP_OWNED_BY(gemp_file_matrix_free) gemp_file_matrix matrix = matrix_of(h5, graph, number, index->entries);
	GEMP_OWNED const char **names = NULL;
	const uint64_t own = index->offsets[graph->rows];
	const gemp_h5_slab entries = { index->entries, gemp_comm_exscan(h5->comm, own), own };
	const bool targets = index->part == GEMP_LOAD_IN;
	size_t count = 0;
	GEMP_TRY(gemp_comm_agree(h5->comm, GEMP_NEW(names, graph->relation_count)));
	for (size_t r = 0; r < graph->relation_count; r++)
		if (index->relations[r])
			names[count++] = graph->relations[r].name;
	GEMP_TRY(gemp_file_matrix_put(&matrix, graph, targets ? "csc_matrix" : "csr_matrix", targets ? "CSC" : "CSR",
	                              index->multigraph, index->offsets, index->neighbours));
	GEMP_TRY(gemp_file_matrix_put_ones(&matrix, entries));
	GEMP_TRY(gemp_h5_put_text(h5, matrix.path, "direction", gemp_row_index_direction(index->part)));
	return gemp_h5_put_texts(h5, matrix.path, "relations", names, count);
}

/* Only one index at a time is in memory. */
gemp_code gemp_file_put_indexes(const gemp_h5 *h5, gemp_shard *graph)
{
	if (graph->row_index_count)
		GEMP_TRY(gemp_h5_make_groups(h5, "/indexes/rows"));
	for (size_t i = 0; i < graph->row_index_count; i++) {
		GEMP_OWNED_BY(gemp_row_index_free) gemp_row_index made = { 0 };
		GEMP_TRY(make(h5->comm, graph, &graph->row_indexes[i], &made));
		GEMP_TRY(put(h5, graph, i, &made));
	}
	if (graph->value_index_count)
		GEMP_TRY(gemp_h5_make_groups(h5, "/indexes/values"));
	for (size_t i = 0; i < graph->value_index_count; i++)
		GEMP_TRY(gemp_file_put_value_index(h5, graph, i));
	return GEMP_OK;
}
