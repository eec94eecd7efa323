#include "api/context_state.h"
#include "cli/graph_job.h"
#include "cli/som/som.h"
#include "cli/som/som_graph.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "core/signals.h"
#include "io/arrays/numbers.h"
#include "io/arrays/vectors.h"
#include "som/file/map_training.h"
#include "som/train/train.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct training {
	gemp_graph_job job;
	gemp_som_graph graph; /* whose vertices the vectors are, if they are */
	gemp_vectors vectors;
	gemp_som_map map;
	gemp_som_unit_list units;
	gemp_som_report done;
	double began;
} training;

/* BEFORE */

static gemp_code check(const gemp_options *o)
{
	size_t length = strlen(o->output);
	if (length < 4 || strcmp(o->output + length - 3, ".h5") != 0)
		return gemp_fail(GEMP_EUSAGE, "--output %s: a map is an HDF5 file; name it MAP.h5", o->output);
	if (o->epochs > INT32_MAX)
		return gemp_fail(GEMP_EUSAGE, "--epochs %" PRIu64 ": at most 2147483647", o->epochs);
	return GEMP_OK;
}

static gemp_code sides(const gemp_options *o, uint64_t samples, uint32_t *rows, uint32_t *columns)
{
	char end;
	if (!o->map_size) {
		*rows = *columns = gemp_som_default_side(samples);
		return GEMP_OK;
	}
	if (strspn(o->map_size, "0123456789x") != strlen(o->map_size) ||
	    sscanf(o->map_size, "%9" SCNu32 "x%9" SCNu32 "%c", rows, columns, &end) != 2 || !*rows || !*columns)
		return gemp_fail(GEMP_EUSAGE, "--size %s: rows and columns, as in 20x30", o->map_size);
	return GEMP_OK;
}

static gemp_code name_columns(gemp_som_map *map, const gemp_vectors *vectors)
{
	for (uint32_t c = 0; c < map->dims; c++) {
		map->names[c] = gemp_strdup(vectors->names[c]);
		if (!map->names[c])
			return GEMP_ENOMEM;
	}
	return GEMP_OK;
}

/* Local. A map of the options' settings, without values. */
static gemp_code new_map(training *t)
{
	gemp_code code = GEMP_OK;
	const gemp_options *o = t->job.options;
	uint32_t rows, columns;
	GEMP_TRY(sides(o, t->vectors.total, &rows, &columns));
	GEMP_TRY(gemp_som_grid_check(&(gemp_som_grid){ rows, columns, (gemp_som_lattice)o->grid, o->topology == 1 }));
	GEMP_TRY(gemp_som_map_new(&t->map, rows, columns, t->vectors.dims));
	gemp_som_map *map = &t->map;
	map->grid = o->grid;
	map->topology = o->topology;
	map->metric = o->metric;
	map->neighbourhood = o->neighbourhood;
	map->cooling = o->cooling;
	map->training = o->training;
	map->start = o->start;
	map->scaling = o->features && !gemp_options_has(o, "scale") ? GEMP_SOM_SCALE_STANDARD : o->scaling;
	map->seed = o->seed;
	map->epochs = o->epochs;
	map->radius_end = o->radius_end;
	map->radius = o->radius > 0 ? o->radius : gemp_som_default_radius(map);
	map->rate = o->rate;
	map->rate_end = o->rate_end;
	code = name_columns(map, &t->vectors);
done:
	return code;
}

/* Collective. Is there a map to go on with? */
static bool is_there(const training *t)
{
	uint64_t found = t->job.comm->rank == 0 && t->job.options->resume && access(t->job.options->output, F_OK) == 0;
	gemp_comm_max(t->job.comm, &found, 1);
	return found;
}

