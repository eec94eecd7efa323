/* Evaluates the sums of a count plan by their definitions (src/count/plan.h) on random graphs, and compares the plan's
 * count with the number of matches found one by one. */
#ifndef GEMP_TESTS_COUNT_PLAN_CASE_H
#define GEMP_TESTS_COUNT_PLAN_CASE_H

#include "core/memory.h"
#include "core/random.h"
#include "core/status.h"
#include "count/plan.h"
#include "count/planner.h"
#include "harness/harness.h"
#include "pattern/model/pattern.h"
#include "pattern/shapes/named_pattern.h"
#include "pattern/symmetry/automorphism.h"
#include "pattern/symmetry/permutation_group.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 16 };

typedef struct host {
	int size;
	bool near[MOST][MOST]; /* vertices are numbered like slots */
} host;

/* EXPRESSIONS, evaluated as a kernel would. */
typedef struct scope {
	const host *graph;
	const gemp_count_plan *plan;
	long tables[GEMP_MAX_VERTEX_TABLES][MOST];
	int place[3];
	long c, g;
} scope;

typedef struct reader {
	const scope *scope;
	const char *at;
} reader;

static inline long common(const host *g, int a, int b, int above)
{
	long n = 0;
	for (int x = above + 1; x < g->size; x++)
		n += g->near[a][x] && g->near[b][x];
	return n;
}

static inline long neighbours(const host *g, int v, int from, int to)
{
	long n = 0;
	for (int x = from; x < to; x++)
		n += g->near[v][x];
	return n;
}

static inline long symbol(const scope *s, const char *name)
{
	int i, j, k;
	char rest;
	if (sscanf(name, "V%d_%d%c", &k, &i, &rest) == 2)
		return s->tables[k][s->place[i]];
	if (sscanf(name, "t_%1d%1d%c", &i, &j, &rest) == 2) {
		assert_true(s->graph->near[s->place[i]][s->place[j]]);
		return common(s->graph, s->place[i], s->place[j], -1);
	}
	if (sscanf(name, "low_%d%c", &i, &rest) == 1)
		return neighbours(s->graph, s->place[i], 0, s->place[0]);
	if (sscanf(name, "up_%d%c", &i, &rest) == 1)
		return neighbours(s->graph, s->place[i], s->place[0] + 1, s->graph->size);
	if (!strcmp(name, "o"))
		return s->place[1] > s->place[0];
	if (!strcmp(name, "u_01"))
		return common(s->graph, s->place[0], s->place[1], s->place[0]);
	if (!strcmp(name, "a"))
		return s->graph->near[s->place[0]][s->place[2]];
	if (!strcmp(name, "g"))
		return s->g;
	assert_string_equal(name, "c");
	return s->c;
}

static inline long read_sum(reader *r);

static inline long read_factor(reader *r)
{
	char name[32];
	size_t n = 0;
	while (*r->at == ' ')
		r->at++;
	if (*r->at == '(') {
		r->at++;
		long value = read_sum(r);
		assert_int_equal(*r->at, ')');
		r->at++;
		return value;
	}
	if (*r->at == '-') {
		r->at++;
		return -read_factor(r);
	}
	if (isdigit((unsigned char)*r->at))
		return strtol(r->at, (char **)&r->at, 10);
	while ((isalnum((unsigned char)*r->at) || *r->at == '_') && n < sizeof name - 1)
		name[n++] = *r->at++;
	name[n] = 0;
	return symbol(r->scope, name);
}

static inline long read_product(reader *r)
{
	long value = read_factor(r);
	while (*r->at == ' ')
		r->at++;
	while (*r->at == '*') {
		r->at++;
		value *= read_factor(r);
		while (*r->at == ' ')
			r->at++;
	}
	return value;
}

static inline long read_sum(reader *r)
{
	long value = read_product(r);
	while (*r->at == '+' || *r->at == '-') {
		int sign = *r->at++ == '+' ? 1 : -1;
		value += sign * read_product(r);
	}
	return value;
}

static inline long evaluate(const scope *s, const char *expression)
{
	reader r = { s, expression };
	if (!expression)
		return 1;
	long value = read_sum(&r);
	assert_int_equal(*r.at, 0);
	return value;
}

/* SUMS, evaluated by their definitions in src/count/plan.h. */
static inline long at(scope *s, const gemp_sum *sum, int v0, int v1, int v2)
{
	s->place[0] = v0;
	s->place[1] = v1;
	s->place[2] = v2;
	return evaluate(s, sum->expression);
}

static inline long wedges(scope *s, const gemp_sum *sum)
{
	const host *g = s->graph;
	long total = 0;
	for (int r = 0; r < g->size; r++)
		for (int x = r + 1; x < g->size; x++)
			for (int w = r + 1; w < g->size; w++)
				if (g->near[r][x] && g->near[x][w]) {
					s->c = common(g, r, w, r);
					total += at(s, sum, r, x, w);
				}
	return total;
}

