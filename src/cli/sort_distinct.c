/* sort, distinct: numbers of a file, over all ranks, by gemp/primitives.h. */

#include "cli/handles.h"
#include "cli/options/options.h"
#include "gemp/primitives.h"

/* Reads the numbers of the first argument. In the choices of --type the word auto comes first. */
static gemp_code read_numbers(gemp_array **out, gemp_context *context, const gemp_options *options)
{
	gemp_number_type type = options->value_type ? (gemp_number_type)(options->value_type - 1) : GEMP_NUMBER_AUTO;
	return gemp_array_read(out, context, options->arguments[0], type);
}

static gemp_array_settings settings_of(const gemp_options *options)
{
	return (gemp_array_settings){ .size = sizeof(gemp_array_settings),
		                          .place = (gemp_placement)options->on,
		                          .descending = options->descending,
		                          .count_only = options->count,
		                          .output = options->output };
}

static gemp_code sort(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_array_close_at) gemp_array *array = NULL;
	const gemp_array_settings settings = settings_of(options);
	GEMP_TRY(read_numbers(&array, context, options));
	return gemp_array_sort(array, &settings, report);
}

const gemp_command gemp_command_sort = {
	.name = "sort",
	.bit = GEMP_ON_SORT,
	.arguments = "FILE [--type TYPE] [--descending] [-o OUT]",
	.summary = "Sorts the numbers of a file",
	.text =
		"FILE has one number a line (plain, .gz or .zst), or is an array of numpy (.npy), or a dataset of an HDF5 file, as in "
		"G.h5:/values; so is OUT, by its ending, and - is text on stdout. A radix sort, on the device or on the threads of the "
		"host; several ranks share the numbers, and each writes an equal part of them.\n"
		"-0.0 comes before 0.0, and NaN behind inf; all NaN are the same.\n",
	.examples = "gemp-mpi sort numbers.txt -o sorted.txt\n"
				"mpirun -n 8 gemp-mpi sort large.npy --descending -o sorted.npy --json -\n",
	.min_arguments = 1,
	.max_arguments = 1,
	.run = sort,
};

static gemp_code distinct(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_array_close_at) gemp_array *array = NULL;
	const gemp_array_settings settings = settings_of(options);
	if (options->count && options->output)
		return gemp_fail(GEMP_EUSAGE, "--count asks for no values, and --output for a file of them; give one of them");
	GEMP_TRY(read_numbers(&array, context, options));
	return gemp_array_distinct(array, &settings, NULL, report);
}

const gemp_command gemp_command_distinct = {
	.name = "distinct",
	.bit = GEMP_ON_DISTINCT,
	.arguments = "FILE [--type TYPE] [--count] [-o OUT]",
	.summary = "Finds the distinct numbers of a file",
	.text =
		"FILE has one number a line (plain, .gz or .zst), or is an array of numpy (.npy), or a dataset of an HDF5 file, as in "
		"G.h5:/values; so is OUT, by its ending, and - is text on stdout: each number once, in ascending order. Dense numbers "
		"become bits of bitmaps that fit a cache, others are sorted.\n"
		"0.0 and -0.0 are the same number, and all NaN are, behind inf.\n",
	.examples = "gemp-mpi distinct numbers.txt --count\n"
				"mpirun -n 8 gemp-mpi distinct large.npy -o distinct.npy\n",
	.min_arguments = 1,
	.max_arguments = 1,
	.run = distinct,
};
