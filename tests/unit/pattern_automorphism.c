/* Tests automorphisms of shapes and queries with known groups, of large groups, of random small patterns against all
 * permutations, and without memory. */
#include "harness/harness.h"
#include "harness/pattern_oracle.h"

#include "core/random.h"
#include "core/status.h"
#include "pattern/model/pattern.h"
#include "pattern/semantic/parse.h"
#include "pattern/shapes/named_pattern.h"
#include "pattern/symmetry/automorphism.h"
#include "pattern/symmetry/permutation_group.h"

static uint64_t order_of(gemp_pattern *pattern, bool use_return, bool *overflow)
{
	gemp_symmetry *symmetry;
	assert_ok(gemp_automorphism_find(&symmetry, pattern, use_return));
	uint64_t order = gemp_symmetry_order(symmetry, overflow);
	gemp_symmetry_free(symmetry);
	gemp_pattern_free(pattern);
	return order;
}

static void shapes(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		uint64_t order;
		bool overflow;
	} cases[] = {
		{ "triangle", 6, false },
		{ "cycle:3", 6, false },
		{ "cycle:5", 10, false },
		{ "cycle:32", 64, false },
		{ "path:2", 2, false },
		{ "path:32", 2, false },
		{ "star:1", 2, false },
		{ "star:3", 6, false },
		{ "diamond", 4, false },
		{ "house", 2, false },
		{ "clique:2", 2, false },
		{ "clique:8", 40320, false },
		{ "clique:11", 39916800, false },
		{ "star:20", 2432902008176640000, false },
		{ "star:21", UINT64_MAX, true },
		{ "star:31", UINT64_MAX, true },
		{ "edges:0-1,0-2,0-3,1-2,1-3,2-4,3-4", 4, false },
		{ "edges:0-1,0-2,0-3,0-4,1-2,2-3,3-4,4-1", 8, false },
		{ "edges:0-3,0-4,0-5,1-3,1-4,1-5,2-3,2-4,2-5", 72, false },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		gemp_pattern *pattern;
		bool overflow;
		assert_ok(gemp_pattern_named(&pattern, cases[i].name));
		assert_true(order_of(pattern, true, &overflow) == cases[i].order);
		assert_int_equal(overflow, cases[i].overflow);
	}
}

static void queries(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint64_t with_return, without;
	} cases[] = {
		{ "MATCH (a:P)-[:T]->(m)<-[:T]-(b:P) RETURN a, b", 2, 2 },
		{ "MATCH (a:P)-[:T]->(m)<-[:T]-(b:P) RETURN a", 1, 2 },
		{ "MATCH (a:P)-[:T]->(m)<-[:T]-(b:P) RETURN m, m.x", 2, 2 },
		{ "MATCH (a:P)-[:T]->(m)<-[:T]-(b:P) RETURN a.x AS p, b.x AS q", 2, 2 },
		{ "MATCH (a:P)-[:T]->(m)<-[:T]-(b:P) RETURN a.x, b.y", 1, 2 },
		{ "MATCH (a:P)-[r:T]->(m)<-[:T]-(b:P) RETURN r", 1, 2 },
		{ "MATCH (a:P)-[:T]->(m)<-[:T]-(b:P) RETURN count(*)", 2, 2 },
		{ "MATCH (a:P)-[:T]->(m)<-[:T]-(b:Q)", 1, 1 },
		{ "MATCH (a:P|Q)-[:T|U]->(m)<-[:U|T]-(b:Q|P)", 2, 2 },
		{ "MATCH (a:P {x: 1})-->(m)<--(b) WHERE 1 = b.x AND b:P", 2, 2 },
		{ "MATCH (a)-->(m)<--(b) WHERE a.name CONTAINS 'Jack'", 1, 1 },
		{ "MATCH (a)-->(m)<--(b) WHERE a.name CONTAINS 'Jack' OR b.name CONTAINS 'Jack'", 2, 2 },
		{ "MATCH (a)-->(m)<--(b) WHERE a.x < b.x", 1, 1 },
		{ "MATCH (a)-->(m)<--(b) WHERE a.x <> b.x AND a <> b", 2, 2 },
		{ "MATCH (a)-->(m)<--(b) WHERE id(a) < 5 AND NOT id(b) >= 5", 2, 2 },
		{ "MATCH (a)-->(b)-->(c)-->(a)", 3, 3 },
		{ "MATCH (a)--(b)--(c)--(a)", 6, 6 },
		{ "MATCH (a)-->(b), (a)-->(b), (a)-->(b)", 6, 6 },
		{ "MATCH (a)--(b), (a)--(b)", 4, 4 },
		{ "MATCH (a)-->(b), (b)-->(a)", 2, 2 },
		{ "MATCH (a)-->(a), (a)-->(a)", 2, 2 },
		{ "MATCH (a)", 1, 1 },
		{ "MATCH (m)<--(a), (m)<--(b), (m)<--(c), (m)<--(d) WHERE (a.x = b.x AND c.x = d.x) RETURN count(*)", 8, 8 },
		{ "MATCH (m)<--(a), (m)<--(b), (m)<--(c) WHERE a.x < b.x AND b.x < c.x AND c.x < a.x RETURN count(*)", 3, 3 },
		{ "MATCH (m)<--(a), (m)<--(b) WHERE a.x = b.y OR b.x = a.y RETURN count(*)", 2, 2 },
		{ "MATCH (m)<--(a), (m)<--(b) WHERE a.s CONTAINS b.s RETURN count(*)", 1, 1 },
		{ "MATCH (a)--(b) WHERE false", 1, 1 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		for (int use_return = 0; use_return < 2; use_return++) {
			gemp_pattern *pattern;
			bool overflow;
			assert_ok(gemp_pattern_parse(&pattern, cases[i].text, NULL));
			uint64_t order = order_of(pattern, use_return, &overflow);
			if (order != (use_return ? cases[i].with_return : cases[i].without))
				fail_msg("%s: %d: order %zu", cases[i].text, use_return, (size_t)order);
		}
	}
}

