/* train: the loop over epochs. A single rank keeps a pipeline of enqueued epochs for which it has not waited yet. The
 * device therefore has work while the host waits, reads errors and calls back. The pipeline becomes empty only after
 * the first epoch, at snapshots, and after an epoch that takes longer than max_seconds. The host learns of the end of
 * an epoch that is shorter than max_seconds within a fraction of a second. */

#include "som/train/train.h"

#include "core/memory.h"
#include "core/timer.h"
#include "som/train/trainer.h"

#include <math.h>

typedef struct epoch_pipeline {
	cl_event ends[GEMP_SOM_SLOTS]; /* the last launch of epoch k is ends[k % GEMP_SOM_SLOTS] */
	uint32_t begun, done;          /* number of enqueued epochs; number of epochs that the host has waited for */
	double last_end;               /* the time when the last wait ended; 0 if there was none */
	double epoch_seconds;          /* moving average of the time of an epoch */
} epoch_pipeline;                  /* initially {0} */

static const double max_seconds = .1; /* seconds of epochs that are enqueued ahead */

/* Adds an epoch. Its end is the device's last launch. There must be a free slot. */
static gemp_code pipeline_add(epoch_pipeline *pipeline, const gemp_device *device)
{
	GEMP_CHECK(pipeline->begun - pipeline->done < GEMP_SOM_SLOTS && device->last_launch);
	GEMP_TRY(GEMP_CL(clRetainEvent(device->last_launch)));
	if (pipeline->last_end == 0)
		pipeline->last_end = gemp_now();
	pipeline->ends[pipeline->begun++ % GEMP_SOM_SLOTS] = device->last_launch;
	return GEMP_OK;
}

/* Does not wait. An event with an error counts as ended, and the wait for the event then reports the error. */
static bool has_ended(cl_event event)
{
	cl_int status = CL_QUEUED;
	return clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL) == CL_SUCCESS &&
	       status <= CL_COMPLETE;
}

/* Returns whether the host finishes the oldest epoch before it enqueues the next epoch: the oldest has ended, or enough
 * epochs are enqueued and the host must wait for it. The time of an epoch is unknown until the first epoch has ended,
 * so the host waits for the first epoch. */
static bool pipeline_due(const epoch_pipeline *pipeline)
{
	const uint32_t count = pipeline->begun - pipeline->done;
	if (count == 0)
		return false;
	return pipeline->done == 0 || count == GEMP_SOM_SLOTS || count * pipeline->epoch_seconds > max_seconds ||
	       has_ended(pipeline->ends[pipeline->done % GEMP_SOM_SLOTS]);
}

/* Waits for the oldest epoch. The first epoch also compiles kernels, so its time does not enter the average. */
static gemp_code pipeline_wait(epoch_pipeline *pipeline)
{
	cl_event *end = &pipeline->ends[pipeline->done % GEMP_SOM_SLOTS];
	const gemp_code code = GEMP_CL(clWaitForEvents(1, end));
	const double now = gemp_now(), since = now - pipeline->last_end;
	pipeline->epoch_seconds = pipeline->done < 2 ? since : .75 * pipeline->epoch_seconds + .25 * since;
	pipeline->last_end = now;
	clReleaseEvent(*end);
	*end = NULL;
	pipeline->done++;
	return code;
}

static void pipeline_free(epoch_pipeline *pipeline)
{
	for (uint32_t k = pipeline->done; k != pipeline->begun; k++)
		clReleaseEvent(pipeline->ends[k % GEMP_SOM_SLOTS]);
	*pipeline = (epoch_pipeline){ 0 };
}

typedef struct train_context {
	const gemp_som_training *how;
	gemp_som_callback *callback;
	void *self; /* context of the callback */
	gemp_som_report *report;
	size_t capacity;           /* capacity of the report's epochs */
	bool stop_requested, stop; /* a callback of this rank wants to stop; all ranks have agreed to stop */
	gemp_som_trainer trainer;
	epoch_pipeline pipeline; /* used by a single rank only */
} train_context;

/* Returns the value of an epoch between the values of the first and the last epoch. The values change linearly, or by
 * the same factor from epoch to epoch. */
static double cooled(const gemp_som_training *how, uint32_t epoch, double from, double to)
{
	const double part = how->epochs > 1 ? (double)epoch / (how->epochs - 1) : 0;
	return how->exponential ? from * pow(to / from, part) : from + (to - from) * part;
}

