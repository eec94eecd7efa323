#include "analytics/dense/dense.h"

#include "core/memory.h"
#include "core/threads.h"
#include "core/timer.h"
#include "device/staging.h"
#include "kernels/analytics/gas_dense_abi.h"

#include <stdio.h>

/* A round's steps are ordered such that the device never waits for the host: values are packed first, the launch over
 * own sources is enqueued, and only then the host reads the numbers of the previous round and exchanges messages. A
 * rank that has failed takes part in every exchange until the next agreement, in which all ranks learn of the
 * failure. */

enum { OPTIONS_SIZE = 512 };

/* On a grid of several columns the sums of other ranks' rows travel as well as values. */
static bool has_sums(const gemp_dense *dense)
{
	return dense->layout->grid.columns > 1;
}

/* Builds the application's kernels NAME_pull and, with bins, NAME_gather and NAME_finish. */
static gemp_code build(gemp_dense *dense, const char *name, const char *defines, const gemp_dense_pull_config *how)
{
	char options[OPTIONS_SIZE], layout[GEMP_LAYOUT_OPTIONS_SIZE], pull[GEMP_DENSE_PULL_OPTIONS_SIZE];
	char binned[64] = "", file[64], names[3][64];
	const bool bins = how->hubs_only;
	gemp_device_layout_options(&dense->rows, layout);
	gemp_dense_pull_options(pull, how->groups, how->ordered, &how->shape);
	if (bins)
		snprintf(binned, sizeof binned, " -DGAS_BINNED -DBINNED_RANGE=%u", dense->binned[0].range);
	int length = snprintf(options, sizeof options, "%s%s%s%s%s", how->real == sizeof(double) ? "-DGAS_DOUBLE" : "",
	                      layout, pull, binned, defines);
	GEMP_CHECK(length >= 0 && (size_t)length < sizeof options);
	snprintf(file, sizeof file, "gas_%s.cl", name);
	snprintf(names[0], sizeof names[0], "%s_pull", name);
	snprintf(names[1], sizeof names[1], "%s_gather", name);
	snprintf(names[2], sizeof names[2], "%s_finish", name);
	gemp_code code = gemp_program_build(&dense->program, dense->device, file, options, { names[0], &dense->kernels[0] },
	                                    { bins ? names[1] : NULL, &dense->kernels[1] },
	                                    { bins ? names[2] : NULL, &dense->kernels[2] });
	dense->report.build = dense->program.seconds;
	return code;
}

/* There are two arrays of values, each for known vertices and arriving sums. Partial sums are needed only with several
 * ranks. */
static gemp_code make_values(gemp_dense *dense)
{
	const gemp_layout *layout = dense->layout;
	size_t values = gemp_layout_values(layout), held = layout->comm->size > 1 ? layout->own : 0;
	for (int side = 0; side < 2; side++)
		GEMP_TRY(gemp_buffer_new(&dense->value[side], dense->device, values * dense->real, NULL));
	GEMP_TRY(gemp_buffer_new(&dense->partial, dense->device, held * dense->real, NULL));
	return gemp_buffer_new(&dense->other, dense->device, layout->in_other.rows * dense->real, NULL);
}

/* The host's rows of a part of the edges. The array has the order of gemp_dense_part. */
static const gemp_layout_rows *rows_of(const gemp_layout *layout, int part)
{
	const gemp_layout_rows *rows[] = { &layout->in, &layout->in_ghost, &layout->in_other, &layout->in_sums };
	return rows[part];
}

/* Counts a lower bound of the bytes that a round moves. The report compares it with the device's bandwidth. */
static void count_bytes(gemp_dense *dense)
{
	const gemp_layout *layout = dense->layout;
	uint64_t place = dense->rows.wide ? sizeof(uint64_t) : sizeof(uint32_t), edges = 0, rows = 0, sums = 0;
	for (int part = 0; part < dense->part_count; part++) {
		edges += gemp_layout_row_edges(rows_of(layout, part));
		rows += rows_of(layout, part)->rows;
		sums += dense->binned[part].sums.size;
	}
	/* edges' rows within bins, and the sums of tiles, which are written and read */
	if (dense->gather == GEMP_GATHER_BINNED)
		dense->report.bytes = edges * sizeof(uint16_t) + 2 * sums;
	/* Partial sums are written and read. The sums of other ranks' rows are only written, since they are sent. */
	uint64_t held = 2 * (rows - layout->own) - layout->in_other.rows;
	dense->report.bytes += edges * (sizeof(uint32_t) + gemp_layout_weight_size(layout->weights)) + rows * place +
	                       (gemp_layout_values(layout) + layout->own + held) * dense->real;
}

