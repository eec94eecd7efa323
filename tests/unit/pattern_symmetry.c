/* Compares automorphisms with all permutations tried one by one: order, generators, orbits, restrictions, canonical
 * tuples. */
#include "core/memory.h"
#include "harness/harness.h"

#include "core/random.h"
#include "core/text.h"
#include "pattern/model/pattern.h"
#include "pattern/semantic/parse.h"
#include "pattern/symmetry/automorphism.h"
#include "pattern/symmetry/permutation_group.h"

#include <string.h>

enum { MOST_VERTICES = 5, MOST_EDGES = 6, MOST_POINTS = MOST_VERTICES + MOST_EDGES, MOST_ATOMS = 4 };

typedef enum kind { EQUAL, UNEQUAL, LESS, CONSTANT, EITHER_EQUAL, LONGER } kind;

/* A condition of one kind over the vertices v. */
typedef struct atom {
	kind kind;
	int v[4];
} atom;

/* A random pattern in the test's own form. */
typedef struct sample {
	int vertices, edges, atoms;
	int label[MOST_VERTICES]; /* 0: no label */
	bool returned[MOST_VERTICES], all_returned;
	struct {
		int from, to, type;
		bool either;
	} edge[MOST_EDGES];
	atom atom[MOST_ATOMS];
} sample;

/* A list of all elements of a group. */
typedef struct listed {
	int points, vertices;
	size_t count, capacity;
	int (*element)[MOST_POINTS];
} listed;

static void random_sample(uint64_t *seed, sample *s)
{
	static const int arity[] = {
		[EQUAL] = 2, [UNEQUAL] = 2, [LESS] = 2, [CONSTANT] = 1, [EITHER_EQUAL] = 4, [LONGER] = 2
	};
	memset(s, 0, sizeof *s);
	s->vertices = 1 + (int)gemp_random_below(seed, MOST_VERTICES);
	int extra = (int)gemp_random_below(seed, 3), labels = 1 + (int)gemp_random_below(seed, 2);
	int types = 1 + (int)gemp_random_below(seed, 2);
	int mode = (int)gemp_random_below(seed, 3); /* edges are all undirected, all directed, or mixed */
	for (int v = 0; v < s->vertices; v++) {
		s->label[v] = (int)gemp_random_below(seed, (uint64_t)labels);
		s->returned[v] = gemp_random_below(seed, 3) > 0;
	}
	for (; s->edges < s->vertices - 1 + extra && s->edges < MOST_EDGES; s->edges++) {
		int to = s->edges < s->vertices - 1 ? s->edges + 1 : (int)gemp_random_below(seed, (uint64_t)s->vertices);
		int from = (int)gemp_random_below(seed, s->edges < s->vertices - 1 ? (uint64_t)to : (uint64_t)s->vertices);
		s->edge[s->edges].from = from;
		s->edge[s->edges].to = to;
		s->edge[s->edges].type = (int)gemp_random_below(seed, (uint64_t)types);
		s->edge[s->edges].either = mode == 0 || (mode == 2 && gemp_random_below(seed, 2));
	}
	s->atoms = (int)gemp_random_below(seed, 2) * (1 + (int)gemp_random_below(seed, MOST_ATOMS));
	for (int i = 0; i < s->atoms; i++) {
		s->atom[i].kind = (kind)gemp_random_below(seed, 6);
		for (int j = 0; j < arity[s->atom[i].kind]; j++)
			s->atom[i].v[j] = (int)gemp_random_below(seed, (uint64_t)s->vertices);
	}
	s->all_returned = gemp_random_below(seed, 2);
}

static void print_atom(const atom *a, gemp_text *out)
{
	const int *v = a->v;
	switch (a->kind) {
	case EQUAL: gemp_text_print(out, "v%d.x = v%d.x", v[0], v[1]); break;
	case UNEQUAL: gemp_text_print(out, "NOT v%d.x = v%d.y", v[0], v[1]); break;
	case LESS: gemp_text_print(out, "v%d.x > v%d.x", v[1], v[0]); break;
	case CONSTANT: gemp_text_print(out, "v%d.x IN [2, 1]", v[0]); break;
	case EITHER_EQUAL: gemp_text_print(out, "(v%d.z = v%d.z OR v%d.z = v%d.z)", v[0], v[1], v[2], v[3]); break;
	case LONGER: gemp_text_print(out, "v%d.s CONTAINS v%d.s", v[0], v[1]);
	}
}

