#include "generate/generate.h"
#include "cli/graph_output.h"
#include "cli/report/report_run.h"

static gemp_code choose(gemp_generate_options *how, const gemp_options *options)
{
	gemp_code code = gemp_generate_init(how, options->arguments[0]);
	for (size_t i = 0; i < options->value_count && code == GEMP_OK; i++) {
		const gemp_option_value *given = &options->values[i];
		if (given->option->kind != GEMP_OPTION_PARAMETER)
			continue;
		code = gemp_generate_set(how, given->option->name, given->text);
		if (code != GEMP_OK && given->place)
			gemp_fail_in(code, "%s: ", given->place);
	}
	how->seed = options->seed;
	how->relabel_seed = options->relabel_seed;
	return code;
}

static gemp_code generate(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	gemp_comm *comm = &context->comm;
	gemp_code code = GEMP_OK;
	gemp_shard *graph = NULL;
	gemp_timers timers = { 0 };
	gemp_step_times steps = { 0 };
	gemp_generate_options how;
	code = choose(&how, options);
	if (code == GEMP_OK)
		code = gemp_graph_output_check(comm, options);
	if (code != GEMP_OK)
		return code;
	how.steps = &steps;
	double since = gemp_now();
	GEMP_TRY(gemp_generate(&graph, comm, &how));
	gemp_timers_add(&timers, GEMP_PHASE_CONVERT, since);
	GEMP_TRY(gemp_graph_output(report, options, graph, NULL, 0, &timers, &steps));
done:
	gemp_shard_free(graph);
	return code;
}

const gemp_command gemp_command_generate = {
	.name = "generate",
	.bit = GEMP_ON_GENERATE,
	.arguments = "GENERATOR -o G.h5",
	.summary = "Makes a graph file of a random graph",
	.text = "The same seed gives the same graph, whatever the number of ranks.\n",
	.examples = "gemp-mpi generate movies -o movies.h5\n"
				"mpirun -n 8 gemp-mpi generate rmat --scale 20 --seed 7 -o rmat20.h5\n"
				"# a graph for sssp, with lengths of edges\n"
				"gemp-mpi generate uniform --vertices 50000 --edges 400000 --weights 255 -o lengths.h5\n"
				"gemp-mpi generate railway --routes 2560 --faults 0.1 -o railway.h5\n",
	.min_arguments = 1,
	.max_arguments = 1,
	.run = generate,
};
