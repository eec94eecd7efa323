#include "api/euler_search.h"
#include "assembly/overlap.h"
#include "cli/euler/euler_sequence.h"
#include "cli/graph_job.h"
#include "cli/graph_output.h"
#include "cli/report/report_run.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "core/text.h"
#include "euler/circuit_drawing.h"
#include "euler/order_rows.h"
#include "euler/verify.h"
#include "io/file/output.h"
#include "io/graph_file/graph_file_read.h"
#include "io/rows/row_writer.h"
#include "io/rows/vertex_keys.h"

#include <inttypes.h>
#include <string.h>

enum { PREVIEW = 20 };

/* What one run of the command has at hand. */
typedef struct run {
	gemp_graph_job job; /* the search opens the runtime when it knows how many edges there are */
	gemp_euler_search search;
	double verified; /* seconds; 0: not asked for */
} run;

/* WHAT IS ASKED FOR */

static gemp_code check(const gemp_comm *comm, const gemp_options *options)
{
	gemp_code code = GEMP_OK;
	const char *path = options->output;
	GEMP_TRY(gemp_euler_sequence_check(options));
	if (!options->sequence)
		GEMP_TRY(gemp_rows_path_check(comm, "output", path));
	else if (path && strcmp(path, "-") != 0 && comm->rank == 0)
		code = gemp_file_may_write("--output", path);
	if (code == GEMP_OK && options->dot && comm->rank == 0)
		code = gemp_file_may_write("--dot", options->dot);
	code = gemp_comm_agree(comm, code);
done:
	return code;
}

static gemp_code read_graph(run *r)
{
	gemp_code code = GEMP_OK;
	const gemp_options *options = r->job.options;
	double since = gemp_now();
	if (options->argument_count > 0) {
		GEMP_TRY(gemp_graph_job_read(&r->job, options->arguments[0]));
		since = gemp_now();
	} else {
		GEMP_TRY(gemp_euler_sequence_graph(&r->job.graph, r->job.comm, options));
		GEMP_TRY(gemp_graph_job_relations(&r->job, "G.h5"));
	}
	if (options->sequence)
		GEMP_TRY(gemp_comm_agree(r->job.comm, gemp_overlap_check(r->job.graph, options->alphabet)));
	for (size_t i = 0; i < r->job.graph->relation_count; i++)
		if (r->job.relations[i])
			GEMP_TRY(gemp_shard_load_relation(r->job.graph, i, GEMP_LOAD_OUT));
	since = gemp_timers_add(&r->job.timers, GEMP_PHASE_READ, since);
	GEMP_TRY(gemp_comm_agree(r->job.comm, gemp_euler_edges_new(&r->search.edges, r->job.graph, r->job.relations)));
	if (r->job.options->dot)
		GEMP_TRY(gemp_euler_drawing_check(r->job.graph, &r->search.edges, r->job.options->dot));
	gemp_timers_add(&r->job.timers, GEMP_PHASE_CONVERT, since);
done:
	return code;
}

/* For a file, or for people; the same on all ranks. */
static bool rows_wanted(const gemp_options *options)
{
	return options->output || !gemp_json_on_stdout(options);
}

static gemp_code find(run *r)
{
	r->search.path = r->job.options->path;
	r->search.place = (gemp_placement)r->job.options->on;
	r->search.timers = &r->job.timers;
	r->search.options.sources = r->job.options->sequence || rows_wanted(r->job.options);
	r->search.options.keep_circuits = r->job.options->dot != NULL;
	return gemp_euler_search_run(&r->search, r->job.report->context, r->job.graph);
}

/* ANSWERS */