/* The first epoch has how->radius, and the last epoch how->radius_end. */
double gemp_som_radius(const gemp_som_training *how, uint32_t epoch)
{
	return cooled(how, epoch, how->radius, how->radius_end);
}

double gemp_som_rate(const gemp_som_training *how, uint32_t epoch)
{
	return how->online ? cooled(how, epoch, how->rate, how->rate_end) : 1;
}

static bool is_rate(double rate)
{
	return rate > 0 && rate <= 1;
}

gemp_code gemp_som_training_check(const gemp_som_training *how)
{
	if (!(how->radius > 0 && how->radius_end > 0 && isfinite(how->radius) && isfinite(how->radius_end)))
		return gemp_fail(GEMP_EUSAGE, "radius %g to %g: give numbers above 0", how->radius, how->radius_end);
	if (how->online && !(is_rate(how->rate) && is_rate(how->rate_end)))
		return gemp_fail(GEMP_EUSAGE, "rate %g to %g: give numbers above 0, up to 1", how->rate, how->rate_end);
	if (how->neighbourhood == GEMP_SOM_SQUARE && how->grid.lattice == GEMP_SOM_HEXAGONAL)
		return gemp_fail(GEMP_EUSAGE,
		                 "a square neighbourhood is for rectangular grids; take a bubble on hexagonal ones");
	return gemp_som_grid_check(&how->grid);
}

/* Sets the mean errors; NAN if no sample has a unit. */
static void read_quality(gemp_som_epoch *epoch, const gemp_som_fit *fit)
{
	epoch->quantisation = fit->samples > 0 ? fit->distances / fit->samples : NAN;
	epoch->topographic = fit->samples > 0 ? fit->topographic / fit->samples : NAN;
}

/* Collective. Fails like gemp_som_trainer_epoch. Several ranks exchange errors and requests to stop within the epoch. A
 * single rank gets both later, when it waits for the epoch. */
static gemp_code run_epoch(train_context *run, gemp_som_epoch *epoch)
{
	const bool several = run->trainer.comm->size > 1;
	gemp_som_epoch_result result = { .stop = run->stop_requested };
	GEMP_TRY(gemp_som_trainer_epoch(&run->trainer, epoch->radius, epoch->rate,
	                                (epoch->epoch - run->how->from) % GEMP_SOM_SLOTS, &result));
	if (several)
		run->stop = result.stop;
	if (several && run->how->quality)
		read_quality(epoch, &result.fit);
	return GEMP_OK;
}

/* Returns whether the caller wants the codebook after this epoch. */
static bool has_snapshot(const gemp_som_training *how, const gemp_som_epoch *epoch)
{
	return how->snapshot_every && (epoch->epoch + 1) % how->snapshot_every == 0;
}

/* Local. A failure of the callback stays in local_code of this rank until the ranks next agree. */
static void call_back(train_context *run, const gemp_som_epoch *epoch)
{
	bool stop = false;
	if (!run->callback || run->trainer.local_code != GEMP_OK)
		return;
	run->trainer.local_code = run->callback(run->self, epoch, NULL, &stop);
	run->stop_requested = run->stop_requested || stop;
}

/* Collective. Waits until the device has finished this epoch, so the callback gets the codebook after this epoch. The
 * callback may make collective steps. */
static gemp_code call_back_snapshot(train_context *run, const gemp_som_epoch *epoch)
{
	bool stop = false;
	if (run->trainer.local_code == GEMP_OK)
		run->trainer.local_code = GEMP_CL(clFinish(run->trainer.device->queue));
	GEMP_TRY(gemp_comm_agree(run->trainer.comm, run->trainer.local_code));
	GEMP_TRY(gemp_comm_agree(run->trainer.comm, run->callback(run->self, epoch, &run->trainer.book, &stop)));
	uint64_t any = run->stop_requested || stop;
	gemp_comm_max(run->trainer.comm, &any, 1);
	run->stop = any != 0;
	return GEMP_OK;
}

/* Single rank only. Waits for the oldest epoch of the pipeline and calls back. For an epoch with a snapshot the
 * callback is called later, with the codebook. */
