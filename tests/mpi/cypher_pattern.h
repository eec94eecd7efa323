/* Random patterns of openCypher over the graph of graph_fixture.h, as structures and as text. */
#ifndef GEMP_TESTS_CYPHER_PATTERN_H
#define GEMP_TESTS_CYPHER_PATTERN_H

#include "core/text.h"
#include "graph_fixture.h"

enum { MAX_NODES = 4, MAX_HOPS = 4, MAX_PATHS = 2, MAX_TESTS = 3, MAX_EDGES = 40, GIVEN_NODES = 2 };

/* Variables of nodes are n0, n1, ...; the first GIVEN_NODES of them and r0 are bound by an earlier MATCH. */
typedef struct random_node {
	int variable; /* -1: anonymous */
	const char *label;
	const char *name; /* {name: ...} */
} random_node;

typedef enum random_types { ANY_TYPE, KNOWS_TYPE, TWO_TYPES, NO_TYPE, TYPE_SETS } random_types;
static const char *const type_text[] = { "", ":KNOWS", ":KNOWS|ACTS_IN", ":NOPE" };

typedef struct random_hop {
	random_types types;
	int heading; /* 0: right, 1: left, 2: either */
	bool variable, bounded, has_weight, is_given;
	bool named; /* as r1, r2, ... by the number of the hop */
	size_t min, max;
	int64_t weight; /* {weight: ...} */
	random_node to;
} random_hop;

typedef struct random_path {
	bool named;
	int shortest; /* 0: no, 1: shortestPath, 2: allShortestPaths */
	random_node from;
	size_t first_hop, hop_count;
} random_path;

/* A conjunct of WHERE. a and b are variables of nodes. */
typedef enum random_test_kind {
	NAME_IS,
	NAME_IS_NOT,
	NOT_NAME_IS,
	NAME_BEGINS,
	NAME_IN,
	FLAG_IS,
	NUMBER_MISSING,
	RATIO_ABOVE,
	NUMBER_BELOW_FLOAT,
	IS_FILM,
	IS_NOPE,
	SAME_NAME,
	DIFFERENT,
	KEY_BELOW,
	KEYS_ORDERED,
	EITHER_NAME_OR_FLAG,
	TEST_KINDS
} random_test_kind;

typedef struct random_test {
	random_test_kind kind;
	int a, b;
} random_test;

typedef struct random_pattern {
	bool optional;
	bool has_single; /* a shortestPath */
	size_t path_count, hop_count, test_count;
	random_path paths[MAX_PATHS];
	random_hop hops[MAX_HOPS];
	random_test tests[MAX_TESTS];
	bool used[MAX_NODES]; /* variables in the pattern */
} random_pattern;

static inline bool one_in(uint64_t *random, uint64_t n)
{
	return gemp_random_below(random, n) == 0;
}

static inline random_node random_node_new(random_pattern *p, uint64_t *random)
{
	static const char *const labels[] = { "Person", "Film", "Actor", "Nope" };
	static const char *const names[] = { "Jack", "Z", "" };
	random_node node = { .variable = one_in(random, 4) ? -1 : (int)gemp_random_below(random, MAX_NODES) };
	if (one_in(random, 5))
		node.label = labels[gemp_random_below(random, one_in(random, 6) ? 4 : 3)];
	if (one_in(random, 10))
		node.name = names[gemp_random_below(random, 3)];
	if (node.variable >= 0)
		p->used[node.variable] = true;
	return node;
}

static inline random_hop random_hop_new(random_pattern *p, bool may_be_given, uint64_t *random)
{
	random_hop hop = { .types = one_in(random, 2) ? ANY_TYPE : (random_types)gemp_random_below(random, TYPE_SETS),
		               .heading = (int)gemp_random_below(random, 3),
		               .variable = one_in(random, 3),
		               .bounded = !one_in(random, 4),
		               .has_weight = one_in(random, 6),
		               .named = !one_in(random, 3) };
	if (hop.types == NO_TYPE && !one_in(random, 4))
		hop.types = KNOWS_TYPE;
	hop.is_given = may_be_given && !hop.variable && one_in(random, 3);
	hop.min = gemp_random_below(random, 3);
	hop.max = hop.min + gemp_random_below(random, 3);
	hop.weight = (int64_t)gemp_random_below(random, 3) - 1;
	hop.to = random_node_new(p, random);
	return hop;
}

static inline void random_path_new(random_pattern *p, random_path *path, uint64_t *random)
{
	*path = (random_path){ .named = one_in(random, 3), .first_hop = p->hop_count };
	path->from = random_node_new(p, random);
	path->hop_count = gemp_random_below(random, 3);
	bool given = false;
	for (size_t i = 0; i < path->first_hop; i++)
		given = given || p->hops[i].is_given;
	for (size_t i = 0; i < path->hop_count; i++) {
		random_hop *hop = &p->hops[p->hop_count];
		*hop = random_hop_new(p, !given, random);
		p->hop_count++;
		given = given || hop->is_given;
	}
	random_hop *only = &p->hops[path->first_hop];
	if (path->hop_count == 1 && only->variable && one_in(random, 3)) {
		path->shortest = p->has_single ? 2 : 1 + (int)gemp_random_below(random, 2);
		only->min = gemp_random_below(random, 2);
		if (path->shortest == 1) /* any of the shortest paths may be the answer */
			p->has_single = true, path->named = only->named = false;
	}
}