static gemp_pattern *parsed(const sample *s)
{
	gemp_text text = { 0 };
	gemp_pattern *pattern = NULL;
	for (int v = 0; v < s->vertices; v++)
		gemp_text_print(&text, "%s(v%d%s)", v ? ", " : "MATCH ", v, s->label[v] ? ":L" : "");
	for (int e = 0; e < s->edges; e++)
		gemp_text_print(&text, ", (v%d)-[e%d%s]-%s(v%d)", s->edge[e].from, e, s->edge[e].type ? ":T" : "",
		                s->edge[e].either ? "" : ">", s->edge[e].to);
	for (int i = 0; i < s->atoms; i++) {
		gemp_text_print(&text, i ? " AND " : " WHERE ");
		print_atom(&s->atom[i], &text);
	}
	bool any = false;
	for (int v = 0; v < s->vertices && !s->all_returned; v++) {
		if (s->returned[v])
			gemp_text_print(&text, "%s v%d.n", any ? "," : " RETURN", v);
		any = any || s->returned[v];
	}
	assert_ok(gemp_pattern_parse(&pattern, text.data, NULL));
	assert_int_equal(pattern->vertex_count, s->vertices);
	gemp_text_free(&text);
	return pattern;
}

static void swap(int *a, int *b)
{
	int c = *a;
	*a = *b;
	*b = c;
}

/* The image of an atom under a permutation, in a form in which equivalent atoms are equal. */
static atom moved(atom a, const int *g)
{
	for (int i = 0; i < 4; i++)
		a.v[i] = g[a.v[i]];
	if ((a.kind == EQUAL || a.kind == EITHER_EQUAL) && a.v[0] > a.v[1])
		swap(&a.v[0], &a.v[1]);
	if (a.kind == EITHER_EQUAL && a.v[2] > a.v[3])
		swap(&a.v[2], &a.v[3]);
	if (a.kind == EITHER_EQUAL && (a.v[0] > a.v[2] || (a.v[0] == a.v[2] && a.v[1] > a.v[3]))) {
		swap(&a.v[0], &a.v[2]);
		swap(&a.v[1], &a.v[3]);
	}
	if (a.kind == EITHER_EQUAL && a.v[0] == a.v[2] && a.v[1] == a.v[3])
		a.v[2] = a.v[3] = -1; /* `x OR x` is equivalent to `x`, so its second half does not count */
	for (int i = a.kind == CONSTANT ? 1 : a.kind == EITHER_EQUAL ? 4 : 2; i < 4; i++)
		a.v[i] = -1;
	return a;
}

static bool has_atom(const sample *s, atom a, const int *identity)
{
	for (int i = 0; i < s->atoms; i++) {
		atom b = moved(s->atom[i], identity);
		if (memcmp(&a, &b, sizeof a) == 0)
			return true;
	}
	return false;
}

/* True if the permutation of vertices keeps labels, the set of conditions, and RETURN. */
static bool keeps_vertices(const sample *s, const int *g, bool use_return)
{
	static const int identity[MOST_VERTICES] = { 0, 1, 2, 3, 4 };
	bool any = false;
	for (int v = 0; v < s->vertices; v++)
		any = any || s->returned[v];
	for (int v = 0; v < s->vertices; v++) {
		if (s->label[v] != s->label[g[v]])
			return false;
		if (use_return && !s->all_returned && any && s->returned[v] != s->returned[g[v]])
			return false;
	}
	for (int i = 0; i < s->atoms; i++)
		if (!has_atom(s, moved(s->atom[i], g), identity))
			return false;
	return true;
}

static bool is_image(const sample *s, const int *g, int e, int f)
{
	int from = g[s->edge[e].from], to = g[s->edge[e].to];
	bool straight = from == s->edge[f].from && to == s->edge[f].to;
	bool crossed = from == s->edge[f].to && to == s->edge[f].from;
	return s->edge[e].type == s->edge[f].type && s->edge[e].either == s->edge[f].either &&
	       (straight || (s->edge[e].either && crossed));
}