/* Makes the pull and, with bins, the bins for each part of the edges. */
static gemp_code make_parts(gemp_dense *dense, const gemp_dense_pull_config *how)
{
	const gemp_layout *layout = dense->layout;
	const gemp_device_rows *rows[] = { &dense->rows.in, &dense->rows.in_ghost, &dense->rows.in_other,
		                               &dense->rows.in_sums };
	size_t weight = gemp_layout_weight_size(layout->weights);
	for (int part = 0; part < dense->part_count; part++) {
		const gemp_layout_rows *host = rows_of(layout, part);
		GEMP_TRY(gemp_dense_pull_new(&dense->pull[part], dense->device, host, rows[part], how));
		if (how->hubs_only)
			GEMP_TRY(gemp_dense_binned_new(&dense->binned[part], dense->device, host, gemp_layout_values(layout),
			                               weight, how));
	}
	return GEMP_OK;
}

/* All parts share one program and therefore one shape, which suits the part that usually has the most edges. If the
 * rows of any part are not stored by class, the program reads order[]. */
static gemp_dense_pull_config choose_config(const gemp_dense *dense, const gemp_dense_options *options)
{
	const gemp_layout *layout = dense->layout;
	gemp_dense_pull_config how = { .groups = dense->groups,
		                           .hubs_only = dense->gather == GEMP_GATHER_BINNED,
		                           .real = dense->real };
	const gemp_layout_rows *rows = rows_of(layout, has_sums(dense) ? GEMP_DENSE_OTHER : GEMP_DENSE_OWN);
	how.shape = gemp_dense_pull_shape_of(dense->device, dense->groups, rows, options->shape);
	for (int part = 0; part < dense->part_count; part++)
		how.ordered |= !gemp_dense_pull_in_classes(rows_of(layout, part), dense->groups, &how.shape);
	return how;
}

/* Local. A rank that fails here passes its code to gemp_dense_connect, where all ranks learn of it. Because of the last
 * clFinish, report.prepare includes uploads that are still in the queue. */
gemp_code gemp_dense_new(gemp_dense *out, const gemp_layout *layout, gemp_device *device, const char *name,
                         const char *defines, const gemp_dense_options *options)
{
	gemp_code code = GEMP_OK;
	double since = gemp_now();
	*out = (gemp_dense){ .layout = layout,
		                 .device = device,
		                 .groups = options->form == GEMP_FORM_AUTO ? device->gpu : options->form != GEMP_FORM_ITEMS,
		                 .gather = options->gather == GEMP_GATHER_AUTO ? GEMP_GATHER_PULL : options->gather,
		                 .real = options->fp64 ? sizeof(double) : sizeof(float) };
	out->part_count = has_sums(out) ? GEMP_DENSE_PARTS : layout->comm->size > 1 ? 2 : 1;
	const gemp_dense_pull_config how = choose_config(out, options);
	GEMP_TRY_DONE(gemp_device_layout_new(&out->rows, device, layout, GEMP_LAYOUT_IN));
	GEMP_TRY_DONE(make_parts(out, &how));
	GEMP_TRY_DONE(make_values(out));
	GEMP_TRY_DONE(build(out, name, defines, &how));
	count_bytes(out);
	GEMP_TRY_DONE(GEMP_CL(clFinish(device->queue)));
	out->report.build += out->rows.build;
	out->report.prepare = gemp_now() - since - out->report.build;
done:
	if (code != GEMP_OK)
		gemp_dense_free(out);
	return code;
}

/* Only the ranks of a row of the grid exchange sums, so this exchange has its own communicator. If it fails, only the
 * ranks of that row know it, so all ranks agree once more. */
