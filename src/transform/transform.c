#include "transform/transform.h"

#include "core/log.h"
#include "core/node_memory.h"
#include "core/page_pool.h"
#include "core/random.h"
#include "core/status.h"
#include "partition/views/resident.h"
#include "pattern/bind/bind.h"
#include "pattern/semantic/parse.h"
#include "transform/apply/apply.h"
#include "transform/apply/balance.h"

/* A run of the control program. */
typedef struct run_context {
	gemp_shard **graph;
	gemp_runtime *context;
	const gemp_rule_set *rules; /* the parsed rules, for names and places; each step binds a copy of its own */
	const gemp_transform_options *options;
	gemp_rule_report *reports; /* [rules->count] */
	gemp_transform_history *history;
	gemp_rule_set *unbound;    /* a copy of the rules that is bound to no graph (gemp_select_options) */
	gemp_match_cache *cache;   /* NULL: every step searches the whole graph */
	gemp_cached_order *orders; /* [rules->count] */
	uint64_t steps;            /* number of steps so far, including the steps of the history */
	bool has_run;              /* this run itself has executed a step */
	uint64_t max_steps;        /* the smallest limit that applies now; the run fails if it needs more steps */
	/* the control whose LIMIT is max_steps; NULL: gemp_transform_options.max_steps is the limit */
	const gemp_control *limited;
} run_context;

/* One step of a run. The frame has a row for each match that this rank has found. */
typedef struct step_context {
	run_context *run;
	size_t index;         /* index of the rule */
	uint64_t number;      /* number of the step, from 0 */
	bool first_only;      /* RUN ONE: only the first match in the order of priorities is applied */
	gemp_rule_set *rules; /* bound to the graph before the step */
	const gemp_rule *rule;
	gemp_step_report report;
	gemp_frame frame;
	gemp_selected selected;
} step_context;

static void free_step(step_context *s)
{
	gemp_frame_free(&s->frame);
	gemp_selected_free(&s->selected);
	gemp_rule_set_free(s->rules);
}

/* MATCHES OF A STEP */

/* Collective. Finds the matches of the rule, from the cache if possible, and selects the matches that are applied. Each
 * step and rule has another seed, since repeated steps would otherwise prefer the same matches. */
static gemp_code find_and_select(step_context *s)
{
	run_context *r = s->run;
	const gemp_transform_options *o = r->options;
	const gemp_select_options how = {
		.semantics = o->match.semantics,
		.unbound = &r->unbound->rules[s->index],
		.seed = gemp_mix(gemp_mix(o->seed ^ gemp_mix(s->number)) ^ s->index),
		.first_only = s->first_only,
		.numbered = o->recorder != NULL,
		.choose = o->choose,
	};
	gemp_cached_order *order = &r->orders[s->index];
	double began = gemp_now(), found;
	if (r->cache)
		GEMP_TRY(gemp_match_cache_rows(r->cache, &s->frame, r->context, *r->graph, s->rules, s->index, &o->match,
		                               o->combinations, order, &s->report.cache));
	else
		GEMP_TRY(gemp_rule_matches_rows(&s->frame, r->context, *r->graph, s->rule, &o->match, o->combinations, order));
	found = gemp_now();
	GEMP_TRY(gemp_select(&s->selected, r->context, *r->graph, s->rule, &s->frame, &how, &s->report.select));
	gemp_log(GEMP_VERBOSE, "%s: matches found in %.3f s, those to apply in %.3f s", s->rule->name, found - began,
	         gemp_now() - found);
	return GEMP_OK;
}

/* Returns true for updates that leave the number of elements unchanged. */
static bool is_setting(const gemp_update *u)
{
	return u->kind == GEMP_SET_ATTRIBUTE || u->kind == GEMP_REMOVE_ATTRIBUTE || u->kind == GEMP_ADD_LABELS ||
	       u->kind == GEMP_REMOVE_LABELS || u->kind == GEMP_SET_TYPE;
}

/* Collective. The number of created elements follows from the number of applied matches. The number of deleted elements
 * follows later from the sizes of the graph before and after the step, since several names may delete the same
 * element. */
