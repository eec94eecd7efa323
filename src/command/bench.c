#include "command/bench.h"

#include <string.h>

typedef struct word {
	const char *name;
	size_t least, most; /* arguments, with the word itself */
	gemp_code (*run)(gemp_report *report, gemp_comm *comm, const gemp_options *options);
} word;

static const word words[] = {
	{ "match", 2, 3, gemp_bench_match },
	{ "tune", 1, 2, gemp_bench_tune },
	{ "device", 1, 1, gemp_bench_device },
	{ "shuffle", 1, 1, gemp_bench_shuffle },
};

static gemp_code find(const word **out, const gemp_options *options)
{
	const char *name = options->arguments[0];
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(words[i].name, name) == 0) {
			*out = &words[i];
			if (options->argument_count >= words[i].least && options->argument_count <= words[i].most)
				return GEMP_OK;
			return gemp_fail(GEMP_EUSAGE, "bench %s: %zu arguments are not what it takes; see gemp-mpi bench --help",
			                 name, options->argument_count - 1);
		}
	return gemp_fail(GEMP_EUSAGE, "bench: there is no '%s'; there are match, tune, device and shuffle", name);
}

gemp_code gemp_bench_context(gemp_context **out, gemp_comm *comm, const gemp_options *options)
{
	const gemp_budgets budgets = { .device_memory = options->device_memory, .result_buffer = options->result_buffer,
		.outbox = options->outbox, .row_cache = options->row_cache };
	return gemp_context_new(out, comm, options->devices, &budgets);
}

gemp_query_options gemp_bench_how(const gemp_options *options)
{
	return (gemp_query_options){
		.match = {
			.semantics = (gemp_semantics)options->semantics,
			.distinct = (gemp_distinct)options->distinct,
			.symmetry_by_hash = options->symmetry == 1,
			.count_by_formula = options->count_by == 0,
			.pivot_off = options->pivot == 1,
			.attributes = (gemp_when)options->attributes,
			.replicate = options->replicate,
			.crossing = (gemp_crossing_way)options->exchange,
			.launch_factor = options->launch_factor,
			.profile = options->profile,
			.lanes = (int)options->lanes,
			.limit = UINT64_MAX,
		},
		.combinations = options->combinations,
	};
}

static gemp_code bench(gemp_comm *comm, const gemp_options *options)
{
	gemp_report report;
	const word *chosen = NULL;
	gemp_code code = find(&chosen, options);
	if (code == GEMP_OK)
		code = gemp_report_new(&report, comm, options, false);
	if (code != GEMP_OK)
		return code;
	return gemp_report_finish(&report, chosen->run(&report, comm, options));
}

const gemp_command gemp_command_bench = {
	.name = "bench",
	.bit = GEMP_ON_BENCH,
	.arguments = "match G.h5 QUERY\nmatch G.h5 --pattern NAME...\nmatch G.h5 --query-graph FILE...\ntune [G.h5]\ndevice\nshuffle",
	.summary = "Measures a query, or a device, and finds the launch geometry that suits it",
	.text = "match plans each query once and counts it again and again in one process, the graph on the device: seconds "
		"of kernels, of what they need prepared on the device, of whole runs and of processors, each the slowest rank's.\n"
		"tune tries values for the numbers that shape kernel launches on this device, on a generated graph and on G.h5, "
		"measures from which size on sort, distinct, edges, degrees, reverse and components are faster there than on the host, "
		"and writes what it finds to the file that later runs read (~/.config/gemp-mpi/tuning/DEVICE.conf, or -o FILE).\n"
		"device measures the copy bandwidth of the device's memory and the cost of a launch.\n"
		"shuffle makes tuples of a destination and a value on the device and brings them to ranges of destinations, by decode "
		"(they are put in the order of their ranges; across ranks by owner, then all to all, then by range), polling (every range "
		"looks at every tuple), converge (and collects those it wants), atomic (straight to their destinations) and tables (CPU "
		"devices: eight tuples looked at together). Tuples a second of the shuffle, as fractions of copy bandwidth / (2 w + 4) "
		"and / w for tuples of w bytes, and with all values added up; checked outside of the time. Across "
		"ranks also the slowest rank's times of each step, and what the exchange sent a second beside what MPI exchanges.\n",
	.examples = "gemp-mpi bench match wiki.h5 --pattern cycle:5 --pattern house --repeat 10\n"
		"gemp-mpi bench tune wiki.h5\n"
		"gemp-mpi bench device --json -\n"
		"gemp-mpi bench shuffle --tuple-size 4,8 --ranges 256\n",
	.least = 1,
	.most = 3,
	.run = bench,
};
