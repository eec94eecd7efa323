#include "cypher/change/apply.h"

#include "core/memory.h"
#include "core/search.h"

#include <stdlib.h>
#include <string.h>

static void free_ids(gemp_cypher_element_ids *ids)
{
	gemp_free_all(ids->old, ids->new);
	*ids = (gemp_cypher_element_ids){ 0 };
}

void gemp_cypher_row_ids_free(gemp_cypher_row_ids *ids)
{
	free_ids(&ids->nodes);
	free_ids(&ids->relationships);
}

/* COLLECTING */

static gemp_code collect(void *self, const gemp_datum *element)
{
	gemp_cypher_row_ids *ids = self;
	gemp_cypher_element_ids *all = element->kind == GEMP_DATUM_NODE ? &ids->nodes : &ids->relationships;
	if (gemp_cypher_is_ghost(element->id) || (all->count && all->old[all->count - 1] == element->id))
		return GEMP_OK;
	GEMP_TRY(GEMP_RESERVE(all->old, all->capacity, all->count + 1));
	all->old[all->count++] = element->id;
	return GEMP_OK;
}

static int compare_ids(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

static gemp_code make_distinct(gemp_cypher_element_ids *all)
{
	size_t kept = 0;
	if (all->count)
		qsort(all->old, all->count, sizeof *all->old, compare_ids);
	for (size_t i = 0; i < all->count; i++)
		if (kept == 0 || all->old[kept - 1] != all->old[i])
			all->old[kept++] = all->old[i];
	all->count = kept;
	return GEMP_NEW(all->new, kept);
}

/* GHOSTS */

static gemp_code add_ghost(gemp_cypher_change *change, const gemp_cypher_ghost *ghost, uint64_t *id)
{
	GEMP_TRY(GEMP_RESERVE(change->ghosts, change->ghost_capacity, change->ghost_count + 1));
	change->ghosts[change->ghost_count] = *ghost;
	*id = GEMP_CY_GHOST | change->ghost_count++;
	return GEMP_OK;
}

static bool is_deleted(gemp_cypher_change *change, gemp_datum_kind kind, uint64_t id)
{
	const gemp_cypher_record *record = gemp_cypher_change_find(change, (gemp_datum){ .kind = (uint8_t)kind, .id = id });
	return record && record->deleted;
}

static gemp_code make_node_ghosts(gemp_cypher_change *change, gemp_cypher_element_ids *all)
{
	const gemp_cypher_graph *graph = &change->graph;
	for (size_t i = 0; i < all->count; i++) {
		gemp_cypher_ghost ghost = { 0 };
		gemp_datum key;
		if (!is_deleted(change, GEMP_DATUM_NODE, all->old[i]))
			continue;
		GEMP_TRY(graph->key(graph->self, all->old[i], &change->arena, &key));
		GEMP_TRY(gemp_datum_copy(&ghost.name, &change->arena, key));
		GEMP_TRY(add_ghost(change, &ghost, &all->new[i]));
	}
	return GEMP_OK;
}

/* A relationship ends with its nodes, too. The ends of a ghost are nodes of the rows or of the graph before the patch,
 * which gemp_cypher_change_apply renames. */
static gemp_code make_relationship_ghosts(gemp_cypher_change *change, gemp_cypher_element_ids *all)
{
	const gemp_cypher_graph *graph = &change->graph;
	for (size_t i = 0; i < all->count; i++) {
		gemp_cypher_ghost ghost = { .relationship = true };
		GEMP_TRY(graph->ends(graph->self, all->old[i], &ghost.from, &ghost.to));
		if (!is_deleted(change, GEMP_DATUM_RELATIONSHIP, all->old[i]) &&
		    !is_deleted(change, GEMP_DATUM_NODE, ghost.from) && !is_deleted(change, GEMP_DATUM_NODE, ghost.to))
			continue;
		GEMP_TRY(graph->type(graph->self, all->old[i], &change->arena, &ghost.name));
		GEMP_TRY(add_ghost(change, &ghost, &all->new[i]));
	}
	return GEMP_OK;
}

/* The ends of relationships that will be ghosts are listed among the nodes, so that they are found after the patch. */
static gemp_code collect_ends(gemp_cypher_change *change, gemp_cypher_row_ids *ids)
{
	const gemp_cypher_graph *graph = &change->graph;
	for (size_t i = 0; i < ids->relationships.count; i++) {
		gemp_datum from = { .kind = GEMP_DATUM_NODE }, to = from;
		GEMP_TRY(graph->ends(graph->self, ids->relationships.old[i], &from.id, &to.id));
		GEMP_TRY(collect(ids, &from));
		GEMP_TRY(collect(ids, &to));
	}
	return GEMP_OK;
}

/* Ghosts of earlier patches, too, have ends in the graph. */
static gemp_code collect_ghost_ends(const gemp_cypher_change *change, gemp_cypher_row_ids *ids)
{
	for (size_t i = 0; i < change->ghost_count; i++) {
		const gemp_datum from = { .kind = GEMP_DATUM_NODE, .id = change->ghosts[i].from };
		const gemp_datum to = { .kind = GEMP_DATUM_NODE, .id = change->ghosts[i].to };
		if (!change->ghosts[i].relationship)
			continue;
		GEMP_TRY(collect(ids, &from));
		GEMP_TRY(collect(ids, &to));
	}
	return GEMP_OK;
}

static bool deletes(const gemp_cypher_change *change)
{
	for (size_t i = 0; i < change->nodes.count; i++)
		if (change->nodes.records[i].deleted)
			return true;
	for (size_t i = 0; i < change->relationships.count; i++)
		if (change->relationships.records[i].deleted)
			return true;
	return false;
}

gemp_code gemp_cypher_row_ids_new(gemp_cypher_row_ids *ids, gemp_cypher_change *change,
                                  const gemp_cypher_live_table *tables)
{
	const bool some = deletes(change);
	for (; tables; tables = tables->outer)
		for (size_t i = 0; i < tables->table->rows * tables->table->width; i++)
			GEMP_TRY(gemp_datum_visit_elements(&tables->table->cells[i], collect, ids));
	GEMP_TRY(make_distinct(&ids->relationships));
	if (some)
		GEMP_TRY(collect_ends(change, ids));
	GEMP_TRY(collect_ghost_ends(change, ids));
	GEMP_TRY(make_distinct(&ids->nodes));
	if (!some)
		return GEMP_OK;
	GEMP_TRY(make_node_ghosts(change, &ids->nodes));
	return make_relationship_ghosts(change, &ids->relationships);
}

/* REPLACING */

static uint64_t new_id(const gemp_cypher_element_ids *all, uint64_t old)
{
	size_t at;
	if (gemp_cypher_is_ghost(old))
		return old;
	GEMP_PARTITION_POINT(at, 0, all->count, all->old[at] < old);
	return all->new[at];
}

static gemp_code stop_at_element(void *self, const gemp_datum *element)
{
	(void)element;
	*(bool *)self = true;
	return GEMP_OK;
}

/* Lists and maps with elements are copied, as other rows may share them. Rows often share the list of the row before
 * (*last), which then is copied once. */
typedef struct replacement {
	const gemp_cypher_row_ids *ids;
	gemp_arena *arena;
	gemp_datum last, last_new;
} replacement;

static gemp_code replace(const replacement *r, gemp_datum *value)
{
	gemp_datum *items;
	gemp_datum_entry *entries;
	switch (value->kind) {
	case GEMP_DATUM_NODE: value->id = new_id(&r->ids->nodes, value->id); return GEMP_OK;
	case GEMP_DATUM_RELATIONSHIP: value->id = new_id(&r->ids->relationships, value->id); return GEMP_OK;
	case GEMP_DATUM_LIST:
	case GEMP_DATUM_PATH:
		GEMP_TRY(GEMP_ARENA_NEW(r->arena, items, value->size));
		for (uint32_t i = 0; i < value->size; i++) {
			items[i] = value->items[i];
			GEMP_TRY(replace(r, &items[i]));
		}
		value->items = items;
		return GEMP_OK;
	case GEMP_DATUM_MAP:
		GEMP_TRY(GEMP_ARENA_NEW(r->arena, entries, value->size));
		for (uint32_t i = 0; i < value->size; i++) {
			entries[i] = value->entries[i];
			GEMP_TRY(replace(r, &entries[i].value));
		}
		value->entries = entries;
		return GEMP_OK;
	default: return GEMP_OK;
	}
}

static gemp_code replace_cell(replacement *r, gemp_datum *cell)
{
	bool some = false;
	if (cell->kind == GEMP_DATUM_NODE || cell->kind == GEMP_DATUM_RELATIONSHIP)
		return replace(r, cell);
	if (cell->kind != GEMP_DATUM_LIST && cell->kind != GEMP_DATUM_PATH && cell->kind != GEMP_DATUM_MAP)
		return GEMP_OK;
	if (cell->kind == r->last.kind && cell->items == r->last.items && cell->size == r->last.size) {
		*cell = r->last_new;
		return GEMP_OK;
	}
	r->last = *cell;
	GEMP_TRY(gemp_datum_visit_elements(cell, stop_at_element, &some));
	if (some)
		GEMP_TRY(replace(r, cell));
	r->last_new = *cell;
	return GEMP_OK;
}

gemp_code gemp_cypher_row_ids_replace(const gemp_cypher_row_ids *ids, const gemp_cypher_live_table *tables)
{
	for (; tables; tables = tables->outer) {
		replacement r = { .ids = ids, .arena = &tables->table->arena };
		for (size_t i = 0; i < tables->table->rows * tables->table->width; i++)
			GEMP_TRY(replace_cell(&r, &tables->table->cells[i]));
	}
	return GEMP_OK;
}
