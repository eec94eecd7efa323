#include "transform/conflicts/select.h"

#include "core/random.h"
#include "core/threads.h"
#include "transform/conflicts/inapplicable.h"
#include "transform/conflicts/match_number.h"
#include "transform/conflicts/match_order.h"
#include "transform/conflicts/resolve.h"

/* The matches of one step while their decisions are made. */
typedef struct selection {
	gemp_runtime *context;
	gemp_shard *graph;
	const gemp_rule *rule;
	const gemp_frame *frame;
	const gemp_select_options *options;
	gemp_select_report *report;
	uint8_t *decisions;     /* [rows] gemp_match_decision; the gemp_selected of the caller owns them */
	uint64_t *priority;     /* [rows]; NULL before the priorities are computed */
	gemp_match_keys tuples; /* empty until a function needs them */
} selection;

/* Collective. Tuples are made at their first use. Rules without conflicts and without new vertices never use them. */
static gemp_code make_tuples(selection *s)
{
	return s->tuples.tuples ? GEMP_OK : gemp_match_keys_new(&s->tuples, s->context, s->graph, s->rule, s->frame);
}

/* A priority is a hash of the tuple, so it depends neither on ids nor on ranks. */
static void hash_range(void *self, size_t range, size_t begin, size_t end)
{
	selection *s = self;
	size_t width = s->tuples.width;
	(void)range;
	for (size_t row = begin; row < end; row++)
		s->priority[row] = gemp_hash(s->tuples.tuples + row * width, width * sizeof *s->tuples.tuples,
		                             s->options->seed);
}

/* Collective. The hash includes the seed of the step, so different steps select different maximal sets. */
static gemp_code draw_priorities(selection *s)
{
	GEMP_TRY(make_tuples(s));
	GEMP_TRY(gemp_comm_agree(s->context->comm, GEMP_NEW(s->priority, s->frame->rows)));
	gemp_for_ranges(s->frame->rows, hash_range, s);
	return GEMP_OK;
}

/* Collective. Decides about the matches with contended slots. Only their priorities are made different. */
static gemp_code resolve_contended(selection *s, gemp_resolver *resolver, const gemp_conflict_keys *conflict_keys)
{
	const gemp_comm *comm = s->context->comm;
	GEMP_OWNED uint8_t *undecided = NULL;
	GEMP_TRY(draw_priorities(s));
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(undecided, s->frame->rows)));
	for (size_t row = 0; row < s->frame->rows; row++)
		undecided[row] = s->decisions[row] == GEMP_UNDECIDED;
	GEMP_TRY(gemp_match_order_distinct(comm, &s->tuples, undecided, s->priority));
	return gemp_resolve_all(resolver, conflict_keys, s->priority, s->decisions, &s->report->rounds);
}

static void report_place(gemp_select_report *report, const gemp_resolver *resolver)
{
	report->on_device |= resolver->on_device;
	report->on_host |= resolver->on_host;
	report->traffic = resolver->cost.traffic;
}

/* Collective. Only undecided rows get conflict keys. The read/write set is made from the unbound rule, since another
 * match may create names that this graph lacks. */
static gemp_code resolve_conflicts(selection *s)
{
	const gemp_comm *comm = s->context->comm;
	GEMP_OWNED_BY(gemp_rw_set_free) gemp_rw_set rw_set = { 0 };
	GEMP_OWNED_BY(gemp_conflict_keys_free) gemp_conflict_keys conflict_keys = { 0 };
	uint64_t left = 0;
	GEMP_TRY(gemp_comm_agree(
		comm, gemp_rw_set_new(&rw_set, s->options->unbound, s->graph, s->options->semantics == GEMP_INDUCED)));
	GEMP_TRY(gemp_conflict_keys_new(&conflict_keys, comm, s->graph, &rw_set, s->frame, s->decisions));
	gemp_resolver resolver = { .comm = comm, .context = s->context, .on = s->options->choose };
	gemp_code code = gemp_resolve_uncontended(&resolver, &conflict_keys, s->decisions, &left);
	if (code == GEMP_OK && left)
		code = resolve_contended(s, &resolver, &conflict_keys);
	gemp_resolver_close(&resolver);
	s->context->timers.seconds[GEMP_PHASE_EXCHANGE] += resolver.cost.seconds;
	report_place(s->report, &resolver);
	return code;
}

