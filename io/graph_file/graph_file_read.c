/* Opening a graph file reads its small parts: names, types, counts, label sets and the bounds of partitions. Columns
 * and matrices are read when a query needs them. Each such read opens the file again. */

#include "io/graph_file/graph_file_read.h"

#include "core/log.h"
#include "core/status.h"
#include "core/threads.h"
#include "io/graph_file/graph_file_index.h"
#include "io/graph_file/graph_file_key_order.h"
#include "io/graph_file/graph_file_points.h"
#include "io/graph_file/graph_file_relation.h"
#include "io/graph_file/graph_file_strings.h"
#include "io/hdf5/hdf5_attributes.h"

#include <stdlib.h>
#include <string.h>

/* The loader of an open graph. The loader opens the file for each part that is read. The file must still hold the same
 * graph. */
typedef struct file_source {
	const gemp_comm *comm;
	gemp_file_layout layout;
	gemp_point_reader *points;
} file_source;

/* The graph owns its loader and frees it by this callback. */
enum { SEALED_MINOR = 3 }; /* files from version 2.3 on have a seal */

static void free_source(void *self)
{
	file_source *source = self;
	if (!source)
		return;
	gemp_file_layout *layout = &source->layout;
	gemp_file_points_free(source->points);
	gemp_free_all(layout->path, layout->key_path);
	gemp_column_layout_free(&layout->attributes);
	for (size_t r = 0; layout->relations && r < layout->relation_count; r++)
		gemp_column_layout_free(&layout->relations[r].columns);
	gemp_free_all(layout->relations, source);
}

/* Collective. An idle graph keeps no file open, so the file is opened for each part. A different hash shows that the
 * file was replaced. */
static gemp_code reopen(const file_source *source, gemp_h5 *h5)
{
	uint64_t hash = 0;
	GEMP_TRY(gemp_h5_open(h5, source->comm, source->layout.path, source->layout.trust));
	GEMP_TRY(gemp_h5_get_number(h5, "/", "hash", &hash));
	if (hash != source->layout.hash)
		return gemp_fail(GEMP_EIO, "%s: was replaced by another graph while it was in use", source->layout.path);
	return GEMP_OK;
}

/* Collective. Closes the file also after a failure, and returns the first failure. */
static gemp_code close_file(gemp_h5 *h5, gemp_code code)
{
	GEMP_ALSO(gemp_h5_close(h5));
	return code;
}

/* This rank's rows, which all columns of vertices share. */
static gemp_h5_slab vertex_rows(const gemp_shard *graph)
{
	return (gemp_h5_slab){ graph->vertex_count, graph->first_vertex, graph->rows };
}

/* Keys and key ranks are always needed together. A progression of keys needs no column. */
static gemp_code load_keys(void *self, gemp_shard *graph)
{
	const file_source *source = self;
	gemp_h5 h5 = { 0 };
	gemp_code code = reopen(source, &h5);
	bool known = false;
	GEMP_THEN(gemp_file_get_key_progression(&h5, graph, &known));
	if (!known) {
		GEMP_THEN(gemp_file_get_column(&h5, source->layout.key_path, &graph->keys, vertex_rows(graph)));
		GEMP_THEN(gemp_file_get_key_ranks(&h5, graph));
	}
	return close_file(&h5, code);
}

/* Collective. All later code uses the codes as indices without a check, so they are checked here. */
static gemp_code read_labels(const gemp_h5 *h5, gemp_shard *graph)
{
	GEMP_OWNED void *codes = NULL;
	GEMP_OWNED uint32_t *sets = NULL;
	gemp_h5_type type;
	GEMP_TRY(gemp_file_get_codes(h5, "/nodes/_label", vertex_rows(graph), &type, &codes));
	gemp_code code = GEMP_NEW(sets, graph->rows);
	for (size_t v = 0; v < graph->rows && code == GEMP_OK; v++) {
		int64_t set = gemp_file_get_code(codes, type, v);
		if (set < 0 || (uint64_t)set >= graph->label_set_count)
			code = gemp_file_damaged(h5, "/nodes/_label", "has a code beyond its categories");
		sets[v] = (uint32_t)set;
	}
	GEMP_TRY(gemp_comm_agree(h5->comm, code));
	graph->label_set_of = sets;
	sets = NULL;
	return GEMP_OK;
}

