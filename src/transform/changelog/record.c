/* A step needs three exchanges. First, selected matches send their updates to the owners of the elements. Second, all
 * ranks get the deleted and merged vertices, and each rank looks for its own edges to them. Third, in each round the
 * lines are sent to the ranks that write them. */

#include "transform/changelog/record.h"

#include "core/bitset.h"
#include "core/memory.h"
#include "graph/column.h"
#include "match/filter/element_values.h"
#include "transform/changelog/record_lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The minimal number of matches in a round, and the maximal number of rounds in a step. Small steps have one round.
 * Large steps need memory for a 32nd of their lines. */
enum { MIN_MATCHES_PER_ROUND = 1 << 14, MAX_ROUNDS = 32 };

/* ATTRIBUTES */

gemp_code gemp_recorder_add_attribute(gemp_recorder *recorder, const char *name, gemp_type type)
{
	gemp_column *known = gemp_table_find(&recorder->seen, name);
	if (!known)
		return gemp_table_add(&recorder->seen, name, type, NULL);
	if (known->type == GEMP_INTEGER && type == GEMP_FLOAT)
		known->type = GEMP_FLOAT;
	return GEMP_OK;
}

void gemp_recorder_free(gemp_recorder *recorder)
{
	gemp_table_free(&recorder->seen);
}

/* Lists the attributes of edges, including those that the rule adds, since the foot of the log lists all attributes
 * that ever existed. */
static gemp_code add_attributes(gemp_recorder *recorder, const gemp_record_state *r)
{
	for (size_t k = 0; k < r->graph->relation_count; k++) {
		const gemp_table *props = &r->graph->relations[k].props;
		for (size_t c = 0; c < props->count; c++)
			GEMP_TRY(gemp_recorder_add_attribute(recorder, props->columns[c].name, props->columns[c].type));
	}
	for (size_t i = 0; i < r->rule->update_count; i++) {
		const gemp_update *u = &r->rule->updates[i];
		if (u->kind == GEMP_SET_ATTRIBUTE && u->element.edge)
			GEMP_TRY(gemp_recorder_add_attribute(recorder, u->names[0],
			                                     u->constant ? u->literal.type
			                                                 : r->created->frame->columns[u->column].values.type));
	}
	return GEMP_OK;
}

/* EVENTS */

/* The value is a constant or comes from the row of the match. It is part of the event, since the owner of the element
 * does not have the row. */
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

/* texts[ranks] get the events for each owner. Created elements have no events, since their lines are made from the
 * match. */
static void pack_events(const gemp_record_state *r, gemp_text *texts)
{
	for (size_t row = 0; row < r->created->frame->rows; row++)
		for (size_t i = 0; i < r->rule->update_count && r->selected[row]; i++) {
			const gemp_rule_element *about = &r->rule->updates[i].element;
			uint64_t element = about->created ? GEMP_NO_ELEMENT
			                                  : r->created->frame->columns[about->index].elements[row];
			if (element == GEMP_NO_ELEMENT)
				continue;
			int owner = about->edge ? gemp_edge_owner(&r->owners, element) : gemp_shard_owner(r->graph, element);
			pack_event(r, row, i, element, &texts[owner]);
		}
}

/* Orders events by element, and the events of one element in the order of the updates. */
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

/* Events are sorted by element, so a binary search finds the events of an element. */
static gemp_code unpack_events(gemp_record_state *r, size_t size)
{
	size_t capacity = 0;
	for (const char *at = r->event_bytes, *end = at + size; at < end;) {
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

/* Collective. The owners of elements get the updates of the selected matches. */
static gemp_code exchange_events(gemp_record_state *r)
{
	const gemp_comm *comm = r->context->comm;
	GEMP_OWNED gemp_text *texts = NULL; /* the exchange frees each text */
	size_t size = 0;
	GEMP_TRY(gemp_edge_owners_new(&r->owners, comm, r->graph));
	gemp_code code = GEMP_NEW(texts, (size_t)comm->size);
	if (code == GEMP_OK)
		pack_events(r, texts);
	GEMP_TRY(gemp_exchange_texts(comm, code, texts, &r->event_bytes, &size));
	return gemp_comm_agree(comm, unpack_events(r, size));
}

/* EDGES THAT VANISH together with deleted and merged vertices */

/* Returns whether the rule can remove edges that it does not name. DELETE without DETACH removes only vertices that
 * have no other edges. */
static bool removes_edges(const gemp_rule *rule)
{
	for (size_t i = 0; i < rule->update_count; i++)
		if (rule->updates[i].kind == GEMP_MERGE || (rule->updates[i].kind == GEMP_DELETE && rule->updates[i].detach))
			return true;
	return false;
}

/* Local. The list needs no sorting, since ranks own ascending ranges of ids, and the events of a rank are in ascending
 * order of vertices. */
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
	return GEMP_OK;
}

/* Collective. Every rank gets all deleted and merged vertices, since any rank may own edges to them. */
static gemp_code gather_deleted(gemp_record_state *r)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text own = { 0 };
	GEMP_OWNED size_t *begin = NULL;
	for (size_t i = 0; i < r->event_count; i++) {
		const gemp_update *u = &r->rule->updates[r->events[i].update];
		if (u->element.edge || !gemp_update_removes(u))
			continue;
		gemp_pack_number(&own, r->events[i].element);
		gemp_pack_number(&own, r->events[i].number);
		gemp_pack_value(&own, &r->events[i].value);
	}
	gemp_code code = gemp_text_status(&own);
	GEMP_TRY(gemp_comm_allgather(r->context->comm, code, own.data, own.size, &r->deleted_bytes, &begin));
	return gemp_comm_agree(r->context->comm, unpack_deleted(r, begin[r->context->comm->size]));
}

