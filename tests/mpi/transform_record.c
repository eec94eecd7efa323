/* Writes the change log while a request for memory fails: every fifth request in turn with one rank, every 61st with
 * two. All ranks must return the same code, and no block may stay allocated. */
#include "transform_memory_case.h"

static const char logged[] =
	"RULE shrink MATCH (a)-[k]->(b:Film) SET k.weight = 7, a:Seen CREATE (n:New {name: a.name})-[:M]->(a) "
	"DETACH DELETE b RULE join MATCH (a)-[k]->(b) WHERE id(a) < id(b) SET k:LIKES MERGE a INTO b "
	"RUN ONE shrink; ONE join";

typedef struct log_lines {
	size_t bytes;
	long fail_after; /* number of requests before one fails; negative: none fails */
} log_lines;

static gemp_code count_bytes(void *self, const char *bytes, size_t size)
{
	log_lines *all = self;
	(void)bytes;
	all->bytes += size;
	return GEMP_OK;
}

/* Collective. Runs the rules with a recorder that counts the bytes of the log. */
static gemp_code run_rules(log_lines *all, gemp_recorder *recorder)
{
	gemp_code code = GEMP_OK;
	gemp_rule_set *rules = NULL;
	gemp_rule_report reports[2] = { 0 };
	gemp_transform_history history = { 0 };
	gemp_shard *graph = build_graph();
	*recorder = (gemp_recorder){ .self = all, .write = count_bytes };
	const gemp_transform_options options = {
		.combinations = 1000, .seed = 1, .recorder = recorder, .max_steps = 10, .lenient = true
	};
	gemp_memory_fail_after(all->fail_after);
	GEMP_TRY_DONE(gemp_comm_agree(&test_comm, gemp_rule_set_parse(&rules, logged, "text", NULL, 0)));
	GEMP_TRY_DONE(gemp_transform(&graph, context, rules, &options, reports, &history));
done:
	gemp_memory_fail_after(-1);
	gemp_free(history.applied);
	gemp_rule_set_free(rules);
	gemp_shard_free(graph);
	gemp_recorder_free(recorder);
	return code;
}

/* Collective. Lets request k of rank `victim` fail. Returns false if the rank made no such request. */
static bool record_with_failure(int victim, long k)
{
	size_t before = gemp_memory_blocks();
	gemp_recorder recorder;
	log_lines all = { .fail_after = test_comm.rank == victim ? k : -1 };
	gemp_code code = run_rules(&all, &recorder);
	int range[2] = { (int)code, -(int)code };
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_INT, MPI_MAX, test_comm.world));
	assert_all(range[0] == -range[1] && (code == GEMP_OK || code == GEMP_ENOMEM));
	assert_all(gemp_memory_blocks() == before);
	return code != GEMP_OK;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	if (test_comm.size > 2)
		skip(); /* more ranks take long and test nothing else */
	gemp_recorder recorder;
	log_lines all = { .fail_after = -1 };
	TEST_LIMIT(early_pivots, 0); /* after a failure a compilation keeps its memory until it ends */
	assert_all_ok(run_rules(&all, &recorder));
	assert_all(recorder.lines > 4 && gemp_comm_sum1(&test_comm, all.bytes) > 60 * recorder.lines);
	for (int victim = 0; victim < test_comm.size; victim++)
		for (long k = victim; record_with_failure(victim, k); k += test_comm.size == 1 ? 5 : 61)
			;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(memory_may_run_out, open_context, close_context),
	};
	return test_main_all(argc, argv, tests);
}
