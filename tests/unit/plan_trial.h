/* plan_trial: compares a plan with the definition of a match on a tiny multigraph. A naive interpreter runs the plan
 * operator by operator. */
#ifndef GEMP_TESTS_PLAN_TRIAL_H
#define GEMP_TESTS_PLAN_TRIAL_H

#include "harness/harness.h"

#include "core/random.h"
#include "core/text.h"
#include "pattern/model/pattern.h"
#include "pattern/plan/plan.h"
#include "pattern/semantic/parse.h"
#include "pattern/shapes/named_pattern.h"
#include "pattern/symmetry/permutation_group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RELATIONS = 2, MOST_VERTICES = 5, MOST_EDGES = 6, POINTS = MOST_VERTICES + MOST_EDGES };
enum { HOST_VERTICES = 5, HOST_EDGES = 9 };

typedef struct host_edge {
	int relation, source, target;
} host_edge;

typedef struct host {
	int vertices, edges;
	host_edge edge[HOST_EDGES];
} host;

/* Images of vertices, then images of edges; -1 for an edge that has no slot. */
typedef struct embedding {
	int at[POINTS];
} embedding;

typedef struct found {
	size_t count, capacity;
	embedding *list;
} found;

typedef struct trial {
	host host;
	gemp_pattern *pattern;
	gemp_symmetry *symmetry;
	gemp_statistics statistics;
	gemp_plan_options options;
	int order[MOST_VERTICES]; /* the forced order, if options.order is set */
	int key[HOST_VERTICES];   /* rank of each host vertex's key */
	bool asked[RELATIONS];    /* relations of the edge test, if the plan has one */
	gemp_edge_test edge_test;
	gemp_plan *plan;
} trial;

/* RANDOM HOST GRAPHS AND PATTERNS. */
static inline void random_host(host *h, uint64_t *random)
{
	h->vertices = 3 + (int)gemp_random_below(random, HOST_VERTICES - 2);
	h->edges = (int)gemp_random_below(random, HOST_EDGES + 1);
	for (int i = 0; i < h->edges; i++) {
		int source = (int)gemp_random_below(random, (uint64_t)h->vertices);
		int target = (int)gemp_random_below(random, (uint64_t)h->vertices);
		h->edge[i] = (host_edge){ (int)gemp_random_below(random, RELATIONS), source, target };
	}
}

static inline gemp_pattern *random_text(uint64_t *random)
{
	static const char *const types[] = { "", ":R", ":S", ":R|S" };
	static const char *const arrows[] = { "-[%s]->", "<-[%s]-", "-[%s]-" };
	gemp_text text = { 0 };
	gemp_pattern *pattern = NULL;
	int vertices = 1 + (int)gemp_random_below(random, MOST_VERTICES), edges = 0;
	int extra = (int)gemp_random_below(random, 3), one_type = (int)gemp_random_below(random, 2) ? 1 : 0;
	gemp_text_print(&text, "MATCH (v0)");
	for (; edges < vertices - 1 + extra && edges < MOST_EDGES; edges++) {
		bool tree = edges < vertices - 1;
		int to = tree ? edges + 1 : (int)gemp_random_below(random, (uint64_t)vertices);
		int from = (int)gemp_random_below(random, (uint64_t)(tree ? to : vertices));
		char arrow[16];
		snprintf(arrow, sizeof arrow, arrows[one_type ? 2 : gemp_random_below(random, 3)],
		         types[one_type ? 1 : gemp_random_below(random, 4)]);
		gemp_text_print(&text, ", (v%d)%s(v%d)", from, arrow, to);
	}
	if (vertices > 1 && gemp_random_below(random, 3) == 0) {
		int a = (int)gemp_random_below(random, (uint64_t)vertices);
		gemp_text_print(&text, " WHERE v%d <> v%d", a, (a + 1) % vertices);
	}
	gemp_text_print(&text, " RETURN count(*)");
	assert_ok(gemp_pattern_parse(&pattern, text.data, NULL));
	gemp_text_free(&text);
	return pattern;
}

static inline gemp_pattern *random_shape(uint64_t *random)
{
	static const char *const shapes[] = { "triangle", "cycle:4", "cycle:5",
		                                  "path:4",   "star:3",  "diamond",
		                                  "clique:4", "path:5",  "edges:0-1,1-2,2-3,3-0,0-2,3-4",
		                                  "edges:0-1" };
	gemp_pattern *pattern = NULL;
	assert_ok(gemp_pattern_named(&pattern, shapes[gemp_random_below(random, sizeof shapes / sizeof *shapes)]));
	return pattern;
}

