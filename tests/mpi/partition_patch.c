/* Tests patches against the builder. A random graph is changed by a random patch; the result must be the graph that the
 * builder makes of the changed lists of vertices and edges. */
#include "comm/comm.h"
#include "core/bitset.h"
#include "core/limits.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/status.h"
#include "core/types.h"
#include "graph/column.h"
#include "graph/either_rows.h"
#include "graph/graph.h"
#include "mpi/patch_change.h"
#include "partition/derived/canonical.h"
#include "partition/derived/induced.h"
#include "partition/patch/patch.h"

static world before, after;
static uint64_t ids[WORLD_MAX], new_ids[WORLD_MAX];

/* THE PATCH that turns `before` into `after` */

static gemp_code add_columns(gemp_patch_columns *out, const char *const *names, const gemp_type *types, size_t count)
{
	gemp_code code = GEMP_OK;
	for (size_t c = 0; c < count; c++) {
		GEMP_TRY_DONE(GEMP_RESERVE(out->columns, out->capacity, c + 1));
		out->columns[c] = (gemp_patch_column){ gemp_strdup(names[c]), types[c] };
		out->count++;
		if (!out->columns[c].name)
			return GEMP_ENOMEM;
	}
done:
	return code;
}

static gemp_code new_put(gemp_patch_columns *all, size_t relation, size_t column, gemp_type type,
                         gemp_patch_values **out)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY_DONE(GEMP_RESERVE(all->values, all->value_capacity, all->value_count + 1));
	*out = &all->values[all->value_count++];
	**out = (gemp_patch_values){ .relation = relation, .column = column };
	GEMP_TRY_DONE(GEMP_NEW((*out)->rows, WORLD_MAX));
	code = gemp_column_init(&(*out)->values, "", type);
	if (code == GEMP_OK)
		code = gemp_column_reserve(&(*out)->values, 0, 0);
done:
	return code;
}

static gemp_code put_value(gemp_patch_values *put, uint64_t row, const gemp_value *value)
{
	put->rows[put->count++] = row;
	return gemp_column_add(&put->values, value);
}

static uint64_t end_of(size_t vertex)
{
	const world_vertex *v = &after.vertices[vertex];
	return v->new ? gemp_patch_new_vertex(v->rank, v->index) : ids[vertex];
}

static gemp_code patch_values(gemp_patch *patch, const gemp_shard *graph)
{
	gemp_code code = GEMP_OK;
	static const gemp_value none = { .null = true };
	for (size_t c = 0; c < after.columns; c++) {
		gemp_patch_values *put;
		GEMP_TRY_DONE(new_put(&patch->vertices, 0, c, after.vertex_types[c], &put));
		for (size_t i = 0; i < after.vertex_count; i++) {
			const world_vertex *v = &after.vertices[i];
			uint64_t row = v->new ? graph->rows + v->index : ids[i] - graph->first_vertex;
			bool mine = v->new ? v->rank == test_comm.rank : row < graph->rows;
			if (mine && differs(&v->values[c], i < before.vertex_count ? &before.vertices[i].values[c] : &none))
				GEMP_TRY_DONE(put_value(put, row, &v->values[c]));
		}
	}
done:
	return code;
}

/* Returns the edge of `before` that is this edge of the graph. Equal edges are taken in turn. */
static size_t find_edge(const gemp_shard *graph, const gemp_relation *relation, size_t row, uint64_t edge)
{
	for (size_t i = 0;; i++) {
		assert_true(i < before.edge_count);
		world_edge *e = &before.edges[i];
		bool same = !e->taken && strcmp(e->type, relation->name) == 0 && ids[e->source] == graph->first_vertex + row &&
		            ids[e->target] == relation->out_targets[edge];
		for (size_t c = 0; same && c < 2; c++) {
			const gemp_column *column = gemp_table_find(&relation->props, world_prop[c]);
			gemp_value value = column ? gemp_column_get(column, edge) : (gemp_value){ .null = true };
			same = !differs(&value, &e->values[c]);
		}
		if (same) {
			e->taken = true;
			return i;
		}
	}
}

static uint8_t action_of(gemp_patch *patch, size_t edge)
{
	size_t t = 0;
	if (after.edges[edge].gone)
		return 1;
	if (strcmp(after.edges[edge].type, before.edges[edge].type) == 0)
		return 0;
	while (strcmp(patch->types[t], after.edges[edge].type) != 0)
		t++;
	return (uint8_t)(t + 2);
}