/* Collective. Of all ranks the longest. */
static void report_stages(run *r)
{
	gemp_report *report = r->job.report;
	const gemp_euler_result *result = &r->search.result;
	bool device = strcmp(result->engine, "device") == 0;
	json_t *stages = json_object();
	double longest[GEMP_EULER_STAGES + 1], sum = 0;
	memcpy(longest, result->seconds, sizeof result->seconds);
	longest[GEMP_EULER_STAGES] = result->total;
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, longest, GEMP_EULER_STAGES + 1, MPI_DOUBLE, MPI_MAX, r->job.comm->world));
	gemp_report_detail(report, "\n  stage              ms%s\n", device ? "       GB/s   (what it must move)" : "");
	for (size_t s = 0; s < GEMP_EULER_STAGES; s++) {
		double bytes = gemp_euler_stage_bytes((gemp_euler_stage)s, r->search.edges.vertices, r->search.edges.edges,
		                                      result->splitters);
		sum += longest[s];
		json_object_set_new(stages, gemp_euler_stage_name[s], json_real(longest[s]));
		gemp_report_detail(report, "  %-10s %10.3f", gemp_euler_stage_name[s], 1e3 * longest[s]);
		if (device && longest[s] > 0)
			gemp_report_detail(report, " %10.1f", 1e-9 * bytes / longest[s]);
		gemp_report_detail(report, "\n");
	}
	gemp_report_detail(report, "  %-10s %10.3f\n", "stages", 1e3 * sum);
	if (device)
		gemp_report_detail(report, "  %-10s %10.3f\n  %-10s %10.3f\n", "upload", 1e3 * result->upload, "download",
		                   1e3 * result->download);
	gemp_report_detail(report, "  %-10s %10.3f\n\n", "total", 1e3 * longest[GEMP_EULER_STAGES]);
	json_object_set_new(stages, "sum", json_real(sum));
	json_object_set_new(stages, "upload", json_real(result->upload));
	json_object_set_new(stages, "download", json_real(result->download));
	json_object_set_new(stages, "total", json_real(longest[GEMP_EULER_STAGES]));
	gemp_report_set(report, "stages", stages);
}

static void report_exchange(run *r)
{
	uint64_t sums[3] = { r->search.result.traffic.bytes, r->search.result.traffic.messages, 0 };
	uint64_t rounds = r->search.result.traffic.rounds;
	gemp_comm_sum(r->job.comm, sums, 2);
	gemp_comm_max(r->job.comm, &rounds, 1);
	const gemp_traffic all = { .bytes = sums[0], .messages = sums[1], .rounds = rounds };
	double each = r->search.edges.edges ? (double)all.bytes / (double)r->search.edges.edges : 0;
	gemp_report_exchange(r->job.report, &all, -1, NULL);
	gemp_report_set(r->job.report, "bytes_per_edge", json_real(each));
	if (r->job.comm->size > 1)
		gemp_report_detail(r->job.report, "  %-10s %.2f bytes an edge\n", "", each);
}

static void report_result(run *r)
{
	gemp_report *report = r->job.report;
	const gemp_euler_result *result = &r->search.result;
	bool path = r->search.edges.path_start != GEMP_NO_VERTEX;
	gemp_report_print(report, "An Euler %s of %s; %s joined at %s\n", path ? "path" : "circuit",
	                  gemp_counted(result->order.edges, "edge").text, gemp_counted(result->circuits, "circuit").text,
	                  gemp_counted(result->joins, "place").text);
	gemp_report_set(report, "found", json_true());
	gemp_report_set(report, "kind", json_string(path ? "path" : "circuit"));
	gemp_report_set(report, "edges", gemp_json_count(result->order.edges));
}

static json_t *unbalanced_json(const run *r, const gemp_euler_unbalanced *one, const gemp_value *key)
{
	if (r->search.plain.undirected)
		return json_pack("{s:o, s:o}", "vertex", gemp_json_key(key), "degree", gemp_json_count(one->in + one->out));
	return json_pack("{s:o, s:o, s:o}", "vertex", gemp_json_key(key), "in", gemp_json_count(one->in), "out",
	                 gemp_json_count(one->out));
}

