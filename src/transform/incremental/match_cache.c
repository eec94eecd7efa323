/* After a step the cached rows get the ids and edge numbers of the new graph. The former owners of the edges know the
 * new numbers from the patch. */

#include "transform/incremental/match_cache.h"

#include "core/bitset.h"
#include "core/threads.h"
#include "query/clause/projection.h"
#include "transform/incremental/local_search.h"

#include <string.h>

/* EDGE NUMBERS AFTER A STEP */

/* The new numbers of the edges of one relation that this rank owned before the step. */
typedef struct edge_numbers {
	/* owned: [own edges before the step] GEMP_NO_ELEMENT: the edge was deleted; NULL: the numbers ascend from `first`,
	 * or, if `gone`, all edges were deleted */
	gemp_edge *numbers;
	gemp_edge first;
	bool gone;
} edge_numbers;

/* Converts edge numbers of the graph before a step to edge numbers after the step. */
typedef struct renumbering {
	const gemp_comm *comm;
	const gemp_edge_owners *owners; /* owners of the edges before the step */
	const gemp_patch_result *patched;
	const gemp_shard *graph; /* the graph after the step */
	edge_numbers *relations; /* [owners->relations]; NULL: no cached row has edges */
} renumbering;

/* Returns the number of the relation's edges that this rank owns after the step. */
static size_t own_edges(const gemp_shard *graph, size_t relation)
{
	return (size_t)graph->relations[relation].out_offsets[graph->rows];
}

/* Returns the number of the relation's edges that this rank owned before the step. They end at the first edge of the
 * next rank, or at the end of the relation. */
static size_t own_edges_before(const renumbering *f, size_t relation)
{
	const gemp_edge_owners *o = f->owners;
	size_t next = relation * (size_t)o->ranks + (size_t)f->comm->rank + 1;
	gemp_edge end = f->comm->rank + 1 < o->ranks ? o->rank_first[next]
	                                             : o->relation_offset[relation + 1] - o->relation_offset[relation];
	return (size_t)(end - o->rank_first[next - 1]);
}

/* The origins of a relation's edges while they are inverted. */
typedef struct origin_inverse {
	const uint64_t *origin;
	edge_numbers *to;
} origin_inverse;

static void clear_numbers(void *context, size_t begin, size_t end)
{
	gemp_edge *numbers = context;
	for (size_t e = begin; e < end; e++)
		numbers[e] = GEMP_NO_ELEMENT;
}

/* An old edge is the origin of one new edge at most, so threads write different numbers. */
static void invert_origins(void *context, size_t begin, size_t end)
{
	const origin_inverse *o = context;
	for (size_t e = begin; e < end; e++)
		if (o->origin[e] != GEMP_NO_EDGE)
			o->to->numbers[o->origin[e]] = o->to->first + e;
}

/* The patch has the old position of each new edge. This function inverts the mapping. offsets: of the relations of the
 * new graph. */
static gemp_code number_edges(const renumbering *f, size_t relation, const gemp_edge *offsets)
{
	edge_numbers *to = &f->relations[relation];
	size_t before = own_edges_before(f, relation), now = f->patched->relations[relation];
	to->gone = now == SIZE_MAX;
	if (to->gone)
		return GEMP_OK;
	const uint64_t *origin = f->patched->origins[now];
	to->first = offsets[now] + f->graph->relations[now].first_edge;
	if (!origin)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(to->numbers, before));
	gemp_for_elements(before, clear_numbers, to->numbers);
	gemp_for_elements(own_edges(f->graph, now), invert_origins, &(origin_inverse){ origin, to });
	return GEMP_OK;
}

static void free_renumbering(renumbering *f)
{
	for (size_t r = 0; f->relations && r < f->owners->relations; r++)
		gemp_free(f->relations[r].numbers);
	gemp_free(f->relations);
	f->relations = NULL;
}

