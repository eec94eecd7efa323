#include "transform/transform.h"

#include "core/log.h"
#include "core/random.h"
#include "core/status.h"
#include "pattern/bind/bind.h"
#include "pattern/semantic/parse.h"
#include "transform/apply/apply.h"

/* Updates that leave the number of elements unchanged. */
static bool is_setting(const gemp_update *u)
{
	return u->kind == GEMP_SET_ATTRIBUTE || u->kind == GEMP_REMOVE_ATTRIBUTE || u->kind == GEMP_ADD_LABELS ||
	       u->kind == GEMP_REMOVE_LABELS || u->kind == GEMP_SET_TYPE;
}

/* Collective. Creations follow from the number of applied matches; deletions follow later, from the sizes of the
 * graph before and after, since one element may be deleted by several names. */
static void find_effects(gemp_effects *out, const gemp_comm *comm, const gemp_rule *rule, const gemp_frame *frame,
                         const uint8_t *selected, uint64_t applied)
{
	uint64_t set = 0;
	for (size_t i = 0; i < rule->update_count; i++) {
		const gemp_update *u = &rule->updates[i];
		if (!is_setting(u) || u->element.created)
			continue;
		const uint64_t *elements = frame->columns[u->element.index].elements;
		for (size_t row = 0; row < frame->rows; row++)
			set += selected[row] && elements[row] != GEMP_NO_ELEMENT;
	}
	*out = (gemp_effects){ .created_vertices = applied * rule->created_vertices,
		                   .created_edges = applied * rule->created_edges,
		                   .set = gemp_comm_sum1(comm, set) };
}

static void add_effects(gemp_effects *sum, const gemp_effects *one)
{
	sum->created_vertices += one->created_vertices;
	sum->created_edges += one->created_edges;
	sum->deleted_vertices += one->deleted_vertices;
	sum->deleted_edges += one->deleted_edges;
	sum->set += one->set;
}

/* One step; the frame has a row for each match on this rank. */
typedef struct step_context {
	gemp_runtime *context;
	gemp_shard *graph;
	const gemp_rule_set *rules;
	size_t index;
	const gemp_rule *rule;
	const gemp_step_options *options;
	gemp_step_report *report;
	gemp_frame frame;       /* rows of matches */
	gemp_selected selected; /* of these */
} step_context;

/* Collective. The seed differs for every step and rule, so repeated steps do not prefer the same matches. */
static gemp_code select_rows(step_context *s)
{
	const gemp_step_options *o = s->options;
	const gemp_select_options how = {
		.semantics = o->match.semantics,
		.unbound = &o->unbound->rules[s->index],
		.seed = gemp_mix(gemp_mix(o->seed ^ gemp_mix(o->number)) ^ s->index),
		.first_only = o->first_only,
		.numbered = o->recorder != NULL,
		.choose = o->choose,
	};
	return gemp_select(&s->selected, s->context, s->graph, s->rule, &s->frame, &how, &s->report->select);
}

/* Collective. The matches of the rule, from the cache where that is possible, and the decision which of them are applied. */
static gemp_code find_and_select(step_context *s)
{
	const gemp_step_options *o = s->options;
	double began = gemp_now(), found;
	if (o->rematch)
		GEMP_TRY(gemp_match_cache_rows(o->rematch, &s->frame, s->context, s->graph, s->rules, s->index, &o->match,
		                               o->combinations, o->order, &s->report->rematch));
	else
		GEMP_TRY(
			gemp_rule_matches_rows(&s->frame, s->context, s->graph, s->rule, &o->match, o->combinations, o->order));
	found = gemp_now();
	GEMP_TRY(select_rows(s));
	gemp_log(GEMP_VERBOSE, "%s: matches found in %.3f s, those to apply in %.3f s", s->rule->name, found - began,
	         gemp_now() - found);
	return GEMP_OK;
}

/* Collective. patched: NULL, or filled with what has changed. */
static gemp_code apply(step_context *s, gemp_shard **graph, gemp_patch_result *done)
{
	GEMP_OWNED_BY(gemp_new_vertices_free) gemp_new_vertices created = { 0 };
	const gemp_apply_options options = { .rules = s->rules, .string_keys = s->options->string_keys };
	GEMP_TRY(gemp_new_vertices_new(&created, s->context->comm, *graph, s->rule, &s->frame, s->selected.selected,
	                               s->selected.numbers, s->report->select.applied));
	if (s->options->recorder) {
		GEMP_TRY(gemp_new_vertices_fetch(&created, s->context, *graph));
		GEMP_TRY(gemp_record_step(s->options->recorder, s->context, *graph, &created, s->selected.selected,
		                          s->report->select.applied, s->options->number));
	}
	return gemp_apply_matches(graph, s->context, &created, &options, done);
}

/* An upper bound of the vertices that the selected matches change. */
static uint64_t max_touched_vertices(const step_context *s)
{
	uint64_t of_one = s->rule->created_vertices;
	for (size_t c = 0; c < s->frame.count; c++)
		of_one += s->frame.columns[c].kind == GEMP_CELL_VERTEX;
	return of_one * s->report->select.applied;
}

