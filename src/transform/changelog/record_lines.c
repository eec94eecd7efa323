/* Chunks of the sources of lines (events, vanishing edges, rows of matches) are printed by all threads. A line is
 * a key, by which lines are sorted later, and its JSON text. Chunks are smaller than those of gemp_for_ranges, as
 * a line costs microseconds. */

#include "transform/changelog/record_lines.h"

#include "core/memory.h"
#include "core/threads.h"
#include "graph/column.h"
#include "match/filter/element_values.h"
#include "partition/exchange/value_exchange.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { SOURCES_PER_CHUNK = 1 << 12 };

static bool is_in_round(const gemp_record_state *r, uint64_t number)
{
	return number >= r->first && number < r->end;
}

/* A line: begun with its key, then text, then ended. */
typedef struct line {
	gemp_record_state *r;
	size_t begin;
} line;

/* The size of the text is patched in by end_line. */
static line begin_line(gemp_record_state *r, const gemp_line_key *key, const char *change)
{
	const line l = { r, r->lines.size };
	gemp_text_add(&r->lines, key, sizeof *key);
	gemp_pack_number(&r->lines, 0);
	gemp_text_print(&r->lines, "{\"match\":%" PRIu64 ",\"change\":\"%s\"", key->number + 1, change);
	return l;
}

static void end_line(const line *l)
{
	gemp_text *text = &l->r->lines;
	gemp_text_add(text, "}\n", 2);
	if (text->failed)
		return;
	uint64_t size = text->size - l->begin - sizeof(gemp_line_key) - sizeof size;
	memcpy(text->data + l->begin + sizeof(gemp_line_key), &size, sizeof size);
	l->r->line_count++;
}

/* NaN and infinities, for which JSON has no numbers, are strings. */
static void add_value(gemp_text *out, const gemp_value *value)
{
	if (!value->null && value->type == GEMP_FLOAT && !isfinite(value->real))
		gemp_text_print(out, "\"%s\"", isnan(value->real) ? "nan" : value->real > 0 ? "inf" : "-inf");
	else
		gemp_json_value(out, value);
}

static void add_member(gemp_text *out, const char *name, const gemp_value *value)
{
	gemp_text_print(out, ",\"%s\":", name);
	add_value(out, value);
}

static void add_name(gemp_text *out, const char *name)
{
	gemp_json_string(out, name, strlen(name));
}

static void add_names(gemp_text *out, const char *member, char *const *names, size_t count)
{
	gemp_text_print(out, ",\"%s\":[", member);
	for (size_t i = 0; i < count; i++) {
		gemp_text_print(out, "%s", i ? "," : "");
		add_name(out, names[i]);
	}
	gemp_text_print(out, "]");
}

/* One of the members of "attributes"; *count of them were there before. */
static void add_attribute(gemp_text *out, size_t *count, const char *name, const gemp_value *value)
{
	if (value->null)
		return;
	gemp_text_print(out, "%s", (*count)++ ? "," : ",\"attributes\":{");
	add_name(out, name);
	gemp_text_print(out, ":");
	add_value(out, value);
}

static void end_attributes(gemp_text *out, size_t count)
{
	if (count)
		gemp_text_print(out, "}");
}

static void add_row(gemp_text *out, const gemp_table *table, size_t row)
{
	size_t count = 0;
	for (size_t c = 0; c < table->count; c++) {
		gemp_value value = gemp_column_get(&table->columns[c], row);
		add_attribute(out, &count, table->columns[c].name, &value);
	}
	end_attributes(out, count);
}

/* VERTICES */

static bool has_label(const gemp_shard *g, size_t row, const char *name)
{
	const gemp_label_set *set = &g->label_sets[g->label_set_of[row]];
	for (size_t i = 0; i < set->count; i++)
		if (strcmp(g->labels[set->labels[i]], name) == 0)
			return true;
	return false;
}