static gemp_code finish_epoch(train_context *run)
{
	const uint32_t k = run->pipeline.done;
	gemp_som_epoch *epoch = &run->report->epochs[k];
	gemp_som_fit fit;
	GEMP_TRY(pipeline_wait(&run->pipeline));
	if (run->how->quality) {
		GEMP_TRY(gemp_som_quality_read(&run->trainer.quality, k % GEMP_SOM_SLOTS, &fit));
		read_quality(epoch, &fit);
	}
	if (!has_snapshot(run->how, epoch))
		call_back(run, epoch);
	run->stop = run->stop_requested;
	return run->trainer.local_code;
}

/* Finishes the epochs that are due or, with `all`, every epoch of the pipeline. */
static gemp_code finish_epochs(train_context *run, bool all)
{
	while (all ? run->pipeline.done != run->pipeline.begun : pipeline_due(&run->pipeline))
		GEMP_TRY(finish_epoch(run));
	return GEMP_OK;
}

/* Collective. A single rank enqueues epochs ahead of its device and calls back later. Several ranks synchronise in
 * every epoch and call back at once. The report grows as epochs begin, since a user may ask for two billion epochs and
 * stop early. */
static gemp_code run_epochs(train_context *run)
{
	const gemp_som_training *how = run->how;
	const bool one_rank = run->trainer.comm->size == 1;
	for (uint32_t e = how->from; e < how->epochs && !run->stop; e++) {
		if (run->report->count == run->capacity)
			GEMP_TRY(gemp_comm_agree(run->trainer.comm,
			                         GEMP_RESERVE(run->report->epochs, run->capacity, run->report->count + 1)));
		gemp_som_epoch *epoch = &run->report->epochs[run->report->count++];
		*epoch = (gemp_som_epoch){ e, gemp_som_radius(how, e), gemp_som_rate(how, e), NAN, NAN };
		const bool has_codebook = run->callback && has_snapshot(how, epoch);
		GEMP_TRY(run_epoch(run, epoch));
		if (one_rank) {
			GEMP_TRY(run->trainer.local_code);
			GEMP_TRY(pipeline_add(&run->pipeline, run->trainer.device));
			GEMP_TRY(finish_epochs(run, has_codebook));
		} else if (!has_codebook) {
			call_back(run, epoch);
		}
		if (has_codebook)
			GEMP_TRY(call_back_snapshot(run, epoch));
	}
	if (one_rank)
		GEMP_TRY(finish_epochs(run, true));
	run->report->stopped = run->stop;
	return GEMP_OK;
}

/* A rank that has failed still enters each epoch: the ranks agree on the failure in the exchange of the epoch. */
gemp_code gemp_som_train(const gemp_comm *comm, gemp_device *device, const gemp_som_training *how, const float *x,
                         size_t count, uint32_t dims, float *w, gemp_som_callback *callback, void *context,
                         gemp_som_report *report)
{
	gemp_code code = GEMP_OK;
	const double since = gemp_now();
	gemp_som_report own = { 0 };
	train_context run = { .how = how, .callback = callback, .self = context, .report = &own };
	if (report)
		*report = own;
	GEMP_TRY_DONE(gemp_comm_agree(comm, gemp_som_training_check(how)));
	GEMP_TRY_DONE(gemp_som_trainer_new(&run.trainer, comm, device, how, x, count, dims, w));
	own.prepare = gemp_now() - since;
	own.units = gemp_som_trainer_sends_units(&run.trainer);
	GEMP_TRY_DONE(run_epochs(&run));
	GEMP_TRY_DONE(gemp_som_trainer_codebook(&run.trainer, w));
	own.train = gemp_now() - since - own.prepare;
	if (how->places)
		GEMP_TRY_DONE(gemp_som_trainer_places(&run.trainer, how->places));
	GEMP_TRY_DONE(gemp_comm_agree(comm, gemp_som_trainer_store(&run.trainer)));
	if (report) {
		*report = own;
		own = (gemp_som_report){ 0 };
	}
done:
	if (code != GEMP_OK)
		clFinish(device->queue); /* kernels must end before their buffers are freed */
	gemp_som_report_free(&own);
	pipeline_free(&run.pipeline);
	gemp_som_trainer_free(&run.trainer);
	return code;
}

void gemp_som_report_free(gemp_som_report *report)
{
	gemp_free(report->epochs);
	*report = (gemp_som_report){ 0 };
}
