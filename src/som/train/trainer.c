#include "som/train/trainer.h"

#include "core/memory.h"
#include "device/staging.h"

size_t gemp_som_max_locked = 256 << 20;
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
	return sizeof(double) + 2 * sizeof(float) + gemp_som_smooth_planes(&how->grid) * sizeof(float);
}

/* In epochs, or in the end. */
static bool wants_second(const gemp_som_training *how)
{
	return how->quality || (how->places && how->places->second);
}

static gemp_code plan_memory(gemp_som_trainer *it, const float *x, size_t count, gemp_som_need *need,
                             gemp_som_capacity *room)
{
	gemp_code code = GEMP_OK;
	const gemp_som_training *how = it->how;
	uint64_t missing = 0;
	*need = (gemp_som_need){ .samples = count,
		                     .dims = it->dims,
		                     .units = it->units,
		                     .plane = bytes_of_plane(how),
		                     .keys = sizeof(uint64_t) + (wants_second(how) ? sizeof(uint64_t) + sizeof(float) : 0),
		                     .max_buffer = how->online ? sizeof(float) : sizeof(double),
		                     .other = gemp_som_smooth_tables(&how->grid) +
		                              (how->quality ? gemp_som_quality_bytes(it->device, count) : 0) };
	code = check_count(count);
	if (code == GEMP_OK)
		missing = gemp_som_any_missing(x, count, it->dims);
	gemp_comm_max(it->comm, &missing, 1); /* all search alike then, so that ranks make no difference */
	it->missing = need->missing = missing != 0;
	GEMP_THEN(gemp_som_capacity_find(room, it->device, need));
	GEMP_TRY(gemp_comm_agree(it->comm, code));
	uint64_t fewer = it->dims - room->values; /* than all values, on any rank */
	gemp_comm_max(it->comm, &fewer, 1);
	it->values = it->dims - (uint32_t)fewer;
done:
	return code;
}

static gemp_code make_samples(gemp_som_trainer *it, const float *x, const gemp_som_need *need,
                              const gemp_som_capacity *room)
{
	const bool quality = it->how->quality;
	GEMP_PROPAGATE(
		gemp_som_blocks_new(&it->blocks, it->device, x, need, room, wants_second(it->how), it->values < it->dims));
	GEMP_PROPAGATE(gemp_som_search_new(&it->search, it->device, it->dims, it->how->metric, need->missing, NULL));
	if (quality)
		return gemp_som_quality_new(&it->quality, it->device, &it->how->grid,
		                            room->samples < need->samples ? room->samples : need->samples);
	return GEMP_OK;
}

static gemp_code make_planes(gemp_som_trainer *it, const gemp_som_capacity *room, const float *w)
{
	const gemp_som_training *how = it->how;
	const uint32_t planes = gemp_som_planes(it->values, it->missing);
	gemp_device *device = it->device;
	GEMP_PROPAGATE(gemp_som_codebook_new_paged(&it->book, device, w, it->units, it->dims, room->units));
	GEMP_PROPAGATE(gemp_som_planes_new(&it->sums, device, it->units, planes));
	GEMP_PROPAGATE(gemp_som_smooth_new(&it->smooth, device, &how->grid, how->neighbourhood, how->online ? 0 : planes,
	                                   device->gpu));
	if (!how->online)
		GEMP_PROPAGATE(gemp_som_planes_new(&it->spread, device, it->units, planes));
	return GEMP_OK;
}

/* Would this rank rather tell sums? In online training a rank has rows of the map to do. */
static bool declines_copies(const gemp_som_trainer *it, const gemp_som_replicas_need *need)
{
	const gemp_som_exchange exchange = it->how->exchange;
	if (exchange == GEMP_SOM_EXCHANGE_AUTO)
		return !gemp_som_replicas_pay(need) || (it->how->online && it->how->grid.rows < (uint32_t)it->comm->size);
	return exchange == GEMP_SOM_EXCHANGE_SUMS;
}

