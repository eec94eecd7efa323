#include "som/work.h"

#include "core/memory.h"
#include "device/readback.h"

size_t gemp_som_most_locked = 256 << 20;
/* Online, a GPU goes over all samples for a few rows of the map hardly faster than for many, and faster over a rank's own for all
 * rows: 58 and 38 ns a sample with two ranks on 200 x 200 units of an H200. So samples have to be fewer. */
enum { ROWS_WEIGHT = 4 };

/* BUFFERS */

static gemp_code check_count(size_t count)
{
	if (count >= UINT32_MAX)
		return gemp_fail(GEMP_EUSAGE, "%zu samples on one rank: more than 2^32 - 2; take more ranks", count);
	return GEMP_OK;
}

/* Planes of a unit: sums in double, then as floats, spread, and what a pass leaves. */
static size_t bytes_of_plane(const gemp_som_training *how)
{
	if (how->online)
		return sizeof(float);
	return sizeof(double) + 2 * sizeof(float) + gemp_som_smooth_parts(&how->grid) * sizeof(float);
}

/* In epochs, or in the end. */
static bool finds_two(const gemp_som_training *how)
{
	return how->quality || (how->places && how->places->second);
}

static gemp_code find_room(gemp_som_work *it, const float *x, size_t count, gemp_som_need *need, gemp_som_room *room)
{
	gemp_code code = GEMP_OK;
	const gemp_som_training *how = it->how;
	uint64_t missing = 0;
	*need = (gemp_som_need){ .samples = count, .dims = it->dims, .units = it->units, .plane = bytes_of_plane(how),
		.keys = sizeof(uint64_t) + (finds_two(how) ? sizeof(uint64_t) + sizeof(float) : 0),
		.widest = how->online ? sizeof(float) : sizeof(double),
		.other = gemp_som_smooth_tables(&how->grid) + (how->quality ? gemp_som_judge_bytes(it->device, count) : 0) };
	code = check_count(count);
	if (code == GEMP_OK)
		missing = gemp_som_any_missing(x, count, it->dims);
	gemp_comm_max(it->comm, &missing, 1); /* all search alike then, so that ranks make no difference */
	it->missing = need->missing = missing != 0;
	if (code == GEMP_OK)
		code = gemp_som_room_find(room, it->device, need);
	GEMP_TRY(gemp_comm_agree(it->comm, code));
	uint64_t fewer = it->dims - room->values; /* than all values, on any rank */
	gemp_comm_max(it->comm, &fewer, 1);
	it->values = it->dims - (uint32_t)fewer;
done:
	return code;
}

static gemp_code make_samples(gemp_som_work *it, const float *x, const gemp_som_need *need, const gemp_som_room *room)
{
	gemp_code code = GEMP_OK;
	const bool quality = it->how->quality;
	GEMP_TRY(gemp_som_parts_new(&it->parts, it->device, x, need, room, finds_two(it->how), it->values < it->dims));
	GEMP_TRY(gemp_som_search_new(&it->search, it->device, it->dims, it->how->metric, need->missing, NULL));
	if (quality)
		code = gemp_som_judge_new(&it->judge, it->device, &it->how->grid,
		                         room->samples < need->samples ? room->samples : need->samples);
done:
	return code;
}

static gemp_code make_planes(gemp_som_work *it, const gemp_som_room *room, const float *w)
{
	gemp_code code = GEMP_OK;
	const gemp_som_training *how = it->how;
	const uint32_t planes = gemp_som_planes(it->values, it->missing);
	gemp_device *device = it->device;
	GEMP_TRY(gemp_som_codebook_some(&it->book, device, w, it->units, it->dims, room->units));
	GEMP_TRY(gemp_som_planes_new(&it->sums, device, it->units, planes));
	GEMP_TRY(gemp_som_smooth_new(&it->smooth, device, &how->grid, how->neighbourhood, how->online ? 0 : planes,
	                             device->gpu));
	if (!how->online)
		GEMP_TRY(gemp_som_planes_new(&it->spread, device, it->units, planes));
done:
	return code;
}

/* Would this rank rather tell sums? In online training a rank has rows of the map to do. */
static bool declines_copies(const gemp_som_work *it, const gemp_som_copies_need *need)
{
	const gemp_som_exchange exchange = it->how->exchange;
	if (exchange == GEMP_SOM_EXCHANGE_LESS)
		return !gemp_som_copies_pay(need) || (it->how->online && it->how->grid.rows < (uint32_t)it->comm->size);
	return exchange == GEMP_SOM_EXCHANGE_SUMS;
}

