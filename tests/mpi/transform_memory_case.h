/* Runs rules while a request for memory fails. Whichever request of whichever rank fails, all ranks must return the
 * same code and a message, and no block may stay allocated. */
#ifndef GEMP_TESTS_TRANSFORM_MEMORY_CASE_H
#define GEMP_TESTS_TRANSFORM_MEMORY_CASE_H

#include "harness/limits.h"
#include "memory_fixture.h"

#include "comm/comm.h"
#include "core/status.h"
#include "graph/graph.h"
#include "pattern/model/rule.h"
#include "pattern/semantic/parse.h"
#include "transform/transform.h"

static const char text[] =
	"RULE grow MATCH (a)-[k:KNOWS]->(b) WHERE a.number > b.number AND NOT EXISTS { (b)-[:LIKES]->(:Film) } "
	"SET a.number = b.number, a.grade = 'new', k.weight = 7, b:Seen REMOVE a:Person "
	"CREATE (n:New {name: a.name})-[:MADE {note: 'x'}]->(b) "
	"RULE shrink MATCH (a)-[k]->(b:Film) OPTIONAL MATCH (b)-[o:ACTS_IN]->(c) SET k:LIKES DELETE o DETACH DELETE b "
	"RULE join MATCH (a:Film)-[:ACTS_IN]->(b) WITH DISTINCT a, b MERGE a INTO b "
	"RUN TRY grow; TRY join; TRY shrink";

/* Collective. Runs the rules of `text` on the graph. */
static inline gemp_code rewrite(gemp_shard **graph, uint64_t *applied)
{
	gemp_code code = GEMP_OK;
	gemp_rule_set *rules = NULL;
	gemp_rule_report reports[3] = { 0 };
	gemp_transform_history history = { 0 };
	gemp_transform_options options = { .combinations = 1000, .seed = 1, .max_steps = 10, .lenient = true };
	GEMP_TRY_DONE(gemp_comm_agree(&test_comm, gemp_rule_set_parse(&rules, text, "text", NULL, 0)));
	GEMP_TRY_DONE(gemp_transform(graph, context, rules, &options, reports, &history));
	for (size_t i = 0; i < 3; i++)
		applied[i] = reports[i].select.applied;
done:
	gemp_free(history.applied);
	gemp_rule_set_free(rules);
	return code;
}

/* Collective. Lets request k of rank `victim` fail. Returns false if the rank made no such request. */
static inline bool run_with_failure(int victim, long k)
{
	size_t before = gemp_memory_blocks();
	uint64_t applied[3];
	gemp_shard *graph = build_graph();
	gemp_memory_fail_after(test_comm.rank == victim ? k : -1);
	gemp_code code = rewrite(&graph, applied);
	gemp_memory_fail_after(-1);
	gemp_shard_free(graph);
	int range[2] = { (int)code, -(int)code };
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_INT, MPI_MAX, test_comm.world));
	bool agreed = range[0] == -range[1] && (code == GEMP_OK || code == GEMP_ENOMEM);
	bool named = code == GEMP_OK || strstr(gemp_message(), "memory");
	bool clean = gemp_memory_blocks() == before;
	if (!agreed || !named || !clean)
		fprintf(stderr, "rank %d, request %ld of rank %d refused: code %d, '%s', %zu blocks left\n", test_comm.rank, k,
		        victim, (int)code, gemp_message(), gemp_memory_blocks() - before);
	assert_all(agreed && named && clean);
	return code != GEMP_OK;
}

/* Collective. Runs the rules many times. In each run one request fails: request 0, stride, 2 * stride, ... of each rank
 * in turn. */
static inline void run_with_failures(long stride)
{
	uint64_t applied[3];
	gemp_shard *graph = build_graph();
	TEST_LIMIT(early_pivots, 0);             /* after a failure a compilation keeps its memory until it ends */
	assert_all_ok(rewrite(&graph, applied)); /* this run builds the kernels, which stay in memory */
	gemp_shard_free(graph);
	assert_all(applied[0] > 0 && applied[1] > 0 && applied[2] > 0);
	for (int victim = 0; victim < test_comm.size; victim++)
		for (long k = 0; run_with_failure(victim, k); k += stride)
			;
}

#endif
