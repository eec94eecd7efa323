#include "cypher/search/store.h"

#include "core/memory.h"
#include "core/random.h"
#include "cypher/search/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EDGE_WORDS = 3, EDGE_KEY_WORDS = 2 };
/* Columns of vertices behind the attributes. */
enum { COLUMN_KEY, COLUMN_RANK, COLUMN_LABELS, COLUMN_KINDS };

gemp_code gemp_cypher_store_init(gemp_cypher_store *s, gemp_cypher_session *session)
{
	const gemp_shard *graph = session->graph;
	*s = (gemp_cypher_store){ .session = session };
	s->edge_count = gemp_shard_edges(graph);
	gemp_record_table_init(&s->edges, EDGE_WORDS, EDGE_KEY_WORDS, SIZE_MAX / 2);
	GEMP_TRY(GEMP_NEW(s->vertex_columns, graph->attributes.count + COLUMN_KINDS));
	GEMP_TRY(GEMP_NEW(s->first_edge_column, graph->relation_count));
	for (size_t k = 0; k < graph->relation_count; k++) {
		s->first_edge_column[k] = s->edge_column_count;
		s->edge_column_count += graph->relations[k].props.count;
	}
	return GEMP_NEW(s->edge_columns, s->edge_column_count);
}

void gemp_cypher_store_free(gemp_cypher_store *s)
{
	if (!s->session)
		return;
	for (size_t c = 0; s->vertex_columns && c < s->session->graph->attributes.count + COLUMN_KINDS; c++)
		gemp_free(s->vertex_columns[c].values);
	for (size_t c = 0; s->edge_columns && c < s->edge_column_count; c++)
		gemp_free(s->edge_columns[c].values);
	gemp_record_table_free(&s->edges);
	gemp_arena_free(&s->arena);
	gemp_free_all(s->vertices, s->vertex_place, s->vertex_columns, s->ends, s->first_edge_column, s->edge_columns);
	*s = (gemp_cypher_store){ 0 };
}

/* MEETING ELEMENTS */

bool gemp_cypher_store_has(const gemp_cypher_store *s, const gemp_datum *element)
{
	const gemp_shard *graph = s->session->graph;
	return element->id < (element->kind == GEMP_DATUM_NODE ? graph->vertex_count : s->edge_count);
}

gemp_code gemp_cypher_store_add_vertex(gemp_cypher_store *s, gemp_vertex vertex)
{
	GEMP_CHECK(vertex < s->session->graph->vertex_count);
	if (!s->vertex_place)
		GEMP_TRY(GEMP_NEW(s->vertex_place, s->session->graph->vertex_count));
	if (s->vertex_place[vertex])
		return GEMP_OK;
	GEMP_TRY(GEMP_RESERVE(s->vertices, s->vertex_capacity, s->vertex_count + 1));
	s->vertices[s->vertex_count++] = vertex;
	s->vertex_place[vertex] = (uint32_t)s->vertex_count;
	return GEMP_OK;
}

static gemp_code edge_number(gemp_cypher_store *s, gemp_edge edge, size_t *number)
{
	uint32_t record[EDGE_WORDS], *found;
	bool added;
	memcpy(record, &edge, sizeof edge);
	record[EDGE_KEY_WORDS] = (uint32_t)s->edges.count;
	GEMP_TRY(gemp_record_table_add(&s->edges, record, gemp_hash(&edge, sizeof edge, 0), &found, &added));
	if (!found)
		return gemp_fail(GEMP_ENOMEM, "a query reads more than 2^32 - 1 different relationships");
	*number = found[EDGE_KEY_WORDS];
	return GEMP_OK;
}

gemp_code gemp_cypher_store_add_edge(gemp_cypher_store *s, gemp_edge edge)
{
	size_t number = 0;
	return edge_number(s, edge, &number);
}

