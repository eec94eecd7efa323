/* motifs: gemp_graph_motifs counts the connected subgraphs of each isomorphism class.
 *
 * Each class is counted edge-induced. The vertex-induced counts follow from these counts by a triangular system
 * (query/query.h). */

#include "api/match/query.h"
#include "api/report.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "io/rows/row_writer.h"
#include "pattern/shapes/named_pattern.h"
#include "query/query.h"

#include <string.h>

_Static_assert((int)GEMP_MOTIFS_MAX == (int)GEMP_MAX_MOTIFS, "a census fits into the caller's array");

/* Local. *vertices becomes the number of vertices of the motifs. Only ISO and INDUCED are accepted, since matches under
 * other semantics are not subgraphs. */
static gemp_code check_motifs(const gemp_query_settings *settings, const char *name, int *vertices)
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

/* Local. Copies the count and the seconds of each class, with its pattern in the form that gemp_query_open_pattern
 * accepts. */
static gemp_code fill_motifs(gemp_motif *out, const gemp_census *census, const gemp_motifs *found)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text edges = { 0 };
	for (int k = 0; k < census->kinds; k++) {
		gemp_text_clear(&edges);
		gemp_census_text(census, k, &edges);
		out[k] = (gemp_motif){ .count = found->counts[k], .seconds = found->seconds[k] };
		snprintf(out[k].name, sizeof out[k].name, "%s", gemp_census_name(census, k));
		snprintf(out[k].pattern, sizeof out[k].pattern, "edges:%s", edges.data ? edges.data : "");
	}
	return gemp_text_status(&edges);
}

/* The pattern of a class is printed in the form that gemp_query_open_pattern accepts. */
static void report_motifs(gemp_report *report, const char *name, const gemp_census *census, const gemp_motif *motifs,
                          gemp_semantics semantics)
{
	json_t *list = json_array();
	gemp_report_print(report, "%d patterns of %d vertices, %s\n\n%22s  %8s  %-13s  pattern\n", census->kinds,
	                  census->vertices,
	                  semantics == GEMP_INDUCED ? "vertex-induced (no further edge among their vertices)"
	                                            : "edge-induced (any subgraph)",
	                  "count", "seconds", "name");
	for (int k = 0; k < census->kinds; k++) {
		gemp_report_print(report, "%22s  %8.3f  %-13s  %s\n", gemp_grouped(motifs[k].count).text, motifs[k].seconds,
		                  motifs[k].name, motifs[k].pattern);
		json_array_append_new(list, json_pack("{s:s,s:s,s:i,s:o,s:f}", "name", motifs[k].name, "pattern",
		                                      motifs[k].pattern, "edges", __builtin_popcount(census->edges[k]), "count",
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
	GEMP_TRY(gemp_query_settings_read(&settings, GEMP_QUERY_NAMED, given));
	GEMP_TRY(check_motifs(&settings, name, &vertices));
	const gemp_match_options how = gemp_query_search_options(&settings).match;
	const gemp_timers timers = gemp_graph_take_timers(graph);
	report = gemp_report_or(report, &none, graph->context);
	gemp_census_new(&census, vertices);
	GEMP_TRY(gemp_context_runtime(&runtime, graph->context, GEMP_NEED_DEVICES_LATER, &timers));
	gemp_report_graph(report, graph->shard);
	if (!settings.dry_run) {
		GEMP_TRY(gemp_motifs_count(&found, runtime, graph->shard, &census, &how));
		GEMP_TRY(gemp_comm_agree(report->comm, fill_motifs(out, &census, &found)));
		*count = (size_t)census.kinds;
		report_motifs(report, name, &census, out, settings.semantics);
	}
	return gemp_report_search(report, runtime, &runtime->timers, true);
}

/* ROWS */

enum { NAME, PATTERN, EDGES, COUNT, COLUMNS };

static gemp_code add_text(gemp_projected *column, const char *text)
{
	const gemp_value value = { .type = GEMP_STRING, .string = { text, strlen(text) } };
	return gemp_column_add(&column->value, &value);
}

/* Returns the number of edges in "edges:0-1,1-2". */
static uint64_t edges_in(const char *pattern)
{
	uint64_t edges = 0;
	for (const char *at = pattern; (at = strchr(at, '-')); at++)
		edges++;
	return edges;
}

/* Callback of the row writer. */
static gemp_code fill_rows(void *self, gemp_projected *columns, size_t first, size_t count)
{
	const gemp_motif *motifs = self;
	for (const gemp_motif *m = motifs + first; m < motifs + first + count; m++) {
		GEMP_TRY(add_text(&columns[NAME], m->name));
		GEMP_TRY(add_text(&columns[PATTERN], m->pattern));
		GEMP_TRY(gemp_row_fill_integer(&columns[EDGES], edges_in(m->pattern)));
		GEMP_TRY(gemp_row_fill_integer(&columns[COUNT], m->count));
	}
	return GEMP_OK;
}

/* All ranks have the counts, and rank 0 has all rows. */
gemp_code gemp_graph_motifs_write(gemp_graph *graph, const char *path, const gemp_motif *motifs, size_t count)
{
	static const gemp_row_column columns[COLUMNS] = {
		[NAME] = { "name", GEMP_STRING },
		[PATTERN] = { "pattern", GEMP_STRING },
		[EDGES] = { "edges", GEMP_INTEGER },
		[COUNT] = { "count", GEMP_INTEGER },
	};
	const gemp_comm *comm = &graph->context->comm;
	gemp_row_turns turns = { .comm = comm,
		                     .columns = columns,
		                     .count = COLUMNS,
		                     .fill = fill_rows,
		                     .self = (void *)motifs,
		                     .path = path,
		                     .info = gemp_row_info("motifs", graph->shard),
		                     .at_once = true };
	for (size_t i = 0; i < count; i++)
		if (motifs[i].count > INT64_MAX)
			return gemp_fail(GEMP_EDATA, "%s: the count exceeds 2^63 - 1, which no row can say; leave out --output",
			                 motifs[i].name);
	GEMP_TRY(gemp_rows_path_check(comm, "output", path));
	return gemp_row_turns_write(&turns, comm->rank == 0 ? count : 0);
}
