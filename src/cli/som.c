#include "cli/edge_options.h"
#include "cli/handles.h"
#include "cli/terminal.h"
#include "core/status.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* CHECKS of how options go together */

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

/* Is this the place of a graph, and not of vectors? */
static bool is_graph(const char *place)
{
	const size_t length = strlen(place);
	return !strstr(place, ".h5:") && length >= 3 && strcmp(place + length - 3, ".h5") == 0;
}

/* Vectors, and options that have no meaning for them, or the vertices of a graph. features: those of vertices are known. */
static gemp_code check_data(const gemp_options *o, const char *place, bool features)
{
	static const char *const of_graphs[] = { "features", "relation", "into", "column" };
	const char *given = first_given(o, of_graphs, sizeof of_graphs / sizeof *of_graphs);
	if (!is_graph(place) && given)
		return gemp_fail(GEMP_EUSAGE, "--%s is for the vertices of a graph, and %s is no graph file (G.h5)", given,
		                 place);
	if (is_graph(place) && !features)
		return gemp_fail(GEMP_EUSAGE,
		                 "%s: of a graph say which numbers of its vertices are the vectors, as in --features "
		                 "degree,pagerank; of an HDF5 file of vectors name the dataset, as in %s:/vectors",
		                 place, place);
	if (is_graph(place) && o->key_column)
		return gemp_fail(GEMP_EUSAGE, "--key %s is a column of a table, and %s is a graph: its vertices have keys",
		                 o->key_column, place);
	return GEMP_OK;
}

/* OPTIONS TO SETTINGS */

/* Collective. The vectors of a place. A graph is opened, and the caller closes *graph. edges stays where it is. */
static gemp_code open_data(gemp_som_data *out, gemp_graph **graph, gemp_edge_selection *edges, gemp_context *context,
                           const gemp_options *o, const char *place)
{
	gemp_som_data_init(out);
	out->key_column = o->key_column;
	out->path = place;
	if (!is_graph(place))
		return GEMP_OK;
	*edges = gemp_edge_options(o);
	out->edges = edges;
	out->features = o->features;
	GEMP_TRY(gemp_graph_open(graph, context, place));
	out->graph = *graph;
	return GEMP_OK;
}

static gemp_code training_settings(gemp_som_settings *out, const gemp_options *o)
{
	char end;
	gemp_som_settings_init(out);
	if (o->map_size && (strspn(o->map_size, "0123456789x") != strlen(o->map_size) ||
	                    sscanf(o->map_size, "%9" SCNu32 "x%9" SCNu32 "%c", &out->rows, &out->columns, &end) != 2 ||
	                    !out->rows || !out->columns))
		return gemp_fail(GEMP_EUSAGE, "--size %s: rows and columns, as in 20x30", o->map_size);
	out->lattice = (gemp_som_lattice)o->grid;
	out->toroid = o->topology == 1;
	out->metric = (gemp_som_metric)o->metric;
	out->neighbourhood = (gemp_som_neighbourhood)o->neighbourhood;
	out->online = o->training == 1;
	out->exponential = o->cooling == 1;
	out->start = (gemp_som_start)o->start;
	out->scaling = o->features && !gemp_options_has(o, "scale") ? GEMP_SOM_SCALE_STANDARD
	                                                            : (gemp_som_scaling)o->scaling;
	out->epochs = o->epochs;
	out->radius = o->radius;
	out->radius_end = o->radius_end;
	out->rate = o->rate;
	out->rate_end = o->rate_end;
	out->seed = o->seed;
	out->no_quality = o->no_quality;
	out->output = o->output;
	out->save_every = o->save_every;
	out->resume = o->resume;
	out->max_seconds = o->max_time;
	out->units = (gemp_vertex_output){ .into = o->into, .column = o->column, .command = o->as_given };
	return GEMP_OK;
}

