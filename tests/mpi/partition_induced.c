/* Parts of random graphs between some of their vertices. */
#include "mpi/patch_world.h"

static world whole;

static bool right_part(const gemp_graph *part, const gemp_graph *graph, const uint64_t *keep, const gemp_moved *moved)
{
	bool right = part->relation_count == graph->relation_count && part->label_set_count == graph->label_set_count &&
	             part->attributes.count == graph->attributes.count;
	size_t to = 0;
	for (size_t row = 0; row < graph->rows && right; row++) {
		if (!gemp_bit_is_set(keep, graph->first + row)) {
			right &= gemp_moved_id(moved, (gemp_vertex)(graph->first + row)) == GEMP_NO_VERTEX;
			continue;
		}
		right &= gemp_moved_id(moved, (gemp_vertex)(graph->first + row)) == part->first + to &&
		         part->key_rank[to] == graph->key_rank[row] && part->label_set[to] == graph->label_set[row] &&
		         same_value(gemp_column_get(&part->key, to), gemp_column_get(&graph->key, row));
		for (size_t c = 0; c < graph->attributes.count && right; c++)
			right = same_value(gemp_column_get(&part->attributes.columns[c], to),
			                   gemp_column_get(&graph->attributes.columns[c], row));
		for (size_t r = 0; r < graph->relation_count && right; r++) {
			const gemp_relation *a = &part->relations[r], *b = &graph->relations[r];
			uint64_t at = a->out_begin[to];
			for (uint64_t e = b->out_begin[row]; e < b->out_begin[row + 1] && right; e++) {
				if (!gemp_bit_is_set(keep, b->out[e]))
					continue;
				right = at < a->out_begin[to + 1] && a->out[at] == gemp_moved_id(moved, b->out[e]);
				for (size_t c = 0; c < b->props.count && right; c++)
					right = same_value(gemp_column_get(&a->props.columns[c], at), gemp_column_get(&b->props.columns[c], e));
				at++;
			}
			right = right && at == a->out_begin[to + 1];
		}
		to++;
	}
	return right && to == part->rows;
}

static void test_parts(void **state)
{
	uint64_t seed = test_seed_all();
	(void)state;
	for (int i = 0; i < 24 / (test_comm.size + 1); i++) {
		gemp_graph *graph = NULL, *part = NULL;
		gemp_moved moved;
		uint64_t keep[WORLD_MOST / 64 + 1] = { 0 }, most = gemp_random_below(&seed, 5), hash;
		world_new(&whole, 50, 100, (fixture_keys)(i % 3), gemp_random(&seed));
		assert_all_ok(world_build(&graph, &whole, &test_comm));
		for (uint64_t id = 0; id < graph->vertices; id++)
			keep[id / 64] |= (uint64_t)(gemp_random_below(&seed, 4) < most) << id % 64;
		hash = graph->hash;
		assert_all_ok(gemp_graph_induced(&part, &test_comm, graph, keep, &moved));
		assert_all(right_part(part, graph, keep, &moved));
		assert_all_ok(gemp_graph_load(part));
		assert_all_ok(gemp_graph_content_hash(&test_comm, graph, &graph->hash));
		assert_all(graph->hash == hash);
		gemp_moved_free(&moved);
		gemp_graph_free(part);
		gemp_graph_free(graph);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_parts) };
	return test_main_all(argc, argv, tests);
}