static void count_effects(step_context *s)
{
	uint64_t set = 0, applied = s->report.select.applied;
	for (size_t i = 0; i < s->rule->update_count; i++) {
		const gemp_update *u = &s->rule->updates[i];
		if (!is_setting(u) || u->element.created)
			continue;
		const uint64_t *elements = s->frame.columns[u->element.index].elements;
		for (size_t row = 0; row < s->frame.rows; row++)
			set += s->selected.selected[row] && elements[row] != GEMP_NO_ELEMENT;
	}
	s->report.effects = (gemp_effects){ .created_vertices = applied * s->rule->created_vertices,
		                                .created_edges = applied * s->rule->created_edges,
		                                .set = gemp_comm_sum1(s->run->context->comm, set) };
}

/* APPLICATION */

/* Collective. Applies the selected matches. If `changed` is not NULL, it gets the changes for the update of the
 * cache. */
static gemp_code apply(step_context *s, gemp_patch_result *changed)
{
	run_context *r = s->run;
	uint64_t applied = s->report.select.applied;
	GEMP_OWNED_BY(gemp_new_vertices_free) gemp_new_vertices created = { 0 };
	GEMP_TRY(gemp_new_vertices_new(&created, r->context->comm, *r->graph, s->rule, &s->frame, s->selected.selected,
	                               s->selected.numbers, applied));
	if (r->options->recorder) {
		GEMP_TRY(gemp_new_vertices_fetch(&created, r->context, *r->graph));
		GEMP_TRY(gemp_record_step(r->options->recorder, r->context, *r->graph, &created, s->selected.selected, applied,
		                          s->number));
	}
	return gemp_apply_matches(r->graph, r->context, &created, s->rules, r->options->string_keys,
	                          changed && gemp_match_cache_has_edges(r->cache, s->index, &s->frame), changed);
}

/* Returns an upper bound of the number of vertices that the selected matches change. */
static uint64_t max_touched_vertices(const step_context *s)
{
	uint64_t of_one = s->rule->created_vertices;
	for (size_t c = 0; c < s->frame.count; c++)
		of_one += s->frame.columns[c].kind == GEMP_CELL_VERTEX;
	return of_one * s->report.select.applied;
}

/* Collective. The owners of edges are copied before the graph changes, since cached rows have the old edge numbers. */
static gemp_code apply_and_update_cache(step_context *s)
{
	run_context *r = s->run;
	GEMP_OWNED_BY(gemp_patch_result_free) gemp_patch_result changed = { 0 };
	GEMP_OWNED_BY(gemp_edge_owners_free) gemp_edge_owners owners = { 0 };
	GEMP_TRY(gemp_shard_load_outgoing(*r->graph));
	GEMP_TRY(gemp_edge_owners_new(&owners, r->context->comm, *r->graph));
	GEMP_TRY(apply(s, &changed));
	gemp_match_cache_keep(r->cache, s->index, &s->frame);
	return gemp_match_cache_update(r->cache, s->index, r->context->comm, &owners, &changed, *r->graph);
}

/* Collective. If the step changes few vertices, cached matches are updated in place; otherwise the cache is reset, and
 * no cached row needs the matches where they were found. */
static gemp_code apply_selected(step_context *s)
{
	run_context *r = s->run;
	if (r->cache && gemp_match_cache_pays(r->cache, s->index, max_touched_vertices(s), *r->graph))
		return apply_and_update_cache(s);
	GEMP_TRY(gemp_balance_matches(r->context->comm, *r->graph, s->rule, s->report.select.applied, &s->frame,
	                              &s->selected.selected, &s->selected.numbers));
	GEMP_TRY(apply(s, NULL));
	if (r->cache)
		gemp_match_cache_reset(r->cache, *r->graph);
	return GEMP_OK;
}

/* Collective. Executes one step of a rule that is bound. */
static gemp_code apply_step(step_context *s)
{
	run_context *r = s->run;
	GEMP_TRY(find_and_select(s));
	if (s->report.select.applied == 0) {
		if (r->cache)
			gemp_match_cache_keep(r->cache, s->index, &s->frame);
		return GEMP_OK;
	}
	count_effects(s);
	gemp_effects *effects = &s->report.effects;
	uint64_t vertices = (*r->graph)->vertex_count, edges = gemp_shard_edges(*r->graph);
	GEMP_TRY(apply_selected(s));
	effects->deleted_vertices = vertices + effects->created_vertices - (*r->graph)->vertex_count;
	effects->deleted_edges = edges + effects->created_edges - gemp_shard_edges(*r->graph);
	return GEMP_OK;
}

