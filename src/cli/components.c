#include "topology/components.h"
#include "cli/graph_job.h"
#include "cli/graph_output.h"
#include "cli/report/report_run.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "io/rows/row_writer.h"

#include <inttypes.h>
#include <string.h>

typedef struct finding {
	gemp_graph_job job;
	gemp_report *report;
	gemp_csr *csr;    /* [count] of the chosen relations */
	size_t *relation; /* [count] which they are */
	size_t count;
	gemp_components found;
} finding;

/* Collective. */
static gemp_code find(finding *f)
{
	gemp_code code = GEMP_OK;
	gemp_graph_job *job = &f->job;
	gemp_shard *graph = job->graph;
	const gemp_components_options how = { .place = (gemp_placement)job->options->on,
		                                  .tree = job->options->tree != NULL };
	double since = gemp_now();
	code = GEMP_NEW(f->csr, graph->relation_count);
	if (code == GEMP_OK)
		code = GEMP_NEW(f->relation, graph->relation_count);
	GEMP_TRY(gemp_comm_agree(job->comm, code));
	for (size_t r = 0; r < graph->relation_count; r++) {
		if (!job->relations[r])
			continue;
		GEMP_TRY(gemp_shard_load_relation(graph, r, GEMP_LOAD_OUT));
		f->relation[f->count] = r;
		f->csr[f->count++] = gemp_csr_out(graph, r);
	}
	since = gemp_timers_add(&job->timers, GEMP_PHASE_READ, since);
	GEMP_TRY(gemp_components_find(&f->found, job->comm, job->device, graph->bounds, f->csr, f->count, &how));
	gemp_timers_add(&job->timers, f->found.on_device ? GEMP_PHASE_KERNEL : GEMP_PHASE_RESOLVE, since);
done:
	return code;
}

/* ROWS */

/* Collective. A component is named by the key of one of its vertices, which another rank may own. */
static gemp_code fill(void *self, gemp_projected *columns, size_t first, size_t count)
{
	const finding *f = self;
	const gemp_graph_job *job = &f->job;
	gemp_code code = gemp_row_fill_slice(&columns[0], &job->graph->keys, first, count);
	GEMP_TRY(gemp_comm_agree(job->comm, code));
	code = gemp_row_fill_keys(&columns[1], job->comm, job->graph, f->found.component + first, count);
done:
	return code;
}

/* Collective. */
static gemp_code write_rows(finding *f)
{
	const gemp_shard *graph = f->job.graph;
	const gemp_row_column columns[] = { { "key", graph->keys.type }, { "component", graph->keys.type } };
	gemp_row_turns turns = { .comm = f->job.comm,
		                     .columns = columns,
		                     .count = 2,
		                     .fill = fill,
		                     .self = f,
		                     .path = f->job.options->output,
		                     .info = gemp_row_info("components", graph) };
	return gemp_row_turns_write(&turns, graph->rows);
}

/* Local. The edges of the forest that are of one type, with their ends. */
static gemp_code pick_tree(const finding *f, size_t type, uint64_t before, uint64_t **numbers, gemp_edge_pair **pairs,
                           size_t *count)
{
	gemp_code code = GEMP_OK;
	const gemp_csr *csr = &f->csr[type];
	uint64_t end = before + gemp_csr_edges(csr);
	const gemp_components *found = &f->found;
	*count = 0;
	for (size_t i = 0; i < found->tree_count; i++)
		*count += found->tree[i] >= before && found->tree[i] < end;
	GEMP_TRY(GEMP_NEW(*numbers, *count));
	GEMP_TRY(GEMP_NEW(*pairs, *count));
	for (size_t i = 0, to = 0; i < found->tree_count; i++) {
		if (found->tree[i] < before || found->tree[i] >= end)
			continue;
		uint64_t edge = found->tree[i] - before;
		(*numbers)[to] = edge;
		(*pairs)[to++] = (gemp_edge_pair){ csr->first + (gemp_vertex)gemp_csr_row(csr, edge), csr->target[edge] };
	}
done:
	return code;
}

/* Collective. */
static gemp_code write_tree(finding *f)
{
	gemp_code code = GEMP_OK;
	const gemp_graph_job *job = &f->job;
	gemp_edge_rows *rows = NULL;
	uint64_t before = 0;
	GEMP_TRY(gemp_edge_rows_open(&rows, job->comm, job->graph, job->options->tree, "spanning forest"));
	for (size_t type = 0; type < f->count; type++) {
		uint64_t *numbers = NULL;
		gemp_edge_pair *pairs = NULL;
		size_t count = 0;
		code = gemp_comm_agree(job->comm, pick_tree(f, type, before, &numbers, &pairs, &count));
		if (code == GEMP_OK)
			code = gemp_edge_rows_add(rows, f->relation[type], numbers, pairs, count);
		gemp_free(numbers);
		gemp_free(pairs);
		GEMP_TRY(code);
		before += gemp_csr_edges(&f->csr[type]);
	}
	code = gemp_edge_rows_close(rows);
	rows = NULL;
done:
	gemp_edge_rows_abandon(rows);
	return code;
}

