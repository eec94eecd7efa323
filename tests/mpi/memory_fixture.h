/* Shared by tests that let requests for memory fail: a context, and a small graph with keys, labels and attributes. */
#ifndef GEMP_TESTS_MEMORY_FIXTURE_H
#define GEMP_TESTS_MEMORY_FIXTURE_H

#include "core/log.h"
#include "core/memory.h"
#include "graph_fixture.h"

#include "core/status.h"
#include "harness/runtime.h"

static gemp_runtime *context;

static inline int open_context(void **state)
{
	(void)state;
	gemp_budgets none = { 0 };
	gemp_log_set_level(GEMP_QUIET);
	return runtime_with_devices(&context, &test_comm, NULL, &none) == GEMP_OK ? 0 : -1;
}

static inline int close_context(void **state)
{
	(void)state;
	gemp_runtime_free(context);
	return gemp_memory_blocks() == 0 ? 0 : -1;
}

/* Collective. Builds the graph. */
static inline gemp_shard *build_graph(void)
{
	gemp_shard *graph = NULL;
	fixture made = fixture_new(24, 60, KEYS_INTEGER, 5);
	gemp_builder_options options = { .seed = 1 };
	assert_all_ok(fixture_build(&graph, &made, &test_comm, &options, 1));
	fixture_free(&made);
	return graph;
}

#endif