static inline long around(scope *s, const gemp_sum *sum)
{
	const host *g = s->graph;
	long total = 0;
	for (int h = 0; h < g->size; h++)
		for (int x = 0; x < g->size; x++)
			for (int y = x + 1; y < g->size; y++) {
				s->c = 0;
				for (int z = 0; z < g->size; z++)
					s->c += g->near[h][z] && g->near[x][z] && g->near[y][z];
				s->g = common(g, x, y, -1);
				if (g->near[h][x] && g->near[h][y] && s->c)
					total += at(s, sum, x, h, y);
			}
	return total;
}

static inline long joined(const host *g)
{
	long total = 0;
	for (int r = 0; r < g->size; r++)
		for (int w = r + 1; w < g->size; w++)
			for (int y = w + 1; y < g->size; y++)
				if (g->near[w][y])
					total += common(g, r, w, r) * common(g, r, y, r);
	return total;
}

/* For a path r-a-b-y, returns the number of paths r-c-d-y with c and d after r, c != a, d != b and c != y. */
static inline long paths_beside(const host *g, int r, int a, int b, int y)
{
	long found = 0;
	for (int c = r + 1; c < g->size; c++)
		for (int d = r + 1; d < g->size; d++)
			found += c != a && d != b && c != y && g->near[r][c] && g->near[c][d] && g->near[d][y];
	return found;
}

static inline long path_pairs(const host *g)
{
	long total = 0;
	for (int r = 0; r < g->size; r++)
		for (int a = r + 1; a < g->size; a++)
			for (int b = r + 1; b < g->size && g->near[r][a]; b++)
				for (int y = r + 1; y < g->size && g->near[a][b]; y++)
					total += y != a && g->near[b][y] ? paths_beside(g, r, a, b, y) : 0;
	return total / 2;
}

static inline long cliques(const host *g, int *chosen, int have, int want)
{
	long total = 0;
	if (have == want)
		return 1;
	for (int v = have ? chosen[have - 1] + 1 : 0; v < g->size; v++) {
		bool joins = true;
		for (int i = 0; i < have; i++)
			joins = joins && g->near[chosen[i]][v];
		chosen[have] = v;
		if (joins)
			total += cliques(g, chosen, have + 1, want);
	}
	return total;
}

static inline long pairs(scope *s, const gemp_sum *sum, int size)
{
	const host *g = s->graph;
	long total = 0;
	for (int a = 0; a < g->size; a++)
		for (int b = a + 1; b < g->size; b++) {
			s->c = common(g, a, b, -1);
			if (sum->kind == GEMP_SUM_EDGES && g->near[a][b])
				total += at(s, sum, a, b, 0);
			if (sum->kind == GEMP_SUM_PAIRS && s->c)
				total += at(s, sum, a, 0, b);
			for (int m = b + 1; size == 3 && m < g->size; m++)
				if (g->near[a][b] && g->near[a][m] && g->near[b][m])
					total += at(s, sum, a, b, m);
		}
	return total;
}

static inline long choose(long n, int k)
{
	return k == 0 ? 1 : n == 0 ? 0 : choose(n - 1, k - 1) + choose(n - 1, k);
}

static inline long sum_of(scope *s, const gemp_sum *sum)
{
	int chosen[MOST];
	long total = 0;
	switch (sum->kind) {
	case GEMP_SUM_VERTICES:
		for (int v = 0; v < s->graph->size; v++)
			total += sum->leaves ? choose(s->tables[0][v], sum->leaves) : at(s, sum, v, 0, 0);
		return total;
	case GEMP_SUM_EDGES:
	case GEMP_SUM_PAIRS: return pairs(s, sum, 2);
	case GEMP_SUM_TRIANGLES: return pairs(s, sum, 3);
	case GEMP_SUM_WEDGES: return wedges(s, sum);
	case GEMP_SUM_NEIGHBOURS: return around(s, sum);
	case GEMP_SUM_JOINED: return joined(s->graph);
	case GEMP_SUM_PATH_PAIRS: return path_pairs(s->graph);
	case GEMP_SUM_CLIQUES: return cliques(s->graph, chosen, 0, sum->clique);
	}
	return 0;
}

static inline long by_plan(const host *g, const gemp_count_plan *plan)
{
	scope s = { .graph = g, .plan = plan };
	long total = 0;
	for (size_t k = 0; k < plan->table_count; k++)
		for (int v = 0; v < g->size; v++)
			for (int u = 0; u < g->size; u++)
				if (g->near[v][u]) {
					s.place[0] = v;
					s.place[1] = u;
					s.tables[k][v] += evaluate(&s, plan->tables[k].expression);
				}
	for (size_t i = 0; i < plan->sum_count; i++)
		total += (long)plan->sums[i].factor * sum_of(&s, &plan->sums[i]);
	assert_int_equal(total % (long)plan->divisor, 0);
	return total / (long)plan->divisor;
}