static inline random_pattern random_pattern_new(uint64_t *random)
{
	random_pattern p = { .optional = one_in(random, 4) };
	p.path_count = 1 + gemp_random_below(random, MAX_PATHS);
	for (size_t i = 0; i < p.path_count; i++)
		random_path_new(&p, &p.paths[i], random);
	size_t tests = gemp_random_below(random, MAX_TESTS + 1);
	for (size_t i = 0; i < tests; i++) {
		random_test test = { (random_test_kind)gemp_random_below(random, TEST_KINDS),
			                 (int)gemp_random_below(random, MAX_NODES), (int)gemp_random_below(random, MAX_NODES) };
		if ((p.used[test.a] || test.a < GIVEN_NODES) && (p.used[test.b] || test.b < GIVEN_NODES))
			p.tests[p.test_count++] = test;
	}
	return p;
}

/* TEXT */

static inline void print_node(const random_node *node, gemp_text *out)
{
	gemp_text_print(out, "(");
	if (node->variable >= 0)
		gemp_text_print(out, "n%d", node->variable);
	if (node->label)
		gemp_text_print(out, ":%s", node->label);
	if (node->name)
		gemp_text_print(out, " {name: '%s'}", node->name);
	gemp_text_print(out, ")");
}

static inline void print_hop(const random_hop *hop, size_t number, gemp_text *out)
{
	gemp_text_print(out, "%s[", hop->heading == 1 ? "<-" : "-");
	if (hop->is_given)
		gemp_text_print(out, "r0");
	else if (hop->named)
		gemp_text_print(out, "r%zu", number + 1);
	gemp_text_print(out, "%s", type_text[hop->types]);
	if (hop->variable && hop->bounded)
		gemp_text_print(out, "*%zu..%zu", hop->min, hop->max);
	else if (hop->variable)
		gemp_text_print(out, "*%zu..", hop->min);
	if (hop->has_weight)
		gemp_text_print(out, " {weight: %lld}", (long long)hop->weight);
	gemp_text_print(out, "]%s", hop->heading == 0 ? "->" : "-");
	print_node(&hop->to, out);
}

static inline void print_test(const random_test *t, gemp_text *out)
{
	static const char *const text[TEST_KINDS] = {
		[NAME_IS] = "n%1$d.name = 'Jack'",
		[NAME_IS_NOT] = "n%1$d.name <> 'Jack'",
		[NOT_NAME_IS] = "NOT n%1$d.name = 'Z'",
		[NAME_BEGINS] = "n%1$d.name STARTS WITH 'J'",
		[NAME_IN] = "n%1$d.name IN ['Z', 'Jack']",
		[FLAG_IS] = "n%1$d.flag = true",
		[NUMBER_MISSING] = "n%1$d.number IS NULL",
		[RATIO_ABOVE] = "n%1$d.ratio > 0.5",
		[NUMBER_BELOW_FLOAT] = "1.5 > n%1$d.number",
		[IS_FILM] = "n%1$d:Film",
		[IS_NOPE] = "NOT n%1$d:Nope",
		[SAME_NAME] = "n%1$d.name = n%2$d.name",
		[DIFFERENT] = "n%1$d <> n%2$d",
		[KEY_BELOW] = "ID(n%1$d) < 2000001",
		[KEYS_ORDERED] = "id(n%1$d) <= id(n%2$d)",
		[EITHER_NAME_OR_FLAG] = "(n%1$d.name = 'Z' OR n%2$d.flag)",
	};
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	gemp_text_print(out, text[t->kind], t->a, t->b);
#pragma GCC diagnostic pop
}

static inline void print_pattern(const random_pattern *p, gemp_text *out)
{
	static const char *const functions[] = { "", "shortestPath(", "allShortestPaths(" };
	gemp_text_print(out, "%sMATCH ", p->optional ? "OPTIONAL " : "");
	for (size_t i = 0; i < p->path_count; i++) {
		const random_path *path = &p->paths[i];
		gemp_text_print(out, "%s", i ? ", " : "");
		if (path->named)
			gemp_text_print(out, "p%zu = ", i);
		gemp_text_print(out, "%s", functions[path->shortest]);
		print_node(&path->from, out);
		for (size_t h = path->first_hop; h < path->first_hop + path->hop_count; h++)
			print_hop(&p->hops[h], h, out);
		gemp_text_print(out, "%s", path->shortest ? ")" : "");
	}
	for (size_t i = 0; i < p->test_count; i++) {
		gemp_text_print(out, i ? " AND " : " WHERE ");
		print_test(&p->tests[i], out);
	}
}

#endif
