/* Functions of nodes, relationships and paths. They read the graph through environment->graph. */

#include "cypher/function/function.h"

static const gemp_cypher_graph *graph_of(const gemp_cypher_call *call)
{
	return call->environment->graph;
}

static gemp_arena *arena_of(const gemp_cypher_call *call)
{
	return call->environment->arena;
}

/* The id of a node is the user's key; relationships have no key, so theirs is the number within the graph. */
static gemp_code id(const gemp_cypher_call *call, gemp_datum *out)
{
	const gemp_datum element = call->arguments[0];
	if (element.kind == GEMP_DATUM_NODE)
		return graph_of(call)->key(graph_of(call)->self, element.id, arena_of(call), out);
	*out = gemp_datum_integer((int64_t)element.id);
	return GEMP_OK;
}

/* The id as a string. */
static gemp_code element_id(const gemp_cypher_call *call, gemp_datum *out)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	gemp_datum key;
	GEMP_TRY(id(call, &key));
	GEMP_TRY(gemp_datum_text(key, &text));
	return gemp_datum_string(out, arena_of(call), text.data, text.size);
}

static gemp_code labels(const gemp_cypher_call *call, gemp_datum *out)
{
	return gemp_cypher_fail_at(
		call->environment, call->expr,
		graph_of(call)->labels(graph_of(call)->self, call->arguments[0].id, arena_of(call), out));
}

static gemp_code type(const gemp_cypher_call *call, gemp_datum *out)
{
	return graph_of(call)->type(graph_of(call)->self, call->arguments[0].id, arena_of(call), out);
}

static gemp_code properties(const gemp_cypher_call *call, gemp_datum *out)
{
	*out = call->arguments[0];
	if (out->kind == GEMP_DATUM_MAP)
		return GEMP_OK;
	return gemp_cypher_fail_at(
		call->environment, call->expr,
		graph_of(call)->properties(graph_of(call)->self, call->arguments[0], arena_of(call), out));
}

static gemp_code keys(const gemp_cypher_call *call, gemp_datum *out)
{
	gemp_datum map, *items;
	GEMP_TRY(properties(call, &map));
	GEMP_TRY(GEMP_ARENA_NEW(arena_of(call), items, map.size));
	for (size_t i = 0; i < map.size; i++)
		items[i] = (gemp_datum){ .kind = GEMP_DATUM_STRING,
			                     .size = (uint32_t)strlen(map.entries[i].key),
			                     .text = map.entries[i].key };
	return gemp_datum_list_of(out, items, map.size);
}

/* exists(n.name): the property is not NULL. check/ makes exists() of a pattern a predicate. */
static gemp_code exists(const gemp_cypher_call *call, gemp_datum *out)
{
	*out = gemp_datum_boolean(!gemp_datum_is_null(call->arguments[0]));
	return GEMP_OK;
}

static gemp_code end_of(const gemp_cypher_call *call, bool start, gemp_datum *out)
{
	uint64_t from, to;
	GEMP_TRY(graph_of(call)->ends(graph_of(call)->self, call->arguments[0].id, &from, &to));
	*out = (gemp_datum){ .kind = GEMP_DATUM_NODE, .id = start ? from : to };
	return GEMP_OK;
}

static gemp_code start_node(const gemp_cypher_call *call, gemp_datum *out)
{
	return end_of(call, true, out);
}

static gemp_code end_node(const gemp_cypher_call *call, gemp_datum *out)
{
	return end_of(call, false, out);
}

/* Every second element of a path, from `first` on. */
static gemp_code elements_of(const gemp_cypher_call *call, size_t first, gemp_datum *out)
{
	const gemp_datum path = call->arguments[0];
	size_t count = first == 0 ? (path.size + 1) / 2 : path.size / 2;
	gemp_datum *items;
	GEMP_TRY(GEMP_ARENA_NEW(arena_of(call), items, count));
	for (size_t i = 0; i < count; i++)
		items[i] = path.items[first + 2 * i];
	return gemp_datum_list_of(out, items, count);
}

static gemp_code nodes(const gemp_cypher_call *call, gemp_datum *out)
{
	return elements_of(call, 0, out);
}

static gemp_code relationships(const gemp_cypher_call *call, gemp_datum *out)
{
	return elements_of(call, 1, out);
}

static gemp_code length(const gemp_cypher_call *call, gemp_datum *out)
{
	*out = gemp_datum_integer(call->arguments[0].size / 2);
	return GEMP_OK;
}

enum {
	NODE = GEMP_CY_BIT(NODE),
	RELATIONSHIP = GEMP_CY_BIT(RELATIONSHIP),
	ELEMENT = NODE | RELATIONSHIP,
	PATH = GEMP_CY_BIT(PATH),
};

const gemp_cypher_function gemp_cypher_element_functions[] = {
	{ "id", 1, 1, false, id, { ELEMENT } },
	{ "elementId", 1, 1, false, element_id, { ELEMENT } },
	{ "labels", 1, 1, false, labels, { NODE } },
	{ "type", 1, 1, false, type, { RELATIONSHIP } },
	{ "properties", 1, 1, false, properties, { ELEMENT | GEMP_CY_BIT(MAP) } },
	{ "keys", 1, 1, false, keys, { ELEMENT | GEMP_CY_BIT(MAP) } },
	{ "exists", 1, 1, true, exists, { 0 } },
	{ "startNode", 1, 1, false, start_node, { RELATIONSHIP } },
	{ "endNode", 1, 1, false, end_node, { RELATIONSHIP } },
	{ "nodes", 1, 1, false, nodes, { PATH } },
	{ "relationships", 1, 1, false, relationships, { PATH } },
	{ "length", 1, 1, false, length, { PATH } },
	{ 0 },
};