/* Returns whether an update of the rule deletes this own edge by its name. */
static bool is_deleted_by_name(const gemp_record_state *r, uint64_t edge)
{
	const gemp_record_event *end, *event = gemp_record_find_events(r, true, edge, &end);
	for (; event < end; event++)
		if (r->rule->updates[event->update].kind == GEMP_DELETE)
			return true;
	return false;
}

/* An edge that the rule deletes by name is skipped, since it already has a line. */
static gemp_code find_edges_of(gemp_record_state *r, size_t k, const uint64_t *removed)
{
	const gemp_relation *relation = &r->graph->relations[k];
	for (size_t v = 0; v < r->graph->rows; v++) {
		bool goes = gemp_bits64_test(removed, r->graph->first_vertex + v);
		for (uint64_t at = relation->out_offsets[v]; at < relation->out_offsets[v + 1]; at++) {
			if (!goes && !gemp_bits64_test(removed, relation->out_targets[at]))
				continue;
			if (is_deleted_by_name(r, r->owners.relation_offset[k] + relation->first_edge + at))
				continue;
			GEMP_TRY(GEMP_RESERVE(r->edges, r->edge_capacity, r->edge_count + 1));
			r->edges[r->edge_count++] = (gemp_record_edge){ (uint32_t)k, (uint32_t)v, at };
		}
	}
	return GEMP_OK;
}

/* Local. A bitmap of the removed vertices lets the pass over all edges test each source and target with one access. */
static gemp_code find_edges(gemp_record_state *r)
{
	GEMP_OWNED uint64_t *removed = NULL;
	GEMP_TRY(GEMP_NEW(removed, (size_t)(r->graph->vertex_count / 64 + 1)));
	for (size_t i = 0; i < r->deleted_count; i++)
		gemp_bits64_set(removed, r->deleted[i].id);
	for (size_t k = 0; k < r->graph->relation_count; k++)
		GEMP_TRY(find_edges_of(r, k, removed));
	return GEMP_OK;
}

/* Collective. Fetches the keys and key ranks of all sources and targets that lines name, since a rank has only the keys
 * of its own vertices. */
static gemp_code fetch_ends(gemp_record_state *r)
{
	static const int wanted[] = { GEMP_FETCH_KEY, GEMP_FETCH_KEY_RANK };
	GEMP_OWNED gemp_vertex *ids = NULL;
	size_t count = 0;
	GEMP_TRY(gemp_comm_agree(r->context->comm, GEMP_NEW(ids, r->event_count + 2 * r->edge_count)));
	for (size_t i = 0; i < r->event_count; i++) {
		if (!r->rule->updates[r->events[i].update].element.edge)
			continue;
		gemp_record_edge edge = gemp_record_find_edge(r, r->events[i].element);
		ids[count++] = r->graph->relations[edge.relation].out_targets[edge.position];
	}
	for (size_t i = 0; i < r->edge_count; i++) {
		ids[count++] = (gemp_vertex)(r->graph->first_vertex + r->edges[i].source);
		ids[count++] = r->graph->relations[r->edges[i].relation].out_targets[r->edges[i].position];
	}
	return gemp_fetch_values(r->context, r->graph, ids, count, wanted, 2, &r->ends, &r->end_count, r->end_key);
}

/* THE ORDER OF LINES */

/* A line with its sort key. Its bytes lie in the received text. */
typedef struct positioned_line {
	gemp_line_key key;
	const char *bytes;
	size_t size;
} positioned_line;

/* Reads a packed line and returns the position after it. */
static const char *next_line(const char *at, positioned_line *out)
{
	memcpy(&out->key, at, sizeof out->key);
	at += sizeof out->key;
	out->bytes = gemp_unpack_bytes(&at, &out->size);
	return at;
}

/* Each rank writes the lines of a range of matches, so the blocks of the ranks in rank order are in the order of
 * matches. */