static gemp_code patch_relation(gemp_patch *patch, const gemp_shard *graph, size_t r)
{
	gemp_code code = GEMP_OK;
	const gemp_relation *relation = &graph->relations[r];
	gemp_patch_values *puts[WORLD_PROPS] = { 0 };
	bool some = false;
	for (size_t c = 0; c < after.props; c++)
		GEMP_TRY_DONE(new_put(&patch->edges, r, c, after.edge_types[c], &puts[c]));
	for (size_t c = 0; c < after.props; c++)
		puts[c] = &patch->edges.values[patch->edges.value_count - after.props + c];
	GEMP_TRY_DONE(GEMP_NEW(patch->edge_actions[r], relation->out_offsets[graph->rows]));
	for (size_t row = 0; row < graph->rows; row++)
		for (uint64_t e = relation->out_offsets[row]; e < relation->out_offsets[row + 1]; e++) {
			size_t edge = find_edge(graph, relation, row, e);
			patch->edge_actions[r][e] = action_of(patch, edge);
			some |= patch->edge_actions[r][e];
			for (size_t c = 0; c < after.props; c++)
				if (differs(&after.edges[edge].values[c], &before.edges[edge].values[c]))
					GEMP_TRY_DONE(put_value(puts[c], e, &after.edges[edge].values[c]));
		}
	if (!some) {
		gemp_free(patch->edge_actions[r]);
		patch->edge_actions[r] = NULL;
	}
done:
	return code;
}

static gemp_code patch_edges(gemp_patch *patch, const gemp_shard *graph)
{
	static const char *const types[] = { "KNOWS", "ACTS_IN", "AFTER", "Zoo" };
	gemp_code code = GEMP_OK;
	GEMP_TRY_DONE(GEMP_NEW(patch->types, 4));
	for (size_t i = 0; i < before.edge_count; i++)
		patch->type_count |= strcmp(before.edges[i].type, after.edges[i].type) != 0 ? 4 : 0;
	memcpy(patch->types, types, sizeof types);
	patch->relation_count = graph->relation_count;
	GEMP_TRY_DONE(GEMP_NEW(patch->edge_actions, graph->relation_count));
	for (size_t r = 0; r < graph->relation_count; r++)
		GEMP_TRY_DONE(patch_relation(patch, graph, r));
done:
	return code;
}

/* Adds a group of new edges of one type: this rank's share of the edges with an even number (part 0) or an odd number
 * (part 1). */
static gemp_code add_group(gemp_patch *patch, const char *type, size_t part)
{
	gemp_code code = GEMP_OK;
	gemp_patch_edges *group = &patch->added_edges[patch->added_edge_count++];
	*group = (gemp_patch_edges){ .type = type };
	GEMP_TRY_DONE(GEMP_NEW(group->source, WORLD_MAX));
	GEMP_TRY_DONE(GEMP_NEW(group->target, WORLD_MAX));
	for (size_t c = 0; c < after.props && strcmp(type, "ACTS_IN") != 0; c++) {
		gemp_column *column;
		GEMP_TRY_DONE(gemp_table_add(&group->values, world_prop[c], after.edge_types[c], &column));
		GEMP_TRY_DONE(gemp_column_reserve(column, 0, 0));
	}
	for (size_t i = before.edge_count; i < after.edge_count; i++) {
		const world_edge *e = &after.edges[i];
		if (strcmp(e->type, type) != 0 || i % 2 != part || (int)(i / 2 % (size_t)test_comm.size) != test_comm.rank)
			continue;
		group->source[group->count] = end_of(e->source);
		group->target[group->count++] = end_of(e->target);
		for (size_t c = 0; c < group->values.count; c++)
			GEMP_TRY_DONE(gemp_column_add(&group->values.columns[c], &e->values[c]));
	}
	group->values.rows = group->count;
done:
	return code;
}

