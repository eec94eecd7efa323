/* som_train: gemp_som_model_train. The settings become a new map, or the training resumes with the map and the settings
 * of a file. The map can be written between epochs, so a killed job loses little work. Errors and units are computed
 * after the last epoch. */

#include "api/som/som_input.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "core/signals.h"
#include "io/arrays/numbers.h"
#include "io/file/output.h"
#include "som/file/map.h"
#include "som/train/train.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

GEMP_RELEASE(gemp_som_model_close, gemp_som_model *)

typedef struct training {
	const gemp_som_settings *settings;
	gemp_som_map *map; /* the map of the model */
	gemp_som_input input;
	const gemp_comm *comm;
	gemp_som_unit_list units;
	gemp_som_report done;
	double began;
} training;

GEMP_SETTINGS(gemp_som_settings, .start = GEMP_SOM_START_PCA, .epochs = 20, .radius_end = 1, .rate = .1,
              .rate_end = .01, .seed = 1)

/* PREPARATION */

/* Local. Finds mistakes that do not depend on the vectors. */
static gemp_code check_settings(const gemp_som_settings *s)
{
	if ((unsigned)s->lattice > GEMP_SOM_HEXAGONAL || (unsigned)s->metric > GEMP_SOM_COSINE ||
	    (unsigned)s->neighbourhood > GEMP_SOM_SQUARE || (unsigned)s->start > GEMP_SOM_START_PCA ||
	    (unsigned)s->scaling > GEMP_SOM_SCALE_STANDARD)
		return gemp_fail(GEMP_EUSAGE, "lattice, metric, neighbourhood, start or scaling is none of its type");
	if (s->epochs == 0 || s->epochs > INT32_MAX)
		return gemp_fail(GEMP_EUSAGE, "epochs must be 1 to 2147483647; got %" PRIu64, s->epochs);
	if (s->output && (strlen(s->output) < 4 || !gemp_file_ends_in(s->output, ".h5")))
		return gemp_fail(GEMP_EUSAGE, "output %s: a map is an HDF5 file; name it MAP.h5", s->output);
	return GEMP_OK;
}

/* Local. Makes a map of the settings, without values. */
static gemp_code new_map(training *t)
{
	const gemp_som_settings *s = t->settings;
	const gemp_vectors *vectors = &t->input.vectors;
	gemp_som_map *map = t->map;
	const bool chosen = s->rows || s->columns;
	const uint32_t side = gemp_som_default_side(vectors->total);
	const gemp_som_grid grid = { chosen ? s->rows : side, chosen ? s->columns : side, s->lattice, s->toroid };
	GEMP_TRY(gemp_som_grid_check(&grid));
	GEMP_TRY(gemp_som_map_new(map, grid.rows, grid.columns, vectors->dims));
	map->grid = s->lattice;
	map->topology = s->toroid;
	map->metric = s->metric;
	map->neighbourhood = s->neighbourhood;
	map->cooling = s->exponential;
	map->training = s->online;
	map->start = s->start;
	map->scaling = s->scaling;
	map->seed = s->seed;
	map->epochs = s->epochs;
	map->samples = vectors->total;
	map->radius_end = s->radius_end;
	map->radius = s->radius > 0 ? s->radius : gemp_som_default_radius(map);
	map->rate = s->rate;
	map->rate_end = s->rate_end;
	for (uint32_t c = 0; c < map->dims; c++) {
		map->names[c] = gemp_strdup(vectors->names[c]);
		if (!map->names[c])
			return GEMP_ENOMEM;
	}
	return GEMP_OK;
}

/* Collective. Returns whether there is a file to resume from. Rank 0 looks for all ranks, since the other ranks may see
 * an older state of the file system. */
static bool can_resume(const training *t)
{
	const gemp_som_settings *s = t->settings;
	uint64_t found = t->comm->rank == 0 && s->resume && s->output && access(s->output, F_OK) == 0;
	gemp_comm_max(t->comm, &found, 1);
	return found;
}

/* Local. Checks that the vectors are the vectors of the map in the file. `data` is the hash of the vectors, or 0 if it
 * is unknown. */
static gemp_code check_resumed(const training *t, uint64_t data)
{
	const gemp_som_map *map = t->map;
	const gemp_vectors *vectors = &t->input.vectors;
	const char *path = t->settings->output;
	const bool graph = t->input.job.graph != NULL;
	if (map->dims != vectors->dims || map->samples != vectors->total)
		return gemp_fail(GEMP_EDATA,
		                 "%s: was trained on %s of %s, and these are %s of %" PRIu32 "; resume goes on with the "
		                 "same data",
		                 path, gemp_counted(map->samples, "vector").text, gemp_counted(map->dims, "number").text,
		                 gemp_grouped(vectors->total).text, vectors->dims);
	for (uint32_t c = 0; (graph || vectors->named) && c < map->dims; c++)
		if (strcmp(map->names[c], vectors->names[c]) != 0)
			return gemp_fail(GEMP_EDATA,
			                 "%s: its column %" PRIu32 " is '%s', and of %s '%s'; resume goes on with the same columns "
			                 "in the same order",
			                 path, c + 1, map->names[c], graph ? "features" : "the data", vectors->names[c]);
	if (map->data && data && map->data != data)
		return gemp_fail(GEMP_EDATA,
		                 "%s: was trained on other vectors than those of %s; resume goes on with the same "
		                 "data, and another output begins anew",
		                 path, t->input.name);
	if (map->epoch > map->epochs || map->epochs > INT32_MAX)
		return gemp_fail(GEMP_EDATA, "%s: epoch %" PRIu64 " of %" PRIu64, path, map->epoch, map->epochs);
	return GEMP_OK;
}

