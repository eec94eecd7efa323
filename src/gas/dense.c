#include "gas/dense.h"

#include "core/memory.h"
#include "device/readback.h"

#include <stdio.h>
#include <string.h>

enum { OPTIONS_SIZE = 512 };

bool gemp_dense_ranks(const gemp_dense *dense)
{
	return dense->layout->comm->size > 1;
}

static gemp_code build(gemp_dense *dense, const char *name, const char *defines, const gemp_gas_pull_how *how)
{
	static const char *const ends[] = { "pull", "gather", "finish" };
	gemp_code code = GEMP_OK;
	char *source = NULL, options[OPTIONS_SIZE], layout[GEMP_GAS_OPTIONS_SIZE], pull[GEMP_GAS_PULL_OPTIONS_SIZE];
	char binned[64] = "", text[64];
	gemp_gas_device_options(&dense->rows, layout);
	gemp_gas_pull_options(pull, how->groups, how->ordered, &how->shape);
	if (how->hubs_only)
		snprintf(binned, sizeof binned, " -DGAS_BINNED -DBINNED_RANGE=%u", dense->binned[0].range);
	int length = snprintf(options, sizeof options, "%s%s%s%s%s", how->real == sizeof(double) ? "-DGAS_DOUBLE" : "", layout, pull,
	                      binned, defines);
	GEMP_CHECK(length >= 0 && (size_t)length < sizeof options);
	snprintf(text, sizeof text, "gas_%s.cl", name);
	GEMP_TRY(gemp_kernel_source(&source, text));
	GEMP_TRY(gemp_program_new(&dense->program, dense->device, source, options));
	dense->report.build = dense->program.seconds;
	for (int k = 0; k < (how->hubs_only ? 3 : 1); k++) {
		snprintf(text, sizeof text, "%s_%s", name, ends[k]);
		GEMP_TRY(gemp_kernel_new(&dense->kernels[k], &dense->program, text));
	}
done:
	gemp_free(source);
	return code;
}

static gemp_code make_values(gemp_dense *dense)
{
	gemp_code code = GEMP_OK;
	size_t own = dense->layout->own, known = dense->layout->known;
	for (int side = 0; side < 2; side++)
		GEMP_TRY(gemp_buffer_new(&dense->value[side], dense->device, (known ? known : 1) * dense->real, NULL));
	if (!gemp_dense_ranks(dense))
		own = 1;
	code = gemp_buffer_new(&dense->held, dense->device, (own ? own : 1) * dense->real, NULL);
done:
	return code;
}

static void count_bytes(gemp_dense *dense)
{
	const gemp_gas_layout *layout = dense->layout;
	uint64_t edges = gemp_gas_row_edges(&layout->in) + gemp_gas_row_edges(&layout->in_ghost);
	uint64_t place = dense->rows.wide ? sizeof(uint64_t) : sizeof(uint32_t), passes = gemp_dense_ranks(dense) ? 2 : 1;
	if (dense->gather == GEMP_GATHER_BINNED) /* rows within bins, and sums of tiles there and back */
		dense->report.bytes = edges * sizeof(uint16_t) + 2 * (dense->binned[0].sums.size + dense->binned[1].sums.size);
	dense->report.bytes += edges * (sizeof(uint32_t) + gemp_gas_weight_size(layout->weights)) +
	                      passes * (uint64_t)layout->own * place + (layout->known + (2 * passes - 1) * layout->own) * dense->real;
}

static gemp_code make_parts(gemp_dense *dense, const gemp_gas_pull_how *how)
{
	gemp_code code = GEMP_OK;
	const gemp_gas_layout *layout = dense->layout;
	const gemp_gas_rows *host[] = { &layout->in, &layout->in_ghost };
	const gemp_gas_device_rows *rows[] = { &dense->rows.in, &dense->rows.in_ghost };
	size_t weight = gemp_gas_weight_size(layout->weights);
	for (int part = 0; part < (gemp_dense_ranks(dense) ? 2 : 1); part++) {
		GEMP_TRY(gemp_gas_pull_new(&dense->pull[part], dense->device, host[part], rows[part], how));
		if (how->hubs_only)
			GEMP_TRY(gemp_gas_binned_new(&dense->binned[part], dense->device, host[part], layout->known, weight, how));
	}
done:
	return code;
}

static gemp_gas_pull_how choose(const gemp_dense *dense, const gemp_dense_options *options)
{
	const gemp_gas_layout *layout = dense->layout;
	gemp_gas_pull_how how = { .groups = dense->groups, .hubs_only = dense->gather == GEMP_GATHER_BINNED, .real = dense->real };
	how.shape = gemp_gas_pull_shape_of(dense->device, dense->groups, &layout->in, options->shape);
	how.ordered = !gemp_gas_pull_in_classes(&layout->in, dense->groups, &how.shape) ||
	              (gemp_dense_ranks(dense) && !gemp_gas_pull_in_classes(&layout->in_ghost, dense->groups, &how.shape));
	return how;
}