/* Local. Without origins no cached row has edges (gemp_match_cache_has_edges). */
static gemp_code new_renumbering(renumbering *out, const gemp_comm *comm, const gemp_edge_owners *owners,
                                 const gemp_patch_result *patched, const gemp_shard *graph)
{
	GEMP_OWNED gemp_edge *offsets = NULL;
	*out = (renumbering){ comm, owners, patched, graph, NULL };
	if (!patched->origins)
		return GEMP_OK;
	GEMP_TRY(gemp_edge_offsets(graph, &offsets));
	GEMP_TRY(GEMP_NEW(out->relations, owners->relations));
	for (size_t r = 0; r < owners->relations; r++)
		GEMP_TRY(number_edges(out, r, offsets));
	return GEMP_OK;
}

/* Request handler. Answers the new number of an edge that this rank owned before, or GEMP_NO_ELEMENT if the edge was
 * deleted. */
static gemp_code answer_numbers(void *self, const void *records, size_t count, uint64_t *answers)
{
	const renumbering *f = self;
	const gemp_edge *edges = records;
	for (size_t i = 0; i < count; i++) {
		size_t relation = gemp_edge_relation(f->owners, edges[i]);
		const edge_numbers *to = &f->relations[relation];
		uint64_t local = gemp_edge_local_index(f->owners, edges[i], f->comm->rank);
		answers[i] = to->gone ? GEMP_NO_ELEMENT : to->numbers ? to->numbers[local] : to->first + local;
	}
	return GEMP_OK;
}

/* Sets lost[row] if a vertex of the row no longer exists. */
static void renumber_vertices(const renumbering *f, uint64_t *elements, size_t rows, bool *lost)
{
	for (size_t row = 0; row < rows && !f->patched->id_map.identity; row++) {
		if (elements[row] == GEMP_NO_ELEMENT)
			continue;
		gemp_vertex id = gemp_id_map_get(&f->patched->id_map, (gemp_vertex)elements[row]);
		elements[row] = id == GEMP_NO_VERTEX ? GEMP_NO_ELEMENT : id;
		lost[row] |= id == GEMP_NO_VERTEX;
	}
}

/* Moves the rows without lost elements to a new frame. */
static gemp_code drop_lost(gemp_frame *frame, const bool *lost)
{
	gemp_frame left = { 0 };
	GEMP_OWNED uint64_t *picked = NULL;
	size_t count = 0;
	GEMP_TRY(GEMP_NEW(picked, frame->rows));
	for (size_t row = 0; row < frame->rows; row++)
		if (!lost[row])
			picked[count++] = row;
	if (count == frame->rows)
		return GEMP_OK;
	GEMP_TRY(gemp_frame_pick(&left, frame, picked, count));
	gemp_frame_free(frame);
	*frame = left;
	return GEMP_OK;
}

/* Collective. Drops the rows that have lost a vertex or an edge. The columns are the same on all ranks. */
static gemp_code renumber_rows(const renumbering *f, gemp_frame *frame)
{
	GEMP_OWNED bool *lost = NULL;
	GEMP_TRY(gemp_comm_agree(f->comm, GEMP_NEW(lost, frame->rows)));
	for (size_t c = 0; c < frame->count; c++) {
		gemp_frame_column *column = &frame->columns[c];
		size_t rows = column->elements ? frame->rows : 0;
		if (column->kind == GEMP_CELL_EDGE)
			GEMP_TRY(gemp_renumber_edges(f->comm, f->owners, column->elements, rows, answer_numbers, (void *)f, lost));
		else if (column->kind == GEMP_CELL_VERTEX)
			renumber_vertices(f, column->elements, rows, lost);
	}
	return gemp_comm_agree(f->comm, drop_lost(frame, lost));
}

/* If there are more than vertices / MAX_ANCHOR_DIVISOR anchors, the whole graph is searched. If a step touches more
 * than vertices / MAX_CHANGE_DIVISOR vertices, the cache is reset. */
enum { MAX_ANCHOR_DIVISOR = 2, MAX_CHANGE_DIVISOR = 4 };

/* The cached rows of a rule. */
typedef struct cached_rows {
	bool repeats; /* the control may run the rule more than once */
	bool local;   /* according to the rule's last search, changes affect only nearby matches */
	bool valid;
	uint32_t since; /* the time of the graph to which the rows belong */
	gemp_frame frame;
} cached_rows;

GEMP_RELEASE(gemp_match_cache_free, gemp_match_cache *)

