/* Tests the removal of duplicate matches across ranks on random embeddings. The reference finds the classes by brute
 * force. Tested are every definition of a class, with and without edges, budgets of memory from unlimited to a few
 * records, hashes that collide, leaves of packed records from 16 slots on, and failing requests for memory. */
#include "distinct_case.h"

#include "comm/comm.h"
#include "core/status.h"
#include "core/types.h"
#include "graph/batch.h"
#include "harness/limits.h"
#include "harness/pattern_oracle.h"
#include "match/distinct/distinct.h"
#include "partition/runtime.h"
#include "pattern/model/pattern.h"
#include "pattern/shapes/named_pattern.h"
#include "pattern/symmetry/automorphism.h"
#include "pattern/symmetry/permutation_group.h"

/* The reference's definition of a class. */
typedef struct class_definition {
	gemp_distinct_options options;
	size_t group_size;
	int (*group)[2 * MAX_POINTS]; /* [group_size] permutations of points, for orbits */
	int points;
} class_definition;

static size_t sorted_set(uint64_t *out, const uint64_t *in, int count)
{
	size_t kept = 0;
	memcpy(out, in, (size_t)count * sizeof *out);
	qsort(out, (size_t)count, sizeof *out, compare_numbers);
	for (int i = 0; i < count; i++)
		if (kept == 0 || out[kept - 1] != out[i])
			out[kept++] = out[i];
	for (size_t i = kept; i < (size_t)count; i++)
		out[i] = UINT64_MAX;
	return kept;
}

/* Replaces the embedding by the smallest embedding of its orbit. */
static void canonicalise(const class_definition *by, const input *in, member *m)
{
	member best = *m;
	for (size_t g = 0; g < by->group_size; g++) {
		member other = { 0 };
		for (int p = 0; p < by->points; p++) {
			int q = by->group[g][p];
			other.tuple[p < in->vertex_count ? p : MAX_POINTS + p - in->vertex_count] =
				m->tuple[q < in->vertex_count ? q : MAX_POINTS + q - in->vertex_count];
		}
		if (compare_members(&other, &best) < 0)
			best = other;
	}
	*m = best;
}

static void set_key(const class_definition *by, const input *in, member *m)
{
	const gemp_distinct_options *o = &by->options;
	if (o->chain)
		canonicalise(by, in, m);
	if (o->chain && !o->as_subgraph && !o->as_vertices) {
		memcpy(m->key, m->tuple, sizeof m->tuple);
		return;
	}
	sorted_set(m->key, m->tuple, in->vertex_count);
	if (o->as_subgraph && in->edge_count)
		sorted_set(m->key + MAX_POINTS, m->tuple + MAX_POINTS, in->edge_count);
	if (o->as_subgraph && !in->edge_count) {
		uint64_t pairs[2 * MAX_POINTS];
		for (size_t p = 0; p < o->pair_count; p++) {
			uint64_t a = m->tuple[o->pairs[p][0]], b = m->tuple[o->pairs[p][1]];
			pairs[p] = a < b ? a << 32 | b : b << 32 | a;
		}
		sorted_set(m->key + MAX_POINTS, pairs, (int)o->pair_count);
	}
}

/* Sets classes[] to the smallest member of each class and returns the number of classes. */
static size_t find_classes(const class_definition *by, const input *in, member *classes)
{
	size_t kept = 0;
	for (size_t i = 0; i < in->rows; i++) {
		set_tuple(&classes[i], in->vertices + i * (size_t)in->vertex_count, in->vertex_count,
		          in->edges + i * (size_t)in->edge_count, in->edge_count);
		set_key(by, in, &classes[i]);
	}
	qsort(classes, in->rows, sizeof *classes, compare_members);
	for (size_t i = 0; i < in->rows; i++)
		if (kept == 0 || memcmp(classes[kept - 1].key, classes[i].key, sizeof classes->key) != 0)
			classes[kept++] = classes[i];
	return kept;
}