/* MATCHES, found one by one. */
typedef enum sense { ISO, EDGE_ISO, HOM } sense;

/* Is no host edge the image of two pattern edges of one MATCH? */
static inline bool edges_differ(const gemp_pattern *p, const int *image)
{
	for (size_t e = 0; e < p->edge_count; e++)
		for (size_t f = 0; f < e; f++) {
			int a = image[p->edges[e].from], b = image[p->edges[e].to];
			int c = image[p->edges[f].from], d = image[p->edges[f].to];
			if (p->edges[e].match == p->edges[f].match && ((a == c && b == d) || (a == d && b == c)))
				return false;
		}
	return true;
}

static inline long embeddings(const host *g, const gemp_pattern *p, sense sense, int *image, int have)
{
	long total = 0;
	if (have == (int)p->vertex_count)
		return sense != EDGE_ISO || edges_differ(p, image);
	for (int v = 0; v < g->size; v++) {
		bool fits = true;
		for (int i = 0; i < have && sense == ISO; i++)
			fits = fits && image[i] != v;
		for (size_t e = 0; e < p->edge_count && fits; e++) {
			int a = p->edges[e].from, b = p->edges[e].to;
			if (a == have && b < have)
				fits = g->near[v][image[b]];
			if (b == have && a < have)
				fits = g->near[v][image[a]];
		}
		image[have] = v;
		if (fits)
			total += embeddings(g, p, sense, image, have + 1);
	}
	return total;
}

static inline void random_host(host *g, uint64_t *random, int size)
{
	double density = 0.1 + 0.8 * gemp_random_unit(random);
	*g = (host){ .size = size };
	for (int a = 0; a < size; a++)
		for (int b = 0; b < a; b++)
			g->near[a][b] = g->near[b][a] = gemp_random_unit(random) < density;
}

/* Writes the graph of `size` vertices whose edges are the bits of `edges`. Returns true if it is connected. Most graphs
 * occur several times up to isomorphism. */
static inline bool pattern_text(char *text, int size, unsigned edges)
{
	unsigned part[8] = { 0 };
	int bit = 0, n = sprintf(text, "edges:");
	bool first = true;
	for (int i = 0; i < size; i++)
		part[i] = 1u << i;
	for (int i = 0; i < size; i++)
		for (int j = i + 1; j < size; j++, bit++)
			if (edges >> bit & 1) {
				n += sprintf(text + n, "%s%d-%d", first ? "" : ",", i, j);
				first = false;
				unsigned both = part[i] | part[j];
				for (int v = 0; v < size; v++)
					if (both >> v & 1)
						part[v] = both;
			}
	return part[0] == (1u << size) - 1;
}

/* Returns true if there was a plan, whose count was then checked. The edges are of several MATCH. */
static inline bool check_sense(const char *text, sense sense, uint64_t *random, gemp_count_planner_options premise,
                               int rounds, int size, uint64_t matches)
{
	gemp_pattern *pattern = NULL;
	gemp_symmetry *symmetry = NULL;
	gemp_count_plan *plan = NULL;
	const char *reason;
	bool overflow;
	premise.iso = sense == ISO;
	premise.edge_iso = sense == EDGE_ISO;
	premise.hom = sense == HOM;
	assert_int_equal(gemp_pattern_named(&pattern, text), GEMP_OK);
	for (size_t e = 0; e < pattern->edge_count && matches > 1; e++)
		pattern->edges[e].match = (int)gemp_random_below(random, matches);
	assert_int_equal(gemp_automorphism_find(&symmetry, pattern, false), GEMP_OK);
	uint64_t order = gemp_symmetry_order(symmetry, &overflow);
	if (gemp_random_below(random, 2))
		order = 1; /* a query that distinguishes its vertices has a group of order 1 */
	assert_int_equal(gemp_count_plan_new(&plan, pattern, order, &premise, &reason), GEMP_OK);
	assert_true((plan == NULL) == (reason != NULL));
	for (int i = 0; plan && i < rounds; i++) {
		host g;
		int image[8];
		random_host(&g, random, i == 0 ? 1 : size - i % 3);
		long want = embeddings(&g, pattern, sense, image, 0) / (sense == ISO ? (long)order : 1);
		long got = by_plan(&g, plan);
		if (got != want)
			print_error("%s in sense %d: %ld instead of %ld\n", text, (int)sense, got, want);
		assert_int_equal(got, want);
	}
	bool found = plan != NULL;
	gemp_count_plan_free(plan);
	gemp_symmetry_free(symmetry);
	gemp_pattern_free(pattern);
	return found;
}

#endif