/* Collective. Copies, if all ranks can have and use them. */
static gemp_code make_copies(gemp_som_trainer *it, const float *x, size_t count)
{
	const gemp_som_training *how = it->how;
	const size_t planes = (size_t)it->units * gemp_som_planes(it->dims, it->missing);
	const gemp_som_replicas_need need = { .samples = gemp_comm_sum1(it->comm, count),
		                                  .dims = it->dims,
		                                  .missing = it->missing,
		                                  .planes = planes,
		                                  .epochs = how->epochs > how->from ? how->epochs - how->from : 0,
		                                  .weight = how->online ? ROWS_WEIGHT : 1,
		                                  .spare = how->online ? 0 : planes * sizeof(double) };
	uint64_t declined = it->comm->size == 1 || it->values < it->dims || it->blocks.count > 1 ||
	                    declines_copies(it, &need) || !gemp_som_replicas_fit(it->device, &need);
	gemp_comm_max(it->comm, &declined, 1);
	return declined ? GEMP_OK : gemp_som_replicas_new(&it->replicas, it->comm, it->device, &need, x, count);
}

/* Planes on the host, of ranks that do not tell each other units alone. A device copies faster from and to locked memory, where
 * that is to be had. */
static gemp_code make_host(gemp_som_trainer *it)
{
	const bool copies = gemp_som_trainer_sends_units(it), online = it->how->online;
	const size_t planes = (size_t)it->units * gemp_som_planes(it->values, it->missing), bytes = planes * sizeof(float);
	if (it->comm->size == 1 || (copies && !online))
		return GEMP_OK;
	if (bytes <= gemp_som_max_locked && gemp_pinned_take(&it->locked, it->device, bytes) == GEMP_OK)
		it->host = (float *)(void *)it->locked.host;
	else
		GEMP_PROPAGATE(GEMP_NEW(it->host, planes));
	if (online && !copies)
		return gemp_som_compose_new(&it->compose, it->comm, it->units, it->values, it->missing);
	return GEMP_OK;
}

static gemp_code make_sums(gemp_som_trainer *it)
{
	const bool copies = gemp_som_trainer_sends_units(it), online = it->how->online;
	const gemp_som_samples *samples = copies ? &it->replicas.samples : &it->blocks.part[0].samples;
	GEMP_PROPAGATE(gemp_som_accumulate_new(&it->accumulate, it->device, samples, it->units, it->values, online));
	if (online)
		GEMP_PROPAGATE(gemp_som_online_new(&it->online, it->device, samples, &it->smooth, it->values, NULL));
	if (online && copies)
		GEMP_PROPAGATE(
			gemp_som_slices_new(&it->slices, it->comm, &it->how->grid, gemp_som_planes(it->dims, it->missing)));
	return make_host(it);
}

gemp_code gemp_som_trainer_new(gemp_som_trainer *work, const gemp_comm *comm, gemp_device *device,
                               const gemp_som_training *how, const float *x, size_t count, uint32_t dims,
                               const float *w)
{
	gemp_code code = GEMP_OK;
	gemp_som_need need;
	gemp_som_capacity room;
	*work = (gemp_som_trainer){
		.comm = comm, .device = device, .how = how, .units = gemp_som_units(&how->grid), .dims = dims
	};
	GEMP_TRY(plan_memory(work, x, count, &need, &room));
	code = make_samples(work, x, &need, &room);
	GEMP_THEN(make_planes(work, &room, w));
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(make_copies(work, x, count));
	code = gemp_comm_agree(comm, make_sums(work));
done:
	return code;
}

void gemp_som_trainer_free(gemp_som_trainer *work)
{
	if (!work->device)
		return;
	gemp_buffers_free(work->device, &work->sums, &work->spread);
	gemp_som_quality_free(&work->quality);
	gemp_som_online_free(&work->online);
	gemp_som_accumulate_free(&work->accumulate);
	gemp_som_smooth_free(&work->smooth);
	gemp_som_search_free(work->search);
	gemp_som_replicas_free(&work->replicas);
	gemp_som_codebook_free(&work->book);
	gemp_som_blocks_free(&work->blocks);
	gemp_som_slices_free(&work->slices);
	if (work->locked.mem)
		gemp_pinned_release(&work->locked, work->device);
	else
		gemp_free(work->host);
	gemp_som_compose_free(&work->compose);
	*work = (gemp_som_trainer){ 0 };
}

bool gemp_som_trainer_sends_units(const gemp_som_trainer *work)
{
	return work->replicas.device != NULL;
}

/* AN EPOCH */

static gemp_code search(gemp_som_trainer *it, gemp_som_block *part, uint32_t slot)
{
	const gemp_buffer *second = it->how->quality ? &part->second : NULL;
	GEMP_PROPAGATE(gemp_som_search_run(it->search, &part->samples, &it->book, &part->best, second));
	if (second)
		return gemp_som_quality_run(&it->quality, it->search, &part->samples, &it->book, &part->best, second, slot,
		                            part->number > 0);
	return GEMP_OK;
}

