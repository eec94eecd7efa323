#include "command/in_parts.h"

#include "command/quantity.h"
#include "command/stop.h"
#include "core/log.h"
#include "core/memory.h"
#include "match/pivot_part.h"
#include "query/clause.h"

#include <inttypes.h>
#include <string.h>

static const double wanted_seconds = 1;    /* of a step: so long a wish to stop may have to wait */
static const double seconds_to_save = 2;   /* between two saves */
static const double seconds_to_tell = 30;  /* between two words of how far it is */

/* REFUSALS */
gemp_code gemp_in_parts_check(const gemp_options *options, size_t queries)
{
	static const struct {
		const char *option, *why;
	} others[] = {
		{ "limit", "a search that may end early has no parts that add up; leave the limit out" },
		{ "subgraph", "what matches cover is known when all are found; write rows" },
		{ "estimate", "samples are taken anew in each run" },
		{ "count-per", "counts by vertex are kept on the device; write RETURN v, count(*) without --checkpoint" },
		{ "profile", "a profile is of one run" },
	};
	if (!options->checkpoint)
		return gemp_keeping_check(options);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (gemp_options_given(options, others[i].option))
			return gemp_fail(GEMP_EUSAGE, "--checkpoint does not go with --%s: %s", others[i].option, others[i].why);
	if (queries != 1)
		return gemp_fail(GEMP_EUSAGE, "--checkpoint is for one query, and there are several; ask them one by one, each "
		                 "with a folder of its own");
	const char *path = options->output, *dot = path ? strrchr(path, '.') : NULL;
	if (path && (!dot || (strcmp(dot, ".tsv") != 0 && strcmp(dot, ".csv") != 0 && strcmp(dot, ".jsonl") != 0)))
		return gemp_fail(GEMP_EUSAGE, "--checkpoint does not go with --output %s: rows of parts are put together as text; "
		                 "name a file that ends in .tsv, .csv or .jsonl", path);
	return GEMP_OK;
}

gemp_code gemp_in_parts_ready(const gemp_pattern *pattern)
{
	static const char remedy[] = "; ask without --checkpoint, or write the plain rows and go on from these";
	if (gemp_query_is_composed(pattern))
		return gemp_fail(GEMP_EUSAGE, "--checkpoint is for one search, and OPTIONAL MATCH, EXISTS, COUNT, paths of "
		                 "variable length and parts that no edge joins take several%s", remedy);
	if (gemp_clause_only_counts(pattern))
		return GEMP_OK;
	if (pattern->result.has_limit || pattern->result.has_skip)
		return gemp_fail(GEMP_EUSAGE, "--checkpoint does not go with LIMIT and SKIP: which rows come first is known when "
		                 "all are found%s", remedy);
	if (!gemp_clause_streams(pattern))
		return gemp_fail(GEMP_EUSAGE, "--checkpoint does not go with WITH, DISTINCT, aggregates and ORDER BY: rows of "
		                 "parts do not add up%s", remedy);
	return GEMP_OK;
}

/* STOPPING */
static gemp_code stopped(const gemp_checkpoint *c, const gemp_stop *stop)
{
	return gemp_fail(GEMP_STOPPED, "stopped by %s with %.1f %% of the search done, %s so far; "
	                 "the same command with --checkpoint %s --resume goes on", gemp_stop_name(stop),
	                 100.0 * c->finished / c->parts, gemp_counted(c->matches, "match").text, c->keeping.folder);
}

/* ONE STEP */
static gemp_code search_with_rows(const gemp_in_parts *job, gemp_match *match, gemp_match_result *result,
                                  uint64_t *rows)
{
	gemp_code code = GEMP_OK;
	gemp_sink sink = { 0 };
	gemp_rows_options options = job->rows;
	char *path = NULL;
	GEMP_TRY(gemp_comm_agree(job->context->comm,
	                         gemp_checkpoint_shard_path(&path, job->checkpoint, job->checkpoint->finished)));
	options.path = path;
	GEMP_TRY(gemp_rows_new(&sink, job->context, job->graph, job->pattern, &options));
	GEMP_TRY(gemp_match_run(match, &sink, result));
	*rows = gemp_rows_written(&sink);
done:
	if (sink.free)
		sink.free(sink.self);
	gemp_free(path);
	return code;
}

/* What one more run has found; of memory and the like the last or greatest stands. */
static void add_result(gemp_match_result *total, const gemp_match_result *one)
{
	gemp_match_result sum = *one;
	sum.launches += total->launches;
	sum.stages_launched += total->stages_launched;
	sum.rounds += total->rounds;
	sum.values_copied = one->values_copied;
	sum.values_referred += total->values_referred;
	*total = sum;
}

static gemp_code search(const gemp_in_parts *job, gemp_match *match, uint32_t count, gemp_match_result *total)
{
	gemp_code code = GEMP_OK;
	gemp_match_result one = { 0 };
	uint64_t rows = 0;
	const gemp_pivot_part part = { job->checkpoint->finished, count, job->checkpoint->parts };
	GEMP_TRY(gemp_comm_agree(job->context->comm, gemp_pivot_part_set(match, &part)));
	GEMP_TRY(job->lists ? search_with_rows(job, match, &one, &rows) : gemp_match_run(match, NULL, &one));
	add_result(total, &one);
	code = gemp_comm_agree(job->context->comm, gemp_checkpoint_add(job->checkpoint, count, &one, rows));
done:
	return code;
}

