#include "cli/graph_job.h"

#include "api/context_state.h"
#include "api/rates.h"
#include "core/memory.h"
#include "device/tuning.h"
#include "io/graph_file/graph_file_read.h"

#include <string.h>

gemp_code gemp_graph_job_relations(bool **out, const gemp_comm *comm, const gemp_shard *graph,
                                   const gemp_options *options, const char *path)
{
	gemp_code code = GEMP_OK;
	const gemp_list *names = &options->only_relations;
	*out = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(*out, graph->relation_count)));
	for (size_t i = 0; i < graph->relation_count; i++)
		(*out)[i] = names->count == 0;
	for (size_t i = 0; i < names->count; i++) {
		gemp_relation *relation = gemp_shard_relation(graph, names->items[i]);
		if (!relation)
			return gemp_fail(GEMP_EUSAGE,
			                 "--relation %s: the graph has no such type of edges; `gemp-mpi info "
			                 "%s` lists them",
			                 names->items[i], path);
		(*out)[relation - graph->relations] = true;
	}
done:
	return code;
}

gemp_code gemp_graph_job_open(gemp_graph_job *out, gemp_comm *comm, const gemp_options *options, gemp_report *report)
{
	gemp_code code = GEMP_OK;
	*out = (gemp_graph_job){ .comm = comm, .options = options, .report = report };
	if (options->on == GEMP_PLACE_DEVICE && comm->size > 1)
		return gemp_fail(GEMP_EUSAGE,
		                 "--on device: %s works on the device of one rank, and these are %d; leave "
		                 "out --on, or start one rank",
		                 options->command->name, comm->size);
	double since = gemp_now();
	GEMP_TRY(gemp_graph_file_open(&out->graph, comm, options->arguments[0]));
	GEMP_TRY(gemp_graph_job_relations(&out->relations, comm, out->graph, options, options->arguments[0]));
	gemp_timers_add(&out->timers, GEMP_PHASE_READ, since);
	if (comm->size == 1 && options->on != GEMP_PLACE_HOST) {
		GEMP_TRY(gemp_context_runtime(&out->context, report->context, false, &out->timers));
		out->device = out->context->device;
	}
done:
	return code;
}

void gemp_graph_job_free(gemp_graph_job *chosen)
{
	gemp_shard_free(chosen->graph);
	gemp_free(chosen->relations);
	*chosen = (gemp_graph_job){ 0 };
}

gemp_code gemp_graph_job_rate(gemp_graph_job *chosen, bool on_device, double seconds, double transfers, uint64_t bytes)
{
	return gemp_report_rate(chosen->report, on_device ? chosen->device : NULL, seconds, transfers, bytes);
}

void gemp_graph_job_exchange(gemp_graph_job *chosen, const gemp_traffic *traffic, gemp_count edges)
{
	uint64_t sums[] = { traffic->bytes, traffic->messages }, rounds = traffic->rounds;
	if (chosen->comm->size == 1)
		return;
	gemp_comm_sum(chosen->comm, sums, 2);
	gemp_comm_max(chosen->comm, &rounds, 1);
	const gemp_traffic all = { sums[0], sums[1], rounds };
	double each = edges ? (double)sums[0] / (double)edges : 0;
	gemp_report_exchange(chosen->report, &all, -1, NULL);
	gemp_report_detail(chosen->report, "  %-10s %.2f bytes an edge\n", "", each);
	gemp_report_set(chosen->report, "bytes_per_edge", json_real(each));
}

gemp_code gemp_graph_job_report(gemp_graph_job *chosen)
{
	gemp_code code = GEMP_OK;
	gemp_report *report = chosen->report;
	gemp_report_graph(report, chosen->graph);
	GEMP_TRY(gemp_report_devices(report, chosen->context));
	gemp_report_seconds(report, &chosen->timers, false);
	gemp_report_memory(report, chosen->context ? gemp_runtime_device_peak(chosen->context) : 0);
done:
	return code;
}
