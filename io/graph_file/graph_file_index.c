/* An index of rows is a matrix in the group /indexes/rows. Its attributes name the relations and the direction. An
 * index follows from the rest of the file, so a damaged index does not keep the file from being opened: it is left out
 * of the graph's lists, with a warning. */

#include "io/graph_file/graph_file_index.h"

#include "core/log.h"
#include "core/status.h"
#include "io/graph_file/graph_file_matrix.h"
#include "io/graph_file/graph_file_strings.h"
#include "io/graph_file/graph_file_values.h"
#include "io/hdf5/hdf5_attributes.h"
#include "partition/views/view_rows.h"

#include <stdio.h>
#include <string.h>

static const char row_indexes[] = "/indexes/rows";

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

/* Collective. Reads what describes the index of rows in a group. The caller frees *index, also after a failure. */
static gemp_code describe(const gemp_h5 *h5, const gemp_shard *graph, const char *group, gemp_row_index *index)
{
	GEMP_OWNED char *indices = gemp_h5_join(group, "indices_1"), *direction = NULL;
	GEMP_OWNED_BY(gemp_h5_texts_free) gemp_h5_texts names = { 0 };
	gemp_h5_type type;
	uint64_t multigraph = 0;
	GEMP_TRY(gemp_h5_info(h5, indices, &type, &index->entries));
	GEMP_TRY(gemp_h5_get_number(h5, group, "multigraph", &multigraph));
	GEMP_TRY(gemp_h5_get_text(h5, group, "direction", &direction));
	GEMP_TRY(gemp_h5_get_texts(h5, group, "relations", &names));
	index->multigraph = multigraph;
	index->part = gemp_row_index_part(direction);
	gemp_code code = mark_relations(h5, group, graph, &names, index);
	if (code == GEMP_OK && !index->part)
		code = gemp_file_damaged(h5, group, "has an unknown direction");
	if (code == GEMP_OK && !(index->path = gemp_strdup(group)))
		code = GEMP_ENOMEM;
	return gemp_comm_agree(h5->comm, code);
}

/* Collective. *names become the groups of the indexes of one kind. */
static gemp_code list_indexes(const gemp_h5 *h5, const char *kind, gemp_h5_texts *names)
{
	bool there = false;
	GEMP_TRY(gemp_h5_exists(h5, "/indexes", &there));
	if (there)
		GEMP_TRY(gemp_h5_exists(h5, kind, &there));
	return there ? gemp_h5_list(h5, kind, names) : GEMP_OK;
}

/* Local. Damage of an index, whose code is GEMP_EDATA on all ranks, is only a warning. */
static gemp_code tolerate(const gemp_h5 *h5, const char *group, gemp_code code)
{
	if (code != GEMP_EDATA)
		return code;
	gemp_warn("%s: the index '%s' is damaged and is not used: %s. To make the indexes again: 'gemp-mpi index' with "
	          "--drop, then with what they are of",
	          h5->path, group, gemp_message());
	return GEMP_OK;
}

/* Collective. */
static gemp_code describe_row_indexes(const gemp_h5 *h5, gemp_shard *graph, const gemp_h5_texts *names)
{
	for (size_t i = 0; i < names->count; i++) {
		GEMP_OWNED char *group = gemp_h5_join(row_indexes, names->text[i]);
		gemp_row_index *index = &graph->row_indexes[graph->row_index_count];
		const gemp_code code = describe(h5, graph, group, index);
		if (code == GEMP_OK)
			graph->row_index_count++;
		else
			gemp_row_index_free(index);
		GEMP_TRY(tolerate(h5, group, code));
	}
	return GEMP_OK;
}

/* Collective. */
static gemp_code describe_value_indexes(const gemp_h5 *h5, gemp_shard *graph, const gemp_h5_texts *names)
{
	for (size_t i = 0; i < names->count; i++) {
		GEMP_OWNED char *group = gemp_h5_join(GEMP_FILE_VALUE_INDEXES, names->text[i]);
		gemp_value_index *index = &graph->value_indexes[graph->value_index_count];
		const gemp_code code = gemp_file_describe_value_index(h5, graph, group, index);
		if (code == GEMP_OK) {
			graph->value_index_count++;
		} else {
			gemp_free_all(index->values, index->vertices);
			*index = (gemp_value_index){ 0 };
		}
		GEMP_TRY(tolerate(h5, group, code));
	}
	return GEMP_OK;
}

