/* match_report: the result of a search as text and as JSON. Each function prints lines and sets fields; docs/plans.md
 * explains the fields. */

#include "api/match/match_times.h"

#include "core/quantity.h"

#include <string.h>

const char *const gemp_distinct_unit[] = { "orbits", "subgraphs", "vertex sets", "embeddings" };

void gemp_match_report_sense(gemp_report *report, const gemp_match_options *how)
{
	static const char *const allowed[] = { [GEMP_ISO] = "vertices and edges are distinct",
		                                   [GEMP_EDGE_ISO] = "edges are distinct, vertices may repeat",
		                                   [GEMP_HOM] = "vertices and edges may repeat",
		                                   [GEMP_INDUCED] = "vertices and edges are distinct, and no further edge "
		                                                    "joins the vertices" };
	static const char *const one[] = {
		[GEMP_BY_ORBIT] = "embeddings that a symmetry of the pattern exchanges are one match",
		[GEMP_BY_SUBGRAPH] = "embeddings of one subgraph are one match",
		[GEMP_BY_VERTICES] = "embeddings on the same vertices are one match",
		[GEMP_BY_NOTHING] = "each embedding is a match"
	};
	char sense[192];
	const bool usual = how->semantics == GEMP_EDGE_ISO && how->distinct == GEMP_BY_NOTHING;
	snprintf(sense, sizeof sense, "%s; %s%s", allowed[how->semantics], one[how->distinct],
	         usual ? " (openCypher)" : "");
	gemp_report_print(report, "%s\n", sense);
	gemp_report_set(report, "sense", json_string(sense));
}

/* Prints '17,068,454 matches (orbits) = 409,642,896 embeddings', and where the rows are. */
static void print_counts(const gemp_report *report, const gemp_match_report *found)
{
	const gemp_match_result *result = found->result;
	if (found->preview && found->shown < found->rows)
		gemp_report_print(report, "... (%s of %s rows; --output FILE writes all)\n", gemp_grouped(found->shown).text,
		                  gemp_grouped(found->rows).text);
	if (found->preview)
		gemp_report_print(report, "\n");
	gemp_report_print(report, "%s (%s)", gemp_counted(result->matches, "match").text,
	                  gemp_distinct_unit[found->how->distinct]);
	if (!result->complete)
		gemp_report_print(report, ", stopped at the limit: there may be more\n");
	else if (result->embeddings_known)
		gemp_report_print(report, " = %s\n", gemp_counted(result->embeddings, "embedding").text);
	else
		gemp_report_print(report, "; embeddings were not counted: %s\n", result->embeddings_reason);
	if (found->path && strcmp(found->path, "-") != 0)
		gemp_report_print(report, "%s in %s\n", gemp_counted(found->rows, "row").text, found->path);
	if (found->subgraph)
		gemp_report_print(report, "%s and %s in %s\n", gemp_counted(found->covered_vertices, "vertex").text,
		                  gemp_counted(found->covered_edges, "edge").text, found->subgraph);
}

/* `complete` is false if a limit ended the search, or if SKIP or LIMIT omitted rows of an unordered result. */
static void set_counts(gemp_report *report, const gemp_match_report *found)
{
	const gemp_match_result *result = found->result;
	gemp_report_set(report, "query", json_string(found->query));
	gemp_report_set(report, "semantics", json_string(gemp_semantics_name[found->how->semantics]));
	gemp_report_set(report, "distinct", json_string(gemp_distinct_name[found->how->distinct]));
	gemp_report_set(report, "matches", gemp_json_count(result->matches));
	gemp_report_set(report, "embeddings", result->embeddings_known ? gemp_json_count(result->embeddings) : json_null());
	if (!result->embeddings_known)
		gemp_report_set(report, "embeddings_reason", json_string(result->embeddings_reason));
	gemp_report_set(report, "rows", gemp_json_count(found->rows));
	gemp_report_set(report, "complete", json_boolean(result->complete && !found->truncated));
	if (found->subgraph)
		gemp_report_set(report, "subgraph",
		                json_pack("{s:s,s:o,s:o}", "file", found->subgraph, "vertices",
		                          gemp_json_count(found->covered_vertices), "edges",
		                          gemp_json_count(found->covered_edges)));
}

/* Reports the order in which vertices were bound, and with a profile also the reads of each step. */
static void report_plan(gemp_report *report, const gemp_match_report *found)
{
	const gemp_match_result *result = found->result;
	json_t *order = json_array();
	for (int i = 0; i < result->order_count; i++)
		json_array_append_new(order, json_integer(result->order[i]));
	gemp_report_set(report, "order", order);
	if (!found->how->profile)
		return;
	gemp_report_set_counts(report, { "entries_read", result->entries_read }, { "rows_passed", result->rows_passed },
	                       { "lookups", result->lookups });
	if (!found->profile)
		return;
	gemp_report_detail(report, "  %-10s %s entries of rows read, %s\n", "work", gemp_grouped(result->entries_read).text,
	                   gemp_counted(result->lookups, "lookup").text);
}