static gemp_code sum_up(gemp_som_trainer *it, const gemp_som_block *part, double rate, gemp_som_values values)
{
	if (it->how->online)
		return gemp_som_online_run(&it->online, &part->samples, &part->best, &it->smooth, rate, values,
		                           part->number > 0, (gemp_som_rows){ 0, it->how->grid.rows }, &it->sums);
	return gemp_som_accumulate_add(&it->accumulate, &part->samples, &part->best, values);
}

/* All parts into planes of these values; those of the first ones search for units, too. */
static gemp_code go_over_parts(gemp_som_trainer *it, double rate, uint32_t slot, gemp_som_values values)
{
	for (size_t p = 0; p < it->blocks.count; p++) {
		gemp_som_block *part;
		GEMP_PROPAGATE(gemp_som_blocks_acquire(&it->blocks, p, &part));
		if (values.first == 0) {
			GEMP_PROPAGATE(search(it, part, slot));
			GEMP_PROPAGATE(gemp_som_blocks_save_keys(&it->blocks, part));
		} else {
			GEMP_PROPAGATE(gemp_som_blocks_restore_keys(&it->blocks, part));
		}
		if (!gemp_som_trainer_sends_units(it))
			GEMP_PROPAGATE(sum_up(it, part, rate, values));
		GEMP_PROPAGATE(gemp_som_blocks_release(&it->blocks, part));
	}
	if (!it->how->online && !gemp_som_trainer_sends_units(it))
		return gemp_som_accumulate_read(&it->accumulate, values, &it->sums);
	return GEMP_OK;
}

static void add_planes(const gemp_comm *comm, float *planes, size_t count)
{
	for (size_t done = 0; done < count; done += INT32_MAX) {
		const int part = (int)(count - done < INT32_MAX ? count - done : INT32_MAX);
		GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, planes + done, part, MPI_FLOAT, MPI_SUM, comm->world));
	}
}

/* Collective. What ranks tell each other before their first planes meet: whether one has failed, and news. */
static gemp_code exchange_status(gemp_som_trainer *it, gemp_som_epoch_result *news)
{
	const gemp_som_fit *fit = &news->fit;
	double said[] = { it->local_code != GEMP_OK, news->stop, fit->distances, fit->topographic, fit->samples };
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, said, sizeof said / sizeof *said, MPI_DOUBLE, MPI_SUM, it->comm->world));
	if (said[0] > 0)
		return gemp_comm_agree(it->comm, it->local_code);
	*news = (gemp_som_epoch_result){ said[1] > 0, { said[2], said[3], said[4] } };
	return GEMP_OK;
}

/* Collective; a failure stays in work->mine. Planes of all ranks together. */
static void reduce_planes(gemp_som_trainer *it, gemp_som_values values)
{
	const size_t count = (size_t)it->units * gemp_som_planes(values.count, it->missing);
	if (it->how->online)
		gemp_som_compose_run(&it->compose, it->host, values.count);
	else
		add_planes(it->comm, it->host, count);
	it->local_code = gemp_buffer_write(it->device, &it->sums, 0, count * sizeof(float), it->host);
}

/* Of all samples: sums, or affine maps of this rank's rows. */
static gemp_code sum_copies(gemp_som_trainer *it, double rate, gemp_som_values values)
{
	gemp_code code = GEMP_OK;
	const gemp_som_replicas *all = &it->replicas;
	GEMP_TRY(gemp_som_replicas_write(all));
	if (it->how->online) {
		GEMP_TRY(gemp_som_online_run(&it->online, &all->samples, &all->best, &it->smooth, rate, values, false,
		                             gemp_som_slices_own(&it->slices), &it->sums));
		code = gemp_som_slices_read(&it->slices, it->device, &it->sums, it->host);
	} else {
		GEMP_TRY(gemp_som_accumulate_add(&it->accumulate, &all->samples, &all->best, values));
		code = gemp_som_accumulate_read(&it->accumulate, values, &it->sums);
	}
done:
	return code;
}

/* Collective; a failure stays in work->mine. Planes by the units of all ranks. */
static void gather_units(gemp_som_trainer *it, double rate, gemp_som_values values)
{
	gemp_som_replicas_gather(&it->replicas, it->comm);
	it->local_code = sum_copies(it, rate, values);
	if (!it->how->online)
		return;
	gemp_som_slices_gather(&it->slices, it->host);
	if (it->local_code == GEMP_OK)
		it->local_code = gemp_som_slices_write(&it->slices, it->device, &it->sums, it->host);
}

