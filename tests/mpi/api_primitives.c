/* Tests sorting, distinct numbers and reversed graphs of the public library. The references are qsort on the whole
 * array, and graphs that are built from swapped edges. */
#include "face_case.h"

#include "gemp/primitives.h"

#include <math.h>

typedef union number {
	uint32_t u32;
	uint64_t u64;
	int32_t i32;
	int64_t i64;
	float f32;
	double f64;
} number;

/* Orders NaN after all numbers, and -0.0 before 0.0. */
static int compare_reals(double a, double b)
{
	if (isnan(a) || isnan(b))
		return (isnan(a) != 0) - (isnan(b) != 0);
	return a == b ? (signbit(b) != 0) - (signbit(a) != 0) : (a > b) - (a < b);
}

static int by_u32(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static int by_u64(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static int by_i32(const void *a, const void *b)
{
	const int32_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static int by_i64(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static int by_f32(const void *a, const void *b)
{
	return compare_reals((double)*(const float *)a, (double)*(const float *)b);
}

static int by_f64(const void *a, const void *b)
{
	return compare_reals(*(const double *)a, *(const double *)b);
}

enum { TYPES = 6 };
static const size_t size_of[TYPES] = { 4, 8, 4, 8, 4, 8 };
static int (*const order[TYPES])(const void *, const void *) = { by_u32, by_u64, by_i32, by_i64, by_f32, by_f64 };

/* Draws a number. Numbers of signed types have either sign. values: the maximum number of distinct values, or 0 for
 * any. */
static number draw(gemp_number_type type, uint64_t *random, uint64_t values)
{
	static const double special[] = { 0.0, -0.0, INFINITY, -INFINITY, (double)NAN, -(double)NAN };
	const uint64_t bits = values ? gemp_random_below(random, values) : gemp_random(random);
	const int64_t signed_bits = values ? (int64_t)bits - (int64_t)(values / 2) : (int64_t)bits;
	const double real = bits % 7 == 0 ? special[bits / 7 % 6] : (double)signed_bits / 3;
	switch (type) {
	case GEMP_NUMBER_UINT32: return (number){ .u32 = (uint32_t)bits };
	case GEMP_NUMBER_UINT64: return (number){ .u64 = bits };
	case GEMP_NUMBER_INT32: return (number){ .i32 = (int32_t)signed_bits };
	case GEMP_NUMBER_INT64: return (number){ .i64 = signed_bits };
	case GEMP_NUMBER_FLOAT: return (number){ .f32 = (float)real };
	default: return (number){ .f64 = real };
	}
}

/* Returns this rank's array. Its values differ from rank to rank. */
static char *array_of(gemp_number_type type, size_t count, uint64_t values, uint64_t seed)
{
	uint64_t random = seed + 1000 * (uint64_t)test_comm.rank;
	char *array = malloc((count + 1) * sizeof(number));
	for (size_t i = 0; i < count; i++) {
		const number one = draw(type, &random, values);
		memcpy(array + i * size_of[type], &one, size_of[type]);
	}
	return array;
}

static bool same_numbers(gemp_number_type type, const char *a, const char *b, size_t count)
{
	bool same = true;
	for (size_t i = 0; i < count && same; i++)
		same = order[type](a + i * size_of[type], b + i * size_of[type]) == 0;
	return same;
}

static void check_sort(gemp_number_type type, const char *mine, size_t count, bool descending)
{
	const size_t size = size_of[type];
	const size_t rank = (size_t)test_comm.rank, ranks = (size_t)test_comm.size;
	size_t all, got;
	gemp_array *array;
	gemp_array_settings settings;
	char *whole = face_gather(mine, count * size, &all), *before = malloc(count * size + 1);
	memcpy(before, mine, count * size);
	all /= size;
	qsort(whole, all, size, order[type]);
	for (size_t i = 0; descending && i < all / 2; i++)
		for (size_t byte = 0; byte < size; byte++) {
			char *low = whole + i * size + byte, *high = whole + (all - 1 - i) * size + byte, kept = *low;
			*low = *high;
			*high = kept;
		}
	gemp_array_settings_init(&settings);
	settings.descending = descending;
	assert_all_ok(gemp_array_open(&array, api, type, mine, count));
	assert_all_ok(gemp_array_sort(array, &settings, NULL));
	const char *out = gemp_array_values(array, &got);
	assert_all(gemp_array_type(array) == type);
	const size_t begin = rank * all / ranks, end = (rank + 1) * all / ranks;
	assert_all(got == end - begin);
	assert_all(same_numbers(type, out, whole + begin * size, got));
	assert_all(memcmp(mine, before, count * size) == 0);
	gemp_array_close(array);
	free(whole);
	free(before);
}

/* Replaces -0.0 by 0.0, since an array of distinct numbers has only 0.0. */
static void merge_zeros(gemp_number_type type, char *values, size_t count)
{
	static const double zero = 0;
	for (size_t i = 0; i < count; i++)
		if ((type == GEMP_NUMBER_FLOAT && *(float *)(values + 4 * i) == 0) ||
		    (type == GEMP_NUMBER_DOUBLE && *(double *)(values + 8 * i) == 0))
			memcpy(values + i * size_of[type], &zero, size_of[type]);
}

static void check_distinct(gemp_number_type type, const char *mine, size_t count)
{
	const size_t size = size_of[type];
	size_t all, got, found, distinct = 0;
	uint64_t counted = 0;
	gemp_array *array;
	gemp_array_settings settings;
	char *whole = face_gather(mine, count * size, &all);
	all /= size;
	merge_zeros(type, whole, all);
	qsort(whole, all, size, order[type]);
	for (size_t i = 0; i < all; i++)
		if (i == 0 || order[type](whole + i * size, whole + (distinct - 1) * size) != 0)
			memmove(whole + distinct++ * size, whole + i * size, size);
	gemp_array_settings_init(&settings);
	settings.count_only = true;
	assert_all_ok(gemp_array_open(&array, api, type, mine, count));
	assert_all_ok(gemp_array_distinct(array, &settings, &counted, NULL));
	gemp_array_values(array, &got);
	assert_all(counted == distinct && got == count);
	assert_all_ok(gemp_array_distinct(array, NULL, &counted, NULL));
	assert_all(counted == distinct);
	const char *out = gemp_array_values(array, &got);
	char *together = face_gather(out, got * size, &found);
	assert_all(found == distinct * size);
	assert_all(same_numbers(type, together, whole, distinct));
	gemp_array_close(array);
	free(together);
	free(whole);
}

static void arrays_of_all_types(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	static const uint64_t values[] = { 0, 5, 300 };
	for (int type = 0; type < TYPES; type++)
		for (int round = 0; round < 6; round++) {
			const size_t count = round == 5 ? 0 : (size_t)(40 * round + 17 * test_comm.rank);
			char *mine = array_of((gemp_number_type)type, count, values[round % 3], gemp_random(&seed));
			check_sort((gemp_number_type)type, mine, count, round % 2);
			check_distinct((gemp_number_type)type, mine, count);
			free(mine);
		}
}

/* The arrays are so long that the ranks open their devices. The tuning keys sort.host_below and distinct.host_below
 * decide whether a device is used. */
static void long_arrays(void **state)
{
	(void)state;
	const size_t count = (1 << 16) + 100 * (size_t)test_comm.rank;
	char *mine = array_of(GEMP_NUMBER_INT64, count, 0, test_seed_all());
	check_sort(GEMP_NUMBER_INT64, mine, count, false);
	check_distinct(GEMP_NUMBER_INT64, mine, count);
	free(mine);
}

static void wrong_types(void **state)
{
	(void)state;
	gemp_array *array = (gemp_array *)&array;
	assert_all_fails(gemp_array_open(&array, api, GEMP_NUMBER_AUTO, NULL, 0), GEMP_EUSAGE,
	                 "type 6 is none of gemp_number_type");
	assert_all(array == NULL);
	assert_all_fails(gemp_array_open(&array, api, (gemp_number_type)-1, NULL, 0), GEMP_EUSAGE,
	                 "type -1 is none of gemp_number_type");
	assert_all(array == NULL);
	gemp_array_close(NULL);
}

/* The distinct numbers that one call writes to a file are read back, with their type. */
static void files(void **state)
{
	(void)state;
	static const int32_t values[] = { 5, -3, 5, 9 };
	const char *path = test_path_all("numbers.txt");
	gemp_array *array, *back;
	gemp_array_settings settings;
	size_t count;
	gemp_array_settings_init(&settings);
	settings.output = path;
	assert_all_ok(gemp_array_open(&array, api, GEMP_NUMBER_INT32, values, test_comm.rank ? 0 : 4));
	assert_all_ok(gemp_array_distinct(array, &settings, NULL, NULL));
	assert_all_ok(gemp_array_read(&back, api, path, GEMP_NUMBER_AUTO));
	assert_all(gemp_array_type(back) == GEMP_NUMBER_INT32);
	assert_all_ok(gemp_array_sort(back, NULL, NULL));
	const int32_t *sorted = gemp_array_values(back, &count);
	static const int32_t expected[] = { -3, 5, 9 };
	const size_t rank = (size_t)test_comm.rank, ranks = (size_t)test_comm.size, first = rank * 3 / ranks;
	bool good = count == (rank + 1) * 3 / ranks - first;
	for (size_t i = 0; good && i < count; i++)
		good = sorted[i] == expected[first + i];
	assert_all(good);
	gemp_array_close(array);
	gemp_array_close(back);
	assert_all_code(gemp_array_read(&back, api, "nowhere.npy", GEMP_NUMBER_AUTO), GEMP_ENOINPUT);
	assert_all(back == NULL);
}

/* REVERSED GRAPHS */

enum { VERTICES = 30 };

static face_edges random_edges(const char *type, size_t count, bool weights, uint64_t *random)
{
	face_edges edges = { .type = type };
	for (size_t i = 0; i < count; i++)
		face_edges_add(&edges, (int64_t)gemp_random_below(random, VERTICES),
		               (int64_t)gemp_random_below(random, VERTICES));
	edges.weight = weights ? malloc(count * sizeof *edges.weight) : NULL;
	for (size_t i = 0; weights && i < count; i++)
		edges.weight[i] = (double)i;
	return edges;
}

static void reverse_list(face_edges *edges)
{
	int64_t *source = edges->source;
	edges->source = edges->target;
	edges->target = source;
}

static void reversed_graphs(void **state)
{
	(void)state;
	uint64_t random = test_seed_all(), count = 0;
	static const char *const both[] = { "A", "B" };
	face_edges lists[] = { random_edges("A", 50, true, &random), random_edges("B", 20, true, &random) };
	for (size_t types = 0; types < 3; types++) {
		gemp_edge_selection edges;
		gemp_edge_selection_init(&edges);
		edges.edge_types = both;
		edges.edge_type_count = types;
		gemp_graph *graph = face_graph(VERTICES, "N", lists, 2);
		const uint64_t before = gemp_graph_hash(graph);
		assert_all_ok(gemp_graph_reverse(graph, types ? &edges : NULL, NULL, &count, NULL));
		assert_all(count == (types == 1 ? 50 : 70));
		assert_all_ok(gemp_graph_list_edges(graph, types ? &edges : NULL, NULL, &count, NULL));
		assert_all(count == (types == 1 ? 50 : 70));
		reverse_list(&lists[0]);
		if (types != 1)
			reverse_list(&lists[1]);
		gemp_graph *expected = face_graph(VERTICES, "N", lists, 2);
		assert_all(gemp_graph_hash(graph) != before);
		assert_all(gemp_graph_hash(graph) == gemp_graph_hash(expected));
		gemp_graph_close(graph);
		gemp_graph_close(expected);
	}
	gemp_graph *graph = face_graph(VERTICES, "N", lists, 2);
	const uint64_t hash = gemp_graph_hash(graph);
	static const char *const none[] = { "C" };
	gemp_edge_selection edges;
	gemp_edge_selection_init(&edges);
	edges.edge_types = none;
	edges.edge_type_count = 1;
	assert_all_fails(gemp_graph_reverse(graph, &edges, NULL, &count, NULL), GEMP_EUSAGE,
	                 "relation C: graph in memory has no edges of this type; `gemp-mpi info` lists its types");
	assert_all(gemp_graph_hash(graph) == hash);
	gemp_graph_close(graph);
	face_edges_free(&lists[0]);
	face_edges_free(&lists[1]);
}

/* MEMORY */

static gemp_code sort_once(void *values)
{
	gemp_array *array = NULL;
	gemp_code code = gemp_array_open(&array, api, GEMP_NUMBER_UINT32, values, 50);
	if (code == GEMP_OK)
		code = gemp_array_sort(array, NULL, NULL);
	if (code == GEMP_OK)
		code = gemp_array_distinct(array, NULL, NULL, NULL);
	gemp_array_close(array);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	char *array = array_of(GEMP_NUMBER_UINT32, 50, 20, 3);
	assert_all_survive_no_memory(sort_once, array);
	free(array);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_api),
		cmocka_unit_test(arrays_of_all_types),
		cmocka_unit_test(long_arrays),
		cmocka_unit_test(wrong_types),
		cmocka_unit_test(files),
		cmocka_unit_test(reversed_graphs),
		cmocka_unit_test(memory_may_run_out),
		cmocka_unit_test(close_api),
	};
	return test_main_all(argc, argv, tests);
}