/* So many parts that they take about as long as wanted, after so many that took so long. */
static uint32_t next_count(uint32_t count, double seconds)
{
	if (seconds < wanted_seconds / 4)
		return count * 4;
	if (seconds < wanted_seconds / 2)
		return count * 2;
	return seconds > 2 * wanted_seconds && count > 1 ? count / 2 : count;
}

/* ALL STEPS */
static gemp_code check_plan(gemp_checkpoint *c, const gemp_match *match)
{
	uint64_t plan = gemp_pivot_plan(match);
	if (gemp_pivot_parts_overlap(match))
		return gemp_fail(GEMP_EUSAGE, "--checkpoint: these matches are deduplicated by a hash over the whole search, so "
		                 "that parts do not add up; use --symmetry break with --distinct orbit or none, or leave "
		                 "--checkpoint out");
	if (c->finished && plan != c->plan)
		return gemp_fail(GEMP_EUSAGE, "--resume: the search in %s followed another plan (%016" PRIx64 ", now %016" PRIx64
		                 "); go on with the program that began it, or name another folder", c->keeping.folder, c->plan, plan);
	c->plan = plan;
	c->order_count = gemp_pivot_order(match, c->order);
	return GEMP_OK;
}

static void tell_progress(const gemp_checkpoint *c, double *told)
{
	if (gemp_now() - *told < seconds_to_tell)
		return;
	*told = gemp_now();
	gemp_log(GEMP_NORMAL, "%.1f %% of the search is done, %" GEMP_PRICOUNT " matches so far",
	         100.0 * c->finished / c->parts, c->matches);
}

/* One step at least, or jobs that are always told to stop while they still load would never come to an end. */
static gemp_code search_all(const gemp_in_parts *job, gemp_match *match, gemp_match_result *total)
{
	gemp_code code = GEMP_OK;
	gemp_checkpoint *c = job->checkpoint;
	gemp_stop stop = { 0 };
	uint32_t count = 1;
	double unsaved = 0, told = gemp_now();
	GEMP_TRY(gemp_comm_agree(job->context->comm, check_plan(c, match)));
	while (c->finished < c->parts && !gemp_stop_wanted(&stop)) {
		uint32_t left = c->parts - c->finished;
		double since = gemp_now();
		count = count < left ? count : left;
		GEMP_TRY(search(job, match, count, total));
		stop = gemp_stop_ask(job->context->comm, job->began, job->most_seconds, since);
		count = next_count(count, stop.seconds);
		unsaved += stop.seconds;
		tell_progress(c, &told);
		if (unsaved < seconds_to_save && c->finished < c->parts)
			continue;
		GEMP_TRY(gemp_checkpoint_save(c, gemp_now() - job->began));
		unsaved = 0;
	}
	if (c->finished == c->parts)
		goto done;
	GEMP_TRY(gemp_checkpoint_save(c, gemp_now() - job->began));
	code = stopped(c, &stop);
done:
	return code;
}

gemp_code gemp_in_parts_run(const gemp_in_parts *job, gemp_match_result *result)
{
	gemp_code code = GEMP_OK;
	gemp_checkpoint *c = job->checkpoint;
	gemp_match *match = gemp_query_match(job->query);
	if (!match) {
		gemp_log(GEMP_NORMAL, "counted by sums in one step: there is nothing to keep before it is done; --count-by "
		         "enumerate has parts");
		GEMP_TRY(gemp_query_run(job->query, NULL, result));
		return gemp_checkpoint_remove(c);
	}
	GEMP_TRY(search_all(job, match, result));
	if (job->lists)
		GEMP_TRY(gemp_checkpoint_join(c, job->rows.path));
	GEMP_TRY(gemp_checkpoint_remove(c));
	result->matches = c->matches;
	result->embeddings = c->embeddings;
	result->embeddings_known = c->embeddings_known;
	result->embeddings_reason = c->embeddings_known ? NULL : "more than 2^64 - 1";
	result->pivots = c->pivots;
	result->complete = true;
done:
	if (code != GEMP_OK && code != GEMP_STOPPED && !c->finished)
		gemp_checkpoint_remove(c);
	return code;
}

void gemp_in_parts_report(gemp_report *report, const gemp_checkpoint *c, bool complete)
{
	gemp_report_set(report, "checkpoint", json_pack("{s:s, s:o, s:i, s:i, s:f}", "folder", c->keeping.folder, "jobs",
	                                                gemp_json_count(c->runs), "parts", (int)c->parts,
	                                                "finished", (int)c->finished, "seconds_before", c->seconds));
	if (complete)
		return;
	gemp_report_set(report, "complete", json_false());
	gemp_report_set(report, "matches", gemp_json_count(c->matches));
	gemp_report_set(report, "rows", gemp_json_count(c->rows));
}
