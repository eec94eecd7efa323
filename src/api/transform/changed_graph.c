#include "api/transform/changed_graph.h"

#include "partition/derived/canonical.h"

gemp_code gemp_changed_graph_canonical(gemp_shard **graph, const gemp_comm *comm, bool string_keys)
{
	GEMP_TRY(gemp_shard_load_outgoing(*graph));
	return gemp_shard_canonical(graph, comm, string_keys);
}

gemp_code gemp_changed_graph_write(gemp_graph *graph, const gemp_runtime *runtime, const char *output,
                                   const gemp_write_settings *write, gemp_report *report)
{
	gemp_timers *timers = &graph->timers;
	for (int phase = 0; phase < GEMP_PHASES; phase++)
		timers->seconds[phase] += runtime->timers.seconds[phase];
	if (output)
		return gemp_graph_write(graph, output, write, report);
	const gemp_timers all = gemp_graph_take_timers(graph);
	gemp_report_graph(report, graph->shard);
	gemp_report_seconds(report, &all, false);
	gemp_report_memory(report, 0);
	return GEMP_OK;
}