/* result_fill shows whether the result buffer is too small. If each launch nearly fills it, workers wait for the next
 * launch. */
static void report_launches(gemp_report *report, const gemp_match_result *result)
{
	gemp_report_set_counts(report, { "launches", result->launches }, { "pivots", result->pivots });
	gemp_report_set(report, "result_fill", json_real((double)result->result_fill_percent / 100));
	gemp_report_set(report, "searched_on", json_string(result->on_host ? "host" : "device"));
	if (result->on_host)
		gemp_report_detail(report, "  %-10s from %s, by threads of the host", "search",
		                   gemp_counted(result->pivots, "pivot").text);
	else
		gemp_report_detail(report, "  %-10s %s from %s", "launches", gemp_grouped(result->launches).text,
		                   gemp_counted(result->pivots, "pivot").text);
	if (result->early_pivots) {
		gemp_report_set(
			report, "early_search",
			json_pack("{s:o,s:f}", "pivots", gemp_json_count(result->early_pivots), "seconds", result->early_seconds));
		gemp_report_detail(report, "; threads of the host searched from %s while the kernel was compiled",
		                   gemp_grouped(result->early_pivots).text);
	}
	if (result->checked_pivots) {
		json_t *check = json_object();
		gemp_json_set_counts(check, { "pivots", result->checked_pivots }, { "matches", result->checked_matches });
		gemp_report_set(report, "sample_check", check);
		gemp_report_detail(report, "; the host counts the same for %s",
		                   gemp_counted(result->checked_pivots, "pivot").text);
	}
	if (result->result_fill_percent)
		gemp_report_detail(report, "; result buffer %s %% full on average",
		                   gemp_grouped(result->result_fill_percent).text);
	gemp_report_detail(report, "\n");
}

/* Reports the share of matches inside one of P random parts. This is the share of matches that would stay within one of
 * P ranks. */
static void report_pivot_parts(gemp_report *report, const gemp_match_result *result)
{
	json_t *parts = json_object();
	gemp_report_detail(report, "  %-10s", "one part");
	for (int i = 0; i < GEMP_PART_STEPS; i++) {
		char name[16];
		snprintf(name, sizeof name, "%d", 1 << i);
		json_object_set_new(parts, name, json_real(result->part_share[i]));
		gemp_report_detail(report, "%s %s: %.3g %%", i ? "," : "", name, 100 * result->part_share[i]);
	}
	gemp_report_detail(report, " (parts: share of matches inside one)\n");
	gemp_report_set(report, "part_share", parts);
}

/* Reports the bytes of the device for the graph, for results and for attributes. */
static void report_device_memory(gemp_report *report, const gemp_match_result *result)
{
	gemp_report_set(report, "device_memory",
	                gemp_json_counts({ "graph", result->graph_bytes }, { "result_buffer", result->result_bytes },
	                                 { "attributes", result->attribute_bytes }));
	gemp_report_detail(report, "  %-10s of the device: graph %s, result buffers %s, attributes %s\n", "memory",
	                   gemp_shown_bytes(result->graph_bytes).text, gemp_shown_bytes(result->result_bytes).text,
	                   gemp_shown_bytes(result->attribute_bytes).text);
}

/* Reports how evenly the ranks were loaded, or their devices if ranks have several devices. */
static void report_imbalance(gemp_report *report, const gemp_runtime *runtime, const gemp_match_result *result)
{
	gemp_report_set(report, "imbalance",
	                json_pack("{s:f,s:f}", "kernel", result->kernel_imbalance, "matches", result->match_imbalance));
	if (runtime->devices > 1)
		gemp_report_detail(report, "  %-10s %.2f in kernel seconds, %.2f in matches (greatest %s over the mean)\n",
		                   "imbalance", result->kernel_imbalance, result->match_imbalance,
		                   runtime->devices > (size_t)runtime->comm->size ? "device" : "rank");
}

/* Collective. The JSON of each run has the counters of single mechanisms. Without a profile the text has only the
 * imbalance. */
