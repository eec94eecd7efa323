#include "api/match/resumable_search.h"

#include "core/log.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "core/text.h"
#include "query/clause/pipeline.h"
#include "query/output/result_rows.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { FORM = 1, MAX_PARTS = 4096 };

static const char prefix[] = "rows-";   /* prefix of the names of files of rows */
static const double wanted_seconds = 1; /* wanted length of a step; a signal waits for the end of the step */
/* interval between two saves; a crash loses at most the work of this interval */
static const double seconds_to_save = 2;
static const double seconds_to_report = 30; /* interval between two messages of progress */

/* The counts that a checkpoint stores. */
static const gemp_checkpoint_member counts[] = {
	{ "matches", offsetof(gemp_checkpoint, matches) },
	{ "rows", offsetof(gemp_checkpoint, rows) },
	{ "pivots", offsetof(gemp_checkpoint, pivots) },
	{ "runs", offsetof(gemp_checkpoint, runs) },
};
enum { COUNTS = sizeof counts / sizeof *counts };

/* Local. Makes the name of the file with the rows of the parts from `first` on. The caller frees *out (gemp_free). */
static gemp_code shard_name(char **out, const gemp_checkpoint *c, uint32_t first)
{
	gemp_text text = { 0 };
	gemp_text_print(&text, "%s%04" PRIu32 "%s", prefix, first, c->ending);
	*out = text.data;
	return gemp_text_status(&text);
}

/* THE QUESTION that the checkpoint answers */

/* Returns the settings and values that determine the matches and the parts in which they are found, or NULL if there is
 * no memory. Settings that only change the speed, such as `exchange`, may differ between jobs. */
static json_t *make_question(const gemp_query *query, const char *text, const char *ending, bool counts)
{
	static const char *const conditions[] = { "auto", "before", "after" };
	const gemp_query_settings *settings = &query->settings;
	GEMP_OWNED_BY(gemp_text_free) gemp_text parameters = { 0 };
	if (gemp_parameter_list_print(&query->parameters, &parameters) != GEMP_OK)
		return NULL;
	const struct {
		const char *name, *value;
	} members[] = {
		{ "query", text },
		{ "rows", ending ? ending : "none" },
		{ "semantics", gemp_semantics_name[settings->semantics] },
		{ "distinct", gemp_distinct_name[settings->distinct] },
		{ "symmetry", settings->symmetry_by_hash ? "hash" : "break" },
		{ "count-by", settings->count_by_search ? "enumerate" : "auto" },
		{ "pivot", settings->first_vertex_pivot ? "off" : "on" },
		{ "attributes", conditions[settings->conditions] },
		{ "order", settings->order ? settings->order : "" },
		{ "param", parameters.data },
		{ "lenient", settings->lenient ? "true" : "" },
		{ "query-labels", query->source == GEMP_QUERY_GRAPH ? query->name : "" },
		{ "count", counts ? "true" : "" },
	};
	json_t *own = json_object();
	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		json_object_set_new(own, members[i].name, json_string(members[i].value));
	return gemp_checkpoint_store_question(query->graph->shard, own);
}

/* READING */

static gemp_code add_shard(gemp_checkpoint *c, uint32_t first, uint64_t rows)
{
	GEMP_TRY(GEMP_RESERVE(c->shards, c->shard_capacity, c->shard_count + 1));
	c->shards[c->shard_count++] = (gemp_search_shard){ first, rows };
	return GEMP_OK;
}

/* *good becomes false if the list is damaged. The caller then fails with a message that names the folder. */
static gemp_code read_shards(gemp_checkpoint *c, const json_t *list, bool *good)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *one = json_array_get(list, i);
		uint64_t first = 0, rows = 0;
		*good &= gemp_checkpoint_store_count(one, "first", &first) && gemp_checkpoint_store_count(one, "rows", &rows) &&
		         first < c->finished;
		GEMP_TRY(add_shard(c, (uint32_t)first, rows));
	}
	return GEMP_OK;
}

/* The order of binding must be the order of the earlier jobs, since another order finds the same match from another
 * pivot. */
static bool read_order(gemp_checkpoint *c, const json_t *list)
{
	size_t count = json_array_size(list);
	if (count > GEMP_MAX_PATTERN_VERTICES)
		return false;
	c->order_count = (int)count;
	for (size_t i = 0; i < count; i++)
		c->order[i] = (int)json_integer_value(json_array_get(list, i));
	return true;
}

