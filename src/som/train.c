#include "som/train.h"

#include "core/memory.h"
#include "som/ahead.h"
#include "som/work.h"

#include <math.h>

typedef struct training {
	const gemp_som_training *how;
	gemp_som_every *every;
	void *context;
	gemp_som_report *report;
	size_t room;          /* of the report's epochs: those that are never begun take none */
	bool asked, stop;     /* to stop: this rank, until ranks agree next; all of them */
	gemp_som_work work;
	gemp_som_ahead ahead; /* of one rank */
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
		return gemp_fail(GEMP_EUSAGE, "a square neighbourhood is for rectangular grids; take a bubble on hexagonal ones");
	return gemp_som_grid_check(&how->grid);
}

/* AN EPOCH */

static void judge(gemp_som_epoch *epoch, const gemp_som_fit *fit)
{
	epoch->quantisation = fit->samples > 0 ? fit->distances / fit->samples : NAN;
	epoch->topographic = fit->samples > 0 ? fit->torn / fit->samples : NAN;
}

/* Collective. As gemp_som_work_epoch. */
static gemp_code run_epoch(training *it, gemp_som_epoch *epoch)
{
	gemp_code code = GEMP_OK;
	const bool several = it->work.comm->size > 1;
	gemp_som_news news = { .stop = it->asked };
	GEMP_TRY(gemp_som_work_epoch(&it->work, epoch->radius, epoch->rate, (epoch->epoch - it->how->from) % GEMP_SOM_SLOTS, &news));
	if (several)
		it->stop = news.stop;
	if (several && it->how->quality)
		judge(epoch, &news.fit);
done:
	return code;
}

/* CALLBACKS */

static bool settles(const gemp_som_training *how, const gemp_som_epoch *epoch)
{
	return how->settle && (epoch->epoch + 1) % how->settle == 0;
}

static void tell(training *it, const gemp_som_epoch *epoch)
{
	bool stop = false;
	if (!it->every || it->work.mine != GEMP_OK)
		return;
	it->work.mine = it->every(it->context, epoch, NULL, &stop);
	it->asked = it->asked || stop;
}

/* Collective. The codebook is as this epoch has left it; what the callback does may be collective. */
static gemp_code tell_settled(training *it, const gemp_som_epoch *epoch)
{
	gemp_code code = GEMP_OK;
	bool stop = false;
	if (it->work.mine == GEMP_OK)
		it->work.mine = GEMP_CL(clFinish(it->work.device->queue));
	GEMP_TRY(gemp_comm_agree(it->work.comm, it->work.mine));
	GEMP_TRY(gemp_comm_agree(it->work.comm, it->every(it->context, epoch, &it->work.book, &stop)));
	uint64_t any = it->asked || stop;
	gemp_comm_max(it->work.comm, &any, 1);
	it->stop = any != 0;
done:
	return code;
}

/* One rank: the oldest epoch of those that are ahead. */
static gemp_code hear(training *it)
{
	gemp_code code = GEMP_OK;
	const uint32_t k = it->ahead.over;
	gemp_som_epoch *epoch = &it->report->epochs[k];
	gemp_som_fit fit;
	GEMP_TRY(gemp_som_ahead_take(&it->ahead));
	if (it->how->quality) {
		GEMP_TRY(gemp_som_judge_take(&it->work.judge, k % GEMP_SOM_SLOTS, &fit));
		judge(epoch, &fit);
	}
	if (!settles(it->how, epoch))
		tell(it, epoch);
	it->stop = it->asked;
	code = it->work.mine;
done:
	return code;
}

/* One rank. all: of all epochs that are ahead. */
static gemp_code hear_of(training *it, bool all)
{
	gemp_code code = GEMP_OK;
	while (all ? it->ahead.over != it->ahead.begun : gemp_som_ahead_due(&it->ahead))
		GEMP_TRY(hear(it));
done:
	return code;
}

/* THE WHOLE */

/* Collective. */
static gemp_code run_epochs(training *it)
{
	gemp_code code = GEMP_OK;
	const gemp_som_training *how = it->how;
	const bool alone = it->work.comm->size == 1;
	for (uint32_t e = how->from; e < how->epochs && !it->stop; e++) {
		if (it->report->count == it->room)
			GEMP_TRY(gemp_comm_agree(it->work.comm, GEMP_RESERVE(it->report->epochs, it->room, it->report->count + 1)));
		gemp_som_epoch *epoch = &it->report->epochs[it->report->count++];
		*epoch = (gemp_som_epoch){ e, gemp_som_radius(how, e), gemp_som_rate(how, e), NAN, NAN };
		const bool settled = it->every && settles(how, epoch);
		GEMP_TRY(run_epoch(it, epoch));
		if (alone) {
			GEMP_TRY(it->work.mine);
			GEMP_TRY(gemp_som_ahead_add(&it->ahead, it->work.device));
			GEMP_TRY(hear_of(it, settled));
		} else if (!settled) {
			tell(it, epoch);
		}
		if (settled)
			GEMP_TRY(tell_settled(it, epoch));
	}
	if (alone)
		GEMP_TRY(hear_of(it, true));
	it->report->stopped = it->stop;
done:
	return code;
}

gemp_code gemp_som_train(const gemp_comm *comm, gemp_device *device, const gemp_som_training *how, const float *x, size_t count,
                         uint32_t dims, float *w, gemp_som_every *every, void *context, gemp_som_report *report)
{
	gemp_code code = GEMP_OK;
	const double since = gemp_now();
	gemp_som_report own = { 0 };
	training it = { .how = how, .every = every, .context = context, .report = &own };
	if (report)
		*report = own;
	GEMP_TRY(gemp_comm_agree(comm, gemp_som_training_check(how)));
	GEMP_TRY(gemp_som_work_new(&it.work, comm, device, how, x, count, dims, w));
	own.prepare = gemp_now() - since;
	own.units = gemp_som_work_tells_units(&it.work);
	GEMP_TRY(run_epochs(&it));
	GEMP_TRY(gemp_som_work_codebook(&it.work, w));
	own.train = gemp_now() - since - own.prepare;
	if (how->places)
		GEMP_TRY(gemp_som_work_places(&it.work, how->places));
	GEMP_TRY(gemp_comm_agree(comm, gemp_som_work_store(&it.work)));
	if (report) {
		*report = own;
		own = (gemp_som_report){ 0 };
	}
done:
	if (code != GEMP_OK)
		clFinish(device->queue); /* before its buffers go */
	gemp_som_report_free(&own);
	gemp_som_ahead_free(&it.ahead);
	gemp_som_work_free(&it.work);
	return code;
}

void gemp_som_report_free(gemp_som_report *report)
{
	gemp_free(report->epochs);
	*report = (gemp_som_report){ 0 };
}