static void report_profile(gemp_report *report, const gemp_match_report *found)
{
	const gemp_match_result *result = found->result;
	uint64_t builds = gemp_comm_sum1(report->comm, found->runtime->program_builds);
	gemp_report_set(report, "attribute_values",
	                gemp_json_counts({ "copied", result->values_copied }, { "referred", result->values_referred }));
	report_imbalance(report, found->runtime, result);
	gemp_report_set_counts(
		report, { "distinct_passes", result->distinct_passes }, { "duplicates_left_out_by_devices", result->left_out },
		{ "stages_launched", result->stages_launched }, { "program_builds", builds },
		{ "rows_grouped_by_devices", result->grouped_rows }, { "groups_of_devices", result->groups });
	if (!found->profile)
		return;
	gemp_report_detail(report, "  %-10s %s values copied to devices; results refer to %s\n", "attributes",
	                   gemp_grouped(result->values_copied).text, gemp_grouped(result->values_referred).text);
	gemp_report_detail(report, "  %-10s passes of distinct %s, later stages launched %s, kernels built %s\n", "steps",
	                   gemp_grouped(result->distinct_passes).text, gemp_grouped(result->stages_launched).text,
	                   gemp_grouped(builds).text);
	if (result->grouped_rows)
		gemp_report_detail(report, "  %-10s %s rows grouped on devices; %s groups reached the hosts\n", "groups",
		                   gemp_grouped(result->grouped_rows).text, gemp_grouped(result->groups).text);
	if (found->how->count_parts)
		report_pivot_parts(report, result);
}

/* The number of bytes before coding shows how much the coding of partial matches saves. */
static void report_push(gemp_report *report, json_t *object, const gemp_match_result *result)
{
	gemp_json_set_counts(object, { "match_bytes", result->item_bytes },
	                     { "match_bytes_uncoded", result->item_words_bytes });
	gemp_report_detail(report, "  %-10s partial matches in %s (%s before coding)\n", "push",
	                   gemp_shown_bytes(result->item_bytes).text, gemp_shown_bytes(result->item_words_bytes).text);
}

/* Reports how the search obtained rows of other ranks, or rows that do not fit on the device at once. */
static void report_exchange(gemp_report *report, const gemp_match_result *result)
{
	static const char *const how[] = {
		[GEMP_EXCHANGE_AUTO] = "none", [GEMP_EXCHANGE_PUSH] = "push", [GEMP_EXCHANGE_PULL] = "pull"
	};
	json_t *object = json_object_get(report->json, "exchange");
	json_object_set_new(object, "how", json_string(how[result->exchange]));
	if (result->exchange_weighed)
		gemp_json_set_counts(object, { "expected_row_bytes", result->expected_row_bytes },
		                     { "expected_match_bytes", result->expected_item_bytes });
	if (result->exchange == GEMP_EXCHANGE_PUSH)
		report_push(report, object, result);
	if (result->exchange != GEMP_EXCHANGE_PULL)
		return;
	gemp_json_set_counts(object, { "pull_rounds", result->pull_rounds },
	                     { "pivots_in_parts", result->oversized_pivots }, { "rows_read", result->rows_read },
	                     { "rows_fetched", result->rows_fetched }, { "row_bytes", result->row_bytes },
	                     { "row_bytes_uncoded", result->row_words_bytes });
	gemp_report_detail(report, "  %-10s %s; %s fetched, in %s (%s before coding); %s in parts\n", "pull",
	                   gemp_counted(result->pull_rounds, "round").text, gemp_counted(result->rows_fetched, "row").text,
	                   gemp_shown_bytes(result->row_bytes).text, gemp_shown_bytes(result->row_words_bytes).text,
	                   gemp_counted(result->oversized_pivots, "pivot").text);
}

/* Collective. Results come first, then seconds and devices, then the figures that explain them. */
gemp_code gemp_match_report_write(gemp_report *report, const gemp_match_report *found)
{
	gemp_traffic traffic = found->result->traffic;
	traffic.rounds = found->result->rounds;
	report->context->reported = gemp_now();
	if (report->unwanted)
		return GEMP_OK;
	print_counts(report, found);
	gemp_match_report_sense(report, found->how);
	set_counts(report, found);
	gemp_match_times_report(report, found);
	gemp_report_seconds(report, &found->runtime->timers, true);
	GEMP_TRY(gemp_report_devices(report, found->runtime));
	GEMP_TRY(gemp_report_work(report, found->runtime));
	GEMP_TRY(gemp_report_by_rank(report, found->runtime, found->how->profile));
	report_launches(report, found->result);
	gemp_match_launches_report(report, found);
	report_plan(report, found);
	gemp_report_exchange(report, &traffic, found->result->local_share,
	                     found->result->exchange == GEMP_EXCHANGE_PULL ? "the rows read were at hand"
	                                                                   : "the matches never crossed ranks");
	report_exchange(report, found->result);
	gemp_report_memory(report, found->result->device_peak);
	report_device_memory(report, found->result);
	gemp_match_residual_report(report, found);
	report_profile(report, found);
	return GEMP_OK;
}
