#include "command/estimate.h"

#include "command/found.h"
#include "command/quantity.h"
#include "core/memory.h"
#include "match/estimate.h"
#include "query/query.h"

#include <math.h>

static const double relative = 0.05; /* good enough */

gemp_code gemp_estimate_ready(const gemp_options *options, const gemp_pattern *pattern, gemp_match_options *how)
{
	static const char *const others[] = { "output", "subgraph", "limit", "profile" };
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (gemp_options_given(options, others[i]))
			return gemp_fail(GEMP_EUSAGE,
			                 "--%s: --estimate finds no matches, it estimates their number; leave one of them out",
			                 others[i]);
	if (pattern->result.has_limit || pattern->result.skip)
		return gemp_fail(GEMP_EUSAGE, "LIMIT and SKIP: --estimate is of all matches; leave them out of the query");
	if (gemp_query_is_composed(pattern))
		return gemp_fail(GEMP_EUSAGE, "--estimate is for one search; this query is composed of several");
	how->sampled = true;
	how->order_reads = gemp_estimate_order_reads(options->estimate_seconds);
	how->listed = how->count_parts = false;
	how->attributes = GEMP_BEFORE;
	if (!gemp_options_given(options, "distinct") && (how->semantics == GEMP_HOM || how->semantics == GEMP_EDGE_ISO))
		how->distinct = GEMP_BY_NOTHING;
	return GEMP_OK;
}

static void print_estimate(const gemp_report *report, const gemp_estimate *e, gemp_distinct distinct)
{
	if (e->confidence >= 1)
		gemp_report_print(report, "%.0f match%s (all were visited)", e->matches,
		                  e->matches == 1 ? "" : "es"); /* as a double: it may be more than integers hold */
	else if (e->matches <= 0)
		gemp_report_print(report, "≈ 0 matches: none was met");
	else
		gemp_report_print(report, "≈ %.4g ± %.2g %% (%.0f %%) matches", e->matches,
		                  100 * (e->high - e->matches) / e->matches, 100 * e->confidence);
	gemp_report_print(report, " (%s)", gemp_distinct_unit[distinct]);
	if (e->embeddings > 0 && distinct != GEMP_BY_NOTHING)
		gemp_report_print(report, " = %s%.*g embedding%s", e->confidence < 1 ? "≈ " : "", e->confidence < 1 ? 4 : 15,
		                  e->embeddings, e->embeddings == 1 ? "" : "s");
	gemp_report_print(report, "\nfrom %s in %.3f s\n", gemp_counted(e->samples, "partial match").text, e->seconds);
}

static void set_estimate(gemp_report *report, const gemp_estimate *e, uint64_t seed)
{
	json_t *object = json_object();
	json_object_set_new(object, "matches", json_real(e->matches));
	json_object_set_new(object, "low", json_real(e->low));
	json_object_set_new(object, "high", isfinite(e->high) ? json_real(e->high) : json_null());
	json_object_set_new(object, "embeddings", e->embeddings > 0 || e->matches <= 0 ? json_real(e->embeddings)
	                    : json_null());
	json_object_set_new(object, "confidence", json_real(e->confidence));
	json_object_set_new(object, "samples", gemp_json_count(e->samples));
	json_object_set_new(object, "seconds", json_real(e->seconds));
	json_object_set_new(object, "seed", gemp_json_count(seed));
	gemp_report_set(report, "estimate", object);
}

/* Collective. */
static gemp_code explain(gemp_report *report, const gemp_match *match)
{
	char *plan = gemp_match_explain(match);
	gemp_code code = gemp_comm_agree(report->comm, plan ? GEMP_OK : GEMP_ENOMEM);
	if (code == GEMP_OK && report->options->explain)
		gemp_report_print(report, "%s\n", plan);
	if (code == GEMP_OK)
		gemp_report_set(report, "plan", json_string(plan));
	gemp_free(plan);
	return code;
}

gemp_code gemp_estimate_answer(gemp_report *report, gemp_context *context, gemp_graph *graph,
                               const gemp_pattern *pattern,
                               const gemp_match_options *how, const char *query)
{
	gemp_code code = GEMP_OK;
	gemp_match *match = NULL;
	gemp_estimate found;
	const gemp_estimate_options options = { relative, report->options->estimate_seconds, report->options->seed, 0 };
	GEMP_TRY(gemp_match_prepare(&match, context, graph, pattern, how));
	GEMP_TRY(explain(report, match));
	GEMP_TRY(gemp_match_sample(match, &options, &found));
	print_estimate(report, &found, how->distinct);
	gemp_report_set(report, "query", json_string(query));
	gemp_report_set(report, "semantics", json_string(gemp_semantics_name[how->semantics]));
	gemp_report_set(report, "distinct", json_string(gemp_distinct_name[how->distinct]));
	set_estimate(report, &found, options.seed);
	gemp_report_seconds(report, &context->timers, false);
	GEMP_TRY(gemp_report_devices(report, context));
	gemp_report_memory(report, gemp_context_device_peak(context));
done:
	gemp_match_free(match);
	return code;
}
