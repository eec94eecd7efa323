#include "rematch/rematch.h"

#include "core/memory.h"
#include "query/evaluate.h"
#include "rematch/follow.h"
#include "rematch/locality.h"
#include "rematch/matches.h"
#include "rematch/near.h"
#include "rematch/nearby.h"

#include <string.h>

enum { MOST_NEAR = 2, MOST_CHANGED = 4 }; /* beyond vertices / these all is looked for again, or nothing kept */

typedef struct kept {
	bool again;          /* the rule may run more than once */
	bool local;          /* as its last search found out */
	bool there;
	uint32_t since;      /* the time of the graph that its rows are of */
	gemp_frame frame;
} kept;

struct gemp_rematch {
	const gemp_rules *rules;
	uint32_t time;       /* how often the graph has changed */
	size_t rows;
	uint32_t *changed;   /* [rows] when each own vertex changed last */
	kept *rules_kept;    /* [rules->count] */
	uint32_t *applied;   /* [rules->count] when each rule was applied last */
	bool *since;         /* [rules->count] room for those that were, since some time */
};

/* MEMORY */

/* How often a rule runs at most: 2 stands for more than once. */
static unsigned runs_of(const gemp_control *control, size_t rule)
{
	unsigned runs = control->kind == GEMP_RUN_RULE && control->rule == rule;
	bool often = control->kind == GEMP_RUN_REPEAT || (control->kind == GEMP_RUN_TIMES && control->times > 1);
	for (size_t i = 0; i < control->count; i++)
		runs += runs_of(control->children[i], rule);
	return often ? 2 * runs : runs;
}

gemp_code gemp_rematch_new(gemp_rematch **out, const gemp_rules *rules, const gemp_graph *graph)
{
	gemp_code code = GEMP_OK;
	gemp_rematch *m = NULL;
	GEMP_TRY(GEMP_NEW(m, 1));
	m->rules = rules;
	GEMP_TRY(GEMP_NEW(m->rules_kept, rules->count));
	GEMP_TRY(GEMP_NEW(m->applied, rules->count));
	GEMP_TRY(GEMP_NEW(m->since, rules->count));
	GEMP_TRY(gemp_rematch_restart(m, graph));
	for (size_t r = 0; r < rules->count; r++)
		m->rules_kept[r].again = runs_of(rules->control, r) > 1;
	*out = m;
	m = NULL;
done:
	gemp_rematch_free(m);
	return code;
}

static void forget(kept *k)
{
	gemp_frame_free(&k->frame);
	k->there = false;
}

static void forget_all(gemp_rematch *m)
{
	for (size_t r = 0; m->rules_kept && r < m->rules->count; r++)
		forget(&m->rules_kept[r]);
}

void gemp_rematch_free(gemp_rematch *m)
{
	if (!m)
		return;
	forget_all(m);
	gemp_free(m->rules_kept);
	gemp_free(m->applied);
	gemp_free(m->since);
	gemp_free(m->changed);
	gemp_free(m);
}

void gemp_rematch_keep(gemp_rematch *m, size_t index, gemp_frame *frame)
{
	kept *k = &m->rules_kept[index];
	forget(k);
	if (!k->again || !k->local)
		return;
	k->there = true;
	k->since = m->time;
	k->frame = *frame;
	*frame = (gemp_frame){ 0 };
}

/* SEARCHING */

typedef struct searching {
	gemp_rematch *memory;
	kept *kept;
	gemp_context *context;
	gemp_graph *graph;
	const gemp_rule *rule;
	gemp_locality locality;
	uint32_t *near;
	uint64_t near_count;
} searching;

/* Local. An attribute that came to the graph since, or is one of floats now, has another type in rows to come. */
static bool keeps_types(const kept *k, const gemp_rule *rule, const gemp_graph *graph)
{
	const gemp_clause *result = &rule->pattern->result;
	for (size_t c = 0; c < k->frame.count; c++)
		if (k->frame.columns[c].kind == GEMP_CELL_VALUE &&
		    k->frame.columns[c].values.type != gemp_item_type(graph, result->items[c].expr))
			return false;
	return true;
}

/* Collective. The places that changes can have made or unmade matches at. */
static gemp_code find_near(searching *s)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = s->context->comm;
	bool *mark = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(mark, s->graph->rows)));
	for (size_t row = 0; row < s->graph->rows; row++)
		mark[row] = s->memory->changed[row] > s->kept->since;
	code = gemp_near_places(&s->near, &s->near_count, comm, s->graph, &s->locality, mark);
done:
	gemp_free(mark);
	return code;
}

/* Local. Where rows are kept, for what has been applied since; else to learn whether it is worth while to keep them. */
static gemp_code find_locality(searching *s, const gemp_rules *rules, size_t index, gemp_semantics semantics)
{
	const gemp_rematch *m = s->memory;
	gemp_influence influence = { rules, s->kept->there ? m->since : NULL };
	for (size_t r = 0; r < rules->count; r++)
		m->since[r] = m->applied[r] > s->kept->since;
	gemp_code code = gemp_locality_find(&s->locality, &influence, index, semantics);
	s->kept->local = code == GEMP_OK && !s->locality.global;
	return code;
}

