#include "som/train.h"

#include "core/memory.h"
#include "som/accumulate.h"
#include "som/ahead.h"
#include "som/judge.h"
#include "som/online.h"

#include <math.h>

/* What epochs go on. */
typedef struct training {
	const gemp_comm *comm;
	gemp_device *device;
	const gemp_som_training *how;
	gemp_som_every *every;
	void *context;
	gemp_som_report *report;
	uint32_t units, dims, planes;
	gemp_code mine;               /* what has failed on this rank, until ranks agree next */
	bool asked, stop;             /* to stop: this rank, until ranks agree next; all of them */
	bool missing;                 /* on any rank */
	gemp_som_samples samples;
	gemp_som_codebook book;
	gemp_som_search *search;
	gemp_som_smooth smooth;
	gemp_som_accumulate accumulate;
	gemp_som_online online;
	gemp_som_judge judge;
	gemp_som_ahead ahead;         /* of one rank */
	gemp_buffer best, second;     /* keys */
	gemp_buffer sums, spread;     /* planes */
	float *host[2];               /* of several ranks: planes, and as much again for online training */
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

/* BUFFERS */

static gemp_code check_count(size_t count)
{
	if (count >= UINT32_MAX)
		return gemp_fail(GEMP_EUSAGE, "%zu samples on one rank: more than 2^32 - 2; take more ranks", count);
	return GEMP_OK;
}

static gemp_code make_samples(training *it, const float *x, size_t count)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(check_count(count));
	GEMP_TRY(gemp_som_samples_new(&it->samples, it->device, x, count, it->dims));
	GEMP_TRY(gemp_som_search_new(&it->search, it->device, it->dims, it->how->metric, it->samples.missing, NULL));
	code = gemp_buffer_new(&it->best, it->device, (count ? count : 1) * sizeof(uint64_t), NULL);
done:
	return code;
}

static gemp_code make_quality(training *it, size_t count)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_buffer_new(&it->second, it->device, (count ? count : 1) * sizeof(uint64_t), NULL));
	code = gemp_som_judge_new(&it->judge, it->device, &it->how->grid, count);
done:
	return code;
}

static gemp_code make_planes(training *it, const float *w)
{
	gemp_code code = GEMP_OK;
	const gemp_som_training *how = it->how;
	gemp_device *device = it->device;
	GEMP_TRY(gemp_som_codebook_new(&it->book, device, w, it->units, it->dims));
	GEMP_TRY(gemp_som_planes_new(&it->sums, device, it->units, it->planes));
	GEMP_TRY(gemp_som_smooth_new(&it->smooth, device, &how->grid, how->neighbourhood, how->online ? 0 : it->planes,
	                             gemp_som_spread_of(&how->grid, how->neighbourhood)));
	GEMP_TRY(gemp_som_accumulate_new(&it->accumulate, device, &it->samples, it->units, it->missing, it->dims, how->online));
	if (how->online)
		GEMP_TRY(gemp_som_online_new(&it->online, device, &it->samples, &it->smooth, it->missing));
	else
		GEMP_TRY(gemp_som_planes_new(&it->spread, device, it->units, it->planes));
	for (int k = 0; it->comm->size > 1 && k < 1 + how->online; k++)
		GEMP_TRY(GEMP_NEW(it->host[k], (size_t)it->units * it->planes));
done:
	return code;
}

static void training_free(training *it)
{
	gemp_buffer *buffers[] = { &it->best, &it->second, &it->sums, &it->spread };
	for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
		gemp_buffer_free(buffers[k], it->device);
	gemp_som_ahead_free(&it->ahead);
	gemp_som_judge_free(&it->judge);
	gemp_som_online_free(&it->online);
	gemp_som_accumulate_free(&it->accumulate);
	gemp_som_smooth_free(&it->smooth);
	gemp_som_search_free(it->search);
	gemp_som_codebook_free(&it->book);
	gemp_som_samples_free(&it->samples);
	gemp_free(it->host[0]);
	gemp_free(it->host[1]);
}

/* AN EPOCH */

static gemp_code search(training *it, double radius, uint32_t slot)
{
	gemp_code code = GEMP_OK;
	const gemp_buffer *second = it->how->quality ? &it->second : NULL;
	GEMP_TRY(gemp_som_smooth_radius(&it->smooth, radius));
	if (it->samples.count == 0)
		return GEMP_OK;
	GEMP_TRY(gemp_som_search_run(it->search, &it->samples, &it->book, &it->best, second));
	if (second)
		code = gemp_som_judge_run(&it->judge, it->search, &it->samples, &it->book, &it->best, second, slot, false);
done:
	return code;
}

