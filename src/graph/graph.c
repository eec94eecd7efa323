#include "graph/graph.h"

#include "core/memory.h"

#include <string.h>

int gemp_graph_owner(const gemp_graph *graph, uint64_t id)
{
	return (int)gemp_range_of(graph->bounds, (size_t)graph->ranks, id);
}

gemp_count gemp_graph_edges(const gemp_graph *graph)
{
	gemp_count edges = 0;
	for (size_t i = 0; i < graph->relation_count; i++)
		edges += graph->relations[i].edges;
	return edges;
}

gemp_relation *gemp_graph_relation(const gemp_graph *graph, const char *name)
{
	for (size_t i = 0; i < graph->relation_count; i++)
		if (strcmp(graph->relations[i].name, name) == 0)
			return &graph->relations[i];
	return NULL;
}

bool gemp_graph_has(const gemp_graph *graph, const bool *relations, unsigned parts)
{
	bool has = true;
	for (size_t r = 0; r < graph->relation_count; r++)
		has &= !relations[r] || (graph->relations[r].loaded & parts) == parts;
	return has;
}

static void free_relation(gemp_relation *relation)
{
	gemp_free(relation->name);
	gemp_free(relation->out_begin);
	gemp_free(relation->out);
	gemp_free(relation->in_begin);
	gemp_free(relation->in);
	gemp_free(relation->in_edge);
	gemp_table_free(&relation->props);
}

void gemp_graph_free(gemp_graph *graph)
{
	if (!graph)
		return;
	if (graph->source.free)
		graph->source.free(graph->source.self);
	gemp_free(graph->bounds);
	gemp_parts_free(&graph->parts);
	gemp_column_free(&graph->key);
	gemp_free(graph->key_rank);
	for (size_t i = 0; graph->labels && i < graph->label_count; i++)
		gemp_free(graph->labels[i]);
	gemp_free(graph->labels);
	for (size_t i = 0; graph->label_sets && i < graph->label_set_count; i++)
		gemp_free(graph->label_sets[i].labels);
	gemp_free(graph->label_sets);
	gemp_free(graph->label_set);
	gemp_table_free(&graph->attributes);
	for (size_t i = 0; graph->relations && i < graph->relation_count; i++)
		free_relation(&graph->relations[i]);
	gemp_free(graph->relations);
	gemp_free(graph);
}

static gemp_code no_source(const char *what, const char *name)
{
	return gemp_fail(GEMP_EINTERNAL, "%s%s of the graph: not in memory, and there is no file to load from", what, name);
}

gemp_code gemp_graph_need_keys(gemp_graph *graph)
{
	if (gemp_column_loaded(&graph->key) && graph->key_rank)
		return GEMP_OK;
	if (!graph->source.load_keys)
		return no_source("keys", "");
	return graph->source.load_keys(graph->source.self, graph);
}

gemp_code gemp_graph_need_labels(gemp_graph *graph)
{
	if (graph->label_set)
		return GEMP_OK;
	if (!graph->source.load_labels)
		return no_source("labels", "");
	return graph->source.load_labels(graph->source.self, graph);
}

gemp_code gemp_graph_need_attribute(gemp_graph *graph, size_t column)
{
	GEMP_CHECK(column < graph->attributes.count);
	if (gemp_column_loaded(&graph->attributes.columns[column]))
		return GEMP_OK;
	if (!graph->source.load_attribute)
		return no_source("attribute ", graph->attributes.columns[column].name);
	return graph->source.load_attribute(graph->source.self, graph, column);
}

gemp_code gemp_graph_need_relation(gemp_graph *graph, size_t relation, unsigned parts)
{
	GEMP_CHECK(relation < graph->relation_count);
	if (parts & GEMP_PART_IN_EDGES)
		parts |= GEMP_PART_IN;
	parts &= ~graph->relations[relation].loaded;
	if (!parts)
		return GEMP_OK;
	if (!graph->source.load_relation)
		return no_source("relation ", graph->relations[relation].name);
	return graph->source.load_relation(graph->source.self, graph, relation, parts);
}

static gemp_code need_all(gemp_graph *graph, unsigned parts)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_graph_need_keys(graph));
	GEMP_TRY(gemp_graph_need_labels(graph));
	for (size_t c = 0; c < graph->attributes.count; c++)
		GEMP_TRY(gemp_graph_need_attribute(graph, c));
	for (size_t r = 0; r < graph->relation_count; r++)
		GEMP_TRY(gemp_graph_need_relation(graph, r, parts));
done:
	return code;
}

gemp_code gemp_graph_load(gemp_graph *graph)
{
	return need_all(graph, GEMP_PARTS);
}

gemp_code gemp_graph_need_all_once(gemp_graph *graph)
{
	return need_all(graph, GEMP_PART_OUT | GEMP_PART_PROPS);
}

gemp_type gemp_edge_attribute_type(const gemp_graph *graph, const char *name)
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
