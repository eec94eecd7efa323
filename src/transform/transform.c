#include "transform/transform.h"

#include "core/log.h"
#include "core/memory.h"
#include "pattern/bind/bind.h"
#include "pattern/semantic/parse.h"

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
	gemp_effects_add(&all->effects, &one->effects);
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
		GEMP_TRY(r->options->before_step(r->options->self, r->graph, r->history));
	r->has_run = true;
	double since = gemp_now();
	options.number = r->steps++;
	options.first_only = control->one;
	options.unbound = r->unbound;
	options.rematch = r->rematch;
	options.order = &r->orders[control->rule];
	GEMP_TRY(gemp_comm_agree(r->context->comm, bind_rule(&rules, r, control->rule)));
	GEMP_TRY(gemp_rule_step(r->graph, r->context, rules, control->rule, &options, &report));
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
		GEMP_PROPAGATE(run(r, control->children[i], applied));
	return GEMP_OK;
}

/* The child again and again, until it does not apply or has run so many times. */
static gemp_code run_loop(run_context *r, const gemp_control *control, uint64_t times, bool *applied)
{
	*applied = true;
	for (uint64_t i = 0; i < times && *applied; i++)
		GEMP_PROPAGATE(run(r, control->children[0], applied));
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

/* Collective. */
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
		GEMP_TRY(gemp_comm_agree(context->comm, gemp_rule_set_bind(rules, *graph, options->lenient)));
	code = parse_silently(&r.unbound, &r);
	GEMP_THEN(GEMP_NEW(r.orders, rules->count));
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	if (!options->rematch_all)
		GEMP_TRY(gemp_comm_agree(context->comm, gemp_match_cache_new(&r.rematch, rules, *graph)));
	code = run(&r, rules->control, &applied);
done:
	gemp_rule_set_free(r.unbound);
	gemp_match_cache_free(r.rematch);
	gemp_free(r.orders);
	return code;
}