/* Collective. */
static gemp_code report_unbalanced(run *r)
{
	gemp_code code = GEMP_OK;
	gemp_report *report = r->job.report;
	const gemp_euler_balance *balance = &r->search.balance;
	gemp_vertex ids[GEMP_EULER_SHOWN];
	gemp_text text = { 0 };
	gemp_column keys = { 0 };
	json_t *list = json_array();
	for (size_t i = 0; i < balance->example_count; i++)
		ids[i] = balance->examples[i].vertex;
	GEMP_TRY(gemp_vertex_keys_fetch(&keys, r->job.comm, r->job.graph, ids, balance->example_count));
	gemp_report_print(report, "  %s vert%s %s:\n  %-20s %12s %12s\n", gemp_grouped(balance->unbalanced).text,
	                  balance->unbalanced == 1 ? "ex has" : "ices have",
	                  r->search.plain.undirected ? "an odd number of edges" : "not as many in- as out-edges", "vertex",
	                  r->search.plain.undirected ? "edges" : "in", r->search.plain.undirected ? "" : "out");
	for (size_t i = 0; i < balance->example_count; i++) {
		const gemp_euler_unbalanced *one = &balance->examples[i];
		gemp_value key = gemp_column_get(&keys, i);
		gemp_text_clear(&text);
		gemp_value_print(&key, &text);
		if (r->search.plain.undirected)
			gemp_report_print(report, "  %-20s %12s\n", text.data, gemp_grouped(one->in + one->out).text);
		else
			gemp_report_print(report, "  %-20s %12s %12s\n", text.data, gemp_grouped(one->in).text,
			                  gemp_grouped(one->out).text);
		json_array_append_new(list, unbalanced_json(r, one, &key));
		if (one->vertex == balance->start)
			gemp_report_set(report, "path_start", gemp_json_key(&key));
		if (one->vertex == balance->end)
			gemp_report_set(report, "path_end", gemp_json_key(&key));
	}
	if (balance->unbalanced > balance->example_count)
		gemp_report_print(report, "  and %s more\n", gemp_grouped(balance->unbalanced - balance->example_count).text);
	gemp_report_set(report, "first_unbalanced", json_incref(list));
	code = gemp_comm_agree(r->job.comm, gemp_text_status(&text));
done:
	gemp_text_free(&text);
	gemp_column_free(&keys);
	json_decref(list);
	return code;
}

/* Collective. */
static gemp_code report_none(run *r)
{
	gemp_code code = GEMP_OK;
	gemp_report *report = r->job.report;
	bool path = r->search.balance.path;
	uint64_t components = r->search.balanced ? r->search.balance.components : r->search.result.components;
	gemp_report_print(report, "No Euler %s\n", r->job.options->path ? "circuit or path" : "circuit");
	if (r->search.balanced)
		GEMP_TRY(report_unbalanced(r));
	gemp_report_print(report, "  components with edges: %s\n", gemp_grouped(components).text);
	if (path)
		gemp_report_print(report, "  a path would do: --path\n");
	gemp_report_set(report, "found", json_false());
	gemp_report_set(report, "components", gemp_json_count(components));
	gemp_report_set(report, "unbalanced", gemp_json_count(r->search.balance.unbalanced));
	gemp_report_set(report, "path", json_boolean(path));
done:
	return code;
}

static gemp_code fail_none(const run *r)
{
	const char *file = r->job.options->argument_count ? r->job.options->arguments[0] : "the graph";
	if (r->search.balance.path)
		return gemp_fail(GEMP_EDATA, "%s has no Euler circuit, but a path: give --path", file);
	if (r->search.balance.unbalanced)
		return gemp_fail(GEMP_EDATA, "%s has no Euler circuit: %" PRIu64 " vertices have %s", file,
		                 r->search.balance.unbalanced,
		                 r->search.plain.undirected ? "an odd number of edges" : "other in- than out-degrees");
	return gemp_fail(GEMP_EDATA, "%s has no Euler circuit: its edges are in %" PRIu64 " components that do not meet",
	                 file, r->search.result.components);
}

/* Collective. */
static gemp_code write(run *r)
{
	gemp_code code = GEMP_OK;
	const gemp_euler_rows_options how = { .path = r->job.options->output,
		                                  .preview = r->job.report->people,
		                                  .shown = PREVIEW };
	double since = gemp_now();
	if (r->job.options->verify_order) {
		GEMP_TRY(gemp_euler_verify(r->job.comm, &r->search.edges, &r->search.result.order));
		r->verified = gemp_now() - since;
		gemp_report_print(r->job.report, "Verified: each edge once, each begins where the one before ends\n");
		gemp_report_set(r->job.report, "verified", json_true());
		gemp_report_set(r->job.report, "verify_seconds", json_real(r->verified));
		since = gemp_now();
	}
	if (!r->job.options->sequence && !r->job.options->dot && !rows_wanted(r->job.options))
		return GEMP_OK;
	GEMP_TRY(gemp_shard_load_keys(r->job.graph));
	if (r->job.options->dot)
		GEMP_TRY(gemp_euler_drawing_write(r->job.comm, r->job.graph, &r->search.edges, &r->search.result,
		                                  r->job.options->dot));
	if (r->job.options->sequence)
		return gemp_euler_sequence_write(r->job.report, r->job.options, r->job.graph, &r->search.edges,
		                                 &r->search.result.order);
	if (rows_wanted(r->job.options))
		GEMP_TRY(gemp_euler_rows_write(r->job.comm, r->job.graph, &r->search.edges, &r->search.result.order, &how));
	gemp_timers_add(&r->job.timers, GEMP_PHASE_WRITE, since);
done:
	return code;
}