static gemp_code patch_additions(gemp_patch *patch)
{
	static const char *const types[] = { "KNOWS", "ACTS_IN", "BEFORE" };
	gemp_code code = GEMP_OK;
	GEMP_TRY_DONE(GEMP_RESERVE(patch->added_edges, patch->added_edge_capacity, 6));
	for (size_t i = 0; i < 6; i++)
		GEMP_TRY_DONE(add_group(patch, types[i % 3], i / 3));
	GEMP_TRY_DONE(GEMP_NEW(patch->numbers, after.vertex_count));
	GEMP_TRY_DONE(GEMP_NEW(patch->added_sets, after.vertex_count));
	for (size_t i = before.vertex_count; i < after.vertex_count; i++) {
		const world_vertex *v = &after.vertices[i];
		if (v->rank != test_comm.rank)
			continue;
		patch->numbers[v->index] = v->number;
		GEMP_TRY_DONE(gemp_dictionary_add(&patch->sets, v->labels, strlen(v->labels), &patch->added_sets[v->index]));
		patch->new_vertices++;
	}
done:
	return code;
}

static gemp_code patch_vertices(gemp_patch *patch, const gemp_shard *graph)
{
	gemp_code code = GEMP_OK;
	uint32_t sets = (uint32_t)graph->label_set_count;
	bool some = false;
	GEMP_TRY_DONE(GEMP_NEW(patch->deleted, graph->rows));
	GEMP_TRY_DONE(GEMP_NEW(patch->label_set, graph->rows));
	GEMP_TRY_DONE(GEMP_NEW(patch->merges, graph->rows));
	for (size_t row = 0; row < graph->rows; row++) {
		size_t i = 0;
		while (ids[i] != graph->first_vertex + row)
			i++;
		const world_vertex *v = &after.vertices[i];
		patch->deleted[row] = v->gone;
		patch->label_set[row] = graph->label_set_of[row];
		if (v->gone && v->into != WORLD_NOBODY)
			patch->merges[patch->merge_count++] = (gemp_vertex_merge){ ids[i], end_of((size_t)v->into) };
		if (strcmp(v->labels, before.vertices[i].labels) == 0)
			continue;
		GEMP_TRY_DONE(gemp_dictionary_add(&patch->sets, v->labels, strlen(v->labels), &patch->label_set[row]));
		patch->label_set[row] += sets;
		some = true;
	}
	if (!some) {
		gemp_free(patch->label_set);
		patch->label_set = NULL;
	}
	for (size_t i = 0; i < patch->new_vertices; i++)
		patch->added_sets[i] += sets;
done:
	return code;
}

static gemp_code make_patch(gemp_patch *patch, const gemp_shard *graph)
{
	gemp_code code = GEMP_OK;
	*patch = (gemp_patch){ .first_key = first_key(&before, graph->keys.type),
		                   .string_keys = before.options.string_keys,
		                   .want_changed = true,
		                   .want_origins = before.seed % 2 };
	GEMP_TRY_DONE(add_columns(&patch->vertices, world_column, after.vertex_types, after.columns));
	GEMP_TRY_DONE(add_columns(&patch->edges, world_prop, after.edge_types, after.props));
	GEMP_TRY_DONE(patch_additions(patch));
	GEMP_TRY_DONE(patch_vertices(patch, graph));
	GEMP_TRY_DONE(patch_values(patch, graph));
	code = patch_edges(patch, graph);
done:
	return code;
}

/* CHECKS */

/* Checks the map from old ids to new ids. Within a rank, old vertices must keep their order, and new vertices must
 * follow the old vertices. */
static bool ids_are_right(const gemp_patch_result *done, const gemp_shard *graph)
{
	bool right = true;
	world_ids(&after, graph, &test_comm, new_ids);
	for (size_t i = 0; i < after.vertex_count; i++) {
		const world_vertex *v = &after.vertices[i];
		gemp_vertex told = v->new ? GEMP_NO_VERTEX : gemp_id_map_get(&done->id_map, (gemp_vertex)ids[i]);
		if (v->new)
			right &= gemp_shard_owner(graph, new_ids[i]) == v->rank;
		else
			right &= v->gone ? told == GEMP_NO_VERTEX : told == new_ids[i];
		for (size_t k = 0; k < i && !v->gone && right; k++) {
			const world_vertex *u = &after.vertices[k];
			if (u->gone || gemp_shard_owner(graph, new_ids[i]) != gemp_shard_owner(graph, new_ids[k]))
				continue;
			bool first = u->new == v->new ? (u->new ? u->index < v->index : ids[k] < ids[i]) : !u->new;
			right &= first == (new_ids[k] < new_ids[i]);
		}
	}
	return right;
}

