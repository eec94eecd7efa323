#include "transform/step.h"

#include "core/log.h"
#include "core/random.h"
#include "partition/patch/patch.h"
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

void gemp_effects_add(gemp_effects *sum, const gemp_effects *one)
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

/* Collective. */
static gemp_code find_and_select(step_context *s)
{
	const gemp_step_options *o = s->options;
	double began = gemp_now(), found;
	if (o->rematch)
		GEMP_PROPAGATE(gemp_match_cache_rows(o->rematch, &s->frame, s->context, s->graph, s->rules, s->index, &o->match,
		                                     o->combinations, o->order, &s->report->rematch));
	else
		GEMP_PROPAGATE(
			gemp_rule_matches_rows(&s->frame, s->context, s->graph, s->rule, &o->match, o->combinations, o->order));
	found = gemp_now();
	GEMP_PROPAGATE(select_rows(s));
	gemp_log(GEMP_VERBOSE, "%s: matches found in %.3f s, those to apply in %.3f s", s->rule->name, found - began,
	         gemp_now() - found);
	return GEMP_OK;
}

/* Collective. patched: NULL, or filled with what has changed. */
static gemp_code apply(step_context *s, gemp_shard **graph, gemp_patch_result *done)
{
	GEMP_OWNED_BY(gemp_new_vertices_free) gemp_new_vertices created = { 0 };
	const gemp_apply_options options = { .rules = s->rules, .string_keys = s->options->string_keys };
	GEMP_PROPAGATE(gemp_new_vertices_new(&created, s->context->comm, *graph, s->rule, &s->frame, s->selected.selected,
	                                     s->selected.numbers, s->report->select.applied));
	if (s->options->recorder) {
		GEMP_PROPAGATE(gemp_new_vertices_fetch(&created, s->context, *graph));
		GEMP_PROPAGATE(gemp_record_step(s->options->recorder, s->context, *graph, &created, s->selected.selected,
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
	GEMP_PROPAGATE(gemp_shard_load_outgoing(*graph));
	GEMP_PROPAGATE(gemp_edge_owners_new(&owners, s->context->comm, *graph));
	GEMP_PROPAGATE(apply(s, graph, &done));
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
	GEMP_PROPAGATE(apply(s, graph, NULL));
	if (cache)
		return gemp_comm_agree(s->context->comm, gemp_match_cache_reset(cache, *graph));
	return GEMP_OK;
}

gemp_code gemp_rule_step(gemp_shard **graph, gemp_runtime *context, const gemp_rule_set *rules, size_t rule,
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
	GEMP_TRY(find_and_select(&s));
	if (report->select.applied)
		find_effects(&report->effects, context->comm, s.rule, &s.frame, s.selected.selected, report->select.applied);
	uint64_t vertices = (*graph)->vertex_count, edges = gemp_shard_edges(*graph);
	GEMP_TRY(apply_selected(&s, graph));
	report->effects.deleted_vertices = vertices + report->effects.created_vertices - (*graph)->vertex_count;
	report->effects.deleted_edges = edges + report->effects.created_edges - gemp_shard_edges(*graph);
done:
	gemp_frame_free(&s.frame);
	gemp_selected_free(&s.selected);
	return code;
}
