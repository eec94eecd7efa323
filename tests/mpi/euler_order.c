/* Tests the modules around the Euler engines. The check must detect an order that is wrong in one place on any rank.
 * Owners answer requests for slots. The balance of vertices must be as counted from all edges. A closing edge turns a
 * path into a circuit. */
#include "euler_ranks_case.h"

#include "comm/comm.h"
#include "core/status.h"
#include "core/types.h"
#include "euler/balance.h"
#include "euler/euler.h"
#include "euler/ranks/ranks_engine.h"
#include "euler/verify.h"

static void make_circuit(euler_case *c, uint64_t *seed, uint64_t vertices, size_t walks)
{
	*c = (euler_case){ 0 };
	euler_case_walks(c, seed, vertices, walks, 12, false);
	euler_case_share(c, seed, UINT64_MAX);
}

/* WRONG ORDERS */

typedef enum damage { TWICE, SWAPPED, SOURCE, TURNED, FEWER, SPOILS } damage;

/* Makes this rank's part of the order wrong. Returns false if the part is too short or the order may still be right. */
static bool damage_order(gemp_euler_order *order, const euler_case *c, damage how, uint64_t random)
{
	if (order->count < 2)
		return false;
	size_t i = (size_t)(random % (order->count - 1));
	gemp_edge edge = order->edge[i];
	switch (how) {
	case TWICE: order->edge[i] = order->edge[i + 1]; return true;
	case SWAPPED: /* if both edges have the same source, the order may still be right */
		order->edge[i] = order->edge[i + 1];
		order->edge[i + 1] = edge;
		return c->from[edge] != c->from[order->edge[i]];
	case SOURCE: order->source[i]++; return true;
	case TURNED: order->first++; return true;
	default: order->count--; return true;
	}
}

static void check_detects_wrong_orders(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	for (int k = 0; k < 6; k++) {
		euler_case c;
		make_circuit(&c, &seed, 30, 12);
		for (int how = 0; how < SPOILS; how++) {
			gemp_euler_result result;
			uint64_t random = gemp_random(&seed);
			assert_all_ok(gemp_euler_on_ranks(&result, &test_comm, &c.own, &(gemp_euler_options){ .sources = true }));
			assert_all_ok(gemp_euler_verify(&test_comm, &c.own, &result.order));
			bool damaged = test_comm.rank == (int)(random % (uint64_t)test_comm.size) &&
			               damage_order(&result.order, &c, (damage)how, random / 16);
			damaged = gemp_comm_sum1(&test_comm, damaged);
			gemp_code code = gemp_euler_verify(&test_comm, &c.own, &result.order);
			assert_all(!damaged || code == GEMP_EINTERNAL);
			gemp_euler_result_free(&result);
		}
		euler_case_free(&c);
	}
	assert_all(gemp_memory_blocks() == 0);
}

static void check_detects_wrong_slots(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	euler_case c;
	gemp_euler_result result;
	make_circuit(&c, &seed, 30, 12);
	assert_all_ok(gemp_euler_on_ranks(&result, &test_comm, &c.own, &(gemp_euler_options){ 0 }));
	if (result.order.count && result.order.first == 0)
		result.order.edge[0] = c.edges;
	assert_all_code(gemp_euler_verify(&test_comm, &c.own, &result.order), GEMP_EINTERNAL);
	assert_message("there is no slot");
	gemp_euler_result_free(&result);
	euler_case_free(&c);
	assert_all(gemp_memory_blocks() == 0);
}

/* BALANCE */

/* Compares the balance with a count over all edges, which every rank of the test has. */
static bool balance_is_right(const gemp_euler_balance *balance, const euler_case *c)
{
	uint64_t *in = gemp_calloc(c->vertices, sizeof *in), unbalanced = 0, starts = 0, ends = 0, shown = 0;
	bool right = true;
	for (uint64_t e = 0; e < c->edges; e++)
		in[c->to[e]]++;
	for (uint64_t v = 0; v < c->vertices; v++) {
		uint64_t out = c->begin[v + 1] - c->begin[v];
		starts += out == in[v] + 1;
		ends += in[v] == out + 1;
		if (out == in[v])
			continue;
		if (unbalanced++ < GEMP_EULER_SHOWN) {
			const gemp_euler_unbalanced *one = &balance->examples[shown++];
			right &= one->vertex == v && one->in == in[v] && one->out == out;
		}
	}
	bool path = unbalanced == 2 && starts == 1 && ends == 1 && balance->components == 1;
	gemp_free(in);
	return right && balance->unbalanced == unbalanced && balance->example_count == shown && balance->path == path;
}

