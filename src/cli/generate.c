/* generate: random graphs and examples to a graph file. Parameters of generators are options whose text the library reads, since
 * only the generator knows their ranges. */

#include "cli/handles.h"
#include "cli/report/report_run.h"

/* (*out)[*count]; the caller frees. */
static gemp_code list_parameters(gemp_generator_parameter **out, size_t *count, const gemp_options *options)
{
	GEMP_TRY(GEMP_NEW(*out, options->value_count));
	for (size_t i = 0; i < options->value_count; i++) {
		const gemp_option_value *given = &options->values[i];
		if (given->option->kind == GEMP_OPTION_PARAMETER)
			(*out)[(*count)++] = (gemp_generator_parameter){ given->option->name, given->text, given->place };
	}
	return GEMP_OK;
}

static gemp_code generate(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_OWNED gemp_generator_parameter *parameters = NULL;
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	size_t count = 0;
	GEMP_TRY(gemp_context_agree(context, list_parameters(&parameters, &count, options)));
	GEMP_TRY(gemp_output_check(context, options));
	GEMP_TRY(gemp_graph_generate(&graph, context, options->arguments[0], parameters, count, options->seed,
	                             options->relabel_seed));
	return gemp_write_output(graph, options, report);
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
