#include "som/train/trainer.h"

#include "core/limits.h"
#include "core/memory.h"
#include "device/staging.h"

/* In online training with replicas a GPU processes the samples of all ranks for its own rows of the map, at 58 ns for a
 * sample. Without replicas it processes its own samples for all rows, at 38 ns for a sample (two ranks, 200 x 200
 * units, H200). AUTO therefore multiplies the bytes of the keys, which ranks exchange if they have replicas, by
 * ROWS_WEIGHT. */
enum { ROWS_WEIGHT = 4 };

/* Kernels count samples in 32 bits. */
static gemp_code check_count(size_t count)
{
	if (count >= UINT32_MAX)
		return gemp_fail(GEMP_EUSAGE, "%zu samples on one rank: more than 2^32 - 2; take more ranks", count);
	return GEMP_OK;
}

/* Returns the bytes of one unit in the planes of one value. Batch training has a sum in double, the sum in float before
 * and after smoothing, and the scratch planes. Online training has one float. */
static size_t bytes_of_plane(const gemp_som_training *how)
{
	if (how->online)
		return sizeof(float);
	return sizeof(double) + 2 * sizeof(float) + gemp_som_smooth_planes(&how->grid) * sizeof(float);
}

/* Returns whether second-best units are wanted, in epochs or at the end. */
static bool wants_second(const gemp_som_training *how)
{
	return how->quality || (how->places && how->places->second);
}

/* Collective. Plans the memory of the device. If any rank has missing values, all ranks use the kernels for missing
 * values, since the result must not depend on the number of ranks. A rank that fails takes part in the first maximum,
 * and then all ranks agree on the failure. All ranks have planes of as many values as fit on the rank with the least
 * memory. */
static gemp_code plan_memory(gemp_som_trainer *trainer, const float *x, size_t count, gemp_som_need *need,
                             gemp_som_capacity *capacity)
{
	const gemp_som_training *how = trainer->how;
	uint64_t missing = 0;
	*need = (gemp_som_need){ .samples = count,
		                     .dims = trainer->dims,
		                     .units = trainer->units,
		                     .plane = bytes_of_plane(how),
		                     .keys = sizeof(uint64_t) + (wants_second(how) ? sizeof(uint64_t) + sizeof(float) : 0),
		                     .max_buffer = how->online ? sizeof(float) : sizeof(double),
		                     .other = gemp_som_smooth_tables(&how->grid) +
		                              (how->quality ? gemp_som_quality_bytes(trainer->device, count) : 0) };
	gemp_code code = check_count(count);
	if (code == GEMP_OK)
		missing = gemp_som_any_missing(x, count, trainer->dims);
	gemp_comm_max(trainer->comm, &missing, 1);
	trainer->missing = need->missing = missing != 0;
	GEMP_THEN(gemp_som_capacity_find(capacity, trainer->device, need));
	GEMP_TRY(gemp_comm_agree(trainer->comm, code));
	uint64_t fewer = trainer->dims - capacity->values; /* number of values without planes */
	gemp_comm_max(trainer->comm, &fewer, 1);
	trainer->values = trainer->dims - (uint32_t)fewer;
	return GEMP_OK;
}

/* Local. Makes the blocks of samples, the search, and the buffers for errors. The host keeps keys only if planes cannot
 * have all values at a time: the later values then need the keys that the search has found with the first values. */
static gemp_code make_samples(gemp_som_trainer *trainer, const float *x, const gemp_som_need *need,
                              const gemp_som_capacity *capacity)
{
	GEMP_TRY(gemp_som_blocks_new(&trainer->blocks, trainer->device, x, need, capacity, wants_second(trainer->how),
	                             trainer->values < trainer->dims));
	GEMP_TRY(gemp_som_search_new(&trainer->search, trainer->device, trainer->dims, trainer->how->metric, need->missing,
	                             NULL));
	if (trainer->how->quality)
		return gemp_som_quality_new(&trainer->quality, trainer->device, &trainer->how->grid,
		                            gemp_min(capacity->samples, need->samples));
	return GEMP_OK;
}

/* Local. Makes the codebook, and planes for as many values as fit. Online training smooths no sums, so it needs one set
 * of planes. */
