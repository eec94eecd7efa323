/* euler: gemp_graph_euler. It chooses an engine and gives directions to undirected edges. A path is closed to a circuit
 * by an extra edge, so the engines only have to find circuits. The walk goes to columns, rows, a drawing, or the text
 * that its words spell. */

#include "gemp/euler.h"

#include "api/edge_job.h"
#include "assembly/overlap.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "core/text.h"
#include "device/tuning.h"
#include "euler/balance.h"
#include "euler/circuit_output.h"
#include "euler/device_engine.h"
#include "euler/devices/engine.h"
#include "euler/ranks/ranks_engine.h"
#include "euler/verify.h"
#include "io/file/output.h"
#include "io/picture/graph_drawing.h"
#include "io/rows/row_writer.h"
#include "io/rows/vertex_keys.h"

#include <string.h>

enum { PREVIEW = 20 }; /* number of rows in the text of the report */

/* The state that the steps of one call share. */
typedef struct euler_search {
	gemp_edge_job job; /* the device is opened when the number of edges is known */
	gemp_euler_settings settings;
	gemp_euler_options options;
	/* the edges with directions; undirected edges have the direction in which the walk uses them */
	gemp_euler_edges edges;
	gemp_euler_edges plain; /* the undirected edges without directions; {0} if the edges are directed */
	gemp_euler_result result;
	gemp_euler_balance balance;
	bool balanced; /* `balance` is valid, since the degrees do not allow a circuit */
} euler_search;

GEMP_SETTINGS(gemp_euler_settings)

static void free_search(euler_search *s)
{
	gemp_euler_result_free(&s->result);
	gemp_euler_edges_free(&s->edges);
	gemp_euler_edges_free(&s->plain);
	gemp_edge_job_free(&s->job);
}

/* SEARCH */

/* With fewer than DEVICE_MIN edges for each rank no device is opened unless the caller asks for one, not even to read
 * its tuning. GPU_MIN is the limit for a GPU without a tuning file. */
enum { DEVICE_MIN = 1 << 14, GPU_MIN = 1 << 18 };

/* Collective. All ranks use their devices, or none. */
static bool uses_devices(const euler_search *s, const gemp_comm *comm)
{
	const gemp_placement place = s->settings.place;
	const uint64_t each = s->edges.edges / (uint64_t)comm->size;
	const bool fit = place == GEMP_PLACE_DEVICE || gemp_euler_devices_suffice(comm, s->job.device, &s->edges);
	const bool use = fit && gemp_use_device(s->job.device, place, each, "euler.host_below", GPU_MIN);
	return gemp_comm_sum1(comm, use) == (uint64_t)comm->size;
}

/* Collective. Finds a circuit on the devices if they are faster, otherwise on the threads of all ranks. The threads
 * also find it if it does not fit on a device and the place is left to the program. */
static gemp_code find_circuit(euler_search *s, const gemp_comm *comm)
{
	gemp_euler_options how = s->options;
	how.seed = 1;
	gemp_euler_result_free(&s->result);
	if (uses_devices(s, comm)) {
		const gemp_code code = comm->size > 1 ? gemp_euler_on_devices(&s->result, comm, s->job.device, &s->edges, &how)
		                                      : gemp_euler_on_device(&s->result, s->job.device, &s->edges, &how);
		if (code != GEMP_ENOMEM || s->settings.place == GEMP_PLACE_DEVICE)
			return code;
	}
	return gemp_euler_on_ranks(&s->result, comm, &s->edges, &how);
}

/* Collective. Gives directions to undirected edges, and finds odd degrees at the same time. A second call begins with
 * the plain edges again. */
