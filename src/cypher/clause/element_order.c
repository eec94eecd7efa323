#include "cypher/clause/element_order.h"

#include "core/memory.h"
#include "core/search.h"

#include <stdlib.h>

/* The distinct elements of one kind, ascending by id, and the place of each in the order of keys. */
typedef struct ranking {
	size_t count, capacity;
	uint64_t *ids; /* [count] */
	size_t *rank;  /* [count] */
} ranking;

typedef struct element_order {
	const gemp_cypher_engine *engine;
	ranking nodes, relationships;
	gemp_arena arena;
} element_order;

static void element_order_free(element_order *o)
{
	gemp_free_all(o->nodes.ids, o->nodes.rank, o->relationships.ids, o->relationships.rank);
	gemp_arena_free(&o->arena);
}

/* COLLECTING */

static gemp_code add_id(ranking *r, uint64_t id)
{
	GEMP_TRY(GEMP_RESERVE(r->ids, r->capacity, r->count + 1));
	r->ids[r->count++] = id;
	return GEMP_OK;
}

static gemp_code collect(void *self, const gemp_datum *element)
{
	element_order *o = self;
	return add_id(element->kind == GEMP_DATUM_NODE ? &o->nodes : &o->relationships, element->id);
}

static int compare_ids(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

static void make_distinct(ranking *r)
{
	size_t kept = 0;
	if (r->count)
		qsort(r->ids, r->count, sizeof *r->ids, compare_ids);
	for (size_t i = 0; i < r->count; i++)
		if (kept == 0 || r->ids[kept - 1] != r->ids[i])
			r->ids[kept++] = r->ids[i];
	r->count = kept;
}

/* The elements are loaded together before the first key is read. */
static gemp_code load(const element_order *o, const ranking *r, gemp_datum_kind kind)
{
	GEMP_OWNED_BY(gemp_cypher_table_free) gemp_cypher_table table = { .width = 1 };
	gemp_datum *cell;
	if (!o->engine->load)
		return GEMP_OK;
	for (size_t i = 0; i < r->count; i++) {
		GEMP_TRY(gemp_cypher_table_add(&table, &cell));
		*cell = (gemp_datum){ .kind = (uint8_t)kind, .id = r->ids[i] };
	}
	return o->engine->load(o->engine->search, &table);
}

static size_t rank_of(const ranking *r, uint64_t id)
{
	size_t at;
	GEMP_PARTITION_POINT(at, 0, r->count, r->ids[at] < id);
	return r->rank[at];
}

/* RANKING */

/* Sort keys of an element: of a node its key, or the rank of its key; of a relationship its type and the ranks of its
 * ends. */
typedef struct element_key {
	gemp_datum value;
	size_t from, to, index;
} element_key;

static int compare_keys(const void *a, const void *b)
{
	const element_key *x = a, *y = b;
	const int order = gemp_datum_order(x->value, y->value);
	if (order)
		return order;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static gemp_code read_key(element_order *o, bool node, uint64_t id, element_key *key)
{
	const gemp_cypher_graph *graph = o->engine->environment.graph;
	uint64_t from, to;
	if (node && graph->rank) {
		uint32_t place = 0;
		const gemp_code code = graph->rank(graph->self, id, &place);
		key->value = gemp_datum_integer(place);
		return code;
	}
	if (node)
		return graph->key(graph->self, id, &o->arena, &key->value);
	GEMP_TRY(graph->ends(graph->self, id, &from, &to));
	key->from = rank_of(&o->nodes, from);
	key->to = rank_of(&o->nodes, to);
	return graph->type(graph->self, id, &o->arena, &key->value);
}

static gemp_code rank(element_order *o, ranking *r)
{
	GEMP_OWNED element_key *keys = NULL;
	GEMP_TRY(GEMP_NEW(keys, r->count));
	GEMP_TRY(GEMP_NEW(r->rank, r->count + 1));
	for (size_t i = 0; i < r->count; i++) {
		keys[i].index = i;
		GEMP_TRY(read_key(o, r == &o->nodes, r->ids[i], &keys[i]));
	}
	if (r->count)
		qsort(keys, r->count, sizeof *keys, compare_keys);
	for (size_t i = 0; i < r->count; i++)
		r->rank[keys[i].index] = i;
	return GEMP_OK;
}

static gemp_code rank_all(element_order *o)
{
	const gemp_cypher_graph *graph = o->engine->environment.graph;
	make_distinct(&o->relationships);
	GEMP_TRY(load(o, &o->relationships, GEMP_DATUM_RELATIONSHIP));
	for (size_t i = 0; i < o->relationships.count; i++) {
		uint64_t from, to;
		GEMP_TRY(graph->ends(graph->self, o->relationships.ids[i], &from, &to));
		GEMP_TRY(add_id(&o->nodes, from));
		GEMP_TRY(add_id(&o->nodes, to));
	}
	make_distinct(&o->nodes);
	GEMP_TRY(load(o, &o->nodes, GEMP_DATUM_NODE));
	GEMP_TRY(rank(o, &o->nodes));
	return rank(o, &o->relationships);
}

/* REPLACING */

static gemp_code replace(const element_order *o, gemp_datum *value, gemp_arena *arena)
{
	gemp_datum *items;
	gemp_datum_entry *entries;
	switch (value->kind) {
	case GEMP_DATUM_NODE: value->id = rank_of(&o->nodes, value->id); return GEMP_OK;
	case GEMP_DATUM_RELATIONSHIP: value->id = rank_of(&o->relationships, value->id); return GEMP_OK;
	case GEMP_DATUM_LIST:
	case GEMP_DATUM_PATH:
		GEMP_TRY(GEMP_ARENA_NEW(arena, items, value->size));
		for (uint32_t i = 0; i < value->size; i++) {
			items[i] = value->items[i];
			GEMP_TRY(replace(o, &items[i], arena));
		}
		value->items = items;
		return GEMP_OK;
	case GEMP_DATUM_MAP:
		GEMP_TRY(GEMP_ARENA_NEW(arena, entries, value->size));
		for (uint32_t i = 0; i < value->size; i++) {
			entries[i] = value->entries[i];
			GEMP_TRY(replace(o, &entries[i].value, arena));
		}
		value->entries = entries;
		return GEMP_OK;
	default: return GEMP_OK;
	}
}

gemp_code gemp_cypher_order_elements(const gemp_cypher_engine *engine, gemp_datum *values, size_t count,
                                     gemp_arena *arena)
{
	GEMP_OWNED_BY(element_order_free) element_order o = { .engine = engine };
	for (size_t i = 0; i < count; i++)
		GEMP_TRY(gemp_datum_visit_elements(&values[i], collect, &o));
	if (!o.nodes.count && !o.relationships.count)
		return GEMP_OK;
	GEMP_TRY(rank_all(&o));
	for (size_t i = 0; i < count; i++)
		GEMP_TRY(replace(&o, &values[i], arena));
	return GEMP_OK;
}
