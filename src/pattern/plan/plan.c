/* Most of this file prints plans for --explain and --profile, one line for each operator. The last part numbers the
 * stages at which a partial match can travel to another rank.
 */

#include "pattern/plan/plan.h"

#include "core/memory.h"
#include "pattern/condition/expr_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAME_WIDTH = 16 }; /* width of the longest operator's name and a space */

/* A plan that is being printed, and the sources of its names and figures. */
typedef struct printer {
	const gemp_plan *plan;
	const gemp_pattern *pattern;
	const gemp_statistics *statistics;
	const gemp_shard *graph;
	gemp_plan_notes notes;
	int width, depth; /* width: width of the first column; depth: number of operators so far */
	gemp_text *out;
} printer;

/* Anonymous vertices are printed by their number in the pattern. */
static void put_vertex(const printer *p, int v)
{
	const char *name = p->pattern->vertices[v].name;
	if (name)
		gemp_text_print(p->out, "%s", name);
	else
		gemp_text_print(p->out, "#%d", v);
}

/* Prints nothing if all relations are allowed. */
static void put_relations(const printer *p, const gemp_plan_view *view)
{
	size_t count = 0;
	for (size_t r = 0; r < p->plan->relation_count; r++)
		count += view->relations[r];
	if (view->simple || count == p->plan->relation_count)
		return;
	for (size_t r = 0, k = 0; r < p->plan->relation_count; r++)
		if (view->relations[r])
			gemp_text_print(p->out, "%s%s", k++ ? "|" : ":", p->graph->relations[r].name);
}

/* The arrow shows the direction in which the view is read, which may be against the query's arrow. */
static void put_edge(const printer *p, const gemp_check *check)
{
	const gemp_plan_view *view = &p->plan->views[check->view];
	gemp_text_print(p->out, "(");
	put_vertex(p, check->from);
	gemp_text_print(p->out, ")%s-[", view->direction == 1 ? "<" : "");
	put_relations(p, view);
	gemp_text_print(p->out, "]-%s(", view->direction == 0 ? ">" : "");
	put_vertex(p, check->to);
	gemp_text_print(p->out, ")");
}

/* Conditions are printed as the query writes them. */
static void put_condition(const printer *p, const gemp_condition *condition)
{
	gemp_expr_print(condition->expr, p->pattern, p->out);
}

/* Figures of a run have columns only under --profile. */
static void put_header(const printer *p)
{
	gemp_text_print(p->out, "  %-*s %14s", p->width, "operator", "estimated rows");
	if (p->notes.rows)
		gemp_text_print(p->out, " %14s %14s %12s", "actual rows", "entries read", "bytes sent");
	gemp_text_print(p->out, "  details\n");
}

/* The last operator stands first, and each input is indented below its consumer, as in the plans of databases. */
static void put_operator(printer *p, const char *name)
{
	gemp_text_print(p->out, "  %*s%s%-*s", p->depth ? p->depth - 1 : 0, "", p->depth ? "+" : "", p->width - p->depth,
	                name);
	p->depth++;
}

/* Operators behind the search (Distinct, Filter) have no estimates. */
static void put_figures(const printer *p, const gemp_step *step)
{
	size_t index = step ? (size_t)(step - p->plan->steps) : 0;
	if (step)
		gemp_text_print(p->out, step->rows < 1e9 ? " %14.0f" : " %14.3g", step->rows);
	else
		gemp_text_print(p->out, " %14s", "");
	if (p->notes.rows && step)
		gemp_text_print(p->out, " %14" PRIu64 " %14" PRIu64 " %12" PRIu64, p->notes.rows[index],
		                p->notes.entries[index], p->notes.bytes[index]);
	else if (p->notes.rows)
		gemp_text_print(p->out, " %14s %14s %12s", "", "", "");
	gemp_text_print(p->out, "  ");
}

/* Names are those of Neo4j's plan operators if Neo4j has an equal operator. */
static const char *operator_name(const printer *p, const gemp_step *step)
{
	if (p->plan->two_paths && step == &p->plan->steps[p->plan->step_count - 1])
		return "CountTwoPaths";
	switch (step->kind) {
	case GEMP_SCAN: return "NodeScan";
	case GEMP_ARGUMENT: return "Argument";
	case GEMP_BIND_EDGE: return "BindEdge";
	default: return step->sources > 1 ? "ExpandIntersect" : "Expand";
	}
}

/* The rows of an EXTEND are joined by &. The checks after these rows are semijoins, antisemijoins, or edges into bound
 * vertices. */
static void put_checks(const printer *p, const gemp_step *step)
{
	for (size_t c = 0; c < step->check_count; c++) {
		const gemp_check *check = &step->checks[c];
		if (c < step->sources || step->kind == GEMP_BIND_EDGE)
			gemp_text_print(p->out, "%s", c ? " & " : "");
		else
			gemp_text_print(p->out, "; %s ",
			                check->absent     ? "AntiSemiJoin"
			                : check->edge < 0 ? "SemiJoin"
			                                  : "ExpandInto");
		put_edge(p, check);
	}
}

/* In the format, A stands for the step's vertex and B for the vertex that it is compared with. */
static void put_comparisons(const printer *p, const gemp_step *step, uint64_t others, const char *format)
{
	for (int v = 0; v < p->plan->vertex_count; v++)
		if (others >> v & 1) {
			const char *at = format;
			gemp_text_print(p->out, "; ");
			for (; *at; at++)
				if (*at == 'A' || *at == 'B')
					put_vertex(p, *at == 'A' ? step->vertex : v);
				else
					gemp_text_add(p->out, at, 1);
		}
}

