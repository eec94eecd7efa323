/* All ranks write each dataset together and once. If only the vertices of one label have an attribute, the attribute is
 * stored in a group of this label, which saves the rows of all other vertices. */

#include "io/graph_file/graph_file_write.h"

#include "core/limits.h"
#include "core/status.h"
#include "graph/column_bulk.h"
#include "graph/either_rows.h"
#include "io/file/output.h"
#include "io/graph_file/graph_file_index.h"
#include "io/graph_file/graph_file_key_order.h"
#include "io/graph_file/graph_file_read.h"
#include "io/graph_file/graph_file_relation.h"
#include "io/graph_file/graph_file_strings.h"
#include "io/hdf5/hdf5_attributes.h"
#include "partition/build/content_hash.h"
#include "partition/build/orient.h"

#include <string.h>

/* Collective. home[columns]: if only vertices of a single label have the attribute, the index of the label, else -1. If
 * the graph has only one label, all are -1. code: the result of the caller's preceding local steps. */
static gemp_code find_single_labels(const gemp_h5 *h5, gemp_code code, const gemp_shard *graph, int *home)
{
	size_t labels = graph->label_count, columns = graph->attributes.count, width = labels + 1;
	/* [columns][labels + 1]: 1 if a vertex with the label has the attribute. The last entry stands for vertices without
	 * a label. */
	GEMP_OWNED uint64_t *used = NULL;
	GEMP_THEN(GEMP_NEW(used, columns * width));
	GEMP_TRY(gemp_comm_agree(h5->comm, code));
	for (size_t c = 0; c < columns; c++)
		for (size_t v = 0; v < graph->rows; v++) {
			const gemp_column *column = &graph->attributes.columns[c];
			const gemp_label_set *set = &graph->label_sets[graph->label_set_of[v]];
			if (column->null && column->null[v])
				continue;
			for (size_t l = 0; l < set->count; l++)
				used[c * width + set->labels[l]] = 1;
			used[c * width + labels] |= set->count == 0;
		}
	gemp_comm_max(h5->comm, used, (int)(columns * width));
	for (size_t c = 0; c < columns; c++) {
		size_t having = 0;
		for (size_t l = 0; l <= labels; l++)
			if (used[c * width + l]) {
				having++;
				home[c] = l < labels ? (int)l : -1;
			}
		if (having != 1 || labels == 1)
			home[c] = -1;
	}
	return GEMP_OK;
}

/* Collective. Writes a short list of numbers, which every rank has. Rank 0 writes all of it. */
static gemp_code put_small(const gemp_h5 *h5, const char *path, const uint64_t *numbers, size_t count)
{
	const gemp_h5_slab rows = { count, 0, h5->comm->rank == 0 ? count : 0 };
	return gemp_h5_write(h5, GEMP_OK, path, gemp_h5_type_of(GEMP_H5_U64), rows, numbers);
}

/* Collective. The labels of vertices are a categorical column, whose categories are the label sets, such as "A;B". */
static gemp_code put_label_sets(const gemp_h5 *h5, const gemp_shard *graph, gemp_h5_slab rows)
{
	const size_t count = graph->label_set_count;
	const gemp_h5_type type = gemp_file_code_type(count);
	GEMP_OWNED_BY(gemp_h5_texts_free) gemp_h5_texts names = { .count = count };
	GEMP_OWNED_BY(gemp_text_free) gemp_text name = { 0 };
	GEMP_OWNED uint64_t *vertices = NULL;
	const bool same = count == 1 && gemp_limits_now()->file_version > 1;
	GEMP_OWNED void *codes = gemp_calloc(same ? 0 : graph->rows, type.size);
	gemp_code code = codes ? gemp_new_all(GEMP_ARRAY(names.text, count), GEMP_ARRAY(vertices, count)) : GEMP_ENOMEM;
	for (size_t s = 0; s < count && code == GEMP_OK; s++) {
		const gemp_label_set *set = &graph->label_sets[s];
		gemp_text_clear(&name);
		for (size_t l = 0; l < set->count; l++)
			gemp_text_print(&name, "%s%s", l ? ";" : "", graph->labels[set->labels[l]]);
		vertices[s] = set->vertex_count;
		code = gemp_text_status(&name);
		if (code == GEMP_OK)
			code = (names.text[s] = gemp_strdup(set->count ? name.data : "")) ? GEMP_OK : GEMP_ENOMEM;
	}
	for (size_t v = 0; codes && !same && v < graph->rows; v++)
		gemp_file_set_code(codes, type, v, (int32_t)graph->label_set_of[v]);
	GEMP_TRY(gemp_comm_agree(h5->comm, code));
	GEMP_TRY(same ? gemp_file_put_zero_codes(h5, "/nodes/_label", rows.total, type)
	              : gemp_file_put_codes(h5, code, "/nodes/_label", rows, type, codes));
	GEMP_TRY(gemp_file_put_texts(h5, "/nodes/_label/categories", (const char *const *)names.text, names.count));
	return put_small(h5, "/nodes/_label/counts", vertices, count);
}

