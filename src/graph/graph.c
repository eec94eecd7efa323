/* The shard. A loading function calls the graph's loader only for missing arrays, so callers may request the same array
 * repeatedly. The merged columns of edges at the end of this file give writers of tables one list of columns for all
 * relations. */

#include "graph/graph.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/search.h"
#include "graph/kept.h"

#include <string.h>

/* Copies bounds and method, since a partition lives as long as its graph. */
gemp_code gemp_partition_init(gemp_partition *parts, const uint64_t *bounds, size_t count, const char *method)
{
	GEMP_OWNED_BY(gemp_partition_free) gemp_partition made = { .count = count };
	*parts = (gemp_partition){ 0 };
	GEMP_TRY(GEMP_COPY(made.bounds, bounds, count + 1));
	made.method = gemp_strdup(method);
	if (!made.method)
		return GEMP_ENOMEM;
	*parts = made;
	made = (gemp_partition){ 0 };
	return GEMP_OK;
}

void gemp_partition_free(gemp_partition *parts)
{
	gemp_free_all(parts->bounds, parts->method);
	*parts = (gemp_partition){ 0 };
}

/* Returns the begin of range `index` of `ranges` equal ranges of [from, to). The product has 128 bits, so it cannot
 * overflow. */
static uint64_t equal_range_begin(uint64_t from, uint64_t to, uint64_t index, uint64_t ranges)
{
	return from + (uint64_t)((unsigned __int128)index * (to - from) / ranges);
}

/* If ranks get whole parts, or equal ranges of parts, they keep the cuts of the partition. Otherwise the ids are
 * divided evenly, regardless of the partition. */
bool gemp_partition_assign(const gemp_partition *parts, uint64_t vertices, size_t ranks, uint64_t *bounds)
{
	size_t count = parts->count, ranks_per_part = count ? ranks / count : 0;
	bool whole = count && count % ranks == 0, split = count && ranks % count == 0;
	for (size_t r = 0; r <= ranks; r++)
		if (whole)
			bounds[r] = parts->bounds[r * (count / ranks)];
		else if (split && r < ranks)
			bounds[r] = equal_range_begin(parts->bounds[r / ranks_per_part], parts->bounds[r / ranks_per_part + 1],
			                              r % ranks_per_part, ranks_per_part);
		else
			bounds[r] = equal_range_begin(0, vertices, r, ranks);
	return whole || split || !count || strcmp(parts->method, "random") == 0;
}

/* A binary search, since the bounds follow a partition and need not be equal. */
int gemp_shard_owner(const gemp_shard *graph, uint64_t id)
{
	return (int)gemp_range_find(graph->bounds, (size_t)graph->ranks, id);
}

gemp_count gemp_shard_edges(const gemp_shard *graph)
{
	gemp_count edges = 0;
	for (size_t i = 0; i < graph->relation_count; i++)
		edges += graph->relations[i].edge_count;
	return edges;
}

/* A graph has few relations, so a loop is fast enough. */
gemp_relation *gemp_shard_relation(const gemp_shard *graph, const char *name)
{
	for (size_t i = 0; i < graph->relation_count; i++)
		if (strcmp(graph->relations[i].name, name) == 0)
			return &graph->relations[i];
	return NULL;
}

/* A relation counts as loaded only if it has all requested arrays. */
bool gemp_shard_has_loaded(const gemp_shard *graph, const bool *relations, unsigned parts)
{
	bool has = true;
	for (size_t r = 0; r < graph->relation_count; r++)
		has &= !relations[r] || (graph->relations[r].loaded & parts) == parts;
	return has;
}

