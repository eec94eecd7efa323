#include "cli/match/answer.h"
#include "cli/report/report_run.h"

#include "api/context_state.h"
#include "cli/graph_job.h"
#include "cli/match/match_modes.h"
#include "cli/match/match_report.h"
#include "cli/match/resumable_search.h"
#include "core/log.h"
#include "core/memory.h"
#include "io/file/output.h"
#include "match/filter/computed_columns.h"
#include "pattern/bind/bind.h"
#include "query/clause/clause.h"
#include "query/output/result_rows.h"
#include "query/output/subgraph_sink.h"

#include <string.h>

typedef struct answer {
	gemp_report *report;
	gemp_comm *comm;
	const gemp_options *options;
	gemp_shard *graph;
	gemp_pattern *pattern;
	gemp_runtime *context;
	gemp_prepared *query;
	gemp_sink rows, matched, limit_sink, *first;
	gemp_limit limit;
	gemp_checkpoint *checkpoint; /* NULL: the search is one run */
	gemp_match_options how;
	char *rows_path, *graph_path; /* owned; NULL: nowhere */
	gemp_provenance provenance;   /* of what matches cover: the query */
	size_t number;                /* among several, from 1; 0: it is the only one */
	uint64_t row_limit;           /* rows wanted */
	uint64_t preview;             /* rows shown where there is no --output */
	bool only_counts;             /* clauses ask for the number of matches alone, which the search can tell */
	bool writes;                  /* rows, to a file or for people */
} answer;

/* What clauses count and tell apart are embeddings, and so are rows of OPTIONAL MATCH, unless --distinct says otherwise.
 * Where embeddings are orbits times a constant, their number needs no more than orbits. */
static gemp_distinct distinct_of(const answer *s)
{
	bool free_orbits = s->options->semantics == GEMP_ISO || s->options->semantics == GEMP_INDUCED;
	bool plain = !gemp_prepared_is_composed(s->pattern);
	if (gemp_options_has(s->options, "distinct"))
		return (gemp_distinct)s->options->distinct;
	if (s->pattern->optional_count)
		return GEMP_BY_NOTHING;
	if (s->only_counts)
		return free_orbits && plain ? GEMP_BY_ORBIT : GEMP_BY_NOTHING;
	return gemp_clause_wants_embeddings(s->pattern) ? GEMP_BY_NOTHING : (gemp_distinct)s->options->distinct;
}

static void set_options(answer *s)
{
	const gemp_options *options = s->options;
	const gemp_clause *result = &s->pattern->result;
	bool streams = gemp_clause_streams(s->pattern);
	uint64_t limit = options->limit;
	s->only_counts = gemp_clause_only_counts(s->pattern);
	if (streams && result->has_limit && result->limit < limit)
		limit = result->limit;
	s->row_limit = limit;
	s->writes = !streams || (!options->count && (s->rows_path || s->preview));
	s->how = (gemp_match_options){
		.semantics = (gemp_semantics)options->semantics,
		.distinct = distinct_of(s),
		.symmetry_by_hash = options->symmetry == 1,
		.count_by_formula = options->count_by == 0,
		.pivot_off = options->pivot == 1,
		.attributes = (gemp_when)options->attributes,
		.listed = (!s->only_counts && (s->writes || limit < UINT64_MAX)) || s->graph_path,
		.replicate = options->replicate,
		.exchange = (gemp_exchange_mode)options->exchange,
		.launch_factor = options->launch_factor,
		.count_parts = options->profile && !options->count && !gemp_prepared_is_composed(s->pattern),
		.profile = options->profile,
		.explained = options->dry_run,
		.lanes = (int)options->lanes,
		.edges = s->graph_path || (gemp_prepared_is_composed(s->pattern) && gemp_clause_edges(s->pattern)),
		.limit = streams ? s->row_limit : UINT64_MAX,
		.in_parts = options->checkpoint != NULL,
	};
}

static gemp_code take_order(answer *s)
{
	if (!s->options->order)
		return GEMP_OK;
	if (gemp_prepared_is_composed(s->pattern))
		return gemp_fail(GEMP_EUSAGE, "--order is for one search; this query is composed of several");
	return gemp_order_option(s->how.order, &s->how.order_count, s->pattern, s->options->order);
}