static void add(listed *group, const int *element)
{
	assert_ok(GEMP_RESERVE(group->element, group->capacity, group->count + 1));
	memcpy(group->element[group->count++], element, sizeof *group->element);
}

/* Extends the permutation to edges e, e+1, ... in all ways and lists the results. */
static void list_edges(const sample *s, int *g, int e, unsigned used, listed *group)
{
	if (e == s->edges) {
		add(group, g);
		return;
	}
	for (int f = 0; f < s->edges; f++) {
		if (used >> f & 1 || !is_image(s, g, e, f))
			continue;
		g[s->vertices + e] = s->vertices + f;
		list_edges(s, g, e + 1, used | 1u << f, group);
	}
}

static void list_vertices(const sample *s, int *g, int v, unsigned used, bool use_return, listed *group)
{
	if (v == s->vertices) {
		if (keeps_vertices(s, g, use_return))
			list_edges(s, g, 0, 0, group);
		return;
	}
	for (int u = 0; u < s->vertices; u++) {
		if (used >> u & 1)
			continue;
		g[v] = u;
		list_vertices(s, g, v + 1, used | 1u << u, use_return, group);
	}
}

/* Restricts the group to its permutations of vertices, without repetitions. */
static void restrict_to_vertices(listed *group)
{
	size_t kept = 0;
	group->points = group->vertices;
	for (size_t i = 0; i < group->count; i++) {
		size_t j = 0;
		while (j < kept && memcmp(group->element[j], group->element[i], (size_t)group->points * sizeof(int)) != 0)
			j++;
		if (j == kept)
			memmove(group->element[kept++], group->element[i], sizeof *group->element);
	}
	group->count = kept;
}

static bool contains(const listed *group, const int *element)
{
	for (size_t i = 0; i < group->count; i++)
		if (memcmp(group->element[i], element, (size_t)group->points * sizeof(int)) == 0)
			return true;
	return false;
}

static void shuffle(uint64_t *seed, int *base, int count)
{
	for (int i = 0; i < count; i++)
		base[i] = i;
	for (int i = count - 1; i > 0; i--)
		swap(&base[i], &base[gemp_random_below(seed, (uint64_t)i + 1)]);
}

/* orbit(i) is the set of images of base[i] under the permutations that fix base[0..i-1]. */
static void check_orbits(const listed *group, const gemp_stab_chain *chain, const int *base)
{
	for (int i = 0; i < group->points; i++) {
		const int *orbit;
		size_t size = gemp_stab_chain_orbit(chain, (size_t)i, &orbit), expected = 0;
		bool there[MOST_POINTS] = { false };
		for (size_t g = 0; g < group->count; g++) {
			int j = 0;
			while (j < i && group->element[g][base[j]] == base[j])
				j++;
			if (j == i && !there[group->element[g][base[i]]])
				there[group->element[g][base[i]]] = ++expected;
		}
		assert_int_equal(size, expected);
		assert_int_equal(orbit[0], base[i]);
		for (size_t j = 0; j < size; j++) {
			assert_true(there[orbit[j]]);
			there[orbit[j]] = false; /* each image occurs once */
		}
	}
}

/* The function for words may give up if images are equal. A tuple that it returns is the canonical one. */
static void check_canonical_words(const gemp_stab_chain *chain, const uint64_t *tuple, const uint64_t *best, int points,
                                  bool distinct)
{
	uint32_t words[MOST_POINTS], scratch[2][GEMP_MAX_POINTS];
	for (int i = 0; i < points; i++)
		words[i] = (uint32_t)tuple[i];
	const uint32_t *found = gemp_stab_chain_canonical_words(chain, words, scratch);
	assert_true(found || !distinct);
	for (int i = 0; i < points && found; i++)
		assert_int_equal(found[i], best[i]);
}