/* data: that of the vectors; 0: not known. */
static gemp_code check_resumed(const training *t, uint64_t data)
{
	static const char *const settled[] = { "size",          "grid",   "topology",   "metric", "training",
		                                   "neighbourhood", "radius", "radius-end", "rate",   "rate-end",
		                                   "cooling",       "epochs", "start",      "seed",   "scale" };
	const gemp_som_map *map = &t->map;
	const char *path = t->job.options->output;
	for (size_t i = 0; i < sizeof settled / sizeof *settled; i++)
		if (gemp_options_has(t->job.options, settled[i]))
			gemp_warn("--resume: %s goes on by its own settings; --%s is passed over", path, settled[i]);
	if (map->dims != t->vectors.dims || map->samples != t->vectors.total)
		return gemp_fail(GEMP_EDATA,
		                 "%s: was trained on %s of %s, and these are %s of %" PRIu32 "; --resume goes on with the "
		                 "same data",
		                 path, gemp_counted(map->samples, "vector").text, gemp_counted(map->dims, "number").text,
		                 gemp_grouped(t->vectors.total).text, t->vectors.dims);
	for (uint32_t c = 0; (t->graph.job || t->vectors.named) && c < map->dims; c++)
		if (strcmp(map->names[c], t->vectors.names[c]) != 0)
			return gemp_fail(GEMP_EDATA,
			                 "%s: its column %" PRIu32 " is '%s', and of %s '%s'; --resume "
			                 "goes on with the same ones in the same order",
			                 path, c + 1, map->names[c], t->graph.job ? "--features" : "the data", t->vectors.names[c]);
	if (map->data && data && map->data != data)
		return gemp_fail(GEMP_EDATA,
		                 "%s: was trained on other vectors than those of %s; --resume goes on with the same "
		                 "data, and another -o begins anew",
		                 path, t->job.options->arguments[1]);
	if (map->epoch > map->epochs || map->epochs > INT32_MAX)
		return gemp_fail(GEMP_EDATA, "%s: epoch %" PRIu64 " of %" PRIu64, path, map->epoch, map->epochs);
	return GEMP_OK;
}

/* Collective. */
static gemp_code prepare(training *t)
{
	gemp_code code = GEMP_OK;
	const bool there = is_there(t);
	/* features are the same but for rounding */
	const uint64_t data = t->graph.job ? 0 : gemp_vectors_hash(&t->vectors, t->job.comm);
	if (there) {
		GEMP_TRY(gemp_som_file_read(&t->map, t->job.comm, t->job.options->output));
		GEMP_TRY(gemp_comm_agree(t->job.comm, check_resumed(t, data)));
	} else {
		GEMP_TRY(gemp_comm_agree(t->job.comm, new_map(t)));
		t->map.samples = t->vectors.total;
		t->map.data = data;
		GEMP_TRY(gemp_som_scale_find(&t->map, t->job.comm, &t->vectors));
	}
	const gemp_som_training asked = gemp_som_training_of(&t->map);
	GEMP_TRY(gemp_comm_agree(t->job.comm, gemp_som_training_check(&asked)));
	GEMP_TRY(gemp_som_scale_apply(&t->map, t->job.comm, t->job.options->arguments[1], &t->vectors));
	if (!there)
		code = gemp_som_map_start(&t->map, t->job.comm, &t->vectors);
done:
	return code;
}

/* MEANWHILE */

/* Collective. The map as it is, under its name. */
static gemp_code save(training *t)
{
	double since = gemp_now();
	gemp_code code = gemp_som_map_save(&t->map, t->job.comm, t->job.options->output);
	gemp_timers_add(&t->job.timers, GEMP_PHASE_WRITE, since);
	return code;
}

static gemp_code after_epoch(void *context, const gemp_som_epoch *done, const gemp_som_codebook *book, bool *stop)
{
	gemp_code code = GEMP_OK;
	training *t = context;
	const gemp_options *o = t->job.options;
	t->map.epoch = done->epoch + 1;
	gemp_progress("training", t->map.epoch, t->map.epochs, 0);
	*stop = gemp_signals_pending() || (o->max_time > 0 && gemp_now() - t->began >= o->max_time);
	if (book && t->map.epoch < t->map.epochs) {
		GEMP_TRY(gemp_comm_agree(t->job.comm, gemp_som_codebook_read(book, t->map.codebook)));
		gemp_free(t->map.hits);
		t->map.hits = NULL;
		t->map.quantisation = t->map.topographic = (double)NAN;
		code = save(t);
	}
done:
	return code;
}

