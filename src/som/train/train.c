/* ahead: epochs that are enqueued and not known to be over, so that a device never waits for the host, and the host hears of each
 * within a fraction of a second.
 */

#include "som/train/train.h"

#include "core/memory.h"
#include "core/timer.h"
#include "som/train/trainer.h"

#include <math.h>

typedef struct gemp_som_pipeline {
	cl_event ends[GEMP_SOM_SLOTS]; /* of epoch number k: ends[k % GEMP_SOM_SLOTS] */
	uint32_t begun, done;          /* epochs */
	double last_end;               /* when the last one was over; 0: none yet */
	double epoch_seconds;          /* seconds of an epoch, as they go now */
} gemp_som_pipeline;               /* {0} */

static const double most_seconds = .1; /* of work that is enqueued */

/* The last launch ends an epoch. There must be room. */
static gemp_code gemp_som_pipeline_add(gemp_som_pipeline *ahead, const gemp_device *device)
{
	GEMP_CHECK(ahead->begun - ahead->done < GEMP_SOM_SLOTS && device->last_launch);
	GEMP_PROPAGATE(GEMP_CL(clRetainEvent(device->last_launch)));
	if (ahead->last_end == 0)
		ahead->last_end = gemp_now();
	ahead->ends[ahead->begun++ % GEMP_SOM_SLOTS] = device->last_launch;
	return GEMP_OK;
}

static bool is_over(cl_event event)
{
	cl_int status = CL_QUEUED;
	return clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL) == CL_SUCCESS &&
	       status <= CL_COMPLETE;
}

/* Is an epoch to be heard of before the next one is enqueued: because it is over, or there are enough? */
static bool gemp_som_pipeline_due(const gemp_som_pipeline *ahead)
{
	const uint32_t count = ahead->begun - ahead->done;
	if (count == 0)
		return false;
	/* of the first nobody knows how long it takes */
	return ahead->done == 0 || count == GEMP_SOM_SLOTS || count * ahead->epoch_seconds > most_seconds ||
	       is_over(ahead->ends[ahead->done % GEMP_SOM_SLOTS]);
}

/* Waits for the oldest one, which is not ahead any more. */
static gemp_code gemp_som_pipeline_wait(gemp_som_pipeline *ahead)
{
	cl_event *end = &ahead->ends[ahead->done % GEMP_SOM_SLOTS];
	const gemp_code code = GEMP_CL(clWaitForEvents(1, end));
	const double now = gemp_now(), since = now - ahead->last_end;
	/* the first compiles and warms up: it counts until the second is over */
	ahead->epoch_seconds = ahead->done < 2 ? since : .75 * ahead->epoch_seconds + .25 * since;
	ahead->last_end = now;
	clReleaseEvent(*end);
	*end = NULL;
	ahead->done++;
	return code;
}

static void gemp_som_pipeline_free(gemp_som_pipeline *ahead)
{
	for (uint32_t k = ahead->done; k != ahead->begun; k++)
		clReleaseEvent(ahead->ends[k % GEMP_SOM_SLOTS]);
	*ahead = (gemp_som_pipeline){ 0 };
}

typedef struct training {
	const gemp_som_training *how;
	gemp_som_callback *every;
	void *context;
	gemp_som_report *report;
	size_t room;      /* of the report's epochs: those that are never begun take none */
	bool asked, stop; /* to stop: this rank, until ranks agree next; all of them */
	gemp_som_trainer work;
	gemp_som_pipeline ahead; /* of one rank */
} training;

/* PLANS */

static double cooled(const gemp_som_training *how, uint32_t epoch, double from, double to)
{
	const double part = how->epochs > 1 ? (double)epoch / (how->epochs - 1) : 0;
	return how->exponential ? from * pow(to / from, part) : from + (to - from) * part;
}

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

/* AN EPOCH */

static void read_quality(gemp_som_epoch *epoch, const gemp_som_fit *fit)
{
	epoch->quantisation = fit->samples > 0 ? fit->distances / fit->samples : NAN;
	epoch->topographic = fit->samples > 0 ? fit->topographic / fit->samples : NAN;
}

/* Collective. As gemp_som_trainer_epoch. */
static gemp_code run_epoch(training *it, gemp_som_epoch *epoch)
{
	const bool several = it->work.comm->size > 1;
	gemp_som_epoch_result news = { .stop = it->asked };
	GEMP_PROPAGATE(gemp_som_trainer_epoch(&it->work, epoch->radius, epoch->rate,
	                                      (epoch->epoch - it->how->from) % GEMP_SOM_SLOTS, &news));
	if (several)
		it->stop = news.stop;
	if (several && it->how->quality)
		read_quality(epoch, &news.fit);
	return GEMP_OK;
}

/* CALLBACKS */

static bool has_snapshot(const gemp_som_training *how, const gemp_som_epoch *epoch)
{
	return how->snapshot_every && (epoch->epoch + 1) % how->snapshot_every == 0;
}

