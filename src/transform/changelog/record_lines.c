/* The sources of lines are events, vanishing edges, and rows of matches. All threads print chunks of these sources. A
 * line is a sort key and its JSON text. The chunks are smaller than those of gemp_for_ranges, since a line takes
 * microseconds. */

#include "transform/changelog/record_lines.h"

#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"
#include "graph/column.h"
#include "match/filter/element_values.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { SOURCES_PER_CHUNK = 1 << 12 };

/* The stages of a match, in the order of its lines. */
enum { STAGE_UPDATES, STAGE_EDGES, STAGE_VERTICES };

/* LOOK-UPS */

gemp_record_edge gemp_record_find_edge(const gemp_record_state *r, uint64_t number)
{
	size_t relation = gemp_edge_relation(&r->owners, number);
	size_t position = gemp_edge_local_index(&r->owners, number, r->graph->rank);
	size_t row = gemp_range_find(r->graph->relations[relation].out_offsets, r->graph->rows, position);
	return (gemp_record_edge){ .relation = (uint32_t)relation, .source = (uint32_t)row, .position = position };
}

const gemp_record_deleted *gemp_record_find_deleted(const gemp_record_state *r, uint64_t id)
{
	size_t at;
	GEMP_PARTITION_POINT(at, 0, r->deleted_count, r->deleted[at].id < id);
	return at < r->deleted_count && r->deleted[at].id == id ? &r->deleted[at] : NULL;
}

/* Events of vertices come before events of edges. Events of one kind are in ascending order of elements. */
static bool is_before(const gemp_record_state *r, const gemp_record_event *event, bool edge, uint64_t element)
{
	bool kind = r->rule->updates[event->update].element.edge;
	return kind != edge ? kind < edge : event->element < element;
}

const gemp_record_event *gemp_record_find_events(const gemp_record_state *r, bool edge, uint64_t element,
                                                 const gemp_record_event **end)
{
	size_t first;
	GEMP_PARTITION_POINT(first, 0, r->event_count, is_before(r, &r->events[first], edge, element));
	size_t last = first;
	while (last < r->event_count && r->events[last].element == element &&
	       r->rule->updates[r->events[last].update].element.edge == edge)
		last++;
	*end = r->events + last;
	return r->events + first;
}

static bool is_in_round(const gemp_record_state *r, uint64_t number)
{
	return number >= r->first && number < r->end;
}

/* TEXT */

static gemp_line_key key_of(uint64_t number, uint64_t stage, uint64_t update)
{
	return (gemp_line_key){ number, stage << 56 | update, 0, 0 };
}

/* Begins a line with its key and the size 0, which end_line replaces. Returns the offset of the line. */
static size_t begin_line(gemp_record_state *r, const gemp_line_key *key, const char *change)
{
	size_t begin = r->lines.size;
	gemp_text_add(&r->lines, key, sizeof *key);
	gemp_pack_number(&r->lines, 0);
	gemp_text_print(&r->lines, "{\"match\":%" PRIu64 ",\"change\":\"%s\"", key->number + 1, change);
	return begin;
}

static void end_line(gemp_record_state *r, size_t begin)
{
	gemp_text *text = &r->lines;
	gemp_text_add(text, "}\n", 2);
	if (text->failed)
		return;
	uint64_t size = text->size - begin - sizeof(gemp_line_key) - sizeof size;
	memcpy(text->data + begin + sizeof(gemp_line_key), &size, sizeof size);
	r->line_count++;
}

/* NaN and infinities become strings, since JSON has no numbers for them. */
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

/* Adds an element to a list that has *count elements. */
static void add_listed(gemp_text *out, size_t *count, const char *name)
{
	gemp_text_print(out, "%s", (*count)++ ? "," : "");
	add_name(out, name);
}

/* Adds a member to "attributes", which has *count members. A NULL is not added. */
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

/* Adds the attributes of a row. A row with only NULLs has no member "attributes". */
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

/* Only labels that the vertex gains or loses are written. A line without such labels is dropped. If the rule both adds
 * and removes labels, all labels are written, since the order of the updates matters. */
