/* Tests the text of match kernels: the words of items, results and states that it reads and writes agree with the
 * layout, and it contains no text of the user. Whether the kernels are right is tested by running them
 * (tests/mpi/match_engine.c). */
#include "core/memory.h"
#include "harness/harness.h"

#include "core/log.h"
#include "core/status.h"
#include "core/text.h"
#include "graph/graph.h"
#include "match/codegen/emit.h"
#include "match/codegen/emit_step.h"
#include "match/codegen/kernel_text.h"
#include "pattern/bind/bind.h"
#include "pattern/model/pattern.h"
#include "pattern/plan/plan.h"
#include "pattern/plan/planner.h"
#include "pattern/semantic/parse.h"
#include "pattern/symmetry/automorphism.h"
#include "pattern/symmetry/permutation_group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 1024 };

static gemp_shard graph;

static int make_graph(void **state)
{
	(void)state;
	static gemp_relation relations[] = { { .name = "Rhinoceros", .directed = true },
		                                 { .name = "Serval", .directed = true } };
	graph = (gemp_shard){ .ranks = 1, .relation_count = 2, .relations = relations };
	gemp_log_set_level(GEMP_QUIET);
	return 0;
}

static const char *const texts[] = {
	"MATCH (zebra)-[:Serval]->(yak) RETURN zebra",
	"MATCH (zebra)-[quagga:Serval]-(yak)-[gnu]->(okapi), (zebra)-[]->(okapi), (yak)-[]->(yak) RETURN quagga, gnu",
	"MATCH (a)-[:Serval]-(b)-[:Serval]-(c)-[:Serval]-(d)-[:Serval]-(a) WHERE a <> c RETURN count(*)",
	"MATCH (zebra) RETURN zebra",
	"MATCH (a)-[:Serval]->(b)-[:Rhinoceros]->(c)-[]->(d), (d)-[]-(a), (c)-[]-(a), (b)-[]-(d) RETURN a",
};
enum { TEXTS = sizeof texts / sizeof *texts };

static size_t given_vertices; /* number of arguments of the next plans; all vertices of a pattern that has fewer */

static gemp_plan *plan_of(const char *text, gemp_semantics semantics, bool parallel, bool two_paths)
{
	gemp_pattern *pattern = NULL;
	gemp_symmetry *symmetry = NULL;
	gemp_plan *plan = NULL;
	gemp_plan_options options = { .semantics = semantics,
		                          .two_paths = two_paths,
		                          .break_symmetry = semantics == GEMP_ISO || semantics == GEMP_INDUCED };
	gemp_statistics statistics = { .vertices = 100 };
	for (int i = 0; i < GEMP_MAX_PATTERN_VERTICES; i++) {
		statistics.candidates[i] = 100;
		statistics.filtered[i] = i % 2;
	}
	for (int i = 0; i < GEMP_MAX_PATTERN_EDGES; i++) {
		statistics.edges[i] = 5000;
		statistics.paths_from[i] = statistics.paths_to[i] = 250000;
		statistics.parallel[i] = parallel;
	}
	assert_ok(gemp_pattern_parse(&pattern, text, NULL));
	assert_ok(gemp_pattern_bind(pattern, &graph));
	assert_ok(gemp_automorphism_find(&symmetry, pattern, true));
	pattern->arguments = given_vertices < pattern->vertex_count ? given_vertices : pattern->vertex_count;
	options.break_symmetry = options.break_symmetry && !given_vertices;
	options.tests.key_less[0] = pattern->vertex_count > 1 && given_vertices ? 2 : 0;
	assert_ok(gemp_plan_new(&plan, pattern, symmetry, &statistics, &options));
	gemp_symmetry_free(symmetry);
	gemp_pattern_free(pattern);
	return plan;
}