static gemp_code orient(euler_search *s, const gemp_comm *comm)
{
	double since = gemp_now();
	if (!s->edges.undirected && !s->plain.undirected)
		return GEMP_OK;
	if (s->edges.undirected) {
		s->plain = s->edges;
		s->edges = (gemp_euler_edges){ 0 };
	}
	gemp_euler_edges_free(&s->edges);
	GEMP_TRY(gemp_euler_orient(&s->edges, comm, &s->plain, &s->result.unbalanced));
	gemp_timers_add(&s->job.timers, GEMP_PHASE_CONVERT, since);
	return GEMP_OK;
}

static gemp_code orient_and_find(euler_search *s, const gemp_comm *comm)
{
	GEMP_TRY(orient(s, comm));
	return s->result.unbalanced ? GEMP_OK : find_circuit(s, comm);
}

/* Collective. A graph without a walk is no failure. If the degrees allow only a path and a path is accepted, an extra
 * edge between the ends of the path makes it a circuit, and the search runs again. */
static gemp_code run_search(euler_search *s)
{
	const gemp_comm *comm = s->job.comm;
	gemp_shard *graph = s->job.shard;
	const gemp_placement place = s->settings.place;
	const bool may = place == GEMP_PLACE_AUTO && s->edges.edges / (uint64_t)comm->size >= DEVICE_MIN &&
	                 s->edges.edges <= gemp_euler_device_edges();
	if (may || place == GEMP_PLACE_DEVICE) {
		const gemp_code code = gemp_edge_job_device(&s->job);
		if (code != GEMP_OK && (code != GEMP_ENODEVICE || place == GEMP_PLACE_DEVICE))
			return code;
	}
	GEMP_TRY(orient_and_find(s, comm));
	if (!s->result.unbalanced)
		return GEMP_OK;
	GEMP_TRY(gemp_shard_load_keys(graph));
	gemp_euler_edges *edges = s->plain.undirected ? &s->plain : &s->edges;
	GEMP_TRY(gemp_euler_balance_find(&s->balance, comm, edges, graph->key_ranks));
	s->balanced = true;
	if (!s->balance.path || !s->settings.path)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(comm, gemp_euler_edges_close(edges, s->balance.start, s->balance.end)));
	s->result.unbalanced = 0;
	return orient_and_find(s, comm);
}

/* Returns whether there is a circuit, or a path if a path is accepted. result.order is then the order of its edges. */
static bool is_found(const euler_search *s)
{
	return !s->result.unbalanced && s->result.components <= 1;
}

/* REPORT */

/* Returns the seconds of the stages as steps of the method, which is how publications state them. A step ends with a
 * stage, and the next step begins behind this stage. */
static json_t *steps_of(const double *seconds)
{
	static const struct {
		const char *name;
		gemp_euler_stage last;
	} steps[] = { { "predecessors", GEMP_EULER_PAIR },   { "circuits", GEMP_EULER_ORPHANS },
		          { "circuit_graph", GEMP_EULER_GRAPH }, { "spanning_tree", GEMP_EULER_UNION },
		          { "swaps", GEMP_EULER_REWALK },        { "order", GEMP_EULER_EMIT } };
	json_t *list = json_object();
	size_t stage = 0;
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		double sum = 0;
		while (stage <= (size_t)steps[i].last)
			sum += seconds[stage++];
		json_object_set_new(list, steps[i].name, json_real(sum));
	}
	return list;
}

/* Collective. Reports the seconds of each stage on the slowest rank. For a single device it also reports the bandwidth
 * that the stage needs at least. */