static void check_canonical(const listed *group, const gemp_stab_chain *chain, const int *base, const uint64_t *tuple,
                            bool distinct)
{
	uint64_t best[MOST_POINTS], found[MOST_POINTS];
	for (size_t g = 0; g < group->count; g++) {
		int order = g == 0 ? -1 : 0;
		for (int i = 0; i < group->points && order == 0; i++) {
			uint64_t a = tuple[group->element[g][base[i]]], b = best[base[i]];
			order = a < b ? -1 : a > b;
		}
		for (int i = 0; i < group->points && order < 0; i++)
			best[i] = tuple[group->element[g][i]];
	}
	memcpy(found, tuple, sizeof found);
	gemp_stab_chain_canonical(chain, found);
	assert_memory_equal(found, best, (size_t)group->points * sizeof *best);
	check_canonical_words(chain, tuple, best, group->points, distinct);
}

/* Of each orbit of tuples with distinct values, exactly one tuple has at each base[i] the greatest value of orbit(i),
 * and exactly one has the least value there. */
static void check_restrictions(const listed *group, const gemp_stab_chain *chain, const int *base,
                               const uint64_t *tuple)
{
	size_t greatest = 0, least = 0;
	for (size_t g = 0; g < group->count; g++) {
		bool is_greatest = true, is_least = true;
		for (int i = 0; i < group->points; i++) {
			const int *orbit;
			size_t size = gemp_stab_chain_orbit(chain, (size_t)i, &orbit);
			for (size_t j = 1; j < size; j++) {
				uint64_t own = tuple[group->element[g][base[i]]], other = tuple[group->element[g][orbit[j]]];
				is_greatest = is_greatest && own > other;
				is_least = is_least && own < other;
			}
		}
		greatest += is_greatest;
		least += is_least;
	}
	assert_int_equal(greatest, 1);
	assert_int_equal(least, 1);
}

static void check_chain(uint64_t *seed, const listed *group, const gemp_symmetry *symmetry)
{
	int base[MOST_POINTS];
	gemp_stab_chain *chain;
	uint64_t tuple[MOST_POINTS];
	shuffle(seed, base, group->points);
	assert_ok(gemp_stab_chain_new(&chain, symmetry, base, (size_t)group->points));
	check_orbits(group, chain, base);
	for (int round = 0; round < 6; round++) {
		int order[MOST_POINTS];
		shuffle(seed, order, group->points);
		for (int i = 0; i < group->points; i++) /* first distinct values, then more and more repeated values */
			tuple[i] = round < 2 ? (uint64_t)order[i] * 1000 : gemp_random_below(seed, (uint64_t)(7 - round));
		check_canonical(group, chain, base, tuple, round < 2);
		if (round < 2)
			check_restrictions(group, chain, base, tuple);
	}
	gemp_stab_chain_free(chain);
}

static size_t check_sample(uint64_t *seed, const sample *s, bool use_return)
{
	gemp_pattern *pattern = parsed(s);
	gemp_symmetry *symmetry;
	listed group = { .points = s->vertices + s->edges, .vertices = s->vertices };
	int g[MOST_POINTS] = { 0 };
	bool overflow;
	list_vertices(s, g, 0, 0, use_return, &group);
	assert_ok(gemp_automorphism_find(&symmetry, pattern, use_return));
	size_t order = group.count;
	if (gemp_symmetry_order(symmetry, &overflow) != order || overflow)
		fail_msg("%s: order %zu, expected %zu", pattern->text, (size_t)gemp_symmetry_order(symmetry, &overflow), order);
	assert_int_equal(symmetry->points, group.points);
	for (size_t i = 0; i < symmetry->count; i++)
		assert_true(contains(&group, symmetry->images + i * symmetry->points));
	check_chain(seed, &group, symmetry);
	restrict_to_vertices(&group);
	check_chain(seed, &group, symmetry);
	gemp_symmetry_free(symmetry);
	gemp_pattern_free(pattern);
	gemp_free(group.element);
	return order;
}

static void random_patterns(void **state)
{
	(void)state;
	uint64_t seed = test_seed();
	size_t symmetric = 0;
	for (int round = 0; round < 3000; round++) {
		sample s;
		random_sample(&seed, &s);
		symmetric += check_sample(&seed, &s, gemp_random_below(&seed, 2)) > 1;
	}
	assert_true(symmetric > 500);
	assert_int_equal(gemp_memory_blocks(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_patterns),
	};
	return test_main(tests);
}