/* Local. Reads the state of the earlier jobs. GEMP_EDATA if a member is missing or out of range. */
static gemp_code read_state(gemp_checkpoint *c, const json_t *state)
{
	uint64_t finished = 0, parts = 0, form = 0;
	const json_t *embeddings = json_object_get(state, "embeddings");
	const char *plan = json_string_value(json_object_get(state, "plan"));
	c->embeddings_known = !json_is_null(embeddings);
	bool good = gemp_checkpoint_store_count(state, "form", &form) && form == FORM &&
	            gemp_checkpoint_store_count(state, "parts", &parts) && parts == c->parts &&
	            gemp_checkpoint_store_count(state, "finished", &finished) && finished <= parts &&
	            gemp_checkpoint_store_get(state, counts, COUNTS, c) && plan &&
	            (!c->embeddings_known || gemp_checkpoint_store_count(state, "embeddings", &c->embeddings)) &&
	            read_order(c, json_object_get(state, "order"));
	c->finished = (uint32_t)finished;
	c->plan = plan ? strtoull(plan, NULL, 16) : 0;
	c->seconds = json_number_value(json_object_get(state, "seconds"));
	GEMP_TRY(read_shards(c, json_object_get(state, "shards"), &good));
	return good ? GEMP_OK : gemp_checkpoint_store_foreign(&c->store);
}

/* Returns the ending of a path, such as ".tsv". The files of parts have the same ending, since their rows have the same
 * form. */
static const char *ending_of(const char *path)
{
	const char *dot = path ? strrchr(path, '.') : NULL;
	return dot ? dot : path;
}

/* A part is a range of pivots, so a small graph has at most as many parts as vertices. The state of an earlier job
 * replaces the initial values, and then `runs` also counts the earlier jobs. */
gemp_code gemp_checkpoint_open(gemp_checkpoint **out, const gemp_query *query, const char *text, const char *rows_path,
                               bool counts)
{
	const gemp_comm *comm = &query->graph->context->comm;
	const uint64_t vertices = query->graph->shard->vertex_count;
	GEMP_OWNED_BY(gemp_checkpoint_free_at) gemp_checkpoint *c = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(c, 1)));
	*c = (gemp_checkpoint){ .comm = comm,
		                    .ending = ending_of(rows_path),
		                    .embeddings_known = true,
		                    .parts = (uint32_t)gemp_min(vertices, MAX_PARTS) };
	GEMP_TRY(gemp_checkpoint_store_open(&c->store, comm, &query->settings.checkpoint,
	                                    make_question(query, text, c->ending, counts)));
	if (c->store.saved)
		GEMP_TRY(gemp_comm_agree(comm, read_state(c, c->store.saved)));
	c->shards_saved = c->shard_count;
	c->runs++;
	*out = GEMP_MOVE(c);
	return GEMP_OK;
}

void gemp_checkpoint_free(gemp_checkpoint *c)
{
	if (!c)
		return;
	gemp_checkpoint_store_close(&c->store);
	gemp_free_all(c->shards, c);
}

/* WRITING */

/* Local. Records that the next `count` parts are finished. `rows` is the number of rows in the file of the first of
 * these parts. The number of embeddings becomes unknown when their sum overflows; matches must not overflow. */
static gemp_code add_parts(gemp_checkpoint *c, uint32_t count, const gemp_match_result *result, uint64_t rows)
{
	if (__builtin_add_overflow(c->matches, result->matches, &c->matches))
		return gemp_fail(GEMP_EDATA, "more than 2^64 - 1 matches");
	c->embeddings_known = c->embeddings_known && result->embeddings_known &&
	                      !__builtin_add_overflow(c->embeddings, result->embeddings, &c->embeddings);
	c->pivots += result->pivots;
	c->rows += rows;
	gemp_code code = c->ending ? add_shard(c, c->finished, rows) : GEMP_OK;
	c->finished += count;
	return code;
}