static bool adds_and_removes(const gemp_rule *rule)
{
	bool adds = false, removes = false;
	for (size_t i = 0; i < rule->update_count; i++) {
		adds |= rule->updates[i].kind == GEMP_ADD_LABELS;
		removes |= rule->updates[i].kind == GEMP_REMOVE_LABELS;
	}
	return adds && removes;
}

/* Only labels that the vertex gains or loses are written; where the rule both adds and removes labels, the order
 * matters and all are written. */
static void label_line(gemp_record_state *r, const gemp_record_event *event, const gemp_line_key *key)
{
	const gemp_update *u = &r->rule->updates[event->update];
	bool adds = u->kind == GEMP_ADD_LABELS, all = adds_and_removes(r->rule);
	size_t row = (size_t)(event->element - r->graph->first_vertex), count = 0;
	for (size_t i = 0; i < u->name_count; i++)
		count += all || has_label(r->graph, row, u->names[i]) != adds;
	if (!count)
		return;
	line l = begin_line(r, key, adds ? "add labels" : "remove labels");
	gemp_value id = gemp_column_get(&r->graph->keys, row);
	add_member(&r->lines, "key", &id);
	gemp_text_print(&r->lines, ",\"labels\":[");
	for (size_t i = 0, at = 0; i < u->name_count; i++) {
		if (!all && has_label(r->graph, row, u->names[i]) == adds)
			continue;
		gemp_text_print(&r->lines, "%s", at++ ? "," : "");
		add_name(&r->lines, u->names[i]);
	}
	gemp_text_print(&r->lines, "]");
	end_line(&l);
}

static void add_old_and_new(gemp_text *out, const char *name, const gemp_value *value, const gemp_value *was)
{
	gemp_text_print(out, ",\"name\":");
	add_name(out, name);
	add_member(out, "value", value);
	add_member(out, "was", was);
}

static gemp_value value_in(const gemp_table *table, const char *name, size_t row)
{
	const gemp_column *column = gemp_table_find(table, name);
	return column ? gemp_column_get(column, row) : (gemp_value){ .null = true };
}

/* Labels and attributes that the vertex had. */
static void add_vertex(gemp_record_state *r, size_t row)
{
	const gemp_label_set *set = &r->graph->label_sets[r->graph->label_set_of[row]];
	gemp_text_print(&r->lines, ",\"labels\":[");
	for (size_t i = 0; i < set->count; i++) {
		gemp_text_print(&r->lines, "%s", i ? "," : "");
		add_name(&r->lines, r->graph->labels[set->labels[i]]);
	}
	gemp_text_print(&r->lines, "]");
	add_row(&r->lines, &r->graph->attributes, row);
}

/* An attribute that is absent before and after makes no line. */
static void vertex_line(gemp_record_state *r, const gemp_record_event *event)
{
	const gemp_update *u = &r->rule->updates[event->update];
	bool goes = u->kind == GEMP_DELETE || u->kind == GEMP_MERGE;
	const gemp_line_key key = { event->number,
		                        (uint64_t)(goes ? GEMP_RECORD_VERTICES : GEMP_RECORD_UPDATES) << 56 | event->update, 0,
		                        0 };
	size_t row = (size_t)(event->element - r->graph->first_vertex);
	if (u->kind == GEMP_ADD_LABELS || u->kind == GEMP_REMOVE_LABELS) {
		label_line(r, event, &key);
		return;
	}
	gemp_value was = goes ? (gemp_value){ .null = true } : value_in(&r->graph->attributes, u->names[0], row);
	if (!goes && was.null && event->value.null)
		return;
	gemp_value id = gemp_column_get(&r->graph->keys, row);
	line l = begin_line(r, &key, u->kind == GEMP_MERGE ? "merge vertex" : goes ? "delete vertex" : "set vertex");
	add_member(&r->lines, "key", &id);
	if (u->kind == GEMP_MERGE)
		add_member(&r->lines, "into", &event->value);
	if (goes)
		add_vertex(r, row);
	else
		add_old_and_new(&r->lines, u->names[0], &event->value, &was);
	end_line(&l);
}