static void label_line(gemp_record_state *r, const gemp_record_event *event, const gemp_line_key *key)
{
	const gemp_update *u = &r->rule->updates[event->update];
	bool adds = u->kind == GEMP_ADD_LABELS, all = adds_and_removes(r->rule);
	size_t row = (size_t)(event->element - r->graph->first_vertex), count = 0;
	size_t begin = begin_line(r, key, adds ? "add labels" : "remove labels");
	gemp_value id = gemp_column_get(&r->graph->keys, row);
	add_member(&r->lines, "key", &id);
	gemp_text_print(&r->lines, ",\"labels\":[");
	for (size_t i = 0; i < u->name_count; i++)
		if (all || has_label(r->graph, row, u->names[i]) != adds)
			add_listed(&r->lines, &count, u->names[i]);
	gemp_text_print(&r->lines, "]");
	if (count)
		end_line(r, begin);
	else
		r->lines.size = begin;
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

static void add_vertex(gemp_record_state *r, size_t row)
{
	const gemp_label_set *set = &r->graph->label_sets[r->graph->label_set_of[row]];
	size_t count = 0;
	gemp_text_print(&r->lines, ",\"labels\":[");
	while (count < set->count)
		add_listed(&r->lines, &count, r->graph->labels[set->labels[count]]);
	gemp_text_print(&r->lines, "]");
	add_row(&r->lines, &r->graph->attributes, row);
}

static void vertex_line(gemp_record_state *r, const gemp_record_event *event)
{
	const gemp_update *u = &r->rule->updates[event->update];
	bool removes = gemp_update_removes(u), merges = u->kind == GEMP_MERGE;
	const gemp_line_key key = key_of(event->number, removes ? STAGE_VERTICES : STAGE_UPDATES, event->update);
	size_t row = (size_t)(event->element - r->graph->first_vertex);
	if (u->kind == GEMP_ADD_LABELS || u->kind == GEMP_REMOVE_LABELS) {
		label_line(r, event, &key);
		return;
	}
	gemp_value was = removes ? (gemp_value){ .null = true } : value_in(&r->graph->attributes, u->names[0], row);
	if (!removes && was.null && event->value.null)
		return;
	gemp_value id = gemp_column_get(&r->graph->keys, row);
	size_t begin = begin_line(r, &key, merges ? "merge vertex" : removes ? "delete vertex" : "set vertex");
	add_member(&r->lines, "key", &id);
	if (merges)
		add_member(&r->lines, "into", &event->value);
	if (removes)
		add_vertex(r, row);
	else
		add_old_and_new(&r->lines, u->names[0], &event->value, &was);
	end_line(r, begin);
}

/* EDGES */

/* Returns the key (`which` is 0) or the key rank (`which` is 1) of the source or target of an edge. record.c has
 * fetched both. */
static gemp_value end_value(const gemp_record_state *r, int which, uint64_t id)
{
	return gemp_column_get(&r->end_key[which], gemp_fetch_index(r->ends, r->end_count, (gemp_vertex)id));
}

/* Only attributes distinguish parallel edges, for the user and for a replay. */
static bool same_attributes(const gemp_table *props, uint64_t a, uint64_t b)
{
	for (size_t c = 0; c < props->count; c++) {
		gemp_value x = gemp_column_get(&props->columns[c], a), y = gemp_column_get(&props->columns[c], b);
		if (!gemp_value_same(&x, &y))
			return false;
	}
	return true;
}

/* Returns the number, from 1, of an edge among neighbouring edges with the same type, source, target and attributes. */
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

/* Adds the name of an edge: its type, source and target, its number among equal edges, and its attributes. */
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

/* Makes the line of an edge that the rule sets, retypes or deletes by name. */
static void edge_line(gemp_record_state *r, const gemp_record_event *event)
{
	const gemp_update *u = &r->rule->updates[event->update];
	const gemp_line_key key = key_of(event->number, STAGE_UPDATES, event->update);
	bool sets = u->kind == GEMP_SET_ATTRIBUTE || u->kind == GEMP_REMOVE_ATTRIBUTE;
	gemp_record_edge edge = gemp_record_find_edge(r, event->element);
	gemp_value was = { .null = true };
	if (sets)
		was = value_in(&r->graph->relations[edge.relation].props, u->names[0], (size_t)edge.position);
	if (sets && was.null && event->value.null)
		return;
	size_t begin = begin_line(r, &key, u->kind == GEMP_DELETE ? "delete edge" : sets ? "set edge" : "retype edge");
	add_edge(r, &edge);
	if (sets)
		add_old_and_new(&r->lines, u->names[0], &event->value, &was);
	if (u->kind == GEMP_SET_TYPE) {
		gemp_text_print(&r->lines, ",\"into\":");
		add_name(&r->lines, u->names[0]);
	}
	end_line(r, begin);
}

/* Returns the last event that sets or removes this attribute, or NULL if there is none. */
static const gemp_record_event *find_setting(const gemp_record_state *r, const gemp_record_event *event,
                                             const gemp_record_event *end, const char *name)
{
	while (end-- > event) {
		const gemp_update *u = &r->rule->updates[end->update];
		if ((u->kind == GEMP_SET_ATTRIBUTE || u->kind == GEMP_REMOVE_ATTRIBUTE) && strcmp(u->names[0], name) == 0)
			return end;
	}
	return NULL;
}

/* Adds the attributes of a moved edge after all updates of its match. The attributes of its relation come first, then
 * the attributes that only the updates have. */
static void add_final_attributes(gemp_record_state *r, const gemp_record_edge *edge, const gemp_record_event *event,
                                 const gemp_record_event *end)
{
	const gemp_table *props = &r->graph->relations[edge->relation].props;
	size_t count = 0;
	for (size_t c = 0; c < props->count; c++) {
		const gemp_record_event *setting = find_setting(r, event, end, props->columns[c].name);
		gemp_value value = setting ? setting->value : gemp_column_get(&props->columns[c], edge->position);
		add_attribute(&r->lines, &count, props->columns[c].name, &value);
	}
	for (const gemp_record_event *e = event; e < end; e++) {
		const gemp_update *u = &r->rule->updates[e->update];
		if (u->kind == GEMP_SET_ATTRIBUTE && !gemp_table_find(props, u->names[0]) &&
		    find_setting(r, event, end, u->names[0]) == e)
			add_attribute(&r->lines, &count, u->names[0], &e->value);
	}
	end_attributes(&r->lines, count);
}

/* Adds the new form of a moved edge. Its source and target are the vertices into which the old source and target were
 * merged. */
static void add_moved(gemp_record_state *r, const gemp_record_edge *edge, const gemp_value ends[2])
{
	const gemp_relation *relation = &r->graph->relations[edge->relation];
	uint64_t number = r->owners.relation_offset[edge->relation] + relation->first_edge + edge->position;
	const gemp_record_event *end, *event = gemp_record_find_events(r, true, number, &end);
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

/* Makes the line of an edge that vanishes together with a vertex. If both ends vanish, the edge belongs to the match
 * with the smaller number. If the vertex is merged, the edge is moved. */
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
	const gemp_line_key key = { number, (uint64_t)STAGE_EDGES << 56 | edge->relation, ranks[0] << 32 | ranks[1],
		                        edge->position - relation->out_offsets[edge->source] };
	size_t begin = begin_line(r, &key, moves ? "move edge" : "delete edge");
	add_edge(r, edge);
	if (moves)
		add_moved(r, edge, ends);
	end_line(r, begin);
}

/* CREATED ELEMENTS */

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

/* A created element has its attributes in the same line. */
static void created_line(gemp_record_state *r, size_t row, size_t update)
{
	const gemp_update *u = &r->rule->updates[update];
	bool edge = u->kind == GEMP_CREATE_EDGE;
	const gemp_line_key key = key_of(r->created->number[row], STAGE_UPDATES, update);
	size_t begin = begin_line(r, &key, edge ? "create edge" : "create vertex");
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
		gemp_text_print(&r->lines, ",\"labels\":[");
		for (size_t count = 0; count < u->name_count;)
			add_listed(&r->lines, &count, u->names[count]);
		gemp_text_print(&r->lines, "]");
	}
	created_attributes(r, &u->element, row);
	end_line(r, begin);
}