/* Adds the counts of deletions, creations and settings to the sums of the rule. */
static void add_report(gemp_rule_report *sum, const gemp_step_report *one)
{
	sum->steps++;
	gemp_select_add(&sum->select, &one->select);
	sum->effects.created_vertices += one->effects.created_vertices;
	sum->effects.created_edges += one->effects.created_edges;
	sum->effects.deleted_vertices += one->effects.deleted_vertices;
	sum->effects.deleted_edges += one->effects.deleted_edges;
	sum->effects.set += one->effects.set;
	sum->seconds += one->seconds;
}

/* CONTROL */

/* A pattern can be bound to only one graph, and every step makes a new graph, so every step parses the rules again. No
 * warnings are printed, since the user has seen the warnings of the first parse. `bind` also binds rule `index`. Names
 * that the graph no longer has then match nothing, also without a warning. */
static gemp_code parse_silently(gemp_rule_set **out, const run_context *r, bool bind, size_t index)
{
	gemp_verbosity level = gemp_log_set_level(GEMP_QUIET);
	gemp_code code = gemp_rule_set_parse(out, r->rules->text, r->rules->file, r->options->parameters,
	                                     r->options->parameter_count);
	if (bind) {
		GEMP_THEN(gemp_pattern_bind_with((*out)->rules[index].pattern, *r->graph, true));
		if (code == GEMP_OK)
			gemp_rule_drop_nulls(&(*out)->rules[index]);
	}
	gemp_log_set_level(level);
	return code;
}

/* Fails with the message that the run needs more steps than LIMIT or max_steps allow. */
static gemp_code fail_at_limit(const run_context *r, const gemp_control *control)
{
	const char *name = r->rules->rules[control->rule].name;
	if (r->limited)
		return gemp_rule_set_fail(
			r->rules, r->limited->line, r->limited->column,
			"not done after LIMIT %llu steps, and "
			"rule %s is to be applied again; no graph was written: raise the LIMIT, or look whether "
			"the rules end at all",
			(unsigned long long)r->limited->limit, name);
	return gemp_fail(GEMP_EUSAGE,
	                 "the rules are not done after %llu steps, and rule %s is to be applied again; no "
	                 "graph was written: raise max-steps, or look whether the rules end at all",
	                 (unsigned long long)r->steps, name);
}

/* The byte of a step is appended after the graph has changed, so a checkpoint between two steps has both or neither. */
static gemp_code append_history(gemp_transform_history *history, bool applied)
{
	GEMP_TRY(GEMP_RESERVE(history->applied, history->capacity, history->count + 1));
	history->applied[history->count++] = applied;
	return GEMP_OK;
}

/* Collective. A step of the history is not executed, since the graph already has its changes. Its result is taken from
 * the history. */
static gemp_code run_rule(run_context *r, const gemp_control *control, bool *applied)
{
	GEMP_OWNED_BY(free_step)
	step_context s = { .run = r, .index = control->rule, .number = r->steps, .first_only = control->one };
	if (r->steps >= r->max_steps)
		return fail_at_limit(r, control);
	if (r->steps < r->history->count) {
		*applied = r->history->applied[r->steps++];
		return GEMP_OK;
	}
	if (r->has_run && r->options->before_step) {
		const gemp_shard *before = *r->graph;
		GEMP_TRY(r->options->before_step(r->options->self, r->graph, r->history));
		if (*r->graph != before)
			gemp_resident_evict(r->context);
	}
	r->has_run = true;
	r->steps++;
	double began = gemp_now();
	GEMP_TRY(gemp_comm_agree(r->context->comm, parse_silently(&s.rules, r, true, s.index)));
	s.rule = &s.rules->rules[s.index];
	GEMP_TRY(apply_step(&s));
	s.report.seconds = gemp_now() - began;
	add_report(&r->reports[s.index], &s.report);
	if (r->options->on_step)
		r->options->on_step(r->options->self, &r->rules->rules[s.index], s.number, &s.report);
	*applied = s.report.select.applied > 0;
	return gemp_comm_agree(r->context->comm, append_history(r->history, *applied));
}

static gemp_code run(run_context *r, const gemp_control *control, bool *applied);

/* Runs the children in order. A choice ends after the first child that applies, a sequence after the first child that
 * does not apply. */
