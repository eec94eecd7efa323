#include "api/graph_report.h"
#include "cli/graph_job.h"
#include "cli/graph_output.h"
#include "cli/report/report_run.h"
#include "core/memory.h"
#include "graph/column_bulk.h"
#include "io/rows/row_writer.h"

#include <string.h>

enum { KEY, OUT, IN, COLUMNS };

typedef struct counting {
	gemp_graph_job chosen;
	gemp_csr *csr; /* [count] of the chosen relations that are directed */
	size_t count;
	gemp_vertex_degrees found;
} counting;

/* Collective. */
static gemp_code count_edges(counting *c)
{
	gemp_code code = GEMP_OK;
	gemp_graph_job *chosen = &c->chosen;
	gemp_shard *graph = chosen->graph;
	double since = gemp_now();
	GEMP_TRY(gemp_comm_agree(chosen->comm, GEMP_NEW(c->csr, graph->relation_count)));
	for (size_t r = 0; r < graph->relation_count; r++) {
		if (!chosen->relations[r] || !graph->relations[r].directed)
			continue;
		GEMP_TRY(gemp_shard_load_relation(graph, r, GEMP_LOAD_OUT));
		c->csr[c->count++] = gemp_csr_out(graph, r);
	}
	if (graph->relation_count && !c->count)
		return gemp_fail(GEMP_EUSAGE,
		                 "%s has no edges with a direction of these types; `gemp-mpi info` shows "
		                 "degrees without",
		                 chosen->options->arguments[0]);
	since = gemp_timers_add(&chosen->timers, GEMP_PHASE_READ, since);
	GEMP_TRY(gemp_vertex_degrees_new(&c->found, chosen->comm, chosen->device, (gemp_placement)chosen->options->on,
	                                 graph->bounds, c->csr, c->count));
	gemp_timers_add(&chosen->timers, c->found.on_device ? GEMP_PHASE_KERNEL : GEMP_PHASE_RESOLVE, since);
done:
	return code;
}

static gemp_code make_columns(gemp_projected columns[COLUMNS], const counting *c)
{
	static char *const names[COLUMNS] = { "key", "out", "in" };
	gemp_code code = GEMP_OK;
	const gemp_vertex_degrees *found = &c->found;
	const uint64_t *const degrees[COLUMNS] = { [OUT] = found->out, [IN] = found->in };
	uint64_t *picked = NULL;
	GEMP_TRY(GEMP_NEW(picked, found->rows));
	for (size_t row = 0; row < found->rows; row++)
		picked[row] = row;
	columns[KEY].name = names[KEY];
	GEMP_TRY(gemp_column_gather(&columns[KEY].value, &c->chosen.graph->keys, NULL, picked, found->rows));
	for (int column = OUT; column < COLUMNS; column++) {
		columns[column].name = names[column];
		GEMP_TRY(gemp_column_init(&columns[column].value, names[column], GEMP_INTEGER));
		GEMP_TRY(gemp_column_reserve(&columns[column].value, found->rows, 0));
		for (size_t row = 0; row < found->rows; row++) {
			const gemp_value value = { .type = GEMP_INTEGER, .integer = (int64_t)degrees[column][row] };
			GEMP_TRY(gemp_column_add(&columns[column].value, &value));
		}
	}
done:
	gemp_free(picked);
	return code;
}

/* Collective. */
static gemp_code write_rows(counting *c)
{
	gemp_code code = GEMP_OK;
	gemp_graph_job *chosen = &c->chosen;
	gemp_projected columns[COLUMNS] = { 0 };
	gemp_row_writer *writer = NULL;
	const gemp_rows_options how = {
		.path = chosen->options->output, .limit = UINT64_MAX, .semantics = "degrees", .distinct = "none"
	};
	const gemp_result_info info = { .pattern = "degrees",
		                            .semantics = "degrees",
		                            .distinct = "none",
		                            .graph_hash = chosen->graph->hash,
		                            .complete = true };
	double since = gemp_now();
	GEMP_TRY(gemp_shard_load_keys(chosen->graph));
	GEMP_TRY(gemp_comm_agree(chosen->comm, make_columns(columns, c)));
	GEMP_TRY(gemp_row_writer_open(&writer, chosen->comm, columns, COLUMNS, &how));
	GEMP_TRY(gemp_row_writer_write(writer, columns, COLUMNS, c->found.rows));
	code = gemp_row_writer_close(writer, &info);
	writer = NULL;
	gemp_timers_add(&chosen->timers, GEMP_PHASE_WRITE, since);
done:
	gemp_row_writer_abandon(writer);
	for (int column = 0; column < COLUMNS; column++)
		gemp_column_free(&columns[column].value);
	return code;
}

/* Collective. */
static gemp_code report_result(counting *c, gemp_report *report)
{
	gemp_code code = GEMP_OK;
	gemp_degree_histogram degrees = { 0 };
	const gemp_vertex_degrees *found = &c->found;
	gemp_degrees_directed(&degrees, c->chosen.comm, found);
	gemp_report_set(report, "directed", gemp_degrees_report(report, &degrees));
	gemp_report_detail(report, "\n");
	GEMP_TRY(gemp_graph_job_rate(&c->chosen, found->on_device, found->seconds, found->transfers,
	                             4 * gemp_csr_all_edges(c->csr, c->count) +
	                                 (found->on_device ? 4 : 8) * (uint64_t)found->rows));
	gemp_graph_job_exchange(&c->chosen, &found->traffic,
	                        gemp_comm_sum1(c->chosen.comm, gemp_csr_all_edges(c->csr, c->count)));
	GEMP_TRY(gemp_graph_job_report(&c->chosen));
done:
	return code;
}

static gemp_code degrees(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	gemp_comm *comm = &context->comm;
	counting c = { 0 };
	gemp_code code = gemp_rows_path_check(comm, "output", options->output);
	if (code != GEMP_OK)
		return code;
	GEMP_TRY(gemp_graph_job_open(&c.chosen, comm, options, report));
	GEMP_TRY(count_edges(&c));
	if (options->output)
		GEMP_TRY(write_rows(&c));
	GEMP_TRY(report_result(&c, report));
done:
	gemp_vertex_degrees_free(&c.found);
	gemp_free(c.csr);
	gemp_graph_job_free(&c.chosen);
	return code;
}

const gemp_command gemp_command_degrees = {
	.name = "degrees",
	.bit = GEMP_ON_DEGREES,
	.arguments = "G.h5 [--relation TYPE] [-o FILE]",
	.summary = "Counts the edges that leave and reach each vertex",
	.text = "Of edges with a direction: vertices by out- and in-degree, sources, sinks, isolated ones, and how "
			"many have as many edges in as out, which all must have for an Euler circuit. Rows of FILE are key, "
			"out and in; a loop counts both ways.\n",
	.examples = "gemp-mpi degrees citations.h5 -o degrees.tsv\n"
				"mpirun -n 8 gemp-mpi degrees city.h5 --relation ONE_WAY\n",
	.min_arguments = 1,
	.max_arguments = 1,
	.run = degrees,
};