/* Without the empty lines that stand for what a script has before it. */
static const char *text_of(const answer *s)
{
	const char *text = s->pattern->text;
	return s->number ? text + strspn(text, " \n") : text;
}

static gemp_rows_options rows_options(const answer *s)
{
	uint64_t shown = s->preview < s->row_limit ? s->preview : s->row_limit;
	return (gemp_rows_options){
		.path = s->rows_path,
		.limit = s->rows_path ? s->row_limit : shown,
		.chain = gemp_prepared_chain(s->query),
		.semantics = gemp_semantics_name[s->how.semantics],
		.distinct = gemp_distinct_name[s->how.distinct],
		.count_loops = gemp_degree_loops(s->how.semantics),
		.preview = s->options->count ? NULL : s->report->people,
	};
}

/* Rows go to a file, which knows the limit, or are shown, or only counted up to the limit. */
static gemp_code open_sinks(answer *s)
{
	gemp_code code = GEMP_OK;
	if (s->writes) {
		const gemp_rows_options options = rows_options(s);
		GEMP_TRY(gemp_rows_new(&s->rows, s->context, s->graph, s->pattern, &options));
		s->first = s->only_counts ? NULL : &s->rows;
	}
	if (s->graph_path) {
		s->provenance = (gemp_provenance){ text_of(s), GEMP_VERSION, 0, NULL, NULL };
		const gemp_subgraph_sink_options options = {
			.path = s->graph_path, .provenance = &s->provenance, .limit = s->how.limit, .next = s->first
		};
		GEMP_TRY(gemp_subgraph_sink_new(&s->matched, s->context, s->graph, &options));
		s->first = &s->matched;
	}
	if (!s->rows_path && s->how.limit < UINT64_MAX) {
		s->limit = (gemp_limit){ s->comm, s->how.limit, 0, s->first };
		s->limit_sink = gemp_limit_sink(&s->limit);
		s->first = &s->limit_sink;
	}
done:
	return code;
}

/* Collective. shown: to people, not only who asks for more. */
static gemp_code explain(const answer *s, bool shown)
{
	char *plan = gemp_prepared_explain(s->query);
	gemp_code code = gemp_comm_agree(s->comm, plan ? GEMP_OK : GEMP_ENOMEM);
	if (code != GEMP_OK)
		goto done;
	if (shown)
		gemp_report_print(s->report, "%s%s", plan, s->options->dry_run ? "" : "\n");
	else
		gemp_log(GEMP_VERBOSE, "%s", plan);
	gemp_report_set(s->report, "plan", json_string(plan));
done:
	gemp_free(plan);
	return code;
}

/* Collective. What clauses make of the number of matches. */
static gemp_code write_count(answer *s, const gemp_match_result *result)
{
	bool chosen = gemp_options_has(s->options, "distinct"), known = chosen || result->embeddings_known;
	gemp_count count = chosen ? result->matches : result->embeddings;
	if (s->options->count && (!known || count > INT64_MAX))
		return GEMP_OK; /* no row could say it, and none is wanted */
	if (!known)
		return gemp_fail(GEMP_EDATA,
		                 "count(*) is of embeddings, which are not known: %s; say --distinct to "
		                 "count matches",
		                 result->embeddings_reason);
	if (count > INT64_MAX)
		return gemp_fail(GEMP_EDATA, "count(*) is %llu, and integers of a row end at 2^63 - 1; --count prints it",
		                 (unsigned long long)count);
	gemp_report_set(s->report, "count", gemp_json_count(count));
	return gemp_rows_count(&s->rows, count);
}

/* Rows are found in parts, which a checkpoint puts together. */
static bool keeps_rows(const answer *s)
{
	return s->checkpoint && s->writes && !s->only_counts;
}

/* Collective. With the order of binding of earlier jobs. */
static gemp_code open_checkpoint(answer *s)
{
	const char *path = s->writes && !s->only_counts ? s->rows_path : NULL;
	gemp_code code = gemp_checkpoint_open(&s->checkpoint, s->comm, s->options, s->graph, text_of(s), path);
	if (code == GEMP_OK && s->checkpoint->order_count) {
		s->how.order_count = s->checkpoint->order_count;
		memcpy(s->how.order, s->checkpoint->order, sizeof s->how.order);
	}
	return code;
}

