#include "transform/step.h"

#include "core/log.h"
#include "transform/apply.h"
#include "transform/matches.h"
#include "transform/select.h"

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
static gemp_code find_and_select(stepping *s)
{
	gemp_code code = GEMP_OK;
	const gemp_step_options *o = s->options;
	double began = gemp_now(), found;
	GEMP_TRY(gemp_matches_rows(&s->frame, s->context, s->graph, s->rule, &o->match, o->combinations));
	found = gemp_now();
	GEMP_TRY(gemp_select(&s->selected, s->context, s->graph, s->rule, s->index, &s->frame, o, s->report));
	gemp_log(GEMP_VERBOSE, "%s: matches found in %.3f s, those to apply in %.3f s", s->rule->name, found - began,
	         gemp_now() - found);
done:
	return code;
}

/* Collective. */
static gemp_code apply(stepping *s, gemp_graph **graph)
{
	gemp_code code = GEMP_OK;
	gemp_fresh fresh = { 0 };
	const gemp_apply_options options = { .rules = s->rules, .string_keys = s->options->string_keys };
	GEMP_TRY(gemp_fresh_new(&fresh, s->context->comm, *graph, s->rule, &s->frame, s->selected.chosen,
	                        s->selected.numbers, s->report->applied));
	if (s->options->recorder) {
		GEMP_TRY(gemp_fresh_fetch(&fresh, s->context, *graph));
		GEMP_TRY(gemp_record_step(s->options->recorder, s->context, *graph, &fresh, s->selected.chosen, s->report->applied,
		                          s->options->number));
	}
	code = gemp_apply(graph, s->context, &fresh, &options, NULL);
done:
	gemp_fresh_free(&fresh);
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
	if (report->applied == 0)
		goto done;
	gemp_effects_find(&report->effects, context->comm, s.rule, &s.frame, s.selected.chosen, report->applied);
	uint64_t vertices = (*graph)->vertices, edges = gemp_graph_edges(*graph);
	GEMP_TRY(apply(&s, graph));
	gemp_effects_compare(&report->effects, vertices, edges, *graph);
done:
	gemp_frame_free(&s.frame);
	gemp_selected_free(&s.selected);
	return code;
}
