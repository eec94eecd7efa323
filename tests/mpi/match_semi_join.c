/* Tests the reduction of candidates by semi-joins against the reference: no vertex of a match is removed, all ranks get
 * the same candidates, and selective ends leave few of them. Also tests the union of bitmaps of all ranks. */
#include "match_case.h"

#include "core/bitset.h"
#include "core/random.h"
#include "match/filter/bits_union.h"
#include "match/filter/candidates.h"
#include "match/filter/semi_join.h"
#include "match/planner/plan_rows.h"

enum { GRAPHS = 4 };

/* Patterns without conditions; the tests make the candidates themselves. */
static const char *const shapes[] = {
	"MATCH (a)-[]-(b)-[]-(c) RETURN a",
	"MATCH (a)-[]->(b)-[]->(c)<-[]-(d) RETURN a",
	"MATCH (a)-[]-(b)-[]-(c)-[]-(d) RETURN a",
	"MATCH (a)-[]-(b)-[]-(c)-[]-(a) RETURN a",
	"MATCH (a)-[]-(b)-[]-(c)-[]-(d)-[]-(a) RETURN a",
	"MATCH (a)-[]->(b), (a)-[]->(c), (b)-[]->(d), (c)-[]->(d) RETURN a",
	"MATCH (a)-[:KNOWS]->(b)-[]-(c), (b)-[:KNOWS]->(d), (a)-[]->(a) RETURN a",
	"MATCH (a)-[]->(b), (a)-[]->(b), (b)-[]-(c) RETURN a",
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static const gemp_semantics all_semantics[] = { GEMP_ISO, GEMP_EDGE_ISO, GEMP_HOM, GEMP_INDUCED };

/* Collective. Gives some pattern vertices random candidates, few for those in `few`, the same ones on all ranks. */
static void choose_candidates(gemp_candidates *c, const gemp_pattern *pattern, uint64_t vertices, uint64_t few,
                              uint64_t *random)
{
	*c = (gemp_candidates){ .words = gemp_bits32_words(vertices) };
	for (size_t v = 0; v < pattern->vertex_count; v++) {
		c->count[v] = vertices;
		if (!(few >> v & 1) && gemp_random_below(random, 3))
			continue;
		const uint64_t part = few >> v & 1 ? 16 : 2;
		c->count[v] = 0;
		assert_all_ok(GEMP_NEW(c->bits[v], c->words + 1));
		for (uint64_t id = 0; id < vertices; id++)
			if (gemp_random_below(random, part) == 0) {
				gemp_bits32_set(c->bits[v], id);
				c->count[v]++;
			}
	}
}

static gemp_code copy_candidates(gemp_candidates *to, const gemp_candidates *from, size_t vertices)
{
	*to = (gemp_candidates){ .words = from->words };
	for (int v = 0; v < (int)vertices; v++) {
		to->count[v] = from->count[v];
		if (from->bits[v])
			GEMP_TRY(gemp_candidates_limit(to, v, from->bits[v]));
	}
	return GEMP_OK;
}

/* Every rank's bitmap must be the first rank's, and a bitmap must have as many bits as are counted. */
static bool ranks_agree(const gemp_candidates *c, size_t vertices)
{
	bool agree = true;
	for (size_t v = 0; v < vertices; v++) {
		uint64_t has[2] = { c->bits[v] != NULL, c->bits[v] == NULL };
		gemp_comm_max(&test_comm, has, 2);
		agree &= has[0] != has[1];
		for (size_t w = 0; c->bits[v] && w < c->words; w++) {
			uint64_t both[2] = { c->bits[v][w], (uint64_t)UINT32_MAX - c->bits[v][w] };
			gemp_comm_max(&test_comm, both, 2);
			agree &= both[0] + both[1] == UINT32_MAX;
		}
		agree &= !c->bits[v] || gemp_bits32_count(c->bits[v], c->words) == c->count[v];
	}
	return agree;
}

/* Counts the embeddings whose vertices are among the candidates. */
static uint64_t embeddings_among(const reference *r, const gemp_candidates *c)
{
	uint64_t count = 0;
	for (size_t i = 0; i < r->count; i++) {
		bool among = true;
		for (int v = 0; v < (int)r->pattern->vertex_count; v++)
			among &= gemp_candidates_has(c, v, r->list[i].at[v]);
		count += among;
	}
	return count;
}

/* Reduces random candidates, and returns how many were removed. */
static uint64_t check_shape(const case_graph *g, const char *text, gemp_semantics semantics, uint64_t *random)
{
	gemp_pattern *pattern = parse_question(&(question){ .text = text }, g->distributed);
	gemp_candidates before, after;
	reference r;
	uint64_t removed = 0;
	if (!pattern)
		return 0;
	reference_new(&r, g->whole, pattern, semantics);
	assert_all_ok(gemp_pattern_load_relations(g->distributed, pattern));
	for (int turn = 0; turn < 6; turn++) {
		const uint64_t few = gemp_random_below(random, UINT64_C(1) << pattern->vertex_count);
		choose_candidates(&before, pattern, g->whole->vertex_count, few, random);
		assert_all_ok(copy_candidates(&after, &before, pattern->vertex_count));
		assert_all_ok(gemp_candidates_semi_join(&after, context, g->distributed, pattern, semantics));
		assert_all(ranks_agree(&after, pattern->vertex_count));
		assert_all(embeddings_among(&r, &after) == embeddings_among(&r, &before));
		for (int v = 0; v < (int)pattern->vertex_count; v++) {
			assert_all(after.count[v] <= before.count[v]);
			removed += before.count[v] - after.count[v];
			for (uint64_t id = 0; id < g->whole->vertex_count; id++)
				assert_true(gemp_candidates_has(&before, v, id) || !gemp_candidates_has(&after, v, id));
		}
		gemp_candidates_free(&before);
		gemp_candidates_free(&after);
	}
	reference_free(&r);
	gemp_pattern_free(pattern);
	return removed;
}

static void no_match_is_lost(void **state)
{
	(void)state;
	uint64_t random = test_seed_all(), removed = 0;
	for (size_t i = 0; i < GRAPHS; i++) {
		case_graph g;
		const size_t vertices = 17 + gemp_random_below(&random, 10);
		graph_new(&g, vertices, vertices + gemp_random_below(&random, vertices), i % 2, gemp_random(&random));
		for (size_t s = 0; s < SHAPES; s++)
			removed += check_shape(&g, shapes[s], all_semantics[(s + i) % 4], &random);
		graph_free(&g);
	}
	assert_all(removed > 0);
}

/* A path between two ends with one candidate each, under hom: the candidates that remain are the vertices of such
 * paths, since semi-joins reduce a tree completely. */
static void ends_meet(void **state)
{
	(void)state;
	case_graph g;
	graph_new(&g, 200, 200, true, 5);
	gemp_pattern *pattern = parse_question(&(question){ .text = shapes[2] }, g.distributed);
	gemp_candidates c = { .words = gemp_bits32_words(g.whole->vertex_count) };
	reference r;
	assert_non_null(pattern);
	assert_all_ok(gemp_pattern_load_relations(g.distributed, pattern));
	reference_new(&r, g.whole, pattern, GEMP_HOM);
	const embedding *ends = &r.list[r.count / 2];
	assert_all(r.count > 0);
	for (int v = 0; v < 4; v++)
		c.count[v] = g.whole->vertex_count;
	for (int v = 0; v < 4; v += 3) {
		GEMP_OWNED uint32_t *one = NULL;
		assert_all_ok(GEMP_NEW(one, c.words + 1));
		gemp_bits32_set(one, ends->at[v]);
		assert_all_ok(gemp_candidates_limit(&c, v, one));
	}
	assert_all_ok(gemp_candidates_semi_join(&c, context, g.distributed, pattern, GEMP_HOM));
	for (int v = 0; v < 4; v++)
		for (uint64_t id = 0; id < g.whole->vertex_count; id++) {
			bool used = false;
			for (size_t i = 0; i < r.count; i++)
				used |= r.list[i].at[v] == id && r.list[i].at[0] == ends->at[0] && r.list[i].at[3] == ends->at[3];
			assert_true(used == gemp_candidates_has(&c, v, id));
		}
	gemp_candidates_free(&c);
	reference_free(&r);
	gemp_pattern_free(pattern);
	graph_free(&g);
}

/* Push with a small outbox, and pull, answer as the reference does, also if some ranks have no vertex. */
static void searches_are_right(void **state)
{
	(void)state;
	static const question questions[] = {
		{ .text = "MATCH (a)-[]-(b)-[]-(c)-[]-(d) WHERE id(a) % 9 = 0 AND id(d) % 9 = 1 RETURN a" },
		{ .text = "MATCH (a)-[]-(b)-[]-(c)-[]-(d)-[]-(a) WHERE id(a) % 9 = 0 RETURN a" },
		{ .text = "MATCH (a)-[]->(b)-[]->(c), (b)-[]->(d) WHERE id(a) % 10 = 0 AND id(c) % 3 = 0 RETURN a" },
		{ .text = "MATCH (a)-[]-(b)-[]-(c)-[]-(a), (c)-[]-(d) WHERE id(a) % 11 = 0 RETURN a" },
	};
	for (size_t vertices = 5; vertices <= 30; vertices += 25) {
		case_graph g;
		graph_new(&g, vertices, 2 * vertices, vertices > 5, 3 + vertices);
		for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
			for (int turn = 0; turn < (vertices > 5 ? 2 : 1); turn++) {
				gemp_match_options o = plain_options;
				o.semantics = all_semantics[i % 4];
				o.exchange = turn == 0 ? GEMP_EXCHANGE_PUSH : GEMP_EXCHANGE_PULL;
				o.replicate = 0;
				context->budgets.outbox = turn == 0 ? 2 : 0;
				assert_true(check_answer(&g, &questions[i], &o));
			}
		graph_free(&g);
	}
	context->budgets.outbox = 0;
}

/* Few bits travel as lists, many as words. Both must give the union. */
static void bitmaps_are_united(void **state)
{
	(void)state;
	enum { BITS = 1000, WORDS = (BITS + 31) / 32 };
	for (unsigned every = 1; every < 200; every = 2 * every + 1) {
		uint32_t bits[WORDS + 1] = { 0 };
		uint64_t wrong = 0;
		for (uint64_t id = 0; id < BITS; id++)
			if (id % (uint64_t)test_comm.size == (uint64_t)test_comm.rank && id % every == 0)
				gemp_bits32_set(bits, id);
		assert_all_ok(gemp_bits_unite(context, GEMP_OK, bits, WORDS));
		for (uint64_t id = 0; id < BITS; id++)
			wrong += gemp_bits32_test(bits, id) != (id % every == 0);
		assert_all(wrong == 0);
	}
}

/* If memory runs out on one rank, all ranks return the same code and keep candidates that may be freed. */
static void memory_runs_out(void **state)
{
	(void)state;
	case_graph g;
	uint64_t random = 77;
	graph_new(&g, 40, 90, true, 9);
	gemp_pattern *pattern = parse_question(&(question){ .text = shapes[4] }, g.distributed);
	bool failed = true;
	assert_non_null(pattern);
	assert_all_ok(gemp_pattern_load_relations(g.distributed, pattern));
	for (long allowed = 0; failed; allowed++) {
		gemp_candidates c;
		choose_candidates(&c, pattern, g.whole->vertex_count, 1, &random);
		if (test_comm.rank == test_comm.size - 1)
			gemp_memory_fail_after(allowed);
		gemp_code code = gemp_candidates_semi_join(&c, context, g.distributed, pattern, GEMP_ISO);
		gemp_memory_fail_after(-1);
		failed = code != GEMP_OK;
		assert_all(code == GEMP_OK || code == GEMP_ENOMEM);
		assert_all(gemp_comm_sum1(&test_comm, failed) == (failed ? (uint64_t)test_comm.size : 0));
		gemp_candidates_free(&c);
	}
	gemp_pattern_free(pattern);
	graph_free(&g);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(no_match_is_lost, open_context, close_context),
		cmocka_unit_test_setup_teardown(ends_meet, open_context, close_context),
		cmocka_unit_test_setup_teardown(searches_are_right, open_context, close_context),
		cmocka_unit_test_setup_teardown(bitmaps_are_united, open_context, close_context),
		cmocka_unit_test_setup_teardown(memory_runs_out, open_context, close_context),
	};
	return test_main_all(argc, argv, tests);
}
