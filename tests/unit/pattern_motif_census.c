/* Tests the census of connected graphs, and vertex-induced counts computed from edge-induced counts. Both are compared
 * with direct counts in random graphs. */
#include "harness/harness.h"

#include "core/random.h"
#include "core/status.h"
#include "core/types.h"
#include "pattern/shapes/named_pattern.h"

enum { HOST = 9 };

static bool same_kind(const gemp_census *census, unsigned a, unsigned b, int *image, int placed)
{
	if (placed == census->vertices || placed == GEMP_MAX_MOTIF) {
		unsigned renamed = 0;
		for (int y = 1; y < placed; y++)
			for (int x = 0; x < y; x++)
				renamed |= a & gemp_census_pair(x, y) ? gemp_census_pair(image[x], image[y]) : 0;
		return renamed == b;
	}
	for (image[placed] = 0; image[placed] < census->vertices; image[placed]++) {
		bool taken = false;
		for (int v = 0; v < placed; v++)
			taken |= image[v] == image[placed];
		if (!taken && same_kind(census, a, b, image, placed + 1))
			return true;
	}
	return false;
}

static int kind_of(const gemp_census *census, unsigned edges)
{
	int image[2 * GEMP_MAX_MOTIF];
	for (int k = 0; k < census->kinds; k++)
		if (same_kind(census, edges, census->edges[k], image, 0))
			return k;
	return -1;
}

/* The degrees, in ascending order, and the triangles of the graphs, as drawn in the literature. Together they identify
 * a connected graph of up to five vertices. */
static const struct {
	const char *name, *degrees;
	int triangles;
} known[] = {
	{ "path:3", "112", 0 },          { "triangle", "222", 1 },    { "star:3", "1113", 0 },
	{ "path:4", "1122", 0 },         { "paw", "1223", 1 },        { "cycle:4", "2222", 0 },
	{ "diamond", "2233", 2 },        { "clique:4", "3333", 4 },   { "star:4", "11114", 0 },
	{ "fork", "11123", 0 },          { "path:5", "11222", 0 },    { "cycle:5", "22222", 0 },
	{ "bull", "11233", 1 },          { "cricket", "11224", 1 },   { "banner", "12223", 0 },
	{ "tadpole", "12223", 1 },       { "house", "22233", 1 },     { "butterfly", "22224", 2 },
	{ "dart", "12234", 2 },          { "kite", "12333", 2 },      { "K2,3", "22233", 0 },
	{ "gem", "22334", 3 },           { "book", "22244", 3 },      { "lollipop", "13334", 4 },
	{ "subdivided-K4", "23333", 2 }, { "wheel", "33334", 4 },     { "house-X", "23344", 5 },
	{ "K5-e", "33444", 7 },          { "clique:5", "44444", 10 },
};

/* Returns the number of triangles, and writes the sorted degrees as digits. */
static int invariants(char *digits, unsigned edges, int vertices)
{
	int degrees[10] = { 0 }, triangles = 0, at = 0;
	for (int v = 0; v < vertices; v++) {
		int degree = 0;
		for (int u = 0; u < vertices; u++)
			degree += u != v && edges & gemp_census_pair(u, v);
		degrees[degree]++;
		for (int u = 0; u < v; u++)
			for (int w = 0; w < u; w++)
				triangles += edges & gemp_census_pair(u, v) && edges & gemp_census_pair(u, w) &&
				             edges & gemp_census_pair(v, w);
	}
	for (int degree = 0; degree < 10; degree++)
		for (; degrees[degree] > 0; degrees[degree]--)
			digits[at++] = (char)('0' + degree);
	digits[at] = '\0';
	return triangles;
}

/* Every kind has a name of its own, which means this graph in the literature and as a pattern. */
static void shape_names(void **state)
{
	(void)state;
	const size_t count = sizeof known / sizeof *known;
	bool used[sizeof known / sizeof *known] = { false };
	size_t seen = 0;
	for (int k = GEMP_MIN_MOTIF; k <= GEMP_MAX_MOTIF; k++) {
		gemp_census census;
		gemp_census_new(&census, k);
		for (int i = 0; i < census.kinds; i++, seen++) {
			char digits[11];
			size_t at = 0;
			unsigned edges = 0;
			gemp_pattern *pattern;
			while (at < count && strcmp(known[at].name, gemp_census_name(&census, i)) != 0)
				at++;
			assert_true(at < count && !used[at]);
			used[at] = true;
			assert_int_equal(invariants(digits, census.edges[i], k), known[at].triangles);
			assert_string_equal(digits, known[at].degrees);
			assert_ok(gemp_pattern_named(&pattern, known[at].name));
			assert_int_equal(pattern->vertex_count, k);
			for (size_t e = 0; e < pattern->edge_count; e++)
				edges |= gemp_census_pair(pattern->edges[e].from, pattern->edges[e].to);
			assert_int_equal(kind_of(&census, edges), i);
			gemp_pattern_free(pattern);
		}
	}
	assert_int_equal(seen, count);
}

