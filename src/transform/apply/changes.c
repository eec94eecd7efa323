#include "transform/apply/changes.h"

#include "core/memory.h"
#include "core/pages.h"
#include "core/threads.h"
#include "graph/column_bulk.h"
#include "partition/patch/new_keys.h"
#include "partition/patch/patch.h"

#include <stdio.h>

/* KEYS OF NEW VERTICES */

/* Collective. The new keys follow the largest key of the graph. */
static gemp_code find_first_key(gemp_new_vertices *created, const gemp_comm *comm, const gemp_shard *graph,
                                uint64_t wanted)
{
	if (!wanted)
		return GEMP_OK;
	int64_t max_key = gemp_patch_max_key(comm, graph);
	if (wanted > (uint64_t)INT64_MAX - (uint64_t)max_key)
		return gemp_fail(GEMP_EDATA,
		                 "rule %s: no keys are left for new vertices above the largest, %lld; give the "
		                 "vertices smaller keys",
		                 created->rule->name, (long long)max_key);
	created->first = max_key + 1;
	return GEMP_OK;
}

/* The predicate of gemp_pick. */
static bool is_selected(const void *self, size_t row)
{
	return ((const uint8_t *)self)[row] != 0;
}

/* All threads scan the keys of this rank's vertices for the largest key. The number of a match determines how far above
 * it the keys of the match lie. */
gemp_code gemp_new_vertices_new(gemp_new_vertices *out, const gemp_comm *comm, gemp_shard *graph, const gemp_rule *rule,
                                const gemp_frame *frame, const uint8_t *selected, const uint64_t *number,
                                uint64_t applied)
{
	*out = (gemp_new_vertices){ .rule = rule, .frame = frame, .number = number };
	GEMP_TRY(gemp_shard_load_keys(graph));
	out->type = graph->keys.type;
	GEMP_TRY(find_first_key(out, comm, graph, applied * rule->created_vertices));
	return gemp_comm_agree(comm, gemp_pick(&out->rows, &out->count, frame->rows, is_selected, selected));
}

void gemp_new_vertices_free(gemp_new_vertices *created)
{
	gemp_free(created->rows);
	created->rows = NULL;
	gemp_elements_free(&created->elements);
}

/* Collective. Only the vertices of the frame are fetched, since edges and values have no keys. */
gemp_code gemp_new_vertices_fetch(gemp_new_vertices *created, gemp_runtime *context, gemp_shard *graph)
{
	const gemp_frame *frame = created->frame;
	GEMP_OWNED gemp_frame_column *columns = NULL; /* shallow copies */
	size_t count = 0;
	GEMP_TRY(gemp_comm_agree(context->comm, GEMP_NEW(columns, frame->count)));
	for (size_t c = 0; c < frame->count; c++)
		if (frame->columns[c].kind == GEMP_CELL_VERTEX)
			columns[count++] = frame->columns[c];
	return gemp_elements_fetch(&created->elements, context, graph, columns, count, frame->rows, false);
}

/* The key of a created vertex is first + number of its match * vertices that a match creates + index of the vertex in
 * the rule. */
gemp_value gemp_new_vertices_key(gemp_new_vertices *created, const gemp_rule_element *element, size_t row)
{
	if (!element->created)
		return gemp_elements_key(&created->elements, created->frame->columns[element->index].elements[row]);
	int64_t key = created->first + (int64_t)(created->number[row] * created->rule->created_vertices + element->index);
	if (created->type == GEMP_INTEGER)
		return (gemp_value){ .type = GEMP_INTEGER, .integer = key };
	int size = snprintf(created->text, sizeof created->text, "#%lld", (long long)key);
	return (gemp_value){ .type = GEMP_STRING, .string = { created->text, (size_t)size } };
}

/* UPDATES are sent to the owners of their elements */

/* One update that is being sent. */
typedef struct send_context {
	const gemp_comm *comm;
	const gemp_shard *graph;
	const gemp_edge_owners *edge_owners;
	const gemp_new_vertices *created;
	const gemp_update *u;
	gemp_change *change; /* the change of the update */
	/* [change->count] indices into created->rows of the matches that have the element; NULL: all matches have it */
	uint64_t *selected;
	uint64_t *rows; /* [change->count] rows of the frame */
	int *owner;     /* [change->count] owner of the element; NULL: there is only one rank */
} send_context;

static void free_send(send_context *s)
{
	gemp_free_all(s->selected, s->rows, s->owner);
}

/* A match may lack an element of OPTIONAL MATCH. The update then has no effect. */
static bool has_element(const void *self, size_t i)
{
	const send_context *s = self;
	return s->created->frame->columns[s->u->element.index].elements[s->created->rows[i]] != GEMP_NO_ELEMENT;
}

