/* sort, distinct: numbers of a file, over all ranks, by gemp/primitives.h. */

#include "cli/handles.h"
#include "cli/options/options.h"
#include "gemp/primitives.h"

/* Both commands read one file, of which each rank holds a part. */
static gemp_code sort_or_distinct(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_array_close_at) gemp_array *array = NULL;
	/* The first choice of --type is auto, and the library's types begin with the second. */
	const gemp_number_type type = options->value_type ? (gemp_number_type)(options->value_type - 1) : GEMP_NUMBER_AUTO;
	const gemp_array_settings settings = { .size = sizeof settings,
		                                   .place = (gemp_placement)options->on,
		                                   .descending = options->descending,
		                                   .count_only = options->count,
		                                   .output = options->output };
	if (options->count && options->output)
		return gemp_fail(GEMP_EUSAGE, "--count prints only the count, so --output has no numbers to write; leave one "
		                              "of them out");
	GEMP_TRY(gemp_array_read(&array, context, options->arguments[0], type));
	return options->command->bit == GEMP_ON_SORT ? gemp_array_sort(array, &settings, report)
	                                             : gemp_array_distinct(array, &settings, NULL, report);
}

const gemp_command gemp_command_sort = {
	.name = "sort",
	.bit = GEMP_ON_SORT,
	.arguments = "FILE [--type TYPE] [--descending] [-o OUT]",
	.summary = "Sorts the numbers of a file",
	.text =
		"FILE is text with one number a line (plain, .gz or .zst), a numpy array (.npy), or a dataset of an HDF5 "
		"file, as in G.h5:/values. The ending of OUT selects the same formats; - is text on stdout. A radix sort runs "
		"on the device or on the threads of the host; several ranks share the numbers, and each writes an equal part "
		"of them.\n"
		"-0.0 comes before 0.0, and NaN after inf; all NaN are equal.\n",
	.examples = "gemp-mpi sort numbers.txt -o sorted.txt\n"
				"mpirun -n 8 gemp-mpi sort large.npy --descending -o sorted.npy --json -\n",
	.argument_count = { 1, 1 },
	.run = sort_or_distinct,
};

const gemp_command gemp_command_distinct = {
	.name = "distinct",
	.bit = GEMP_ON_DISTINCT,
	.arguments = "FILE [--type TYPE] [--count] [-o OUT]",
	.summary = "Finds the distinct numbers of a file",
	.text =
		"FILE is text with one number a line (plain, .gz or .zst), a numpy array (.npy), or a dataset of an HDF5 "
		"file, as in G.h5:/values. The ending of OUT selects the same formats; - is text on stdout. OUT has each "
		"number once, in ascending order. Dense numbers become bits of bitmaps that fit a cache; others are sorted.\n"
		"0.0 and -0.0 are the same number; all NaN are equal and come after inf.\n",
	.examples = "gemp-mpi distinct numbers.txt --count\n"
				"mpirun -n 8 gemp-mpi distinct large.npy -o distinct.npy\n",
	.argument_count = { 1, 1 },
	.run = sort_or_distinct,
};
