/* bfs: gemp_graph_bfs, a breadth-first search with its columns, its check and its report. The search itself is
 * analytics/traversal/bfs.h.
 */

#include "analytics/traversal/bfs.h"
#include "analytics/verify/verify.h"
#include "api/analytics/analysis.h"
#include "api/analytics/vertex_output.h"
#include "core/memory.h"
#include "core/quantity.h"

enum { SHOWN = 24 }; /* levels, for people */

static const char *const names[] = { "level", "parent" };

/* Collective. Vertices of each level: the frontiers. */
static gemp_code report_levels(gemp_analysis *a, const gemp_bfs_result *found)
{
	gemp_report *report = a->job.report;
	GEMP_OWNED uint64_t *sizes = NULL;
	int levels = (int)found->depth + 1;
	GEMP_TRY(gemp_comm_agree(a->job.comm, GEMP_NEW(sizes, (size_t)levels)));
	for (uint32_t v = 0; v < a->layout.own; v++)
		if (found->level[v] != GEMP_NO_LEVEL)
			sizes[found->level[v]]++;
	gemp_comm_sum(a->job.comm, sizes, levels);
	json_t *list = json_array();
	gemp_report_detail(report, "\n  %-10s %13s\n", "level", "vertices");
	for (int level = 0; level < levels; level++) {
		json_array_append_new(list, gemp_json_count(sizes[level]));
		if (level < SHOWN)
			gemp_report_detail(report, "  %-10d %13s\n", level, gemp_grouped(sizes[level]).text);
	}
	if (levels > SHOWN)
		gemp_report_detail(report, "  and %s\n", gemp_counted((uint64_t)levels - SHOWN, "more level").text);
	gemp_report_set(report, "levels", list);
	return GEMP_OK;
}

/* Collective. */
static gemp_code report_result(gemp_analysis *a, const gemp_bfs_result *found)
{
	gemp_report *report = a->job.report;
	const gemp_traversal_cost *cost = &found->cost;
	gemp_analysis_report_reached(a, found->reached);
	gemp_report_print(report, ", the farthest over %s\n", gemp_counted(found->depth, "edge").text);
	gemp_report_set(report, "reached", gemp_json_count(found->reached));
	gemp_report_set(report, "depth", gemp_json_count(found->depth));
	gemp_report_set(report, "pushes", gemp_json_count(found->pushes));
	gemp_report_set(report, "pulls", gemp_json_count(found->pulls));
	GEMP_TRY(report_levels(a, found));
	gemp_report_detail(report, "\n  %-10s %s, of which %s pulled\n", "rounds",
	                   gemp_grouped(found->pushes + found->pulls).text, gemp_grouped(found->pulls).text);
	gemp_analysis_report_stages(a, cost);
	const gemp_analysis_work work = { .seconds = cost->wall,
		                              .edges = a->layout.symmetric ? cost->edges / 2 : cost->edges,
		                              .iterations = cost->rounds,
		                              .traffic = cost->traffic };
	return gemp_analysis_report(a, &work);
}

/* Collective. */
static gemp_code verify(gemp_analysis *a, gemp_vertex source, const gemp_bfs_result *found)
{
	gemp_code code = GEMP_OK;
	const gemp_verify_edges edges = gemp_analysis_edges(a);
	double since = gemp_now();
	GEMP_OWNED void *level = NULL, *parent = NULL;
	if (!a->settings.verify)
		return GEMP_OK;
	code = gemp_analysis_by_row(&level, a, found->level, sizeof *found->level);
	GEMP_THEN(gemp_analysis_by_row(&parent, a, found->parent, sizeof *found->parent));
	GEMP_TRY(gemp_comm_agree(a->job.comm, code));
	GEMP_TRY(gemp_verify_bfs(&edges, source, level, parent, true));
	gemp_analysis_report_verified(
		a, "no edge leads farther than to the next level, and parents are the least one level before", since);
	return GEMP_OK;
}

gemp_code gemp_graph_bfs(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                         const gemp_analysis_settings *settings, gemp_report *report)
{
	gemp_code code = GEMP_OK;
	gemp_analysis a;
	gemp_bfs *engine = NULL;
	gemp_bfs_result found;
	gemp_vertex source;
	double build = 0;
	GEMP_TRY_DONE(gemp_analysis_begin(&a, "bfs", graph, edges, settings, report, names, 2));
	GEMP_TRY_DONE(gemp_analysis_source(&a, &source));
	GEMP_TRY_DONE(gemp_analysis_layout(&a, (gemp_layout_options){ .parts = GEMP_LAYOUT_IN | GEMP_LAYOUT_OUT }));
	GEMP_TRY_DONE(gemp_bfs_new(&engine, &a.layout, a.job.device, &(gemp_bfs_options){ .pass = a.settings.pass }));
	double prepared = gemp_bfs_prepare_seconds(engine, &build);
	gemp_analysis_add_prepared(&a, prepared, build);
	GEMP_TRY_DONE(gemp_bfs_run(engine, source, &found));
	gemp_analysis_add_search(&a, &found.cost);
	gemp_table *table = &a.columns->table;
	GEMP_TRY_DONE(
		gemp_comm_agree(a.job.comm, gemp_vertex_columns_u32(table, names[0], &a.layout, found.level, GEMP_NO_LEVEL)));
	GEMP_TRY_DONE(gemp_vertex_columns_keys(table, names[1], &a.layout, graph->shard, found.parent));
	GEMP_TRY_DONE(verify(&a, source, &found));
	GEMP_TRY_DONE(gemp_analysis_write(&a));
	if (a.job.reports)
		code = report_result(&a, &found);
done:
	gemp_bfs_free(engine);
	return gemp_analysis_end(&a, code, out);
}