/* THE DEFINITION. */
static inline bool joins(const trial *t, size_t e, const host_edge *h, int from, int to)
{
	const gemp_pattern_edge *edge = &t->pattern->edges[e];
	bool along = h->source == from && h->target == to, against = h->source == to && h->target == from;
	return edge->relations[h->relation] && (along || (edge->direction == GEMP_EITHER && against));
}

/* Returns the edge of the simple graph between a and b, represented by the first of the parallel edges; -1 if there is
 * none. */
static inline int simple_edge(const host *h, int a, int b)
{
	for (int i = 0; i < h->edges; i++)
		if (a != b &&
		    ((h->edge[i].source == a && h->edge[i].target == b) || (h->edge[i].source == b && h->edge[i].target == a)))
			return i;
	return -1;
}

static inline bool wanted_somewhere(const trial *t, int relation)
{
	for (size_t e = 0; e < t->pattern->edge_count; e++)
		if (t->pattern->edges[e].relations[relation])
			return true;
	return false;
}

/* True if the pattern has an edge that allows the host edge from u's image to v's image. */
static inline bool allowed(const trial *t, const host_edge *h, int u, int v)
{
	for (size_t e = 0; e < t->pattern->edge_count; e++) {
		const gemp_pattern_edge *edge = &t->pattern->edges[e];
		bool along = edge->from == u && edge->to == v, against = edge->from == v && edge->to == u;
		if (edge->relations[h->relation] && (along || (against && edge->direction == GEMP_EITHER)))
			return true;
	}
	return false;
}

static inline bool nothing_else(const trial *t, const int *at)
{
	const gemp_pattern *p = t->pattern;
	for (int u = 0; u < (int)p->vertex_count; u++)
		for (int v = 0; v < (int)p->vertex_count; v++) {
			bool edge = false;
			for (size_t e = 0; e < p->edge_count; e++)
				edge |= (p->edges[e].from == u && p->edges[e].to == v) ||
				        (p->edges[e].from == v && p->edges[e].to == u);
			if (p->simple && simple_edge(&t->host, at[u], at[v]) >= 0 && !edge)
				return false;
			for (int i = 0; !p->simple && i < t->host.edges; i++) {
				const host_edge *h = &t->host.edge[i];
				if (h->source == at[u] && h->target == at[v] && wanted_somewhere(t, h->relation) &&
				    !allowed(t, h, u, v))
					return false;
			}
		}
	return true;
}

static inline bool edge_test_holds(const trial *t, const int *at)
{
	const gemp_edge_test *test = &t->edge_test;
	bool found = t->options.edge_test_count == 0 || test->absent;
	for (int i = 0; t->options.edge_test_count && i < t->host.edges; i++) {
		const host_edge *h = &t->host.edge[i];
		bool along = h->source == at[test->from] && h->target == at[test->to];
		bool against = h->source == at[test->to] && h->target == at[test->from];
		if (test->relations[h->relation] && (along || (test->either && against)))
			return !test->absent;
	}
	return found;
}

static inline bool pair_fits(const trial *t, const int *at, size_t u, size_t v)
{
	const gemp_vertex_tests *tests = &t->options.tests;
	bool distinct = t->options.semantics == GEMP_ISO || t->options.semantics == GEMP_INDUCED;
	distinct &= !t->pattern->vertices[u].repeatable && !t->pattern->vertices[v].repeatable;
	if (at[u] == at[v] && (distinct || tests->unequal[u] >> v & 1))
		return false;
	return !(tests->equal[u] >> v & 1 && at[u] != at[v]) &&
	       !(tests->key_less[u] >> v & 1 && t->key[at[u]] >= t->key[at[v]]) &&
	       !(tests->key_le[u] >> v & 1 && t->key[at[u]] > t->key[at[v]]);
}

static inline bool vertices_fit(const trial *t, const int *at)
{
	size_t count = t->pattern->vertex_count;
	for (size_t u = 0; u < count; u++)
		for (size_t v = 0; v < count; v++)
			if (u != v && !pair_fits(t, at, u, v))
				return false;
	return edge_test_holds(t, at) && (t->options.semantics != GEMP_INDUCED || nothing_else(t, at));
}

static inline void keep(found *all, const embedding *m)
{
	if (all->count == all->capacity) {
		all->capacity = 2 * all->capacity + 64;
		all->list = realloc(all->list, all->capacity * sizeof *all->list);
		assert_non_null(all->list);
	}
	all->list[all->count++] = *m;
}