/* Counts the components that have edges, also in graphs with unbalanced vertices. */
static uint64_t count_components(const euler_case *c)
{
	uint64_t *set = gemp_calloc(c->vertices, sizeof *set), count = 0;
	for (uint64_t v = 0; v < c->vertices; v++)
		set[v] = v;
	for (uint64_t e = 0; e < c->edges; e++)
		for (uint64_t v = 0, from = set[c->from[e]], to = set[c->to[e]]; v < c->vertices; v++)
			set[v] = set[v] == from ? to : set[v];
	for (uint64_t v = 0; v < c->vertices; v++) {
		bool has = false;
		for (uint64_t e = 0; e < c->edges; e++)
			has |= set[c->from[e]] == v;
		count += has;
	}
	gemp_free(set);
	return count;
}

static void balance_of_vertices(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	for (int k = 0; k < 20; k++) {
		euler_case c = { 0 };
		gemp_euler_balance balance;
		euler_case_walks(&c, &seed, 40, 1 + (size_t)k, 12, false);
		if (k % 3 == 0) /* removes the last edge of a circuit */
			c.edges -= c.edges > 1;
		for (int i = 0; i < k % 4; i++)
			euler_case_edge(&c, gemp_random_below(&seed, 40), gemp_random_below(&seed, 40));
		euler_case_share(&c, &seed, UINT64_MAX);
		assert_all_ok(gemp_euler_balance_find(&balance, &test_comm, &c.own, NULL));
		assert_all(balance_is_right(&balance, &c));
		assert_all(balance.components == count_components(&c));
		euler_case_free(&c);
	}
	assert_all(gemp_memory_blocks() == 0);
}

static void closing_edges(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	for (int k = 0; k < 8; k++) {
		euler_case c = { 0 };
		gemp_euler_balance balance;
		gemp_euler_result result;
		do {
			euler_case_free(&c);
			euler_case_walks(&c, &seed, 25, 6, 12, false);
			c.edges--;
		} while (c.from[c.edges] == c.to[c.edges]);
		euler_case_share(&c, &seed, UINT64_MAX);
		assert_all_ok(gemp_euler_balance_find(&balance, &test_comm, &c.own, NULL));
		if (balance.path) { /* not a path if the removed edge alone joined two components */
			assert_all_ok(gemp_euler_edges_close(&c.own, balance.start, balance.end));
			assert_all_ok(gemp_euler_on_ranks(&result, &test_comm, &c.own, &(gemp_euler_options){ .sources = k % 2 }));
			assert_all(result.components == 1 && result.order.edges == c.edges);
			assert_all_ok(gemp_euler_verify(&test_comm, &c.own, &result.order));
			gemp_euler_result_free(&result);
		}
		gemp_euler_edges_free(&c.own);
		euler_case_free(&c);
	}
	assert_all(gemp_memory_blocks() == 0);
}

/* REQUESTS TO OWNERS */

static uint64_t answer_slot(void *self, gemp_edge slot)
{
	const gemp_euler_edges *edges = self;
	return (uint64_t)gemp_euler_source(edges, slot) << 32 | edges->target[slot - edges->first];
}

static void requests_for_slots(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	euler_case c;
	make_circuit(&c, &seed, 30, 20);
	uint64_t random = seed + (uint64_t)test_comm.rank, count = gemp_random_below(&random, 100);
	gemp_edge *slots = gemp_calloc(count, sizeof *slots);
	uint64_t *ends = gemp_calloc(count, sizeof *ends);
	for (uint64_t i = 0; i < count; i++)
		slots[i] = gemp_random_below(&random, c.edges);
	assert_all_ok(gemp_euler_query_slots(&test_comm, &c.own, slots, count, answer_slot, &c.own, ends));
	bool right = true;
	for (uint64_t i = 0; i < count; i++)
		right &= ends[i] == ((uint64_t)c.from[slots[i]] << 32 | c.to[slots[i]]);
	assert_all(right);
	gemp_free(slots);
	gemp_free(ends);
	euler_case_free(&c);
	assert_all(gemp_memory_blocks() == 0);
}

static gemp_code solve_once(void *argument)
{
	gemp_code code = GEMP_OK;
	gemp_euler_result result;
	gemp_euler_balance balance;
	euler_case *c = argument;
	GEMP_TRY_DONE(gemp_euler_on_ranks(&result, &test_comm, &c->own, &(gemp_euler_options){ .sources = true }));
	code = gemp_euler_verify(&test_comm, &c->own, &result.order);
	gemp_euler_result_free(&result);
	GEMP_TRY_DONE(code);
	code = gemp_euler_balance_find(&balance, &test_comm, &c->own, NULL);
done:
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	euler_case c;
	make_circuit(&c, &seed, 10, 6);
	if (test_comm.size < 3)
		assert_all_survive_no_memory(solve_once, &c);
	euler_case_free(&c);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_detects_wrong_orders), cmocka_unit_test(check_detects_wrong_slots),
		cmocka_unit_test(balance_of_vertices),        cmocka_unit_test(closing_edges),
		cmocka_unit_test(requests_for_slots),         cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