/* Sets words[i] if name[i] occurs between `from` and `to`. Returns 1 + the greatest such i. */
static size_t mentioned(const char *from, const char *to, const char *name, bool *words)
{
	size_t most = 0, length = strlen(name);
	memset(words, 0, MOST_WORDS * sizeof *words);
	for (const char *at = strstr(from, name); at && at < to; at = strstr(at + 1, name)) {
		char *end;
		bool whole = at[-1] == '\t' || at[-1] == ' ' || at[-1] == ')' || at[-1] == '(';
		unsigned long index = strtoul(at + length, &end, 10);
		if (!whole || end == at + length || *end != ']')
			continue;
		assert_true(index < MOST_WORDS);
		words[index] = true;
		most = index + 1 > most ? index + 1 : most;
	}
	return most;
}

static void all_mentioned(const char *from, const char *to, const char *name, size_t count)
{
	bool words[MOST_WORDS];
	assert_int_equal(mentioned(from, to, name, words), count);
	for (size_t i = 0; i < count; i++)
		assert_true(words[i]);
}

/* Every word of an item is read, and no word after the item. */
static void check_items(const char *text, const gemp_item_layout *layout)
{
	const char *tasks = strstr(strstr(text, "active = 1; level = base = "), "switch (p.stage)");
	for (size_t k = 1; k < layout->stage_count; k++) {
		char label[32], stride[64];
		snprintf(label, sizeof label, "\t\tcase %zu:\n", k);
		const char *begin = strstr(tasks, label), *end = strstr(begin, "break;");
		snprintf(stride, sizeof stride, "(p.first + t) * %u;", layout->item_words[k]);
		assert_true(strstr(begin, stride) < end);
		all_mentioned(begin, end, "item[", layout->item_words[k]);
	}
}

/* Every word of a state is read and written. Word 0 says whether there is a state. */
static void check_states(const char *text, const gemp_item_layout *layout)
{
	const char *read = strstr(text, "if (p.resume && s[0])"), *loop = strstr(read, "while (!stop)");
	const char *parked = strstr(loop, "GEMP_CONTROL_PARKED");
	all_mentioned(read, loop, "s[", layout->state_words);
	bool words[MOST_WORDS];
	assert_int_equal(mentioned(parked, text + strlen(text), "s[", words), layout->state_words);
	for (size_t i = 1; i < layout->state_words; i++)
		assert_true(words[i]);
}

static void check_kernel(const gemp_plan *plan, const gemp_emit_options *options)
{
	gemp_item_layout *layout = calloc(1, sizeof *layout);
	gemp_text text = { 0 }, again = { 0 };
	uint32_t live = (uint32_t)__builtin_popcountll(plan->live_edges);
	assert_ok(gemp_item_layout_new(layout, plan, options));
	assert_int_equal(layout->stage_count, gemp_plan_stages(plan, NULL, 0));
	assert_int_equal(layout->tuple_words, (uint32_t)plan->vertex_count + 2 * live);
	assert_int_equal(layout->item_words[0], plan->arguments ? plan->arguments : 1);
	gemp_emit(&text, "/* fixed */", plan, layout, options);
	gemp_emit(&again, "/* fixed */", plan, layout, options);
	assert_ok(gemp_text_status(&text));
	assert_string_equal(text.data, again.data);
	assert_non_null(strstr(text.data, "/* fixed */"));
	assert_non_null(strstr(text.data, options->wide ? "#define OFFSET ulong" : "#define OFFSET uint"));
	check_items(text.data, layout);
	check_states(text.data, layout);
	if (options->listed && !plan->two_paths) {
		const char *row = strstr(text.data, "uint *r = result"), *end = text.data + strlen(text.data);
		all_mentioned(row, end, "\tr[", (uint32_t)plan->vertex_count);
		all_mentioned(row, end, "edges_of[", live);
	}
	assert_int_equal(strstr(text.data, "result,") != NULL, options->listed);
	assert_int_equal(strstr(text.data, "*tables,") != NULL, plan->two_paths);
	assert_int_equal(strstr(text.data, "*own,") != NULL, !options->all_resident);
	assert_int_equal(strstr(text.data, "*id_of,") != NULL, !options->all_resident || options->listed);
	assert_int_equal(strstr(text.data, "*key_rank,") != NULL, plan->keys);
	assert_int_equal(strstr(text.data, "*passed,") != NULL, options->profile);
	static const char *const words[] = { "zebra", "yak", "okapi", "quagga", "gnu", "Serval", "Rhinoceros" };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		assert_null(strstr(text.data, words[i]));
	gemp_text_free(&text);
	gemp_text_free(&again);
	free(layout);
}