static void call_back(training *it, const gemp_som_epoch *epoch)
{
	bool stop = false;
	if (!it->every || it->work.local_code != GEMP_OK)
		return;
	it->work.local_code = it->every(it->context, epoch, NULL, &stop);
	it->asked = it->asked || stop;
}

/* Collective. The codebook is as this epoch has left it; what the callback does may be collective. */
static gemp_code call_back_snapshot(training *it, const gemp_som_epoch *epoch)
{
	bool stop = false;
	if (it->work.local_code == GEMP_OK)
		it->work.local_code = GEMP_CL(clFinish(it->work.device->queue));
	GEMP_PROPAGATE(gemp_comm_agree(it->work.comm, it->work.local_code));
	GEMP_PROPAGATE(gemp_comm_agree(it->work.comm, it->every(it->context, epoch, &it->work.book, &stop)));
	uint64_t any = it->asked || stop;
	gemp_comm_max(it->work.comm, &any, 1);
	it->stop = any != 0;
	return GEMP_OK;
}

/* One rank: the oldest epoch of those that are ahead. */
static gemp_code finish_epoch(training *it)
{
	const uint32_t k = it->ahead.done;
	gemp_som_epoch *epoch = &it->report->epochs[k];
	gemp_som_fit fit;
	GEMP_PROPAGATE(gemp_som_pipeline_wait(&it->ahead));
	if (it->how->quality) {
		GEMP_PROPAGATE(gemp_som_quality_read(&it->work.quality, k % GEMP_SOM_SLOTS, &fit));
		read_quality(epoch, &fit);
	}
	if (!has_snapshot(it->how, epoch))
		call_back(it, epoch);
	it->stop = it->asked;
	return it->work.local_code;
}

/* One rank. all: of all epochs that are ahead. */
static gemp_code finish_epochs(training *it, bool all)
{
	while (all ? it->ahead.done != it->ahead.begun : gemp_som_pipeline_due(&it->ahead))
		GEMP_PROPAGATE(finish_epoch(it));
	return GEMP_OK;
}

/* THE WHOLE */

/* Collective. */
static gemp_code run_epochs(training *it)
{
	const gemp_som_training *how = it->how;
	const bool alone = it->work.comm->size == 1;
	for (uint32_t e = how->from; e < how->epochs && !it->stop; e++) {
		if (it->report->count == it->room)
			GEMP_PROPAGATE(
				gemp_comm_agree(it->work.comm, GEMP_RESERVE(it->report->epochs, it->room, it->report->count + 1)));
		gemp_som_epoch *epoch = &it->report->epochs[it->report->count++];
		*epoch = (gemp_som_epoch){ e, gemp_som_radius(how, e), gemp_som_rate(how, e), NAN, NAN };
		const bool settled = it->every && has_snapshot(how, epoch);
		GEMP_PROPAGATE(run_epoch(it, epoch));
		if (alone) {
			GEMP_PROPAGATE(it->work.local_code);
			GEMP_PROPAGATE(gemp_som_pipeline_add(&it->ahead, it->work.device));
			GEMP_PROPAGATE(finish_epochs(it, settled));
		} else if (!settled) {
			call_back(it, epoch);
		}
		if (settled)
			GEMP_PROPAGATE(call_back_snapshot(it, epoch));
	}
	if (alone)
		GEMP_PROPAGATE(finish_epochs(it, true));
	it->report->stopped = it->stop;
	return GEMP_OK;
}

gemp_code gemp_som_train(const gemp_comm *comm, gemp_device *device, const gemp_som_training *how, const float *x,
                         size_t count, uint32_t dims, float *w, gemp_som_callback *every, void *context,
                         gemp_som_report *report)
{
	gemp_code code = GEMP_OK;
	const double since = gemp_now();
	gemp_som_report own = { 0 };
	training it = { .how = how, .every = every, .context = context, .report = &own };
	if (report)
		*report = own;
	GEMP_TRY(gemp_comm_agree(comm, gemp_som_training_check(how)));
	GEMP_TRY(gemp_som_trainer_new(&it.work, comm, device, how, x, count, dims, w));
	own.prepare = gemp_now() - since;
	own.units = gemp_som_trainer_sends_units(&it.work);
	GEMP_TRY(run_epochs(&it));
	GEMP_TRY(gemp_som_trainer_codebook(&it.work, w));
	own.train = gemp_now() - since - own.prepare;
	if (how->places)
		GEMP_TRY(gemp_som_trainer_places(&it.work, how->places));
	GEMP_TRY(gemp_comm_agree(comm, gemp_som_trainer_store(&it.work)));
	if (report) {
		*report = own;
		own = (gemp_som_report){ 0 };
	}
done:
	if (code != GEMP_OK)
		clFinish(device->queue); /* before its buffers go */
	gemp_som_report_free(&own);
	gemp_som_pipeline_free(&it.ahead);
	gemp_som_trainer_free(&it.work);
	return code;
}

void gemp_som_report_free(gemp_som_report *report)
{
	gemp_free(report->epochs);
	*report = (gemp_som_report){ 0 };
}