/* Collective. */
static gemp_code train(training *t)
{
	gemp_code code = GEMP_OK;
	gemp_som_training asked = gemp_som_training_of(&t->map);
	const gemp_vectors *v = &t->vectors;
	gemp_som_places places;
	if (asked.from == asked.epochs)
		return GEMP_OK;
	GEMP_TRY(gemp_som_unit_list_new(&t->units, t->job.comm, v->count));
	places = (gemp_som_places){ t->units.unit, t->units.second, t->units.distance };
	asked.places = &places;
	asked.quality = !t->job.options->no_quality;
	if (t->job.options->save_every < t->map.epochs)
		asked.snapshot_every = (uint32_t)t->job.options->save_every;
	gemp_signals_record();
	code = gemp_som_train(t->job.comm, t->job.context->device, &asked, v->x, v->count, v->dims, t->map.codebook,
	                      after_epoch, t, &t->done);
	gemp_progress_end();
	t->job.timers.seconds[GEMP_PHASE_UPLOAD] += t->done.prepare;
	t->job.timers.seconds[GEMP_PHASE_KERNEL] += t->done.train;
done:
	return code;
}

/* AFTERWARDS */

/* Collective. Errors and hits by the map as it is. */
static gemp_code measure(training *t)
{
	gemp_code code = GEMP_OK;
	if (!t->units.unit) /* nothing was trained */
		GEMP_TRY(gemp_som_unit_list_find(&t->units, t->job.context, &t->map, &t->vectors));
	code = gemp_som_map_measure(&t->map, t->job.comm, &t->vectors, &t->units);
done:
	return code;
}

static void report_epochs(training *t)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < t->done.count; i++) {
		const gemp_som_epoch *e = &t->done.epochs[i];
		json_t *one = json_pack("{s:i, s:f}", "epoch", (int)e->epoch, "radius", e->radius);
		if (t->map.training == 1)
			json_object_set_new(one, "rate", json_real(e->rate));
		if (!t->job.options->no_quality) {
			json_object_set_new(one, "quantisation_error", gemp_json_real(e->quantisation));
			json_object_set_new(one, "topographic_error", gemp_json_real(e->topographic));
		}
		json_array_append_new(list, one);
	}
	gemp_report_set(t->job.report, "epochs", list);
}

static const char *what_was_told(const training *t)
{
	return t->done.units ? "units" : t->map.training == 1 ? "maps" : "sums";
}

/* Collective. */
static gemp_code report_all(training *t)
{
	gemp_report *report = t->job.report;
	const gemp_som_map *map = &t->map;
	double seconds = t->done.train, each;
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, t->job.comm->world));
	each = t->done.count ? seconds / t->done.count : 0;
	gemp_report_print(report, "%s of %s on a map of %" PRIu32 " x %" PRIu32 " units, after %" PRIu64 " of %s\n",
	                  gemp_counted(map->samples, "vector").text, gemp_counted(map->dims, "number").text, map->rows,
	                  map->columns, map->epoch, gemp_counted(map->epochs, "epoch").text);
	gemp_som_report_errors(report, map->quantisation, map->topographic);
	gemp_report_detail(report, "\n  %-10s %10.3f ms an epoch\n", "time", 1e3 * each);
	gemp_report_set(report, "vectors", gemp_json_count(map->samples));
	gemp_report_set(report, "dimensions", gemp_json_count(map->dims));
	gemp_report_set(report, "missing", gemp_json_count(t->vectors.missing));
	gemp_report_set(report, "rows", gemp_json_count(map->rows));
	gemp_report_set(report, "columns", gemp_json_count(map->columns));
	gemp_report_set(report, "epoch", gemp_json_count(map->epoch));
	gemp_report_set(report, "train_seconds", json_real(seconds));
	gemp_report_set(report, "seconds_per_epoch", json_real(each));
	gemp_report_set(report, "exchange",
	                t->job.comm->size == 1 || t->done.count == 0 ? json_null() : json_string(what_was_told(t)));
	report_epochs(t);
	if (t->graph.job)
		gemp_som_graph_report(&t->graph);
	return gemp_graph_job_resources(&t->job);
}