static void judge(gemp_som_epoch *epoch, const gemp_som_fit *fit)
{
	epoch->quantisation = fit->samples > 0 ? fit->distances / fit->samples : NAN;
	epoch->topographic = fit->samples > 0 ? fit->torn / fit->samples : NAN;
}

static gemp_code sum_up(training *it, double rate)
{
	gemp_code code = GEMP_OK;
	const gemp_som_values all = { 0, it->dims };
	if (it->how->online)
		return gemp_som_online_run(&it->online, &it->samples, &it->best, &it->smooth, rate, &it->sums);
	GEMP_TRY(gemp_som_accumulate_add(&it->accumulate, &it->samples, &it->best, all));
	code = gemp_som_accumulate_take(&it->accumulate, all, &it->sums);
done:
	return code;
}

static void add_planes(const gemp_comm *comm, float *planes, size_t count)
{
	for (size_t done = 0; done < count; done += INT32_MAX) {
		const int part = (int)(count - done < INT32_MAX ? count - done : INT32_MAX);
		GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, planes + done, part, MPI_FLOAT, MPI_SUM, comm->world));
	}
}

/* Collective. What ranks tell each other before their planes meet: whether one has failed or is to stop, and qualities. */
static gemp_code speak(training *it, gemp_som_epoch *epoch, const gemp_som_fit *fit)
{
	gemp_som_fit all;
	double said[] = { it->mine != GEMP_OK, it->asked, fit->distances, fit->torn, fit->samples };
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, said, sizeof said / sizeof *said, MPI_DOUBLE, MPI_SUM, it->comm->world));
	if (said[0] > 0)
		return gemp_comm_agree(it->comm, it->mine);
	it->stop = said[1] > 0;
	all = (gemp_som_fit){ said[2], said[3], said[4] };
	if (it->how->quality)
		judge(epoch, &all);
	return GEMP_OK;
}

/* Collective. Planes of all ranks together. */
static gemp_code meet(training *it, gemp_som_epoch *epoch, uint32_t slot)
{
	gemp_code code = GEMP_OK;
	const size_t count = (size_t)it->units * it->planes;
	gemp_som_fit fit = { 0 };
	if (it->comm->size == 1)
		return it->mine;
	if (it->mine == GEMP_OK)
		it->mine = gemp_buffer_read(it->device, &it->sums, 0, count * sizeof(float), it->host[0]);
	if (it->mine == GEMP_OK && it->how->quality)
		it->mine = gemp_som_judge_take(&it->judge, slot, &fit);
	GEMP_TRY(speak(it, epoch, &fit));
	if (it->how->online)
		gemp_som_online_compose(it->comm, it->host[0], it->host[1], it->units, it->dims, it->missing);
	else
		add_planes(it->comm, it->host[0], count);
	it->mine = gemp_buffer_write(it->device, &it->sums, 0, count * sizeof(float), it->host[0]);
done:
	return code;
}

static gemp_code update(training *it)
{
	gemp_code code = GEMP_OK;
	const gemp_som_values all = { 0, it->dims };
	if (it->how->online)
		return gemp_som_accumulate_move(&it->accumulate, &it->sums, all, &it->book);
	GEMP_TRY(gemp_som_smooth_run(&it->smooth, &it->sums, &it->spread));
	code = gemp_som_accumulate_finish(&it->accumulate, &it->spread, all, &it->book);
done:
	return code;
}

/* Collective. A failure that ranks have agreed on; their own stay in it->mine. */
static gemp_code run_epoch(training *it, gemp_som_epoch *epoch)
{
	gemp_code code = GEMP_OK;
	const uint32_t slot = (epoch->epoch - it->how->from) % GEMP_SOM_SLOTS;
	if (it->mine == GEMP_OK)
		it->mine = search(it, epoch->radius, slot);
	if (it->mine == GEMP_OK)
		it->mine = sum_up(it, epoch->rate);
	GEMP_TRY(meet(it, epoch, slot));
	if (it->mine == GEMP_OK)
		it->mine = update(it);
	if (it->mine == GEMP_OK)
		it->mine = GEMP_CL(clFlush(it->device->queue));
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
	if (!it->every || it->mine != GEMP_OK)
		return;
	it->mine = it->every(it->context, epoch, NULL, &stop);
	it->asked = it->asked || stop;
}