/* CHUNKS OF SOURCES */

/* Returns whether the event before this one also deletes or merges the element, under another name of the match. Only
 * the first of such events makes a line. */
static bool is_repeated(const gemp_record_state *r, size_t i)
{
	const gemp_update *u = &r->rule->updates[r->events[i].update];
	if (i == 0 || !gemp_update_removes(u))
		return false;
	const gemp_update *before = &r->rule->updates[r->events[i - 1].update];
	return r->events[i - 1].element == r->events[i].element && before->element.edge == u->element.edge &&
	       gemp_update_removes(before);
}

/* Makes the line of source i. The sources are the events, then the vanishing edges, then the rows of matches. */
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
		bool wanted = r->selected[row] && is_in_round(r, r->created->number[row]);
		for (size_t u = 0; u < r->rule->update_count && wanted; u++)
			if (r->rule->updates[u].kind == GEMP_CREATE_VERTEX || r->rule->updates[u].kind == GEMP_CREATE_EDGE)
				created_line(r, row, u);
	}
}

static size_t count_sources(const gemp_record_state *r)
{
	return r->event_count + r->edge_count + r->created->frame->rows;
}

/* Each thread prints into the text of its own chunk, with a copy of the state and a key buffer of its own. */
static void make_chunk(void *context, unsigned thread, size_t chunk)
{
	(void)thread;
	gemp_record_state *all = context, own = *all;
	gemp_new_vertices created = *all->created;
	own.created = &created;
	own.lines = all->chunks[chunk];
	own.line_count = 0;
	gemp_text_clear(&own.lines);
	for (size_t i = chunk * SOURCES_PER_CHUNK; i < gemp_chunk_end(count_sources(all), SOURCES_PER_CHUNK, chunk); i++)
		make_line(&own, i);
	all->chunks[chunk] = own.lines;
	__atomic_fetch_add(&all->line_count, own.line_count, __ATOMIC_RELAXED);
}

/* Threads take chunks in any order, since the costs of lines differ. The keys of the lines restore the order. */
gemp_code gemp_record_lines(gemp_record_state *r)
{
	if (!r->chunks) {
		r->chunk_count = (count_sources(r) + SOURCES_PER_CHUNK - 1) / SOURCES_PER_CHUNK;
		GEMP_TRY(GEMP_NEW(r->chunks, r->chunk_count));
	}
	r->line_count = 0;
	gemp_parallel_for(r->chunk_count, make_chunk, r);
	for (size_t i = 0; i < r->chunk_count; i++)
		GEMP_TRY(gemp_text_status(&r->chunks[i]));
	return GEMP_OK;
}
