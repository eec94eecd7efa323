#include "command/quantity.h"
#include "command/report.h"

#include "core/random.h"
#include "io/graph_file.h"

/* What the two directions of a relation must agree on: the sum over its edges of a hash of (source, target, number). */
static uint64_t edge_hash(uint64_t source, uint64_t target, uint64_t edge)
{
	return gemp_mix(gemp_mix(gemp_mix(source) + target) + edge);
}

static gemp_code bad_row(const char *type, const char *direction, uint64_t id, const char *what)
{
	return gemp_fail(GEMP_EDATA, "edge type %s: the %s row of vertex %" GEMP_PRICOUNT " %s", type, direction, id, what);
}

/* One direction of a relation. begin is [rows + 1]. edge: number of an entry, NULL: counted from relation->first. */
static gemp_code check_rows(const gemp_graph *graph, const gemp_relation *relation, bool out, uint64_t *sum)
{
	const uint64_t *begin = out ? relation->out_begin : relation->in_begin;
	const gemp_vertex *other = out ? relation->out : relation->in;
	const char *direction = out ? "outgoing" : "incoming";
	for (size_t row = 0; row < graph->rows; row++) {
		uint64_t id = graph->first + row;
		if (begin[row] > begin[row + 1])
			return bad_row(relation->name, direction, id, "ends before it begins");
		for (uint64_t i = begin[row]; i < begin[row + 1]; i++) {
			if (other[i] >= graph->vertices)
				return bad_row(relation->name, direction, id, "names a vertex that does not exist");
			if (i > begin[row] && other[i] < other[i - 1])
				return bad_row(relation->name, direction, id, "is not sorted");
			*sum += out ? edge_hash(id, other[i], relation->first + i) :
			              edge_hash(other[i], id, relation->in_edge[i]);
		}
	}
	return GEMP_OK;
}

/* Collective. */
static gemp_code check_relation(const gemp_comm *comm, gemp_graph *graph, size_t index)
{
	gemp_relation *relation = &graph->relations[index];
	uint64_t sums[4] = { 0 };
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_graph_need_relation(graph, index, GEMP_PART_OUT | GEMP_PART_IN | GEMP_PART_PROPS));
	code = check_rows(graph, relation, true, &sums[0]);
	if (code == GEMP_OK)
		code = check_rows(graph, relation, false, &sums[1]);
	GEMP_TRY(gemp_comm_agree(comm, code));
	sums[2] = relation->out_begin[graph->rows];
	sums[3] = relation->in_begin[graph->rows];
	gemp_comm_sum(comm, sums, 4);
	if (sums[2] != relation->edges || sums[3] != relation->edges)
		code = gemp_fail(GEMP_EDATA, "edge type %s: %" GEMP_PRICOUNT " edges in the head of the file, %" GEMP_PRICOUNT
		                 " by source, %" GEMP_PRICOUNT " by target", relation->name, relation->edges, sums[2], sums[3]);
	else if (sums[0] != sums[1])
		code = gemp_fail(GEMP_EDATA, "edge type %s: the rows by source and by target hold different edges",
		                 relation->name);
done:
	return code;
}

/* Collective. */
static gemp_code check_vertices(const gemp_comm *comm, gemp_graph *graph)
{
	gemp_code code = GEMP_OK;
	uint64_t ranks_sum = 0, n = graph->vertices;
	GEMP_TRY(gemp_graph_need_keys(graph));
	GEMP_TRY(gemp_graph_need_labels(graph));
	for (size_t row = 0; row < graph->rows && code == GEMP_OK; row++) {
		ranks_sum += gemp_mix(graph->key_rank[row]) - gemp_mix(graph->first + row);
		if (graph->key_rank[row] >= n || graph->label_set[row] >= graph->label_set_count)
			code = gemp_fail(GEMP_EDATA, "vertex %" GEMP_PRICOUNT ": order of its key or label set out of range",
			                 graph->first + row);
	}
	GEMP_TRY(gemp_comm_agree(comm, code));
	if (gemp_comm_sum1(comm, ranks_sum) != 0)
		GEMP_TRY(gemp_fail(GEMP_EDATA, "the orders of keys are not 0 to n - 1, each once"));
	for (size_t i = 0; i < graph->attributes.count; i++)
		GEMP_TRY(gemp_graph_need_attribute(graph, i));
done:
	return code;
}

static gemp_code verify(gemp_comm *comm, const gemp_options *options)
{
	gemp_report report;
	gemp_graph *graph = NULL;
	const char *path = options->arguments[0];
	gemp_code code = gemp_report_new(&report, comm, options, false);
	if (code != GEMP_OK)
		return code;
	GEMP_TRY(gemp_graph_file_open(&graph, comm, path));
	code = check_vertices(comm, graph);
	for (size_t i = 0; i < graph->relation_count && code == GEMP_OK; i++)
		code = check_relation(comm, graph, i);
	if (code != GEMP_OK) {
		gemp_fail_in(code, "%s: ", path);
		goto done;
	}
	gemp_report_graph(&report, graph);
	gemp_report_set(&report, "good", json_true());
	gemp_report_print(&report, "%s: good (%s vertices, %s edges)\n", path, gemp_grouped(graph->vertices).text,
	                  gemp_grouped(gemp_graph_edges(graph)).text);
done:
	gemp_graph_free(graph);
	return gemp_report_finish(&report, code);
}

const gemp_command gemp_command_verify = {
	.name = "verify",
	.bit = GEMP_ON_VERIFY,
	.arguments = "G.h5",
	.summary = "Checks a graph file",
	.text = "Reads all of it, compares the checksums, and checks that rows are sorted, that ids exist and that the rows by "
		"source and by target hold the same edges. Exit code 65 where something is wrong.\n",
	.examples = "gemp-mpi verify movies.h5\n",
	.least = 1,
	.most = 1,
	.run = verify,
};
