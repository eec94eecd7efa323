/* Rows that searches of rules keep from step to step: random sequences of rules run with rows on devices, where each
 * patched view is compared with the rows of the graph (gemp_limits.resident_check). The graph must be the one that
 * searches on the host give. */
#include "harness/limits.h"
#include "memory_fixture.h"

#include "comm/comm.h"
#include "core/random.h"
#include "core/status.h"
#include "partition/build/content_hash.h"
#include "partition/derived/canonical.h"
#include "partition/views/resident.h"
#include "pattern/semantic/parse.h"
#include "transform/transform.h"

#include <stdio.h>
#include <string.h>

static const char *const rules[] = {
	"RULE mark MATCH (a)-[:KNOWS]->(b)<-[:KNOWS]-(c) WHERE a.number > b.number SET a.number = b.number ",
	"RULE close MATCH (a)-[:KNOWS]->(b)-[:KNOWS]->(c) WHERE NOT EXISTS { (a)-[:KNOWS]->(c) } CREATE (a)-[:KNOWS]->(c) ",
	"RULE like MATCH (a)-[:KNOWS]-(b) WHERE a.number > b.number CREATE (a)-[:LIKES]->(b) ",
	"RULE new MATCH (a)-[:KNOWS]->(b) WHERE a.number < b.number CREATE (n:New {number: a.number})-[:KNOWS]->(a) ",
	"RULE cut MATCH (a)-[k:KNOWS]->(b)-[:KNOWS]->(c) WHERE a.number = c.number DELETE k ",
	"RULE drop MATCH (n:New)-[:KNOWS]->(a)-[:KNOWS]->(b) WHERE a.number > 3 DETACH DELETE n ",
};
static const char *const names[] = { "mark", "close", "like", "new", "cut", "drop" };
enum { RULES = sizeof names / sizeof *names, STEPS = 8 };

/* Writes all rules, and runs of some of them. Most steps only add, since these are the ones that rows follow. */
static void make_text(char *text, size_t size, uint64_t *seed)
{
	size_t end = 0;
	for (int r = 0; r < RULES; r++)
		end += (size_t)snprintf(text + end, size - end, "%s\n", rules[r]);
	end += (size_t)snprintf(text + end, size - end, "RUN TRY mark");
	for (int s = 0; s < STEPS; s++) {
		uint64_t r = gemp_random_below(seed, 4 * RULES);
		end += (size_t)snprintf(text + end, size - end, "; TRY %s", names[r < RULES ? r : r % 4]);
	}
}

/* Collective. Returns the hash of the rewritten graph. *followed: kept rows belong to it. */
static uint64_t rewrite(const char *text, bool *followed)
{
	gemp_rule_set *set = NULL;
	gemp_rule_report reports[RULES] = { 0 };
	gemp_transform_history history = { 0 };
	gemp_transform_options options = {
		.combinations = 1000, .seed = 1, .max_steps = 100, .lenient = true, .rematch_all = true
	};
	gemp_shard *graph = build_graph();
	context->keep_resident = true;
	assert_all_ok(gemp_comm_agree(&test_comm, gemp_rule_set_parse(&set, text, "text", NULL, 0)));
	assert_all_ok(gemp_transform(&graph, context, set, &options, reports, &history));
	for (const gemp_resident *r = context->resident; r; r = r->next)
		*followed |= r->graph == graph;
	gemp_resident_evict(context);
	context->keep_resident = false;
	assert_all_ok(gemp_shard_canonical(&graph, &test_comm, false));
	uint64_t hash = 0;
	assert_all_ok(gemp_shard_load_all(graph));
	assert_all_ok(gemp_shard_content_hash(&test_comm, graph, &hash));
	gemp_free(history.applied);
	gemp_rule_set_free(set);
	gemp_shard_free(graph);
	return hash;
}

static void test_rows_follow_patches(void **state)
{
	uint64_t seed = test_seed_all();
	bool followed = false;
	char text[4096];
	(void)state;
	for (int i = 0; i < 6; i++) {
		const gemp_limits before = *gemp_limits_now();
		bool ignored = false;
		make_text(text, sizeof text, &seed);
		TEST_LIMIT(shared_min,
		           0); /* ranks put rows of any size into memory that they share (partition/views/list_rows) */
		const uint64_t wanted = rewrite(text, &ignored);
		TEST_LIMIT(interpret_work, 0); /* devices search */
		TEST_LIMIT(balance_min, 0);
		TEST_LIMIT(renumber_min, i % 3 ? 1 : 0); /* only devices have the rows; or the host has them, too */
		TEST_LIMIT(sparse_rows, 1);
		TEST_LIMIT(resident_check, true);
		const uint64_t found = rewrite(text, &followed);
		gemp_limits_override(before);
		if (found != wanted)
			fprintf(stderr, "rank %d: another graph after\n%s\n", test_comm.rank, text);
		assert_all(found == wanted);
	}
	assert_all(followed);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_rows_follow_patches, open_context, close_context),
	};
	return test_main_all(argc, argv, tests);
}