/* Collective. Does any rank's signal, or the time, keep the training from its end? */
static gemp_code stopped(const training *t)
{
	uint64_t signal = (uint64_t)gemp_signals_pending();
	gemp_comm_max(t->job.comm, &signal, 1);
	if (t->map.epoch == t->map.epochs)
		return GEMP_OK;
	return gemp_fail(GEMP_STOPPED,
	                 "stopped by %s after epoch %" PRIu64 " of %" PRIu64 "; the map is in %s, and "
	                 "--resume goes on",
	                 signal ? gemp_signals_name((int)signal) : "--max-time", t->map.epoch, t->map.epochs,
	                 t->job.options->output);
}

/* Collective. Of a file, or of a graph's vertices, whose features are found on the devices. */
static gemp_code read_vectors(training *t)
{
	gemp_code code = GEMP_OK;
	const gemp_options *o = t->job.options;
	const char *place = o->arguments[1];
	double since = gemp_now();
	if (o->features && gemp_som_is_graph(place)) {
		GEMP_TRY(gemp_som_graph_open(&t->graph, &t->job, place, NULL, NULL));
		since = gemp_now();
		GEMP_TRY(gemp_graph_job_device(&t->job));
		GEMP_TRY(gemp_som_graph_vectors(&t->vectors, &t->graph, false));
		gemp_timers_add(&t->job.timers, GEMP_PHASE_CONVERT, since);
	} else {
		GEMP_TRY(gemp_som_check_vectors(o, place));
		GEMP_TRY(gemp_vectors_read(&t->vectors, t->job.comm, place, o->key_column));
		GEMP_TRY(gemp_som_check_dims(place, t->vectors.dims));
		gemp_timers_add(&t->job.timers, GEMP_PHASE_READ, since);
		GEMP_TRY(gemp_graph_job_device(&t->job));
	}
	if (t->vectors.total == 0)
		code = gemp_fail(GEMP_EDATA, "%s: has no %s to train on", place, t->graph.job ? "vertices" : "vectors");
done:
	return code;
}

/* Collective. A training that was stopped has no units yet: --resume writes them. */
static gemp_code write_units(training *t)
{
	double since = gemp_now();
	if (!t->graph.job || t->map.epoch < t->map.epochs)
		return GEMP_OK;
	gemp_code code = gemp_som_graph_write(&t->graph, &t->units, &t->map);
	gemp_timers_add(&t->job.timers, GEMP_PHASE_WRITE, since);
	return code;
}

gemp_code gemp_som_run_train(gemp_report *report, gemp_comm *comm, const gemp_options *options)
{
	gemp_code code = GEMP_OK;
	training t = { .began = gemp_now() };
	GEMP_TRY(gemp_graph_job_init(&t.job, report->context, options, report));
	GEMP_TRY(check(options));
	GEMP_TRY(gemp_number_array_check_output(comm, options->output));
	GEMP_TRY(read_vectors(&t));
	GEMP_TRY(prepare(&t));
	GEMP_TRY(train(&t));
	GEMP_TRY(measure(&t));
	GEMP_TRY(save(&t));
	GEMP_TRY(write_units(&t));
	GEMP_TRY(report_all(&t));
	code = stopped(&t);
done:
	gemp_som_report_free(&t.done);
	gemp_som_map_free(&t.map);
	gemp_som_unit_list_free(&t.units);
	gemp_vectors_free(&t.vectors);
	gemp_som_graph_free(&t.graph);
	gemp_graph_job_free(&t.job);
	return code;
}