/* The label sets were read when the graph was opened. This function reads the set of each vertex. */
static gemp_code load_labels(void *self, gemp_shard *graph)
{
	gemp_h5 h5 = { 0 };
	gemp_code code = reopen(self, &h5);
	GEMP_THEN(read_labels(&h5, graph));
	return close_file(&h5, code);
}

/* A label set is small, so its names are compared one by one. */
static bool has_label(const gemp_shard *graph, const gemp_label_set *set, const char *label)
{
	for (size_t l = 0; l < set->count; l++)
		if (strcmp(graph->labels[set->labels[l]], label) == 0)
			return true;
	return false;
}

/* The vertices with a label. */
typedef struct label_test {
	const gemp_shard *graph;
	bool *sets; /* [graph->label_set_count] whether the set has the label */
} label_test;

static bool is_labelled(const void *self, size_t row)
{
	const label_test *t = self;
	return t->sets[t->graph->label_set_of[row]];
}

/* Local. rows[*count] become the vertices of this rank with the label, ascending. */
static gemp_code pick_labelled(uint64_t **rows, size_t *count, const gemp_shard *graph, const char *label)
{
	GEMP_OWNED bool *sets = NULL;
	GEMP_TRY(GEMP_NEW(sets, graph->label_set_count));
	for (size_t s = 0; s < graph->label_set_count; s++)
		sets[s] = has_label(graph, &graph->label_sets[s], label);
	return gemp_pick(rows, count, graph->rows, is_labelled, &(label_test){ graph, sets });
}

/* Collective. The column in the file holds only the rows of vertices with one label. Each rank counts its vertices with
 * this label, and a prefix sum over the ranks gives the rank's rows. */
static gemp_code read_attribute_of_label(const gemp_h5 *h5, gemp_shard *graph, const char *path, const char *label,
                                         gemp_column *column)
{
	GEMP_OWNED_BY(gemp_column_free) gemp_column part = { 0 };
	GEMP_OWNED uint64_t *picked = NULL;
	size_t count = 0;
	GEMP_TRY(gemp_comm_agree(h5->comm, pick_labelled(&picked, &count, graph, label)));
	gemp_h5_slab rows = { gemp_comm_sum1(h5->comm, count), gemp_comm_exscan(h5->comm, count), count };
	GEMP_TRY(gemp_comm_agree(h5->comm, gemp_column_init(&part, column->name, column->type)));
	GEMP_TRY(gemp_file_get_column(h5, path, &part, rows));
	return gemp_comm_agree(h5->comm, gemp_file_spread_column(column, &part, picked, graph->rows));
}

/* Collective. Compares the list of vertices that have a row of an attribute with those that have the label. */
static gemp_code verify_rows_of_label(const gemp_h5 *h5, const gemp_shard *graph, const char *label)
{
	GEMP_OWNED char *path = gemp_h5_join_encoded("/nodes_by_label", label, "_row");
	GEMP_OWNED uint64_t *picked = NULL;
	GEMP_OWNED uint32_t *listed = NULL;
	size_t count = 0;
	GEMP_TRY(gemp_comm_agree(h5->comm, pick_labelled(&picked, &count, graph, label)));
	const uint64_t first = gemp_comm_exscan(h5->comm, count);
	gemp_code code = path ? GEMP_NEW(listed, count) : GEMP_ENOMEM;
	GEMP_TRY(gemp_h5_read(h5, code, path, gemp_h5_type_of(GEMP_H5_U32), first, count, count, listed));
	for (size_t i = 0; i < count && code == GEMP_OK; i++)
		if (listed[i] != graph->first_vertex + picked[i])
			code = gemp_file_damaged(h5, path, "does not list the vertices with the label");
	return gemp_comm_agree(h5->comm, code);
}