gemp_code gemp_dense_new(gemp_dense *out, const gemp_gas_layout *layout, gemp_device *device, const char *name,
                         const char *defines, const gemp_dense_options *options)
{
	gemp_code code = GEMP_OK;
	double since = gemp_now();
	*out = (gemp_dense){ .layout = layout, .device = device,
	                     .groups = options->form == GEMP_FORM_AUTO ? device->gpu : options->form != GEMP_FORM_ITEMS,
	                     .gather = options->gather == GEMP_GATHER_AUTO ? GEMP_GATHER_PULL : options->gather,
	                     .real = options->twofold ? sizeof(double) : sizeof(float) };
	const gemp_gas_pull_how how = choose(out, options);
	GEMP_TRY(gemp_gas_device_layout_new(&out->rows, device, layout, GEMP_GAS_IN));
	GEMP_TRY(make_parts(out, &how));
	GEMP_TRY(make_values(out));
	GEMP_TRY(build(out, name, defines, &how));
	count_bytes(out);
	GEMP_TRY(GEMP_CL(clFinish(device->queue)));
	out->report.prepare = gemp_now() - since - out->report.build;
done:
	if (code != GEMP_OK)
		gemp_dense_free(out);
	return code;
}

gemp_code gemp_dense_connect(gemp_dense *dense)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = dense->layout->comm;
	if (!gemp_dense_ranks(dense))
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(comm, gemp_locked_take(&dense->fetched, dense->device, GEMP_DENSE_FETCH)));
	code = gemp_gas_mail_new(&dense->mail, dense->layout, dense->device, dense->real);
done:
	return code;
}

static void forget_fetch(gemp_dense *dense)
{
	if (dense->fetching)
		clReleaseEvent(dense->fetching);
	dense->fetching = NULL;
}

void gemp_dense_free(gemp_dense *dense)
{
	for (int part = 0; part < 2; part++)
		gemp_laps_free(&dense->laps[part]);
	if (dense->device) {
		for (int side = 0; side < 2; side++)
			gemp_buffer_free(&dense->value[side], dense->device);
		gemp_buffer_free(&dense->held, dense->device);
	}
	for (int part = 0; part < 2; part++) {
		gemp_gas_pull_free(&dense->pull[part]);
		gemp_gas_binned_free(&dense->binned[part]);
	}
	for (size_t k = 0; k < sizeof dense->kernels / sizeof *dense->kernels; k++)
		if (dense->kernels[k])
			clReleaseKernel(dense->kernels[k]);
	gemp_gas_mail_free(dense->mail);
	forget_fetch(dense);
	if (dense->device)
		gemp_locked_leave(&dense->fetched, dense->device);
	gemp_gas_device_layout_free(&dense->rows);
	gemp_program_free(&dense->program);
	*dense = (gemp_dense){ 0 };
}

gemp_code gemp_dense_begin(gemp_dense *dense)
{
	gemp_code code = GEMP_OK;
	double build = dense->report.build, prepare = dense->report.prepare;
	dense->report = (gemp_dense_report){ .build = build, .prepare = prepare, .bytes = dense->report.bytes };
	if (dense->mail)
		dense->before = *gemp_gas_mail_traffic(dense->mail);
	for (int part = 0; part < (gemp_dense_ranks(dense) ? 2 : 1); part++) {
		GEMP_TRY(gemp_gas_pull_reset(&dense->pull[part]));
		if (dense->gather == GEMP_GATHER_BINNED)
			GEMP_TRY(gemp_gas_binned_reset(&dense->binned[part]));
	}
done:
	return code;
}

gemp_code gemp_dense_gather(gemp_dense *dense, gemp_dense_part part, int from, cl_uint how, const gemp_argument *more,
                            size_t count)
{
	gemp_code code = GEMP_OK;
	gemp_gas_pull *pull = &dense->pull[part];
	gemp_gas_binned *binned = &dense->binned[part];
	const gemp_buffer *value = &dense->value[from];
	GEMP_TRY(gemp_gas_pull_launch(pull, dense->kernels[0], value, &dense->held, how, more, count));
	GEMP_TRY(gemp_laps_add(&dense->laps[part], dense->device));
	if (dense->gather == GEMP_GATHER_PULL)
		return GEMP_OK;
	GEMP_TRY(gemp_gas_binned_gather(binned, dense->kernels[1], value, how, more, count));
	GEMP_TRY(gemp_laps_add(&dense->laps[part], dense->device));
	GEMP_TRY(gemp_gas_binned_finish(binned, pull, dense->kernels[2], value, &dense->held, how, more, count));
	code = gemp_laps_add(&dense->laps[part], dense->device);
done:
	return code;
}