/* Returns the state that read_state reads. `seconds` is the time that this job has taken. */
static json_t *make_state(const gemp_checkpoint *c, double seconds)
{
	char plan[24];
	json_t *order = json_array(), *shards = json_array();
	for (int i = 0; i < c->order_count; i++)
		json_array_append_new(order, json_integer(c->order[i]));
	for (size_t i = 0; i < c->shard_count; i++)
		json_array_append_new(shards, json_pack("{s:o, s:o}", "first", gemp_checkpoint_store_digits(c->shards[i].first),
		                                        "rows", gemp_checkpoint_store_digits(c->shards[i].rows)));
	snprintf(plan, sizeof plan, "%016" PRIx64, c->plan);
	json_t *embeddings = c->embeddings_known ? gemp_checkpoint_store_digits(c->embeddings) : json_null();
	json_t *state = json_pack("{s:o, s:o, s:o, s:o, s:f, s:s, s:o, s:o}", "form", gemp_checkpoint_store_digits(FORM),
	                          "parts", gemp_checkpoint_store_digits(c->parts), "finished",
	                          gemp_checkpoint_store_digits(c->finished), "embeddings", embeddings, "seconds",
	                          c->seconds + seconds, "plan", plan, "order", order, "shards", shards);
	gemp_checkpoint_store_set(state, counts, COUNTS, c);
	return state;
}

/* On rank 0. The rows reach the disk before the state that counts them. In the other order a crash could lose rows. */
static gemp_code write_state(const gemp_checkpoint *c, double seconds)
{
	for (size_t i = c->shards_saved; i < c->shard_count; i++) {
		GEMP_OWNED char *name = NULL;
		GEMP_TRY(shard_name(&name, c, c->shards[i].first));
		GEMP_TRY(gemp_checkpoint_store_sync(&c->store, name));
	}
	return gemp_checkpoint_store_write(&c->store, make_state(c, seconds));
}

/* Collective. Writes the state to the disk. `seconds` is the time that this job has taken. */
static gemp_code save_state(gemp_checkpoint *c, double seconds)
{
	const gemp_code code = c->comm->rank == 0 ? write_state(c, seconds) : GEMP_OK;
	c->shards_saved = c->shard_count;
	return gemp_comm_agree(c->comm, code);
}

/* JOINING THE ROWS */

typedef struct name_list {
	size_t count;
	char **names; /* [count] owned */
} name_list;

static void free_names(name_list *list)
{
	for (size_t i = 0; list->names && i < list->count; i++)
		gemp_free(list->names[i]);
	gemp_free(list->names);
}

/* Collective. Joins the rows of all parts in one file. Only the first file keeps its line of column names; files of
 * JSON lines have no such line. */
static gemp_code join_rows(const gemp_checkpoint *c, const char *path)
{
	GEMP_OWNED_BY(free_names) name_list list = { .count = c->shard_count };
	gemp_code code = GEMP_NEW(list.names, list.count);
	for (size_t i = 0; i < list.count; i++)
		GEMP_THEN(shard_name(&list.names[i], c, c->shards[i].first));
	GEMP_TRY(gemp_comm_agree(c->comm, code));
	const bool headless = gemp_row_form_of(path) != GEMP_ROWS_JSON;
	return gemp_checkpoint_store_join(&c->store, path, list.names, list.count, headless);
}

/* REFUSALS */

/* Refuses queries whose result is not the sum of the results of parts, and files whose rows cannot be joined as lines
 * of text. */
gemp_code gemp_resumable_check(const gemp_query_settings *settings, const char *path, size_t queries)
{
	const struct {
		bool given;
		const char *setting, *why;
	} others[] = {
		{ settings->limit < UINT64_MAX, "limit",
		  "a search that may end early has no parts that add up; leave the limit out" },
		{ settings->subgraph, "subgraph", "what matches cover is known when all are found; write rows" },
		{ settings->profile, "profile", "a profile is of one run" },
	};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (others[i].given)
			return gemp_fail(GEMP_EUSAGE, "checkpoint does not go with %s: %s", others[i].setting, others[i].why);
	if (queries != 1)
		return gemp_fail(GEMP_EUSAGE, "checkpoint is for one query, and there are several; ask them one by one, each "
		                              "with a folder of its own");
	if (path && (strcmp(path, "-") == 0 || gemp_row_form_of(path) >= GEMP_ROWS_HDF5))
		return gemp_fail(GEMP_EUSAGE,
		                 "checkpoint does not go with output %s: rows of parts are put together as text; "
		                 "name a file that ends in .tsv, .csv or .jsonl",
		                 path);
	return GEMP_OK;
}

/* A query that only counts is accepted, since the counts of parts are added. A query with rows is accepted only if each
 * row depends on a single match. */