/* Edge numbers by target are useless without the rows that they belong to, so these rows stay with them. */
void gemp_relation_keep_rows(gemp_relation *relation, unsigned parts)
{
	if (parts & GEMP_LOAD_IN_EDGES)
		parts |= GEMP_LOAD_IN;
	if (!(parts & GEMP_LOAD_OUT)) {
		gemp_free_all(relation->out_offsets, relation->out_targets);
		relation->out_offsets = NULL;
		relation->out_targets = NULL;
	}
	if (!(parts & GEMP_LOAD_IN)) {
		gemp_free_all(relation->in_offsets, relation->in_sources);
		relation->in_offsets = NULL;
		relation->in_sources = NULL;
	}
	if (!(parts & GEMP_LOAD_IN_EDGES)) {
		gemp_free(relation->in_edges);
		relation->in_edges = NULL;
	}
	if (!(parts & GEMP_LOAD_EITHER)) {
		gemp_free_all(relation->either_offsets, relation->either_neighbours);
		relation->either_offsets = NULL;
		relation->either_neighbours = NULL;
	}
	relation->loaded &= parts | GEMP_LOAD_PROPS;
}

void gemp_relation_free(gemp_relation *relation)
{
	gemp_relation_keep_rows(relation, 0);
	gemp_free(relation->name);
	gemp_table_free(&relation->props);
	if (relation->ends)
		gemp_free_all(relation->ends->label_sets[0], relation->ends->label_sets[1], relation->ends);
	*relation = (gemp_relation){ 0 };
}

/* Counts grow one by one, so that after a failure gemp_shard_free releases exactly what exists. */
gemp_code gemp_shard_copy_labels(gemp_shard *to, const gemp_shard *from)
{
	GEMP_TRY(GEMP_NEW(to->labels, from->label_count));
	for (; to->label_count < from->label_count; to->label_count++) {
		to->labels[to->label_count] = gemp_strdup(from->labels[to->label_count]);
		GEMP_TRY(to->labels[to->label_count] ? GEMP_OK : GEMP_ENOMEM);
	}
	GEMP_TRY(GEMP_NEW(to->label_sets, from->label_set_count));
	for (; to->label_set_count < from->label_set_count; to->label_set_count++) {
		const gemp_label_set *set = &from->label_sets[to->label_set_count];
		gemp_label_set *copy = &to->label_sets[to->label_set_count];
		GEMP_TRY(GEMP_NEW(copy->labels, set->count));
		*copy = (gemp_label_set){ set->count, copy->labels, set->vertex_count };
		if (set->count)
			memcpy(copy->labels, set->labels, set->count * sizeof *set->labels);
	}
	return GEMP_OK;
}

/* Relations are counted one by one, for gemp_shard_free after a failure. */
gemp_code gemp_shard_copy_schema(gemp_shard *to, const gemp_shard *from)
{
	to->rank = from->rank;
	to->ranks = from->ranks;
	to->vertex_count = from->vertex_count;
	to->seed = from->seed;
	GEMP_TRY(gemp_shard_copy_labels(to, from));
	GEMP_TRY(GEMP_NEW(to->bounds, (size_t)from->ranks + 1));
	GEMP_TRY(GEMP_NEW(to->relations, from->relation_count));
	while (to->relation_count < from->relation_count) {
		const gemp_relation *relation = &from->relations[to->relation_count];
		gemp_relation *copy = &to->relations[to->relation_count++];
		*copy = (gemp_relation){ .name = gemp_strdup(relation->name),
			                     .directed = relation->directed,
			                     .fixed = relation->fixed,
			                     .multigraph = relation->multigraph,
			                     .reciprocal = relation->reciprocal,
			                     .edge_count = relation->edge_count };
		GEMP_TRY(copy->name ? GEMP_OK : GEMP_ENOMEM);
	}
	return GEMP_OK;
}

void gemp_row_index_free(gemp_row_index *index)
{
	gemp_free_all(index->path, index->relations, index->offsets, index->neighbours);
	*index = (gemp_row_index){ 0 };
}

bool gemp_value_index_takes(gemp_type type)
{
	return type == GEMP_STRING || type == GEMP_INTEGER || type == GEMP_FLOAT;
}

const char *gemp_row_index_direction(unsigned part)
{
	return part == GEMP_LOAD_OUT ? "out" : part == GEMP_LOAD_IN ? "in" : "either";
}

