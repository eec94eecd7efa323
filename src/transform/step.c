#include "transform/step.h"

#include "core/log.h"
#include "core/random.h"
#include "rematch/matches.h"
#include "rewrite/apply.h"

typedef struct stepping {
	gemp_context *context;
	gemp_graph *graph;
	const gemp_rules *rules;
	size_t index;
	const gemp_rule *rule;
	const gemp_step_options *options;
	gemp_step_report *report;
	gemp_frame frame;        /* rows of matches */
	gemp_selected selected;  /* of these */
} stepping;

/* Collective. */
static gemp_code select_rows(stepping *s)
{
	const gemp_step_options *o = s->options;
	const gemp_select_options how = {
		.semantics = o->match.semantics,
		.written = &o->written->rules[s->index],
		.seed = gemp_mix(gemp_mix(o->seed ^ gemp_mix(o->number)) ^ s->index),
		.one = o->one,
		.numbered = o->recorder != NULL,
		.choose = o->choose,
	};
	return gemp_select(&s->selected, s->context, s->graph, s->rule, &s->frame, &how, &s->report->select);
}

/* Collective. */
static gemp_code find_and_select(stepping *s)
{
	gemp_code code = GEMP_OK;
	const gemp_step_options *o = s->options;
	double began = gemp_now(), found;
	if (o->rematch)
		GEMP_TRY(gemp_rematch_rows(o->rematch, &s->frame, s->context, s->graph, s->rules, s->index, &o->match,
		                           o->combinations, o->order, &s->report->rematch));
	else
		GEMP_TRY(gemp_matches_rows(&s->frame, s->context, s->graph, s->rule, &o->match, o->combinations, o->order));
	found = gemp_now();
	GEMP_TRY(select_rows(s));
	gemp_log(GEMP_VERBOSE, "%s: matches found in %.3f s, those to apply in %.3f s", s->rule->name, found - began,
	         gemp_now() - found);
done:
	return code;
}

/* Collective. done: NULL, or what has changed. */
static gemp_code apply(stepping *s, gemp_graph **graph, gemp_patched *done)
{
	gemp_code code = GEMP_OK;
	gemp_fresh fresh = { 0 };
	const gemp_apply_options options = { .rules = s->rules, .string_keys = s->options->string_keys };
	GEMP_TRY(gemp_fresh_new(&fresh, s->context->comm, *graph, s->rule, &s->frame, s->selected.chosen,
	                        s->selected.numbers, s->report->select.applied));
	if (s->options->recorder) {
		GEMP_TRY(gemp_fresh_fetch(&fresh, s->context, *graph));
		GEMP_TRY(gemp_record_step(s->options->recorder, s->context, *graph, &fresh, s->selected.chosen,
		                          s->report->select.applied, s->options->number));
	}
	code = gemp_apply(graph, s->context, &fresh, &options, done);
done:
	gemp_fresh_free(&fresh);
	return code;
}

/* Vertices that the chosen matches can have changed. */
static uint64_t most_touched(const stepping *s)
{
	uint64_t of_one = s->rule->created_vertices;
	for (size_t c = 0; c < s->frame.count; c++)
		of_one += s->frame.columns[c].kind == GEMP_CELL_VERTEX;
	return of_one * s->report->select.applied;
}

/* Collective. */
static gemp_code apply_and_follow(stepping *s, gemp_graph **graph)
{
	gemp_code code = GEMP_OK;
	gemp_rematch *memory = s->options->rematch;
	gemp_patched done = { 0 };
	gemp_edge_places owners = { 0 };
	GEMP_TRY(gemp_graph_need_all_once(*graph));
	GEMP_TRY(gemp_edge_places_new(&owners, s->context->comm, *graph));
	GEMP_TRY(apply(s, graph, &done));
	gemp_rematch_keep(memory, s->index, &s->frame);
	code = gemp_rematch_follow(memory, s->index, s->context->comm, &owners, &done, *graph);
done:
	gemp_edge_places_free(&owners);
	gemp_patched_free(&done);
	return code;
}

/* Collective. What is kept of rows stays what it was or follows, or all is forgotten. */
static gemp_code apply_if_any(stepping *s, gemp_graph **graph)
{
	gemp_code code = GEMP_OK;
	gemp_rematch *memory = s->options->rematch;
	if (memory && s->report->select.applied == 0)
		gemp_rematch_keep(memory, s->index, &s->frame);
	if (s->report->select.applied == 0)
		return GEMP_OK;
	if (memory && gemp_rematch_survives(memory, s->index, most_touched(s), *graph))
		return apply_and_follow(s, graph);
	GEMP_TRY(apply(s, graph, NULL));
	if (memory)
		code = gemp_comm_agree(s->context->comm, gemp_rematch_restart(memory, *graph));
done:
	return code;
}

gemp_code gemp_step(gemp_graph **graph, gemp_context *context, const gemp_rules *rules, size_t rule,
                    const gemp_step_options *options, gemp_step_report *report)
{
	gemp_code code = GEMP_OK;
	stepping s = { .context = context, .graph = *graph, .rules = rules, .index = rule, .rule = &rules->rules[rule],
		.options = options, .report = report };
	*report = (gemp_step_report){ 0 };
	GEMP_TRY(find_and_select(&s));
	if (report->select.applied)
		gemp_effects_find(&report->effects, context->comm, s.rule, &s.frame, s.selected.chosen, report->select.applied);
	uint64_t vertices = (*graph)->vertices, edges = gemp_graph_edges(*graph);
	GEMP_TRY(apply_if_any(&s, graph));
	gemp_effects_compare(&report->effects, vertices, edges, *graph);
done:
	gemp_frame_free(&s.frame);
	gemp_selected_free(&s.selected);
	return code;
}
