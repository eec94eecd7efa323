/* verify: checks a graph file, as after a transfer or before a long run. The exit code tells scripts the result. */

#include "cli/report/report_run.h"

#include <gemp/graph.h>

static gemp_code verify(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	return gemp_graph_verify(context, options->arguments[0], report);
}

const gemp_command gemp_command_verify = {
	.name = "verify",
	.bit = GEMP_ON_VERIFY,
	.arguments = "G.h5",
	.summary = "Checks a graph file",
	.text = "Reads the whole file, compares checksums and the hash of its content, and checks that rows are "
			"sorted, that ids exist and that the rows by source and by target hold the same edges. The exit code "
			"is 65 if something is wrong.\n",
	.examples = "gemp-mpi verify movies.h5\n",
	.min_arguments = 1,
	.max_arguments = 1,
	.run = verify,
};
