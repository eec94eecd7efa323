/* import_mutants: imports mutated files. An import gives a graph or one message, and frees all memory. */
#ifndef GEMP_TESTS_IMPORT_MUTANTS_H
#define GEMP_TESTS_IMPORT_MUTANTS_H

#include "core/memory.h"
#include "mutate.h"

#include "comm/comm.h"
#include "core/status.h"
#include "graph/graph.h"
#include "io/import/import.h"

static const gemp_comm alone = { .world = MPI_COMM_SELF, .size = 1, .node = MPI_COMM_SELF, .node_size = 1 };

/* Returns true if the import succeeded. The message of a failed import must name a file of the test's folder. A usage
 * error must contain `usage` instead; if `usage` is NULL, usage errors are not allowed. */
static bool imported(const gemp_import_options *options, const char *usage)
{
	gemp_shard *graph = NULL;
	gemp_fail(GEMP_OK, "%s", "");
	gemp_code code = gemp_import(&graph, &alone, options);
	bool of_usage = usage && code == GEMP_EUSAGE && strstr(gemp_message(), usage);
	if (code != GEMP_OK && !of_usage && (code != GEMP_EDATA || !strstr(gemp_message(), test_folder())))
		fail_msg("code %d: %s", (int)code, gemp_message());
	gemp_shard_free(graph);
	assert_int_equal(gemp_memory_blocks(), 0);
	return code == GEMP_OK;
}

/* Runs rounds. one_round() imports a mutant and returns true if the import succeeded. */
static void fuzz_imports(int rounds, bool (*one_round)(const void *self), const void *self)
{
	int good = 0;
	seed = test_seed();
	for (int i = 0; i < rounds; i++)
		good += one_round(self);
	fuzz_was_mixed(good, rounds);
}

#endif