struct gemp_match_cache {
	const gemp_rule_set *rules;
	uint32_t time; /* the current time, which is the number of changes of the graph */
	size_t rows;
	uint32_t *changed;       /* [rows] the time of the last change of each own vertex; NULL: none has changed */
	cached_rows *rules_rows; /* [rules->count] */
	uint32_t *applied;       /* [rules->count] the time of the last application of each rule */
	bool *since;             /* [rules->count] scratch: true for rules that were applied after a given time */
};

/* THE CACHE */

/* Returns how often the control runs a rule at most, where 2 stands for more than once. The rows of a rule that runs
 * only once are not kept, since they would only cost memory. */
static unsigned count_runs(const gemp_control *control, size_t rule)
{
	unsigned runs = control->kind == GEMP_RUN_RULE && control->rule == rule;
	bool often = control->kind == GEMP_RUN_REPEAT || (control->kind == GEMP_RUN_TIMES && control->times > 1);
	for (size_t i = 0; i < control->count; i++)
		runs += count_runs(control->children[i], rule);
	return often ? 2 * runs : runs;
}

gemp_code gemp_match_cache_new(gemp_match_cache **out, const gemp_rule_set *rules, const gemp_shard *graph)
{
	GEMP_OWNED_BY(gemp_match_cache_free_at) gemp_match_cache *m = NULL;
	GEMP_TRY(GEMP_NEW(m, 1));
	m->rules = rules;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(m->rules_rows, rules->count), GEMP_ARRAY(m->applied, rules->count),
	                      GEMP_ARRAY(m->since, rules->count)));
	gemp_match_cache_reset(m, graph);
	for (size_t r = 0; r < rules->count; r++)
		m->rules_rows[r].repeats = count_runs(rules->control, r) > 1;
	*out = m;
	m = NULL;
	return GEMP_OK;
}

static void drop_rows(cached_rows *k)
{
	gemp_frame_free(&k->frame);
	k->valid = false;
}

static void drop_all(gemp_match_cache *m)
{
	for (size_t r = 0; m->rules_rows && r < m->rules->count; r++)
		drop_rows(&m->rules_rows[r]);
}

void gemp_match_cache_free(gemp_match_cache *m)
{
	if (!m)
		return;
	drop_all(m);
	gemp_free_all(m->rules_rows, m->applied, m->since, m->changed, m);
}

/* The rows of a global rule are not kept, since its next step searches the whole graph in any case. */
void gemp_match_cache_keep(gemp_match_cache *m, size_t index, gemp_frame *frame)
{
	cached_rows *k = &m->rules_rows[index];
	drop_rows(k);
	if (!k->repeats || !k->local)
		return;
	k->valid = true;
	k->since = m->time;
	k->frame = *frame;
	*frame = (gemp_frame){ 0 };
}

/* SEARCH */

/* One search of a rule. Some cached rows are kept, and the matches of the anchors are searched. */
typedef struct refresh {
	gemp_match_cache *cache;
	cached_rows *cached;
	gemp_runtime *context;
	gemp_shard *graph;
	const gemp_rule *rule;
	gemp_locality locality;
	uint32_t *anchors; /* bitmap by id */
	uint64_t anchor_count;
} refresh;

static void free_refresh(refresh *s)
{
	gemp_locality_free(&s->locality);
	gemp_free(s->anchors);
}

/* If an integer attribute has become a float attribute, new rows have another type, and old rows cannot be appended to
 * them. */
static bool keeps_types(const cached_rows *k, const gemp_rule *rule, const gemp_shard *graph)
{
	const gemp_clause *result = &rule->pattern->result;
	for (size_t c = 0; c < k->frame.count; c++)
		if (k->frame.columns[c].kind == GEMP_CELL_VALUE &&
		    k->frame.columns[c].values.type != gemp_projection_type(graph, result->items[c].expr))
			return false;
	return true;
}

/* Own vertices that have changed after a time. */
typedef struct recent_marks {
	const uint32_t *changed;
	uint32_t since;
	bool *mark;
} recent_marks;

static void mark_recent(void *context, size_t begin, size_t end)
{
	const recent_marks *m = context;
	for (size_t row = begin; row < end; row++)
		m->mark[row] = m->changed && m->changed[row] > m->since;
}

