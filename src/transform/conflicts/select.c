#include "transform/conflicts/select.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/threads.h"
#include "transform/conflicts/inapplicable.h"
#include "transform/conflicts/match_keys.h"
#include "transform/conflicts/row_keys.h"

typedef struct selection {
	gemp_runtime *context;
	gemp_shard *graph;
	const gemp_rule *rule;
	const gemp_frame *frame;
	const gemp_select_options *options;
	gemp_select_report *report;
	uint8_t *decisions;      /* [rows] gemp_match_decision */
	uint64_t *priority;      /* [rows] */
	gemp_match_keys ordered; /* made when the first asks for it */
} selection;

/* Collective. Tuples are made when the first step asks for them; rules without conflicts and without new vertices
 * never do. */
static gemp_code make_match_keys(selection *s)
{
	return s->ordered.tuples ? GEMP_OK : gemp_match_keys_make(&s->ordered, s->context, s->graph, s->rule, s->frame);
}

/* A priority is a hash of the tuple, so it depends neither on ids nor on ranks. */
static void hash_range(void *self, size_t range, size_t begin, size_t end)
{
	selection *s = self;
	size_t width = s->ordered.width;
	(void)range;
	for (size_t row = begin; row < end; row++)
		s->priority[row] = gemp_hash(s->ordered.tuples + row * width, width * sizeof *s->ordered.tuples,
		                             s->options->seed);
}

/* Collective. Different seeds give different maximal sets. */
static gemp_code draw_priorities(selection *s)
{
	GEMP_PROPAGATE(make_match_keys(s));
	GEMP_PROPAGATE(gemp_comm_agree(s->context->comm, GEMP_NEW(s->priority, s->frame->rows)));
	gemp_for_ranges(s->frame->rows, hash_range, s);
	return GEMP_OK;
}

/* Collective. The keys of undecided rows. */
static gemp_code list_tokens(const selection *s, gemp_conflict_keys *conflict_keys)
{
	GEMP_OWNED_BY(gemp_rw_set_free) gemp_rw_set rw_set = { 0 };
	bool induced = s->options->semantics == GEMP_INDUCED;
	GEMP_PROPAGATE(gemp_comm_agree(s->context->comm, gemp_rw_set_new(&rw_set, s->options->unbound, s->graph, induced)));
	return gemp_row_keys_make(conflict_keys, s->context->comm, s->graph, &rw_set, s->frame, s->decisions);
}

/* Only matches that contend take part in making priorities unique. */
static void mark_undecided(const selection *s, uint8_t *marked)
{
	for (size_t row = 0; row < s->frame->rows; row++)
		marked[row] = s->decisions[row] == GEMP_UNDECIDED;
}

/* Collective. Decides about the matches that contend with others. */
static gemp_code resolve_contended(selection *s, const gemp_conflict_keys *conflict_keys)
{
	const gemp_comm *comm = s->context->comm;
	GEMP_OWNED uint8_t *marked = NULL;
	GEMP_PROPAGATE(draw_priorities(s));
	GEMP_PROPAGATE(gemp_comm_agree(comm, GEMP_NEW(marked, s->frame->rows)));
	mark_undecided(s, marked);
	GEMP_PROPAGATE(gemp_match_order_distinct(comm, &s->ordered, marked, s->priority));
	const gemp_resolver resolver = { comm, s->context, s->options->choose };
	return gemp_resolve_all(&resolver, conflict_keys, s->priority, s->decisions, &s->report->rounds);
}

/* Collective. */
static gemp_code resolve_conflicts(selection *s)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(gemp_conflict_keys_free) gemp_conflict_keys conflict_keys = { 0 };
	uint64_t left = 0;
	GEMP_PROPAGATE(list_tokens(s, &conflict_keys));
	GEMP_PROPAGATE(gemp_resolve_uncontended(s->context->comm, &conflict_keys, s->decisions, &left));
	if (left)
		code = resolve_contended(s, &conflict_keys);
	return code;
}

/* Collective. The match with the smallest priority, as RUN ONE wants. */
static gemp_code select_first(selection *s)
{
	GEMP_PROPAGATE(draw_priorities(s));
	return gemp_resolve_one(s->context->comm, &s->ordered, s->priority, s->decisions);
}

/* Collective. Turns decisions into 0 and 1, and numbers the selected matches over all ranks if new keys or the
 * change log need numbers. */
static gemp_code number_selected(selection *s, gemp_selected *out)
{
	uint64_t applied = 0;
	for (size_t row = 0; row < s->frame->rows; row++)
		applied += s->decisions[row] = s->decisions[row] == GEMP_SELECTED;
	s->report->applied = gemp_comm_sum1(s->context->comm, applied);
	if (!s->report->applied || !(s->rule->created_vertices || s->options->numbered))
		return GEMP_OK;
	GEMP_PROPAGATE(make_match_keys(s));
	GEMP_PROPAGATE(gemp_comm_agree(s->context->comm, GEMP_NEW(out->numbers, s->frame->rows)));
	return gemp_match_order_number(s->context->comm, &s->ordered, s->decisions, out->numbers, NULL);
}

/* Collective. Rejections first, as rejected matches must not block others. */
static gemp_code select_rows(selection *s, gemp_selected *out)
{
	gemp_code code = GEMP_OK;
	gemp_select_report *report = s->report;
	code = GEMP_NEW(s->decisions, s->frame->rows);
	out->selected = s->decisions;
	GEMP_PROPAGATE(gemp_comm_agree(s->context->comm, code));
	GEMP_PROPAGATE(gemp_reject_inapplicable(s->context, s->graph, s->rule, s->options->semantics, s->frame,
	                                        s->decisions, &report->inapplicable));
	report->inapplicable = gemp_comm_sum1(s->context->comm, report->inapplicable);
	GEMP_PROPAGATE(s->options->first_only ? select_first(s) : resolve_conflicts(s));
	GEMP_PROPAGATE(number_selected(s, out));
	report->conflicts = report->matches - report->inapplicable - report->applied;
	return GEMP_OK;
}

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
	gemp_free_all(s.priority, s.ordered.tuples);
	return code;
}

void gemp_select_add(gemp_select_report *sum, const gemp_select_report *one)
{
	sum->matches += one->matches;
	sum->inapplicable += one->inapplicable;
	sum->conflicts += one->conflicts;
	sum->applied += one->applied;
	sum->rounds += one->rounds;
}

void gemp_selected_free(gemp_selected *selected)
{
	gemp_free_all(selected->selected, selected->numbers);
	*selected = (gemp_selected){ 0 };
}
