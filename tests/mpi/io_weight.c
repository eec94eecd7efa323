/* Tests an attribute that is written as the values of matrices: the entries by source and by target must be the values
 * of the edges, on any number of ranks. */
#include "import_case.h"

#include "core/random.h"
#include "core/status.h"
#include "graph/graph.h"
#include "io/graph_file/graph_file_read.h"
#include "io/graph_file/graph_file_tables.h"
#include "io/graph_file/graph_file_verify.h"
#include "io/graph_file/graph_file_write.h"
#include "io/hdf5/hdf5_dataset.h"
#include "io/hdf5/hdf5_file.h"

enum { VERTICES = 40, EDGES = 300 };

typedef struct weighted {
	gemp_shard *graph;
	const char *path, *weight;
} weighted;

/* Imports random edges of two types with an integer, a float, a string, and an integer that some edges lack. */
static gemp_shard *import_random_edges(void)
{
	static char text[EDGES * 64];
	file_case file;
	gemp_shard *graph = NULL;
	uint64_t seed = test_seed_all();
	int at = snprintf(text, sizeof text, "src\tdst\ttype\tw\tf\tsome\tword\n");
	for (int i = 0; i < EDGES; i++) {
		unsigned draw[3];
		for (int k = 0; k < 3; k++)
			draw[k] = (unsigned)gemp_random_below(&seed, VERTICES);
		at += snprintf(text + at, sizeof text - (size_t)at, "%u\t%u\t%s\t%d\t%d.5\t%s\tx\n", draw[0], draw[1],
		               i % 3 ? "T" : "U", i, i, draw[2] % 2 ? "1" : "");
	}
	assert_all_ok(gemp_import(&graph, &test_comm, one_file(&file, "tsv", "w.tsv", text)));
	return graph;
}

static gemp_code write_weighted(void *argument)
{
	const weighted *self = argument;
	return gemp_graph_file_write_weighted(&test_comm, self->graph, self->path, NULL, self->weight, false, false);
}

/* Each entry by source, and each entry by target through its edge number, must be the value of the edge. */
static void expect_values(const char *path, const char *relation, const char *weight)
{
	gemp_h5 h5 = { 0 };
	char name[100];
	gemp_h5_type type, edge_type;
	uint64_t count = 0, of_edges = 0;
	uint64_t *by_source = NULL, *by_target = NULL, *props = NULL, *edge = NULL;
	bool same = true;
	assert_all_ok(gemp_h5_open(&h5, &test_comm, path, false));
	snprintf(name, sizeof name, "/edges/%s/csr/data", relation);
	assert_all_ok(gemp_h5_info(&h5, name, &type, &count));
	assert_all(GEMP_NEW(by_source, count) == GEMP_OK && GEMP_NEW(by_target, count) == GEMP_OK &&
	           GEMP_NEW(props, count) == GEMP_OK && GEMP_NEW(edge, count) == GEMP_OK);
	assert_all_ok(gemp_h5_read(&h5, GEMP_OK, name, type, 0, count, 0, by_source));
	snprintf(name, sizeof name, "/edges/%s/csc/values", relation);
	assert_all_ok(gemp_h5_read(&h5, GEMP_OK, name, type, 0, count, 0, by_target));
	snprintf(name, sizeof name, "/edges/%s/props/%s", relation, weight);
	assert_all_ok(gemp_h5_read(&h5, GEMP_OK, name, type, 0, count, 0, props));
	snprintf(name, sizeof name, "/edges/%s/csc/edge", relation);
	assert_all_ok(gemp_h5_info(&h5, name, &edge_type, &of_edges));
	assert_all_ok(gemp_h5_read(&h5, GEMP_OK, name, edge_type, 0, count, 0, edge));
	for (uint64_t i = count; i-- > 0 && edge_type.kind == GEMP_H5_U32;)
		edge[i] = ((const uint32_t *)edge)[i];
	for (uint64_t i = 0; i < count && of_edges == count; i++)
		same = same && by_source[i] == props[i] && by_target[i] == props[edge[i]];
	assert_all(same && of_edges == count && count > 0);
	assert_all_ok(gemp_h5_close(&h5));
	gemp_free(by_source);
	gemp_free(by_target);
	gemp_free(props);
	gemp_free(edge);
}

static void entries_are_values_of_edges(void **state)
{
	(void)state;
	weighted self = { .graph = import_random_edges(), .path = test_path_all("g.h5") };
	for (int real = 0; real < 2; real++) {
		self.weight = real ? "f" : "w";
		assert_all_ok(write_weighted(&self));
		assert_all_ok(gemp_graph_file_verify(&test_comm, self.path, false));
		expect_values(self.path, "T", self.weight);
		expect_values(self.path, "U", self.weight);
	}
	gemp_shard_free(self.graph);
	assert_all(gemp_memory_blocks() == 0);
}

static void unsuitable_attributes_are_rejected(void **state)
{
	(void)state;
	weighted self = { .graph = import_random_edges(), .path = test_path_all("refused.h5") };
	static const struct {
		const char *weight, *part;
		gemp_code code;
	} bad[] = {
		{ "nope", "'nope'", GEMP_EUSAGE },
		{ "word", "string", GEMP_EUSAGE },
		{ "some", "have no 'some'", GEMP_EDATA },
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		self.weight = bad[i].weight;
		assert_all_code(write_weighted(&self), bad[i].code);
		assert_all(strstr(gemp_message(), bad[i].part) != NULL);
	}
	FILE *file = fopen(self.path, "rb");
	assert_all(file == NULL);
	gemp_shard_free(self.graph);
}

static gemp_code weights_by_target(void *argument)
{
	const weighted *self = argument;
	const gemp_relation *relation = &self->graph->relations[0];
	uint64_t *words = NULL;
	gemp_code code = gemp_file_weights_by_target(&test_comm, self->graph, relation,
	                                             gemp_file_weight_of(relation, self->weight), &words);
	gemp_free(words);
	return code;
}

/* Imports the graph within the step, because the harness requires that no block is left after it. */
static gemp_code all_steps(void *options)
{
	weighted self = { .weight = "w" };
	gemp_code code = gemp_import(&self.graph, &test_comm, options);
	if (code == GEMP_OK)
		code = weights_by_target(&self);
	gemp_shard_free(self.graph);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	file_case file;
	if (test_comm.size <= 3) /* more ranks take long and test nothing new */
		assert_all_survive_no_memory(all_steps, one_file(&file, "tsv", "m.tsv", "src\tdst\tw\n1\t2\t3\n2\t1\t4\n"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_are_values_of_edges),
		cmocka_unit_test(unsuitable_attributes_are_rejected),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