gemp_code gemp_graph_file_verify_rows(const gemp_h5 *h5, const gemp_shard *graph)
{
	const gemp_h5_texts *labels = &((const file_source *)graph->loader.self)->layout.attributes.labels;
	for (size_t i = 0; i < labels->count; i++)
		if (*labels->text[i])
			GEMP_TRY(verify_rows_of_label(h5, graph, labels->text[i]));
	return GEMP_OK;
}

/* If an attribute is stored with a label, its rows can be assigned to vertices only after the labels are loaded. */
static gemp_code load_attribute(void *self, gemp_shard *graph, size_t index)
{
	const file_source *source = self;
	const char *path = source->layout.attributes.paths.text[index],
			   *label = source->layout.attributes.labels.text[index];
	gemp_column *column = &graph->attributes.columns[index];
	gemp_h5 h5 = { 0 };
	gemp_code code = *label ? gemp_shard_load_labels(graph) : GEMP_OK;
	GEMP_THEN(reopen(source, &h5));
	if (code == GEMP_OK && *label)
		code = read_attribute_of_label(&h5, graph, path, label, column);
	else if (code == GEMP_OK)
		code = gemp_file_get_column(&h5, path, column, vertex_rows(graph));
	return close_file(&h5, code);
}

/* A query loads only the directions that it needs, and the attributes only if it needs them. */
static gemp_code load_relation(void *self, gemp_shard *graph, size_t relation, unsigned parts)
{
	const file_source *source = self;
	gemp_h5 h5 = { 0 };
	gemp_code code = reopen(source, &h5);
	GEMP_THEN(
		gemp_file_get_relation(&h5, graph, &graph->relations[relation], &source->layout.relations[relation], parts));
	return close_file(&h5, code);
}

static gemp_code load_row_index(void *self, gemp_shard *graph, gemp_row_index *index)
{
	gemp_h5 h5 = { 0 };
	gemp_code code = reopen(self, &h5);
	GEMP_THEN(gemp_file_get_row_index(&h5, graph, index));
	return close_file(&h5, code);
}

/* Files from version 2.3 on have a seal. If it is missing, the file was cut or another program has written it. */
static gemp_code check_seal(const gemp_h5 *h5, const char *version)
{
	const gemp_sealed_file *file = &h5->source->file;
	if (strncmp(version, "1.", 2) == 0 || atoi(version + 2) < SEALED_MINOR || file->sealed || file->trusted)
		return GEMP_OK;
	return gemp_fail(
		GEMP_EDATA,
		"%s: was changed by another program, as its seal is missing; make the file again, or check it with "
		"'gemp-mpi verify --trust'",
		h5->path);
}

/* Collective. A minor version may add parts to the file, but it does not change the parts that are read here. Files of
 * version 1 store undirected edges like directed ones. */
static gemp_code check_format(const gemp_h5 *h5)
{
	GEMP_OWNED char *format = NULL, *version = NULL;
	bool graph_file = false;
	GEMP_TRY(gemp_h5_has_attribute(h5, "/", "gemp-format", &graph_file));
	GEMP_TRY(gemp_comm_agree(
		h5->comm, graph_file
					  ? GEMP_OK
					  : gemp_fail(GEMP_EDATA, "%s: an HDF5 file, but not a graph file; make one with 'gemp-mpi import'",
	                              h5->path)));
	GEMP_TRY(gemp_h5_get_text(h5, "/", "gemp-format", &format));
	GEMP_TRY(gemp_h5_get_text(h5, "/", "gemp-format-version", &version));
	if (strcmp(format, GEMP_FILE_FORMAT) == 0 && (strncmp(version, "1.", 2) == 0 || strncmp(version, "2.", 2) == 0))
		return check_seal(h5, version);
	return gemp_fail(GEMP_EDATA, "%s: is of format %s %s; this program reads %s 1.x and 2.x, so make the file again",
	                 h5->path, format, version, GEMP_FILE_FORMAT);
}