/* Collective. */
static gemp_code search(answer *s, gemp_match_result *result)
{
	gemp_code code = GEMP_OK;
	if (!keeps_rows(s))
		GEMP_TRY(open_sinks(s));
	if (!s->checkpoint)
		return gemp_prepared_run(s->query, s->first, result);
	const gemp_resumable job = { .context = s->context,
		                         .graph = s->graph,
		                         .pattern = s->pattern,
		                         .query = s->query,
		                         .checkpoint = s->checkpoint,
		                         .rows = rows_options(s),
		                         .lists = keeps_rows(s),
		                         .start_time = s->report->began,
		                         .max_seconds = s->options->max_time };
	code = gemp_resumable_run(&job, result);
	gemp_resumable_report(s->report, s->checkpoint, code == GEMP_OK);
done:
	return code;
}

static gemp_code run(answer *s)
{
	gemp_code code = GEMP_OK;
	gemp_match_result result = { 0 };
	const char *path = s->writes ? s->rows_path : NULL;
	GEMP_TRY(search(s, &result));
	if (!result.complete && result.matches > s->how.limit)
		result.matches = s->how.limit;
	gemp_match_report found = {
		.how = &s->how,
		.result = &result,
		.context = s->context,
		.query = text_of(s),
		.profile = s->options->profile,
		.rows = result.matches,
		.path = path,
		.subgraph = s->graph_path,
	};
	if (s->only_counts)
		GEMP_TRY(write_count(s, &result));
	if (keeps_rows(s)) {
		found.rows = s->checkpoint->rows;
	} else if (s->writes) {
		found.preview = !path && !s->options->count;
		found.shown = gemp_rows_written(&s->rows);
		found.rows = path ? found.shown : gemp_rows_total(&s->rows);
		if (found.rows > s->row_limit)
			found.rows = s->row_limit;
		found.truncated = !s->options->count && !gemp_rows_complete(&s->rows);
	}
	if (s->matched.self)
		gemp_subgraph_sink_size(&s->matched, &found.covered_vertices, &found.covered_edges);
	if (s->options->profile)
		GEMP_TRY(explain(s, true));
	GEMP_TRY(gemp_match_report_write(s->report, &found));
done:
	return code;
}

/* Collective. --dry-run: what was made ready, and how large it is. */
static gemp_code report_preparation(const answer *s)
{
	gemp_report_set(s->report, "query", json_string(text_of(s)));
	gemp_report_seconds(s->report, &s->context->timers, false);
	gemp_code code = gemp_report_devices(s->report, s->context);
	if (code == GEMP_OK)
		gemp_report_memory(s->report, gemp_runtime_device_peak(s->context));
	return code;
}

/* Local. What can be said of a query before a device is there. */
static gemp_code make_ready(answer *s)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_file_numbered(&s->rows_path, gemp_answer_rows_path(s->options), s->number));
	GEMP_TRY(gemp_file_numbered(&s->graph_path, gemp_answer_subgraph_path(s->options), s->number));
	GEMP_TRY(gemp_pattern_bind_with(s->pattern, s->graph, s->options->lenient));
	if (s->options->checkpoint && !gemp_clause_only_counts(s->pattern))
		s->preview = 0; /* rows of parts go to a file, or are only counted */
	set_options(s);
	GEMP_TRY(take_order(s));
	if (s->options->checkpoint)
		GEMP_TRY(gemp_resumable_ready(s->pattern));
	if (s->options->count_per)
		GEMP_TRY(gemp_count_per_ready(s->options, s->pattern, &s->how));
	if (s->options->estimate)
		code = gemp_estimate_ready(s->options, s->pattern, &s->how);
done:
	return code;
}