gemp_code gemp_dense_connect(gemp_dense *dense, const gemp_comm *comm, gemp_code code)
{
	if (comm->size > 1)
		GEMP_THEN(gemp_pinned_take(&dense->fetched, dense->device, GEMP_DENSE_FETCH));
	GEMP_TRY(gemp_comm_agree(comm, code));
	const gemp_layout *layout = dense->layout;
	if (comm->size == 1)
		return GEMP_OK;
	GEMP_TRY(gemp_halo_new(&dense->halo, layout, dense->device, dense->real));
	if (!has_sums(dense))
		return GEMP_OK;
	MPI_Comm row;
	GEMP_MPI(MPI_Comm_split(comm->world, comm->rank / layout->grid.columns, comm->rank, &row));
	gemp_comm_new(&dense->row, row);
	GEMP_MPI(MPI_Comm_free(&row));
	code = gemp_halo_new_links(&dense->sum_halo, &dense->row, &layout->sums, dense->device, dense->real);
	return gemp_comm_agree(comm, code);
}

/* Releases the event of the last fetch, even if nothing has waited for it. */
static void release_fetch(gemp_dense *dense)
{
	if (dense->fetching)
		clReleaseEvent(dense->fetching);
	dense->fetching = NULL;
}

/* Collective after gemp_dense_connect has succeeded, since all ranks free the halos and the communicator of the grid's
 * row. */
void gemp_dense_free(gemp_dense *dense)
{
	for (int part = 0; part < GEMP_DENSE_PARTS; part++)
		gemp_timings_free(&dense->timings[part]);
	if (dense->device) {
		for (int side = 0; side < 2; side++)
			gemp_buffer_free(&dense->value[side], dense->device);
		gemp_buffers_free(dense->device, &dense->partial, &dense->other);
	}
	for (int part = 0; part < GEMP_DENSE_PARTS; part++) {
		gemp_dense_pull_free(&dense->pull[part]);
		gemp_dense_binned_free(&dense->binned[part]);
	}
	gemp_kernels_free(&dense->kernels[0], &dense->kernels[1], &dense->kernels[2]);
	gemp_halo_free(dense->halo);
	gemp_halo_free(dense->sum_halo);
	if (dense->row.size)
		gemp_comm_free(&dense->row);
	release_fetch(dense);
	if (dense->device)
		gemp_pinned_release(&dense->fetched, dense->device);
	gemp_device_layout_free(&dense->rows);
	gemp_program_free(&dense->program);
	*dense = (gemp_dense){ 0 };
}

/* The seconds of gemp_dense_new and the bytes of a round are kept, since every run reports them. The traffic counters
 * of the halos only grow, so their values at the begin are subtracted when the run ends. */
gemp_code gemp_dense_begin(gemp_dense *dense)
{
	double build = dense->report.build, prepare = dense->report.prepare;
	dense->report = (gemp_dense_report){ .build = build, .prepare = prepare, .bytes = dense->report.bytes };
	if (dense->halo)
		dense->before = *gemp_halo_traffic(dense->halo);
	if (dense->sum_halo)
		dense->sums_before = *gemp_halo_traffic(dense->sum_halo);
	for (int part = 0; part < dense->part_count; part++) {
		GEMP_TRY(gemp_dense_pull_reset(&dense->pull[part]));
		if (dense->gather == GEMP_GATHER_BINNED)
			GEMP_TRY(gemp_dense_binned_reset(&dense->binned[part]));
	}
	return GEMP_OK;
}

/* The first launch pulls all rows or, with bins, only hubs. With bins two more launches process the other rows. */
gemp_code gemp_dense_gather(gemp_dense *dense, gemp_dense_part part, int from, cl_uint how, const gemp_argument *more,
                            size_t count)
{
	gemp_dense_pull *pull = &dense->pull[part];
	gemp_dense_binned *binned = &dense->binned[part];
	const gemp_buffer *value = &dense->value[from], *held = part == GEMP_DENSE_OTHER ? &dense->other : &dense->partial;
	GEMP_TRY(gemp_dense_pull_launch(pull, dense->kernels[0], value, held, how, more, count));
	GEMP_TRY(gemp_timings_add(&dense->timings[part], dense->device));
	if (dense->gather == GEMP_GATHER_PULL)
		return GEMP_OK;
	GEMP_TRY(gemp_dense_binned_gather(binned, dense->kernels[1], value, how, more, count));
	GEMP_TRY(gemp_timings_add(&dense->timings[part], dense->device));
	GEMP_TRY(gemp_dense_binned_finish(binned, pull, dense->kernels[2], value, held, how, more, count));
	return gemp_timings_add(&dense->timings[part], dense->device);
}