static gemp_code run_children(run_context *r, const gemp_control *control, bool until, bool *applied)
{
	*applied = !until;
	for (size_t i = 0; i < control->count && *applied != until; i++)
		GEMP_TRY(run(r, control->children[i], applied));
	return GEMP_OK;
}

/* Runs the child repeatedly, until it does not apply or has run `times` times. */
static gemp_code run_loop(run_context *r, const gemp_control *control, uint64_t times, bool *applied)
{
	*applied = true;
	for (uint64_t i = 0; i < times && *applied; i++)
		GEMP_TRY(run(r, control->children[0], applied));
	return GEMP_OK;
}

/* TRY is a loop of at most one round, and its result is ignored. */
static gemp_code run_kind(run_context *r, const gemp_control *control, bool *applied)
{
	switch (control->kind) {
	case GEMP_RUN_RULE: return run_rule(r, control, applied);
	case GEMP_RUN_SEQUENCE: return run_children(r, control, false, applied);
	case GEMP_RUN_CHOICE: return run_children(r, control, true, applied);
	case GEMP_RUN_TIMES: return run_loop(r, control, control->times, applied);
	case GEMP_RUN_REPEAT:
	case GEMP_RUN_TRY:
		GEMP_TRY(run_loop(r, control, control->kind == GEMP_RUN_TRY ? 1 : UINT64_MAX, applied));
		*applied = true;
		return GEMP_OK;
	}
	return gemp_fail(GEMP_EINTERNAL, "unknown control of kind %d in rules", (int)control->kind);
}

/* Collective. Runs a control within its own LIMIT and the limits of the controls around it. The limits are restored
 * afterwards, so a message names the smallest LIMIT that applies. */
static gemp_code run(run_context *r, const gemp_control *control, bool *applied)
{
	const run_context outside = *r;
	if (control->limit && control->limit < r->max_steps - r->steps) {
		r->max_steps = r->steps + control->limit;
		r->limited = control;
	}
	gemp_code code = run_kind(r, control, applied);
	r->max_steps = outside.max_steps;
	r->limited = outside.limited;
	return code;
}

/* Frees a run, also if its preparation is incomplete. */
static void free_run(run_context *r)
{
	gemp_rule_set_free(r->unbound);
	gemp_match_cache_free(r->cache);
	gemp_free(r->orders);
}

/* Local. Makes the unbound copy of the rules, the orders and, if wanted, the cache. */
static gemp_code prepare(run_context *r)
{
	GEMP_TRY(parse_silently(&r->unbound, r, false, 0));
	GEMP_TRY(GEMP_NEW(r->orders, r->rules->count));
	return r->options->rematch_all ? GEMP_OK : gemp_match_cache_new(&r->cache, r->rules, *r->graph);
}

/* Local. The bytes of freed blocks that a run may keep for its next steps: a part of the memory that the ranks of the
 * node have left. A step frees about twice the bytes of its graph. */
static size_t kept_bytes(const gemp_runtime *context)
{
	enum { SHARE = 8 };
	return (size_t)(gemp_memory_available() / SHARE / (uint64_t)context->comm->node_size);
}

/* Rows of views, on the host and on devices, stay from step to step and follow the changes. A run that continues an
 * earlier run does not bind the rules at its start, since its graph may lack names that the
 * first graph had. */
gemp_code gemp_transform(gemp_shard **graph, gemp_runtime *context, gemp_rule_set *rules,
                         const gemp_transform_options *options, gemp_rule_report *reports,
                         gemp_transform_history *history)
{
	bool applied;
	GEMP_OWNED_BY(free_run)
	run_context r = { .graph = graph,
		              .context = context,
		              .rules = rules,
		              .options = options,
		              .reports = reports,
		              .history = history,
		              .max_steps = options->max_steps };
	if (history->count == 0)
		GEMP_TRY(gemp_comm_agree(context->comm, gemp_rule_set_bind(rules, *graph, options->lenient)));
	GEMP_TRY(gemp_comm_agree(context->comm, prepare(&r)));
	const bool kept = context->keep_resident;
	context->keep_resident = true;
	gemp_page_pool_keep(kept_bytes(context));
	gemp_code code = run(&r, rules->control, &applied);
	gemp_page_pool_release();
	context->keep_resident = kept;
	if (!kept)
		gemp_resident_evict(context);
	return code;
}
