/* Tests packed records of blocks of rows. The canonical form must be the least tuple over all elements of the group,
 * which the test lists one by one, and a set of vertices must be sorted. Rows with equal images, and rows that fill no
 * block, get the same records as all others. Places are compared with those of single records. */
#include "core/memory.h"
#include "harness/harness.h"

#include "core/random.h"
#include "match/distinct/class_set.h"
#include "match/distinct/packed_places.h"
#include "match/distinct/record_form.h"
#include "pattern/model/pattern.h"
#include "pattern/shapes/named_pattern.h"
#include "pattern/symmetry/automorphism.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 1000, MAX_ELEMENTS = 5040, MAX_VERTICES = 9 };

/* The elements of a group as arrays of images, by applying the generators until nothing new appears. */
typedef struct elements {
	size_t count, vertices;
	int images[MAX_ELEMENTS][MAX_VERTICES];
} elements;

static void add_element(elements *all, const int *images)
{
	const size_t bytes = all->vertices * sizeof *images;
	for (size_t i = 0; i < all->count; i++)
		if (memcmp(all->images[i], images, bytes) == 0)
			return;
	assert_true(all->count < MAX_ELEMENTS);
	memcpy(all->images[all->count++], images, bytes);
}

static elements *list_elements(const gemp_symmetry *symmetry)
{
	elements *all = calloc(1, sizeof *all);
	int identity[MAX_VERTICES] = { 0, 1, 2, 3, 4, 5, 6, 7, 8 };
	all->vertices = symmetry->vertices;
	add_element(all, identity);
	for (size_t i = 0; i < all->count; i++)
		for (size_t g = 0; g < symmetry->count; g++) {
			int product[MAX_VERTICES];
			for (size_t v = 0; v < all->vertices; v++)
				product[v] = symmetry->images[g * symmetry->points + (size_t)all->images[i][v]];
			add_element(all, product);
		}
	return all;
}

static void least_tuple(const elements *all, const gemp_vertex *row, gemp_vertex *least)
{
	for (size_t e = 0; e < all->count; e++) {
		gemp_vertex tuple[MAX_VERTICES];
		size_t v = 0;
		for (size_t i = 0; i < all->vertices; i++)
			tuple[i] = row[all->images[e][i]];
		while (e > 0 && v < all->vertices && tuple[v] == least[v])
			v++;
		if (e == 0 || (v < all->vertices && tuple[v] < least[v]))
			memcpy(least, tuple, all->vertices * sizeof *tuple);
	}
}

static int by_number(const void *a, const void *b)
{
	const gemp_vertex x = *(const gemp_vertex *)a, y = *(const gemp_vertex *)b;
	return (x > y) - (x < y);
}

/* The set of a row, padded with GEMP_NO_VERTEX. */
static void set_of(const gemp_vertex *row, size_t vertices, gemp_vertex *set)
{
	gemp_vertex sorted[MAX_VERTICES];
	size_t kept = 0;
	memcpy(sorted, row, vertices * sizeof *row);
	qsort(sorted, vertices, sizeof *sorted, by_number);
	for (size_t v = 0; v < vertices; v++)
		if (v == 0 || sorted[v] != sorted[v - 1])
			set[kept++] = sorted[v];
	while (kept < vertices)
		set[kept++] = GEMP_NO_VERTEX;
}

static void check_places(const gemp_record_form *form, const uint32_t *records)
{
	uint16_t place[ROWS];
	const gemp_place_rule rule = { .hash_mask = UINT64_MAX,
		                           .low = UINT32_MAX / 8,
		                           .high = UINT32_MAX / 2,
		                           .rank = 1,
		                           .ranks = 3,
		                           .place_count = GEMP_MAX_CLASS_PLACES };
	gemp_packed_places(&rule, records, form->words, ROWS, place);
	for (size_t i = 0; i < ROWS; i++) {
		const uint64_t hash = gemp_number_hash(records + i * form->words, form->words / 2);
		const bool wanted = hash >> 32 >= rule.low && hash >> 32 < rule.high;
		const bool own = (hash & UINT32_MAX) * 3 >> 32 == 1;
		assert_int_equal(place[i], !wanted ? GEMP_CLASS_DROPPED : own ? gemp_number_place(hash) : GEMP_CLASS_REMOTE);
	}
}

static void check_shape(const char *name, gemp_record_key kind, uint64_t vertices, uint64_t *seed)
{
	gemp_pattern *pattern = NULL;
	gemp_symmetry *symmetry = NULL;
	gemp_stab_chain *chain = NULL;
	gemp_record_form form;
	assert_ok(gemp_pattern_named(&pattern, name));
	assert_ok(gemp_automorphism_find(&symmetry, pattern, true));
	assert_ok(gemp_stab_chain_new(&chain, symmetry, NULL, symmetry->vertices));
	const size_t count = pattern->vertex_count;
	elements *all = list_elements(symmetry);
	gemp_record_form_set(&form, kind, (int)count, 0, kind == GEMP_KEY_ORBIT, chain, NULL, 0);
	gemp_record_form_pack(&form, vertices);
	assert_true(form.packed && (form.columns.vertices != 0) == (count <= GEMP_PACKED_VERTICES));
	gemp_vertex *rows = calloc(ROWS * count, sizeof *rows);
	uint32_t *records = calloc(ROWS * form.words, sizeof *records);
	for (size_t i = 0; i < ROWS * count; i++)
		rows[i] = (gemp_vertex)gemp_random_below(seed, vertices);
	const gemp_batch batch = { .rows = ROWS, .vertex_count = (int)count, .vertices = rows };
	gemp_record_fill(&form, &batch, 3, ROWS - 3, records + 3 * form.words);
	gemp_record_fill(&form, &batch, 0, 3, records);
	for (size_t i = 0; i < ROWS; i++) {
		gemp_vertex expected[MAX_VERTICES], found[MAX_VERTICES];
		gemp_record_read(&form, records + i * form.words, found, NULL);
		if (kind == GEMP_KEY_ORBIT)
			least_tuple(all, rows + i * count, expected);
		else
			set_of(rows + i * count, count, expected);
		for (size_t v = 0; v < count; v++)
			assert_int_equal(found[v], expected[v] == GEMP_NO_VERTEX ? vertices : expected[v]);
	}
	check_places(&form, records);
	free(all);
	free(rows);
	free(records);
	gemp_stab_chain_free(chain);
	gemp_symmetry_free(symmetry);
	gemp_pattern_free(pattern);
}

/* Few vertices make many equal images; many vertices need two numbers. The groups are dihedral, of all permutations of
 * one block or of several, and trivial on some vertices. */
static void records_are_canonical(void **state)
{
	static const char *const shapes[] = { "path:2",  "path:3",  "cycle:3",  "cycle:4", "cycle:5", "cycle:6",
		                                  "cycle:8", "cycle:9", "clique:4", "star:4",  "diamond", "house" };
	static const uint64_t sizes[] = { 2, 5, 60, 1000, 6000 };
	uint64_t seed = test_seed();
	(void)state;
	for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
		for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
			check_shape(shapes[s], GEMP_KEY_ORBIT, sizes[n], &seed);
			check_shape(shapes[s], GEMP_KEY_VERTICES, sizes[n], &seed);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(records_are_canonical) };
	return test_main(tests);
}