/* Collective. Finds the anchors at which changes can have made or broken matches. */
static gemp_code find_anchors(refresh *s)
{
	const gemp_comm *comm = s->context->comm;
	GEMP_OWNED bool *mark = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(mark, s->graph->rows)));
	gemp_for_elements(s->graph->rows, mark_recent, &(recent_marks){ s->cache->changed, s->cached->since, mark });
	return gemp_neighbourhood_anchors(&s->anchors, &s->anchor_count, comm, s->graph, &s->locality, mark);
}

/* Local. If rows are cached, only the rules that were applied since the last search can have changed them. Otherwise
 * the locality only says whether it is useful to cache the rows. */
static gemp_code find_locality(refresh *s, const gemp_rule_set *rules, size_t index, gemp_semantics semantics)
{
	const gemp_match_cache *m = s->cache;
	const gemp_influence influence = { rules, s->cached->valid ? m->since : NULL };
	for (size_t r = 0; r < rules->count; r++)
		m->since[r] = m->applied[r] > s->cached->since;
	GEMP_TRY(gemp_locality_find(&s->locality, &influence, index, semantics));
	s->cached->local = !s->locality.global;
	return GEMP_OK;
}

/* Local. A cached row is still valid if its anchor is not near a change. */
static gemp_code keep_distant(const refresh *s, gemp_frame *out)
{
	const gemp_frame *all = &s->cached->frame;
	GEMP_OWNED uint64_t *picked = NULL;
	size_t count = 0;
	GEMP_TRY(GEMP_NEW(picked, all->rows));
	for (size_t row = 0; row < all->rows; row++)
		if (!gemp_bits32_test(s->anchors, all->columns[s->locality.column].elements[row]))
			picked[count++] = row;
	return gemp_frame_pick(out, all, picked, count);
}

/* Collective. *out becomes the valid cached rows, followed by the matches of the anchors. */
static gemp_code find_rows_near(refresh *s, gemp_frame *out, const gemp_match_options *options, uint64_t combinations,
                                gemp_match_cache_report *report)
{
	GEMP_OWNED_BY(gemp_frame_free) gemp_frame found = { 0 };
	const gemp_local_search local = { s->context, s->graph, s->rule, &s->locality, s->anchors, options, combinations };
	GEMP_TRY(gemp_comm_agree(s->context->comm, keep_distant(s, out)));
	report->cached = gemp_comm_sum1(s->context->comm, out->rows);
	if (s->anchor_count == 0)
		return GEMP_OK;
	GEMP_TRY(gemp_local_search_rows(&local, &found));
	gemp_code code = GEMP_OK;
	if (!out->columns && found.columns)
		code = gemp_frame_like(out, &found);
	if (found.columns)
		GEMP_THEN(gemp_frame_append(out, &found));
	return gemp_comm_agree(s->context->comm, code);
}

/* Collective. If few anchors are near changes, only their matches are searched, and all other rows come from the cache.
 * The caller frees the frame, also after an error. */
gemp_code gemp_match_cache_rows(gemp_match_cache *cache, gemp_frame *out, gemp_runtime *context, gemp_shard *graph,
                                const gemp_rule_set *rules, size_t index, const gemp_match_options *options,
                                uint64_t combinations, gemp_cached_order *order, gemp_match_cache_report *report)
{
	GEMP_OWNED_BY(free_refresh)
	refresh s = { .cache = cache,
		          .cached = &cache->rules_rows[index],
		          .context = context,
		          .graph = graph,
		          .rule = &rules->rules[index] };
	*report = (gemp_match_cache_report){ .anchors = graph->vertex_count };
	*out = (gemp_frame){ 0 };
	if (s.cached->valid && !keeps_types(s.cached, s.rule, graph))
		drop_rows(s.cached);
	if (s.cached->repeats)
		GEMP_TRY(gemp_comm_agree(context->comm, find_locality(&s, rules, index, options->semantics)));
	if (s.cached->valid && s.cached->local) {
		GEMP_TRY(find_anchors(&s));
		report->incremental = s.anchor_count <= graph->vertex_count / MAX_ANCHOR_DIVISOR;
	}
	if (!report->incremental)
		return gemp_rule_matches_rows(out, context, graph, s.rule, options, combinations, order);
	report->anchors = s.anchor_count;
	return find_rows_near(&s, out, options, combinations, report);
}