static void report_stages(euler_search *s)
{
	gemp_report *report = s->job.report;
	const gemp_euler_result *result = &s->result;
	bool device = strcmp(result->engine, "device") == 0;
	json_t *stages = json_object();
	double longest[GEMP_EULER_STAGES + 1], sum = 0;
	memcpy(longest, result->seconds, sizeof result->seconds);
	longest[GEMP_EULER_STAGES] = result->total;
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, longest, GEMP_EULER_STAGES + 1, MPI_DOUBLE, MPI_MAX, s->job.comm->world));
	gemp_report_detail(report, "\n  stage              ms%s\n", device ? "       GB/s   (what it must move)" : "");
	for (size_t stage = 0; stage < GEMP_EULER_STAGES; stage++) {
		double bytes = gemp_euler_stage_bytes((gemp_euler_stage)stage, s->edges.vertices, s->edges.edges,
		                                      result->splitters);
		sum += longest[stage];
		json_object_set_new(stages, gemp_euler_stage_name[stage], json_real(longest[stage]));
		gemp_report_detail(report, "  %-10s %10.3f", gemp_euler_stage_name[stage], 1e3 * longest[stage]);
		if (device && longest[stage] > 0)
			gemp_report_detail(report, " %10.1f", 1e-9 * bytes / longest[stage]);
		gemp_report_detail(report, "\n");
	}
	gemp_report_detail(report, "  %-10s %10.3f\n", "stages", 1e3 * sum);
	if (result->upload > 0)
		gemp_report_detail(report, "  %-10s %10.3f\n  %-10s %10.3f\n", "upload", 1e3 * result->upload, "download",
		                   1e3 * result->download);
	gemp_report_detail(report, "  %-10s %10.3f\n\n", "total", 1e3 * longest[GEMP_EULER_STAGES]);
	json_object_set_new(stages, "sum", json_real(sum));
	json_object_set_new(stages, "upload", json_real(result->upload));
	json_object_set_new(stages, "download", json_real(result->download));
	json_object_set_new(stages, "total", json_real(longest[GEMP_EULER_STAGES]));
	gemp_report_set(report, "stages", stages);
	gemp_report_set(report, "steps", steps_of(longest));
}

/* Collective. Reports the exchange between ranks. */
static void report_exchange(euler_search *s)
{
	const gemp_traffic all = gemp_report_traffic(s->job.report, &s->result.traffic);
	double each = s->edges.edges ? (double)all.bytes / (double)s->edges.edges : 0;
	gemp_report_set(s->job.report, "bytes_per_edge", json_real(each));
	if (s->job.comm->size > 1)
		gemp_report_detail(s->job.report, "  %-10s %.2f bytes an edge\n", "", each);
}

/* `joins` is the number of places where two circuits were joined to one. */
static void report_result(euler_search *s)
{
	gemp_report *report = s->job.report;
	const gemp_euler_result *result = &s->result;
	bool path = s->edges.path_start != GEMP_NO_VERTEX;
	gemp_report_print(report, "An Euler %s of %s; %s joined at %s\n", path ? "path" : "circuit",
	                  gemp_counted(result->order.edges, "edge").text, gemp_counted(result->circuits, "circuit").text,
	                  gemp_counted(result->joins, "place").text);
	gemp_report_set(report, "found", json_true());
	gemp_report_set(report, "kind", json_string(path ? "path" : "circuit"));
	gemp_report_set(report, "edges", gemp_json_count(result->order.edges));
}

static json_t *unbalanced_json(const euler_search *s, const gemp_euler_unbalanced *one, const gemp_value *key)
{
	if (s->plain.undirected)
		return json_pack("{s:o, s:o}", "vertex", gemp_json_key(key), "degree", gemp_json_count(one->in + one->out));
	return json_pack("{s:o, s:o, s:o}", "vertex", gemp_json_key(key), "in", gemp_json_count(one->in), "out",
	                 gemp_json_count(one->out));
}

