#include "transform/conflicts/select.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/threads.h"
#include "transform/conflicts/inapplicable.h"
#include "transform/conflicts/match_keys.h"
#include "transform/conflicts/row_keys.h"

typedef struct selecting {
	gemp_runtime *context;
	gemp_shard *graph;
	const gemp_rule *rule;
	const gemp_frame *frame;
	const gemp_select_options *options;
	gemp_select_report *report;
	uint8_t *choice;         /* [rows] gemp_match_decision */
	uint64_t *priority;      /* [rows] */
	gemp_match_keys ordered; /* made when the first asks for it */
} selecting;

/* Collective. */
static gemp_code need_tuples(selecting *s)
{
	return s->ordered.tuples ? GEMP_OK : gemp_match_keys_make(&s->ordered, s->context, s->graph, s->rule, s->frame);
}

static void draw_range(void *self, size_t range, size_t begin, size_t end)
{
	selecting *s = self;
	size_t width = s->ordered.width;
	(void)range;
	for (size_t row = begin; row < end; row++)
		s->priority[row] = gemp_hash(s->ordered.tuples + row * width, width * sizeof *s->ordered.tuples,
		                             s->options->seed);
}

/* Collective. */
static gemp_code draw_priorities(selecting *s)
{
	GEMP_PROPAGATE(need_tuples(s));
	GEMP_PROPAGATE(gemp_comm_agree(s->context->comm, GEMP_NEW(s->priority, s->frame->rows)));
	gemp_for_ranges(s->frame->rows, draw_range, s);
	return GEMP_OK;
}

/* Collective. */
static gemp_code list_tokens(const selecting *s, gemp_conflict_keys *tokens)
{
	gemp_code code = GEMP_OK;
	gemp_rw_set footprint = { 0 };
	bool induced = s->options->semantics == GEMP_INDUCED;
	GEMP_TRY(gemp_comm_agree(s->context->comm, gemp_rw_set_new(&footprint, s->options->unbound, s->graph, induced)));
	code = gemp_row_keys_make(tokens, s->context->comm, s->graph, &footprint, s->frame, s->choice);
done:
	gemp_rw_set_free(&footprint);
	return code;
}

static void mark_undecided(const selecting *s, uint8_t *marked)
{
	for (size_t row = 0; row < s->frame->rows; row++)
		marked[row] = s->choice[row] == GEMP_UNDECIDED;
}

/* Collective. Of those that are left when what nobody contends with is chosen. */
static gemp_code choose_contended(selecting *s, const gemp_conflict_keys *tokens)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = s->context->comm;
	uint8_t *marked = NULL;
	GEMP_TRY(draw_priorities(s));
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(marked, s->frame->rows)));
	mark_undecided(s, marked);
	GEMP_TRY(gemp_match_order_distinct(comm, &s->ordered, marked, s->priority));
	const gemp_resolver chooser = { comm, s->context, s->options->choose };
	code = gemp_resolve_all(&chooser, tokens, s->priority, s->choice, &s->report->rounds);
done:
	gemp_free(marked);
	return code;
}

/* Collective. */
static gemp_code choose_all(selecting *s)
{
	gemp_code code = GEMP_OK;
	gemp_conflict_keys tokens = { 0 };
	uint64_t left = 0;
	GEMP_TRY(list_tokens(s, &tokens));
	GEMP_TRY(gemp_resolve_uncontended(s->context->comm, &tokens, s->choice, &left));
	if (left)
		code = choose_contended(s, &tokens);
done:
	gemp_conflict_keys_free(&tokens);
	return code;
}

/* Collective. */
static gemp_code choose_one(selecting *s)
{
	GEMP_PROPAGATE(draw_priorities(s));
	return gemp_resolve_one(s->context->comm, &s->ordered, s->priority, s->choice);
}

/* Collective. */
static gemp_code number_chosen(selecting *s, gemp_selected *out)
{
	uint64_t applied = 0;
	for (size_t row = 0; row < s->frame->rows; row++)
		applied += s->choice[row] = s->choice[row] == GEMP_SELECTED;
	s->report->applied = gemp_comm_sum1(s->context->comm, applied);
	if (!s->report->applied || !(s->rule->created_vertices || s->options->numbered))
		return GEMP_OK;
	GEMP_PROPAGATE(need_tuples(s));
	GEMP_PROPAGATE(gemp_comm_agree(s->context->comm, GEMP_NEW(out->numbers, s->frame->rows)));
	return gemp_match_order_number(s->context->comm, &s->ordered, s->choice, out->numbers, NULL);
}

/* Collective. */
static gemp_code select_rows(selecting *s, gemp_selected *out)
{
	gemp_code code = GEMP_OK;
	gemp_select_report *report = s->report;
	code = GEMP_NEW(s->choice, s->frame->rows);
	out->selected = s->choice;
	GEMP_TRY(gemp_comm_agree(s->context->comm, code));
	GEMP_TRY(gemp_reject_inapplicable(s->context, s->graph, s->rule, s->options->semantics, s->frame, s->choice,
	                                  &report->blocked));
	report->blocked = gemp_comm_sum1(s->context->comm, report->blocked);
	GEMP_TRY(s->options->first_only ? choose_one(s) : choose_all(s));
	GEMP_TRY(number_chosen(s, out));
	report->conflicts = report->matches - report->blocked - report->applied;
done:
	return code;
}

gemp_code gemp_select(gemp_selected *out, gemp_runtime *context, gemp_shard *graph, const gemp_rule *rule,
                      const gemp_frame *frame, const gemp_select_options *options, gemp_select_report *report)
{
	gemp_code code = GEMP_OK;
	selecting s = {
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
	sum->blocked += one->blocked;
	sum->conflicts += one->conflicts;
	sum->applied += one->applied;
	sum->rounds += one->rounds;
}

void gemp_selected_free(gemp_selected *selected)
{
	gemp_free_all(selected->selected, selected->numbers);
	*selected = (gemp_selected){ 0 };
}
