#include "command/arrays.h"

#include "command/quantity.h"

static gemp_code work(gemp_array_run *r)
{
	gemp_code code = GEMP_OK;
	const gemp_sort sort = { .key = r->numbers.kind, .descending = r->options->descending };
	double since = gemp_now();
	GEMP_TRY(gemp_sort_ranks(r->comm, &r->arrays, &sort, &r->numbers.values, NULL, &r->numbers.count));
	r->seconds = gemp_now() - since;
	r->moved = 2 * r->numbers.count;
	gemp_report_print(r->report, "%s (%s) in %s order\n", gemp_counted(r->numbers.all, "number").text,
	                  gemp_key_name[r->numbers.kind], sort.descending ? "descending" : "ascending");
	gemp_report_set(r->report, "descending", json_boolean(sort.descending));
	code = gemp_array_write(r, r->numbers.values, r->numbers.count);
done:
	return code;
}

static gemp_code sort(gemp_comm *comm, const gemp_options *options)
{
	return gemp_array_command(comm, options, work);
}

const gemp_command gemp_command_sort = {
	.name = "sort",
	.bit = GEMP_ON_SORT,
	.arguments = "FILE [--type TYPE] [--descending] [-o OUT]",
	.summary = "Sorts the numbers of a file",
	.text = "FILE has one number a line (plain, .gz or .zst), or is an array of numpy (.npy), or a dataset of an HDF5 file, as in "
		"G.h5:/values; so is OUT, by its ending, and - is text on stdout. A radix sort, on the device or on the threads of the "
		"host; several ranks share the numbers, and each writes an equal part of them.\n"
		"-0.0 comes before 0.0, and NaN behind inf; all NaN are the same.\n",
	.examples = "gemp-mpi sort numbers.txt -o sorted.txt\n"
		"mpirun -n 8 gemp-mpi sort large.npy --descending -o sorted.npy --json -\n",
	.least = 1,
	.most = 1,
	.run = sort,
};