/* Collective. (*out)[rows->count] becomes this rank's vertices with the label. *rows becomes their range among the
 * vertices of all ranks with the label. */
static gemp_code rows_of_label(const gemp_h5 *h5, const gemp_shard *graph, uint32_t label, uint64_t **out,
                               gemp_h5_slab *rows)
{
	GEMP_OWNED uint64_t *picked = NULL;
	uint64_t count = 0;
	GEMP_TRY(gemp_comm_agree(h5->comm, GEMP_NEW(picked, graph->rows)));
	for (size_t v = 0; v < graph->rows; v++) {
		const gemp_label_set *set = &graph->label_sets[graph->label_set_of[v]];
		for (size_t l = 0; l < set->count; l++)
			if (set->labels[l] == label)
				picked[count++] = v;
	}
	*rows = (gemp_h5_slab){ gemp_comm_sum1(h5->comm, count), gemp_comm_exscan(h5->comm, count), count };
	*out = picked;
	picked = NULL;
	return GEMP_OK;
}

/* Collective. Writes the id of the vertex to which each row of a label's group belongs. */
static gemp_code put_row_ids(const gemp_h5 *h5, const gemp_shard *graph, const char *group, const uint64_t *picked,
                             gemp_h5_slab rows)
{
	GEMP_OWNED uint32_t *ids = NULL;
	gemp_code code = GEMP_NEW(ids, rows.count);
	for (uint64_t i = 0; i < rows.count && code == GEMP_OK; i++)
		ids[i] = (uint32_t)(graph->first_vertex + picked[i]);
	return gemp_h5_write_in(h5, code, group, "_row", gemp_h5_type_of(GEMP_H5_U32), rows, ids);
}

/* Collective. Writes the group /nodes_by_label/L with the columns whose home is the label L. */
static gemp_code put_label(const gemp_h5 *h5, const gemp_shard *graph, uint32_t label, const int *home,
                           gemp_column_layout *columns)
{
	GEMP_OWNED char *group = gemp_h5_join_encoded("/nodes_by_label", graph->labels[label], "");
	GEMP_OWNED char *strings = gemp_h5_join_encoded("/strings/nodes_by_label", graph->labels[label], "");
	GEMP_OWNED uint64_t *picked = NULL;
	gemp_h5_slab rows;
	GEMP_TRY(rows_of_label(h5, graph, label, &picked, &rows));
	GEMP_TRY(gemp_h5_make_groups(h5, "/nodes_by_label"));
	GEMP_TRY(gemp_h5_group(h5, group, "dataframe", "0.2.0"));
	GEMP_TRY(put_row_ids(h5, graph, group, picked, rows));
	for (size_t c = 0; c < columns->count; c++) {
		GEMP_OWNED_BY(gemp_column_free) gemp_column part = { 0 };
		if (home[c] != (int)label)
			continue;
		gemp_code code = gemp_column_gather(&part, &graph->attributes.columns[c], NULL, picked, rows.count);
		GEMP_THEN((columns->labels.text[c] = gemp_strdup(graph->labels[label])) && strings ? GEMP_OK : GEMP_ENOMEM);
		GEMP_TRY(gemp_comm_agree(h5->comm, code));
		GEMP_TRY(gemp_file_put_column(h5, group, strings, &part, rows, &columns->paths.text[c]));
	}
	return gemp_file_put_dataframe(h5, group, "_row", columns, NULL, 0);
}

/* Collective. An attribute that only one label has is stored with this label, since the rows of all other vertices
 * would be NULL. */
static gemp_code put_attributes(const gemp_h5 *h5, const gemp_shard *graph, gemp_h5_slab rows,
                                gemp_column_layout *columns)
{
	GEMP_OWNED int *home = NULL;
	gemp_code code = gemp_column_layout_new(graph->attributes.count, columns);
	GEMP_THEN(GEMP_NEW(home, columns->count));
	GEMP_TRY(find_single_labels(h5, code, graph, home));
	for (size_t c = 0; c < columns->count; c++)
		if (home[c] < 0)
			GEMP_TRY(gemp_file_put_column(h5, "/nodes", "/strings/nodes", &graph->attributes.columns[c], rows,
			                              &columns->paths.text[c]));
	for (uint32_t label = 0; label < graph->label_count; label++) {
		bool any = false;
		for (size_t c = 0; c < columns->count; c++)
			any |= home[c] == (int)label;
		if (any)
			GEMP_TRY(put_label(h5, graph, label, home, columns));
	}
	return GEMP_OK;
}