/* A map that training goes on with has settings of its own. */
static void warn_of_settings(const gemp_options *o)
{
	static const char *const settled[] = { "size",          "grid",   "topology",   "metric", "training",
		                                   "neighbourhood", "radius", "radius-end", "rate",   "rate-end",
		                                   "cooling",       "epochs", "start",      "seed",   "scale" };
	char text[512];
	if (!o->resume || o->quiet || access(o->output, F_OK) != 0)
		return;
	for (size_t i = 0; i < sizeof settled / sizeof *settled; i++) {
		snprintf(text, sizeof text, "--resume: %s goes on by its own settings; --%s is passed over", o->output,
		         settled[i]);
		if (gemp_options_has(o, settled[i]))
			gemp_terminal_log(NULL, GEMP_NORMAL, true, 0, text);
	}
}

/* WORDS */

static gemp_code train(gemp_context *context, const gemp_options *o, gemp_report *report)
{
	gemp_som_settings settings;
	gemp_som_data data;
	gemp_edge_selection edges;
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	GEMP_OWNED_BY(gemp_som_model_close_at) gemp_som_model *model = NULL;
	GEMP_TRY(training_settings(&settings, o));
	GEMP_TRY(check_data(o, o->arguments[1], o->features != NULL));
	GEMP_TRY(open_data(&data, &graph, &edges, context, o, o->arguments[1]));
	if (gemp_context_rank(context) == 0)
		warn_of_settings(o);
	gemp_process_on_signal(GEMP_SIGNAL_NOTE, NULL);
	return gemp_som_model_train(&model, context, &data, &settings, report);
}

static gemp_code apply(gemp_context *context, const gemp_options *o, gemp_report *report)
{
	const gemp_vertex_output files = {
		.output = o->output, .into = o->into, .column = o->column, .command = o->as_given
	};
	gemp_som_data data;
	gemp_edge_selection edges;
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	GEMP_OWNED_BY(gemp_som_model_close_at) gemp_som_model *model = NULL;
	GEMP_TRY(check_data(o, o->arguments[2], true));
	GEMP_TRY(gemp_som_model_open(&model, context, o->arguments[1]));
	GEMP_TRY(open_data(&data, &graph, &edges, context, o, o->arguments[2]));
	return gemp_som_model_apply(NULL, model, &data, &files, report);
}

static gemp_code draw(gemp_context *context, const gemp_options *o, gemp_report *report)
{
	gemp_som_picture picture;
	GEMP_OWNED_BY(gemp_som_model_close_at) gemp_som_model *model = NULL;
	gemp_som_picture_init(&picture);
	picture.show = o->shown.items;
	picture.show_count = o->shown.count;
	picture.labels = o->labels_file;
	picture.output = o->output;
	GEMP_TRY(gemp_som_model_open(&model, context, o->arguments[1]));
	return gemp_som_model_draw(model, &picture, report);
}

static gemp_code som(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	static const struct {
		const char *name;
		size_t arguments; /* with the word itself */
		const char *needs;
		gemp_code (*run)(gemp_context *context, const gemp_options *options, gemp_report *report);
	} words[] = {
		{ "train", 2, "DATA -o MAP.h5", train },
		{ "apply", 3, "MAP.h5 DATA -o FILE (or --into H.h5)", apply },
		{ "draw", 2, "MAP.h5 -o F.svg", draw },
	};
	const char *name = options->arguments[0];
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (strcmp(words[i].name, name) != 0)
			continue;
		const bool writes = options->output || (words[i].run == apply && options->into);
		if (options->argument_count != words[i].arguments || !writes)
			return gemp_fail(GEMP_EUSAGE, "som %s needs: %s ('gemp-mpi help som' shows how)", name, words[i].needs);
		GEMP_TRY(check_data_options(options, name));
		return words[i].run(context, options, report);
	}
	return gemp_fail(GEMP_EUSAGE, "som: there is no '%s'; there are train, apply and draw", name);
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