/* Elements that the query has created or deleted are not in the graph. */
static gemp_code add_element(void *self, const gemp_datum *element)
{
	const gemp_cypher_store *s = self;
	if (!gemp_cypher_store_has(s, element))
		return GEMP_OK;
	return element->kind == GEMP_DATUM_NODE ? gemp_cypher_store_add_vertex(self, (gemp_vertex)element->id)
	                                        : gemp_cypher_store_add_edge(self, element->id);
}

gemp_code gemp_cypher_store_add(gemp_cypher_store *s, const gemp_datum *value)
{
	return gemp_datum_visit_elements(value, add_element, s);
}

/* FETCHING VERTICES */

static int fetch_number(const gemp_cypher_store *s, size_t column)
{
	const size_t attributes = s->session->graph->attributes.count;
	if (column < attributes)
		return (int)column;
	return column == attributes + COLUMN_KEY    ? GEMP_FETCH_KEY
	       : column == attributes + COLUMN_RANK ? GEMP_FETCH_KEY_RANK
	                                            : GEMP_FETCH_LABEL_SET;
}

static gemp_code reserve_column(gemp_cypher_store_column *column, size_t count)
{
	return GEMP_RESERVE(column->values, column->capacity, count);
}

/* Copies fetched values, which are in the order of ids, to the numbers of their vertices. */
static gemp_code take_values(gemp_cypher_store *s, gemp_cypher_store_column *column, const gemp_vertex *found,
                             size_t count, const gemp_column *values)
{
	GEMP_TRY(reserve_column(column, s->vertex_count));
	for (size_t i = 0; i < count; i++) {
		const gemp_value value = gemp_column_get(values, i);
		GEMP_TRY(gemp_datum_of_value(&column->values[s->vertex_place[found[i]] - 1], &s->arena, &value));
	}
	column->filled = s->vertex_count;
	return GEMP_OK;
}

static gemp_code fill_vertices(gemp_cypher_store *s, size_t number)
{
	gemp_cypher_store_column *column = &s->vertex_columns[number];
	GEMP_OWNED gemp_vertex *found = NULL;
	size_t count = 0;
	gemp_column values = { 0 };
	GEMP_TRY(gemp_cypher_command_vertices(s->session, fetch_number(s, number), s->vertices + column->filled,
	                                      s->vertex_count - column->filled, &found, &count, &values));
	gemp_code code = take_values(s, column, found, count, &values);
	gemp_column_free(&values);
	return code;
}

static gemp_code vertex_value(gemp_cypher_store *s, size_t column, gemp_vertex vertex, gemp_datum *out)
{
	GEMP_TRY(gemp_cypher_store_add_vertex(s, vertex));
	const size_t place = s->vertex_place[vertex] - 1;
	if (place >= s->vertex_columns[column].filled)
		GEMP_TRY(fill_vertices(s, column));
	*out = s->vertex_columns[column].values[place];
	return GEMP_OK;
}

gemp_code gemp_cypher_store_key(gemp_cypher_store *s, gemp_vertex vertex, gemp_datum *key)
{
	return vertex_value(s, s->session->graph->attributes.count + COLUMN_KEY, vertex, key);
}

gemp_code gemp_cypher_store_rank(gemp_cypher_store *s, gemp_vertex vertex, uint32_t *rank)
{
	gemp_datum value;
	GEMP_TRY(vertex_value(s, s->session->graph->attributes.count + COLUMN_RANK, vertex, &value));
	*rank = (uint32_t)value.integer;
	return GEMP_OK;
}

/* All vertices with one label set share a list. */
static gemp_code list_labels(gemp_cypher_store *s)
{
	const gemp_shard *graph = s->session->graph;
	GEMP_TRY(GEMP_ARENA_NEW(&s->arena, s->label_lists, graph->label_set_count));
	for (size_t i = 0; i < graph->label_set_count; i++) {
		const gemp_label_set *set = &graph->label_sets[i];
		gemp_datum *items;
		GEMP_TRY(GEMP_ARENA_NEW(&s->arena, items, set->count));
		for (size_t j = 0; j < set->count; j++) {
			const char *name = graph->labels[set->labels[j]];
			GEMP_TRY(gemp_datum_string(&items[j], &s->arena, name, strlen(name)));
		}
		GEMP_TRY(gemp_datum_list(&s->label_lists[i], &s->arena, items, set->count));
	}
	return GEMP_OK;
}