static void kinds(void **state)
{
	(void)state;
	static const int expected[] = { 2, 6, 21 };
	for (int k = GEMP_MIN_MOTIF; k <= GEMP_MAX_MOTIF; k++) {
		gemp_census census;
		gemp_census_new(&census, k);
		assert_int_equal(census.kinds, expected[k - GEMP_MIN_MOTIF]);
		for (int i = 0; i < census.kinds; i++)
			for (int j = 0; j < census.kinds; j++) {
				assert_int_equal(kind_of(&census, census.edges[i]), i);
				assert_true(i != j || census.embeddings[i][j] == 1);
				assert_true(i <= j || census.embeddings[i][j] == 0);
			}
	}
	gemp_census four;
	gemp_census_new(&four, 4);
	/* order: star, path, tailed triangle, cycle, diamond, clique */
	const uint64_t in_clique[] = { 4, 12, 12, 3, 6, 1 };
	for (int i = 0; i < four.kinds; i++)
		assert_int_equal(four.embeddings[i][four.kinds - 1], in_clique[i]);
}

static const bool (*host)[HOST];

/* Adds the subgraphs on the vertices in `set` to the counts. */
static void count_set(const gemp_census *census, const int *set, gemp_count *spanning, gemp_count *induced)
{
	unsigned all = 0;
	for (int b = 1; b < census->vertices; b++)
		for (int a = 0; a < b; a++)
			all |= host[set[a]][set[b]] ? gemp_census_pair(a, b) : 0;
	int kind = kind_of(census, all);
	if (kind >= 0)
		induced[kind]++;
	for (unsigned some = all; some; some = (some - 1) & all) {
		kind = kind_of(census, some);
		if (kind >= 0)
			spanning[kind]++;
	}
}

static void count_sets(const gemp_census *census, int *set, int chosen, int from, gemp_count *spanning,
                       gemp_count *induced)
{
	if (chosen == census->vertices || chosen == GEMP_MAX_MOTIF) {
		count_set(census, set, spanning, induced);
		return;
	}
	for (set[chosen] = from; set[chosen] < HOST; set[chosen]++)
		count_sets(census, set, chosen + 1, set[chosen] + 1, spanning, induced);
}

static void induced_counts(void **state)
{
	(void)state;
	uint64_t random = test_seed();
	for (int turn = 0; turn < 6; turn++) {
		gemp_census census;
		bool edges[HOST][HOST] = { { false } };
		int set[2 * GEMP_MAX_MOTIF];
		gemp_count spanning[GEMP_MAX_MOTIFS] = { 0 }, induced[GEMP_MAX_MOTIFS] = { 0 };
		gemp_census_new(&census, GEMP_MIN_MOTIF + turn % 3);
		for (int a = 0; a < HOST; a++)
			for (int b = 0; b < a; b++)
				edges[a][b] = edges[b][a] = gemp_random_below(&random, 5) < (turn < 3 ? 2u : 3u);
		host = (const bool(*)[HOST])edges;
		count_sets(&census, set, 0, 0, spanning, induced);
		assert_ok(gemp_census_induce(&census, spanning));
		assert_memory_equal(spanning, induced, sizeof induced);
	}
}

static void impossible_counts(void **state)
{
	(void)state;
	gemp_census census;
	gemp_count counts[GEMP_MAX_MOTIFS] = { 2, 1 };
	gemp_census_new(&census, 3);
	assert_code(gemp_census_induce(&census, counts), GEMP_EDATA);
	assert_message("contradict each other");
	counts[0] = counts[1] = UINT64_MAX;
	assert_code(gemp_census_induce(&census, counts), GEMP_EDATA);
}

static void names(void **state)
{
	(void)state;
	int vertices = -1;
	assert_ok(gemp_census_named("motifs:4", &vertices));
	assert_int_equal(vertices, 4);
	assert_ok(gemp_census_named("motif:4", &vertices));
	assert_int_equal(vertices, 0);
	assert_code(gemp_census_named("motifs:6", &vertices), GEMP_EUSAGE);
	assert_message("from 3 to 5");
	assert_code(gemp_census_named("motifs", &vertices), GEMP_EUSAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shape_names),       cmocka_unit_test(kinds), cmocka_unit_test(induced_counts),
		cmocka_unit_test(impossible_counts), cmocka_unit_test(names),
	};
	return test_main(tests);
}