/* On a GPU the copy queue reads while the following kernels run. It waits only for the last launch. */
gemp_code gemp_dense_fetch(gemp_dense *dense, const gemp_buffer *from, size_t at, size_t size)
{
	gemp_device *device = dense->device;
	const gemp_timings *timings = &dense->timings[dense->part_count - 1];
	const cl_event *last = device->last_launch ? &device->last_launch
	                       : timings->count    ? &timings->events[timings->count - 1]
	                                           : NULL;
	const bool beside = device->gpu && last;
	cl_command_queue queue = beside ? device->copy_queue : device->queue;
	GEMP_CHECK(size <= GEMP_DENSE_FETCH && at + size <= from->size);
	release_fetch(dense);
	GEMP_TRY(GEMP_CL(clFlush(device->queue)));
	GEMP_TRY(GEMP_CL(clEnqueueReadBuffer(queue, from->mem, CL_FALSE, at, size, dense->fetched.host, beside,
	                                     beside ? last : NULL, &dense->fetching)));
	return GEMP_CL(clFlush(queue));
}

/* Waits only for the transfer. Kernels that were launched after it go on. */
gemp_code gemp_dense_fetched(gemp_dense *dense, const void **out)
{
	const double since = gemp_now();
	*out = dense->fetched.host;
	const gemp_code code = GEMP_CL(clWaitForEvents(1, &dense->fetching));
	gemp_trace_add("await sums", GEMP_LANE_RANKS, since);
	return code;
}

/* Packs all values (changed is NULL), because a round computes every row anew. */
static gemp_code pack(gemp_dense *dense, gemp_halo *halo, const gemp_buffer *values)
{
	const double since = gemp_now();
	const gemp_code code = gemp_halo_begin(halo, values, NULL, NULL);
	dense->report.halo += gemp_now() - since;
	gemp_trace_add("pack", GEMP_LANE_HOST, since);
	return code;
}

/* Writes received values to value[side]. They are the values of ghosts, or the sums of own rows, which lie behind the
 * ghosts. */
static gemp_code unpack(gemp_dense *dense, gemp_halo *halo, int side)
{
	const double since = gemp_now();
	gemp_code code = GEMP_CL(clFlush(dense->device->queue)); /* lets the device work while the host waits */
	GEMP_ALSO(gemp_halo_end(halo, &dense->value[side], NULL, NULL));
	dense->report.halo += gemp_now() - since;
	gemp_trace_add("unpack", GEMP_LANE_HOST, since);
	return code;
}

/* Makes the launches that need values of other ranks. A rank that has failed still sends its sums, since other ranks
 * wait for them. */
static gemp_code launch_rest(gemp_dense *dense, const gemp_dense_rounds *app, uint32_t round, gemp_code code)
{
	if (!has_sums(dense)) {
		GEMP_THEN(app->launch(app->self, GEMP_DENSE_GHOST, round, GAS_RESUME | GAS_GIVEN));
		return code;
	}
	GEMP_THEN(app->launch(app->self, GEMP_DENSE_OTHER, round, GAS_HOLD));
	GEMP_ALSO(pack(dense, dense->sum_halo, &dense->other));
	GEMP_THEN(app->launch(app->self, GEMP_DENSE_GHOST, round, GAS_RESUME | GAS_HOLD));
	GEMP_ALSO(unpack(dense, dense->sum_halo, (int)(round % 2)));
	GEMP_THEN(app->launch(app->self, GEMP_DENSE_SUMS, round, GAS_RESUME | GAS_GIVEN));
	return code;
}

/* Collective. Exchanges the packed messages, together with the numbers on which the ranks agree. */
static gemp_code agree(gemp_dense *dense, const gemp_dense_rounds *app, gemp_code mine, uint64_t *numbers)
{
	const double since = gemp_now();
	const int sums = app->max ? 0 : app->numbers;
	const gemp_code code = gemp_halo_round(dense->halo, mine, numbers, sums, numbers, app->numbers - sums);
	dense->report.agree += gemp_now() - since;
	return code;
}