/* Collective. Reports some vertices that forbid a circuit, by their keys. Other ranks may own the keys. */
static gemp_code report_unbalanced(euler_search *s)
{
	gemp_report *report = s->job.report;
	const gemp_euler_balance *balance = &s->balance;
	gemp_vertex ids[GEMP_EULER_SHOWN];
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	GEMP_OWNED_BY(gemp_column_free) gemp_column keys = { 0 };
	json_auto_t *list = json_array();
	for (size_t i = 0; i < balance->example_count; i++)
		ids[i] = balance->examples[i].vertex;
	GEMP_TRY(gemp_vertex_keys_fetch(&keys, s->job.comm, s->job.shard, ids, balance->example_count));
	gemp_report_print(report, "  %s vert%s %s:\n  %-20s %12s %12s\n", gemp_grouped(balance->unbalanced).text,
	                  balance->unbalanced == 1 ? "ex has" : "ices have",
	                  s->plain.undirected ? "an odd number of edges" : "unequal in- and out-degree", "vertex",
	                  s->plain.undirected ? "edges" : "in", s->plain.undirected ? "" : "out");
	for (size_t i = 0; i < balance->example_count; i++) {
		const gemp_euler_unbalanced *one = &balance->examples[i];
		gemp_value key = gemp_column_get(&keys, i);
		gemp_text_clear(&text);
		gemp_value_print(&key, &text);
		if (s->plain.undirected)
			gemp_report_print(report, "  %-20s %12s\n", text.data, gemp_grouped(one->in + one->out).text);
		else
			gemp_report_print(report, "  %-20s %12s %12s\n", text.data, gemp_grouped(one->in).text,
			                  gemp_grouped(one->out).text);
		json_array_append_new(list, unbalanced_json(s, one, &key));
		if (one->vertex == balance->start)
			gemp_report_set(report, "path_start", gemp_json_key(&key));
		if (one->vertex == balance->end)
			gemp_report_set(report, "path_end", gemp_json_key(&key));
	}
	if (balance->unbalanced > balance->example_count)
		gemp_report_print(report, "  and %s more\n", gemp_grouped(balance->unbalanced - balance->example_count).text);
	gemp_report_set(report, "first_unbalanced", json_incref(list));
	return gemp_comm_agree(s->job.comm, gemp_text_status(&text));
}

/* Collective. Reports why there is no walk. */
static gemp_code report_none(euler_search *s)
{
	gemp_report *report = s->job.report;
	bool path = s->balance.path;
	uint64_t components = s->balanced ? s->balance.components : s->result.components;
	gemp_report_print(report, "No Euler %s\n", s->settings.path ? "circuit or path" : "circuit");
	if (s->balanced)
		GEMP_TRY(report_unbalanced(s));
	gemp_report_print(report, "  components with edges: %s\n", gemp_grouped(components).text);
	if (path)
		gemp_report_print(report, "  a path exists\n");
	gemp_report_set(report, "found", json_false());
	gemp_report_set(report, "components", gemp_json_count(components));
	gemp_report_set(report, "unbalanced", gemp_json_count(s->balance.unbalanced));
	gemp_report_set(report, "path", json_boolean(path));
	return GEMP_OK;
}

/* THE TEXT that the words along the walk spell */

/* Collective. Writes the letters of the first word, then one letter for each edge, then the end of the line. The
 * letters of a rank lie in two stretches (assembly/overlap.h). */
static gemp_code write_text(gemp_output *output, const gemp_comm *comm, const gemp_overlap *overlap, bool circular)
{
	size_t head = overlap->word, size;
	if (circular && overlap->edges < head)
		head = (size_t)overlap->edges;
	GEMP_TRY(gemp_output_write(output, overlap->head, comm->rank == 0 ? head : 0));
	for (int stretch = 0; stretch < 2; stretch++) {
		const char *letters = gemp_overlap_stretch(overlap, stretch, circular, &size);
		GEMP_TRY(gemp_output_write(output, letters, size));
	}
	return gemp_output_write(output, "\n", comm->rank == 0);
}