static gemp_code make_planes(gemp_som_trainer *trainer, const gemp_som_capacity *capacity, const float *w)
{
	const gemp_som_training *how = trainer->how;
	const uint32_t planes = gemp_som_planes(trainer->values, trainer->missing);
	gemp_device *device = trainer->device;
	GEMP_TRY(gemp_som_codebook_new(&trainer->book, device, w, trainer->units, trainer->dims, capacity->units));
	GEMP_TRY(gemp_som_planes_new(&trainer->sums, device, trainer->units, planes));
	GEMP_TRY(gemp_som_smooth_new(&trainer->smooth, device, &how->grid, how->neighbourhood, how->online ? 0 : planes,
	                             device->gpu));
	if (!how->online)
		GEMP_TRY(gemp_som_planes_new(&trainer->spread, device, trainer->units, planes));
	return GEMP_OK;
}

/* Returns whether this rank wants to exchange sums. With AUTO it also declines replicas in online training if the map
 * has fewer rows than there are ranks, since a rank without rows would be idle. */
static bool declines_replicas(const gemp_som_trainer *trainer, const gemp_som_replicas_need *need)
{
	const gemp_som_exchange exchange = trainer->how->exchange;
	if (exchange == GEMP_SOM_EXCHANGE_AUTO)
		return !gemp_som_replicas_pay(need) ||
		       (trainer->how->online && trainer->how->grid.rows < (uint32_t)trainer->comm->size);
	return exchange == GEMP_SOM_EXCHANGE_SUMS;
}

/* Collective. Makes replicas of all samples unless a rank declines. A rank declines if it wants to exchange sums, if it
 * has no memory for replicas, or if its own samples or the planes of all values are not on the device at the same
 * time. */
static gemp_code make_replicas(gemp_som_trainer *trainer, const float *x, size_t count)
{
	const gemp_som_training *how = trainer->how;
	const size_t planes = (size_t)trainer->units * gemp_som_planes(trainer->dims, trainer->missing);
	const gemp_som_replicas_need need = { .samples = gemp_comm_sum1(trainer->comm, count),
		                                  .dims = trainer->dims,
		                                  .missing = trainer->missing,
		                                  .planes = planes,
		                                  .epochs = how->epochs > how->from ? how->epochs - how->from : 0,
		                                  .weight = how->online ? ROWS_WEIGHT : 1,
		                                  .spare = how->online ? 0 : planes * sizeof(double) };
	uint64_t declined = trainer->comm->size == 1 || trainer->values < trainer->dims || trainer->blocks.count > 1 ||
	                    declines_replicas(trainer, &need) || !gemp_som_replicas_fit(trainer->device, &need);
	gemp_comm_max(trainer->comm, &declined, 1);
	return declined ? GEMP_OK
	                : gemp_som_replicas_new(&trainer->replicas, trainer->comm, trainer->device, &need, x, count);
}

/* Local. Makes planes on the host, unless best units are all that ranks exchange. A device copies faster from and to
 * page-locked memory than from and to other host memory. */
static gemp_code make_host(gemp_som_trainer *trainer)
{
	const bool replicas = gemp_som_trainer_sends_units(trainer), online = trainer->how->online;
	const size_t planes = (size_t)trainer->units * gemp_som_planes(trainer->values, trainer->missing),
				 bytes = planes * sizeof(float);
	if (trainer->comm->size == 1 || (replicas && !online))
		return GEMP_OK;
	if (bytes <= gemp_limits_now()->som_locked_max &&
	    gemp_pinned_take(&trainer->locked, trainer->device, bytes) == GEMP_OK)
		trainer->host = (float *)(void *)trainer->locked.host;
	else
		GEMP_TRY(GEMP_NEW(trainer->host, planes));
	if (online && !replicas)
		return gemp_som_compose_new(&trainer->compose, trainer->comm, trainer->units, trainer->values,
		                            trainer->missing);
	return GEMP_OK;
}

/* Local. Makes the kernels that add up samples. They read replicas if there are any. */
static gemp_code make_sums(gemp_som_trainer *trainer)
{
	const bool replicas = gemp_som_trainer_sends_units(trainer), online = trainer->how->online;
	const gemp_som_samples *samples = replicas ? &trainer->replicas.samples : &trainer->blocks.block[0].samples;
	GEMP_TRY(gemp_som_accumulate_new(&trainer->accumulate, trainer->device, samples, trainer->units, trainer->values,
	                                 online));
	if (online)
		GEMP_TRY(
			gemp_som_online_new(&trainer->online, trainer->device, samples, &trainer->smooth, trainer->values, NULL));
	if (online && replicas)
		GEMP_TRY(gemp_som_slices_new(&trainer->slices, trainer->comm, &trainer->how->grid,
		                             gemp_som_planes(trainer->dims, trainer->missing)));
	return make_host(trainer);
}