/* Collective. If the number of partitions in the file is a multiple of the number of ranks, each rank owns whole
 * partitions. If the number of partitions is a divisor of the number of ranks, several ranks share each partition. In
 * all other cases the ranks own equal ranges of ids. */
static gemp_code assign_rows(const gemp_comm *comm, const char *path, gemp_shard *graph)
{
	size_t ranks = (size_t)comm->size;
	graph->rank = comm->rank;
	graph->ranks = comm->size;
	gemp_code code = GEMP_NEW(graph->bounds, ranks + 1);
	if (code == GEMP_OK) {
		if (!gemp_partition_assign(&graph->partition, graph->vertex_count, ranks, graph->bounds))
			gemp_warn("%s: is cut into %zu parts (%s), which cannot be divided among %d ranks; each rank gets an equal "
			          "range of vertices instead",
			          path, graph->partition.count, graph->partition.method, comm->size);
		graph->first_vertex = graph->bounds[comm->rank];
		graph->rows = graph->bounds[comm->rank + 1] - graph->first_vertex;
	}
	return gemp_comm_agree(comm, code);
}

/* Local. A graph has few labels, so the search is linear. */
static gemp_code find_label(const gemp_h5 *h5, const gemp_shard *graph, const char *name, size_t length,
                            uint32_t *label)
{
	for (uint32_t l = 0; l < graph->label_count; l++)
		if (strlen(graph->labels[l]) == length && memcmp(graph->labels[l], name, length) == 0) {
			*label = l;
			return GEMP_OK;
		}
	return gemp_fail(GEMP_EDATA,
	                 "%s: '/nodes/_label' names the label '%.*s', which '/labels' lacks; make the file again", h5->path,
	                 (int)length, name);
}

/* Local. Parses "A;B". The empty text is the set without labels. */
static gemp_code parse_set(const gemp_h5 *h5, const gemp_shard *graph, const char *text, gemp_label_set *set)
{
	size_t max = *text != '\0';
	for (const char *at = text; *at; at++)
		max += *at == ';';
	GEMP_TRY(GEMP_NEW(set->labels, max));
	for (; *text; text += *text == ';') {
		size_t length = strcspn(text, ";");
		GEMP_TRY(find_label(h5, graph, text, length, &set->labels[set->count++]));
		text += length;
	}
	return GEMP_OK;
}

/* Collective. The number of vertices with each label set allows estimates before any vertex is read. */
static gemp_code describe_labels(const gemp_h5 *h5, gemp_shard *graph)
{
	GEMP_OWNED_BY(gemp_h5_texts_free) gemp_h5_texts labels = { 0 }, sets = { 0 };
	GEMP_OWNED uint64_t *vertices = NULL;
	GEMP_TRY(gemp_file_get_texts(h5, "/labels", &labels));
	graph->labels = labels.text;
	graph->label_count = labels.count;
	labels = (gemp_h5_texts){ 0 };
	GEMP_TRY(gemp_file_get_texts(h5, "/nodes/_label/categories", &sets));
	gemp_code code = gemp_new_all(GEMP_ARRAY(graph->label_sets, sets.count), GEMP_ARRAY(vertices, sets.count));
	GEMP_TRY(gemp_h5_read(h5, code, "/nodes/_label/counts", gemp_h5_type_of(GEMP_H5_U64), 0, sets.count,
	                      h5->comm->rank == 0 ? sets.count : 0, vertices));
	graph->label_set_count = sets.count;
	for (size_t s = 0; s < sets.count && code == GEMP_OK; s++) {
		graph->label_sets[s].vertex_count = vertices[s];
		code = parse_set(h5, graph, sets.text[s], &graph->label_sets[s]);
	}
	return gemp_comm_agree(h5->comm, code);
}

