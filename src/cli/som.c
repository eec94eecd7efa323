/* som: the subcommands train, apply and draw of self-organising maps (gemp/som.h). The vectors come from a place, which
 * is a file of vectors (a table or an array), or a graph whose vertices have the vectors of --features. */

#include "cli/settings.h"
#include "cli/terminal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* CHECKS of options. An option without effect is an error, since the user expects an effect. */

/* The options that only train accepts. STORED_BY_MAP lists the settings that the file of a map stores. */
#define STORED_BY_MAP                                                                                        \
	"size|grid|topology|metric|training|neighbourhood|radius|radius-end|rate|rate-end|cooling|epochs|start|" \
	"seed|scale"
#define OF_TRAINING STORED_BY_MAP "|no-quality|save-every|resume|max-time"

/* Returns true for G.h5, and false for a dataset (F.h5:/NAME) or another file. */
static bool is_graph(const char *place)
{
	const size_t length = strlen(place);
	return !strstr(place, ".h5:") && length >= 3 && strcmp(place + length - 3, ".h5") == 0;
}

/* Refuses options that do not suit the kind of `place`. features_known is true if the map or --features defines the
 * vectors of vertices. */
static gemp_code check_data(const gemp_options *options, const char *place, bool features_known)
{
	if (!is_graph(place))
		return gemp_options_refuse(options, "features|relation|into|column",
		                           "is for the vertices of a graph, and DATA is no graph file (G.h5)");
	if (!features_known)
		return gemp_fail(
			GEMP_EUSAGE,
			"%s: a graph needs --features, which says what the vectors of its vertices are, as in --features "
			"degree,pagerank; a file of vectors needs the name of the dataset, as in %s:/vectors",
			place, place);
	return gemp_options_refuse(options, "key",
	                           "is for a table, and DATA is a graph, whose vertices have keys; leave it out");
}

/* OPTIONS TO SETTINGS */

/* Collective. *out becomes the vectors of `place`, and refers to *edges. If the place is a graph, it is opened; the
 * caller closes *graph. */
static gemp_code open_data(gemp_som_data *out, gemp_graph **graph, gemp_edge_selection *edges, gemp_context *context,
                           const gemp_options *options, const char *place)
{
	gemp_som_data_init(out);
	out->key_column = options->key_column;
	out->path = place;
	if (!is_graph(place))
		return GEMP_OK;
	*edges = gemp_edge_options(options);
	out->edges = edges;
	out->features = options->features;
	GEMP_TRY(gemp_graph_open(graph, context, place));
	out->graph = *graph;
	return GEMP_OK;
}

/* Without --scale, features are standardised, since their ranges differ by orders of magnitude. */
static gemp_code training_settings(gemp_som_settings *out, const gemp_options *options)
{
	char end;
	gemp_som_settings_init(out);
	if (options->map_size &&
	    (strspn(options->map_size, "0123456789x") != strlen(options->map_size) ||
	     sscanf(options->map_size, "%9" SCNu32 "x%9" SCNu32 "%c", &out->rows, &out->columns, &end) != 2 || !out->rows ||
	     !out->columns))
		return gemp_fail(GEMP_EUSAGE, "--size %s: expected rows and columns, as in 20x30", options->map_size);
	out->lattice = (gemp_som_lattice)options->grid;
	out->toroid = options->topology == 1;
	out->metric = (gemp_som_metric)options->metric;
	out->neighbourhood = (gemp_som_neighbourhood)options->neighbourhood;
	out->online = options->training == 1;
	out->exponential = options->cooling == 1;
	out->start = (gemp_som_start)options->start;
	out->scaling = options->features && !gemp_options_has(options, "scale") ? GEMP_SOM_SCALE_STANDARD
	                                                                        : (gemp_som_scaling)options->scaling;
	out->epochs = options->epochs;
	out->radius = options->radius;
	out->radius_end = options->radius_end;
	out->rate = options->rate;
	out->rate_end = options->rate_end;
	out->seed = options->seed;
	out->no_quality = options->no_quality;
	out->output = options->output;
	out->save_every = options->save_every;
	out->resume = options->resume;
	out->max_seconds = options->max_time;
	out->units = (gemp_vertex_output){ .into = options->into, .column = options->column, .command = options->as_given };
	return GEMP_OK;
}

/* With --resume the settings of the map apply. Each of these settings that the user gives causes a warning. */
static void warn_of_ignored_settings(const gemp_options *options)
{
	char text[512];
	if (!options->resume || options->quiet || access(options->output, F_OK) != 0)
		return;
	for (size_t i = 0; i < options->value_count; i++) {
		const char *name = options->values[i].option->name;
		snprintf(text, sizeof text, "--resume: training continues with the settings of %s; --%s is ignored",
		         options->output, name);
		if (gemp_word_index(STORED_BY_MAP, name) >= 0)
			gemp_terminal_log(NULL, GEMP_NORMAL, true, 0, text);
	}
}

/* SUBCOMMANDS */

/* A signal ends the training after the current epoch, and the map is written in its current state. */
static gemp_code train(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	gemp_som_settings settings;
	gemp_som_data data;
	gemp_edge_selection edges;
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	GEMP_OWNED_BY(gemp_som_model_close_at) gemp_som_model *model = NULL;
	GEMP_TRY(gemp_options_refuse(options, "show|labels", "is for som draw; som train makes no picture"));
	GEMP_TRY(training_settings(&settings, options));
	GEMP_TRY(check_data(options, options->arguments[1], options->features != NULL));
	GEMP_TRY(open_data(&data, &graph, &edges, context, options, options->arguments[1]));
	if (gemp_context_rank(context) == 0)
		warn_of_ignored_settings(options);
	gemp_process_on_signal(GEMP_SIGNAL_NOTE, NULL);
	return gemp_som_model_train(&model, context, &data, &settings, report);
}

