#include "pattern/plan.h"

#include "core/memory.h"
#include "core/text.h"

#include <stdio.h>

static const char *const direction_mark[] = { "->", "<-", "--" };

typedef struct names {
	const gemp_plan *plan;
	const gemp_pattern *pattern;
	const gemp_graph *graph;
	gemp_text *out;
} names;

static void put_vertex(const names *n, int v)
{
	const char *name = n->pattern->vertices[v].name;
	if (name)
		gemp_text_print(n->out, "%s", name);
	else
		gemp_text_print(n->out, "#%d", v);
}

static void put_view(const names *n, int view)
{
	const gemp_plan_view *v = &n->plan->views[view];
	size_t count = 0;
	for (size_t r = 0; r < n->plan->relation_count; r++)
		count += v->relations[r];
	if (v->simple || count == n->plan->relation_count) {
		gemp_text_print(n->out, "%s", v->simple ? "simple graph" : "any relation");
		return;
	}
	for (size_t r = 0, k = 0; r < n->plan->relation_count; r++)
		if (v->relations[r])
			gemp_text_print(n->out, "%s%s", k++ ? "|" : "", n->graph->relations[r].name);
}

static void put_check(const names *n, const gemp_check *check)
{
	put_vertex(n, check->from);
	gemp_text_print(n->out, " %s[", check->absent ? "not " : "");
	put_view(n, check->view);
	gemp_text_print(n->out, "]%s ", direction_mark[n->plan->views[check->view].direction]);
	put_vertex(n, check->to);
}

static void put_set(const names *n, const char *before, uint64_t vertices, const char *after)
{
	for (int v = 0; v < n->plan->vertex_count; v++)
		if (vertices >> v & 1) {
			gemp_text_print(n->out, "%s", before);
			put_vertex(n, v);
			gemp_text_print(n->out, "%s", after);
		}
}

static void put_keys(const names *n, const gemp_step *step, const char *sign, uint64_t others)
{
	for (int v = 0; v < n->plan->vertex_count; v++)
		if (others >> v & 1) {
			gemp_text_print(n->out, "; id(");
			put_vertex(n, step->vertex);
			gemp_text_print(n->out, ") %s id(", sign);
			put_vertex(n, v);
			gemp_text_print(n->out, ")");
		}
}

static void put_step(const names *n, const gemp_step *step, const gemp_statistics *statistics)
{
	static const char *const kind[] = { "scan", "extend", "bind edge", "given" };
	gemp_text_print(n->out, "  %-9s ", kind[step->kind]);
	put_vertex(n, step->vertex);
	if (step->kind == GEMP_SCAN)
		gemp_text_print(n->out, "  (pivot, %.0f candidates%s)", statistics->candidates[step->vertex],
		                n->plan->pivot_off ? ", but every vertex is tried: --pivot off" : "");
	for (size_t c = 0; c < step->check_count; c++) {
		gemp_text_print(n->out, "%s", c == 0 && step->kind != GEMP_SCAN && step->kind != GEMP_GIVEN ? " from " : "; test ");
		put_check(n, &step->checks[c]);
	}
	if (step->candidates && step->kind == GEMP_EXTEND)
		gemp_text_print(n->out, "; %.0f candidates", statistics->candidates[step->vertex]);
	put_set(n, "; <> ", step->differ, "");
	put_set(n, "; after ", step->greater, "");
	put_set(n, "; before ", step->less, "");
	put_set(n, "; = ", step->same, "");
	put_keys(n, step, "<", step->key_less);
	put_keys(n, step, "<=", step->key_most);
	put_keys(n, step, ">", step->key_greater);
	put_keys(n, step, ">=", step->key_least);
	bool counted = n->plan->two_paths && step == &n->plan->steps[n->plan->step_count - 1];
	gemp_text_print(n->out, "%s   ~%.3g partial matches\n",
	                counted ? "; counted by a table of two-paths, not enumerated" : "", step->rows);
}

char *gemp_plan_text(const gemp_plan *plan, const gemp_pattern *pattern, const gemp_statistics *statistics,
                     const gemp_graph *graph)
{
	gemp_text text = { 0 };
	names n = { plan, pattern, graph, &text };
	gemp_text_print(&text, "plan %016llx: %d vertices, %d edges, ", (unsigned long long)plan->hash, plan->vertex_count,
	                plan->edge_count);
	if (plan->group_overflow)
		gemp_text_print(&text, "more than 2^64 automorphisms");
	else
		gemp_text_print(&text, "%llu automorphism%s", (unsigned long long)plan->group_order,
		                plan->group_order == 1 ? "" : "s");
	gemp_text_print(&text, ", symmetry %s\n", plan->broken ? "broken by order restrictions" : "not broken");
	for (size_t s = 0; s < plan->step_count; s++)
		put_step(&n, &plan->steps[s], statistics);
	if (text.failed) {
		gemp_text_free(&text);
		return NULL;
	}
	return text.data;
}