/* Local. Rows whose place nothing has come near to. */
static gemp_code pick_far(const searching *s, gemp_frame *out)
{
	gemp_code code = GEMP_OK;
	const gemp_frame *all = &s->kept->frame;
	uint64_t *picked = NULL;
	size_t count = 0;
	GEMP_TRY(GEMP_NEW(picked, all->rows));
	for (size_t row = 0; row < all->rows; row++)
		if (!gemp_near_has(s->near, all->columns[s->locality.column].elements[row]))
			picked[count++] = row;
	code = gemp_frame_pick(out, all, picked, count);
done:
	gemp_free(picked);
	return code;
}

/* Collective. */
static gemp_code find_rows_near(searching *s, gemp_frame *out, const gemp_match_options *options, uint64_t combinations,
                                gemp_rematch_report *report)
{
	gemp_code code = GEMP_OK;
	gemp_frame found = { 0 };
	const gemp_nearby nearby = { s->context, s->graph, s->rule, &s->locality, s->near, options, combinations };
	GEMP_TRY(gemp_comm_agree(s->context->comm, pick_far(s, out)));
	report->kept = gemp_comm_sum1(s->context->comm, out->rows);
	if (s->near_count == 0)
		return GEMP_OK;
	GEMP_TRY(gemp_nearby_rows(&nearby, &found));
	if (!out->columns && found.columns)
		code = gemp_frame_like(out, &found);
	if (code == GEMP_OK && found.columns)
		code = gemp_frame_append(out, &found);
	code = gemp_comm_agree(s->context->comm, code);
done:
	gemp_frame_free(&found);
	return code;
}

gemp_code gemp_rematch_rows(gemp_rematch *memory, gemp_frame *out, gemp_context *context, gemp_graph *graph,
                            const gemp_rules *rules, size_t index, const gemp_match_options *options,
                            uint64_t combinations, gemp_kept_order *order, gemp_rematch_report *report)
{
	gemp_code code = GEMP_OK;
	searching s = { .memory = memory, .kept = &memory->rules_kept[index], .context = context, .graph = graph,
		.rule = &rules->rules[index] };
	*report = (gemp_rematch_report){ .places = graph->vertices };
	*out = (gemp_frame){ 0 };
	if (s.kept->there && !keeps_types(s.kept, s.rule, graph))
		forget(s.kept);
	if (s.kept->again) {
		code = find_locality(&s, rules, index, options->semantics);
		GEMP_TRY(gemp_comm_agree(context->comm, code));
	}
	if (s.kept->there && s.kept->local) {
		GEMP_TRY(find_near(&s));
		report->incremental = s.near_count <= graph->vertices / MOST_NEAR;
	}
	if (report->incremental) {
		report->places = s.near_count;
		code = find_rows_near(&s, out, options, combinations, report);
	} else {
		code = gemp_matches_rows(out, context, graph, s.rule, options, combinations, order);
	}
done:
	gemp_locality_free(&s.locality);
	gemp_free(s.near);
	if (code != GEMP_OK)
		gemp_frame_free(out);
	return code;
}

/* FOLLOWING */

bool gemp_rematch_survives(const gemp_rematch *m, size_t index, uint64_t touched, const gemp_graph *graph)
{
	bool some = m->rules_kept[index].again && m->rules_kept[index].local;
	for (size_t r = 0; r < m->rules->count; r++)
		some |= m->rules_kept[r].there;
	return some && touched <= graph->vertices / MOST_CHANGED;
}

gemp_code gemp_rematch_restart(gemp_rematch *m, const gemp_graph *graph)
{
	forget_all(m);
	gemp_free(m->changed);
	m->changed = NULL;
	m->time = 0;
	memset(m->applied, 0, m->rules->count * sizeof *m->applied);
	m->rows = graph->rows;
	return GEMP_NEW(m->changed, m->rows);
}

/* Local. Old rows tell theirs; what the patch has changed, new vertices among it, has changed now. */
static gemp_code follow_times(gemp_rematch *m, const gemp_patched *patched, const gemp_graph *graph)
{
	gemp_code code = GEMP_OK;
	uint32_t *changed = NULL;
	uint64_t first = patched->moved.old_bounds[graph->rank];
	GEMP_TRY(GEMP_NEW(changed, graph->rows));
	for (size_t row = 0; row < m->rows; row++) {
		gemp_vertex id = gemp_moved_id(&patched->moved, (gemp_vertex)(first + row));
		if (id != GEMP_NO_VERTEX)
			changed[id - graph->first] = m->changed[row];
	}
	for (size_t row = 0; row < graph->rows; row++)
		if (gemp_bit_is_set(patched->changed, graph->first + row))
			changed[row] = m->time;
	gemp_free(m->changed);
	m->changed = changed;
	m->rows = graph->rows;
done:
	return code;
}

gemp_code gemp_rematch_follow(gemp_rematch *m, size_t index, const gemp_comm *comm, const gemp_edge_places *owners,
                              const gemp_patched *patched, const gemp_graph *graph)
{
	gemp_code code = GEMP_OK;
	gemp_following following = { 0 };
	m->applied[index] = ++m->time;
	GEMP_TRY(gemp_comm_agree(comm, gemp_following_new(&following, comm, owners, patched, graph)));
	for (size_t r = 0; r < m->rules->count; r++)
		if (m->rules_kept[r].there)
			GEMP_TRY(gemp_follow(&following, &m->rules_kept[r].frame));
	code = gemp_comm_agree(comm, follow_times(m, patched, graph));
done:
	gemp_following_free(&following);
	return code;
}