/* Feeds the sink as an engine does: the rows come in several rounds, and again while the sink asks for another pass. */
static gemp_code find_rows(gemp_sink *sink, const input *in, size_t rounds)
{
	gemp_code code = GEMP_OK;
	bool again = true, enough = false;
	while (again && !enough) {
		again = false;
		for (size_t round = 0; round < rounds && !enough; round++) {
			gemp_code mine = GEMP_OK;
			for (size_t i = round; i < in->rows && mine == GEMP_OK; i += rounds)
				if (in->finder[i] == test_comm.rank)
					mine = sink->consume(sink->self, &(gemp_batch){
														 .rows = 1,
														 .vertex_count = in->vertex_count,
														 .edge_count = in->edge_count,
														 .vertices = in->vertices + i * (size_t)in->vertex_count,
														 .edges = in->edges + i * (size_t)in->edge_count,
													 });
			GEMP_TRY_DONE(gemp_comm_agree(&test_comm, mine));
			GEMP_TRY_DONE(sink->end_round(sink->self, round + 1 == rounds, &enough, &again));
		}
	}
done:
	return code;
}

static gemp_runtime context;

static void check(const class_definition *by, const input *in, size_t memory, uint64_t hash_mask, size_t rounds,
                  uint64_t *passes)
{
	collector found = { 0 };
	gemp_sink next = { .self = &found, .consume = collect, .end_round = collector_end_round }, sink, counter;
	gemp_distinct_options options = by->options;
	options.vertex_count = in->vertex_count;
	options.edge_count = in->edge_count;
	options.memory = memory;
	options.hash_mask = hash_mask;
	assert_all_ok(gemp_distinct_new(&counter, &context, &options));
	options.next = &next;
	assert_all_ok(gemp_distinct_new(&sink, &context, &options));
	member *expected;
	assert_all_ok(GEMP_NEW(expected, in->rows));
	size_t expected_count = find_classes(by, in, expected);

	assert_all_ok(find_rows(&sink, in, rounds));
	assert_all_ok(find_rows(&counter, in, rounds));
	assert_all(gemp_comm_sum1(&test_comm, gemp_distinct_count(&sink)) == expected_count);
	assert_all(gemp_comm_sum1(&test_comm, gemp_distinct_count(&counter)) == expected_count);
	assert_all(found.last_rounds == 1);
	for (size_t i = 0; i < found.rows; i++)
		set_key(by, in, &found.members[i]);
	void *all;
	size_t *begin;
	assert_all_ok(
		gemp_comm_allgather(&test_comm, GEMP_OK, found.members, found.rows * sizeof *found.members, &all, &begin));
	assert_all(begin[test_comm.size] / sizeof(member) == expected_count);
	qsort(all, expected_count, sizeof(member), compare_members);
	assert_all(memcmp(all, expected, expected_count * sizeof(member)) == 0);
	if (passes)
		*passes = gemp_distinct_passes(&sink);
	gemp_free(all);
	gemp_free(begin);
	gemp_free(expected);
	gemp_free(found.members);
	sink.free(sink.self);
	counter.free(counter.self);
}

/* Unlimited, little and almost no memory; full hashes, and hashes masked to at most 64, 8 and 2 different values; one
 * round and several rounds. */
static void check_all(const class_definition *by, const input *in)
{
	static const uint64_t masks[] = { 0, UINT64_C(0xf00000003), UINT64_C(0x7000000000000000), 1 };
	/* keys are words, one number (of up to 6 vertices), or two numbers (of up to 4 vertices) */
	static const uint64_t vertices[] = { 0, 1000, UINT64_C(1) << 31 };
	for (size_t i = 0; i < 8; i++) {
		const uint64_t mask = masks[i / 2];
		class_definition d = *by;
		d.options.vertices = vertices[i % 3];
		TEST_LIMIT(number_leaf, (size_t)16 << i);
		d.options.expected = (double)(i % 4 * in->rows);
		check(&d, in, 0, mask, 1 + i / 2, NULL);
		check(&d, in, 20000, mask, 3, NULL);
		d.options.vertices = vertices[(i + 1) % 3];
		check(&d, in, 3000, mask, 5, NULL);
		check(&d, in, 1, mask, 2, NULL);
	}
	TEST_LIMIT_DEFAULT(number_leaf);
}

static void by_vertex_set(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	for (int width = 1; width <= MAX_POINTS; width++) {
		input in;
		class_definition by = { 0 };
		make_input(&in, seed + (uint64_t)width, width, width % 3, width == 7 ? 0 : 400, width < 4 ? 12 : 9, width % 2);
		check_all(&by, &in);
		free_input(&in);
	}
}