/* Collective. Edge owners are taken before the graph changes, since cached rows have the old edge numbers. */
static gemp_code apply_and_update_cache(step_context *s, gemp_shard **graph)
{
	gemp_match_cache *cache = s->options->rematch;
	GEMP_OWNED_BY(gemp_patch_result_free) gemp_patch_result done = { 0 };
	GEMP_OWNED_BY(gemp_edge_owners_free) gemp_edge_owners owners = { 0 };
	GEMP_TRY(gemp_shard_load_outgoing(*graph));
	GEMP_TRY(gemp_edge_owners_new(&owners, s->context->comm, *graph));
	GEMP_TRY(apply(s, graph, &done));
	gemp_match_cache_keep(cache, s->index, &s->frame);
	return gemp_match_cache_update(cache, s->index, s->context->comm, &owners, &done, *graph);
}

/* Collective. Cached matches are updated in place when the step's changes are few; otherwise the cache is reset. */
static gemp_code apply_selected(step_context *s, gemp_shard **graph)
{
	gemp_match_cache *cache = s->options->rematch;
	if (cache && s->report->select.applied == 0)
		gemp_match_cache_keep(cache, s->index, &s->frame);
	if (s->report->select.applied == 0)
		return GEMP_OK;
	if (cache && gemp_match_cache_pays(cache, s->index, max_touched_vertices(s), *graph))
		return apply_and_update_cache(s, graph);
	GEMP_TRY(apply(s, graph, NULL));
	if (cache)
		return gemp_comm_agree(s->context->comm, gemp_match_cache_reset(cache, *graph));
	return GEMP_OK;
}

/* Collective. rules->rules[rule] is bound to *graph. Where a match was applied, *graph becomes the new graph, whose
 * ids are not those that a file has (gemp_shard_canonical); after an error it is good for gemp_shard_free only. */
static gemp_code apply_step(gemp_shard **graph, gemp_runtime *context, const gemp_rule_set *rules, size_t rule,
                            const gemp_step_options *options, gemp_step_report *report)
{
	gemp_code code = GEMP_OK;
	step_context s = { .context = context,
		               .graph = *graph,
		               .rules = rules,
		               .index = rule,
		               .rule = &rules->rules[rule],
		               .options = options,
		               .report = report };
	*report = (gemp_step_report){ 0 };
	GEMP_TRY_DONE(find_and_select(&s));
	if (report->select.applied)
		find_effects(&report->effects, context->comm, s.rule, &s.frame, s.selected.selected, report->select.applied);
	uint64_t vertices = (*graph)->vertex_count, edges = gemp_shard_edges(*graph);
	GEMP_TRY_DONE(apply_selected(&s, graph));
	report->effects.deleted_vertices = vertices + report->effects.created_vertices - (*graph)->vertex_count;
	report->effects.deleted_edges = edges + report->effects.created_edges - gemp_shard_edges(*graph);
done:
	gemp_frame_free(&s.frame);
	gemp_selected_free(&s.selected);
	return code;
}

/* A run of the control program; limits are saved and restored around each control. */
typedef struct run_context {
	gemp_shard **graph;
	gemp_runtime *context;
	const gemp_rule_set *rules;
	const gemp_transform_options *options;
	gemp_rule_report *reports;
	gemp_transform_history *history;
	gemp_rule_set *unbound;    /* bound to no graph */
	gemp_match_cache *rematch; /* NULL: not wanted */
	gemp_cached_order *orders; /* [rules->count] */
	uint64_t steps;
	bool has_run;                /* a step was taken, and not only looked up */
	uint64_t max_steps;          /* steps; of what has the least left of its LIMIT */
	const gemp_control *limited; /* that; NULL: none has a LIMIT */
} run_context;

/* Parses the rules again without warnings, which the user has seen. */
static gemp_code parse_silently(gemp_rule_set **out, const run_context *r)
{
	gemp_verbosity level = gemp_log_set_level(GEMP_QUIET);
	gemp_code code = gemp_rule_set_parse(out, r->rules->text, r->rules->file, r->options->parameters,
	                                     r->options->parameter_count);
	gemp_log_set_level(level);
	return code;
}

/* A pattern can be bound to one graph only once, so every step parses the rules again. Names that the graph no
 * longer has match nothing, which deserves no warning. */
static gemp_code bind_rule(gemp_rule_set **out, const run_context *r, size_t rule)
{
	gemp_code code = parse_silently(out, r);
	gemp_verbosity level = gemp_log_set_level(GEMP_QUIET);
	GEMP_THEN(gemp_pattern_bind_with((*out)->rules[rule].pattern, *r->graph, true));
	gemp_log_set_level(level);
	if (code == GEMP_OK)
		gemp_rule_drop_nulls(&(*out)->rules[rule]);
	return code;
}

static void add_report(gemp_rule_report *all, const gemp_step_report *one, double seconds)
{
	all->steps++;
	gemp_select_add(&all->select, &one->select);
	add_effects(&all->effects, &one->effects);
	all->seconds += seconds;
}