static bool changes_are_right(const gemp_patch_result *done)
{
	bool right = true;
	for (size_t i = 0; i < after.vertex_count; i++)
		if (!after.vertices[i].gone)
			right &= gemp_bits64_test(done->changed, new_ids[i]) == is_changed(&before, &after, i);
	return right;
}

/* Checks the origins of edges: the id map must map the ends of each old edge to the ends that it has now. */
static bool origins_are_right(const gemp_patch_result *done, const gemp_shard *graph, const gemp_shard *old)
{
	bool right = true;
	for (size_t r = 0; r < old->relation_count && done->origins; r++) {
		if (done->relations[r] == SIZE_MAX)
			continue;
		const gemp_relation *was = &old->relations[r], *is = &graph->relations[done->relations[r]];
		const uint64_t *origins = done->origins[done->relations[r]];
		right &= strcmp(was->name, is->name) == 0;
		for (size_t row = 0; row < graph->rows && right; row++)
			for (uint64_t e = is->out_offsets[row]; e < is->out_offsets[row + 1]; e++) {
				size_t old_row = 0;
				const uint64_t origin = origins ? origins[e] : e;
				if (origin == GEMP_NO_EDGE)
					continue;
				right &= origin < was->out_offsets[old->rows];
				while (right && was->out_offsets[old_row + 1] <= origin)
					old_row++;
				right = right && gemp_id_map_get(&done->id_map, was->out_targets[origin]) == is->out_targets[e] &&
				        gemp_id_map_get(&done->id_map, (gemp_vertex)(old->first_vertex + old_row)) ==
				            graph->first_vertex + row;
			}
	}
	return right;
}

static bool rows_ascend(const gemp_shard *graph)
{
	bool right = true;
	for (size_t r = 0; r < graph->relation_count; r++)
		for (size_t row = 0; row < graph->rows; row++)
			for (uint64_t e = graph->relations[r].out_offsets[row] + 1; e < graph->relations[r].out_offsets[row + 1];
			     e++)
				right &= graph->relations[r].out_targets[e - 1] <= graph->relations[r].out_targets[e];
	return right;
}

static bool key_ranks_are_dense(const gemp_shard *graph, const gemp_shard *whole)
{
	bool right = true;
	for (size_t row = 0; row < graph->rows; row++) {
		gemp_value key = gemp_column_get(&graph->keys, row);
		for (size_t id = 0; id < whole->vertex_count; id++) {
			gemp_value other = gemp_column_get(&whole->keys, id);
			if (same_value(key, other))
				right &= graph->key_ranks[row] == whole->key_ranks[id];
		}
	}
	return right;
}

/* The graph has forgotten in which direction the input had an undirected edge without attributes. If such an edge gets
 * an attribute, it keeps the direction of the graph. */
static void turn_edges(world *made, const gemp_shard *graph)
{
	for (size_t i = 0; i < made->edge_count; i++) {
		const gemp_relation *relation = gemp_shard_relation(graph, made->edges[i].type);
		const size_t source = made->edges[i].source, target = made->edges[i].target;
		if (!relation || !gemp_relation_is_symmetric(relation) ||
		    gemp_edge_leads((gemp_vertex)ids[source], (gemp_vertex)ids[target]))
			continue;
		made->edges[i].source = target;
		made->edges[i].target = source;
	}
}