/* A failed rank still sends, agrees and receives, so no other rank waits for it in vain. */
gemp_code gemp_dense_run_ranks(gemp_dense *dense, const gemp_dense_rounds *app, gemp_code code)
{
	GEMP_THEN(app->fetch(app->self, 0));
	for (uint32_t round = 0;; round++) {
		const int side = (int)(round % 2);
		const bool more = round < app->rounds;
		uint64_t numbers[GEMP_DENSE_NUMBERS] = { 0 };
		if (more) {
			GEMP_ALSO(pack(dense, dense->halo, &dense->value[side]));
			GEMP_THEN(app->launch(app->self, GEMP_DENSE_OWN, round, GAS_HOLD));
		}
		GEMP_THEN(app->read(app->self, round, numbers));
		const gemp_code agreed = agree(dense, app, code, numbers);
		code = more ? unpack(dense, dense->halo, side) : GEMP_OK;
		if (agreed != GEMP_OK)
			return agreed;
		if (app->agreed(app->self, round, numbers) || !more)
			return code;
		code = launch_rest(dense, app, round, code);
		GEMP_THEN(app->fetch(app->self, round + 1));
	}
}

/* gemp_timings_seconds waits for the launches. report->own is the time of launches over own sources, during which the
 * values of ghosts travel. report->ghost is the time of all other launches. Values and sums travel in the same rounds,
 * so only the rounds of values are counted. */
gemp_code gemp_dense_end(gemp_dense *dense)
{
	gemp_dense_report *report = &dense->report;
	gemp_traffic values = gemp_halo_traffic_since(dense->halo, &dense->before),
				 sums = gemp_halo_traffic_since(dense->sum_halo, &dense->sums_before);
	double seconds;
	report->traffic = (gemp_traffic){ values.bytes + sums.bytes, values.messages + sums.messages, values.rounds };
	report->sum_bytes = sums.bytes;
	for (int part = 0; part < dense->part_count; part++) {
		GEMP_TRY(gemp_timings_seconds(&dense->timings[part], &seconds));
		*(part == GEMP_DENSE_OWN ? &report->own : &report->ghost) += seconds;
	}
	return GEMP_OK;
}

/* Values in both precisions. */
typedef struct conversion {
	float *narrow;
	double *wide;
	const double *values;
} conversion;

static void to_narrow(void *context, size_t begin, size_t end)
{
	const conversion *c = context;
	for (size_t i = begin; i < end; i++)
		c->narrow[i] = (float)c->values[i];
}

static void to_wide(void *context, size_t begin, size_t end)
{
	const conversion *c = context;
	for (size_t i = begin; i < end; i++)
		c->wide[i] = c->narrow[i];
}

/* In single precision the host rounds the values into an array of its own. */
gemp_code gemp_dense_write(gemp_dense *dense, const gemp_buffer *to, const double *values, size_t count)
{
	GEMP_OWNED float *narrow = NULL;
	if (dense->real == sizeof(double))
		return gemp_buffer_write(dense->device, to, 0, count * sizeof(double), values);
	GEMP_TRY(GEMP_NEW(narrow, count));
	gemp_for_elements(count, to_narrow, &(conversion){ .narrow = narrow, .values = values });
	return gemp_buffer_write(dense->device, to, 0, count * sizeof(float), narrow);
}

gemp_code gemp_dense_read(gemp_dense *dense, const gemp_buffer *from, double *values, size_t count)
{
	GEMP_OWNED float *narrow = NULL;
	if (dense->real == sizeof(double))
		return gemp_buffer_read(dense->device, from, 0, count * sizeof(double), values);
	GEMP_TRY(GEMP_NEW(narrow, count));
	GEMP_TRY(gemp_buffer_read(dense->device, from, 0, count * sizeof(float), narrow));
	gemp_for_elements(count, to_wide, &(conversion){ .narrow = narrow, .wide = values });
	return GEMP_OK;
}

gemp_argument gemp_dense_argument(const gemp_dense *dense, gemp_dense_number *number, double value)
{
	*number = (gemp_dense_number){ (float)value, value };
	return dense->real == sizeof(double) ? GEMP_ARG(&number->wide) : GEMP_ARG(&number->narrow);
}