/* EDGES */

/* Key or key rank of an end of an edge, fetched by record.c. */
static gemp_value end_value(const gemp_record_state *r, int what, uint64_t id)
{
	return gemp_column_get(&r->end_key[what], gemp_fetch_index(r->ends, r->end_count, (gemp_vertex)id));
}

/* Attributes are all that distinguishes parallel edges. */
static bool same_attributes(const gemp_table *props, uint64_t a, uint64_t b)
{
	for (size_t c = 0; c < props->count; c++) {
		gemp_value x = gemp_column_get(&props->columns[c], a), y = gemp_column_get(&props->columns[c], b);
		if (!gemp_value_same(&x, &y))
			return false;
	}
	return true;
}

/* Which of several indistinguishable edges is meant, from 1. */
static uint64_t number_among_equals(const gemp_record_state *r, const gemp_record_edge *edge)
{
	const gemp_relation *relation = &r->graph->relations[edge->relation];
	uint64_t number = 1;
	for (uint64_t at = edge->position; at > relation->out_offsets[edge->source]; at--) {
		if (relation->out_targets[at - 1] != relation->out_targets[edge->position])
			break;
		number += same_attributes(&relation->props, at - 1, edge->position);
	}
	return number;
}

/* Type, ends, number among equals and attributes name the edge. */
static void add_edge(gemp_record_state *r, const gemp_record_edge *edge)
{
	const gemp_relation *relation = &r->graph->relations[edge->relation];
	gemp_value source = gemp_column_get(&r->graph->keys, edge->source);
	gemp_value target = end_value(r, 0, relation->out_targets[edge->position]);
	uint64_t n = number_among_equals(r, edge);
	gemp_text_print(&r->lines, ",\"type\":");
	add_name(&r->lines, relation->name);
	add_member(&r->lines, "source", &source);
	add_member(&r->lines, "target", &target);
	if (n > 1)
		gemp_text_print(&r->lines, ",\"n\":%" PRIu64, n);
	add_row(&r->lines, &relation->props, (size_t)edge->position);
}

/* Lines of edges that a rule changes by name. */
static void edge_line(gemp_record_state *r, const gemp_record_event *event)
{
	const gemp_update *u = &r->rule->updates[event->update];
	const gemp_line_key key = { event->number, (uint64_t)GEMP_RECORD_UPDATES << 56 | event->update, 0, 0 };
	bool sets = u->kind == GEMP_SET_ATTRIBUTE || u->kind == GEMP_REMOVE_ATTRIBUTE;
	gemp_record_edge edge = gemp_record_find_edge(r, event->element);
	gemp_value was = { .null = true };
	if (sets)
		was = value_in(&r->graph->relations[edge.relation].props, u->names[0], (size_t)edge.position);
	if (sets && was.null && event->value.null)
		return;
	line l = begin_line(r, &key, u->kind == GEMP_DELETE ? "delete edge" : sets ? "set edge" : "retype edge");
	add_edge(r, &edge);
	if (sets)
		add_old_and_new(&r->lines, u->names[0], &event->value, &was);
	if (u->kind == GEMP_SET_TYPE) {
		gemp_text_print(&r->lines, ",\"into\":");
		add_name(&r->lines, u->names[0]);
	}
	end_line(&l);
}