/* Collective. Copies, if all ranks can have and use them. */
static gemp_code make_copies(gemp_som_work *it, const float *x, size_t count)
{
	const gemp_som_training *how = it->how;
	const size_t planes = (size_t)it->units * gemp_som_planes(it->dims, it->missing);
	const gemp_som_copies_need need = { .samples = gemp_comm_sum1(it->comm, count), .dims = it->dims, .missing = it->missing,
		.planes = planes, .epochs = how->epochs > how->from ? how->epochs - how->from : 0,
		.weight = how->online ? ROWS_WEIGHT : 1,
		.spare = how->online ? 0 : planes * sizeof(double) };
	uint64_t declined = it->comm->size == 1 || it->values < it->dims || it->parts.count > 1 || declines_copies(it, &need) ||
	                    !gemp_som_copies_fit(it->device, &need);
	gemp_comm_max(it->comm, &declined, 1);
	return declined ? GEMP_OK : gemp_som_copies_new(&it->copies, it->comm, it->device, &need, x, count);
}

/* Planes on the host, of ranks that do not tell each other units alone. A device copies faster from and to locked memory, where
 * that is to be had. */
static gemp_code make_host(gemp_som_work *it)
{
	gemp_code code = GEMP_OK;
	const bool copies = gemp_som_work_tells_units(it), online = it->how->online;
	const size_t planes = (size_t)it->units * gemp_som_planes(it->values, it->missing), bytes = planes * sizeof(float);
	if (it->comm->size == 1 || (copies && !online))
		return GEMP_OK;
	if (bytes <= gemp_som_most_locked && gemp_locked_take(&it->locked, it->device, bytes) == GEMP_OK)
		it->host = (float *)(void *)it->locked.host;
	else
		GEMP_TRY(GEMP_NEW(it->host, planes));
	if (online && !copies)
		code = gemp_som_compose_new(&it->compose, it->comm, it->units, it->values, it->missing);
done:
	return code;
}

static gemp_code make_sums(gemp_som_work *it)
{
	gemp_code code = GEMP_OK;
	const bool copies = gemp_som_work_tells_units(it), online = it->how->online;
	const gemp_som_samples *samples = copies ? &it->copies.samples : &it->parts.part[0].samples;
	GEMP_TRY(gemp_som_accumulate_new(&it->accumulate, it->device, samples, it->units, it->values, online));
	if (online)
		GEMP_TRY(gemp_som_online_new(&it->online, it->device, samples, &it->smooth, it->values, NULL));
	if (online && copies)
		GEMP_TRY(gemp_som_slices_new(&it->slices, it->comm, &it->how->grid, gemp_som_planes(it->dims, it->missing)));
	code = make_host(it);
done:
	return code;
}

gemp_code gemp_som_work_new(gemp_som_work *work, const gemp_comm *comm, gemp_device *device, const gemp_som_training *how,
                            const float *x, size_t count, uint32_t dims, const float *w)
{
	gemp_code code = GEMP_OK;
	gemp_som_need need;
	gemp_som_room room;
	*work = (gemp_som_work){ .comm = comm, .device = device, .how = how, .units = gemp_som_units(&how->grid), .dims = dims };
	GEMP_TRY(find_room(work, x, count, &need, &room));
	code = make_samples(work, x, &need, &room);
	if (code == GEMP_OK)
		code = make_planes(work, &room, w);
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(make_copies(work, x, count));
	code = gemp_comm_agree(comm, make_sums(work));
done:
	return code;
}

void gemp_som_work_free(gemp_som_work *work)
{
	if (!work->device)
		return;
	gemp_buffer_free(&work->sums, work->device);
	gemp_buffer_free(&work->spread, work->device);
	gemp_som_judge_free(&work->judge);
	gemp_som_online_free(&work->online);
	gemp_som_accumulate_free(&work->accumulate);
	gemp_som_smooth_free(&work->smooth);
	gemp_som_search_free(work->search);
	gemp_som_copies_free(&work->copies);
	gemp_som_codebook_free(&work->book);
	gemp_som_parts_free(&work->parts);
	gemp_som_slices_free(&work->slices);
	if (work->locked.mem)
		gemp_locked_leave(&work->locked, work->device);
	else
		gemp_free(work->host);
	gemp_som_compose_free(&work->compose);
	*work = (gemp_som_work){ 0 };
}

