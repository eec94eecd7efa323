/* Tests the replay of edits of all ranks, which finds edges by their attributes and ends. Then a request for memory
 * fails: every fifth request in turn with one rank, every 37th with two. All ranks must return the same code, and no
 * block may stay allocated. */
#include "memory_fixture.h"

#include "comm/comm.h"
#include "core/status.h"
#include "graph/column.h"
#include "graph/graph.h"
#include "transform/changelog/edit.h"
#include "transform/changelog/replay.h"

static gemp_value number(int64_t integer)
{
	return (gemp_value){ .type = GEMP_INTEGER, .integer = integer };
}

/* In step 1 each rank creates a vertex, a loop at it, and an edge to the next rank's vertex. In step 2 each rank
 * changes the type of the loop. */
static gemp_code add_edits(gemp_replay *replay, uint64_t step)
{
	gemp_code code = GEMP_OK;
	static const gemp_name seen = { "Seen;New", 8 }, loop = { "LOOP", 4 }, ring = { "RING", 4 };
	const gemp_value key = number(1000 + test_comm.rank), next = number(1000 + (test_comm.rank + 1) % test_comm.size);
	const gemp_edit edits[] = {
		{ .kind = GEMP_EDIT_CREATE_VERTEX, .key = key, .labels = seen },
		{ .kind = GEMP_EDIT_CREATE_EDGE, .key = key, .target = key, .type = loop },
		{ .kind = GEMP_EDIT_CREATE_EDGE, .key = key, .target = next, .type = ring },
		{ .kind = GEMP_EDIT_RETYPE_EDGE, .key = key, .target = key, .type = loop, .into = ring, .n = 1 },
	};
	const size_t first = step == 1 ? 0 : 3, end = step == 1 ? 3 : 4;
	for (size_t i = first; i < end; i++) {
		gemp_edit edit = edits[i];
		edit.step = step;
		edit.line = 10 * step + (uint64_t)test_comm.rank;
		GEMP_TRY_DONE(gemp_replay_add(replay, &edit));
	}
done:
	return code;
}

/* Collective. Replays two steps of edits and makes the new graph. */
static gemp_code replay_edits(gemp_shard *graph, const gemp_table *vertices, const gemp_table *edges, gemp_shard **out)
{
	gemp_code code = GEMP_OK;
	gemp_replay *replay = NULL;
	const gemp_replay_options options = {
		.context = context, .graph = graph, .path = "log", .vertex_schema = vertices, .edge_schema = edges
	};
	GEMP_TRY_DONE(gemp_replay_new(&replay, &options));
	code = add_edits(replay, 1);
	if (code == GEMP_OK)
		code = add_edits(replay, 2);
	GEMP_TRY_DONE(gemp_comm_agree(&test_comm, code));
	code = gemp_replay_finish(replay, out);
done:
	gemp_replay_free(replay);
	return code;
}

/* Adds the attributes of the graph as columns without rows. */
static void take_schema(const gemp_shard *graph, gemp_table *vertices, gemp_table *edges)
{
	for (size_t c = 0; c < graph->attributes.count; c++)
		assert_ok(gemp_table_add(vertices, graph->attributes.columns[c].name, graph->attributes.columns[c].type, NULL));
	for (size_t r = 0; r < graph->relation_count; r++)
		for (size_t c = 0; c < graph->relations[r].props.count; c++) {
			const gemp_column *column = &graph->relations[r].props.columns[c];
			if (!gemp_table_find(edges, column->name))
				assert_ok(gemp_table_add(edges, column->name, column->type, NULL));
		}
}

/* Collective. Lets request k of rank `victim` fail. Returns false if the rank made no such request. */
static bool replay_with_failure(int victim, long k)
{
	gemp_table vertices = { 0 }, edges = { 0 };
	gemp_shard *graph = build_graph(), *new = NULL;
	take_schema(graph, &vertices, &edges);
	gemp_memory_fail_after(test_comm.rank == victim ? k : -1);
	gemp_code code = replay_edits(graph, &vertices, &edges, &new);
	gemp_memory_fail_after(-1);
	int range[2] = { (int)code, -(int)code };
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_INT, MPI_MAX, test_comm.world));
	assert_all(range[0] == -range[1] && (code == GEMP_OK || code == GEMP_ENOMEM));
	if (code == GEMP_OK) {
		const gemp_relation *ring = gemp_shard_relation(new, "RING");
		assert_all(new->vertex_count == graph->vertex_count + (uint64_t)test_comm.size);
		assert_all(ring && ring->edge_count == 2 * (uint64_t)test_comm.size && !gemp_shard_relation(new, "LOOP"));
		assert_all(gemp_shard_edges(new) == gemp_shard_edges(graph) + ring->edge_count);
	}
	gemp_shard_free(new);
	gemp_shard_free(graph);
	gemp_table_free(&vertices);
	gemp_table_free(&edges);
	return code != GEMP_OK;
}

static void edits_are_replayed(void **state)
{
	(void)state;
	assert_all(!replay_with_failure(-1, 0));
	size_t before = gemp_memory_blocks();
	for (int victim = 0; victim < test_comm.size && test_comm.size <= 2; victim++)
		for (long k = victim; replay_with_failure(victim, k); k += test_comm.size == 1 ? 5 : 37)
			assert_all(gemp_memory_blocks() == before);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(edits_are_replayed, open_context, close_context),
	};
	return test_main_all(argc, argv, tests);
}
