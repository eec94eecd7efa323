#include "transform/conflicts/select.h"

#include "core/random.h"
#include "core/search.h"
#include "core/status.h"
#include "core/threads.h"
#include "partition/exchange/value_exchange.h"
#include "transform/conflicts/inapplicable.h"
#include "transform/conflicts/resolve.h"
#include "transform/conflicts/row_keys.h"

#include <string.h>

/* A part of a tuple and what it contains. */
typedef enum key_part {
	VERTEX, /* rank of the key */
	SOURCE, /* of an edge: rank of the source's key above, number among parallel edges below */
	TARGET, /* of an edge: relation above, rank of the target's key below */
	VALUE,  /* two numbers */
} key_part;

typedef struct tuple_part {
	key_part part;
	const gemp_frame_column *column;
	size_t at; /* in the tuple */
} tuple_part;

typedef struct keys_context {
	gemp_runtime *context;
	gemp_shard *graph;
	const gemp_rule *rule;
	const gemp_frame *frame;
	gemp_rule_columns columns;
	size_t count;
	tuple_part *parts; /* [count] */
	uint64_t *tuples;
	size_t width;
	gemp_edge_owners edges; /* made when the first edge is asked for */
	const tuple_part *current;
	uint64_t missing; /* the number of what is not there */
	size_t *rows;     /* [rows] of the part in hand: whose numbers are asked of other ranks, or all */
	size_t request_count;
	uint64_t *records; /* [asked] */
	int *owner;
	uint64_t *answers;
} keys_context;

/* PARTS of a tuple */

/* Values take two words, all other parts one. */
static void add_part(keys_context *m, key_part part, const gemp_frame_column *column)
{
	m->parts[m->count++] = (tuple_part){ part, column, m->width };
	m->width += part == VALUE ? 2 : 1;
}

/* How many relations the edge can belong to; *only becomes the last of them. */
static size_t count_relations(const keys_context *m, const gemp_pattern_edge *e, size_t *only)
{
	size_t count = 0;
	for (size_t r = 0; r < m->graph->relation_count; r++) {
		if (m->graph->relations[r].edge_count == 0 || (e->type_count && !e->relations[r]))
			continue;
		*only = r;
		count++;
	}
	return count;
}

/* A directed edge of a simple relation is determined by its ends: if both are in the tuple, the edge adds nothing.
 * Otherwise its number among parallel edges is needed, and the target if the row does not contain it. */
static void add_edge(keys_context *m, size_t column)
{
	gemp_rule_edge e;
	size_t relation = 0;
	bool known = gemp_rule_edge_find(&e, m->rule, &m->columns, column);
	bool ends = known && e.from != GEMP_NO_COLUMN && e.to != GEMP_NO_COLUMN;
	size_t relations = known ? count_relations(m, e.edge, &relation) : SIZE_MAX;
	if (ends && relations == 0)
		return;
	const gemp_relation *one = &m->graph->relations[relation];
	bool directed = known && one->directed && e.edge->direction == GEMP_OUT;
	if (ends && relations == 1 && !one->multigraph && directed)
		return;
	add_part(m, SOURCE, &m->frame->columns[column]);
	if (!ends || relations > 1)
		add_part(m, TARGET, &m->frame->columns[column]);
}

/* Vertices, then edges, then values: the order decides how matches compare. */
static gemp_code find_parts(keys_context *m)
{
	const gemp_frame *f = m->frame;
	GEMP_TRY(GEMP_NEW(m->parts, 2 * f->count));
	for (size_t c = 0; c < f->count; c++)
		if (f->columns[c].kind == GEMP_CELL_VERTEX)
			add_part(m, VERTEX, &f->columns[c]);
	for (size_t c = 0; c < f->count; c++)
		if (f->columns[c].kind == GEMP_CELL_EDGE)
			add_edge(m, c);
	for (size_t c = 0; c < f->count && !m->rule->has_all_columns; c++)
		if (f->columns[c].kind == GEMP_CELL_VALUE)
			add_part(m, VALUE, &f->columns[c]);
	m->width = m->width ? m->width : 1;
	return gemp_new_all(GEMP_ARRAY(m->tuples, f->rows * m->width), GEMP_ARRAY(m->rows, f->rows),
	                    GEMP_ARRAY(m->records, f->rows), GEMP_ARRAY(m->answers, f->rows),
	                    GEMP_ARRAY(m->owner, f->rows));
}