/* The attributes of a moved edge after all updates of its match. */
static void add_final_attributes(gemp_record_state *r, const gemp_record_edge *edge, const gemp_record_event *event,
                                 const gemp_record_event *end)
{
	const gemp_table *props = &r->graph->relations[edge->relation].props;
	size_t count = 0;
	for (size_t c = 0; c < props->count; c++) {
		gemp_value value = gemp_column_get(&props->columns[c], edge->position);
		for (const gemp_record_event *e = event; e < end; e++) {
			const gemp_update *u = &r->rule->updates[e->update];
			if ((u->kind == GEMP_SET_ATTRIBUTE || u->kind == GEMP_REMOVE_ATTRIBUTE) &&
			    strcmp(u->names[0], props->columns[c].name) == 0)
				value = e->value;
		}
		add_attribute(&r->lines, &count, props->columns[c].name, &value);
	}
	for (const gemp_record_event *e = event; e < end; e++) {
		const gemp_update *u = &r->rule->updates[e->update];
		bool again = false;
		for (const gemp_record_event *later = e + 1; later < end; later++)
			again |= r->rule->updates[later->update].name_count &&
			         strcmp(r->rule->updates[later->update].names[0], u->names[0]) == 0;
		if (u->kind == GEMP_SET_ATTRIBUTE && !again && !gemp_table_find(props, u->names[0]))
			add_attribute(&r->lines, &count, u->names[0], &e->value);
	}
	end_attributes(&r->lines, count);
}

/* An edge that vanishes with a vertex belongs to the match with the smaller number if both ends go; it is moved if
 * the vertex is merged. */
static void implied_line(gemp_record_state *r, const gemp_record_edge *edge)
{
	const gemp_relation *relation = &r->graph->relations[edge->relation];
	uint64_t ids[2] = { r->graph->first_vertex + edge->source, relation->out_targets[edge->position] };
	uint64_t number = UINT64_MAX, ranks[2];
	gemp_value ends[2];
	bool moves = true;
	for (int i = 0; i < 2; i++) {
		const gemp_record_deleted *deleted = gemp_record_find_deleted(r, ids[i]);
		ends[i] = deleted ? deleted->into : end_value(r, 0, ids[i]);
		moves &= !ends[i].null;
		number = deleted && deleted->number < number ? deleted->number : number;
		ranks[i] = (uint64_t)end_value(r, 1, ids[i]).integer;
	}
	if (!is_in_round(r, number))
		return;
	const gemp_line_key key = { number, (uint64_t)GEMP_RECORD_EDGES << 56 | edge->relation, ranks[0] << 32 | ranks[1],
		                        edge->position - relation->out_offsets[edge->source] };
	line l = begin_line(r, &key, moves ? "move edge" : "delete edge");
	add_edge(r, edge);
	if (moves) {
		const gemp_record_event *end;
		const gemp_record_event *event = gemp_record_find_events(
			r, true, r->owners.relation_offset[edge->relation] + relation->first_edge + edge->position, &end);
		const char *type = relation->name;
		for (const gemp_record_event *e = event; e < end; e++)
			if (r->rule->updates[e->update].kind == GEMP_SET_TYPE)
				type = r->rule->updates[e->update].names[0];
		gemp_text_print(&r->lines, ",\"to\":{\"type\":");
		add_name(&r->lines, type);
		add_member(&r->lines, "source", &ends[0]);
		add_member(&r->lines, "target", &ends[1]);
		add_final_attributes(r, edge, event, end);
		gemp_text_print(&r->lines, "}");
	}
	end_line(&l);
}

/* CREATED ELEMENTS */

/* Attributes that the rule sets on the new element. */
static void created_attributes(gemp_record_state *r, const gemp_rule_element *created, size_t row)
{
	size_t count = 0;
	for (size_t i = 0; i < r->rule->update_count; i++) {
		const gemp_update *u = &r->rule->updates[i];
		if (u->kind != GEMP_SET_ATTRIBUTE || !u->element.created || u->element.edge != created->edge ||
		    u->element.index != created->index)
			continue;
		gemp_value value = u->constant ? u->literal : gemp_frame_value(&r->created->frame->columns[u->column], row);
		add_attribute(&r->lines, &count, u->names[0], &value);
	}
	end_attributes(&r->lines, count);
}