/* Collective. The group is an AnnData dataframe, which scanpy and h5py can read. */
static gemp_code put_nodes(const gemp_h5 *h5, const gemp_shard *graph)
{
	gemp_h5_slab rows = { graph->vertex_count, graph->first_vertex, graph->rows };
	GEMP_OWNED_BY(gemp_column_layout_free) gemp_column_layout columns = { 0 };
	GEMP_OWNED char *key = NULL;
	static const char *const own[] = { "_label", "_rank" };
	bool progression = false, ranked = false;
	GEMP_TRY(gemp_h5_group(h5, "/nodes", "dataframe", "0.2.0"));
	GEMP_TRY(gemp_file_put_key_progression(h5, graph, &progression));
	if (!progression)
		GEMP_TRY(gemp_file_put_keys(h5, "/nodes", "/strings/nodes", &graph->keys, rows, &key));
	GEMP_TRY(gemp_h5_put_text(h5, "/nodes", "gemp-key", progression ? "" : key));
	GEMP_TRY(gemp_h5_put_text(h5, "/nodes", "gemp-key-type", gemp_type_name[graph->keys.type]));
	if (!progression)
		GEMP_TRY(gemp_file_put_key_ranks(h5, graph, rows, &ranked));
	GEMP_TRY(put_label_sets(h5, graph, rows));
	GEMP_TRY(put_attributes(h5, graph, rows, &columns));
	/* A data frame must have an index. Long keys lie in /strings and cannot be the index. */
	const bool index = !progression && strcmp(key, "/nodes/_id") == 0;
	GEMP_TRY(gemp_file_put_dataframe(h5, "/nodes",
	                                 progression ? "_label"
	                                 : index     ? "_id"
	                                             : "_rank",
	                                 &columns, own, index && ranked ? 2 : 1));
	return gemp_file_put_schema(h5, "/nodes", &graph->attributes, &columns);
}

/* Collective. A generated graph has no inputs. An unknown text is stored as "". */
static gemp_code put_provenance(const gemp_h5 *h5, const gemp_provenance *from)
{
	size_t count = from->input_count;
	GEMP_TRY(gemp_h5_group(h5, "/provenance", "dict", "0.1.0"));
	GEMP_TRY(gemp_h5_put_text(h5, "/provenance", "command", from->command ? from->command : ""));
	GEMP_TRY(gemp_h5_put_text(h5, "/provenance", "version", from->version ? from->version : ""));
	GEMP_TRY(gemp_file_put_texts(h5, "/provenance/inputs", from->inputs, count));
	return put_small(h5, "/provenance/input_hashes", from->input_hashes, count);
}

/* Collective. Writes the bounds of the partitions that `gemp-mpi partition` made, if the graph has them. */
static gemp_code put_partition(const gemp_h5 *h5, const gemp_shard *graph)
{
	if (!graph->partition.count)
		return GEMP_OK;
	GEMP_TRY(gemp_h5_group(h5, "/partition", "dict", "0.1.0"));
	GEMP_TRY(gemp_h5_put_text(h5, "/partition", "method", graph->partition.method));
	return put_small(h5, "/partition/bounds", graph->partition.bounds, graph->partition.count + 1);
}

static const char *version_of(const gemp_shard *graph)
{
	return gemp_limits_now()->file_version > 1 ? GEMP_FILE_VERSION : graph->partition.count ? "1.1" : "1.0";
}

/* Collective. The order of the calls is the order in the file, so equal graphs give files with equal bytes. */
static gemp_code put_graph(const gemp_h5 *h5, gemp_shard *graph, const gemp_provenance *provenance, const char *weight,
                           bool indexed)
{
	bool directed = true;
	for (size_t r = 0; r < graph->relation_count; r++)
		directed = directed && graph->relations[r].directed;
	GEMP_TRY(gemp_h5_group(h5, "/", "dict", "0.1.0"));
	GEMP_TRY(gemp_h5_put_text(h5, "/", "gemp-format", GEMP_FILE_FORMAT));
	GEMP_TRY(gemp_h5_put_text(h5, "/", "gemp-format-version", version_of(graph)));
	GEMP_TRY(gemp_h5_put_flag(h5, "/", "directed", directed));
	GEMP_TRY(gemp_h5_put_number(h5, "/", "seed", graph->seed));
	GEMP_TRY(gemp_h5_put_number(h5, "/", "hash", graph->hash));
	GEMP_TRY(gemp_h5_put_number(h5, "/", "vertices", graph->vertex_count));
	GEMP_TRY(gemp_file_put_texts(h5, "/labels", (const char *const *)graph->labels, graph->label_count));
	GEMP_TRY(put_nodes(h5, graph));
	GEMP_TRY(gemp_h5_group(h5, "/edges", "dict", "0.1.0"));
	for (size_t r = 0; r < graph->relation_count; r++)
		GEMP_TRY(gemp_file_put_relation(h5, graph, &graph->relations[r], weight));
	GEMP_TRY(put_partition(h5, graph));
	if (indexed)
		GEMP_TRY(gemp_file_put_indexes(h5, graph));
	return put_provenance(h5, provenance ? provenance : &(gemp_provenance){ 0 });
}