/* For qsort: compares names bytewise. */
static int compare_relations(const void *a, const void *b)
{
	return strcmp(((const gemp_relation *)a)->name, ((const gemp_relation *)b)->name);
}

/* Collective. Relations are sorted by name, so their numbers do not depend on their order in the file. */
static gemp_code describe_relations(const gemp_h5 *h5, gemp_shard *graph, file_source *source)
{
	GEMP_OWNED_BY(gemp_h5_texts_free) gemp_h5_texts names = { 0 };
	GEMP_TRY(gemp_h5_list(h5, "/edges", &names));
	gemp_code code = gemp_new_all(GEMP_ARRAY(graph->relations, names.count),
	                              GEMP_ARRAY(source->layout.relations, names.count));
	graph->relation_count = source->layout.relation_count = code == GEMP_OK ? names.count : 0;
	for (size_t r = 0; r < names.count && code == GEMP_OK; r++)
		code = gemp_h5_decode(names.text[r], &graph->relations[r].name);
	GEMP_TRY(gemp_comm_agree(h5->comm, code));
	qsort(graph->relations, names.count, sizeof *graph->relations, compare_relations);
	for (size_t r = 0; r < names.count; r++)
		GEMP_TRY(gemp_file_describe_relation(h5, graph, &graph->relations[r], &source->layout.relations[r]));
	return GEMP_OK;
}

/* Collective. The attribute gemp-key gives the path of the column of keys. */
static gemp_code describe_nodes(const gemp_h5 *h5, gemp_shard *graph, file_source *source)
{
	GEMP_OWNED char *type = NULL;
	GEMP_TRY(gemp_h5_get_text(h5, "/nodes", "gemp-key", &source->layout.key_path));
	GEMP_TRY(gemp_h5_get_text(h5, "/nodes", "gemp-key-type", &type));
	GEMP_TRY(gemp_comm_agree(
		h5->comm, gemp_column_init(&graph->keys, "_id", strcmp(type, "integer") == 0 ? GEMP_INTEGER : GEMP_STRING)));
	GEMP_TRY(gemp_file_get_schema(h5, "/nodes", &graph->attributes, &source->layout.attributes));
	graph->attributes.rows = graph->rows;
	return describe_labels(h5, graph);
}

/* Local. The bounds are used as indices later, so they are checked here. */
static gemp_code check_bounds(const gemp_h5 *h5, const gemp_shard *graph, const uint64_t *bounds, uint64_t count)
{
	bool right = bounds[0] == 0 && bounds[count - 1] == graph->vertex_count;
	for (uint64_t p = 1; p < count; p++)
		right = right && bounds[p - 1] <= bounds[p];
	return right ? GEMP_OK
	             : gemp_fail(GEMP_EDATA,
	                         "%s: '/partition/bounds' do not ascend from 0 to the %" PRIu64
	                         " vertices; make the file again",
	                         h5->path, graph->vertex_count);
}

/* Collective. Reads the bounds of the partitions that `gemp-mpi partition` made. A file without them has no group
 * /partition. */
static gemp_code get_partition(const gemp_h5 *h5, gemp_shard *graph)
{
	static const char path[] = "/partition/bounds";
	GEMP_OWNED uint64_t *bounds = NULL;
	GEMP_OWNED char *method = NULL;
	gemp_h5_type type;
	uint64_t count = 0;
	bool there = false;
	GEMP_TRY(gemp_h5_exists(h5, "/partition", &there));
	if (!there)
		return GEMP_OK;
	GEMP_TRY(gemp_h5_get_text(h5, "/partition", "method", &method));
	GEMP_TRY(gemp_h5_info(h5, path, &type, &count));
	if (type.kind != GEMP_H5_U64 || count < 2)
		return gemp_file_damaged(h5, path, "is no list of bounds");
	gemp_code code = GEMP_NEW(bounds, count);
	GEMP_TRY(gemp_h5_read(h5, code, path, type, 0, count, h5->comm->rank == 0 ? count : 0, bounds));
	GEMP_THEN(check_bounds(h5, graph, bounds, count));
	GEMP_THEN(gemp_partition_init(&graph->partition, bounds, count - 1, method));
	return gemp_comm_agree(h5->comm, code);
}

