#include "cypher/search/elements.h"

#include "cypher/search/state.h"

#include <string.h>

static gemp_cypher_store *store_of(void *self)
{
	struct gemp_cypher_search *search = self;
	return &search->store;
}

static gemp_code labels(void *self, uint64_t node, gemp_arena *arena, gemp_datum *list)
{
	(void)arena;
	return gemp_cypher_store_labels(store_of(self), (gemp_vertex)node, list);
}

static gemp_code property(void *self, gemp_datum element, const char *name, gemp_arena *arena, gemp_datum *out)
{
	(void)arena;
	return gemp_cypher_store_property(store_of(self), element, name, out);
}

static gemp_code properties(void *self, gemp_datum element, gemp_arena *arena, gemp_datum *map)
{
	return gemp_cypher_store_properties(store_of(self), element, arena, map);
}

static const char *type_name(void *self, uint64_t relationship)
{
	const struct gemp_cypher_search *search = self;
	return search->session.graph->relations[gemp_cypher_store_relation(&search->store, relationship)].name;
}

static gemp_code type(void *self, uint64_t relationship, gemp_arena *arena, gemp_datum *string)
{
	const char *name = type_name(self, relationship);
	(void)arena;
	*string = (gemp_datum){ .kind = GEMP_DATUM_STRING, .size = (uint32_t)strlen(name), .text = name };
	return GEMP_OK;
}

static gemp_code ends(void *self, uint64_t relationship, uint64_t *from, uint64_t *to)
{
	gemp_cypher_ends both;
	GEMP_TRY(gemp_cypher_store_ends(store_of(self), relationship, &both));
	*from = both.source;
	*to = both.target;
	return GEMP_OK;
}

static gemp_code key(void *self, uint64_t node, gemp_arena *arena, gemp_datum *out)
{
	(void)arena;
	return gemp_cypher_store_key(store_of(self), (gemp_vertex)node, out);
}

static gemp_code rank(void *self, uint64_t node, uint32_t *out)
{
	return gemp_cypher_store_rank(store_of(self), (gemp_vertex)node, out);
}

/* A key is an integer or a string. */
static gemp_code key_value(void *self, uint64_t node, gemp_value *out)
{
	struct gemp_cypher_search *search = self;
	gemp_datum value;
	GEMP_TRY(search->graph->key(search->graph->self, node, &search->store.arena, &value));
	if (value.kind == GEMP_DATUM_INTEGER)
		*out = (gemp_value){ .type = GEMP_INTEGER, .integer = value.integer };
	else
		*out = (gemp_value){ .type = GEMP_STRING, .string = { value.text, value.size } };
	return GEMP_OK;
}

static gemp_code write_node(void *self, uint64_t id, gemp_text *out)
{
	gemp_value value;
	GEMP_TRY(key_value(self, id, &value));
	gemp_json_value(out, &value);
	return gemp_text_status(out);
}

static gemp_code write_relationship(void *self, uint64_t id, gemp_text *out)
{
	struct gemp_cypher_search *search = self;
	uint64_t from, to;
	gemp_datum name;
	gemp_value source, target, kind = { .type = GEMP_STRING };
	GEMP_TRY(search->graph->ends(search->graph->self, id, &from, &to));
	GEMP_TRY(key_value(self, from, &source));
	GEMP_TRY(key_value(self, to, &target));
	GEMP_TRY(search->graph->type(search->graph->self, id, &search->store.arena, &name));
	kind.string = (gemp_string){ name.text, name.size };
	gemp_json_edge(out, &kind, &source, &target);
	return gemp_text_status(out);
}

void gemp_cypher_elements_init(struct gemp_cypher_search *search)
{
	search->elements = (gemp_cypher_graph){ .self = search,
		                                    .labels = labels,
		                                    .property = property,
		                                    .properties = properties,
		                                    .type = type,
		                                    .ends = ends,
		                                    .key = key,
		                                    .rank = rank };
	search->graph = &search->elements;
	search->writer = (gemp_datum_writer){ .self = search, .node = write_node, .relationship = write_relationship };
}