unsigned gemp_row_index_part(const char *direction)
{
	static const unsigned parts[] = { GEMP_LOAD_OUT, GEMP_LOAD_IN, GEMP_LOAD_EITHER };
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (strcmp(direction, gemp_row_index_direction(parts[i])) == 0)
			return parts[i];
	return 0;
}

void gemp_row_index_print(const gemp_row_index *index, const gemp_shard *graph, gemp_text *out)
{
	const char *bar = "";
	for (size_t r = 0; r < graph->relation_count; r++)
		if (index->relations[r]) {
			gemp_text_print(out, "%s%s", bar, graph->relations[r].name);
			bar = "|";
		}
	gemp_text_print(out, ":%s", gemp_row_index_direction(index->part));
}

gemp_code gemp_shard_add_value_index(gemp_shard *graph, size_t attribute)
{
	const gemp_value_index added = { .attribute = attribute };
	for (size_t i = 0; i < graph->value_index_count; i++)
		if (graph->value_indexes[i].attribute == attribute)
			return GEMP_OK;
	return GEMP_APPEND(graph->value_indexes, graph->value_index_count, &added);
}

void gemp_shard_drop_indexes(gemp_shard *graph)
{
	for (size_t i = 0; graph->row_indexes && i < graph->row_index_count; i++)
		gemp_row_index_free(&graph->row_indexes[i]);
	for (size_t i = 0; graph->value_indexes && i < graph->value_index_count; i++)
		gemp_free_all(graph->value_indexes[i].values, graph->value_indexes[i].vertices);
	gemp_free_all(graph->row_indexes, graph->value_indexes);
	graph->row_indexes = NULL;
	graph->value_indexes = NULL;
	graph->row_index_count = graph->value_index_count = 0;
}

/* Frees the loader first, while the graph that the loader refers to still exists. */
void gemp_shard_free(gemp_shard *graph)
{
	if (!graph)
		return;
	if (graph->loader.free)
		graph->loader.free(graph->loader.self);
	gemp_free(graph->bounds);
	gemp_partition_free(&graph->partition);
	gemp_column_free(&graph->keys);
	gemp_free(graph->key_ranks);
	for (size_t i = 0; graph->labels && i < graph->label_count; i++)
		gemp_free(graph->labels[i]);
	gemp_free(graph->labels);
	for (size_t i = 0; graph->label_sets && i < graph->label_set_count; i++)
		gemp_free(graph->label_sets[i].labels);
	gemp_free_all(graph->label_sets, graph->label_set_of);
	gemp_table_free(&graph->attributes);
	for (size_t i = 0; graph->relations && i < graph->relation_count; i++)
		gemp_relation_free(&graph->relations[i]);
	gemp_shard_drop_indexes(graph);
	gemp_kept_free(graph->kept);
	gemp_free(graph->relations);
	gemp_free(graph);
}

/* A graph made in memory has all its arrays, so a missing array is an error of the program. */
static gemp_code no_loader(const char *kind, const char *name)
{
	return gemp_fail(GEMP_EINTERNAL, "%s%s of the graph: not in memory, and there is no file to load from", kind, name);
}

/* Loads keys and their ranks together, since every user of the ranks reads keys, too. */
gemp_code gemp_shard_load_keys(gemp_shard *graph)
{
	if (gemp_column_loaded(&graph->keys) && graph->key_ranks)
		return GEMP_OK;
	if (!graph->loader.load_keys)
		return no_loader("keys", "");
	return graph->loader.load_keys(graph->loader.self, graph);
}

gemp_code gemp_shard_load_labels(gemp_shard *graph)
{
	if (graph->label_set_of)
		return GEMP_OK;
	if (!graph->loader.load_labels)
		return no_loader("labels", "");
	return graph->loader.load_labels(graph->loader.self, graph);
}

/* A loaded column has an array, even without rows. */
gemp_code gemp_shard_load_attribute(gemp_shard *graph, size_t column)
{
	GEMP_CHECK(column < graph->attributes.count);
	if (gemp_column_loaded(&graph->attributes.columns[column]))
		return GEMP_OK;
	if (!graph->loader.load_attribute)
		return no_loader("attribute ", graph->attributes.columns[column].name);
	return graph->loader.load_attribute(graph->loader.self, graph, column);
}

