#include "command/census.h"

#include "command/answer.h"
#include "command/found.h"
#include "command/quantity.h"
#include "query/motifs.h"

gemp_code gemp_census_check(const gemp_options *options)
{
	static const char *const others[] = { "output", "subgraph", "limit", "order", "explain", "profile", "symmetry",
		"pivot", "estimate", "count-per" };
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (gemp_options_given(options, others[i]))
			return gemp_fail(GEMP_EUSAGE,
			                 "--%s: --pattern %s counts many patterns, one after the other; count one of them with "
			                 "--pattern edges:...", others[i], options->pattern);
	if (options->semantics != GEMP_ISO && options->semantics != GEMP_INDUCED)
		return gemp_fail(GEMP_EUSAGE,
		                 "--semantics %s: motifs are counted as subgraphs; say iso (edge-induced) or induced "
		                 "(vertex-induced)", gemp_semantics_name[options->semantics]);
	if (options->distinct == GEMP_BY_VERTICES || options->distinct == GEMP_BY_NOTHING)
		return gemp_fail(GEMP_EUSAGE, "--distinct %s: motifs are counted as subgraphs; leave it out",
		                 gemp_distinct_name[options->distinct]);
	return GEMP_OK;
}

static gemp_code report_kinds(gemp_report *report, const gemp_census *census, const gemp_motifs *motifs)
{
	gemp_code code = GEMP_OK;
	gemp_text edges = { 0 };
	json_t *list = json_array();
	bool induced = report->options->semantics == GEMP_INDUCED;
	gemp_report_print(report, "%d patterns of %d vertices, %s\n\n%22s  %8s  pattern\n", census->kinds, census->vertices,
	                  induced ? "vertex-induced (no further edge among their vertices)" : "edge-induced (any subgraph)",
	                  "count", "seconds");
	for (int k = 0; k < census->kinds; k++) {
		gemp_text_clear(&edges);
		gemp_text_print(&edges, "edges:");
		gemp_census_text(census, k, &edges);
		GEMP_TRY(gemp_text_status(&edges));
		gemp_report_print(report, "%22s  %8.3f  %s\n", gemp_grouped(motifs->counts[k]).text, motifs->seconds[k],
		                  edges.data);
		json_array_append_new(list, json_pack("{s:s,s:i,s:o,s:f}", "pattern", edges.data, "edges",
		                                      __builtin_popcount(census->edges[k]), "count",
		                                      gemp_json_count(motifs->counts[k]), "seconds", motifs->seconds[k]));
	}
	gemp_report_print(report, "\n");
	gemp_report_set(report, "query", json_string(report->options->pattern));
	gemp_report_set(report, "semantics", json_string(gemp_semantics_name[report->options->semantics]));
	gemp_report_set(report, "motifs", json_incref(list));
done:
	json_decref(list);
	gemp_text_free(&edges);
	return code;
}

gemp_code gemp_census_answer(gemp_report *report, gemp_comm *comm, gemp_graph *graph, int vertices,
                             const gemp_timers *timers)
{
	gemp_code code = GEMP_OK;
	const gemp_options *options = report->options;
	gemp_context *context = NULL;
	gemp_census census;
	gemp_motifs motifs = { 0 };
	const gemp_match_options how = { .semantics = (gemp_semantics)options->semantics,
		.count_by_formula = options->count_by == 0, .replicate = options->replicate,
		.crossing = (gemp_crossing_way)options->exchange,
		.launch_factor = options->launch_factor, .lanes = (int)options->lanes };
	gemp_census_new(&census, vertices);
	GEMP_TRY(gemp_answer_context(&context, comm, options, timers));
	gemp_report_graph(report, graph);
	if (!options->dry_run)
		GEMP_TRY(gemp_motifs_count(&motifs, context, graph, &census, &how));
	if (!options->dry_run)
		GEMP_TRY(gemp_comm_agree(comm, report_kinds(report, &census, &motifs)));
	gemp_report_seconds(report, &context->timers, true);
	GEMP_TRY(gemp_report_devices(report, context));
	gemp_report_memory(report, gemp_context_device_peak(context));
done:
	gemp_context_free(context);
	return code;
}