static gemp_code answer(run *r)
{
	gemp_code code = GEMP_OK;
	gemp_report *report = r->job.report;
	gemp_report_graph(report, r->job.graph);
	gemp_report_set(report, "engine", r->search.result.engine ? json_string(r->search.result.engine) : json_null());
	gemp_report_set(report, "circuits", gemp_json_count(r->search.result.circuits));
	gemp_report_set(report, "forest_edges", gemp_json_count(r->search.result.joins));
	gemp_report_set(report, "splitters", gemp_json_count(r->search.result.splitters));
	if (gemp_euler_search_found(&r->search)) {
		report_result(r);
		GEMP_TRY(write(r));
	} else {
		GEMP_TRY(report_none(r));
	}
	if (r->search.result.engine) { /* odd degrees are found out before */
		report_stages(r);
		report_exchange(r);
	}
	r->job.context = r->search.runtime;
	code = gemp_graph_job_resources(&r->job);
done:
	return code;
}

static gemp_code euler(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	gemp_comm *comm = &context->comm;
	run r = { 0 };
	gemp_code code = check(comm, options);
	if (code == GEMP_OK)
		code = gemp_graph_job_init(&r.job, context, options, report);
	if (code != GEMP_OK)
		return code;
	GEMP_TRY(read_graph(&r));
	GEMP_TRY(find(&r));
	GEMP_TRY(answer(&r));
done:
	if (code == GEMP_OK && !gemp_euler_search_found(&r.search)) {
		report->complete = true;
		code = fail_none(&r);
	}
	gemp_euler_search_free(&r.search);
	gemp_graph_job_free(&r.job);
	return code;
}

const gemp_command gemp_command_euler = {
	.name = "euler",
	.bit = GEMP_ON_EULER,
	.arguments = "G.h5 [--relation TYPE] [--path] [--verify] [--sequence] [-o FILE]\n"
				 "--sequence --alphabet LETTERS --length N [-o FILE]",
	.summary = "Finds an Euler circuit or path: every edge once",
	.text =
		"A circuit goes along each edge once and ends where it began. There is one if all edges hang together and "
		"each vertex has as many in-edges as out-edges; a path takes one vertex with an out-edge more, where it "
		"starts, and one with an in-edge more, where it ends. Undirected edges may be gone along either way: there "
		"each vertex needs an even number of them, and of a path two have an odd one. In-edges are paired with "
		"out-edges, the circuits that come of it are joined over a spanning forest of the circuit graph, and the "
		"places of edges found by list ranking. If there is none, the report says why, and the exit code is 65.\n"
		"Rows are place, source, type, edge and target: edge is the number among the edges of its type, which tells "
		"parallel ones apart. With --sequence, of a graph whose vertices are words, they are the text that the "
		"circuit spells.\n"
		"One rank takes its device or its threads, several ranks take the threads of all.\n",
	.examples = "gemp-mpi euler roads.h5 --verify -o tour.tsv\n"
				"# one type of edges; from one vertex to another\n"
				"gemp-mpi euler city.h5 --relation STREET --path -o tour.h5\n"
				"mpirun -n 8 gemp-mpi euler large.h5 --json - --quiet\n"
				"# the shortest string of keys that has every PIN of four digits in it\n"
				"gemp-mpi euler --sequence --alphabet 0123456789 --length 4\n",
	.min_arguments = 0,
	.max_arguments = 1,
	.run = euler,
};