/* Collective. Loads what is written: the merged rows of a symmetric relation, and all parts of every other one. Edges
 * without rows by source have the direction of their ids. If the edges of a symmetric relation had to be turned, the
 * hash of the content changes. */
static gemp_code load_written(const gemp_comm *comm, gemp_shard *graph)
{
	bool turned = false;
	GEMP_TRY(gemp_shard_load_keys(graph));
	GEMP_TRY(gemp_shard_load_labels(graph));
	for (size_t c = 0; c < graph->attributes.count; c++)
		GEMP_TRY(gemp_shard_load_attribute(graph, c));
	for (size_t r = 0; r < graph->relation_count; r++) {
		gemp_relation *relation = &graph->relations[r];
		const bool symmetric = gemp_relation_is_symmetric(relation);
		const bool split = symmetric && (!relation->merged || relation->loaded & GEMP_LOAD_OUT);
		GEMP_TRY(gemp_shard_load_relation(
			graph, r, !symmetric ? GEMP_LOAD_ALL : GEMP_LOAD_PROPS | GEMP_LOAD_EITHER | (split ? GEMP_LOAD_OUT : 0u)));
		if (split)
			GEMP_TRY(gemp_orient_relation(comm, graph, relation, &turned));
	}
	return turned ? gemp_shard_content_hash(comm, graph, &graph->hash) : GEMP_OK;
}

/* Collective. After a failure an older file with this name is unchanged. */
static gemp_code write_file(const gemp_comm *comm, gemp_shard *graph, const char *path,
                            const gemp_provenance *provenance, const char *weight, bool compressed, bool indexed)
{
	gemp_h5 h5 = { 0 };
	GEMP_TRY(load_written(comm, graph));
	GEMP_TRY(gemp_file_check_weight(comm, graph, weight));
	compressed |= gemp_limits_now()->file_compressed;
	gemp_code code = gemp_h5_create_temporary(&h5, comm, path, compressed);
	h5.compressed = compressed;
	h5.sealed = gemp_limits_now()->file_version > 1;
	h5.constants = gemp_limits_now()->file_version > 1;
	GEMP_THEN(put_graph(&h5, graph, provenance, weight, indexed));
	return gemp_h5_commit(&h5, path, code);
}

gemp_code gemp_graph_file_write_weighted(const gemp_comm *comm, gemp_shard *graph, const char *path,
                                         const gemp_provenance *provenance, const char *weight, bool compressed,
                                         bool indexed)
{
	return write_file(comm, graph, path, provenance, weight, compressed, indexed);
}

/* Without a weight all values of the matrices are 1. */
gemp_code gemp_graph_file_write(const gemp_comm *comm, gemp_shard *graph, const char *path,
                                const gemp_provenance *provenance)
{
	return write_file(comm, graph, path, provenance, NULL, false, false);
}

gemp_code gemp_graph_file_write_indexed(const gemp_comm *comm, gemp_shard *graph, const char *path, const char *weight,
                                        bool compressed)
{
	static const char inputs_path[] = "/provenance/inputs", hashes_path[] = "/provenance/input_hashes";
	GEMP_OWNED char *command = NULL, *version = NULL;
	GEMP_OWNED_BY(gemp_h5_texts_free) gemp_h5_texts inputs = { 0 };
	GEMP_OWNED uint64_t *hashes = NULL;
	gemp_h5 h5 = { 0 };
	gemp_code code = gemp_h5_open(&h5, comm, path, gemp_graph_file_trusted(graph));
	GEMP_THEN(gemp_h5_get_text(&h5, "/provenance", "command", &command));
	GEMP_THEN(gemp_h5_get_text(&h5, "/provenance", "version", &version));
	GEMP_THEN(gemp_file_get_texts(&h5, inputs_path, &inputs));
	if (code == GEMP_OK) {
		code = GEMP_NEW(hashes, inputs.count);
		code = gemp_h5_read(&h5, code, hashes_path, gemp_h5_type_of(GEMP_H5_U64), 0, inputs.count,
		                    comm->rank == 0 ? inputs.count : 0, hashes);
	}
	GEMP_ALSO(gemp_h5_close(&h5));
	GEMP_TRY(code);
	const gemp_provenance same = { command, version, inputs.count, (const char *const *)inputs.text, hashes };
	return write_file(comm, graph, path, &same, weight, compressed, true);
}
