/* Tests the orientation of undirected multigraphs with loops and parallel edges. Each edge must get one direction, and
 * every vertex equal in- and out-degrees. An engine must then find an Euler circuit or path if there is one. Vertices
 * of odd degree are counted. */
#include "euler_ranks_case.h"

#include "comm/comm.h"
#include "core/status.h"
#include "core/types.h"
#include "euler/balance.h"
#include "euler/euler.h"
#include "euler/ranks/ranks_engine.h"
#include "euler/verify.h"

/* Makes closed walks and reverses a random half of their edges. */
static void make_undirected_walks(euler_case *c, uint64_t *seed, uint64_t vertices, size_t walks)
{
	*c = (euler_case){ 0 };
	euler_case_walks(c, seed, vertices, walks, 12, false);
	for (uint64_t e = 0; e < c->edges; e++)
		if (gemp_random(seed) & 1) {
			gemp_vertex from = c->from[e];
			c->from[e] = c->to[e];
			c->to[e] = from;
		}
}

typedef struct oriented_edge {
	uint64_t slot;
	gemp_vertex source, target;
} oriented_edge;

/* Collective. Are the edges of all ranks those of the case, each in either direction? A closed path has one more edge,
 * and only its number of edges is compared. */
static bool same_edges(const euler_case *c, const gemp_euler_edges *edges)
{
	size_t own = edges->begin[edges->rows], *begin = NULL;
	oriented_edge *list = gemp_calloc(own, sizeof *list), *all = NULL;
	bool *seen = gemp_calloc(edges->edges, sizeof *seen), right = true;
	for (size_t i = 0; i < own; i++)
		list[i] = (oriented_edge){ edges->own_edge[i], gemp_euler_source(edges, edges->first + i), edges->target[i] };
	if (gemp_comm_allgather(&test_comm, GEMP_OK, list, own * sizeof *list, (void **)&all, &begin) != GEMP_OK)
		return false;
	bool path = edges->path_start != GEMP_NO_VERTEX;
	right &= begin[test_comm.size] == edges->edges * sizeof *all && edges->edges == c->edges + path;
	for (size_t i = 0; i < begin[test_comm.size] / sizeof *all && !path; i++) {
		uint64_t e = all[i].slot;
		right &= e < c->edges && !seen[e];
		right = right && ((all[i].source == c->from[e] && all[i].target == c->to[e]) ||
		                  (all[i].source == c->to[e] && all[i].target == c->from[e]));
		if (right)
			seen[e] = true;
	}
	gemp_free(list);
	gemp_free(all);
	gemp_free(begin);
	gemp_free(seen);
	return right;
}

/* Collective. Do the edges form one circuit that the engine finds and the check accepts? */
static bool is_solved(const gemp_euler_edges *edges)
{
	gemp_euler_result result;
	gemp_code code = gemp_euler_on_ranks(&result, &test_comm, edges, &(gemp_euler_options){ .sources = true });
	if (code == GEMP_OK)
		code = gemp_euler_verify(&test_comm, edges, &result.order);
	bool solved = code == GEMP_OK && result.components == 1;
	gemp_euler_result_free(&result);
	return solved;
}

static void circuits_of_undirected_edges(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	for (int k = 0; k < 24; k++) {
		euler_case c;
		gemp_euler_edges edges;
		gemp_euler_balance balance;
		gemp_count odd;
		make_undirected_walks(&c, &seed, 1 + (uint64_t)k, 1 + (size_t)k % 7);
		euler_case_share(&c, &seed, UINT64_MAX);
		c.own.undirected = true;
		assert_all_ok(gemp_euler_orient(&edges, &test_comm, &c.own, &odd));
		assert_all(odd == 0 && same_edges(&c, &edges));
		assert_all_ok(gemp_euler_balance_find(&balance, &test_comm, &edges, NULL));
		assert_all(balance.unbalanced == 0);
		assert_all(is_solved(&edges));
		gemp_euler_edges_free(&edges);
		euler_case_free(&c);
	}
	assert_all(gemp_memory_blocks() == 0);
}

/* A closed walk without its last edge is a path. */
static void paths_of_undirected_edges(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	for (int k = 0; k < 12; k++) {
		euler_case c;
		gemp_euler_edges edges;
		gemp_euler_balance balance;
		gemp_count odd;
		do {
			make_undirected_walks(&c, &seed, 12, 1);
			c.edges--;
			if (c.edges && c.from[c.edges] != c.to[c.edges])
				break;
			euler_case_free(&c);
		} while (true);
		euler_case_share(&c, &seed, UINT64_MAX);
		c.own.undirected = true;
		assert_all_ok(gemp_euler_orient(&edges, &test_comm, &c.own, &odd));
		assert_all(odd == 2 && !edges.own_begin);
		assert_all_ok(gemp_euler_balance_find(&balance, &test_comm, &c.own, NULL));
		assert_all(balance.unbalanced == 2 && balance.path);
		assert_all_ok(gemp_euler_edges_close(&c.own, balance.start, balance.end));
		assert_all_ok(gemp_euler_orient(&edges, &test_comm, &c.own, &odd));
		assert_all(odd == 0 && same_edges(&c, &edges));
		assert_all(edges.path_start == balance.start
		               ? edges.path_end == balance.end
		               : edges.path_start == balance.end && edges.path_end == balance.start);
		assert_all(is_solved(&edges));
		gemp_euler_edges_free(&edges);
		gemp_euler_edges_free(&c.own);
		euler_case_free(&c);
	}
	assert_all(gemp_memory_blocks() == 0);
}

static gemp_code solve_once(void *argument)
{
	gemp_euler_edges edges;
	gemp_count odd = 0;
	gemp_code code = gemp_euler_orient(&edges, &test_comm, argument, &odd);
	gemp_euler_edges_free(&edges);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	euler_case c;
	make_undirected_walks(&c, &seed, 8, 4);
	euler_case_share(&c, &seed, UINT64_MAX);
	c.own.undirected = true;
	if (test_comm.size < 3)
		assert_all_survive_no_memory(solve_once, &c.own);
	euler_case_free(&c);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(circuits_of_undirected_edges),
		cmocka_unit_test(paths_of_undirected_edges),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