gemp_code gemp_resumable_check_pattern(const gemp_pattern *pattern)
{
	static const char remedy[] = "; ask without a checkpoint, or write the plain rows and go on from these";
	if (gemp_prepared_is_composed(pattern))
		return gemp_fail(GEMP_EUSAGE,
		                 "checkpoint is for one search, and OPTIONAL MATCH, EXISTS, COUNT, paths of "
		                 "variable length and parts that no edge joins take several%s",
		                 remedy);
	if (gemp_clause_only_counts(pattern))
		return GEMP_OK;
	if (pattern->result.has_limit || pattern->result.has_skip)
		return gemp_fail(GEMP_EUSAGE,
		                 "checkpoint does not go with LIMIT and SKIP: which rows come first is known when "
		                 "all are found%s",
		                 remedy);
	if (!gemp_clause_streams(pattern))
		return gemp_fail(GEMP_EUSAGE,
		                 "checkpoint does not go with WITH, DISTINCT, aggregates and ORDER BY: rows of "
		                 "parts do not add up%s",
		                 remedy);
	return GEMP_OK;
}

/* STEPS */

static gemp_code fail_stopped(const gemp_checkpoint *c, const gemp_stop *stop)
{
	return gemp_fail(GEMP_STOPPED,
	                 "stopped by %s with %.1f %% of the search done, %s so far; "
	                 "the same with checkpoint %s and resume goes on",
	                 gemp_stop_name(stop), 100.0 * c->finished / c->parts, gemp_counted(c->matches, "match").text,
	                 c->store.folder);
}

static void free_sink(gemp_sink *sink)
{
	if (sink->free)
		sink->free(sink->self);
}

/* Collective. Searches the selected parts, and writes their rows to a file in the folder. */
static gemp_code search_with_rows(const gemp_resumable *job, gemp_match *match, gemp_match_result *result,
                                  uint64_t *rows)
{
	GEMP_OWNED_BY(free_sink) gemp_sink sink = { 0 };
	GEMP_OWNED char *name = NULL, *path = NULL;
	gemp_rows_options options = job->rows;
	gemp_code code = shard_name(&name, job->checkpoint, job->checkpoint->finished);
	GEMP_THEN(gemp_checkpoint_store_path(&path, &job->checkpoint->store, name));
	GEMP_TRY(gemp_comm_agree(job->runtime->comm, code));
	options.path = path;
	GEMP_TRY(gemp_rows_new(&sink, job->runtime, job->graph, job->pattern, &options));
	GEMP_TRY(gemp_match_run(match, &sink, result));
	*rows = gemp_rows_written(&sink);
	return GEMP_OK;
}

/* Adds the counters of one more step. Sizes and shares become the values of the last step. The checkpoint adds the
 * matches. */
static void add_result(gemp_match_result *total, const gemp_match_result *one)
{
	gemp_match_result sum = *one;
	sum.launches += total->launches;
	sum.stages_launched += total->stages_launched;
	sum.rounds += total->rounds;
	sum.values_referred += total->values_referred;
	*total = sum;
}

/* Collective. Searches the next `count` parts. */
static gemp_code search_parts(const gemp_resumable *job, gemp_match *match, uint32_t count, gemp_match_result *total)
{
	gemp_match_result one = { 0 };
	uint64_t rows = 0;
	const gemp_pivot_part part = { job->checkpoint->finished, count, job->checkpoint->parts };
	GEMP_TRY(gemp_comm_agree(job->runtime->comm, gemp_pivot_part_set(match, &part)));
	GEMP_TRY(job->lists ? search_with_rows(job, match, &one, &rows) : gemp_match_run(match, NULL, &one));
	add_result(total, &one);
	return gemp_comm_agree(job->runtime->comm, add_parts(job->checkpoint, count, &one, rows));
}

/* Returns the number of parts for the next step, after a step of `count` parts that took `seconds`. The number changes
 * gradually until a step takes wanted_seconds, since parts differ in cost. */
static uint32_t next_count(uint32_t count, double seconds)
{
	if (seconds < wanted_seconds / 4)
		return count * 4;
	if (seconds < wanted_seconds / 2)
		return count * 2;
	return seconds > 2 * wanted_seconds && count > 1 ? count / 2 : count;
}

/* Local. The results of parts can be added only if all jobs use the same plan and each match is found from exactly one
 * pivot. */