/* Collective. */
static gemp_code answer_one(answer *s, gemp_report *report, gemp_runtime *context)
{
	gemp_code code = GEMP_OK;
	s->report = report;
	s->context = context;
	if (s->options->estimate && !s->options->dry_run)
		return gemp_estimate_answer(report, s->options, context, s->graph, s->pattern, &s->how, text_of(s));
	if (s->options->count_per && !s->options->dry_run)
		return gemp_count_per_answer(report, s->options, context, s->graph, s->pattern, &s->how, s->rows_path,
		                             s->preview);
	if (s->options->checkpoint && !s->options->dry_run)
		GEMP_TRY(open_checkpoint(s));
	const gemp_prepared_options options = { .match = s->how, .combinations = s->options->combinations };
	GEMP_TRY(gemp_prepared_prepare(&s->query, context, s->graph, s->pattern, &options));
	GEMP_TRY(explain(s, s->options->explain || s->options->dry_run));
	if (s->options->dry_run)
		GEMP_TRY(report_preparation(s));
	else
		GEMP_TRY(run(s));
done:
	if (s->matched.free)
		s->matched.free(s->matched.self);
	if (s->rows.free)
		s->rows.free(s->rows.self);
	gemp_prepared_free(s->query);
	gemp_checkpoint_free(s->checkpoint);
	return code;
}

static void free_answers(answer *all, size_t count)
{
	for (size_t i = 0; all && i < count; i++) {
		gemp_free(all[i].rows_path);
		gemp_free(all[i].graph_path);
	}
	gemp_free(all);
}

/* SEVERAL. Adds what the context has measured since it was last asked. */
static void take_timers(gemp_timers *total, gemp_runtime *context)
{
	for (int phase = 0; phase < GEMP_PHASES; phase++)
		total->seconds[phase] += context->timers.seconds[phase];
	context->timers = (gemp_timers){ 0 };
	context->work = (gemp_device_work){ 0 };
	for (size_t i = 0; i < context->other_count; i++)
		context->others[i]->work = (gemp_device_work){ 0 };
	context->traffic = (gemp_traffic){ 0 };
	context->program_builds = 0;
}

static void print_heading(const gemp_report *report, const answer *s, size_t count)
{
	const char *text = text_of(s);
	gemp_report_print(report, "%squery %zu of %zu: %.*s\n", s->number > 1 ? "\n" : "", s->number, count,
	                  (int)strcspn(text, "\n"), text);
}

/* Collective. */
static gemp_code answer_all(answer *all, size_t count, gemp_report *report, gemp_runtime *context)
{
	gemp_code code = GEMP_OK;
	gemp_timers total = { 0 };
	json_t *list = json_array();
	context->keep_resident = true;
	for (size_t i = 0; i < count; i++) {
		gemp_report part = *report;
		part.began = gemp_now();
		part.json = report->json ? json_object() : NULL;
		take_timers(&total, context);
		print_heading(report, &all[i], count);
		code = answer_one(&all[i], &part, context);
		json_array_append_new(list, part.json);
		if (code != GEMP_OK)
			goto done;
	}
	take_timers(&total, context);
	gemp_report_detail(report, "\nall %zu queries:\n", count);
	gemp_report_seconds(report, &total, false);
	GEMP_TRY(gemp_report_devices(report, context));
	gemp_report_memory(report, gemp_runtime_device_peak(context));
	gemp_report_set(report, "queries", json_incref(list));
done:
	json_decref(list);
	return code;
}

gemp_code gemp_answer(gemp_report *report, const gemp_options *options, gemp_comm *comm, gemp_shard *graph,
                      gemp_pattern *const *patterns, size_t count, uint64_t preview, const gemp_timers *timers)
{
	gemp_code code = GEMP_OK;
	answer *all = NULL;
	gemp_runtime *context = NULL;
	code = GEMP_NEW(all, count);
	for (size_t i = 0; code == GEMP_OK && i < count; i++) {
		all[i] = (answer){ .comm = comm,
			               .options = options,
			               .graph = graph,
			               .pattern = patterns[i],
			               .number = count > 1 ? i + 1 : 0,
			               .preview = report->no_rows ? 0 : preview };
		code = make_ready(&all[i]);
	}
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_context_runtime(&context, report->context, true, timers));
	gemp_report_graph(report, graph);
	code = count > 1 ? answer_all(all, count, report, context) : answer_one(&all[0], report, context);
done:
	free_answers(all, count);
	return code;
}

static bool draws(const char *path)
{
	return path && (gemp_file_ends_in(path, ".dot") || gemp_file_ends_in(path, ".graphml"));
}

const char *gemp_answer_subgraph_path(const gemp_options *options)
{
	return options->subgraph ? options->subgraph : draws(options->output) ? options->output : NULL;
}

const char *gemp_answer_rows_path(const gemp_options *options)
{
	return draws(options->output) ? NULL : options->output;
}