/* Edge numbers of the transpose are stored only together with the transpose, so a request for them loads both. */
gemp_code gemp_shard_load_relation(gemp_shard *graph, size_t relation, unsigned parts)
{
	GEMP_CHECK(relation < graph->relation_count);
	if (parts & GEMP_LOAD_IN_EDGES)
		parts |= GEMP_LOAD_IN;
	parts &= ~graph->relations[relation].loaded;
	if (!parts)
		return GEMP_OK;
	if (!graph->loader.load_relation)
		return no_loader("relation ", graph->relations[relation].name);
	return graph->loader.load_relation(graph->loader.self, graph, relation, parts);
}

gemp_code gemp_shard_load_row_index(gemp_shard *graph, gemp_row_index *index)
{
	if (index->offsets)
		return GEMP_OK;
	if (!graph->loader.load_row_index)
		return no_loader("index", "");
	return graph->loader.load_row_index(graph->loader.self, graph, index);
}

/* All ranks load the arrays in the same order, since each step is collective. */
static gemp_code load_all(gemp_shard *graph, unsigned parts)
{
	GEMP_TRY(gemp_shard_load_keys(graph));
	GEMP_TRY(gemp_shard_load_labels(graph));
	for (size_t c = 0; c < graph->attributes.count; c++)
		GEMP_TRY(gemp_shard_load_attribute(graph, c));
	for (size_t r = 0; r < graph->relation_count; r++)
		GEMP_TRY(gemp_shard_load_relation(graph, r, parts));
	return GEMP_OK;
}

gemp_code gemp_shard_load_all(gemp_shard *graph)
{
	return load_all(graph, GEMP_LOAD_ALL);
}

gemp_code gemp_shard_load_outgoing(gemp_shard *graph)
{
	return load_all(graph, GEMP_LOAD_OUT | GEMP_LOAD_PROPS);
}

/* If relations have different types of an attribute, numbers widen to float, and all other combinations become
 * strings. */
gemp_type gemp_shard_edge_attribute_type(const gemp_shard *graph, const char *name)
{
	gemp_type type = GEMP_STRING;
	bool known = false;
	for (size_t k = 0; k < graph->relation_count; k++) {
		const gemp_column *column = gemp_table_find(&graph->relations[k].props, name);
		if (!column || (known && column->type == type))
			continue;
		bool numbers = known && (type == GEMP_INTEGER || type == GEMP_FLOAT) &&
		               (column->type == GEMP_INTEGER || column->type == GEMP_FLOAT);
		type = !known ? column->type : numbers ? GEMP_FLOAT : GEMP_STRING;
		known = true;
	}
	return type;
}

/* The relations' tables of attributes, and the progress of merging their columns. */
typedef struct column_merge {
	size_t relations;
	const gemp_table **props; /* [relations]; an empty table for an excluded relation */
	size_t *next;             /* [relations] first column that is not merged yet */
} column_merge;

/* Returns SIZE_MAX if the relation has no such column. */
static size_t find_column(const gemp_table *props, const char *name)
{
	const gemp_column *column = gemp_table_find(props, name);
	return column ? (size_t)(column - props->columns) : SIZE_MAX;
}

/* True if some relation has this column behind a column that is not merged yet. */
static bool is_needed_later(const column_merge *m, const char *name)
{
	for (size_t r = 0; r < m->relations; r++) {
		size_t at = find_column(m->props[r], name);
		if (at != SIZE_MAX && at > m->next[r])
			return true;
	}
	return false;
}

/* Returns the next column of the merged order: a column that no relation has behind an unmerged column. If the orders
 * of the relations contradict one another, there may be no such column, and any unmerged column is returned. Returns
 * NULL if all columns are merged. */