/* The order matters: replicas are planned by the memory that blocks and planes leave free. Ranks agree after each group
 * of local steps, so all ranks enter the same collective steps. */
gemp_code gemp_som_trainer_new(gemp_som_trainer *trainer, const gemp_comm *comm, gemp_device *device,
                               const gemp_som_training *how, const float *x, size_t count, uint32_t dims,
                               const float *w)
{
	gemp_code code = GEMP_OK;
	gemp_som_need need;
	gemp_som_capacity capacity;
	*trainer = (gemp_som_trainer){
		.comm = comm, .device = device, .how = how, .units = gemp_som_units(&how->grid), .dims = dims
	};
	GEMP_TRY(plan_memory(trainer, x, count, &need, &capacity));
	code = make_samples(trainer, x, &need, &capacity);
	GEMP_THEN(make_planes(trainer, &capacity, w));
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(make_replicas(trainer, x, count));
	return gemp_comm_agree(comm, make_sums(trainer));
}

/* Takes {0}, and a trainer that is only partly made. */
void gemp_som_trainer_free(gemp_som_trainer *trainer)
{
	if (!trainer->device)
		return;
	gemp_buffers_free(trainer->device, &trainer->sums, &trainer->spread);
	gemp_som_quality_free(&trainer->quality);
	gemp_som_online_free(&trainer->online);
	gemp_som_accumulate_free(&trainer->accumulate);
	gemp_som_smooth_free(&trainer->smooth);
	gemp_som_search_free(trainer->search);
	gemp_som_replicas_free(&trainer->replicas);
	gemp_som_codebook_free(&trainer->book);
	gemp_som_blocks_free(&trainer->blocks);
	gemp_som_slices_free(&trainer->slices);
	if (trainer->locked.mem)
		gemp_pinned_release(&trainer->locked, trainer->device);
	else
		gemp_free(trainer->host);
	gemp_som_compose_free(&trainer->compose);
	*trainer = (gemp_som_trainer){ 0 };
}

bool gemp_som_trainer_sends_units(const gemp_som_trainer *trainer)
{
	return trainer->replicas.device != NULL;
}

/* Local. Finds the best units of a block. If the errors are wanted, adds them to the slot. The first block of an epoch
 * replaces the sums in the slot, which belong to an epoch that the host has read. */
static gemp_code search_block(gemp_som_trainer *trainer, gemp_som_block *block, uint32_t slot)
{
	const gemp_buffer *second = trainer->how->quality ? &block->second : NULL;
	GEMP_TRY(gemp_som_search_run(trainer->search, &block->samples, &trainer->book, &block->best, second));
	if (second)
		return gemp_som_quality_run(&trainer->quality, trainer->search, &block->samples, &trainer->book, &block->best,
		                            second, slot, block->number > 0);
	return GEMP_OK;
}

/* Adds the samples of a block to the sums, or composes their affine maps with the maps of earlier blocks. */
static gemp_code accumulate_block(gemp_som_trainer *trainer, const gemp_som_block *block, double rate,
                                  gemp_som_values values)
{
	if (trainer->how->online)
		return gemp_som_online_run(&trainer->online, &block->samples, &block->best, &trainer->smooth, rate, values,
		                           block->number > 0, (gemp_som_rows){ 0, trainer->how->grid.rows }, &trainer->sums);
	return gemp_som_accumulate_add(&trainer->accumulate, &block->samples, &block->best, values);
}

/* Local. Adds all blocks to planes of these values. With replicas the blocks are only searched. An epoch searches once,
 * with the first values. For later values the keys of each block are restored. */
static gemp_code process_blocks(gemp_som_trainer *trainer, double rate, uint32_t slot, gemp_som_values values)
{
	for (size_t p = 0; p < trainer->blocks.count; p++) {
		gemp_som_block *block;
		GEMP_TRY(gemp_som_blocks_acquire(&trainer->blocks, p, &block));
		if (values.first == 0) {
			GEMP_TRY(search_block(trainer, block, slot));
			GEMP_TRY(gemp_som_blocks_save_keys(&trainer->blocks, block));
		} else {
			GEMP_TRY(gemp_som_blocks_restore_keys(&trainer->blocks, block));
		}
		if (!gemp_som_trainer_sends_units(trainer))
			GEMP_TRY(accumulate_block(trainer, block, rate, values));
		GEMP_TRY(gemp_som_blocks_release(&trainer->blocks, block));
	}
	if (!trainer->how->online && !gemp_som_trainer_sends_units(trainer))
		return gemp_som_accumulate_read(&trainer->accumulate, values, &trainer->sums);
	return GEMP_OK;
}