gemp_code gemp_file_describe_indexes(const gemp_h5 *h5, gemp_shard *graph)
{
	GEMP_OWNED_BY(gemp_h5_texts_free) gemp_h5_texts rows = { 0 }, values = { 0 }, hashed = { 0 };
	GEMP_TRY(list_indexes(h5, row_indexes, &rows));
	GEMP_TRY(list_indexes(h5, GEMP_FILE_VALUE_INDEXES, &values));
	GEMP_TRY(list_indexes(h5, "/indexes/values", &hashed));
	if (hashed.count)
		gemp_warn("%s: its indexes of values are of an older form and are not used; make them again with 'gemp-mpi "
		          "index --values'",
		          h5->path);
	if (!rows.count && !values.count)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(h5->comm, gemp_new_all(GEMP_ARRAY(graph->row_indexes, rows.count),
	                                                GEMP_ARRAY(graph->value_indexes, values.count))));
	GEMP_TRY(describe_row_indexes(h5, graph, &rows));
	return describe_value_indexes(h5, graph, &values);
}

/* Local. Another program may have replaced the indexes of a file that is in use, whose graph and hash stay. */
static gemp_code was_replaced(const gemp_h5 *h5)
{
	return gemp_fail(GEMP_EIO, "%s: its indexes were replaced while it was in use; run this command again", h5->path);
}

/* Collective. Checks that the file still has the index. HDF5 finds a path only if all groups before it exist. */
static gemp_code expect_same(const gemp_h5 *h5, const gemp_shard *graph, const gemp_row_index *index)
{
	const char *const levels[] = { "/indexes", row_indexes, index->path };
	GEMP_OWNED_BY(gemp_row_index_free) gemp_row_index now = { 0 };
	bool there = true;
	for (size_t i = 0; i < sizeof levels / sizeof *levels && there; i++)
		GEMP_TRY(gemp_h5_exists(h5, levels[i], &there));
	if (!there)
		return was_replaced(h5);
	GEMP_TRY(describe(h5, graph, index->path, &now));
	const bool same = now.part == index->part && now.entries == index->entries &&
	                  memcmp(now.relations, index->relations, graph->relation_count * sizeof *now.relations) == 0;
	return same ? GEMP_OK : was_replaced(h5);
}

/* Collective. */
static gemp_code read_rows(const gemp_h5 *h5, const gemp_shard *graph, gemp_row_index *index)
{
	GEMP_OWNED_BY(gemp_file_matrix_free)
	gemp_file_matrix matrix = gemp_file_matrix_at(h5, graph, gemp_strdup(index->path), index->entries);
	GEMP_OWNED uint64_t *begin = NULL;
	uint64_t first = 0;
	GEMP_TRY(gemp_file_matrix_get_pointers(&matrix, graph, &begin, &first));
	GEMP_TRY(gemp_file_matrix_get_indices(&matrix, graph, begin, first, &index->neighbours));
	index->offsets = begin;
	begin = NULL;
	return GEMP_OK;
}

gemp_code gemp_file_get_row_index(const gemp_h5 *h5, const gemp_shard *graph, gemp_row_index *index)
{
	GEMP_TRY(expect_same(h5, graph, index));
	const gemp_code code = read_rows(h5, graph, index);
	if (code == GEMP_EDATA)
		return gemp_fail(code, "the index '%s' is damaged: %s; only the index: 'gemp-mpi index --drop' removes it",
		                 index->path, gemp_message());
	return code;
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
	return gemp_comm_agree(h5->comm, same ? GEMP_OK : gemp_file_stale_index(h5, index->path));
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
	char name[24];
	snprintf(name, sizeof name, "%zu", number);
	GEMP_OWNED_BY(gemp_file_matrix_free)
	gemp_file_matrix matrix = gemp_file_matrix_at(h5, graph, gemp_h5_join(row_indexes, name), index->entries);
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
		GEMP_TRY(gemp_h5_make_groups(h5, row_indexes));
	for (size_t i = 0; i < graph->row_index_count; i++) {
		GEMP_OWNED_BY(gemp_row_index_free) gemp_row_index made = { 0 };
		GEMP_TRY(make(h5->comm, graph, &graph->row_indexes[i], &made));
		GEMP_TRY(put(h5, graph, i, &made));
	}
	if (graph->value_index_count)
		GEMP_TRY(gemp_h5_make_groups(h5, GEMP_FILE_VALUE_INDEXES));
	for (size_t i = 0; i < graph->value_index_count; i++)
		GEMP_TRY(gemp_file_put_value_index(h5, graph, i));
	return GEMP_OK;
}