/* Created elements have their attributes in the same line. */
static void created_line(gemp_record_state *r, size_t row, size_t update)
{
	const gemp_update *u = &r->rule->updates[update];
	bool edge = u->kind == GEMP_CREATE_EDGE;
	const gemp_line_key key = { r->created->number[row], (uint64_t)GEMP_RECORD_UPDATES << 56 | update, 0, 0 };
	line l = begin_line(r, &key, edge ? "create edge" : "create vertex");
	if (edge) {
		gemp_text_print(&r->lines, ",\"type\":");
		add_name(&r->lines, u->names[0]);
		gemp_value source = gemp_new_vertices_key(r->created, &u->from, row);
		add_member(&r->lines, "source", &source);
		gemp_value target = gemp_new_vertices_key(r->created, &u->to, row);
		add_member(&r->lines, "target", &target);
	} else {
		gemp_value id = gemp_new_vertices_key(r->created, &u->element, row);
		add_member(&r->lines, "key", &id);
		add_names(&r->lines, "labels", u->names, u->name_count);
	}
	created_attributes(r, &u->element, row);
	end_line(&l);
}

/* An element that two names delete has one line. */
static bool is_repeated(const gemp_record_state *r, size_t i)
{
	const gemp_update *u = &r->rule->updates[r->events[i].update];
	if (i == 0 || (u->kind != GEMP_DELETE && u->kind != GEMP_MERGE))
		return false;
	const gemp_update *before = &r->rule->updates[r->events[i - 1].update];
	return r->events[i - 1].element == r->events[i].element && before->element.edge == u->element.edge &&
	       (before->kind == GEMP_DELETE || before->kind == GEMP_MERGE);
}

/* CHUNKS of the sources of lines: events, edges, rows of matches. */

/* Source i is an event, a vanishing edge, or a row of matches, in this order. */
static void make_line(gemp_record_state *r, size_t i)
{
	if (i < r->event_count) {
		if (!is_in_round(r, r->events[i].number) || is_repeated(r, i))
			return;
		if (r->rule->updates[r->events[i].update].element.edge)
			edge_line(r, &r->events[i]);
		else
			vertex_line(r, &r->events[i]);
	} else if (i - r->event_count < r->edge_count) {
		implied_line(r, &r->edges[i - r->event_count]);
	} else {
		size_t row = i - r->event_count - r->edge_count;
		for (size_t u = 0; u < r->rule->update_count && r->selected[row] && is_in_round(r, r->created->number[row]);
		     u++)
			if (r->rule->updates[u].kind == GEMP_CREATE_VERTEX || r->rule->updates[u].kind == GEMP_CREATE_EDGE)
				created_line(r, row, u);
	}
}

static size_t count_sources(const gemp_record_state *r)
{
	return r->event_count + r->edge_count + r->created->frame->rows;
}

/* Every thread prints into the text of its own chunk. */
static void make_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	gemp_record_state *all = context, own = *all;
	gemp_new_vertices created = *all->created; /* whose newest string is each thread's own */
	own.created = &created;
	own.lines = all->pieces[piece];
	own.line_count = 0;
	gemp_text_clear(&own.lines);
	for (size_t i = piece * SOURCES_PER_CHUNK; i < (piece + 1) * SOURCES_PER_CHUNK && i < count_sources(all); i++)
		make_line(&own, i);
	all->pieces[piece] = own.lines;
	__atomic_fetch_add(&all->line_count, own.line_count, __ATOMIC_RELAXED);
}

/* Local. Threads take chunks of sources in turn, as a line may cost much more than another one; the order is restored by the
 * keys of the lines. */
gemp_code gemp_record_lines(gemp_record_state *r)
{
	gemp_code code = GEMP_OK;
	if (!r->pieces) {
		r->piece_count = (count_sources(r) + SOURCES_PER_CHUNK - 1) / SOURCES_PER_CHUNK;
		GEMP_TRY(GEMP_NEW(r->pieces, r->piece_count));
	}
	r->line_count = 0;
	gemp_parallel_for(r->piece_count, make_piece, r);
	for (size_t i = 0; i < r->piece_count && code == GEMP_OK; i++)
		code = gemp_text_status(&r->pieces[i]);
	return code;
}