bool gemp_som_work_tells_units(const gemp_som_work *work)
{
	return work->copies.device != NULL;
}

/* AN EPOCH */

static gemp_code search(gemp_som_work *it, gemp_som_part *part, uint32_t slot)
{
	gemp_code code = GEMP_OK;
	const gemp_buffer *second = it->how->quality ? &part->second : NULL;
	GEMP_TRY(gemp_som_search_run(it->search, &part->samples, &it->book, &part->best, second));
	if (second)
		code = gemp_som_judge_run(&it->judge, it->search, &part->samples, &it->book, &part->best, second, slot,
		                          part->number > 0);
done:
	return code;
}

static gemp_code sum_up(gemp_som_work *it, const gemp_som_part *part, double rate, gemp_som_values values)
{
	if (it->how->online)
		return gemp_som_online_run(&it->online, &part->samples, &part->best, &it->smooth, rate, values,
		                           part->number > 0, (gemp_som_rows){ 0, it->how->grid.rows }, &it->sums);
	return gemp_som_accumulate_add(&it->accumulate, &part->samples, &part->best, values);
}

/* All parts into planes of these values; those of the first ones search for units, too. */
static gemp_code go_over_parts(gemp_som_work *it, double rate, uint32_t slot, gemp_som_values values)
{
	gemp_code code = GEMP_OK;
	for (size_t p = 0; p < it->parts.count; p++) {
		gemp_som_part *part;
		GEMP_TRY(gemp_som_parts_take(&it->parts, p, &part));
		if (values.first == 0) {
			GEMP_TRY(search(it, part, slot));
			GEMP_TRY(gemp_som_parts_keep_keys(&it->parts, part));
		} else {
			GEMP_TRY(gemp_som_parts_recall_keys(&it->parts, part));
		}
		if (!gemp_som_work_tells_units(it))
			GEMP_TRY(sum_up(it, part, rate, values));
		GEMP_TRY(gemp_som_parts_leave(&it->parts, part));
	}
	if (!it->how->online && !gemp_som_work_tells_units(it))
		code = gemp_som_accumulate_take(&it->accumulate, values, &it->sums);
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

/* Collective. What ranks tell each other before their first planes meet: whether one has failed, and news. */
static gemp_code speak(gemp_som_work *it, gemp_som_news *news)
{
	const gemp_som_fit *fit = &news->fit;
	double said[] = { it->mine != GEMP_OK, news->stop, fit->distances, fit->torn, fit->samples };
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, said, sizeof said / sizeof *said, MPI_DOUBLE, MPI_SUM, it->comm->world));
	if (said[0] > 0)
		return gemp_comm_agree(it->comm, it->mine);
	*news = (gemp_som_news){ said[1] > 0, { said[2], said[3], said[4] } };
	return GEMP_OK;
}

/* Collective; a failure stays in work->mine. Planes of all ranks together. */
static void meet_planes(gemp_som_work *it, gemp_som_values values)
{
	const size_t count = (size_t)it->units * gemp_som_planes(values.count, it->missing);
	if (it->how->online)
		gemp_som_compose_run(&it->compose, it->host, values.count);
	else
		add_planes(it->comm, it->host, count);
	it->mine = gemp_buffer_write(it->device, &it->sums, 0, count * sizeof(float), it->host);
}

/* Of all samples: sums, or affine maps of this rank's rows. */
static gemp_code sum_copies(gemp_som_work *it, double rate, gemp_som_values values)
{
	gemp_code code = GEMP_OK;
	const gemp_som_copies *all = &it->copies;
	GEMP_TRY(gemp_som_copies_write(all));
	if (it->how->online) {
		GEMP_TRY(gemp_som_online_run(&it->online, &all->samples, &all->best, &it->smooth, rate, values, false,
		                             gemp_som_slices_mine(&it->slices), &it->sums));
		code = gemp_som_slices_read(&it->slices, it->device, &it->sums, it->host);
	} else {
		GEMP_TRY(gemp_som_accumulate_add(&it->accumulate, &all->samples, &all->best, values));
		code = gemp_som_accumulate_take(&it->accumulate, values, &it->sums);
	}
done:
	return code;
}

