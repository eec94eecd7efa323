#include "cli/graph_job.h"

#include "api/context_state.h"
#include "api/rates.h"
#include "core/memory.h"
#include "device/tuning.h"
#include "io/graph_file/graph_file_read.h"

#include <string.h>

gemp_code gemp_graph_job_init(gemp_graph_job *out, gemp_context *context, const gemp_options *options,
                              gemp_report *report)
{
	*out = (gemp_graph_job){ .comm = &context->comm, .options = options, .report = report };
	if (options->on == GEMP_PLACE_DEVICE && context->comm.size > 1)
		return gemp_fail(GEMP_EUSAGE,
		                 "--on device: %s works on the device of one rank, and these are %d; leave "
		                 "out --on, or start one rank",
		                 options->command->name, context->comm.size);
	return GEMP_OK;
}

gemp_code gemp_graph_job_read(gemp_graph_job *job, const char *path)
{
	gemp_code code = GEMP_OK;
	double since = gemp_now();
	GEMP_TRY(gemp_graph_file_open(&job->graph, job->comm, path));
	GEMP_TRY(gemp_graph_job_relations(job, path));
	gemp_timers_add(&job->timers, GEMP_PHASE_READ, since);
done:
	return code;
}

gemp_code gemp_graph_job_relations(gemp_graph_job *job, const char *path)
{
	gemp_code code = GEMP_OK;
	const gemp_list *names = &job->options->only_relations;
	GEMP_TRY(gemp_comm_agree(job->comm, GEMP_NEW(job->relations, job->graph->relation_count)));
	for (size_t i = 0; i < job->graph->relation_count; i++)
		job->relations[i] = names->count == 0;
	for (size_t i = 0; i < names->count; i++) {
		gemp_relation *relation = gemp_shard_relation(job->graph, names->items[i]);
		if (!relation)
			return gemp_fail(GEMP_EUSAGE,
			                 "--relation %s: the graph has no such type of edges; `gemp-mpi info "
			                 "%s` lists them",
			                 names->items[i], path);
		job->relations[relation - job->graph->relations] = true;
	}
done:
	return code;
}

gemp_code gemp_graph_job_device(gemp_graph_job *job)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_context_runtime(&job->context, job->report->context, false, &job->timers));
	job->device = job->context->device;
done:
	return code;
}

gemp_code gemp_graph_job_open(gemp_graph_job *out, gemp_context *context, const gemp_options *options,
                              gemp_report *report)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_graph_job_init(out, context, options, report));
	GEMP_TRY(gemp_graph_job_read(out, options->arguments[0]));
	if (context->comm.size == 1 && options->on != GEMP_PLACE_HOST)
		GEMP_TRY(gemp_graph_job_device(out));
done:
	return code;
}

void gemp_graph_job_free(gemp_graph_job *job)
{
	gemp_shard_free(job->graph);
	gemp_free(job->relations);
	*job = (gemp_graph_job){ 0 };
}

gemp_code gemp_graph_job_rate(gemp_graph_job *job, bool on_device, double seconds, double transfers, uint64_t bytes)
{
	return gemp_report_rate(job->report, on_device ? job->device : NULL, seconds, transfers, bytes);
}

void gemp_graph_job_exchange(gemp_graph_job *job, const gemp_traffic *traffic, gemp_count edges)
{
	uint64_t sums[] = { traffic->bytes, traffic->messages }, rounds = traffic->rounds;
	if (job->comm->size == 1)
		return;
	gemp_comm_sum(job->comm, sums, 2);
	gemp_comm_max(job->comm, &rounds, 1);
	const gemp_traffic all = { sums[0], sums[1], rounds };
	double each = edges ? (double)sums[0] / (double)edges : 0;
	gemp_report_exchange(job->report, &all, -1, NULL);
	gemp_report_detail(job->report, "  %-10s %.2f bytes an edge\n", "", each);
	gemp_report_set(job->report, "bytes_per_edge", json_real(each));
}

gemp_code gemp_graph_job_resources(gemp_graph_job *job)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_report_devices(job->report, job->context));
	gemp_report_seconds(job->report, &job->timers, false);
	gemp_report_memory(job->report, job->context ? gemp_runtime_device_peak(job->context) : 0);
done:
	return code;
}

gemp_code gemp_graph_job_report(gemp_graph_job *job)
{
	gemp_report_graph(job->report, job->graph);
	return gemp_graph_job_resources(job);
}