static const gemp_column *next_column(const column_merge *m)
{
	const gemp_column *any = NULL;
	for (size_t r = 0; r < m->relations; r++) {
		if (m->next[r] == m->props[r]->count)
			continue;
		any = &m->props[r]->columns[m->next[r]];
		if (!is_needed_later(m, any->name))
			return any;
	}
	return any;
}

static bool has_column(const gemp_edge_columns *all, const char *name)
{
	for (size_t c = 0; c < all->count; c++)
		if (strcmp(all->columns[c].name, name) == 0)
			return true;
	return false;
}

/* Appends a merged column, and advances every relation past the columns that have been merged. */
static gemp_code append_column(gemp_edge_columns *all, const column_merge *m, const gemp_column *chosen)
{
	gemp_edge_column *column = &all->columns[all->count++];
	*column = (gemp_edge_column){ .name = gemp_strdup(chosen->name), .type = chosen->type };
	if (!column->name)
		return GEMP_ENOMEM;
	GEMP_TRY(GEMP_NEW(column->column_of, m->relations));
	for (size_t r = 0; r < m->relations; r++) {
		column->column_of[r] = find_column(m->props[r], column->name);
		if (column->column_of[r] == SIZE_MAX)
			continue;
		gemp_type type = m->props[r]->columns[column->column_of[r]].type;
		if (type != column->type)
			return gemp_fail(GEMP_EDATA,
			                 "edges have a column '%s' of %ss in one type and of %ss in another; take one "
			                 "type after the other",
			                 column->name, gemp_type_name[column->type], gemp_type_name[type]);
		while (m->next[r] < m->props[r]->count && has_column(all, m->props[r]->columns[m->next[r]].name))
			m->next[r]++;
	}
	return GEMP_OK;
}

/* The capacity is the total number of columns of all relations, which the merged list cannot exceed. */
gemp_code gemp_edge_columns_new(gemp_edge_columns *out, const gemp_shard *graph, const char *only)
{
	static const gemp_table none;
	GEMP_OWNED_BY(gemp_edge_columns_free) gemp_edge_columns all = { 0 };
	GEMP_OWNED const gemp_table **props = NULL;
	GEMP_OWNED size_t *next = NULL;
	size_t capacity = 0;
	GEMP_TRY(GEMP_NEW(props, graph->relation_count));
	GEMP_TRY(GEMP_NEW(next, graph->relation_count));
	for (size_t r = 0; r < graph->relation_count; r++) {
		bool wanted = !only || strcmp(only, graph->relations[r].name) == 0;
		props[r] = wanted ? &graph->relations[r].props : &none;
		capacity += props[r]->count;
	}
	column_merge m = { .relations = graph->relation_count, .props = props, .next = next };
	GEMP_TRY(GEMP_NEW(all.columns, capacity));
	for (const gemp_column *chosen; (chosen = next_column(&m));)
		GEMP_TRY(append_column(&all, &m, chosen));
	*out = all;
	all = (gemp_edge_columns){ 0 };
	return GEMP_OK;
}

void gemp_edge_columns_free(gemp_edge_columns *columns)
{
	for (size_t c = 0; c < columns->count; c++)
		gemp_free_all(columns->columns[c].name, columns->columns[c].column_of);
	gemp_free(columns->columns);
	*columns = (gemp_edge_columns){ 0 };
}

/* The index of the column in each relation was found when the list was made. */
gemp_value gemp_edge_value(const gemp_shard *graph, const gemp_edge_column *column, size_t relation, size_t row)
{
	if (column->column_of[relation] == SIZE_MAX)
		return (gemp_value){ .type = column->type, .null = true };
	return gemp_column_get(&graph->relations[relation].props.columns[column->column_of[relation]], row);
}

/* The labels of a set are in ascending order of names, so equal sets give equal texts. */
void gemp_vertex_labels_text(const gemp_shard *graph, size_t row, gemp_text *out)
{
	const gemp_label_set *set = &graph->label_sets[graph->label_set_of[row]];
	for (size_t l = 0; l < set->count; l++)
		gemp_text_print(out, "%s%s", l ? ";" : "", graph->labels[set->labels[l]]);
}