/* Collective; a failure stays in work->mine. Planes by the units of all ranks. */
static void meet_units(gemp_som_work *it, double rate, gemp_som_values values)
{
	gemp_som_copies_meet(&it->copies, it->comm);
	it->mine = sum_copies(it, rate, values);
	if (!it->how->online)
		return;
	gemp_som_slices_meet(&it->slices, it->host);
	if (it->mine == GEMP_OK)
		it->mine = gemp_som_slices_write(&it->slices, it->device, &it->sums, it->host);
}

/* Collective. */
static gemp_code meet(gemp_som_work *it, double rate, gemp_som_values values, uint32_t slot, gemp_som_news *news)
{
	gemp_code code = GEMP_OK;
	const bool units = gemp_som_work_tells_units(it);
	const size_t count = (size_t)it->units * gemp_som_planes(values.count, it->missing);
	if (it->comm->size == 1)
		return it->mine;
	if (it->mine == GEMP_OK)
		it->mine = units ? gemp_som_copies_read(&it->copies, it->comm, &it->parts.part[0].best)
		                 : gemp_buffer_read(it->device, &it->sums, 0, count * sizeof(float), it->host);
	if (it->mine == GEMP_OK && it->how->quality && values.first == 0)
		it->mine = gemp_som_judge_take(&it->judge, slot, &news->fit);
	GEMP_TRY(values.first == 0 ? speak(it, news) : gemp_comm_agree(it->comm, it->mine));
	if (units)
		meet_units(it, rate, values);
	else
		meet_planes(it, values);
done:
	return code;
}

static gemp_code update(gemp_som_work *it, gemp_som_values values)
{
	gemp_code code = GEMP_OK;
	if (it->how->online)
		return gemp_som_accumulate_move(&it->accumulate, &it->sums, values, &it->book);
	it->smooth.planes = gemp_som_planes(values.count, it->missing);
	GEMP_TRY(gemp_som_smooth_run(&it->smooth, &it->sums, &it->spread));
	code = gemp_som_accumulate_finish(&it->accumulate, &it->spread, values, &it->book);
done:
	return code;
}

gemp_code gemp_som_work_epoch(gemp_som_work *work, double radius, double rate, uint32_t slot, gemp_som_news *news)
{
	gemp_code code = GEMP_OK;
	if (work->mine == GEMP_OK)
		work->mine = gemp_som_smooth_radius(&work->smooth, radius);
	for (uint32_t first = 0; first < work->dims; first += work->values) {
		const uint32_t left = work->dims - first;
		const gemp_som_values values = { first, left < work->values ? left : work->values };
		if (work->mine == GEMP_OK)
			work->mine = go_over_parts(work, rate, slot, values);
		GEMP_TRY(meet(work, rate, values, slot, news));
		if (work->mine == GEMP_OK)
			work->mine = update(work, values);
	}
	if (work->mine == GEMP_OK)
		work->mine = GEMP_CL(clFlush(work->device->queue));
done:
	return code;
}

/* AFTERWARDS */

gemp_code gemp_som_work_codebook(gemp_som_work *work, float *w)
{
	gemp_code code = GEMP_OK;
	const size_t count = (size_t)work->units * work->dims;
	if (work->mine == GEMP_OK)
		work->mine = gemp_som_codebook_read(&work->book, w);
	GEMP_TRY(gemp_comm_agree(work->comm, work->mine));
	for (size_t done = 0; work->comm->size > 1 && done < count; done += INT32_MAX) {
		const int part = (int)(count - done < INT32_MAX ? count - done : INT32_MAX);
		GEMP_MPI(MPI_Bcast(w + done, part, MPI_FLOAT, 0, work->comm->world));
	}
done:
	return code;
}

gemp_code gemp_som_work_places(gemp_som_work *work, const gemp_som_places *places)
{
	if (work->mine == GEMP_OK)
		work->mine = gemp_som_places_find(places, &work->parts, work->search, &work->book);
	return gemp_comm_agree(work->comm, work->mine);
}

/* Kernels of CPU devices are compiled when they are first launched: from now on they are in the cache. */
gemp_code gemp_som_work_store(gemp_som_work *work)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_program_store(work->device, &work->smooth.tables));
	if (!work->how->online)
		GEMP_TRY(gemp_program_store(work->device, &work->smooth.program));
	GEMP_TRY(gemp_program_store(work->device, &work->accumulate.program));
	if (work->how->online)
		GEMP_TRY(gemp_program_store(work->device, &work->online.program));
	if (work->judge.kernel)
		code = gemp_program_store(work->device, &work->judge.program);
done:
	return code;
}
