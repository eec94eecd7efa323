#include "command/arrays.h"

#include "command/quantity.h"
#include "core/memory.h"

/* 0.0 and -0.0 are the same number, though not the same bits. */
static void unite_zeros(gemp_numbers *n)
{
	float *narrow = n->values;
	double *real = n->values;
	for (size_t i = 0; n->kind == GEMP_KEY_F32 && i < n->count; i++)
		narrow[i] += 0.0f;
	for (size_t i = 0; n->kind == GEMP_KEY_F64 && i < n->count; i++)
		real[i] += 0.0;
}

static gemp_code work(gemp_array_run *r)
{
	gemp_code code = GEMP_OK;
	void *values = NULL;
	size_t count = 0;
	bool counted = r->options->count && r->comm->size == 1;
	double since = gemp_now();
	unite_zeros(&r->numbers);
	if (counted)
		GEMP_TRY(gemp_arrays_distinct(&r->arrays, r->numbers.kind, r->numbers.values, r->numbers.count, NULL, &count));
	else
		GEMP_TRY(gemp_distinct_ranks(r->comm, &r->arrays, r->numbers.kind, r->numbers.values, r->numbers.count, &values,
		                             &count));
	r->seconds = gemp_now() - since;
	r->moved = r->numbers.count + count;
	uint64_t all = gemp_comm_sum1(r->comm, count);
	gemp_report_print(r->report, "%s (%s) of %s\n", gemp_counted(all, "distinct number").text,
	                  gemp_key_name[r->numbers.kind], gemp_grouped(r->numbers.all).text);
	gemp_report_set(r->report, "distinct", gemp_json_count(all));
	code = gemp_array_write(r, values, count);
done:
	gemp_free(values);
	return code;
}

static gemp_code distinct(gemp_comm *comm, const gemp_options *options)
{
	return gemp_array_command(comm, options, work);
}

const gemp_command gemp_command_distinct = {
	.name = "distinct",
	.bit = GEMP_ON_DISTINCT,
	.arguments = "FILE [--type TYPE] [--count] [-o OUT]",
	.summary = "Finds the distinct numbers of a file",
	.text = "FILE has one number a line (plain, .gz or .zst), or is an array of numpy (.npy), or a dataset of an HDF5 file, as in "
		"G.h5:/values; so is OUT, by its ending, and - is text on stdout: each number once, in ascending order. Dense numbers "
		"become bits of bitmaps that fit a cache, others are sorted.\n"
		"0.0 and -0.0 are the same number, and all NaN are, behind inf.\n",
	.examples = "gemp-mpi distinct numbers.txt --count\n"
		"mpirun -n 8 gemp-mpi distinct large.npy -o distinct.npy\n",
	.least = 1,
	.most = 1,
	.run = distinct,
};
