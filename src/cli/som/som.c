#include "cli/som/som.h"

#include "cli/report/report_run.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct word {
	const char *name;
	size_t arguments; /* with the word itself */
	const char *needs;
	gemp_code (*run)(gemp_report *report, gemp_comm *comm, const gemp_options *options);
} word;

static const word words[] = {
	{ "train", 2, "DATA -o MAP.h5", gemp_som_run_train },
	{ "apply", 3, "MAP.h5 DATA -o FILE (or --into H.h5)", gemp_som_run_apply },
	{ "draw", 2, "MAP.h5 -o F.svg", gemp_som_run_draw },
};

static const char *first_given(const gemp_options *options, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (gemp_options_has(options, names[i]))
			return names[i];
	return NULL;
}

/* Options of one word have no meaning for the others, and would be passed over. */
static gemp_code check_training_and_drawing(const gemp_options *options, const char *name)
{
	static const char *const training[] = { "size",          "grid",       "topology",   "metric",  "training",
		                                    "neighbourhood", "radius",     "radius-end", "rate",    "rate-end",
		                                    "cooling",       "epochs",     "start",      "seed",    "scale",
		                                    "no-quality",    "save-every", "resume",     "max-time" };
	static const char *const drawing[] = { "show", "labels" };
	const char *trains = strcmp(name, "train") == 0
	                         ? NULL
	                         : first_given(options, training, sizeof training / sizeof *training);
	const char *draws = strcmp(name, "draw") == 0 ? NULL
	                                              : first_given(options, drawing, sizeof drawing / sizeof *drawing);
	if (trains)
		return gemp_fail(GEMP_EUSAGE, "--%s: som %s takes the map as it was trained; leave it out", trains, name);
	if (draws)
		return gemp_fail(GEMP_EUSAGE, "--%s: som %s makes no picture; som draw does", draws, name);
	return GEMP_OK;
}

/* What is for vertices of graphs, or tables, and for which words it has no meaning. */
static gemp_code check_data_options(const gemp_options *options, const char *name)
{
	static const struct {
		const char *word, *option, *why;
	} refused[] = {
		{ "apply", "features", "takes the features that the map's columns are; leave it out" },
		{ "draw", "features", "draws a map, whose columns are its features; leave it out, or see --show" },
		{ "draw", "relation", "draws a map; leave it out" },
		{ "draw", "key", "draws a map; leave it out" },
		{ "draw", "into", "writes no graph; som apply does" },
		{ "draw", "column", "writes no graph; som apply does" },
	};
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		if (strcmp(refused[i].word, name) == 0 && gemp_options_has(options, refused[i].option))
			return gemp_fail(GEMP_EUSAGE, "--%s: som %s %s", refused[i].option, name, refused[i].why);
	return check_training_and_drawing(options, name);
}

static gemp_code find(const word **out, const gemp_options *options)
{
	const char *name = options->arguments[0];
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (strcmp(words[i].name, name) != 0)
			continue;
		*out = &words[i];
		bool writes = options->output || (words[i].run == gemp_som_run_apply && options->into);
		if (options->argument_count != words[i].arguments || !writes)
			return gemp_fail(GEMP_EUSAGE, "som %s needs: %s ('gemp-mpi help som' shows how)", name, words[i].needs);
		return check_data_options(options, name);
	}
	return gemp_fail(GEMP_EUSAGE, "som: there is no '%s'; there are train, apply and draw", name);
}

void gemp_som_report_errors(gemp_report *report, double quantisation, double topographic)
{
	gemp_report_set(report, "quantisation_error", gemp_json_real(quantisation));
	gemp_report_set(report, "topographic_error", gemp_json_real(topographic));
	if (isnan(quantisation))
		gemp_report_print(report, "No vector has a value, so none has a unit\n");
	else
		gemp_report_print(report,
		                  "Vectors are %.6g from their units in the mean (quantisation error); for %.2f %% the "
		                  "second-best unit is not beside the best (topographic error)\n",
		                  quantisation, 100 * topographic);
}

static gemp_code som(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	gemp_comm *comm = &context->comm;
	const word *chosen = NULL;
	gemp_code code = find(&chosen, options);
	if (code != GEMP_OK)
		return code;
	return chosen->run(report, comm, options);
}

const gemp_command gemp_command_som = {
	.name = "som",
	.bit = GEMP_ON_SOM,
	.arguments = "train DATA -o MAP.h5\ntrain G.h5 --features LIST -o MAP.h5\napply MAP.h5 DATA -o FILE\n"
				 "draw MAP.h5 -o F.svg",
	.summary = "Trains a self-organising map on vectors, finds best units, and draws it",
	.text =
		"A map is a grid of units, each a vector. Training makes neighbours alike, and each region of the map like "
		"some of the data. DATA are n vectors of d numbers: a dataset of HDF5 (F.h5:/NAME) or an array of numpy (.npy) "
		"of n rows, or a table (.tsv, .csv, also .gz and .zst) with or without a header, whose first column may name "
		"the rows. NaN, NA and empty cells are missing values: distances leave them out.\n"
		"train writes the map as HDF5, with the U-matrix (how far units are from their neighbours), how many vectors "
		"each unit has, and what was made of the columns. A signal, or --max-time, ends it after an epoch with exit "
		"code 75 and the map so far; --resume goes on with it.\n"
		"apply writes a row for each vector: its key, or else its number from 0; the number of its best unit, its "
		"column (x) and row (y), the distance, and the second-best unit.\n"
		"With --features the vectors are numbers of a graph's vertices, found by this program itself. The map keeps "
		"which, so that apply finds them for another graph (DATA is G2.h5); rows have the vertices' keys. --into "
		"writes the graph with the attributes som_unit, som_x, som_y and som_distance.\n"
		"draw makes a picture, with a legend: U-matrix, hits, and a plane for each column in the data's own measure.\n",
	.examples =
		"gemp-mpi som train colours.tsv --size 20x30 -o map.h5\n"
		"mpirun -n 4 gemp-mpi som train runs.h5:/vectors --scale standard --size 200x200 --epochs 500 -o map.h5\n"
		"gemp-mpi som apply map.h5 colours.tsv -o units.tsv\n"
		"gemp-mpi som train social.h5 --features log:degree,log:triangles,pagerank -o roles.h5 --into social.h5\n"
		"gemp-mpi som draw map.h5 --labels units.tsv -o map.svg\n"
		"gemp-mpi som draw map.h5 --show umatrix --show price -o map.png\n",
	.min_arguments = 1,
	.max_arguments = 3,
	.run = som,
};
