/* Selected matches send their updates to the owners of the elements; deleted vertices are then made known to all
 * ranks, which look for own edges to them. */

#include "transform/changelog/record_events.h"

#include "core/bitset.h"
#include "core/memory.h"
#include "core/search.h"
#include "partition/exchange/value_exchange.h"

#include <stdlib.h>
#include <string.h>

gemp_record_edge gemp_record_find_edge(const gemp_record_state *r, uint64_t number)
{
	size_t relation = gemp_edge_relation(&r->owners, number);
	size_t position = gemp_edge_local_index(&r->owners, number, r->graph->rank);
	size_t row = gemp_range_find(r->graph->relations[relation].out_offsets, r->graph->rows, position);
	return (gemp_record_edge){ .relation = (uint32_t)relation, .source = (uint32_t)row, .position = position };
}

/* The value is constant, or comes from the row of the match. */
static void pack_event(const gemp_record_state *r, size_t row, size_t update, uint64_t element, gemp_text *out)
{
	const gemp_update *u = &r->rule->updates[update];
	gemp_value value = { .null = true };
	if (u->kind == GEMP_SET_ATTRIBUTE)
		value = u->constant ? u->literal : gemp_frame_value(&r->created->frame->columns[u->column], row);
	else if (u->kind == GEMP_MERGE)
		value = gemp_new_vertices_key(r->created, &u->to, row);
	gemp_pack_number(out, r->created->number[row]);
	gemp_pack_number(out, element);
	gemp_pack_number(out, update);
	gemp_pack_value(out, &value);
}

/* texts[ranks] */
static gemp_code pack(const gemp_record_state *r, gemp_text *texts)
{
	gemp_code code = GEMP_OK;
	for (size_t row = 0; row < r->created->frame->rows; row++)
		for (size_t i = 0; i < r->rule->update_count && r->selected[row]; i++) {
			const gemp_rule_element *about = &r->rule->updates[i].element;
			if (about->created)
				continue;
			uint64_t element = r->created->frame->columns[about->index].elements[row];
			if (element == GEMP_NO_ELEMENT)
				continue;
			int owner = about->edge ? gemp_edge_owner(&r->owners, element) : gemp_shard_owner(r->graph, element);
			pack_event(r, row, i, element, &texts[owner]);
		}
	for (int rank = 0; rank < r->context->comm->size && code == GEMP_OK; rank++)
		code = gemp_text_status(&texts[rank]);
	return code;
}

/* Events of one element are neighbours, in the order of the updates. */
static int compare_events(const void *a, const void *b, void *self)
{
	const gemp_record_event *x = a, *y = b;
	const gemp_rule *rule = self;
	bool edge = rule->updates[x->update].element.edge;
	if (edge != rule->updates[y->update].element.edge)
		return edge ? 1 : -1;
	if (x->element != y->element)
		return x->element < y->element ? -1 : 1;
	if (x->update != y->update)
		return x->update < y->update ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Events are sorted by element, so that lines find theirs by binary search. */
static gemp_code unpack(gemp_record_state *r, size_t size)
{
	size_t capacity = 0;
	for (const char *at = r->received, *end = at + size; at < end;) {
		GEMP_TRY(GEMP_RESERVE(r->events, capacity, r->event_count + 1));
		gemp_record_event *event = &r->events[r->event_count++];
		event->number = gemp_unpack_number(&at);
		event->element = gemp_unpack_number(&at);
		event->update = (uint32_t)gemp_unpack_number(&at);
		event->value = gemp_unpack_value(&at);
	}
	if (r->event_count)
		qsort_r(r->events, r->event_count, sizeof *r->events, compare_events, (void *)(uintptr_t)r->rule);
	return GEMP_OK;
}

/* Collective. Owners of elements get the updates of the selected matches, and list the edges that vanish with deleted vertices. */
gemp_code gemp_record_events(gemp_record_state *r)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = r->context->comm;
	gemp_text *texts = NULL;
	size_t size = 0;
	GEMP_TRY_DONE(gemp_edge_owners_new(&r->owners, comm, r->graph));
	code = GEMP_NEW(texts, (size_t)comm->size);
	GEMP_THEN(pack(r, texts));
	GEMP_TRY_DONE(gemp_exchange_texts(comm, code, texts, &r->received, &size));
	code = gemp_comm_agree(comm, unpack(r, size));
done:
	for (int i = 0; texts && i < comm->size; i++)
		gemp_text_free(&texts[i]);
	gemp_free(texts);
	return code;
}

/* Events are in the order of the kind of their element (vertices first), then of its number. */
static bool event_is_before(const gemp_record_state *r, const gemp_record_event *event, bool edge, uint64_t element)
{
	bool kind = r->rule->updates[event->update].element.edge;
	return kind != edge ? kind < edge : event->element < element;
}