/* Collective. The codebook is as this epoch has left it; what the callback does may be collective. */
static gemp_code tell_settled(training *it, const gemp_som_epoch *epoch)
{
	gemp_code code = GEMP_OK;
	bool stop = false;
	if (it->mine == GEMP_OK)
		it->mine = GEMP_CL(clFinish(it->device->queue));
	GEMP_TRY(gemp_comm_agree(it->comm, it->mine));
	GEMP_TRY(gemp_comm_agree(it->comm, it->every(it->context, epoch, &it->book, &stop)));
	uint64_t any = it->asked || stop;
	gemp_comm_max(it->comm, &any, 1);
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
		GEMP_TRY(gemp_som_judge_take(&it->judge, k % GEMP_SOM_SLOTS, &fit));
		judge(epoch, &fit);
	}
	if (!settles(it->how, epoch))
		tell(it, epoch);
	it->stop = it->asked;
	code = it->mine;
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
static gemp_code prepare(training *it, const float *w, const float *x, size_t count)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_comm_agree(it->comm, make_samples(it, x, count)));
	uint64_t missing = it->samples.missing;
	gemp_comm_max(it->comm, &missing, 1);
	it->missing = missing != 0;
	it->planes = gemp_som_planes(it->dims, it->missing);
	code = make_planes(it, w);
	if (code == GEMP_OK && it->how->quality)
		code = make_quality(it, count);
	code = gemp_comm_agree(it->comm, code);
done:
	return code;
}

/* Collective. */
static gemp_code run_epochs(training *it)
{
	gemp_code code = GEMP_OK;
	const gemp_som_training *how = it->how;
	const bool alone = it->comm->size == 1;
	for (uint32_t e = how->from; e < how->epochs && !it->stop; e++) {
		gemp_som_epoch *epoch = &it->report->epochs[it->report->count++];
		*epoch = (gemp_som_epoch){ e, gemp_som_radius(how, e), gemp_som_rate(how, e), NAN, NAN };
		const bool settled = it->every && settles(how, epoch);
		GEMP_TRY(run_epoch(it, epoch));
		if (alone) {
			GEMP_TRY(it->mine);
			GEMP_TRY(gemp_som_ahead_add(&it->ahead, it->device));
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

/* Collective. The codebook, with the last bits of rank 0. */
static gemp_code take_codebook(training *it, float *w)
{
	gemp_code code = GEMP_OK;
	const size_t count = (size_t)it->units * it->dims;
	if (it->mine == GEMP_OK)
		it->mine = gemp_som_codebook_read(&it->book, w);
	GEMP_TRY(gemp_comm_agree(it->comm, it->mine));
	for (size_t done = 0; it->comm->size > 1 && done < count; done += INT32_MAX)
		GEMP_MPI(MPI_Bcast(w + done, (int)(count - done < INT32_MAX ? count - done : INT32_MAX), MPI_FLOAT, 0, it->comm->world));
done:
	return code;
}

/* Kernels of CPU devices are compiled when they are first launched: from now on they are in the cache. */
static gemp_code keep_programs(training *it)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_program_store(it->device, &it->smooth.program));
	GEMP_TRY(gemp_program_store(it->device, &it->accumulate.program));
	if (it->how->online)
		GEMP_TRY(gemp_program_store(it->device, &it->online.program));
	if (it->judge.kernel)
		code = gemp_program_store(it->device, &it->judge.program);
done:
	return code;
}

gemp_code gemp_som_train(const gemp_comm *comm, gemp_device *device, const gemp_som_training *how, const float *x, size_t count,
                         uint32_t dims, float *w, gemp_som_every *every, void *context, gemp_som_report *report)
{
	gemp_code code = GEMP_OK;
	const double since = gemp_now();
	gemp_som_report own = { 0 };
	training it = { .comm = comm, .device = device, .how = how, .every = every, .context = context, .report = &own,
		.units = gemp_som_units(&how->grid), .dims = dims };
	if (report)
		*report = own;
	code = gemp_som_training_check(how);
	if (code == GEMP_OK)
		code = GEMP_NEW(own.epochs, how->epochs > how->from ? how->epochs - how->from : 0);
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(prepare(&it, w, x, count));
	own.prepare = gemp_now() - since;
	GEMP_TRY(run_epochs(&it));
	GEMP_TRY(take_codebook(&it, w));
	own.train = gemp_now() - since - own.prepare;
	GEMP_TRY(gemp_comm_agree(comm, keep_programs(&it)));
	if (report) {
		*report = own;
		own = (gemp_som_report){ 0 };
	}
done:
	if (code != GEMP_OK)
		clFinish(device->queue); /* before its buffers go */
	gemp_som_report_free(&own);
	training_free(&it);
	return code;
}

void gemp_som_report_free(gemp_som_report *report)
{
	gemp_free(report->epochs);
	*report = (gemp_som_report){ 0 };
}