static void by_subgraph(void **state)
{
	(void)state;
	static const int pairs[][2] = { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 0 }, { 1, 1 } };
	uint64_t seed = test_seed_all();
	for (int repeats = 0; repeats < 2; repeats++) {
		input in;
		class_definition by = { .options = { .as_subgraph = true, .pairs = pairs, .pair_count = 5 } };
		make_input(&in, seed, 4, 0, 700, 6, repeats);
		check_all(&by, &in);
		free_input(&in);
		make_input(&in, seed, 3, 4, 700, 4, repeats);
		check_all(&by, &in);
		free_input(&in);
	}
}

/* Lists all products of the generators of a symmetry group. */
static void list_group(class_definition *by, const gemp_symmetry *symmetry)
{
	size_t capacity = 0;
	by->points = (int)symmetry->points;
	assert_all_ok(GEMP_RESERVE(by->group, capacity, 1));
	for (int p = 0; p < by->points; p++)
		by->group[0][p] = p;
	by->group_size = 1;
	for (size_t i = 0; i < by->group_size; i++)
		for (size_t g = 0; g < symmetry->count; g++) {
			int product[2 * MAX_POINTS] = { 0 };
			bool known = false;
			for (int p = 0; p < by->points; p++)
				product[p] = by->group[i][symmetry->images[g * symmetry->points + (size_t)p]];
			for (size_t k = 0; k < by->group_size && !known; k++)
				known = memcmp(by->group[k], product, (size_t)by->points * sizeof *product) == 0;
			if (known)
				continue;
			assert_all_ok(GEMP_RESERVE(by->group, capacity, by->group_size + 1));
			memcpy(by->group[by->group_size++], product, sizeof product);
		}
}

static void check_orbits(const gemp_symmetry *symmetry, int vertices, int edges, uint64_t seed, bool repeats)
{
	class_definition by = { 0 };
	input in;
	gemp_stab_chain *chain;
	int base[2 * MAX_POINTS];
	for (int p = 0; p < 2 * MAX_POINTS; p++)
		base[p] = p;
	list_group(&by, symmetry);
	assert_all_ok(gemp_stab_chain_new(&chain, symmetry, base, (size_t)(vertices + edges)));
	by.options.chain = chain;
	make_input(&in, seed, vertices, edges, 500, 7, repeats);
	check_all(&by, &in);
	free_input(&in);
	gemp_stab_chain_free(chain);
	gemp_free(by.group);
}

static void by_orbit_of_all_permutations(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	for (size_t width = 1; width <= 5; width++) {
		gemp_symmetry *symmetry = NULL;
		assert_all_ok(full_symmetry(&symmetry, width));
		check_orbits(symmetry, (int)width, 0, seed + width, width % 2);
		gemp_symmetry_free(symmetry);
	}
}

static void by_orbit_of_patterns(void **state)
{
	(void)state;
	static const char *const names[] = {
		"cycle:5", "path:4", "star:3", "house", "edges:0-1,0-2,0-3,3-4,3-5", "edges:0-1,1-2,2-0,0-3,0-4", "diamond",
	};
	uint64_t seed = test_seed_all();
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		gemp_pattern *pattern;
		gemp_symmetry *symmetry;
		assert_all_ok(gemp_pattern_named(&pattern, names[i]));
		assert_all_ok(gemp_automorphism_find(&symmetry, pattern, false));
		int edges = (int)pattern->edge_count;
		check_orbits(symmetry, (int)pattern->vertex_count, 0, seed + i, i % 2);
		check_orbits(symmetry, (int)pattern->vertex_count, edges, seed + i, true);
		gemp_symmetry_free(symmetry);
		gemp_pattern_free(pattern);
	}
}

