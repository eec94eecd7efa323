#include "transform/changelog/record.h"

#include "core/memory.h"
#include "graph/column.h"
#include "match/filter/element_values.h"
#include "partition/exchange/value_exchange.h"
#include "transform/changelog/record_lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_MATCHES_PER_ROUND = 1 << 14, MAX_ROUNDS = 32 }; /* matches of a round, and rounds at most */

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

/* Attributes of edges and those that the rule adds: the foot lists all that ever existed. */
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

/* Collective. Keys and key ranks of all edge ends that lines name and whose keys are not on this rank. */
static gemp_code fetch_ends(gemp_record_state *r)
{
	static const int asked[] = { GEMP_FETCH_KEY, GEMP_FETCH_KEY_RANK };
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
	return gemp_fetch_values(r->context, r->graph, ids, count, asked, 2, &r->ends, &r->end_count, r->end_key);
}

/* THE ORDER OF LINES: each rank writes those of a range of matches. */

/* A line with its sort key; bytes lie in the received text. */
typedef struct positioned_line {
	gemp_line_key key;
	const char *bytes;
	size_t size;
} positioned_line;

static const char *next_line(const char *at, positioned_line *out)
{
	memcpy(&out->key, at, sizeof out->key);
	at += sizeof out->key;
	out->bytes = gemp_unpack_bytes(&at, &out->size);
	return at;
}

/* Each rank writes the lines of a range of matches, so that the file is in the order of matches. */
static gemp_code distribute(const gemp_record_state *r, gemp_text *texts)
{
	gemp_code code = GEMP_OK;
	uint64_t range = (r->end - r->first) / (uint64_t)r->context->comm->size + 1;
	positioned_line line;
	for (size_t i = 0; i < r->piece_count; i++)
		for (const char *at = r->pieces[i].data, *end = at + r->pieces[i].size, *next; at && at < end; at = next) {
			next = next_line(at, &line);
			gemp_text_add(&texts[(line.key.number - r->first) / range], at, (size_t)(next - at));
		}
	for (int i = 0; i < r->context->comm->size && code == GEMP_OK; i++)
		code = gemp_text_status(&texts[i]);
	return code;
}

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

/* Lines of a match may come from several ranks. */
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

static void add_head(const gemp_record_state *r, uint64_t step, gemp_text *out)
{
	gemp_text_print(out, "{\"step\":%" PRIu64 ",\"rule\":", step + 1);
	gemp_json_string(out, r->rule->name, strlen(r->rule->name));
	gemp_text_print(out, ",\"applied\":%" PRIu64 "}\n", r->applied);
}

/* Collective. The lines of one round; rounds bound the memory for lines to about 1 / MAX_ROUNDS of a step. */
static gemp_code write_lines(gemp_record_state *r, gemp_recorder *recorder, uint64_t step)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = r->context->comm;
	gemp_text *texts = NULL, sorted = { 0 };
	void *received = NULL;
	size_t size = 0;
	code = GEMP_NEW(texts, (size_t)comm->size);
	GEMP_THEN(distribute(r, texts));
	GEMP_TRY_DONE(gemp_exchange_texts(comm, code, texts, &received, &size));
	if (comm->rank == 0 && r->first == 0)
		add_head(r, step, &sorted);
	GEMP_TRY_DONE(gemp_comm_agree(comm, sort_lines(received, size, &sorted)));
	recorder->lines += gemp_comm_sum1(comm, r->line_count);
	code = recorder->write(recorder->self, sorted.data, sorted.size);
done:
	for (int i = 0; texts && i < comm->size; i++)
		gemp_text_free(&texts[i]);
	gemp_free_all(texts, received);
	gemp_text_free(&sorted);
	return code;
}

static void free_state(gemp_record_state *r)
{
	gemp_edge_owners_free(&r->owners);
	gemp_free_all(r->received, r->events, r->deleted, r->deleted_bytes, r->edges, r->ends);
	gemp_column_free(&r->end_key[0]);
	gemp_column_free(&r->end_key[1]);
	for (size_t i = 0; r->pieces && i < r->piece_count; i++)
		gemp_text_free(&r->pieces[i]);
	gemp_free(r->pieces);
}

/* Collective. Called before the graph changes, since lines name elements as they were. Lines are printed in rounds, which bound
 * the memory for texts. */
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
	GEMP_TRY(gemp_record_events(&r));
	GEMP_TRY(gemp_record_implied(&r));
	GEMP_TRY(fetch_ends(&r));
	uint64_t range = applied / MAX_ROUNDS + 1;
	range = range < MIN_MATCHES_PER_ROUND ? MIN_MATCHES_PER_ROUND : range;
	for (; r.first < applied; r.first = r.end) {
		r.end = r.first + range;
		GEMP_TRY(gemp_comm_agree(context->comm, gemp_record_lines(&r)));
		GEMP_TRY(write_lines(&r, recorder, step));
	}
	return GEMP_OK;
}