static gemp_code write(finding *f)
{
	gemp_code code = GEMP_OK;
	double since = gemp_now();
	GEMP_TRY(gemp_shard_load_keys(f->job.graph));
	if (f->job.options->output)
		GEMP_TRY(write_rows(f));
	if (f->job.options->tree)
		GEMP_TRY(write_tree(f));
	gemp_timers_add(&f->job.timers, GEMP_PHASE_WRITE, since);
done:
	return code;
}

/* REPORT */

static void print_sizes(const finding *f)
{
	const gemp_components *found = &f->found;
	json_t *list = json_array();
	gemp_report_detail(f->report, "\n  %-27s %13s\n", "vertices", "components");
	for (unsigned k = 1; k < GEMP_COMPONENT_CLASSES; k++) {
		uint64_t from = (uint64_t)1 << (k - 1), to = 2 * from - 1;
		char range[100];
		if (!found->classes[k])
			continue;
		snprintf(range, sizeof range, from == to ? "%s" : "%s to %s", gemp_grouped(from).text, gemp_grouped(to).text);
		gemp_report_detail(f->report, "  %-27s %13s\n", range, gemp_grouped(found->classes[k]).text);
		json_array_append_new(list, json_pack("{s:o, s:o, s:o}", "from", gemp_json_count(from), "to",
		                                      gemp_json_count(to), "components", gemp_json_count(found->classes[k])));
	}
	gemp_report_detail(f->report, "\n");
	gemp_report_set(f->report, "sizes", list);
}

static void report_counts(const finding *f)
{
	const gemp_components *found = &f->found;
	gemp_report *report = f->report;
	gemp_count vertices = f->job.graph->vertex_count;
	gemp_report_print(report, "%s, %s of them %s; the largest has %s of %s\n",
	                  gemp_counted(found->count, "component").text, gemp_grouped(found->isolated).text,
	                  found->isolated == 1 ? "a single vertex" : "single vertices", gemp_grouped(found->largest).text,
	                  gemp_counted(vertices, "vertex").text);
	gemp_report_set(report, "components", gemp_json_count(found->count));
	gemp_report_set(report, "single_vertices", gemp_json_count(found->isolated));
	gemp_report_set(report, "with_edges", gemp_json_count(found->with_edges));
	gemp_report_set(report, "largest", gemp_json_count(found->largest));
	if (f->job.options->tree)
		gemp_report_set(report, "tree_edges", gemp_json_count(vertices - found->count));
	print_sizes(f);
}

/* Collective. */
static gemp_code report_result(finding *f)
{
	gemp_code code = GEMP_OK;
	const gemp_components *found = &f->found;
	const gemp_comm *comm = f->job.comm;
	uint64_t rows = found->rows, edges = gemp_csr_all_edges(f->csr, f->count);
	report_counts(f);
	GEMP_TRY(gemp_graph_job_rate(&f->job, found->on_device, found->seconds, found->transfers,
	                             4 * edges + f->count * (found->on_device ? 4 : 8) * (rows + 1) + 4 * rows));
	gemp_graph_job_exchange(&f->job, &found->traffic, gemp_comm_sum1(comm, edges));
	if (comm->size > 1) {
		gemp_report_detail(f->report, "  %-10s %u of contraction\n", "rounds", found->rounds);
		gemp_report_set(f->report, "contraction_rounds", json_integer(found->rounds));
	}
	GEMP_TRY(gemp_graph_job_report(&f->job));
done:
	return code;
}

static gemp_code components(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	gemp_comm *comm = &context->comm;
	finding f = { .report = report };
	gemp_code code = gemp_rows_path_check(comm, "output", options->output);
	if (code == GEMP_OK)
		code = gemp_rows_path_check(comm, "tree", options->tree);
	if (code != GEMP_OK)
		return code;
	GEMP_TRY(gemp_graph_job_open(&f.job, context, options, report));
	GEMP_TRY(find(&f));
	if (options->output || options->tree)
		GEMP_TRY(write(&f));
	GEMP_TRY(report_result(&f));
done:
	gemp_components_free(&f.found);
	gemp_free(f.csr);
	gemp_free(f.relation);
	gemp_graph_job_free(&f.job);
	return code;
}

const gemp_command gemp_command_components = {
	.name = "components",
	.bit = GEMP_ON_COMPONENTS,
	.arguments = "G.h5 [--relation TYPE] [-o FILE] [--tree FILE]",
	.summary = "Finds which vertices hang together, and a spanning forest",
	.text = "Edges join their ends whatever their direction (weak connectivity). Rows of FILE are key and "
			"component, which is the key of one of its vertices, the same for every number of ranks. --tree "
			"writes edges that keep every component together and close no circle: one less for each component "
			"than it has vertices. One rank takes its device or its threads, several ranks take the threads of "
			"all; none of them ever has all vertices.\n",
	.examples = "gemp-mpi components social.h5 -o parts.tsv\n"
				"mpirun -n 8 gemp-mpi components roads.h5 --tree forest.tsv\n",
	.min_arguments = 1,
	.max_arguments = 1,
	.run = components,
};