/* The first word of the current part in the tuple of a row. */
static uint64_t *key_word(const keys_context *m, size_t row)
{
	return &m->tuples[row * m->width + m->current->at];
}

/* VERTICES: the ranks of their keys, which their owners know. */

/* Own vertices are looked up directly; the words of the others are set by their owners' answers. */
static void fill_ranks(void *self, size_t range, size_t begin, size_t end)
{
	keys_context *m = self;
	const gemp_shard *g = m->graph;
	(void)range;
	for (size_t row = begin; row < end; row++) {
		uint64_t element = m->current->column->elements[row], own = element - g->first_vertex;
		*key_word(m, row) = own < g->rows ? g->key_ranks[own] : m->missing;
	}
}

static gemp_code answer_ranks(void *self, const void *records, size_t count, uint64_t *answers)
{
	const gemp_shard *g = self;
	const uint64_t *vertices = records;
	for (size_t i = 0; i < count; i++)
		answers[i] = g->key_ranks[vertices[i] - g->first_vertex];
	return GEMP_OK;
}

/* Collective. The records are vertices; answers become the ranks of their keys. */
static gemp_code request_ranks(keys_context *m)
{
	const gemp_request request = { m->records, m->request_count, sizeof *m->records, m->owner, answer_ranks, m->graph };
	memset(m->answers, 0, m->request_count * sizeof *m->answers);
	return gemp_request_run(m->context->comm, GEMP_OK, &request, m->answers);
}

static void request_vertex(keys_context *m, size_t row, uint64_t vertex)
{
	m->rows[m->request_count] = row;
	m->owner[m->request_count] = gemp_shard_owner(m->graph, vertex);
	m->records[m->request_count++] = vertex;
}

/* Collective. One rank needs no requests. */
static gemp_code fill_vertices(keys_context *m)
{
	const gemp_shard *g = m->graph;
	const uint64_t *elements = m->current->column->elements;
	m->missing = g->vertex_count;
	gemp_for_ranges(m->frame->rows, fill_ranks, m);
	if (m->context->comm->size == 1)
		return GEMP_OK;
	m->request_count = 0;
	for (size_t row = 0; row < m->frame->rows; row++)
		if (elements[row] != GEMP_NO_ELEMENT && elements[row] - g->first_vertex >= g->rows)
			request_vertex(m, row, elements[row]);
	GEMP_TRY(request_ranks(m));
	for (size_t i = 0; i < m->request_count; i++)
		*key_word(m, m->rows[i]) = m->answers[i];
	return GEMP_OK;
}

/* EDGES: asked of the ranks that own them. */

/* How many edges of the same row and target precede this edge. Targets of a row ascend, so the lower bound of the
 * target gives the answer. */
static uint64_t parallel_number(const gemp_relation *r, uint64_t begin, uint64_t at)
{
	return at - begin - gemp_lower_bound_u32(r->out_targets + begin, at - begin, r->out_targets[at]);
}

/* Request handler: rank of the source's key in the upper half, number among parallel edges in the lower half. */
static gemp_code answer_sources(void *self, const void *records, size_t count, uint64_t *answers)
{
	const keys_context *m = self;
	const uint64_t *edges = records;
	for (size_t i = 0; i < count; i++) {
		size_t k = gemp_edge_relation(&m->edges, edges[i]);
		const gemp_relation *r = &m->graph->relations[k];
		uint64_t at = gemp_edge_local_index(&m->edges, edges[i], m->graph->rank);
		size_t row = gemp_range_find(r->out_offsets, m->graph->rows, at);
		answers[i] = (uint64_t)m->graph->key_ranks[row] << 32 | parallel_number(r, r->out_offsets[row], at);
	}
	return GEMP_OK;
}