/* Collective. */
static gemp_code exchange_epoch(gemp_som_trainer *it, double rate, gemp_som_values values, uint32_t slot,
                                gemp_som_epoch_result *news)
{
	const bool units = gemp_som_trainer_sends_units(it);
	const size_t count = (size_t)it->units * gemp_som_planes(values.count, it->missing);
	if (it->comm->size == 1)
		return it->local_code;
	if (it->local_code == GEMP_OK)
		it->local_code = units ? gemp_som_replicas_read(&it->replicas, it->comm, &it->blocks.part[0].best)
		                       : gemp_buffer_read(it->device, &it->sums, 0, count * sizeof(float), it->host);
	if (it->local_code == GEMP_OK && it->how->quality && values.first == 0)
		it->local_code = gemp_som_quality_read(&it->quality, slot, &news->fit);
	GEMP_PROPAGATE(values.first == 0 ? exchange_status(it, news) : gemp_comm_agree(it->comm, it->local_code));
	if (units)
		gather_units(it, rate, values);
	else
		reduce_planes(it, values);
	return GEMP_OK;
}

static gemp_code update(gemp_som_trainer *it, gemp_som_values values)
{
	if (it->how->online)
		return gemp_som_accumulate_affine(&it->accumulate, &it->sums, values, &it->book);
	it->smooth.planes = gemp_som_planes(values.count, it->missing);
	GEMP_PROPAGATE(gemp_som_smooth_run(&it->smooth, &it->sums, &it->spread));
	return gemp_som_accumulate_finish(&it->accumulate, &it->spread, values, &it->book);
}

gemp_code gemp_som_trainer_epoch(gemp_som_trainer *work, double radius, double rate, uint32_t slot,
                                 gemp_som_epoch_result *news)
{
	if (work->local_code == GEMP_OK)
		work->local_code = gemp_som_smooth_radius(&work->smooth, radius);
	for (uint32_t first = 0; first < work->dims; first += work->values) {
		const uint32_t left = work->dims - first;
		const gemp_som_values values = { first, left < work->values ? left : work->values };
		if (work->local_code == GEMP_OK)
			work->local_code = go_over_parts(work, rate, slot, values);
		GEMP_PROPAGATE(exchange_epoch(work, rate, values, slot, news));
		if (work->local_code == GEMP_OK)
			work->local_code = update(work, values);
	}
	if (work->local_code == GEMP_OK)
		work->local_code = GEMP_CL(clFlush(work->device->queue));
	return GEMP_OK;
}

/* AFTERWARDS */

gemp_code gemp_som_trainer_codebook(gemp_som_trainer *work, float *w)
{
	const size_t count = (size_t)work->units * work->dims;
	if (work->local_code == GEMP_OK)
		work->local_code = gemp_som_codebook_read(&work->book, w);
	GEMP_PROPAGATE(gemp_comm_agree(work->comm, work->local_code));
	for (size_t done = 0; work->comm->size > 1 && done < count; done += INT32_MAX) {
		const int part = (int)(count - done < INT32_MAX ? count - done : INT32_MAX);
		GEMP_MPI(MPI_Bcast(w + done, part, MPI_FLOAT, 0, work->comm->world));
	}
	return GEMP_OK;
}

gemp_code gemp_som_trainer_places(gemp_som_trainer *work, const gemp_som_places *places)
{
	if (work->local_code == GEMP_OK)
		work->local_code = gemp_som_places_find(places, &work->blocks, work->search, &work->book);
	return gemp_comm_agree(work->comm, work->local_code);
}

/* Kernels of CPU devices are compiled when they are first launched: from now on they are in the cache. */
gemp_code gemp_som_trainer_store(gemp_som_trainer *work)
{
	GEMP_PROPAGATE(gemp_program_store(work->device, &work->smooth.tables));
	if (!work->how->online)
		GEMP_PROPAGATE(gemp_program_store(work->device, &work->smooth.program));
	GEMP_PROPAGATE(gemp_program_store(work->device, &work->accumulate.program));
	if (work->how->online)
		GEMP_PROPAGATE(gemp_program_store(work->device, &work->online.program));
	if (work->quality.kernel)
		return gemp_program_store(work->device, &work->quality.program);
	return GEMP_OK;
}