/* The message for a run that needs more steps than LIMIT or max_steps allow. */
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

static gemp_code append_history(gemp_transform_history *history, bool applied)
{
	gemp_code code = GEMP_RESERVE(history->applied, history->capacity, history->count + 1);
	if (code == GEMP_OK)
		history->applied[history->count++] = applied;
	return code;
}

/* Collective. Steps of the history are looked up instead of run. */
static gemp_code run_rule(run_context *r, const gemp_control *control, bool *applied)
{
	gemp_code code = GEMP_OK;
	gemp_rule_set *rules = NULL;
	gemp_step_report report;
	gemp_step_options options = r->options->step;
	if (r->steps >= r->max_steps)
		return fail_at_limit(r, control);
	if (r->steps < r->history->count) {
		*applied = r->history->applied[r->steps++];
		return GEMP_OK;
	}
	if (r->has_run && r->options->before_step)
		GEMP_TRY_DONE(r->options->before_step(r->options->self, r->graph, r->history));
	r->has_run = true;
	double since = gemp_now();
	options.number = r->steps++;
	options.first_only = control->one;
	options.unbound = r->unbound;
	options.rematch = r->rematch;
	options.order = &r->orders[control->rule];
	GEMP_TRY_DONE(gemp_comm_agree(r->context->comm, bind_rule(&rules, r, control->rule)));
	GEMP_TRY_DONE(apply_step(r->graph, r->context, rules, control->rule, &options, &report));
	report.seconds = gemp_now() - since;
	add_report(&r->reports[control->rule], &report, report.seconds);
	if (r->options->on_step)
		r->options->on_step(r->options->self, &r->rules->rules[control->rule], options.number, &report);
	*applied = report.select.applied > 0;
	code = gemp_comm_agree(r->context->comm, append_history(r->history, *applied));
done:
	gemp_rule_set_free(rules);
	return code;
}

static gemp_code run(run_context *r, const gemp_control *control, bool *applied);

/* Runs the children in order until one applies (choice) or does not apply (sequence). */
static gemp_code run_children(run_context *r, const gemp_control *control, bool until, bool *applied)
{
	*applied = !until;
	for (size_t i = 0; i < control->count && *applied != until; i++)
		GEMP_TRY(run(r, control->children[i], applied));
	return GEMP_OK;
}

/* The child again and again, until it does not apply or has run so many times. */
static gemp_code run_loop(run_context *r, const gemp_control *control, uint64_t times, bool *applied)
{
	*applied = true;
	for (uint64_t i = 0; i < times && *applied; i++)
		GEMP_TRY(run(r, control->children[0], applied));
	return GEMP_OK;
}

/* TRY is a loop of at most one round whose failure does not count. */
static gemp_code run_kind(run_context *r, const gemp_control *control, bool *applied)
{
	gemp_code code = GEMP_OK;
	switch (control->kind) {
	case GEMP_RUN_RULE: return run_rule(r, control, applied);
	case GEMP_RUN_SEQUENCE: return run_children(r, control, false, applied);
	case GEMP_RUN_CHOICE: return run_children(r, control, true, applied);
	case GEMP_RUN_TIMES: return run_loop(r, control, control->times, applied);
	case GEMP_RUN_REPEAT:
	case GEMP_RUN_TRY:
		code = run_loop(r, control, control->kind == GEMP_RUN_TRY ? 1 : UINT64_MAX, applied);
		*applied = true;
		return code;
	}
	return gemp_fail(GEMP_EINTERNAL, "rules have a control of kind %d, which there is not", (int)control->kind);
}

/* Collective. Runs a control within its own LIMIT and those around it: the tightest limit is the one that a message names. */
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

/* Collective. Rules are bound to the graph before the first step, which finds names that the graph lacks. A run that goes on
 * from a history has bound them in its first job. */
gemp_code gemp_transform(gemp_shard **graph, gemp_runtime *context, gemp_rule_set *rules,
                         const gemp_transform_options *options, gemp_rule_report *reports,
                         gemp_transform_history *history)
{
	gemp_code code = GEMP_OK;
	bool applied;
	run_context r = { .graph = graph,
		              .context = context,
		              .rules = rules,
		              .options = options,
		              .reports = reports,
		              .history = history,
		              .max_steps = options->max_steps };
	if (history->count == 0)
		GEMP_TRY_DONE(gemp_comm_agree(context->comm, gemp_rule_set_bind(rules, *graph, options->lenient)));
	code = parse_silently(&r.unbound, &r);
	GEMP_THEN(GEMP_NEW(r.orders, rules->count));
	GEMP_TRY_DONE(gemp_comm_agree(context->comm, code));
	if (!options->rematch_all)
		GEMP_TRY_DONE(gemp_comm_agree(context->comm, gemp_match_cache_new(&r.rematch, rules, *graph)));
	code = run(&r, rules->control, &applied);
done:
	gemp_rule_set_free(r.unbound);
	gemp_match_cache_free(r.rematch);
	gemp_free(r.orders);
	return code;
}