static gemp_code check_plan(gemp_checkpoint *c, const gemp_match *match)
{
	uint64_t plan = gemp_pivot_plan(match);
	if (gemp_pivot_parts_overlap(match))
		return gemp_fail(GEMP_EUSAGE,
		                 "checkpoint: these matches are deduplicated by a hash over the whole search, so "
		                 "that parts do not add up; break symmetry with distinct orbit or none, or leave the "
		                 "checkpoint out");
	if (c->finished && plan != c->plan)
		return gemp_fail(GEMP_EUSAGE,
		                 "resume: the search in %s followed another plan (%016" PRIx64 ", now %016" PRIx64
		                 "); go on with the program that began it, or name another folder",
		                 c->store.folder, c->plan, plan);
	c->plan = plan;
	c->order_count = gemp_pivot_order(match, c->order);
	return GEMP_OK;
}

static void report_progress(const gemp_checkpoint *c, double *reported)
{
	if (gemp_now() - *reported < seconds_to_report)
		return;
	*reported = gemp_now();
	gemp_log(GEMP_NORMAL, "%.1f %% of the search is done, %" GEMP_PRICOUNT " matches so far",
	         100.0 * c->finished / c->parts, c->matches);
}

/* Collective. Executes at least one step. Otherwise jobs that are stopped while they load the graph would never finish
 * the search. */
static gemp_code search_all(const gemp_resumable *job, gemp_match *match, gemp_match_result *total)
{
	gemp_checkpoint *c = job->checkpoint;
	gemp_stop stop = { 0 };
	uint32_t count = 1;
	double unsaved = 0, reported = gemp_now();
	GEMP_TRY(gemp_comm_agree(job->runtime->comm, check_plan(c, match)));
	while (c->finished < c->parts && !gemp_stop_wanted(&stop)) {
		double since = gemp_now();
		count = (uint32_t)gemp_min(count, c->parts - c->finished);
		GEMP_TRY(search_parts(job, match, count, total));
		stop = gemp_stop_poll(job->runtime->comm, job->start_time, job->max_seconds, since);
		count = next_count(count, stop.seconds);
		unsaved += stop.seconds;
		report_progress(c, &reported);
		if (unsaved < seconds_to_save && c->finished < c->parts)
			continue;
		GEMP_TRY(save_state(c, gemp_now() - job->start_time));
		unsaved = 0;
	}
	if (c->finished == c->parts)
		return GEMP_OK;
	GEMP_TRY(save_state(c, gemp_now() - job->start_time));
	return fail_stopped(c, &stop);
}

/* The rows are joined in one file before the checkpoint is removed, so a crash between the two steps loses no row. */
gemp_code gemp_resumable_run(const gemp_resumable *job, gemp_match_result *result)
{
	gemp_checkpoint *c = job->checkpoint;
	gemp_match *match = gemp_prepared_match(job->query);
	if (!match) {
		gemp_log(GEMP_NORMAL, "counted by sums in one step: there is nothing to keep before it is done; a count "
		                      "by enumeration has parts");
		GEMP_TRY(gemp_prepared_run(job->query, NULL, result));
		return gemp_checkpoint_store_remove(&c->store, prefix);
	}
	gemp_code code = search_all(job, match, result);
	if (code != GEMP_OK && code != GEMP_STOPPED && !c->finished)
		gemp_checkpoint_store_remove(&c->store, prefix); /* a search that was refused must leave no folder */
	GEMP_TRY(code);
	if (job->lists)
		GEMP_TRY(join_rows(c, job->rows.path));
	GEMP_TRY(gemp_checkpoint_store_remove(&c->store, prefix));
	result->matches = c->matches;
	result->embeddings = c->embeddings;
	result->embeddings_known = c->embeddings_known;
	result->embeddings_reason = c->embeddings_known ? NULL : "more than 2^64 - 1";
	result->pivots = c->pivots;
	result->complete = true;
	return GEMP_OK;
}

void gemp_resumable_report(gemp_report *report, const gemp_checkpoint *c, bool complete)
{
	gemp_report_set(report, "checkpoint",
	                json_pack("{s:s, s:o, s:i, s:i, s:f}", "folder", c->store.folder, "jobs", gemp_json_count(c->runs),
	                          "parts", (int)c->parts, "finished", (int)c->finished, "seconds_before", c->seconds));
	if (complete)
		return;
	gemp_report_set(report, "complete", json_false());
	gemp_report_set(report, "matches", gemp_json_count(c->matches));
	gemp_report_set(report, "rows", gemp_json_count(c->rows));
}