static void distribute_lines(const gemp_record_state *r, gemp_text *texts)
{
	uint64_t range = (r->end - r->first) / (uint64_t)r->context->comm->size + 1;
	positioned_line line;
	for (size_t i = 0; i < r->chunk_count; i++)
		for (const char *at = r->chunks[i].data, *end = at + r->chunks[i].size, *next; at && at < end; at = next) {
			next = next_line(at, &line);
			gemp_text_add(&texts[(line.key.number - r->first) / range], at, (size_t)(next - at));
		}
}

/* The numbers of the keys are compared, since the order of their bytes would depend on the machine. */
static int compare_lines(const void *a, const void *b)
{
	const gemp_line_key *x = a, *y = b;
	const uint64_t left[] = { x->number, x->stage, x->ends, x->parallel };
	const uint64_t right[] = { y->number, y->stage, y->ends, y->parallel };
	for (size_t i = 0; i < sizeof left / sizeof *left; i++)
		if (left[i] != right[i])
			return left[i] < right[i] ? -1 : 1;
	return 0;
}

/* The lines of one match may come from several ranks, which own its elements. */
static gemp_code sort_lines(const char *received, size_t size, gemp_text *out)
{
	GEMP_OWNED positioned_line *lines = NULL;
	size_t count = 0, capacity = 0;
	for (const char *at = received, *end = at + size; at < end;) {
		GEMP_TRY(GEMP_RESERVE(lines, capacity, count + 1));
		at = next_line(at, &lines[count++]);
	}
	if (count)
		qsort(lines, count, sizeof *lines, compare_lines);
	for (size_t i = 0; i < count; i++)
		gemp_text_add(out, lines[i].bytes, lines[i].size);
	return gemp_text_status(out);
}

/* Collective. Sends, sorts and writes the lines of one round. Before the first round rank 0 writes the head of the
 * step. */
static gemp_code write_lines(gemp_record_state *r, gemp_recorder *recorder, uint64_t step)
{
	const gemp_comm *comm = r->context->comm;
	GEMP_OWNED gemp_text *texts = NULL; /* the exchange frees each text */
	GEMP_OWNED_BY(gemp_text_free) gemp_text sorted = { 0 };
	GEMP_OWNED void *received = NULL;
	size_t size = 0;
	gemp_code code = gemp_record_lines(r);
	GEMP_THEN(GEMP_NEW(texts, (size_t)comm->size));
	if (code == GEMP_OK)
		distribute_lines(r, texts);
	GEMP_TRY(gemp_exchange_texts(comm, code, texts, &received, &size));
	if (comm->rank == 0 && r->first == 0) {
		gemp_text_print(&sorted, "{\"step\":%" PRIu64 ",\"rule\":", step + 1);
		gemp_json_string(&sorted, r->rule->name, strlen(r->rule->name));
		gemp_text_print(&sorted, ",\"applied\":%" PRIu64 "}\n", r->applied);
	}
	GEMP_TRY(gemp_comm_agree(comm, sort_lines(received, size, &sorted)));
	recorder->lines += gemp_comm_sum1(comm, r->line_count);
	return recorder->write(recorder->self, sorted.data, sorted.size);
}

static void free_state(gemp_record_state *r)
{
	gemp_edge_owners_free(&r->owners);
	gemp_free_all(r->event_bytes, r->events, r->deleted, r->deleted_bytes, r->edges, r->ends);
	gemp_column_free(&r->end_key[0]);
	gemp_column_free(&r->end_key[1]);
	for (size_t i = 0; r->chunks && i < r->chunk_count; i++)
		gemp_text_free(&r->chunks[i]);
	gemp_free(r->chunks);
}

gemp_code gemp_record_step(gemp_recorder *recorder, gemp_runtime *context, gemp_shard *graph,
                           gemp_new_vertices *created, const uint8_t *selected, uint64_t applied, uint64_t step)
{
	GEMP_OWNED_BY(free_state)
	gemp_record_state r = { .context = context,
		                    .graph = graph,
		                    .created = created,
		                    .rule = created->rule,
		                    .selected = selected,
		                    .applied = applied };
	GEMP_TRY(gemp_shard_load_outgoing(graph));
	GEMP_TRY(gemp_comm_agree(context->comm, add_attributes(recorder, &r)));
	GEMP_TRY(exchange_events(&r));
	if (removes_edges(r.rule)) {
		GEMP_TRY(gather_deleted(&r));
		GEMP_TRY(gemp_comm_agree(context->comm, find_edges(&r)));
	}
	GEMP_TRY(fetch_ends(&r));
	/* The size of a round depends only on `applied`, which is the same on all ranks. */
	uint64_t range = gemp_max(applied / MAX_ROUNDS + 1, MIN_MATCHES_PER_ROUND);
	for (; r.first < applied; r.first = r.end) {
		r.end = r.first + range;
		GEMP_TRY(write_lines(&r, recorder, step));
	}
	return GEMP_OK;
}