/* Prints the number of candidates, and the conditions on this vertex alone, which became its bitmap of candidates. */
static void put_candidates(const printer *p, const gemp_step *step)
{
	if (step->kind == GEMP_SCAN)
		gemp_text_print(p->out, ", pivot");
	if (step->kind == GEMP_SCAN && p->plan->pivot_off)
		gemp_text_print(p->out, ", but every vertex is tried: pivot off");
	if (!step->candidates && step->kind != GEMP_SCAN)
		return;
	gemp_text_print(p->out, "; %.0f of %.0f candidates", p->statistics->candidates[step->vertex],
	                p->statistics->vertices);
	for (size_t i = 0, k = 0; i < p->notes.before_count; i++)
		if (p->notes.before[i]->vertices == UINT64_C(1) << step->vertex) {
			gemp_text_print(p->out, "%s", k++ ? " AND " : ": ");
			put_condition(p, p->notes.before[i]);
		}
}

/* Prints one line: name, figures, then the operator's checks and comparisons. */
static void put_step(printer *p, const gemp_step *step)
{
	put_operator(p, operator_name(p, step));
	put_figures(p, step);
	if (step->kind == GEMP_SCAN || step->kind == GEMP_ARGUMENT) {
		gemp_text_print(p->out, "(");
		put_vertex(p, step->vertex);
		gemp_text_print(p->out, ")");
	}
	put_checks(p, step);
	if (step->kind != GEMP_BIND_EDGE)
		put_candidates(p, step);
	put_comparisons(p, step, step->differ, "A <> B");
	put_comparisons(p, step, step->same, "A = B");
	put_comparisons(p, step, step->key_less, "id(A) < id(B)");
	put_comparisons(p, step, step->key_le, "id(A) <= id(B)");
	put_comparisons(p, step, step->key_greater, "id(A) > id(B)");
	put_comparisons(p, step, step->key_ge, "id(A) >= id(B)");
	put_comparisons(p, step, step->greater, "A after B");
	put_comparisons(p, step, step->less, "A before B");
	if (p->plan->two_paths && step == &p->plan->steps[p->plan->step_count - 1])
		gemp_text_print(p->out, "; counted by a table of two-paths, not enumerated");
	gemp_text_print(p->out, "\n");
}

/* Conditions that no plan can test, and deduplication, run on finished matches. */
static void put_sinks(printer *p)
{
	if (p->notes.distinct) {
		put_operator(p, "Distinct");
		put_figures(p, NULL);
		gemp_text_print(p->out, "%s\n", p->notes.distinct);
	}
	for (size_t i = 0; i < p->notes.after_count; i++) {
		put_operator(p, "Filter");
		put_figures(p, NULL);
		put_condition(p, p->notes.after[i]);
		gemp_text_print(p->out, "\n");
	}
}

/* The first column is wide enough for the deepest indentation. */
void gemp_plan_print(const gemp_plan *plan, const gemp_pattern *pattern, const gemp_statistics *statistics,
                     const gemp_shard *graph, const gemp_plan_notes *notes, gemp_text *out)
{
	printer p = { .plan = plan, .pattern = pattern, .statistics = statistics, .graph = graph, .out = out };
	if (notes)
		p.notes = *notes;
	p.width = NAME_WIDTH + (int)plan->step_count + (int)p.notes.after_count + (p.notes.distinct ? 1 : 0);
	gemp_text_print(out, "plan %016llx: %d vertices, %d edges, ", (unsigned long long)plan->hash, plan->vertex_count,
	                plan->edge_count);
	if (plan->group_overflow)
		gemp_text_print(out, "more than 2^64 automorphisms");
	else
		gemp_text_print(out, "%llu automorphism%s", (unsigned long long)plan->group_order,
		                plan->group_order == 1 ? "" : "s");
	gemp_text_print(out, ", symmetry %s\n", plan->broken ? "broken by order restrictions" : "not broken");
	put_header(&p);
	put_sinks(&p);
	for (size_t s = plan->step_count; s-- > 0;)
		put_step(&p, &plan->steps[s]);
}

/* A step that binds an edge is skipped, since it names a vertex that an earlier step has bound. */
int gemp_plan_binding_order(const gemp_plan *plan, int order[GEMP_MAX_PATTERN_VERTICES])
{
	int count = 0;
	for (size_t s = 0; s < plan->step_count; s++)
		if (plan->steps[s].kind != GEMP_BIND_EDGE)
			order[count++] = plan->steps[s].vertex;
	return count;
}

/* A plan owns the relations of its views; everything else is part of the struct. */
void gemp_plan_free(gemp_plan *plan)
{
	if (!plan)
		return;
	for (size_t v = 0; v < plan->view_count; v++)
		gemp_free(plan->views[v].relations);
	gemp_free(plan);
}

/* Returns the number of checks that are done on entry: an EXTEND has read its first row, an ARGUMENT none. All other
 * operators have no VERIFY stage. */
static int first_verified(const gemp_step *step)
{
	return step->kind == GEMP_EXTEND ? 1 : step->kind == GEMP_ARGUMENT ? 0 : (int)step->check_count;
}

/* Stages beyond the capacity are counted, so that a caller may ask for the number first. */
size_t gemp_plan_stages(const gemp_plan *plan, gemp_plan_stage *stages, size_t capacity)
{
	size_t count = 0;
	for (int s = plan->root; s < (int)plan->step_count; s++) {
		const gemp_step *step = &plan->steps[s];
		if (count < capacity)
			stages[count] = (gemp_plan_stage){ s, false, 0 };
		count++;
		for (int done = first_verified(step); done < (int)step->check_count; done++) {
			if (count < capacity)
				stages[count] = (gemp_plan_stage){ s, true, done };
			count++;
		}
	}
	return count;
}
