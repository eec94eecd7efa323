#include "transform/apply/changes.h"

#include "core/memory.h"
#include "core/threads.h"
#include "graph/column_bulk.h"
#include "partition/exchange/value_exchange.h"
#include "partition/patch/patch.h"

#include <string.h>

/* One update at a time: arrays are freed before the next. */
typedef struct send_context {
	const gemp_comm *comm;
	const gemp_shard *graph;
	gemp_changes *out;
	const gemp_new_vertices *created;
	const gemp_update *u;
	gemp_change *change; /* of the update */
	uint64_t *selected;  /* [change->count] places in fresh->rows: matches that have the element */
	uint64_t *rows;      /* [change->count] of the frame */
	int *owner;          /* [change->count] */
} send_context;

/* Optional elements may be missing from a match. */
static bool has_element(const void *self, size_t i)
{
	const send_context *s = self;
	return s->created->frame->columns[s->u->element.index].elements[s->created->rows[i]] != GEMP_NO_ELEMENT;
}

/* The vertex that receives the edges; one that the same match creates has no id yet and is named by rank and
 * number. */
static uint64_t merge_target(const send_context *s, size_t i)
{
	const gemp_rule_element *to = &s->u->to;
	if (to->created)
		return gemp_patch_new_vertex(s->comm->rank, s->selected[i] * s->created->rule->created_vertices + to->index);
	return s->created->frame->columns[to->index].elements[s->rows[i]];
}

/* Elements, owners and merge targets of the matches that have the element. */
static void collect_range(void *self, size_t range, size_t begin, size_t end)
{
	(void)range;
	const send_context *s = self;
	const uint64_t *elements = s->created->frame->columns[s->u->element.index].elements;
	for (size_t i = begin; i < end; i++) {
		uint64_t element = elements[s->rows[i] = s->created->rows[s->selected[i]]];
		s->change->elements[i] = element;
		if (s->owner)
			s->owner[i] = s->u->element.edge ? gemp_edge_owner(&s->out->places, element)
			                                 : gemp_shard_owner(s->graph, element);
		if (s->change->into)
			s->change->into[i] = merge_target(s, i);
	}
}

/* Local. What this rank's matches have to say. */
static gemp_code collect(send_context *s)
{
	gemp_change *change = s->change;
	GEMP_PROPAGATE(gemp_pick(&s->selected, &change->count, s->created->count, has_element, s));
	GEMP_PROPAGATE(gemp_new_all(GEMP_ARRAY(change->elements, change->count), GEMP_ARRAY(s->rows, change->count)));
	if (s->comm->size > 1)
		GEMP_PROPAGATE(GEMP_NEW(s->owner, change->count));
	if (s->u->kind == GEMP_MERGE)
		GEMP_PROPAGATE(GEMP_NEW(change->into, change->count));
	gemp_for_ranges(change->count, collect_range, s);
	if (gemp_update_has_column(s->u))
		return gemp_column_gather(&change->values, &s->created->frame->columns[s->u->column].values, NULL, s->rows,
		                          change->count);
	return GEMP_OK;
}

/* Collective. *numbers, in the order of this rank's matches, become those of this rank's own elements. */
static gemp_code send_numbers(const send_context *s, uint64_t **numbers, size_t count, size_t *came)
{
	void *received = NULL;
	GEMP_OWNED size_t *from = NULL;
	GEMP_PROPAGATE(
		gemp_exchange_records(s->comm, GEMP_OK, *numbers, count, sizeof **numbers, s->owner, &received, &from, NULL));
	gemp_free(*numbers);
	*numbers = received;
	*came = from[s->comm->size];
	return GEMP_OK;
}

/* Collective. Elements, merge targets and values travel by the same owners, so they arrive in the same order. */
static gemp_code exchange(send_context *s)
{
	gemp_change *change = s->change;
	gemp_column values = { 0 };
	size_t count = change->count;
	if (s->comm->size == 1)
		return GEMP_OK;
	GEMP_PROPAGATE(send_numbers(s, &change->elements, count, &change->count));
	if (s->u->kind == GEMP_MERGE)
		GEMP_PROPAGATE(send_numbers(s, &change->into, count, &change->count));
	if (!gemp_update_has_column(s->u))
		return GEMP_OK;
	GEMP_PROPAGATE(gemp_column_exchange(&values, s->comm, &change->values, s->owner));
	gemp_column_free(&change->values);
	change->values = values;
	return GEMP_OK;
}

/* Collective. Updates are sent one by one, which bounds the memory to that of one update. */
static gemp_code send_update(send_context *s, size_t index)
{
	gemp_code code = GEMP_OK;
	s->u = &s->out->rule->updates[index];
	s->change = &s->out->changes[index];
	GEMP_TRY(gemp_comm_agree(s->comm, collect(s)));
	code = exchange(s);
done:
	gemp_free_all(s->selected, s->rows, s->owner);
	s->selected = s->rows = NULL;
	s->owner = NULL;
	return code;
}

gemp_code gemp_changes_send(gemp_changes *out, const gemp_comm *comm, const gemp_shard *graph,
                            const gemp_new_vertices *created)
{
	gemp_code code = GEMP_OK;
	send_context s = { .comm = comm, .graph = graph, .out = out, .created = created };
	*out = (gemp_changes){ .rule = created->rule };
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(out->changes, out->rule->update_count)));
	GEMP_TRY(gemp_edge_owners_new(&out->places, comm, graph));
	for (size_t i = 0; i < out->rule->update_count; i++)
		if (!out->rule->updates[i].element.created)
			GEMP_TRY(send_update(&s, i));
done:
	if (code != GEMP_OK)
		gemp_changes_free(out);
	return code;
}

void gemp_changes_free(gemp_changes *changes)
{
	for (size_t i = 0; changes->changes && i < changes->rule->update_count; i++) {
		gemp_free_all(changes->changes[i].elements, changes->changes[i].into);
		gemp_column_free(&changes->changes[i].values);
	}
	gemp_free(changes->changes);
	gemp_edge_owners_free(&changes->places);
	*changes = (gemp_changes){ 0 };
}