/* Collective. Makes or reads the map, and scales the vectors in the way of the map. */
static gemp_code prepare(training *t)
{
	gemp_som_map *map = t->map;
	gemp_vectors *vectors = &t->input.vectors;
	const bool there = can_resume(t);
	/* The features of a graph have no hash, since rounding may differ between runs. */
	const uint64_t data = t->input.job.graph ? 0 : gemp_vectors_hash(vectors, t->comm);
	if (there) {
		GEMP_TRY(gemp_som_file_read(map, t->comm, t->settings->output));
		GEMP_TRY(gemp_comm_agree(t->comm, check_resumed(t, data)));
	} else {
		GEMP_TRY(gemp_comm_agree(t->comm, new_map(t)));
		map->data = data;
		GEMP_TRY(gemp_som_scale_find(map, t->comm, vectors));
	}
	const gemp_som_training how = gemp_som_training_of(map);
	GEMP_TRY(gemp_comm_agree(t->comm, gemp_som_training_check(&how)));
	GEMP_TRY(gemp_som_scale_apply(map, t->comm, t->input.name, vectors));
	return there ? GEMP_OK : gemp_som_map_start(map, t->comm, vectors);
}

/* TRAINING */

/* Collective. Writes the map, if it has a file. */
static gemp_code save_map(training *t)
{
	if (!t->settings->output)
		return GEMP_OK;
	double since = gemp_now();
	gemp_code code = gemp_som_map_save(t->map, t->comm, t->settings->output);
	gemp_timers_add(&t->input.job.timers, GEMP_PHASE_WRITE, since);
	return code;
}

/* Callback of gemp_som_train. `book` has the units if the map is to be written now, otherwise it is NULL. The file of
 * an unfinished map has no hits and errors. */
static gemp_code after_epoch(void *context, const gemp_som_epoch *done, const gemp_som_codebook *book, bool *stop)
{
	training *t = context;
	gemp_som_map *map = t->map;
	const double max_seconds = t->settings->max_seconds;
	map->epoch = done->epoch + 1;
	gemp_progress("training", map->epoch, map->epochs, 0);
	*stop = gemp_signals_pending() || (max_seconds > 0 && gemp_now() - t->began >= max_seconds);
	if (!book || map->epoch == map->epochs)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(t->comm, gemp_som_codebook_read(book, map->codebook)));
	gemp_free(map->hits);
	map->hits = NULL;
	map->quantisation = map->topographic = (double)NAN;
	return save_map(t);
}

/* Collective. Trains the remaining epochs. A finished map has none. */
static gemp_code train(training *t)
{
	const gemp_som_settings *s = t->settings;
	const gemp_vectors *v = &t->input.vectors;
	double *seconds = t->input.job.timers.seconds;
	gemp_som_training how = gemp_som_training_of(t->map);
	if (how.from == how.epochs)
		return GEMP_OK;
	GEMP_TRY(gemp_som_unit_list_new(&t->units, t->comm, v->count));
	const gemp_som_places places = { t->units.unit, t->units.second, t->units.distance };
	how.places = &places;
	how.quality = !s->no_quality && t->input.job.reports;
	if (s->output && s->save_every < t->map->epochs)
		how.snapshot_every = (uint32_t)s->save_every;
	gemp_code code = gemp_som_train(t->comm, t->input.job.runtime->device, &how, v->x, v->count, v->dims,
	                                t->map->codebook, after_epoch, t, &t->done);
	gemp_progress_end();
	seconds[GEMP_PHASE_UPLOAD] += t->done.prepare;
	seconds[GEMP_PHASE_KERNEL] += t->done.train;
	return code;
}

/* RESULTS */

/* Collective. Computes errors and hits of the map. If this call has trained no epoch, the best units are searched
 * first. */
static gemp_code measure(training *t)
{
	const gemp_vectors *vectors = &t->input.vectors;
	if (!t->units.unit)
		GEMP_TRY(gemp_som_unit_list_find(&t->units, t->input.job.runtime, t->map, vectors));
	return gemp_som_map_measure(t->map, t->comm, vectors, &t->units);
}

/* Sets the field `epochs` with an entry for each epoch of this call. The epochs of earlier calls are unknown. */
static void report_epochs(const training *t)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < t->done.count; i++) {
		const gemp_som_epoch *e = &t->done.epochs[i];
		json_t *one = json_pack("{s:i, s:f}", "epoch", (int)e->epoch, "radius", e->radius);
		if (t->map->training == 1)
			json_object_set_new(one, "rate", json_real(e->rate));
		if (!t->settings->no_quality) {
			json_object_set_new(one, "quantisation_error", gemp_json_real(e->quantisation));
			json_object_set_new(one, "topographic_error", gemp_json_real(e->topographic));
		}
		json_array_append_new(list, one);
	}
	gemp_report_set(t->input.job.report, "epochs", list);
}

