#include "api/edge_job.h"

#include "api/rates.h"
#include "core/memory.h"

void gemp_edge_selection_init(gemp_edge_selection *selection)
{
	*selection = (gemp_edge_selection){ .size = sizeof *selection };
}

gemp_code gemp_edge_job_begin(gemp_edge_job *out, gemp_graph *graph, const gemp_edge_selection *edges,
                              gemp_report *report)
{
	*out = (gemp_edge_job){ .graph = graph,
		                    .shard = graph->shard,
		                    .comm = &graph->context->comm,
		                    .reports = report != NULL,
		                    .timers = gemp_graph_take_timers(graph) };
	out->report = gemp_report_or(report, &out->none, graph->context);
	gemp_edge_selection_init(&out->edges);
	if (edges)
		gemp_options_copy(&out->edges, sizeof out->edges, edges);
	if ((unsigned)out->edges.direction > GEMP_EITHER_WAY)
		return gemp_fail(GEMP_EUSAGE, "direction %d is none of gemp_edge_direction", (int)out->edges.direction);
	return gemp_graph_select(&out->relations, graph, &out->edges);
}

gemp_code gemp_edge_job_device(gemp_edge_job *job)
{
	GEMP_TRY(gemp_context_runtime(&job->runtime, job->graph->context, false, &job->timers));
	job->device = job->runtime->device;
	return GEMP_OK;
}

gemp_code gemp_edge_job_check_place(const gemp_edge_job *job, gemp_placement place)
{
	if (place != GEMP_PLACE_DEVICE || job->comm->size == 1)
		return GEMP_OK;
	return gemp_fail(
		GEMP_EUSAGE,
		"on device: this works on the device of one rank, and these are %d; leave the choice to the program, "
		"or start one rank",
		job->comm->size);
}

gemp_code gemp_edge_job_place(gemp_edge_job *job, gemp_placement place)
{
	GEMP_TRY(gemp_edge_job_check_place(job, place));
	return job->comm->size == 1 && place != GEMP_PLACE_HOST ? gemp_edge_job_device(job) : GEMP_OK;
}

void gemp_edge_job_free(gemp_edge_job *job)
{
	gemp_free(job->relations);
}

gemp_code gemp_edge_job_rows(gemp_edge_job *job, bool directed, gemp_csr **out, size_t **relation, size_t *count)
{
	gemp_shard *shard = job->shard;
	double since = gemp_now();
	gemp_code code = GEMP_NEW(*out, shard->relation_count);
	*count = 0;
	if (relation)
		GEMP_THEN(GEMP_NEW(*relation, shard->relation_count));
	GEMP_TRY(gemp_comm_agree(job->comm, code));
	for (size_t r = 0; r < shard->relation_count; r++) {
		if (!job->relations[r] || (directed && !shard->relations[r].directed))
			continue;
		GEMP_TRY(gemp_shard_load_relation(shard, r, GEMP_LOAD_OUT));
		if (relation)
			(*relation)[*count] = r;
		(*out)[(*count)++] = gemp_csr_out(shard, r);
	}
	gemp_timers_add(&job->timers, GEMP_PHASE_READ, since);
	return GEMP_OK;
}

gemp_code gemp_edge_job_rate(gemp_edge_job *job, bool on_device, double seconds, double transfers, uint64_t bytes)
{
	return gemp_report_rate(job->report, on_device ? job->device : NULL, seconds, transfers, bytes);
}

void gemp_edge_job_exchange(gemp_edge_job *job, const gemp_traffic *traffic, gemp_count edges)
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

gemp_code gemp_edge_job_resources(gemp_edge_job *job)
{
	GEMP_TRY(gemp_report_devices(job->report, job->runtime));
	gemp_report_seconds(job->report, &job->timers, false);
	gemp_report_memory(job->report, job->runtime ? gemp_runtime_device_peak(job->runtime) : 0);
	return GEMP_OK;
}

gemp_code gemp_edge_job_report(gemp_edge_job *job)
{
	gemp_report_graph(job->report, job->shard);
	return gemp_edge_job_resources(job);
}