/* Names are part of the colours of vertices. No name makes two different colours equal. */
static void tricky_names(void **state)
{
	(void)state;
	gemp_pattern *pattern;
	bool overflow;
	assert_ok(gemp_pattern_parse(&pattern, "MATCH (a)-[:`A\n:1 B`]->(m)<-[:A|B]-(b)", NULL));
	assert_int_equal(order_of(pattern, false, &overflow), 1);
	assert_ok(gemp_pattern_parse(&pattern, "MATCH (a:`x\nwhere _:y`)-->(m)<--(b:x:y)", NULL));
	assert_int_equal(order_of(pattern, false, &overflow), 1);
}

static void full_group(void **state)
{
	(void)state;
	static const uint64_t factorials[] = { 1, 1, 2, 6, 24, 120 };
	gemp_symmetry *symmetry = NULL;
	gemp_stab_chain *chain;
	bool overflow;
	for (size_t n = 1; n <= 5; n++) {
		assert_ok(full_symmetry(&symmetry, n));
		assert_int_equal(gemp_symmetry_order(symmetry, &overflow), factorials[n]);
		gemp_symmetry_free(symmetry);
	}
	assert_ok(full_symmetry(&symmetry, 32));
	gemp_symmetry_order(symmetry, &overflow);
	assert_true(overflow);
	int base[32];
	uint64_t tuple[32], seed = 7;
	for (int i = 0; i < 32; i++) {
		base[i] = i;
		tuple[i] = gemp_random_below(&seed, 5); /* many repeated values */
	}
	assert_ok(gemp_stab_chain_new(&chain, symmetry, base, 32));
	gemp_stab_chain_canonical(chain, tuple);
	for (int i = 1; i < 32; i++)
		assert_true(tuple[i - 1] <= tuple[i]);
	gemp_stab_chain_free(chain);
	gemp_symmetry_free(symmetry);
}

/* Canonical tuples with repeated values are found fast under large groups if equal values are exchangeable. */
static void repeated_values(void **state)
{
	(void)state;
	gemp_pattern *pattern;
	gemp_symmetry *symmetry;
	gemp_stab_chain *chain;
	int base[63];
	uint64_t tuple[63];
	assert_ok(gemp_pattern_named(&pattern, "star:31"));
	assert_ok(gemp_automorphism_find(&symmetry, pattern, true));
	for (int i = 0; i < 63; i++)
		base[i] = i;
	assert_ok(gemp_stab_chain_new(&chain, symmetry, base, 63));
	for (int i = 0; i < 63; i++) /* a star: leaf i and the edge to leaf i */
		tuple[i] = i == 0 ? 9 : i < 32 ? (uint64_t)(i % 3) : (uint64_t)(i - 31) % 3 + 10;
	gemp_stab_chain_canonical(chain, tuple);
	for (int i = 1; i < 32; i++) {
		assert_int_equal(tuple[i + 31], tuple[i] + 10);
		assert_true(i == 1 || tuple[i - 1] <= tuple[i]);
	}
	gemp_stab_chain_free(chain);
	gemp_symmetry_free(symmetry);
	gemp_pattern_free(pattern);
}

static gemp_code find_once(void *text)
{
	gemp_pattern *pattern = NULL;
	gemp_symmetry *symmetry = NULL;
	gemp_stab_chain *chain = NULL;
	static const int base[] = { 2, 0, 1, 3, 5, 4, 6 };
	gemp_code code = GEMP_OK;
	GEMP_TRY_DONE(gemp_pattern_parse(&pattern, text, NULL));
	GEMP_TRY_DONE(gemp_automorphism_find(&symmetry, pattern, true));
	GEMP_TRY_DONE(gemp_stab_chain_new(&chain, symmetry, base, 7));
done:
	gemp_stab_chain_free(chain);
	gemp_symmetry_free(symmetry);
	gemp_pattern_free(pattern);
	return code;
}