/* UPDATES */

/* An update needs a pass over the cached rows of all rules, so it pays only if some rule can use its rows later. */
bool gemp_match_cache_pays(const gemp_match_cache *m, size_t index, uint64_t touched, const gemp_shard *graph)
{
	bool useful = m->rules_rows[index].repeats && m->rules_rows[index].local;
	for (size_t r = 0; r < m->rules->count; r++)
		useful |= m->rules_rows[r].valid;
	return useful && touched <= graph->vertex_count / MAX_CHANGE_DIVISOR;
}

/* The array of times is made again, since the graph may have another number of rows. */
void gemp_match_cache_reset(gemp_match_cache *m, const gemp_shard *graph)
{
	drop_all(m);
	gemp_free(m->changed);
	m->changed = NULL;
	m->time = 0;
	memset(m->applied, 0, m->rules->count * sizeof *m->applied);
	m->rows = graph->rows;
}

/* The times of own vertices while they move to the rows of a new graph. */
typedef struct time_move {
	const gemp_patch_result *patched;
	const gemp_shard *graph;
	const uint32_t *before;
	uint32_t *after, now;
} time_move;

static void move_times(void *context, size_t begin, size_t end)
{
	const time_move *t = context;
	const gemp_id_map *ids = &t->patched->id_map;
	for (size_t row = begin; row < end; row++) {
		gemp_vertex id = gemp_id_map_get(ids, (gemp_vertex)(ids->old_bounds[t->graph->rank] + row));
		if (id != GEMP_NO_VERTEX)
			t->after[id - t->graph->first_vertex] = t->before[row];
	}
}

static void set_times(void *context, size_t begin, size_t end)
{
	const time_move *t = context;
	for (size_t row = begin; row < end; row++)
		if (gemp_bits64_test(t->patched->changed, t->graph->first_vertex + row))
			t->after[row] = t->now;
}

/* Local. The times move together with their vertices. Vertices that the patch has changed or created get the current
 * time. If no vertex moves, the array stays. */
static gemp_code update_times(gemp_match_cache *m, const gemp_patch_result *patched, const gemp_shard *graph)
{
	uint32_t *changed = m->changed;
	if (!changed || !patched->id_map.identity || m->rows != graph->rows)
		GEMP_TRY(GEMP_NEW(changed, graph->rows));
	const time_move t = { patched, graph, m->changed, changed, m->time };
	if (changed != m->changed) {
		if (m->changed)
			gemp_for_elements(m->rows, move_times, (void *)&t);
		gemp_free(m->changed);
	}
	gemp_for_elements(graph->rows, set_times, (void *)&t);
	m->changed = changed;
	m->rows = graph->rows;
	return GEMP_OK;
}

static bool has_edges(const gemp_frame *frame)
{
	for (size_t c = 0; c < frame->count; c++)
		if (frame->columns[c].kind == GEMP_CELL_EDGE)
			return true;
	return false;
}

bool gemp_match_cache_has_edges(const gemp_match_cache *m, size_t index, const gemp_frame *frame)
{
	bool found = m->rules_rows[index].repeats && m->rules_rows[index].local && has_edges(frame);
	for (size_t r = 0; r < m->rules->count; r++)
		found |= r != index && m->rules_rows[r].valid && has_edges(&m->rules_rows[r].frame);
	return found;
}

/* The rows of all rules are renumbered, since the step has changed ids for all rules. */
gemp_code gemp_match_cache_update(gemp_match_cache *m, size_t index, const gemp_comm *comm,
                                  const gemp_edge_owners *owners, const gemp_patch_result *patched,
                                  const gemp_shard *graph)
{
	GEMP_OWNED_BY(free_renumbering) renumbering f = { 0 };
	m->applied[index] = ++m->time;
	GEMP_TRY(gemp_comm_agree(comm, new_renumbering(&f, comm, owners, patched, graph)));
	for (size_t r = 0; r < m->rules->count; r++)
		if (m->rules_rows[r].valid)
			GEMP_TRY(renumber_rows(&f, &m->rules_rows[r].frame));
	return gemp_comm_agree(comm, update_times(m, patched, graph));
}