/* The representative of a class is its smallest member by user keys, also if a class consists of whole orbits. */
static void smallest_member_represents_class(void **state)
{
	(void)state;
	static const int pairs[][2] = { { 0, 1 }, { 0, 2 }, { 0, 3 } };
	static const int base[] = { 0, 1, 2, 3, 4, 5, 6 };
	uint64_t seed = test_seed_all();
	made_graph *made = made_graph_new(seed);
	gemp_pattern *pattern;
	gemp_symmetry *symmetry;
	gemp_stab_chain *chain;
	assert_all_ok(gemp_pattern_named(&pattern, "star:3"));
	assert_all_ok(gemp_automorphism_find(&symmetry, pattern, false));
	for (int edges = 0; edges <= 3; edges += 3)
		for (int as_subgraph = 0; as_subgraph < 2; as_subgraph++) {
			input in;
			class_definition by = { .options = { .as_subgraph = as_subgraph,
				                                 .as_vertices = !as_subgraph,
				                                 .pairs = pairs,
				                                 .pair_count = 3,
				                                 .graph = &made->graph } };
			list_group(&by, symmetry);
			assert_all_ok(gemp_stab_chain_new(&chain, symmetry, base, edges ? 7 : 4));
			by.options.chain = chain;
			by.points = edges ? 7 : 4;
			make_input(&in, seed + (uint64_t)edges, 4, edges, 300, 8, false);
			rank_of = made->key_rank;
			check(&by, &in, 0, 0, 2, NULL);
			check(&by, &in, 3000, 0, 3, NULL);
			rank_of = NULL;
			free_input(&in);
			gemp_stab_chain_free(chain);
			gemp_free(by.group);
		}
	gemp_symmetry_free(symmetry);
	gemp_pattern_free(pattern);
	made_graph_free(made);
}

static void passes_depend_on_memory(void **state)
{
	(void)state;
	input in;
	class_definition by = { 0 };
	uint64_t passes;
	make_input(&in, test_seed_all(), 2, 0, 4000, 1000, false);
	check(&by, &in, 0, 0, 3, &passes);
	assert_all(passes == 1);
	check(&by, &in, 4000, 0, 3, &passes);
	assert_all(passes > 2 && passes < 200);
	check(&by, &in, 4000, 1, 3, &passes); /* all hashes are 0 or 1, so ranges of hashes cannot be divided further */
	assert_all(passes < 10);
	free_input(&in);
}

static void enough_ends_early(void **state)
{
	(void)state;
	input in;
	make_input(&in, test_seed_all(), 2, 0, 4000, 1000, false);
	for (int by_limit = 0; by_limit < 2; by_limit++) {
		collector found = { .wanted = by_limit ? 0 : 10 };
		gemp_sink next = { .self = &found, .consume = collect, .end_round = collector_end_round }, sink;
		gemp_distinct_options options = {
			.vertex_count = 2, .next = &next, .limit = by_limit ? 10 : 0, .memory = 4000
		};
		assert_all_ok(gemp_distinct_new(&sink, &context, &options));
		assert_all_ok(find_rows(&sink, &in, 40));
		uint64_t rows = gemp_comm_sum1(&test_comm, found.rows);
		assert_all(rows >= 10 && rows < 3000);
		assert_all(found.last_rounds == 1);
		gemp_free(found.members);
		sink.free(sink.self);
	}
	free_input(&in);
}

static uint64_t once_vertices; /* run_once packs keys if it is not 0 */

static gemp_code run_once(void *argument)
{
	gemp_code code = GEMP_OK;
	collector found = { 0 };
	gemp_sink next = { .self = &found, .consume = collect, .end_round = collector_end_round }, sink = { 0 };
	gemp_distinct_options options = { .vertex_count = 3,
		                              .vertices = once_vertices,
		                              .next = once_vertices ? NULL : &next };
	GEMP_TRY_DONE(gemp_comm_agree(&test_comm, gemp_distinct_new(&sink, &context, &options)));
	code = find_rows(&sink, argument, 2);
done:
	if (sink.self)
		sink.free(sink.self);
	gemp_free(found.members);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	if (test_comm.size > 4)
		return; /* lets each request for memory fail, which is slow and tests nothing new on more ranks */
	input in;
	make_input(&in, test_seed_all(), 3, 0, 300, 30, false);
	assert_all_survive_no_memory(run_once, &in);
	once_vertices = 30;
	assert_all_survive_no_memory(run_once, &in);
	free_input(&in);
	assert_all(gemp_memory_blocks() == 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_vertex_set),
		cmocka_unit_test(by_subgraph),
		cmocka_unit_test(by_orbit_of_all_permutations),
		cmocka_unit_test(by_orbit_of_patterns),
		cmocka_unit_test(smallest_member_represents_class),
		cmocka_unit_test(passes_depend_on_memory),
		cmocka_unit_test(enough_ends_early),
		cmocka_unit_test(memory_may_run_out),
	};
	context.comm = &test_comm;
	return test_main_all(argc, argv, tests);
}
