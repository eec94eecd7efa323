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
		cmocka_unit_test(kinds),
		cmocka_unit_test(induced_counts),
		cmocka_unit_test(impossible_counts),
		cmocka_unit_test(names),
	};
	return test_main(tests);
}