/* Returns the kind of data that the ranks exchanged in an epoch. */
static json_t *exchange_json(const training *t)
{
	if (t->comm->size == 1 || t->done.count == 0)
		return json_null();
	return json_string(t->done.units ? "units" : t->map->training == 1 ? "maps" : "sums");
}

/* Collective. Reports the map and the epochs, and ends the report. */
static gemp_code report_all(training *t)
{
	gemp_report *report = t->input.job.report;
	const gemp_som_map *map = t->map;
	double seconds = t->done.train, each;
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, t->comm->world));
	each = t->done.count ? seconds / t->done.count : 0;
	gemp_report_print(report, "%s of %s on a map of %" PRIu32 " x %" PRIu32 " units, after %" PRIu64 " of %s\n",
	                  gemp_counted(map->samples, "vector").text, gemp_counted(map->dims, "number").text, map->rows,
	                  map->columns, map->epoch, gemp_counted(map->epochs, "epoch").text);
	gemp_som_report_errors(report, map->quantisation, map->topographic);
	gemp_report_detail(report, "\n  %-10s %10.3f ms an epoch\n", "time", 1e3 * each);
	gemp_report_set_counts(report, { "vectors", map->samples }, { "dimensions", map->dims },
	                       { "missing", t->input.vectors.missing }, { "rows", map->rows }, { "columns", map->columns },
	                       { "epoch", map->epoch });
	gemp_report_set(report, "train_seconds", json_real(seconds));
	gemp_report_set(report, "seconds_per_epoch", json_real(each));
	gemp_report_set(report, "exchange", exchange_json(t));
	report_epochs(t);
	return gemp_som_input_report(&t->input);
}

/* Collective. Returns GEMP_STOPPED if a signal of any rank or the time limit has ended the training. */
static gemp_code check_stopped(const training *t)
{
	const gemp_som_map *map = t->map;
	const char *output = t->settings->output;
	uint64_t signal = (uint64_t)gemp_signals_pending();
	gemp_comm_max(t->comm, &signal, 1);
	if (map->epoch == map->epochs)
		return GEMP_OK;
	return gemp_fail(GEMP_STOPPED, "stopped by %s after epoch %" PRIu64 " of %" PRIu64 "%s%s%s",
	                 signal ? gemp_signals_name((int)signal) : "max-time", map->epoch, map->epochs,
	                 output ? "; the map is in " : "", output ? output : "", output ? ", and resume goes on" : "");
}

static void free_training(training *t)
{
	gemp_som_report_free(&t->done);
	gemp_som_unit_list_free(&t->units);
	gemp_som_input_free(&t->input);
}

/* Settings and paths are checked first, since reading vectors may take long. A stopped training also writes its map and
 * its report before it returns GEMP_STOPPED. Signals are not recorded while vectors are read, since there is no
 * training yet whose result could be saved. */
gemp_code gemp_som_model_train(gemp_som_model **out, gemp_context *context, const gemp_som_data *data,
                               const gemp_som_settings *settings, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_som_model_close_at) gemp_som_model *model = NULL;
	const gemp_som_settings chosen = gemp_som_settings_from(settings);
	GEMP_OWNED_BY(free_training) training t = { .settings = &chosen, .comm = &context->comm, .began = gemp_now() };
	*out = NULL;
	GEMP_TRY(gemp_som_input_begin(&t.input, context, data, report));
	gemp_code code = check_settings(&chosen);
	GEMP_THEN(gemp_som_model_new(&model, context, chosen.output ? chosen.output : "the map"));
	GEMP_TRY(gemp_comm_agree(t.comm, code));
	t.map = &model->map;
	if (chosen.output)
		GEMP_TRY(gemp_number_array_check_output(t.comm, chosen.output));
	GEMP_TRY(gemp_som_input_check_files(&t.input, &chosen.units));
	const bool recorded = gemp_signals_suspend();
	code = gemp_som_input_read(&t.input, NULL, false);
	gemp_signals_resume(recorded);
	GEMP_TRY(code);
	if (t.input.vectors.total == 0 || t.input.vectors.dims == 0)
		return gemp_fail(GEMP_EDATA, "%s: has no %s to train on", t.input.name,
		                 t.input.data.graph ? "vertices" : "vectors");
	GEMP_TRY(gemp_som_check_dims(t.input.name, t.input.vectors.dims));
	GEMP_TRY(prepare(&t));
	GEMP_TRY(train(&t));
	GEMP_TRY(measure(&t));
	GEMP_TRY(save_map(&t));
	if (t.map->epoch == t.map->epochs) /* an unfinished map gets its units from the call that resumes the training */
		GEMP_TRY(gemp_som_input_write_units(&t.input, &chosen.units, &t.units, t.map));
	GEMP_TRY(report_all(&t));
	code = check_stopped(&t);
	*out = GEMP_MOVE(model);
	return code;
}