/* Collective. A column has as many rows as this rank has vertices, so rows are assigned before columns are
 * described. */
static gemp_code describe_graph(const gemp_h5 *h5, gemp_shard *graph, file_source *source)
{
	GEMP_TRY(check_format(h5));
	GEMP_TRY(gemp_h5_get_number(h5, "/", "seed", &graph->seed));
	GEMP_TRY(gemp_h5_get_number(h5, "/", "hash", &graph->hash));
	source->layout.hash = graph->hash;
	GEMP_TRY(gemp_h5_get_number(h5, "/", "vertices", &graph->vertex_count));
	if (graph->vertex_count > GEMP_MAX_VERTICES)
		return gemp_fail(GEMP_EDATA, "%s: has %" PRIu64 " vertices; at most %" PRIu64 " are possible", h5->path,
		                 graph->vertex_count, GEMP_MAX_VERTICES);
	GEMP_TRY(get_partition(h5, graph));
	GEMP_TRY(assign_rows(h5->comm, h5->path, graph));
	GEMP_TRY(describe_nodes(h5, graph, source));
	GEMP_TRY(describe_relations(h5, graph, source));
	return gemp_file_describe_indexes(h5, graph);
}

/* Local. Makes the point reader before the file is described, so that the reader knows whether the file is still the
 * one that was described. */
static gemp_code make_points(gemp_shard *graph)
{
	file_source *source = graph->loader.self;
	source->layout.graph = graph;
	GEMP_TRY(gemp_file_points_new(&source->points, &source->layout));
	graph->loader.points = source->points;
	return GEMP_OK;
}

/* Local. Makes a graph without content. Its loader reads the parts from the file. */
static gemp_code new_graph(gemp_shard **out, const gemp_comm *comm, const char *path, bool trust)
{
	GEMP_OWNED_BY(gemp_shard_free_at) gemp_shard *graph = NULL;
	GEMP_OWNED file_source *source = NULL;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(graph, 1), GEMP_ARRAY(source, 1)));
	source->comm = comm;
	source->layout.trust = trust;
	source->layout.path = gemp_strdup(path);
	graph->loader = (gemp_shard_loader){ source,        load_keys,      load_labels, load_attribute,
		                                 load_relation, load_row_index, free_source, NULL };
	source = NULL;
	if (!((file_source *)graph->loader.self)->layout.path)
		return GEMP_ENOMEM;
	GEMP_TRY(make_points(graph));
	*out = graph;
	graph = NULL;
	return GEMP_OK;
}

bool gemp_graph_file_trusted(const gemp_shard *graph)
{
	return graph->loader.free == free_source && ((const file_source *)graph->loader.self)->layout.trust;
}

/* All ranks read the description, and then the file is closed. The graph's loader reads the other parts later. */
gemp_code gemp_graph_file_open(gemp_shard **out, const gemp_comm *comm, const char *path, bool trust)
{
	GEMP_OWNED_BY(gemp_shard_free_at) gemp_shard *graph = NULL;
	gemp_h5 h5 = { 0 };
	*out = NULL;
	GEMP_TRY(gemp_comm_agree(comm, new_graph(&graph, comm, path, trust)));
	gemp_code code = gemp_h5_open(&h5, comm, path, trust);
	GEMP_THEN(describe_graph(&h5, graph, graph->loader.self));
	GEMP_TRY(close_file(&h5, code));
	*out = graph;
	graph = NULL;
	return GEMP_OK;
}