/* Collective. Adds planes[count] over all ranks in place. An MPI count is an int, so longer planes take several
 * allreduces. */
static void add_planes(const gemp_comm *comm, float *planes, size_t count)
{
	for (size_t done = 0; done < count; done += INT32_MAX)
		GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, planes + done, (int)gemp_min(count - done, INT32_MAX), MPI_FLOAT, MPI_SUM,
		                       comm->world));
}

/* Collective. Reduces failures, requests to stop and the sums of errors of all ranks together, before the first planes
 * of an epoch, so no rank waits for planes of a rank that has failed. */
static gemp_code exchange_status(gemp_som_trainer *trainer, gemp_som_epoch_result *result)
{
	const gemp_som_fit *fit = &result->fit;
	double sums[] = { trainer->local_code != GEMP_OK, result->stop, fit->distances, fit->topographic, fit->samples };
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, sums, sizeof sums / sizeof *sums, MPI_DOUBLE, MPI_SUM, trainer->comm->world));
	if (sums[0] > 0)
		return gemp_comm_agree(trainer->comm, trainer->local_code);
	*result = (gemp_som_epoch_result){ sums[1] > 0, { sums[2], sums[3], sums[4] } };
	return GEMP_OK;
}

/* Collective. A failure stays in local_code. The sums of all ranks are added. Affine maps do not commute, so they are
 * composed in the order of ranks. */
static void reduce_planes(gemp_som_trainer *trainer, gemp_som_values values)
{
	const size_t count = (size_t)trainer->units * gemp_som_planes(values.count, trainer->missing);
	if (trainer->how->online)
		gemp_som_compose_run(&trainer->compose, trainer->host, values.count);
	else
		add_planes(trainer->comm, trainer->host, count);
	trainer->local_code = gemp_buffer_write(trainer->device, &trainer->sums, 0, count * sizeof(float), trainer->host);
}

/* Local. Makes planes from the samples of all ranks: sums, or the affine maps of this rank's rows. */
static gemp_code sum_replicas(gemp_som_trainer *trainer, double rate, gemp_som_values values)
{
	const gemp_som_replicas *all = &trainer->replicas;
	GEMP_TRY(gemp_som_replicas_write(all));
	if (trainer->how->online) {
		GEMP_TRY(gemp_som_online_run(&trainer->online, &all->samples, &all->best, &trainer->smooth, rate, values, false,
		                             gemp_som_slices_own(&trainer->slices), &trainer->sums));
		return gemp_som_slices_read(&trainer->slices, trainer->device, &trainer->sums, trainer->host);
	}
	GEMP_TRY(gemp_som_accumulate_add(&trainer->accumulate, &all->samples, &all->best, values));
	return gemp_som_accumulate_read(&trainer->accumulate, values, &trainer->sums);
}

/* Collective. A failure stays in local_code. Ranks exchange best units, and each rank makes planes from the samples of
 * all ranks. */
static void gather_units(gemp_som_trainer *trainer, double rate, gemp_som_values values)
{
	gemp_som_replicas_gather(&trainer->replicas, trainer->comm);
	trainer->local_code = sum_replicas(trainer, rate, values);
	if (!trainer->how->online)
		return;
	gemp_som_slices_gather(&trainer->slices, trainer->host);
	if (trainer->local_code == GEMP_OK)
		trainer->local_code = gemp_som_slices_write(&trainer->slices, trainer->device, &trainer->sums, trainer->host);
}