/* Request handler: the id of the target. */
static gemp_code answer_targets(void *self, const void *records, size_t count, uint64_t *answers)
{
	const keys_context *m = self;
	const uint64_t *edges = records;
	for (size_t i = 0; i < count; i++) {
		size_t k = gemp_edge_relation(&m->edges, edges[i]);
		const gemp_relation *r = &m->graph->relations[k];
		answers[i] = r->out_targets[gemp_edge_local_index(&m->edges, edges[i], m->graph->rank)];
	}
	return GEMP_OK;
}

/* Collective. Asks the owners of the edges of the current column; absent edges get UINT64_MAX. */
static gemp_code request_edges(keys_context *m, gemp_request_handler answer)
{
	const uint64_t *elements = m->current->column->elements;
	m->request_count = 0;
	for (size_t row = 0; row < m->frame->rows; row++) {
		*key_word(m, row) = UINT64_MAX;
		if (elements[row] == GEMP_NO_ELEMENT)
			continue;
		m->rows[m->request_count] = row;
		m->owner[m->request_count] = gemp_edge_owner(&m->edges, elements[row]);
		m->records[m->request_count++] = elements[row];
	}
	const gemp_request request = { m->records, m->request_count, sizeof *m->records, m->owner, answer, m };
	memset(m->answers, 0, m->request_count * sizeof *m->answers);
	return gemp_request_run(m->context->comm, GEMP_OK, &request, m->answers);
}

/* Collective. */
static gemp_code fill_sources(keys_context *m)
{
	gemp_code code = request_edges(m, answer_sources);
	for (size_t i = 0; i < m->request_count && code == GEMP_OK; i++)
		*key_word(m, m->rows[i]) = m->answers[i];
	return code;
}

/* Collective. Two requests: the owner of an edge knows the id of its target, the owner of the target the rank of
 * its key. */
static gemp_code fill_targets(keys_context *m)
{
	GEMP_TRY(request_edges(m, answer_targets));
	for (size_t i = 0; i < m->request_count; i++) {
		*key_word(m, m->rows[i]) = (uint64_t)gemp_edge_relation(&m->edges, m->records[i]) << 32;
		m->owner[i] = gemp_shard_owner(m->graph, m->answers[i]);
	}
	memcpy(m->records, m->answers, m->request_count * sizeof *m->records);
	GEMP_TRY(request_ranks(m));
	for (size_t i = 0; i < m->request_count; i++)
		*key_word(m, m->rows[i]) |= m->answers[i];
	return GEMP_OK;
}

/* Collective. Most rules identify their edges by the ends, so edge owners are gathered only when the first part
 * asks for them. */
static gemp_code load_edges(keys_context *m)
{
	if (m->edges.relation_offset)
		return GEMP_OK;
	for (size_t r = 0; r < m->graph->relation_count; r++)
		if (m->graph->relations[r].edge_count)
			GEMP_TRY(gemp_shard_load_relation(m->graph, r, GEMP_LOAD_OUT));
	return gemp_edge_owners_new(&m->edges, m->context->comm, m->graph);
}

/* Values of rows that stand for many matches. NULL comes first and integers in their order; for other types only
 * equality matters, so 128 bits of hash suffice. */
static gemp_code fill_values(keys_context *m)
{
	gemp_code code = GEMP_OK;
	gemp_text bytes = { 0 };
	for (size_t row = 0; row < m->frame->rows && code == GEMP_OK; row++) {
		gemp_value value = gemp_frame_value(m->current->column, row);
		uint64_t *number = key_word(m, row);
		if (value.null)
			continue;
		number[0] = 1;
		number[1] = (uint64_t)value.integer ^ (uint64_t)1 << 63;
		if (value.type == GEMP_INTEGER)
			continue;
		gemp_text_clear(&bytes);
		gemp_cell_pack(m->current->column, row, &bytes);
		code = gemp_text_status(&bytes);
		number[0] = gemp_hash(bytes.data, bytes.size, 0) | 1;
		number[1] = gemp_hash(bytes.data, bytes.size, 1);
	}
	gemp_text_free(&bytes);
	return gemp_comm_agree(m->context->comm, code);
}

/* Collective. All ranks have the same parts in the same order. */
static gemp_code fill_part(keys_context *m)
{
	switch (m->current->part) {
	case VERTEX: return fill_vertices(m);
	case SOURCE: GEMP_TRY(load_edges(m)); return fill_sources(m);
	case TARGET: return fill_targets(m);
	case VALUE: return fill_values(m);
	}
	return GEMP_OK;
}