/* Collective. Reports the text of the walk, and writes it if a file is wanted. The keys must have been loaded. */
static gemp_code write_sequence(euler_search *s)
{
	gemp_report *report = s->job.report;
	GEMP_OWNED_BY(gemp_overlap_free) gemp_overlap overlap = { 0 };
	GEMP_OWNED_BY(gemp_output_abandon_at) gemp_output *output = NULL;
	const bool circular = s->settings.circular && s->edges.path_end == GEMP_NO_VERTEX;
	GEMP_TRY(gemp_overlap_new(&overlap, s->job.comm, s->job.shard, &s->edges, &s->result.order, s->settings.alphabet));
	const uint64_t letters = overlap.edges + (circular ? 0 : overlap.word);
	gemp_report_set(report, "sequence",
	                json_pack("{s:o, s:o, s:b}", "letters", gemp_json_count(letters), "word",
	                          gemp_json_count(overlap.word + 1), "circular", circular));
	gemp_report_detail(report, "%s in which each of %s of %s is once\n", gemp_counted(letters, "letter").text,
	                   gemp_counted(overlap.edges, "word").text, gemp_counted(overlap.word + 1, "letter").text);
	if (!s->settings.output)
		return GEMP_OK;
	GEMP_TRY(gemp_output_open(&output, s->job.comm, s->settings.output));
	GEMP_TRY(write_text(output, s->job.comm, &overlap, circular));
	return gemp_output_close(GEMP_MOVE(output));
}

/* THE PUBLIC FUNCTION */

/* Returns whether the text of the report shows the first rows of the walk. */
static bool is_previewed(const euler_search *s)
{
	return s->job.reports && !s->job.report->no_rows;
}

/* Collective. Checks the settings and the files before anything is read. `columns` is true if the caller wants
 * columns. */
static gemp_code begin(euler_search *s, gemp_graph *graph, const gemp_edge_selection *edges,
                       const gemp_euler_settings *settings, gemp_report *report, bool columns)
{
	gemp_code code = GEMP_OK;
	s->settings = gemp_euler_settings_from(settings);
	const char *output = s->settings.output, *drawing = s->settings.drawing;
	GEMP_TRY(gemp_edge_job_begin(&s->job, graph, edges, report));
	if (!s->settings.sequence)
		GEMP_TRY(gemp_rows_path_check(s->job.comm, "output", output));
	else if (output && strcmp(output, "-") != 0 && s->job.comm->rank == 0)
		code = gemp_file_may_write("output", output);
	if (drawing && s->job.comm->rank == 0)
		GEMP_THEN(gemp_file_may_write("dot", drawing));
	if (s->settings.sequence)
		GEMP_THEN(gemp_overlap_check(graph->shard, s->settings.alphabet));
	s->options.sources = columns || s->settings.sequence || output || is_previewed(s);
	s->options.keep_circuits = drawing != NULL;
	return gemp_comm_agree(s->job.comm, code);
}

/* Collective. Loads the rows of the selected types, and makes one list of their edges. */
static gemp_code load_edges(euler_search *s)
{
	double since = gemp_now();
	for (size_t r = 0; r < s->job.shard->relation_count; r++)
		if (s->job.relations[r])
			GEMP_TRY(gemp_shard_load_relation(s->job.shard, r, GEMP_LOAD_OUT));
	since = gemp_timers_add(&s->job.timers, GEMP_PHASE_READ, since);
	GEMP_TRY(gemp_comm_agree(s->job.comm, gemp_euler_edges_new(&s->edges, s->job.shard, s->job.relations)));
	if (s->settings.drawing)
		GEMP_TRY(gemp_drawing_check(s->settings.drawing, s->job.shard->vertex_count, s->edges.edges));
	gemp_timers_add(&s->job.timers, GEMP_PHASE_CONVERT, since);
	return GEMP_OK;
}

/* Collective. The check uses only the edges and their order. It is independent of the engines. */
static gemp_code verify(euler_search *s)
{
	double since = gemp_now();
	GEMP_TRY(gemp_euler_verify(s->job.comm, &s->edges, &s->result.order));
	gemp_report_print(s->job.report, "Verified: each edge once, each begins where the one before ends\n");
	gemp_report_set(s->job.report, "verified", json_true());
	gemp_report_set(s->job.report, "verify_seconds", json_real(gemp_now() - since));
	return GEMP_OK;
}

