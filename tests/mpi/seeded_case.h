/* Runs a search from given vertices several times over the same buffers, and compares the rows with the embeddings of
 * the reference that extend the seeds. */
#ifndef GEMP_TESTS_SEEDED_CASE_H
#define GEMP_TESTS_SEEDED_CASE_H

#include "match/match.h"
#include "match/match_run.h"
#include "match/match_state.h"
#include "match/planner/match_options.h"
#include "match_case.h"

/* SEEDS: a random share of all tuples of vertices, the same on every rank. Each seed is given to one rank. */
typedef struct seeds {
	size_t given, all_count, own_count;
	gemp_vertex *all, *own;
} seeds;

static inline seeds choose_seeds(const gemp_shard *graph, size_t given, uint64_t share, uint64_t *random)
{
	seeds s = { .given = given };
	size_t tuples = 1, vertices = graph->vertex_count;
	for (size_t i = 0; i < given; i++)
		tuples *= vertices;
	s.all = calloc(tuples * given + 1, sizeof *s.all);
	s.own = calloc(tuples * given + 1, sizeof *s.own);
	for (size_t t = 0; t < tuples; t++) {
		gemp_vertex tuple[8];
		for (size_t i = 0, left = t; i < given; i++, left /= vertices)
			tuple[i] = (gemp_vertex)(left % vertices);
		if (gemp_random_below(random, 100) >= share)
			continue;
		memcpy(s.all + s.all_count++ * given, tuple, given * sizeof *tuple);
		if ((int)gemp_random_below(random, (uint64_t)test_comm.size) == test_comm.rank)
			memcpy(s.own + s.own_count++ * given, tuple, given * sizeof *tuple);
	}
	return s;
}

static inline void free_seeds(seeds *s)
{
	free(s->all);
	free(s->own);
}

static inline bool extends(const embedding *row, const seeds *s, size_t seed)
{
	for (size_t i = 0; i < s->given; i++)
		if (row->at[i] != s->all[seed * s->given + i])
			return false;
	return true;
}

static inline void keep_extensions_of_seeds(reference *r, const seeds *s)
{
	size_t kept = 0;
	for (size_t i = 0; i < r->count; i++)
		for (size_t seed = 0; seed < s->all_count; seed++)
			if (extends(&r->list[i], s, seed)) {
				r->list[kept++] = r->list[i];
				break;
			}
	r->count = kept;
}

/* Are the rows the embeddings of the reference? If edges have no columns, only vertices are compared; then no two
 * embeddings have equal vertices. */
static inline bool rows_equal(reference *r, const collecting *c, const gemp_pattern *pattern)
{
	size_t points = c->edge_count ? r->points : pattern->vertex_count;
	if (c->count != r->count)
		return false;
	for (size_t i = 0; i < r->count; i++)
		for (size_t k = points; k < r->points; k++)
			r->list[i].at[k] = 0;
	reference_sort(r->list, r->count, r->points);
	for (size_t i = 0; i < r->count; i++)
		if (memcmp(r->list[i].at, c->rows[i].at, points * sizeof *r->list[i].at) != 0)
			return false;
	return true;
}

/* The seeds assign the first vertices of the pattern, pattern->arguments in number. */
static inline void check_seeded(const case_graph *graph, const gemp_pattern *pattern, const gemp_match_options *o,
                                uint64_t *random)
{
	enum { RUNS = 3 };
	static const uint64_t shares[RUNS] = { 100, 0, 20 };
	gemp_match *match = NULL;
	assert_all_ok(gemp_match_prepare(&match, context, graph->distributed, pattern, o));
	for (int run = 0; run < RUNS; run++) {
		seeds s = choose_seeds(graph->whole, pattern->arguments, shares[run], random);
		collecting rows = { .wanted = SIZE_MAX };
		gemp_sink sink = collecting_sink(&rows);
		gemp_match_result result;
		reference r;
		reference_new(&r, graph->whole, pattern, o->semantics);
		keep_extensions_of_seeds(&r, &s);
		assert_all_ok(gemp_match_run_seeded(match, s.own, s.own_count, &sink, run ? NULL : &result));
		assert_all(rows.last_rounds == 1);
		collecting_gather(&rows);
		bool right = rows_equal(&r, &rows, pattern);
		if (!right)
			print_message("run %d: %zu rows, %zu expected\n", run, rows.count, r.count);
		assert_all(right);
		if (!run)
			assert_all(result.matches == r.count && result.complete && result.pivots == s.all_count);
		reference_free(&r);
		free(rows.rows);
		free_seeds(&s);
	}
	gemp_match_free(match);
}

#endif