/* Beside kernels that follow, where a device has engines for that. */
gemp_code gemp_dense_fetch(gemp_dense *dense, const gemp_buffer *from, size_t at, size_t size)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = dense->device;
	const gemp_laps *laps = &dense->laps[GEMP_DENSE_GHOST];
	const cl_event *last = device->launched ? &device->launched : laps->count ? &laps->events[laps->count - 1] : NULL;
	const bool beside = device->gpu && last;
	cl_command_queue queue = beside ? device->transfer : device->queue;
	GEMP_CHECK(size <= GEMP_DENSE_FETCH && at + size <= from->size);
	forget_fetch(dense);
	GEMP_TRY(GEMP_CL(clFlush(device->queue)));
	GEMP_TRY(GEMP_CL(clEnqueueReadBuffer(queue, from->mem, CL_FALSE, at, size, dense->fetched.host, beside,
	                                     beside ? last : NULL, &dense->fetching)));
	code = GEMP_CL(clFlush(queue));
done:
	return code;
}

gemp_code gemp_dense_fetched(gemp_dense *dense, const void **out)
{
	*out = dense->fetched.host;
	return GEMP_CL(clWaitForEvents(1, &dense->fetching));
}

gemp_code gemp_dense_send(gemp_dense *dense, int side)
{
	double since = gemp_now();
	gemp_code code = gemp_gas_mail_begin(dense->mail, &dense->value[side], NULL);
	dense->report.mail += gemp_now() - since;
	return code;
}

gemp_code gemp_dense_receive(gemp_dense *dense, int side)
{
	double since = gemp_now();
	gemp_code code = gemp_gas_mail_end(dense->mail, &dense->value[side], NULL);
	dense->report.mail += gemp_now() - since;
	return code;
}

gemp_code gemp_dense_agree(gemp_dense *dense, gemp_code mine, uint64_t *values, int count, bool greatest)
{
	double since = gemp_now();
	gemp_code code = gemp_gas_mail_round(dense->mail, mine, values, greatest ? 0 : count, values, greatest ? count : 0);
	dense->report.agree += gemp_now() - since;
	return code;
}

gemp_code gemp_dense_end(gemp_dense *dense)
{
	gemp_code code = GEMP_OK;
	if (dense->mail) {
		const gemp_traffic *sent = gemp_gas_mail_traffic(dense->mail);
		dense->report.traffic = (gemp_traffic){ sent->bytes - dense->before.bytes, sent->messages - dense->before.messages,
		                                        sent->rounds - dense->before.rounds };
	}
	GEMP_TRY(gemp_laps_seconds(&dense->laps[GEMP_DENSE_OWN], &dense->report.own));
	code = gemp_laps_seconds(&dense->laps[GEMP_DENSE_GHOST], &dense->report.ghost);
done:
	return code;
}

gemp_code gemp_dense_put(gemp_dense *dense, const gemp_buffer *to, const double *values, size_t count)
{
	gemp_code code = GEMP_OK;
	float *narrow = NULL;
	if (dense->real == sizeof(double))
		return gemp_buffer_write(dense->device, to, 0, count * sizeof(double), values);
	GEMP_TRY(GEMP_NEW(narrow, count));
	for (size_t i = 0; i < count; i++)
		narrow[i] = (float)values[i];
	code = gemp_buffer_write(dense->device, to, 0, count * sizeof(float), narrow);
done:
	gemp_free(narrow);
	return code;
}

gemp_code gemp_dense_take(gemp_dense *dense, const gemp_buffer *from, double *values, size_t count)
{
	gemp_code code = GEMP_OK;
	float *narrow = NULL;
	if (dense->real == sizeof(double))
		return gemp_buffer_read(dense->device, from, 0, count * sizeof(double), values);
	GEMP_TRY(GEMP_NEW(narrow, count));
	GEMP_TRY(gemp_buffer_read(dense->device, from, 0, count * sizeof(float), narrow));
	for (size_t i = 0; i < count; i++)
		values[i] = narrow[i];
done:
	gemp_free(narrow);
	return code;
}

gemp_argument gemp_dense_argument(const gemp_dense *dense, gemp_dense_number *room, double value)
{
	room->wide = value;
	room->narrow = (float)value;
	return dense->real == sizeof(double) ? GEMP_ARG(&room->wide) : GEMP_ARG(&room->narrow);
}