static inline void define_edges(const trial *t, embedding *m, size_t e, found *all)
{
	const gemp_pattern *p = t->pattern;
	int *image = m->at + p->vertex_count;
	if (e == p->edge_count) {
		keep(all, m);
		return;
	}
	int from = m->at[p->edges[e].from], to = m->at[p->edges[e].to];
	for (int i = 0; i < t->host.edges; i++) {
		bool taken = false;
		for (size_t f = 0; f < e; f++)
			taken |= image[f] == i;
		bool joined = p->simple ? i == simple_edge(&t->host, from, to) : joins(t, e, &t->host.edge[i], from, to);
		if (!joined || (taken && t->options.semantics != GEMP_HOM))
			continue;
		image[e] = i;
		define_edges(t, m, e + 1, all);
	}
}

static inline void define(const trial *t, embedding *m, size_t v, found *all)
{
	if (v == t->pattern->vertex_count) {
		if (vertices_fit(t, m->at))
			define_edges(t, m, 0, all);
		return;
	}
	for (m->at[v] = 0; m->at[v] < t->host.vertices; m->at[v]++)
		define(t, m, v + 1, all);
}

/* THE PLAN, operator by operator. */
typedef struct run {
	const trial *trial;
	uint64_t vertices, edges; /* bitmaps of bound vertices and edges */
	embedding m;
	found *all;
} run;

static inline bool in_row(const trial *t, const gemp_plan_view *view, int from, int to, int edge)
{
	int only = simple_edge(&t->host, from, to);
	if (view->simple)
		return only >= 0 && (edge < 0 || edge == only);
	for (int i = 0; i < t->host.edges; i++) {
		const host_edge *h = &t->host.edge[i];
		bool out = h->source == from && h->target == to, in = h->source == to && h->target == from;
		bool there = view->direction == 0 ? out : view->direction == 1 ? in : out || in;
		if (view->relations[h->relation] && there && (edge < 0 || edge == i))
			return true;
	}
	return false;
}

static inline bool step_holds(const run *r, const gemp_step *step)
{
	const trial *t = r->trial;
	const int *at = r->m.at, *edge = r->m.at + t->pattern->vertex_count;
	int mine = at[step->vertex], my_edge = step->edge >= 0 ? edge[step->edge] : -1;
	for (size_t v = 0; v < t->pattern->vertex_count; v++)
		if ((step->differ >> v & 1 && mine == at[v]) || (step->less >> v & 1 && mine >= at[v]) ||
		    (step->greater >> v & 1 && mine <= at[v]) || (step->same >> v & 1 && mine != at[v]) ||
		    (step->key_less >> v & 1 && t->key[mine] >= t->key[at[v]]) ||
		    (step->key_le >> v & 1 && t->key[mine] > t->key[at[v]]) ||
		    (step->key_greater >> v & 1 && t->key[mine] <= t->key[at[v]]) ||
		    (step->key_ge >> v & 1 && t->key[mine] < t->key[at[v]]))
			return false;
	for (size_t e = 0; e < t->pattern->edge_count; e++)
		if ((step->edges_differ >> e & 1 && my_edge == edge[e]) || (step->edge_less >> e & 1 && my_edge >= edge[e]))
			return false;
	for (size_t c = 0; c < step->check_count; c++) {
		const gemp_check *check = &step->checks[c];
		int which = check->edge >= 0 && t->plan->live_edges ? edge[check->edge] : -1;
		if (in_row(t, &t->plan->views[check->view], at[check->from], at[check->to], which) == check->absent)
			return false;
	}
	return true;
}

static inline void run_step(run *r, size_t s)
{
	const gemp_plan *plan = r->trial->plan;
	if (s == plan->step_count) {
		keep(r->all, &r->m);
		return;
	}
	const gemp_step *step = &plan->steps[s];
	int *vertex = &r->m.at[step->vertex], *edge = step->edge >= 0 ? &r->m.at[plan->vertex_count + step->edge] : NULL;
	int vertices = step->kind == GEMP_BIND_EDGE ? 1 : r->trial->host.vertices, edges = edge ? r->trial->host.edges : 1;
	for (int i = 0; i < vertices; i++)
		for (int k = 0; k < edges; k++) {
			if (step->kind != GEMP_BIND_EDGE)
				*vertex = i;
			if (edge)
				*edge = k;
			if (step_holds(r, step))
				run_step(r, s + 1);
		}
}

#endif