/* Collective. Selects the match with the smallest priority, for RUN ONE. */
static gemp_code select_first(selection *s)
{
	GEMP_TRY(draw_priorities(s));
	return gemp_resolve_one(s->context->comm, &s->tuples, s->priority, s->decisions);
}

/* Collective. Turns decisions into 0 and 1. If new keys or the change log need numbers, the function numbers the
 * selected matches of all ranks. */
static gemp_code number_selected(selection *s, gemp_selected *out)
{
	uint64_t applied = 0;
	bool distinct;
	for (size_t row = 0; row < s->frame->rows; row++)
		applied += s->decisions[row] = s->decisions[row] == GEMP_SELECTED;
	s->report->applied = gemp_comm_sum1(s->context->comm, applied);
	if (!s->report->applied || !(s->rule->created_vertices || s->options->numbered))
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(s->context->comm, GEMP_NEW(out->numbers, s->frame->rows)));
	GEMP_TRY(gemp_match_number_by_vertex(s->context->comm, s->graph, s->frame, s->decisions, s->report->applied,
	                                     out->numbers, &distinct));
	if (distinct)
		return GEMP_OK;
	GEMP_TRY(make_tuples(s));
	return gemp_match_order_number(s->context->comm, &s->tuples, s->decisions, out->numbers, NULL);
}

/* Collective. Inapplicable matches are rejected first, since they must not block other matches. */
static gemp_code select_rows(selection *s, gemp_selected *out)
{
	gemp_select_report *report = s->report;
	gemp_code code = GEMP_NEW(s->decisions, s->frame->rows);
	out->selected = s->decisions;
	GEMP_TRY(gemp_comm_agree(s->context->comm, code));
	GEMP_TRY(gemp_reject_inapplicable(s->context, s->graph, s->rule, s->options->semantics, s->frame, s->decisions,
	                                  &report->inapplicable));
	GEMP_TRY(s->options->first_only ? select_first(s) : resolve_conflicts(s));
	GEMP_TRY(number_selected(s, out));
	report->conflicts = report->matches - report->inapplicable - report->applied;
	return GEMP_OK;
}

/* If no rank has a match, there is nothing to select. */
gemp_code gemp_select(gemp_selected *out, gemp_runtime *context, gemp_shard *graph, const gemp_rule *rule,
                      const gemp_frame *frame, const gemp_select_options *options, gemp_select_report *report)
{
	gemp_code code = GEMP_OK;
	selection s = {
		.context = context, .graph = graph, .rule = rule, .frame = frame, .options = options, .report = report
	};
	*out = (gemp_selected){ 0 };
	*report = (gemp_select_report){ .matches = gemp_comm_sum1(context->comm, frame->rows) };
	if (report->matches)
		code = select_rows(&s, out);
	gemp_free_all(s.priority, s.tuples.tuples);
	return code;
}

void gemp_select_add(gemp_select_report *sum, const gemp_select_report *one)
{
	sum->matches += one->matches;
	sum->inapplicable += one->inapplicable;
	sum->conflicts += one->conflicts;
	sum->applied += one->applied;
	sum->rounds += one->rounds;
	sum->on_device |= one->on_device;
	sum->on_host |= one->on_host;
	sum->traffic.bytes += one->traffic.bytes;
	sum->traffic.messages += one->traffic.messages;
	sum->traffic.rounds += one->traffic.rounds;
}

void gemp_selected_free(gemp_selected *selected)
{
	gemp_free_all(selected->selected, selected->numbers);
	*selected = (gemp_selected){ 0 };
}