gemp_code gemp_cypher_store_labels(gemp_cypher_store *s, gemp_vertex vertex, gemp_datum *list)
{
	gemp_datum set;
	GEMP_TRY(vertex_value(s, s->session->graph->attributes.count + COLUMN_LABELS, vertex, &set));
	if (!s->label_lists)
		GEMP_TRY(list_labels(s));
	*list = s->label_lists[set.integer];
	return GEMP_OK;
}

/* FETCHING EDGES */

static gemp_edge edge_at(const gemp_cypher_store *s, size_t number)
{
	gemp_edge edge;
	memcpy(&edge, gemp_record_table_record(&s->edges, number), sizeof edge);
	return edge;
}

/* Edges are numbered relation by relation. */
size_t gemp_cypher_store_relation(const gemp_cypher_store *s, gemp_edge edge)
{
	size_t k = 0;
	while (edge >= s->session->graph->relations[k].edge_count)
		edge -= s->session->graph->relations[k++].edge_count;
	return k;
}

/* The ends of an edge are met, too, so that their keys are fetched together. */
static gemp_code take_ends(gemp_cypher_store *s, const gemp_edge_values *values)
{
	GEMP_TRY(GEMP_RESERVE(s->ends, s->ends_capacity, s->edges.count));
	for (size_t i = 0; i < values->count; i++) {
		size_t number = 0;
		GEMP_TRY(edge_number(s, values->edges[i], &number));
		s->ends[number] = (gemp_cypher_ends){ values->ends[i].source, values->ends[i].target };
		GEMP_TRY(gemp_cypher_store_add_vertex(s, values->ends[i].source));
		GEMP_TRY(gemp_cypher_store_add_vertex(s, values->ends[i].target));
	}
	s->ends_filled = s->edges.count;
	return GEMP_OK;
}

static gemp_code fill_ends(gemp_cypher_store *s)
{
	GEMP_OWNED gemp_edge *edges = NULL;
	gemp_edge_values values = { 0 };
	const size_t count = s->edges.count - s->ends_filled;
	GEMP_TRY(GEMP_NEW(edges, count));
	for (size_t i = 0; i < count; i++)
		edges[i] = edge_at(s, s->ends_filled + i);
	GEMP_TRY(gemp_cypher_command_edges(s->session, 0, SIZE_MAX, edges, count, &values));
	gemp_code code = take_ends(s, &values);
	gemp_edge_values_free(&values);
	return code;
}

gemp_code gemp_cypher_store_ends(gemp_cypher_store *s, gemp_edge edge, gemp_cypher_ends *ends)
{
	size_t number = 0;
	GEMP_TRY(edge_number(s, edge, &number));
	if (number >= s->ends_filled)
		GEMP_TRY(fill_ends(s));
	*ends = s->ends[number];
	return GEMP_OK;
}

/* A fetch gives an attribute in one type for all relations: floats for numbers, otherwise strings. The value gets back
 * the type of its own relation. Integers beyond 2^53 in a relation beside one with floats are rounded. */
static gemp_value stored_value(gemp_value value, gemp_type type)
{
	char text[64];
	gemp_value own = { .type = type };
	if (value.null || value.type == type)
		return value;
	if (type == GEMP_LIST) {
		own.string = value.string;
		return own;
	}
	if (value.type == GEMP_FLOAT) {
		own.integer = (int64_t)value.real;
		return own;
	}
	snprintf(text, sizeof text, "%.*s", (int)value.string.size, value.string.bytes);
	if (type == GEMP_INTEGER)
		own.integer = strtoll(text, NULL, 10);
	else if (type == GEMP_FLOAT)
		own.real = strtod(text, NULL);
	else
		own.truth = strcmp(text, "true") == 0;
	return own;
}