/* Collective. Of each row of the frame, in this order:
 *   its vertices: ranks of their keys; graph->vertices where one is missing;
 *   its edges, but those that the vertices tell: rank of the source's key and number among the parallel edges; where
 *   neither the vertices nor the pattern say which it is, then relation and rank of the target's key;
 *   where rows stand for many matches, their values: two numbers each, integers in their order.
 * Rows that are alike in all their columns have equal tuples. The caller frees out->tuples. */
static gemp_code make_tuples(gemp_match_keys *out, gemp_runtime *context, gemp_shard *graph, const gemp_rule *rule,
                             const gemp_frame *frame)
{
	gemp_code code = GEMP_OK;
	keys_context m = { .context = context, .graph = graph, .rule = rule, .frame = frame };
	gemp_rule_columns_find(&m.columns, rule);
	GEMP_TRY_DONE(gemp_comm_agree(context->comm, find_parts(&m)));
	GEMP_TRY_DONE(gemp_shard_load_keys(graph));
	for (size_t i = 0; i < m.count; i++) {
		m.current = &m.parts[i];
		GEMP_TRY_DONE(fill_part(&m));
	}
	*out = (gemp_match_keys){ frame->rows, m.width, m.tuples, graph->vertex_count };
	m.tuples = NULL;
done:
	gemp_free_all(m.parts, m.tuples, m.rows, m.records, m.owner, m.answers);
	gemp_edge_owners_free(&m.edges);
	return code;
}

typedef struct selection {
	gemp_runtime *context;
	gemp_shard *graph;
	const gemp_rule *rule;
	const gemp_frame *frame;
	const gemp_select_options *options;
	gemp_select_report *report;
	uint8_t *decisions;      /* [rows] gemp_match_decision */
	uint64_t *priority;      /* [rows] */
	gemp_match_keys ordered; /* made when the first asks for it */
} selection;

/* Collective. Tuples are made when the first step asks for them; rules without conflicts and without new vertices
 * never do. */
static gemp_code make_match_keys(selection *s)
{
	return s->ordered.tuples ? GEMP_OK : make_tuples(&s->ordered, s->context, s->graph, s->rule, s->frame);
}

/* A priority is a hash of the tuple, so it depends neither on ids nor on ranks. */
static void hash_range(void *self, size_t range, size_t begin, size_t end)
{
	selection *s = self;
	size_t width = s->ordered.width;
	(void)range;
	for (size_t row = begin; row < end; row++)
		s->priority[row] = gemp_hash(s->ordered.tuples + row * width, width * sizeof *s->ordered.tuples,
		                             s->options->seed);
}

/* Collective. Different seeds give different maximal sets. */
static gemp_code draw_priorities(selection *s)
{
	GEMP_TRY(make_match_keys(s));
	GEMP_TRY(gemp_comm_agree(s->context->comm, GEMP_NEW(s->priority, s->frame->rows)));
	gemp_for_ranges(s->frame->rows, hash_range, s);
	return GEMP_OK;
}

/* Collective. The keys of undecided rows. */
static gemp_code list_conflict_keys(const selection *s, gemp_conflict_keys *conflict_keys)
{
	GEMP_OWNED_BY(gemp_rw_set_free) gemp_rw_set rw_set = { 0 };
	bool induced = s->options->semantics == GEMP_INDUCED;
	GEMP_TRY(gemp_comm_agree(s->context->comm, gemp_rw_set_new(&rw_set, s->options->unbound, s->graph, induced)));
	return gemp_row_keys_make(conflict_keys, s->context->comm, s->graph, &rw_set, s->frame, s->decisions);
}

/* Only matches that contend take part in making priorities unique. */
static void mark_undecided(const selection *s, uint8_t *marked)
{
	for (size_t row = 0; row < s->frame->rows; row++)
		marked[row] = s->decisions[row] == GEMP_UNDECIDED;
}