/* Collective. Combines the planes of all ranks. With the first values the ranks also exchange failures and errors. */
static gemp_code exchange_epoch(gemp_som_trainer *trainer, double rate, gemp_som_values values, uint32_t slot,
                                gemp_som_epoch_result *result)
{
	const bool units = gemp_som_trainer_sends_units(trainer);
	const size_t count = (size_t)trainer->units * gemp_som_planes(values.count, trainer->missing);
	if (trainer->comm->size == 1)
		return trainer->local_code;
	if (trainer->local_code == GEMP_OK)
		trainer->local_code = units ? gemp_som_replicas_read(&trainer->replicas, trainer->comm,
		                                                     &trainer->blocks.block[0].best)
		                            : gemp_buffer_read(trainer->device, &trainer->sums, 0, count * sizeof(float),
		                                               trainer->host);
	if (trainer->local_code == GEMP_OK && trainer->how->quality && values.first == 0)
		trainer->local_code = gemp_som_quality_read(&trainer->quality, slot, &result->fit);
	GEMP_TRY(values.first == 0 ? exchange_status(trainer, result)
	                           : gemp_comm_agree(trainer->comm, trainer->local_code));
	if (units)
		gather_units(trainer, rate, values);
	else
		reduce_planes(trainer, values);
	return GEMP_OK;
}

/* Local. Updates the codebook from the planes: by smoothed sums divided by smoothed counts, or by affine maps. */
static gemp_code update_codebook(gemp_som_trainer *trainer, gemp_som_values values)
{
	if (trainer->how->online)
		return gemp_som_accumulate_affine(&trainer->accumulate, &trainer->sums, values, &trainer->book);
	trainer->smooth.planes = gemp_som_planes(values.count, trainer->missing);
	GEMP_TRY(gemp_som_smooth_run(&trainer->smooth, &trainer->sums, &trainer->spread));
	return gemp_som_accumulate_finish(&trainer->accumulate, &trainer->spread, values, &trainer->book);
}

/* After a failure a rank skips local steps until the ranks agree, but takes part in collective steps. The first
 * exchange of an epoch follows the search, so the steps that happen once in an epoch are done when values.first is
 * 0. */
gemp_code gemp_som_trainer_epoch(gemp_som_trainer *trainer, double radius, double rate, uint32_t slot,
                                 gemp_som_epoch_result *result)
{
	if (trainer->local_code == GEMP_OK)
		trainer->local_code = gemp_som_smooth_radius(&trainer->smooth, radius);
	for (uint32_t first = 0; first < trainer->dims; first += trainer->values) {
		const gemp_som_values values = { first, (uint32_t)gemp_min(trainer->dims - first, trainer->values) };
		if (trainer->local_code == GEMP_OK)
			trainer->local_code = process_blocks(trainer, rate, slot, values);
		GEMP_TRY(exchange_epoch(trainer, rate, values, slot, result));
		if (trainer->local_code == GEMP_OK)
			trainer->local_code = update_codebook(trainer, values);
	}
	if (trainer->local_code == GEMP_OK)
		trainer->local_code = GEMP_CL(clFlush(trainer->device->queue));
	return GEMP_OK;
}

/* All ranks take the codebook of rank 0, as their devices may round differently. */
gemp_code gemp_som_trainer_codebook(gemp_som_trainer *trainer, float *w)
{
	const size_t count = (size_t)trainer->units * trainer->dims;
	if (trainer->local_code == GEMP_OK)
		trainer->local_code = gemp_som_codebook_read(&trainer->book, w);
	GEMP_TRY(gemp_comm_agree(trainer->comm, trainer->local_code));
	for (size_t done = 0; trainer->comm->size > 1 && done < count; done += INT32_MAX)
		GEMP_MPI(MPI_Bcast(w + done, (int)gemp_min(count - done, INT32_MAX), MPI_FLOAT, 0, trainer->comm->world));
	return GEMP_OK;
}

/* The last update has moved the units, so all samples are searched again. */
gemp_code gemp_som_trainer_places(gemp_som_trainer *trainer, const gemp_som_places *places)
{
	if (trainer->local_code == GEMP_OK)
		trainer->local_code = gemp_som_places_find(places, &trainer->blocks, trainer->search, &trainer->book);
	return gemp_comm_agree(trainer->comm, trainer->local_code);
}

/* A CPU device compiles a kernel when it is first launched, so programs are stored after the training. */
gemp_code gemp_som_trainer_store(gemp_som_trainer *trainer)
{
	GEMP_TRY(gemp_program_store(trainer->device, &trainer->smooth.tables));
	if (!trainer->how->online)
		GEMP_TRY(gemp_program_store(trainer->device, &trainer->smooth.program));
	GEMP_TRY(gemp_program_store(trainer->device, &trainer->accumulate.program));
	if (trainer->how->online)
		GEMP_TRY(gemp_program_store(trainer->device, &trainer->online.program));
	if (trainer->quality.kernel)
		return gemp_program_store(trainer->device, &trainer->quality.program);
	return GEMP_OK;
}