/* Returns the index into created->rows of the i-th match that has the element. */
static uint64_t match_at(const send_context *s, size_t i)
{
	return s->selected ? s->selected[i] : i;
}

/* Returns the vertex that receives the edges. A vertex that the same match creates has no id yet, so rank and number
 * name it. */
static uint64_t merge_target(const send_context *s, size_t i)
{
	const gemp_rule_element *to = &s->u->to;
	if (to->created)
		return gemp_patch_new_vertex(s->comm->rank, match_at(s, i) * s->created->rule->created_vertices + to->index);
	return s->created->frame->columns[to->index].elements[s->rows[i]];
}

/* Collects elements, owners and merge targets of the matches that have the element. */
static void collect_range(void *self, size_t range, size_t begin, size_t end)
{
	(void)range;
	const send_context *s = self;
	const uint64_t *elements = s->created->frame->columns[s->u->element.index].elements;
	for (size_t i = begin; i < end; i++) {
		uint64_t element = elements[s->rows[i] = s->created->rows[match_at(s, i)]];
		s->change->elements[i] = element;
		if (s->owner)
			s->owner[i] = s->u->element.edge ? gemp_edge_owner(s->edge_owners, element)
			                                 : gemp_shard_owner(s->graph, element);
		if (s->change->into)
			s->change->into[i] = merge_target(s, i);
	}
}

/* Local. Collects the elements that this rank's matches update, with their owners and values. */
static gemp_code collect(send_context *s)
{
	gemp_change *change = s->change;
	change->count = s->created->count;
	if (s->created->rule->pattern->optional_count)
		GEMP_TRY(gemp_pick(&s->selected, &change->count, s->created->count, has_element, s));
	GEMP_TRY(GEMP_NEW_UNSET(change->elements, change->count));
	GEMP_TRY(GEMP_NEW_UNSET(s->rows, change->count));
	if (s->comm->size > 1)
		GEMP_TRY(GEMP_NEW_UNSET(s->owner, change->count));
	if (s->u->kind == GEMP_MERGE)
		GEMP_TRY(GEMP_NEW_UNSET(change->into, change->count));
	gemp_for_ranges(change->count, collect_range, s);
	if (gemp_update_has_column(s->u))
		return gemp_column_gather(&change->values, &s->created->frame->columns[s->u->column].values, NULL, s->rows,
		                          change->count);
	return GEMP_OK;
}

/* Collective. Elements, merge targets and values are sent to the same owners, so they arrive in the same order. */
static gemp_code exchange(const send_context *s, gemp_code code)
{
	gemp_change *change = s->change;
	gemp_column values = { 0 };
	size_t count = change->count;
	if (s->comm->size == 1)
		return code;
	GEMP_TRY(gemp_records_move(s->comm, code, (void **)&change->elements, count, sizeof *change->elements, s->owner,
	                           &change->count));
	if (s->u->kind == GEMP_MERGE)
		GEMP_TRY(gemp_records_move(s->comm, GEMP_OK, (void **)&change->into, count, sizeof *change->into, s->owner,
		                           &change->count));
	if (!gemp_update_has_column(s->u))
		return GEMP_OK;
	GEMP_TRY(gemp_column_exchange(&values, s->comm, &change->values, s->owner));
	gemp_column_free(&change->values);
	change->values = values;
	return GEMP_OK;
}

/* Collective. Updates are sent one after the other, so the scratch arrays only need the size of one update. Updates of
 * created elements are not sent, since created elements belong to the rank of the match. */
gemp_code gemp_changes_send(gemp_changes *out, const gemp_comm *comm, const gemp_shard *graph,
                            const gemp_new_vertices *created)
{
	*out = (gemp_changes){ .rule = created->rule };
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(out->changes, out->rule->update_count)));
	GEMP_TRY(gemp_edge_owners_new(&out->edge_owners, comm, graph));
	for (size_t i = 0; i < out->rule->update_count; i++) {
		GEMP_OWNED_BY(free_send)
		send_context s = { .comm = comm,
			               .graph = graph,
			               .edge_owners = &out->edge_owners,
			               .created = created,
			               .u = &out->rule->updates[i],
			               .change = &out->changes[i] };
		if (!s.u->element.created)
			GEMP_TRY(exchange(&s, collect(&s)));
	}
	return GEMP_OK;
}

void gemp_changes_free(gemp_changes *changes)
{
	for (size_t i = 0; changes->changes && i < changes->rule->update_count; i++) {
		gemp_free_all(changes->changes[i].elements, changes->changes[i].into);
		gemp_column_free(&changes->changes[i].values);
	}
	gemp_free(changes->changes);
	gemp_edge_owners_free(&changes->edge_owners);
	*changes = (gemp_changes){ 0 };
}