static void check_case(size_t vertices, size_t edges, fixture_keys keys, uint64_t seed, const gemp_comm *self)
{
	gemp_shard *graph = NULL, *old = NULL, *whole = NULL;
	gemp_patch patch;
	gemp_patch_result done;
	uint64_t random = seed;
	world_new(&before, vertices, edges, keys, seed);
	assert_all_ok(world_build(&graph, &before, &test_comm));
	assert_all_ok(world_build(&old, &before, &test_comm));
	world_ids(&before, graph, &test_comm, ids);
	turn_edges(&before, graph);
	after = before;
	change(&after, graph->keys.type, &random);
	point_to_own_texts(&after);
	/* a graph without edges does not know whether it is undirected */
	after.options.undirected &= graph->relation_count > 0;
	assert_all_ok(gemp_comm_agree(&test_comm, make_patch(&patch, graph)));
	assert_all_ok(gemp_shard_patch(&graph, &test_comm, &patch, &done));
	assert_all(ids_are_right(&done, graph));
	assert_all(changes_are_right(&done));
	assert_all(origins_are_right(&done, graph, old));
	assert_all(rows_ascend(graph));
	move_edges(&after);
	assert_all_ok(world_build(&whole, &after, self));
	assert_all(key_ranks_are_dense(graph, whole));
	assert_all_ok(gemp_shard_load_all(graph));
	assert_all_ok(gemp_shard_canonical(&graph, &test_comm, before.options.string_keys));
	assert_all_ok(gemp_shard_load_all(graph));
	assert_all(same_graph(graph, whole));
	gemp_patch_free(&patch);
	gemp_patch_result_free(&done);
	gemp_shard_free(graph);
	gemp_shard_free(old);
	gemp_shard_free(whole);
}

static void test_patched_graphs_are_those_of_the_builder(void **state)
{
	static const size_t sizes[][2] = { { 0, 0 }, { 1, 0 }, { 1, 3 }, { 2, 20 }, { 9, 12 }, { 40, 60 }, { 60, 120 } };
	uint64_t seed = test_seed_all();
	gemp_comm self;
	(void)state;
	gemp_comm_new(&self, MPI_COMM_SELF);
	gemp_log_set_level(GEMP_QUIET); /* hides warnings about undirected edges that are listed in both directions */
	gemp_limits limits = gemp_limits_default;
	for (int i = 0; i < 96 / (test_comm.size + 1); i++) {
		limits.sparse_rows = i % 3 ? 1 : gemp_limits_default.sparse_rows;
		gemp_limits_override(limits);
		const size_t *size = sizes[i < 7 ? (size_t)i : gemp_random_below(&seed, 7)];
		check_case(size[0], size[1], (fixture_keys)gemp_random_below(&seed, 3), gemp_random(&seed), &self);
	}
	gemp_limits_override(gemp_limits_default);
	gemp_comm_free(&self);
}

/* MEMORY MAY RUN OUT */

/* Each run patches a copy of the graph, because patching uses up the graph. The patch itself can be used again. */
typedef struct case_of_patch {
	gemp_shard *graph;
	uint32_t keep[WORLD_MAX / 32 + 1];
	bool relations[64];
	gemp_patch patch;
} case_of_patch;

static gemp_code patch_once(void *argument)
{
	gemp_code code = GEMP_OK;
	case_of_patch *c = argument;
	gemp_shard *graph = NULL;
	gemp_patch_result done = { 0 };
	gemp_induced copy;
	GEMP_TRY_DONE(gemp_induced_new(&copy, &test_comm, c->graph, c->keep, c->relations));
	graph = copy.graph;
	copy.graph = NULL;
	gemp_induced_free(&copy);
	GEMP_TRY_DONE(gemp_shard_patch(&graph, &test_comm, &c->patch, &done));
	code = gemp_shard_canonical(&graph, &test_comm, before.options.string_keys);
done:
	gemp_patch_result_free(&done);
	gemp_shard_free(graph);
	return code;
}

static void test_without_memory(void **state)
{
	case_of_patch c = { 0 };
	uint64_t random = 7;
	(void)state;
	if (test_comm.size != 1 && test_comm.size != 3)
		skip();
	memset(c.relations, true, sizeof c.relations);
	world_new(&before, 5, 6, KEYS_STRING, 3);
	assert_all_ok(world_build(&c.graph, &before, &test_comm));
	for (uint64_t id = 0; id < c.graph->vertex_count; id++)
		c.keep[id / 32] |= UINT32_C(1) << id % 32;
	world_ids(&before, c.graph, &test_comm, ids);
	turn_edges(&before, c.graph);
	after = before;
	change(&after, c.graph->keys.type, &random);
	point_to_own_texts(&after);
	assert_all_ok(gemp_comm_agree(&test_comm, make_patch(&c.patch, c.graph)));
	assert_all_survive_no_memory(patch_once, &c);
	gemp_patch_free(&c.patch);
	gemp_shard_free(c.graph);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_patched_graphs_are_those_of_the_builder),
		cmocka_unit_test(test_without_memory),
	};
	return test_main_all(argc, argv, tests);
}
