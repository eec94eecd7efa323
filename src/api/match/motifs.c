/* motifs: gemp_graph_motifs, the number of connected subgraphs of each kind.
 *
 * Each kind is counted edge-induced; vertex-induced counts follow from these by a triangular system (query/query.h).
 */

#include "query/query.h"

#include "api/match/query_state.h"
#include "api/report_state.h"
#include "core/quantity.h"

#include <string.h>

_Static_assert((int)GEMP_MOTIFS_MAX == (int)GEMP_MAX_MOTIFS, "a census fits into the caller's array");

/* Local. Other senses of a match do not count subgraphs. */
static gemp_code check(const gemp_query_settings *settings, const char *name, int *vertices)
{
	GEMP_TRY(gemp_census_named(name, vertices));
	if (!*vertices)
		return gemp_fail(GEMP_EUSAGE, "'%s' is not motifs:3, motifs:4 or motifs:5", name);
	if (settings->semantics != GEMP_ISO && settings->semantics != GEMP_INDUCED)
		return gemp_fail(GEMP_EUSAGE,
		                 "semantics %s: motifs are counted as subgraphs; say iso (edge-induced) or induced "
		                 "(vertex-induced)",
		                 gemp_semantics_name[settings->semantics]);
	if (settings->distinct == GEMP_BY_VERTICES || settings->distinct == GEMP_BY_NOTHING)
		return gemp_fail(GEMP_EUSAGE, "distinct %s: motifs are counted as subgraphs; leave it out",
		                 gemp_distinct_name[settings->distinct]);
	if (settings->checkpoint.folder)
		return gemp_fail(GEMP_EUSAGE, "checkpoint is for one query, and motifs are several; count one of them");
	return GEMP_OK;
}

/* Local. The kinds as patterns that gemp_query_open_pattern takes. */
static gemp_code fill(gemp_motif *out, const gemp_census *census, const gemp_motifs *found)
{
	gemp_text edges = { 0 };
	for (int k = 0; k < census->kinds; k++) {
		gemp_text_clear(&edges);
		gemp_census_text(census, k, &edges);
		out[k] = (gemp_motif){ .count = found->counts[k], .seconds = found->seconds[k] };
		snprintf(out[k].pattern, sizeof out[k].pattern, "edges:%s", edges.data ? edges.data : "");
	}
	gemp_code code = gemp_text_status(&edges);
	gemp_text_free(&edges);
	return code;
}

static void report_motifs(gemp_report *report, const char *name, const gemp_census *census, const gemp_motif *motifs,
                          gemp_semantics semantics)
{
	json_t *list = json_array();
	gemp_report_print(report, "%d patterns of %d vertices, %s\n\n%22s  %8s  pattern\n", census->kinds, census->vertices,
	                  semantics == GEMP_INDUCED ? "vertex-induced (no further edge among their vertices)"
	                                            : "edge-induced (any subgraph)",
	                  "count", "seconds");
	for (int k = 0; k < census->kinds; k++) {
		gemp_report_print(report, "%22s  %8.3f  %s\n", gemp_grouped(motifs[k].count).text, motifs[k].seconds,
		                  motifs[k].pattern);
		json_array_append_new(list, json_pack("{s:s,s:i,s:o,s:f}", "pattern", motifs[k].pattern, "edges",
		                                      __builtin_popcount(census->edges[k]), "count",
		                                      gemp_json_count(motifs[k].count), "seconds", motifs[k].seconds));
	}
	gemp_report_print(report, "\n");
	gemp_report_set(report, "query", json_string(name));
	gemp_report_set(report, "semantics", json_string(gemp_semantics_name[semantics]));
	gemp_report_set(report, "motifs", list);
}

gemp_code gemp_graph_motifs(gemp_graph *graph, const char *name, const gemp_query_settings *given, gemp_motif *out,
                            size_t *count, gemp_report *report)
{
	gemp_report none;
	gemp_runtime *runtime = NULL;
	gemp_query_settings settings;
	gemp_census census;
	gemp_motifs found = { 0 };
	int vertices;
	*count = 0;
	GEMP_TRY(gemp_query_settings_read(&settings, given));
	GEMP_TRY(check(&settings, name, &vertices));
	const gemp_match_options how = gemp_query_search_options(&settings).match;
	const gemp_timers timers = gemp_graph_take_timers(graph);
	report = gemp_report_or(report, &none, graph->context);
	gemp_census_new(&census, vertices);
	GEMP_TRY(gemp_context_runtime(&runtime, graph->context, true, &timers));
	gemp_report_graph(report, graph->shard);
	if (!settings.dry_run) {
		GEMP_TRY(gemp_motifs_count(&found, runtime, graph->shard, &census, &how));
		GEMP_TRY(gemp_comm_agree(report->comm, fill(out, &census, &found)));
		*count = (size_t)census.kinds;
		report_motifs(report, name, &census, out, settings.semantics);
	}
	gemp_report_seconds(report, &runtime->timers, true);
	GEMP_TRY(gemp_report_devices(report, runtime));
	gemp_report_memory(report, gemp_runtime_device_peak(runtime));
	return GEMP_OK;
}