/* Collective. Decides about the matches that contend with others. */
static gemp_code resolve_contended(selection *s, const gemp_conflict_keys *conflict_keys)
{
	const gemp_comm *comm = s->context->comm;
	GEMP_OWNED uint8_t *marked = NULL;
	GEMP_TRY(draw_priorities(s));
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(marked, s->frame->rows)));
	mark_undecided(s, marked);
	GEMP_TRY(gemp_match_order_distinct(comm, &s->ordered, marked, s->priority));
	const gemp_resolver resolver = { comm, s->context, s->options->choose };
	return gemp_resolve_all(&resolver, conflict_keys, s->priority, s->decisions, &s->report->rounds);
}

/* Collective. */
static gemp_code resolve_conflicts(selection *s)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(gemp_conflict_keys_free) gemp_conflict_keys conflict_keys = { 0 };
	uint64_t left = 0;
	GEMP_TRY(list_conflict_keys(s, &conflict_keys));
	GEMP_TRY(gemp_resolve_uncontended(s->context->comm, &conflict_keys, s->decisions, &left));
	if (left)
		code = resolve_contended(s, &conflict_keys);
	return code;
}

/* Collective. The match with the smallest priority, as RUN ONE wants. */
static gemp_code select_first(selection *s)
{
	GEMP_TRY(draw_priorities(s));
	return gemp_resolve_one(s->context->comm, &s->ordered, s->priority, s->decisions);
}

/* Collective. Turns decisions into 0 and 1, and numbers the selected matches over all ranks if new keys or the
 * change log need numbers. */
static gemp_code number_selected(selection *s, gemp_selected *out)
{
	uint64_t applied = 0;
	for (size_t row = 0; row < s->frame->rows; row++)
		applied += s->decisions[row] = s->decisions[row] == GEMP_SELECTED;
	s->report->applied = gemp_comm_sum1(s->context->comm, applied);
	if (!s->report->applied || !(s->rule->created_vertices || s->options->numbered))
		return GEMP_OK;
	GEMP_TRY(make_match_keys(s));
	GEMP_TRY(gemp_comm_agree(s->context->comm, GEMP_NEW(out->numbers, s->frame->rows)));
	return gemp_match_order_number(s->context->comm, &s->ordered, s->decisions, out->numbers, NULL);
}

/* Collective. Rejections first, as rejected matches must not block others. */
static gemp_code select_rows(selection *s, gemp_selected *out)
{
	gemp_code code = GEMP_OK;
	gemp_select_report *report = s->report;
	code = GEMP_NEW(s->decisions, s->frame->rows);
	out->selected = s->decisions;
	GEMP_TRY(gemp_comm_agree(s->context->comm, code));
	GEMP_TRY(gemp_reject_inapplicable(s->context, s->graph, s->rule, s->options->semantics, s->frame, s->decisions,
	                                  &report->inapplicable));
	report->inapplicable = gemp_comm_sum1(s->context->comm, report->inapplicable);
	GEMP_TRY(s->options->first_only ? select_first(s) : resolve_conflicts(s));
	GEMP_TRY(number_selected(s, out));
	report->conflicts = report->matches - report->inapplicable - report->applied;
	return GEMP_OK;
}

gemp_code gemp_select(gemp_selected *out, gemp_runtime *context, gemp_shard *graph, const gemp_rule *rule,
                      const gemp_frame *frame, const gemp_select_options *options, gemp_select_report *report)
{
	gemp_code code = GEMP_OK;
	selection s = {
		.context = context, .graph = graph, .rule = rule, .frame = frame, .options = options, .report = report
	};
	*out = (gemp_selected){ 0 };
	*report = (gemp_select_report){ .matches = gemp_comm_sum1(context->comm, frame->rows) };
	if (report->matches)
		code = select_rows(&s, out);
	gemp_free_all(s.priority, s.ordered.tuples);
	return code;
}

void gemp_select_add(gemp_select_report *sum, const gemp_select_report *one)
{
	sum->matches += one->matches;
	sum->inapplicable += one->inapplicable;
	sum->conflicts += one->conflicts;
	sum->applied += one->applied;
	sum->rounds += one->rounds;
}

void gemp_selected_free(gemp_selected *selected)
{
	gemp_free_all(selected->selected, selected->numbers);
	*selected = (gemp_selected){ 0 };
}