const gemp_record_event *gemp_record_find_events(const gemp_record_state *r, bool edge, uint64_t element,
                                                 const gemp_record_event **end)
{
	size_t low;
	GEMP_PARTITION_POINT(low, 0, r->event_count, event_is_before(r, &r->events[low], edge, element));
	size_t last = low;
	while (last < r->event_count && r->events[last].element == element &&
	       r->rule->updates[r->events[last].update].element.edge == edge)
		last++;
	*end = r->events + last;
	return r->events + low;
}

/* EDGES that vanish with the vertices that a step deletes or merges. */

static bool deletes_edges(const gemp_rule *rule)
{
	for (size_t i = 0; i < rule->update_count; i++)
		if (rule->updates[i].kind == GEMP_MERGE || (rule->updates[i].kind == GEMP_DELETE && rule->updates[i].detach))
			return true;
	return false;
}

/* By id, for binary search. */
static int compare_deleted(const void *a, const void *b)
{
	const gemp_record_deleted *x = a, *y = b;
	return (x->id > y->id) - (x->id < y->id);
}

/* Sorted by id, so that edges look up their ends. */
static gemp_code unpack_deleted(gemp_record_state *r, size_t size)
{
	size_t capacity = 0;
	for (const char *at = r->deleted_bytes, *end = at + size; at < end;) {
		GEMP_TRY(GEMP_RESERVE(r->deleted, capacity, r->deleted_count + 1));
		gemp_record_deleted *deleted = &r->deleted[r->deleted_count++];
		deleted->id = gemp_unpack_number(&at);
		deleted->number = gemp_unpack_number(&at);
		deleted->into = gemp_unpack_value(&at);
	}
	if (r->deleted_count)
		qsort(r->deleted, r->deleted_count, sizeof *r->deleted, compare_deleted);
	return GEMP_OK;
}

/* Collective. Every rank learns all deleted and merged vertices, since any rank may own edges to them. */
static gemp_code gather_deleted(gemp_record_state *r)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text own = { 0 };
	GEMP_OWNED size_t *begin = NULL;
	for (size_t i = 0; i < r->event_count; i++) {
		const gemp_update *u = &r->rule->updates[r->events[i].update];
		if (u->element.edge || (u->kind != GEMP_DELETE && u->kind != GEMP_MERGE))
			continue;
		gemp_pack_number(&own, r->events[i].element);
		gemp_pack_number(&own, r->events[i].number);
		gemp_pack_value(&own, &r->events[i].value);
	}
	gemp_code code = gemp_text_status(&own);
	GEMP_TRY(gemp_comm_allgather(r->context->comm, code, own.data, own.size, &r->deleted_bytes, &begin));
	return gemp_comm_agree(r->context->comm, unpack_deleted(r, begin[r->context->comm->size]));
}

const gemp_record_deleted *gemp_record_find_deleted(const gemp_record_state *r, uint64_t id)
{
	const gemp_record_deleted key = { .id = id };
	return r->deleted_count ? bsearch(&key, r->deleted, r->deleted_count, sizeof key, compare_deleted) : NULL;
}

static bool deleted_by_itself(const gemp_record_state *r, uint64_t edge)
{
	const gemp_record_event *end, *event = gemp_record_find_events(r, true, edge, &end);
	for (; event < end; event++)
		if (r->rule->updates[event->update].kind == GEMP_DELETE)
			return true;
	return false;
}

/* An edge that the rule deletes by name has a line of its own already. */
static gemp_code find_edges_of(gemp_record_state *r, size_t k, const uint64_t *bits)
{
	const gemp_relation *relation = &r->graph->relations[k];
	for (size_t v = 0; v < r->graph->rows; v++) {
		bool goes = gemp_bits64_test(bits, r->graph->first_vertex + v);
		for (uint64_t at = relation->out_offsets[v]; at < relation->out_offsets[v + 1]; at++) {
			if (!goes && !gemp_bits64_test(bits, relation->out_targets[at]))
				continue;
			if (deleted_by_itself(r, r->owners.relation_offset[k] + relation->first_edge + at))
				continue;
			GEMP_TRY(GEMP_RESERVE(r->edges, r->edge_capacity, r->edge_count + 1));
			r->edges[r->edge_count++] = (gemp_record_edge){ (uint32_t)k, (uint32_t)v, at };
		}
	}
	return GEMP_OK;
}

/* A bitmap of all deleted vertices makes the pass over the edges cheap. */
static gemp_code find_edges(gemp_record_state *r)
{
	GEMP_OWNED uint64_t *bits = NULL;
	GEMP_TRY(GEMP_NEW(bits, (size_t)(r->graph->vertex_count / 64 + 1)));
	for (size_t i = 0; i < r->deleted_count; i++)
		gemp_bits64_set(bits, r->deleted[i].id);
	for (size_t k = 0; k < r->graph->relation_count; k++)
		GEMP_TRY(find_edges_of(r, k, bits));
	return GEMP_OK;
}

gemp_code gemp_record_implied(gemp_record_state *r)
{
	if (!deletes_edges(r->rule))
		return GEMP_OK;
	GEMP_TRY(gather_deleted(r));
	return gemp_comm_agree(r->context->comm, find_edges(r));
}
