#include "transform/step.h"

#include "core/memory.h"
#include "core/random.h"
#include "transform/blocked.h"
#include "transform/matches.h"
#include "transform/order.h"
#include "transform/rebuild.h"

typedef struct stepping {
	gemp_context *context;
	gemp_graph *graph;
	const gemp_rules *rules;
	size_t index;
	const gemp_rule *rule;
	const gemp_step_options *options;
	gemp_step_report *report;
	gemp_matches matches;
	uint8_t *choice;       /* [rows] gemp_choice */
	gemp_rival *rivals;    /* [rows] */
	uint64_t *places;      /* [rows] in the order of all matches */
	uint64_t *numbers;     /* [rows] of chosen ones among these */
} stepping;

static gemp_code make_room(stepping *s)
{
	gemp_code code = GEMP_OK;
	size_t rows = s->matches.frame.rows;
	GEMP_TRY(GEMP_NEW(s->choice, rows));
	GEMP_TRY(GEMP_NEW(s->rivals, rows));
	GEMP_TRY(GEMP_NEW(s->places, rows));
	GEMP_TRY(GEMP_NEW(s->numbers, rows));
done:
	return code;
}

/* Collective. */
static gemp_code rank_rivals(stepping *s)
{
	const gemp_matches *m = &s->matches;
	uint64_t seed = gemp_mix(gemp_mix(s->options->seed ^ gemp_mix(s->options->number)) ^ s->index);
	gemp_code code = gemp_order_find(s->context->comm, m->tuples, m->frame.rows, m->width, s->graph->vertices,
	                                 s->places, NULL);
	for (size_t row = 0; row < m->frame.rows && code == GEMP_OK; row++)
		s->rivals[row] = (gemp_rival){ gemp_hash(m->tuples + row * m->width, m->width * sizeof *m->tuples, seed),
			s->places[row] };
	return code;
}

static gemp_code collect_tokens(const stepping *s, gemp_tokens *tokens)
{
	gemp_code code = GEMP_OK;
	gemp_footprint footprint = { 0 };
	GEMP_TRY(gemp_footprint_new(&footprint, s->rule, s->graph, s->options->match.semantics == GEMP_INDUCED));
	for (size_t row = 0; row < s->matches.frame.rows && code == GEMP_OK; row++)
		if (s->choice[row] == GEMP_UNDECIDED)
			code = gemp_footprint_add(&footprint, &s->matches.frame, row, tokens);
done:
	gemp_footprint_free(&footprint);
	return code;
}

/* Collective. */
static gemp_code choose(stepping *s)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = s->context->comm;
	size_t rows = s->matches.frame.rows;
	gemp_tokens tokens = { 0 };
	GEMP_TRY(rank_rivals(s));
	if (s->options->one) {
		code = gemp_choose_one(comm, s->rivals, rows, s->choice);
	} else {
		GEMP_TRY(gemp_comm_agree(comm, collect_tokens(s, &tokens)));
		code = gemp_choose_all(comm, s->rivals, rows, &tokens, s->choice, &s->report->rounds);
	}
done:
	gemp_free(tokens.tokens);
	return code;
}

/* Collective. choice becomes 1 for chosen matches and 0 for all others. */
static gemp_code number_chosen(stepping *s)
{
	size_t rows = s->matches.frame.rows;
	for (size_t row = 0; row < rows; row++)
		s->choice[row] = s->choice[row] == GEMP_CHOSEN;
	return gemp_order_number(s->context->comm, s->places, s->choice, rows, s->numbers, &s->report->applied);
}

/* Collective. */
static gemp_code apply(stepping *s, gemp_graph **out)
{
	gemp_code code = GEMP_OK;
	gemp_fresh fresh = { 0 };
	gemp_changes changes = { 0 };
	const gemp_rebuild_options options = { .rules = s->rules, .chosen = s->choice,
		.string_keys = s->options->string_keys };
	GEMP_TRY(gemp_fresh_new(&fresh, s->context, s->graph, s->rule, &s->matches.frame, s->numbers, s->report->applied));
	if (s->options->recorder)
		GEMP_TRY(gemp_record_step(s->options->recorder, s->context, s->graph, &fresh, s->choice, s->report->applied,
		                          s->options->number));
	GEMP_TRY(gemp_changes_send(&changes, s->context->comm, s->graph, &fresh, s->choice));
	code = gemp_rebuild(out, s->context, s->graph, &fresh, &changes, &options);
done:
	gemp_changes_free(&changes);
	gemp_fresh_free(&fresh);
	return code;
}

gemp_code gemp_step(gemp_graph **graph, gemp_context *context, const gemp_rules *rules, size_t rule,
                    const gemp_step_options *options, gemp_step_report *report)
{
	gemp_code code = GEMP_OK;
	gemp_graph *new = NULL;
	stepping s = { .context = context, .graph = *graph, .rules = rules, .index = rule, .rule = &rules->rules[rule],
		.options = options, .report = report };
	*report = (gemp_step_report){ 0 };
	GEMP_TRY(gemp_matches_find(&s.matches, context, *graph, s.rule, &options->match, options->combinations));
	report->matches = gemp_comm_sum1(context->comm, s.matches.frame.rows);
	if (report->matches == 0)
		goto done;
	GEMP_TRY(gemp_comm_agree(context->comm, make_room(&s)));
	GEMP_TRY(gemp_block(context, *graph, s.rule, &s.matches.frame, s.choice, &report->blocked));
	report->blocked = gemp_comm_sum1(context->comm, report->blocked);
	GEMP_TRY(choose(&s));
	GEMP_TRY(number_chosen(&s));
	report->conflicts = report->matches - report->blocked - report->applied;
	if (report->applied == 0)
		goto done;
	GEMP_TRY(apply(&s, &new));
	gemp_graph_free(*graph);
	*graph = new;
done:
	gemp_matches_free(&s.matches);
	gemp_free(s.choice);
	gemp_free(s.rivals);
	gemp_free(s.places);
	gemp_free(s.numbers);
	return code;
}