static void words_fit_the_layout(void **state)
{
	(void)state;
	for (size_t i = 0; i < TEXTS; i++)
		for (unsigned mask = 0; mask < 4 * 16; mask++) {
			gemp_emit_options options = { .lanes = 1,
				                          .all_resident = mask & 4,
				                          .listed = mask & 8,
				                          .wide = mask & 16,
				                          .profile = mask & 1,
				                          .first_only = mask & 32,
				                          .sliced = mask & 4 && !(mask & 32) && !given_vertices };
			gemp_plan *plan = plan_of(texts[i], (gemp_semantics)(mask & 3), mask & 32, false);
			check_kernel(plan, &options);
			gemp_plan_free(plan);
		}
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void words_of_given_vertices(void **state)
{
	for (given_vertices = 1; given_vertices < 5; given_vertices++)
		words_fit_the_layout(state);
	given_vertices = 0;
}

static void tables_of_two_paths(void **state)
{
	(void)state;
	static const gemp_semantics semantics[] = { GEMP_ISO, GEMP_HOM };
	gemp_emit_options options = { .lanes = 1, .all_resident = true };
	for (int i = 0; i < 2; i++) {
		gemp_plan *plan = plan_of("MATCH (a)-[:Serval]-(b)-[:Serval]-(c)-[:Serval]-(d)-[:Serval]-(a) RETURN count(*)",
		                          semantics[i], false, true);
		assert_true(plan->two_paths);
		check_kernel(plan, &options);
		gemp_plan_free(plan);
	}
}

static void too_many_stages(void **state)
{
	(void)state;
	gemp_plan *plan = calloc(1, sizeof *plan);
	gemp_item_layout *layout = calloc(1, sizeof *layout);
	plan->step_count = GEMP_MAX_STEPS;
	for (size_t s = 0; s < plan->step_count; s++) {
		plan->steps[s].kind = s ? GEMP_EXTEND : GEMP_SCAN;
		plan->steps[s].check_count = GEMP_MAX_CHECKS;
	}
	assert_code(gemp_item_layout_new(layout, plan, &(gemp_emit_options){ .lanes = 1 }), GEMP_EUSAGE);
	assert_message("6081 stages, more than 4096");
	free(plan);
	free(layout);
}

static void bits_of_checks(void **state)
{
	(void)state;
	gemp_step step = { .kind = GEMP_EXTEND };
	assert_true(gemp_check_bits(&step) == 0);
	step.check_count = 1;
	assert_true(gemp_check_bits(&step) == 1);
	step.check_count = 64;
	assert_true(gemp_check_bits(&step) == UINT64_MAX);
	step.kind = GEMP_BIND_EDGE;
	assert_true(gemp_check_bits(&step) == 0);
}

static gemp_code emit(void *argument)
{
	static gemp_item_layout layout;
	gemp_text text = { 0 };
	gemp_emit_options options = { .lanes = 1, .listed = true };
	gemp_code code = gemp_item_layout_new(&layout, argument, &options);
	gemp_emit(&text, "", argument, &layout, &options);
	if (code == GEMP_OK)
		code = gemp_text_status(&text);
	gemp_text_free(&text);
	return code;
}

static void without_memory(void **state)
{
	(void)state;
	gemp_plan *plan = plan_of(texts[1], GEMP_INDUCED, true, false);
	assert_survives_no_memory(emit, plan);
	gemp_plan_free(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(words_fit_the_layout, make_graph),
		cmocka_unit_test_setup(words_of_given_vertices, make_graph),
		cmocka_unit_test_setup(tables_of_two_paths, make_graph),
		cmocka_unit_test_setup(too_many_stages, make_graph),
		cmocka_unit_test_setup(bits_of_checks, make_graph),
		cmocka_unit_test_setup(without_memory, make_graph),
	};
	return test_main(tests);
}