static gemp_code take_edge_values(gemp_cypher_store *s, gemp_cypher_store_column *column, gemp_type type,
                                  const gemp_edge_values *values)
{
	GEMP_TRY(reserve_column(column, s->edges.count));
	for (size_t i = 0; i < values->count; i++) {
		size_t number = 0;
		GEMP_TRY(edge_number(s, values->edges[i], &number));
		const gemp_value value = stored_value(gemp_column_get(&values->columns[0], i), type);
		GEMP_TRY(gemp_datum_of_value(&column->values[number], &s->arena, &value));
	}
	column->filled = s->edges.count;
	return GEMP_OK;
}

/* Fetches the attribute for the edges of this relation only. */
static gemp_code fill_edges(gemp_cypher_store *s, size_t relation, size_t attribute)
{
	gemp_cypher_store_column *column = &s->edge_columns[s->first_edge_column[relation] + attribute];
	const gemp_type type = s->session->graph->relations[relation].props.columns[attribute].type;
	GEMP_OWNED gemp_edge *edges = NULL;
	gemp_edge_values values = { 0 };
	size_t count = 0;
	GEMP_TRY(GEMP_NEW(edges, s->edges.count - column->filled));
	for (size_t i = column->filled; i < s->edges.count; i++)
		if (gemp_cypher_store_relation(s, edge_at(s, i)) == relation)
			edges[count++] = edge_at(s, i);
	GEMP_TRY(gemp_cypher_command_edges(s->session, relation, attribute, edges, count, &values));
	gemp_code code = take_edge_values(s, column, type, &values);
	gemp_edge_values_free(&values);
	return code;
}

static gemp_code edge_value(gemp_cypher_store *s, size_t relation, size_t attribute, gemp_edge edge, gemp_datum *out)
{
	const size_t c = s->first_edge_column[relation] + attribute;
	size_t number = 0;
	GEMP_TRY(edge_number(s, edge, &number));
	if (number >= s->edge_columns[c].filled)
		GEMP_TRY(fill_edges(s, relation, attribute));
	*out = s->edge_columns[c].values[number];
	return GEMP_OK;
}

/* PROPERTIES */

static const gemp_table *table_of(const gemp_cypher_store *s, gemp_datum element, size_t *relation)
{
	const gemp_shard *graph = s->session->graph;
	if (element.kind == GEMP_DATUM_NODE)
		return &graph->attributes;
	*relation = gemp_cypher_store_relation(s, element.id);
	return &graph->relations[*relation].props;
}

static gemp_code value_of(gemp_cypher_store *s, gemp_datum element, size_t relation, size_t column, gemp_datum *out)
{
	return element.kind == GEMP_DATUM_NODE ? vertex_value(s, column, (gemp_vertex)element.id, out)
	                                       : edge_value(s, relation, column, element.id, out);
}

gemp_code gemp_cypher_store_property(gemp_cypher_store *s, gemp_datum element, const char *name, gemp_datum *out)
{
	size_t relation = 0;
	const gemp_table *table = table_of(s, element, &relation);
	const gemp_column *column = gemp_table_find(table, name);
	*out = gemp_datum_null();
	return column ? value_of(s, element, relation, (size_t)(column - table->columns), out) : GEMP_OK;
}

gemp_code gemp_cypher_store_properties(gemp_cypher_store *s, gemp_datum element, gemp_arena *arena, gemp_datum *map)
{
	size_t relation = 0, count = 0;
	gemp_datum_entry *entries;
	const gemp_table *table = table_of(s, element, &relation);
	GEMP_TRY(GEMP_ARENA_NEW(arena, entries, table->count));
	for (size_t c = 0; c < table->count; c++) {
		GEMP_TRY(value_of(s, element, relation, c, &entries[count].value));
		entries[count].key = gemp_arena_copy(arena, table->columns[c].name, strlen(table->columns[c].name));
		if (!entries[count].key)
			return GEMP_ENOMEM;
		count += !gemp_datum_is_null(entries[count].value);
	}
	return gemp_datum_map(map, arena, entries, count);
}