static void no_memory(void **state)
{
	(void)state;
	assert_survives_no_memory(find_once, "MATCH (m:M)<-[:T]-(a:P), (m)<-[:T]-(b:P), (m)<-[:T]-(c:P) "
	                                     "WHERE a.x = b.x AND b.x = c.x AND a.x = c.x RETURN a, b, c, m.x");
}

enum { MOST = 5 };

/* A random pattern of up to five vertices, some with the label A. */
typedef struct small_pattern {
	int vertices, edges;
	bool labelled[MOST];
	struct small_edge {
		int from, to;
		bool directed;
	} edge[2 * MOST];
	char text[512];
} small_pattern;

static small_pattern random_pattern(uint64_t *random)
{
	small_pattern p = { .vertices = 1 + (int)gemp_random_below(random, MOST) };
	size_t at = 0;
	for (int v = 0; v < p.vertices; v++) {
		p.labelled[v] = gemp_random_below(random, 2);
		at += (size_t)snprintf(p.text + at, sizeof p.text - at, "%s(%c%s)", v ? ", " : "MATCH ", 'a' + v,
		                       p.labelled[v] ? ":A" : "");
	}
	p.edges = (int)gemp_random_below(random, (uint64_t)p.vertices + 3);
	for (int e = 0; e < p.edges; e++) {
		struct small_edge *edge = &p.edge[e];
		edge->from = (int)gemp_random_below(random, (uint64_t)p.vertices);
		edge->to = (int)gemp_random_below(random, (uint64_t)p.vertices);
		edge->directed = gemp_random_below(random, 4) > 0;
		at += (size_t)snprintf(p.text + at, sizeof p.text - at, ", (%c)-%s(%c)", 'a' + edge->from,
		                       edge->directed ? "->" : "-", 'a' + edge->to);
	}
	return p;
}

/* The number of edges that lie as an edge does from `from` to `to`. */
static int parallel_edges(const small_pattern *p, bool directed, int from, int to)
{
	int count = 0;
	for (int e = 0; e < p->edges; e++) {
		const struct small_edge *edge = &p->edge[e];
		count += edge->directed == directed &&
		         ((edge->from == from && edge->to == to) || (!directed && edge->from == to && edge->to == from));
	}
	return count;
}

static bool is_kept(const small_pattern *p, const int *image)
{
	bool kept = true;
	for (int v = 0; v < p->vertices; v++)
		kept = kept && p->labelled[v] == p->labelled[image[v]];
	for (int e = 0; e < p->edges; e++) {
		const struct small_edge *edge = &p->edge[e];
		kept = kept && parallel_edges(p, edge->directed, edge->from, edge->to) ==
		                   parallel_edges(p, edge->directed, image[edge->from], image[edge->to]);
	}
	return kept;
}

/* Counts the permutations of vertices that keep the pattern. */
static uint64_t kept_permutations(const small_pattern *p, int *image, int v)
{
	uint64_t count = 0;
	if (v == p->vertices || v == MOST)
		return is_kept(p, image);
	for (image[v] = 0; image[v] < p->vertices; image[v]++) {
		bool fresh = true;
		for (int u = 0; u < v; u++)
			fresh = fresh && image[u] != image[v];
		count += fresh ? kept_permutations(p, image, v + 1) : 0;
	}
	return count;
}

/* Every permutation of vertices is tried; parallel edges may be exchanged besides. */
static void random_patterns(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 3000; seed++) {
		uint64_t random = seed;
		const small_pattern p = random_pattern(&random);
		int image[MOST];
		gemp_pattern *pattern;
		bool overflow;
		uint64_t expected = kept_permutations(&p, image, 0);
		for (int e = 0; e < p.edges; e++) { /* the factorial of the number of equal edges, a factor at a time */
			small_pattern before = p;
			before.edges = e + 1;
			expected *= (uint64_t)parallel_edges(&before, p.edge[e].directed, p.edge[e].from, p.edge[e].to);
		}
		assert_ok(gemp_pattern_parse(&pattern, p.text, NULL));
		const uint64_t order = order_of(pattern, false, &overflow);
		if (order != expected)
			fail_msg("seed %d: %s: order %d, not %d", (int)seed, p.text, (int)order, (int)expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes),          cmocka_unit_test(queries),         cmocka_unit_test(tricky_names),
		cmocka_unit_test(full_group),      cmocka_unit_test(repeated_values), cmocka_unit_test(no_memory),
		cmocka_unit_test(random_patterns),
	};
	return test_main(tests);
}