/* Collective. Writes the rows to the job's columns, to a file, or to the text of the report. */
static gemp_code write_walk(euler_search *s)
{
	const gemp_comm *comm = s->job.comm;
	const gemp_shard *shard = s->job.shard;
	const gemp_euler_order *order = &s->result.order;
	gemp_columns *columns = s->job.columns;
	const bool rows = !s->settings.sequence && (s->settings.output || is_previewed(s));
	double since = gemp_now();
	if (!columns && !s->settings.drawing && !s->settings.sequence && !rows)
		return GEMP_OK;
	GEMP_TRY(gemp_shard_load_keys(s->job.shard));
	if (s->settings.drawing)
		GEMP_TRY(gemp_euler_drawing_write(comm, shard, &s->edges, &s->result, s->settings.drawing));
	if (columns)
		GEMP_TRY(gemp_euler_rows_write(comm, shard, &s->edges, order,
		                               &(gemp_euler_rows_options){ .table = &columns->table }));
	if (s->settings.sequence)
		GEMP_TRY(write_sequence(s));
	const gemp_euler_rows_options how = { .path = s->settings.output,
		                                  .preview = s->job.report->people,
		                                  .shown = PREVIEW };
	if (rows)
		GEMP_TRY(gemp_euler_rows_write(comm, shard, &s->edges, order, &how));
	gemp_timers_add(&s->job.timers, GEMP_PHASE_WRITE, since);
	return GEMP_OK;
}

/* Collective. Writes and reports the result. A report that gives the reason for a missing walk is complete, too. */
static gemp_code write_and_report(euler_search *s)
{
	gemp_report *report = s->job.report;
	const gemp_euler_result *result = &s->result;
	gemp_report_graph(report, s->job.shard);
	gemp_report_set(report, "engine", result->engine ? json_string(result->engine) : json_null());
	gemp_report_set_counts(report, { "circuits", result->circuits }, { "forest_edges", result->joins },
	                       { "splitters", result->splitters });
	if (is_found(s)) {
		report_result(s);
		if (s->settings.verify)
			GEMP_TRY(verify(s));
		GEMP_TRY(write_walk(s));
	} else if (s->job.reports) {
		GEMP_TRY(report_none(s));
		report->complete = true;
	}
	if (!s->job.reports)
		return GEMP_OK;
	if (result->engine) { /* NULL if degrees forbade a circuit before an engine ran */
		report_stages(s);
		report_exchange(s);
	}
	return gemp_report_resources(report, s->job.runtime, &s->job.timers);
}

/* If the degrees do not allow a circuit, a walk is a path. */
static gemp_euler_outcome outcome_of(const euler_search *s)
{
	const bool found = is_found(s);
	gemp_euler_outcome outcome = { .edges = found ? s->result.order.edges : 0,
		                           .components = s->balanced ? s->balance.components : s->result.components,
		                           .unbalanced = s->balance.unbalanced,
		                           .undirected = s->plain.undirected,
		                           .has_path = s->balance.path };
	if (found)
		outcome.kind = s->balanced ? GEMP_EULER_PATH : GEMP_EULER_CIRCUIT;
	return outcome;
}

/* The outcome is set only after success. */
gemp_code gemp_graph_euler(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                           const gemp_euler_settings *settings, gemp_euler_outcome *outcome, gemp_report *report)
{
	GEMP_OWNED_BY(free_search) euler_search s = { 0 };
	if (out)
		*out = NULL;
	GEMP_TRY(begin(&s, graph, edges, settings, report, out != NULL));
	GEMP_TRY(load_edges(&s));
	GEMP_TRY(run_search(&s));
	if (out && is_found(&s))
		GEMP_TRY(gemp_columns_new(&s.job.columns, graph->context));
	GEMP_TRY(write_and_report(&s));
	*outcome = outcome_of(&s);
	gemp_edge_job_hand_over(&s.job, out);
	return GEMP_OK;
}