/* --features is not needed, since the map stores the features of its vectors. */
static gemp_code apply(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	const gemp_vertex_output files = {
		.output = options->output, .into = options->into, .column = options->column, .command = options->as_given
	};
	gemp_som_data data;
	gemp_edge_selection edges;
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	GEMP_OWNED_BY(gemp_som_model_close_at) gemp_som_model *model = NULL;
	GEMP_TRY(gemp_options_refuse(options, OF_TRAINING, "is for som train; som apply uses the map as it was trained"));
	GEMP_TRY(gemp_options_refuse(options, "show|labels", "is for som draw; som apply makes no picture"));
	GEMP_TRY(gemp_options_refuse(options, "features", "is for som train; som apply computes the features of the map"));
	GEMP_TRY(check_data(options, options->arguments[2], true));
	GEMP_TRY(gemp_som_model_open(&model, context, options->arguments[1]));
	GEMP_TRY(open_data(&data, &graph, &edges, context, options, options->arguments[2]));
	return gemp_som_model_apply(NULL, model, &data, &files, report);
}

/* A picture needs only the map. */
static gemp_code draw(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	gemp_som_picture picture;
	GEMP_OWNED_BY(gemp_som_model_close_at) gemp_som_model *model = NULL;
	GEMP_TRY(gemp_options_refuse(options, OF_TRAINING, "is for som train; som draw uses the map as it was trained"));
	GEMP_TRY(gemp_options_refuse(options, "features", "is for som train; som draw has --show to select features"));
	GEMP_TRY(gemp_options_refuse(options, "relation|key", "is for som train and som apply; som draw reads only a map"));
	GEMP_TRY(gemp_options_refuse(options, "into|column", "is for som train and som apply; som draw writes no graph"));
	gemp_som_picture_init(&picture);
	picture.show = options->shown.items;
	picture.show_count = options->shown.count;
	picture.labels = options->labels_file;
	picture.output = options->output;
	GEMP_TRY(gemp_som_model_open(&model, context, options->arguments[1]));
	return gemp_som_model_draw(model, &picture, report);
}

/* Every subcommand writes the file --output, except apply with --into, which writes a graph. */
static gemp_code som(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	static const gemp_subcommand list[] = {
		{ "train", 2, 2, train },
		{ "apply", 3, 3, apply },
		{ "draw", 2, 2, draw },
	};
	const gemp_subcommand *subcommand = gemp_subcommand_find(list, sizeof list / sizeof *list, options);
	const bool writes = options->output || (subcommand && subcommand->run == apply && options->into);
	return subcommand && writes ? subcommand->run(context, options, report) : gemp_command_misused(options->command);
}

const gemp_command gemp_command_som = {
	.name = "som",
	.bit = GEMP_ON_SOM,
	.arguments = "train DATA -o MAP.h5\ntrain G.h5 --features LIST -o MAP.h5\napply MAP.h5 DATA -o FILE\n"
				 "apply MAP.h5 DATA --into H.h5\ndraw MAP.h5 -o F.svg",
	.summary = "Trains a self-organising map on vectors, finds best-matching units, and draws the map",
	.text =
		"A map is a grid of units, and each unit has a vector. Training makes the vectors of neighbouring units "
		"similar to one another and to a region of the data. DATA are n vectors of d numbers: a dataset of HDF5 "
		"(F.h5:/NAME) or a numpy array (.npy) with n rows, or a table (.tsv, .csv, also .gz and .zst) with or without "
		"a header, whose first column may have names of the rows. NaN, NA and empty cells are missing values, which "
		"distances ignore.\n"
		"train writes the map as HDF5, with the U-matrix (the distances of units from their neighbours), the number "
		"of vectors of each unit, and the scaling of the columns. A signal or --max-time ends training after an epoch "
		"with exit code 75, and the map so far is written; --resume continues with it.\n"
		"apply writes a row for each vector: its key, or else its number from 0; the number, column (x) and row (y) "
		"of its best-matching unit, the distance, and the second-best unit.\n"
		"With --features the vectors are computed from a graph, one for each vertex. The map stores the list of "
		"features, so apply computes the same ones for another graph (DATA is G2.h5); rows have the keys of the "
		"vertices. --into writes the graph with the attributes som_unit, som_x, som_y and som_distance.\n"
		"draw makes a picture with a legend: U-matrix, hits, and a plane for each column in the units of the data.\n",
	.examples =
		"gemp-mpi som train colours.tsv --size 20x30 -o map.h5\n"
		"mpirun -n 4 gemp-mpi som train runs.h5:/vectors --scale standard --size 200x200 --epochs 500 -o map.h5\n"
		"gemp-mpi som apply map.h5 colours.tsv -o units.tsv\n"
		"gemp-mpi som train social.h5 --features log:degree,log:triangles,pagerank -o roles.h5 --into social.h5\n"
		"gemp-mpi som draw map.h5 --labels units.tsv -o map.svg\n"
		"gemp-mpi som draw map.h5 --show umatrix --show price -o map.png\n",
	.argument_count = { 1, 3 },
	.run = som,
};
