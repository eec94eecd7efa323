/* Tests the slots of merged relations: each slot leads to its edge, also behind the additional edge that closes a path.
 * Directed and undirected relations cannot be merged. */
#include "core/memory.h"
#include "core/random.h"
#include "core/status.h"
#include "core/types.h"
#include "euler/euler.h"
#include "graph/graph.h"
#include "harness/harness.h"

#include <string.h>

enum { ROWS = 9, RELATIONS = 3, MOST = 5 };

/* The part of rank 1 of 3 of a graph with 30 vertices. */
typedef struct made {
	gemp_shard graph;
	gemp_relation relations[RELATIONS];
	uint64_t bounds[4], begin[RELATIONS][ROWS + 1];
	gemp_vertex out[RELATIONS][ROWS * MOST];
} made;

static void make(made *m, uint64_t random)
{
	static char name[] = "R";
	memset(m, 0, sizeof *m);
	memcpy(m->bounds, (const uint64_t[]){ 0, 10, 10 + ROWS, 30 }, sizeof m->bounds);
	m->graph = (gemp_shard){ .rank = 1,
		                     .ranks = 3,
		                     .vertex_count = 30,
		                     .bounds = m->bounds,
		                     .first_vertex = 10,
		                     .rows = ROWS,
		                     .relation_count = RELATIONS,
		                     .relations = m->relations };
	for (size_t r = 0; r < RELATIONS; r++) {
		for (size_t row = 0; row < ROWS; row++) {
			m->begin[r][row + 1] = m->begin[r][row] + gemp_random_below(&random, MOST);
			for (uint64_t at = m->begin[r][row]; at < m->begin[r][row + 1]; at++)
				m->out[r][at] = (gemp_vertex)gemp_random_below(&random, 30);
		}
		m->relations[r] = (gemp_relation){ .name = name,
			                               .directed = true,
			                               .first_edge = 100 * (r + 1),
			                               .edge_count = 1000,
			                               .out_offsets = m->begin[r],
			                               .out_targets = m->out[r] };
	}
}

/* Every edge of the chosen relations occurs once, in the row of its source. */
static void check(const made *m, const gemp_euler_edges *edges, const bool *chosen)
{
	bool seen[RELATIONS][ROWS * MOST] = { { false } };
	uint64_t count = 0;
	for (uint64_t row = 0; row < ROWS; row++)
		for (uint64_t at = edges->begin[row]; at < edges->begin[row + 1]; at++) {
			gemp_edge slot = edges->first + at;
			gemp_vertex source = gemp_euler_source(edges, slot);
			assert_int_equal(source, 10 + row);
			gemp_euler_edge edge = gemp_euler_edge_of(edges, source, slot);
			if (slot == edges->closing) {
				assert_int_equal(edge.number, GEMP_NO_EDGE);
				assert_int_equal(edges->target[at], edges->path_start);
				assert_int_equal(source, edges->path_end);
				continue;
			}
			size_t r = (size_t)(edges->relations[edge.relation] - m->relations);
			uint64_t own = edge.number - m->relations[r].first_edge;
			assert_true(own >= m->begin[r][row] && own < m->begin[r][row + 1] && !seen[r][own]);
			assert_true(!chosen || chosen[r]);
			assert_int_equal(edges->target[at], m->out[r][own]);
			seen[r][own] = true;
			count++;
		}
	uint64_t expected = 0;
	for (size_t r = 0; r < RELATIONS; r++)
		expected += !chosen || chosen[r] ? m->begin[r][ROWS] : 0;
	assert_int_equal(count, expected);
}

static void slots(void **state)
{
	(void)state;
	uint64_t seed = test_seed();
	for (uint64_t k = 0; k < 50; k++) {
		made m;
		gemp_euler_edges edges;
		make(&m, seed + k);
		for (unsigned set = 0; set <= 1 << RELATIONS; set++) {
			const bool chosen[RELATIONS] = { set & 1, set & 2, set & 4 };
			const bool *which = set == 1 << RELATIONS ? NULL : chosen;
			assert_ok(gemp_euler_edges_new(&edges, &m.graph, which));
			check(&m, &edges, which);
			uint64_t before = edges.first, all = edges.edges;
			gemp_vertex end = (gemp_vertex)((seed + k) % 30);
			assert_ok(gemp_euler_edges_close(&edges, 7, end));
			assert_int_equal(edges.edges, all + 1);
			assert_int_equal(edges.first, before + (end < 10));
			assert_true((edges.closing != GEMP_NO_EDGE) == (end >= 10 && end < 10 + ROWS));
			check(&m, &edges, which);
			gemp_euler_edges_free(&edges);
		}
	}
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void undirected(void **state)
{
	(void)state;
	made m;
	gemp_euler_edges edges;
	make(&m, 1);
	m.relations[1].directed = false;
	assert_code(gemp_euler_edges_new(&edges, &m.graph, NULL), GEMP_EUSAGE);
	assert_message("undirected");
	for (int which = 0; which < 2; which++) {
		const bool chosen[RELATIONS] = { which == 0, which == 1, which == 0 };
		assert_ok(gemp_euler_edges_new(&edges, &m.graph, chosen));
		assert_int_equal(edges.undirected, which == 1);
		gemp_euler_edges_free(&edges);
	}
	assert_int_equal(gemp_memory_blocks(), 0);
}

static gemp_code without_memory(void *argument)
{
	gemp_euler_edges edges;
	gemp_code code = gemp_euler_edges_new(&edges, argument, NULL);
	if (code == GEMP_OK)
		code = gemp_euler_edges_close(&edges, 7, 12);
	gemp_euler_edges_free(&edges);
	return code;
}

static void memory(void **state)
{
	(void)state;
	made m;
	make(&m, 2);
	assert_survives_no_memory(without_memory, &m.graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots),
		cmocka_unit_test(undirected),
		cmocka_unit_test(memory),
	};
	return test_main(tests);
}
