#include "command/chosen.h"

#include "command/answer.h"
#include "command/files.h"
#include "command/quantity.h"
#include "command/work_rate.h"
#include "core/memory.h"
#include "io/graph_file.h"
#include "primitive/place.h"

#include <string.h>

gemp_code gemp_relations_choose(bool **out, const gemp_comm *comm, const gemp_graph *graph, const gemp_options *options,
                                const char *path)
{
	gemp_code code = GEMP_OK;
	const gemp_list *names = &options->only_relations;
	*out = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(*out, graph->relation_count)));
	for (size_t i = 0; i < graph->relation_count; i++)
		(*out)[i] = names->count == 0;
	for (size_t i = 0; i < names->count; i++) {
		gemp_relation *relation = gemp_graph_relation(graph, names->items[i]);
		if (!relation)
			return gemp_fail(GEMP_EUSAGE,
			                 "--relation %s: the graph has no such type of edges; `gemp-mpi info "
			                 "%s` lists them", names->items[i], path);
		(*out)[relation - graph->relations] = true;
	}
done:
	return code;
}

gemp_code gemp_chosen_open(gemp_chosen *out, gemp_comm *comm, const gemp_options *options, gemp_report *report)
{
	gemp_code code = GEMP_OK;
	*out = (gemp_chosen){ .comm = comm, .options = options, .report = report };
	if (options->on == GEMP_PLACE_DEVICE && comm->size > 1)
		return gemp_fail(GEMP_EUSAGE,
		                 "--on device: %s works on the device of one rank, and these are %d; leave "
		                 "out --on, or start one rank", options->command->name, comm->size);
	double since = gemp_now();
	GEMP_TRY(gemp_graph_file_open(&out->graph, comm, options->arguments[0]));
	GEMP_TRY(gemp_relations_choose(&out->relations, comm, out->graph, options, options->arguments[0]));
	gemp_timers_add(&out->timers, GEMP_READ, since);
	if (comm->size == 1 && options->on != GEMP_PLACE_HOST) {
		GEMP_TRY(gemp_answer_context_of_one(&out->context, comm, options, &out->timers));
		out->device = out->context->device;
	}
done:
	return code;
}

void gemp_chosen_free(gemp_chosen *chosen)
{
	gemp_graph_free(chosen->graph);
	gemp_context_free(chosen->context);
	gemp_free(chosen->relations);
	*chosen = (gemp_chosen){ 0 };
}

gemp_code gemp_rows_path_check(const gemp_comm *comm, const char *option, const char *path)
{
	static const char *const endings[] = { ".tsv", ".csv", ".jsonl", ".h5" };
	gemp_code code = GEMP_OK;
	bool plain = !path || strcmp(path, "-") == 0, known = plain;
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
		known = known || gemp_file_ends_in(path, endings[i]);
	if (!known)
		code = gemp_fail(GEMP_EUSAGE, "--%s %s: the ending says the form: .tsv, .csv, .jsonl or .h5, or - for "
		                 "TSV on stdout", option, path);
	else if (!plain && comm->rank == 0) {
		char name[32];
		snprintf(name, sizeof name, "--%s", option);
		code = gemp_file_may_write(name, path);
	}
	return gemp_comm_agree(comm, code);
}

gemp_code gemp_chosen_rate(gemp_chosen *chosen, bool on_device, double seconds, double transfers, uint64_t bytes)
{
	return gemp_report_rate(chosen->report, on_device ? chosen->device : NULL, seconds, transfers, bytes);
}

void gemp_chosen_exchange(gemp_chosen *chosen, const gemp_traffic *traffic, gemp_count edges)
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

gemp_code gemp_chosen_report(gemp_chosen *chosen)
{
	gemp_code code = GEMP_OK;
	gemp_report *report = chosen->report;
	gemp_report_graph(report, chosen->graph);
	GEMP_TRY(gemp_report_devices(report, chosen->context));
	gemp_report_seconds(report, &chosen->timers, false);
	gemp_report_memory(report, chosen->context ? gemp_context_device_peak(chosen->context) : 0);
done:
	return code;
}
