#include "device/transfer.h"

#include "core/limits.h"
#include "core/threads.h"
#include "core/types.h"
#include "device/staging.h"

#include <pthread.h>
#include <string.h>

enum {
	LANES = 4,            /* pieces that are under way or being converted */
	PARTS = 8,            /* of a piece, each converted by one thread */
	ALONE_BELOW = 1 << 17 /* numbers: threads are not worth it */
};

/* The calling thread talks to the device. Others convert, from the first piece to the last: making them for each piece
 * anew would take as long as converting it. */
typedef struct pipeline {
	gemp_device *device;
	gemp_transfer_numbers numbers;
	size_t count, piece, pieces, parts; /* piece: numbers */
	bool send;
	gemp_pinned locked;
	cl_event under_way[LANES];

	pthread_t helper; /* the first of the threads */
	bool helped;
	size_t first; /* part from which on a loop converts */

	pthread_mutex_t mutex;
	pthread_cond_t moved;
	size_t ready;       /* pieces that may be converted */
	size_t left[LANES]; /* parts of a piece that have not been */
	bool stopped;
} pipeline;

static size_t numbers_of(const pipeline *p, size_t piece)
{
	return gemp_min(p->piece, p->count - piece * p->piece);
}

static uint32_t *lane_of(const pipeline *p, size_t piece)
{
	return (uint32_t *)(void *)p->locked.host + piece % LANES * p->piece;
}

/* CONVERSION, by the threads. */

static void convert(const pipeline *p, size_t piece, size_t part)
{
	size_t count = numbers_of(p, piece), from = count * part / p->parts, end = count * (part + 1) / p->parts;
	uint32_t *locked = lane_of(p, piece);
	uint32_t *narrow = p->numbers.narrow ? p->numbers.narrow + piece * p->piece : NULL;
	uint64_t *wide = p->numbers.wide ? p->numbers.wide + piece * p->piece : NULL;
	if (narrow && p->send)
		memcpy(locked + from, narrow + from, (end - from) * sizeof *locked);
	else if (narrow)
		memcpy(narrow + from, locked + from, (end - from) * sizeof *locked);
	else if (p->send)
		for (size_t i = from; i < end; i++)
			locked[i] = (uint32_t)wide[i];
	else
		for (size_t i = from; i < end; i++)
			wide[i] = locked[i];
}

/* Threads get parts in their order, so that nobody waits for a piece that comes before one that nobody has begun. */
static void convert_part(void *context, unsigned thread, size_t index)
{
	(void)thread;
	pipeline *p = context;
	size_t piece = (p->first + index) / p->parts;
	pthread_mutex_lock(&p->mutex);
	while (piece >= p->ready && !p->stopped)
		pthread_cond_wait(&p->moved, &p->mutex);
	bool stopped = p->stopped;
	pthread_mutex_unlock(&p->mutex);
	if (stopped)
		return;
	convert(p, piece, (p->first + index) % p->parts);
	pthread_mutex_lock(&p->mutex);
	if (--p->left[piece % LANES] == 0)
		pthread_cond_broadcast(&p->moved);
	pthread_mutex_unlock(&p->mutex);
}

static void *convert_all(void *context)
{
	pipeline *p = context;
	gemp_parallel_for(p->pieces * p->parts, convert_part, p);
	return NULL;
}

/* Pieces come one behind the other. */
static void start_conversion(pipeline *p, size_t piece)
{
	pthread_mutex_lock(&p->mutex);
	p->left[piece % LANES] = p->parts;
	p->ready = piece + 1;
	pthread_cond_broadcast(&p->moved);
	pthread_mutex_unlock(&p->mutex);
}

/* Returns when an allowed piece is converted: here, where there is only one, or no thread for it. */
static void await_conversion(pipeline *p, size_t piece)
{
	if (!p->helped) {
		p->first = piece * p->parts;
		gemp_parallel_for(p->parts, convert_part, p);
	}
	pthread_mutex_lock(&p->mutex);
	while (p->left[piece % LANES] > 0)
		pthread_cond_wait(&p->moved, &p->mutex);
	pthread_mutex_unlock(&p->mutex);
}

/* PIPELINE */

static gemp_code open(pipeline *p)
{
	p->piece = gemp_limits_now()->transfer_chunk / sizeof(cl_uint);
	p->pieces = (p->count + p->piece - 1) / p->piece;
	p->parts = p->count < ALONE_BELOW ? 1 : PARTS;
	pthread_mutex_init(&p->mutex, NULL);
	pthread_cond_init(&p->moved, NULL);
	GEMP_PROPAGATE(gemp_pinned_take(&p->locked, p->device, gemp_min(p->count, LANES * p->piece) * sizeof(cl_uint)));
	p->helped = p->pieces > 1 && pthread_create(&p->helper, NULL, convert_all, p) == 0;
	return GEMP_OK;
}

static gemp_code await_transfer(pipeline *p, size_t piece)
{
	cl_event *event = &p->under_way[piece % LANES];
	gemp_code code = *event ? GEMP_CL(clWaitForEvents(1, event)) : GEMP_OK;
	if (*event)
		clReleaseEvent(*event);
	*event = NULL;
	return code;
}

static gemp_code finish(pipeline *p, gemp_code code)
{
	pthread_mutex_lock(&p->mutex);
	p->stopped = code != GEMP_OK;
	pthread_cond_broadcast(&p->moved);
	pthread_mutex_unlock(&p->mutex);
	if (p->helped)
		pthread_join(p->helper, NULL);
	for (size_t lane = 0; lane < LANES; lane++) {
		gemp_code last = await_transfer(p, lane);
		code = code == GEMP_OK ? last : code;
	}
	gemp_pinned_release(&p->locked, p->device);
	pthread_cond_destroy(&p->moved);
	pthread_mutex_destroy(&p->mutex);
	return code;
}

static gemp_code write_piece(pipeline *p, size_t k, const gemp_buffer *to)
{
	GEMP_PROPAGATE(GEMP_CL(clEnqueueWriteBuffer(p->device->copy_queue, to->mem, CL_FALSE,
	                                            k * p->piece * sizeof(cl_uint), numbers_of(p, k) * sizeof(cl_uint),
	                                            lane_of(p, k), 0, NULL, &p->under_way[k % LANES])));
	return GEMP_CL(clFlush(p->device->copy_queue));
}

gemp_code gemp_transfer_upload(gemp_device *device, const gemp_buffer *to, gemp_transfer_numbers from, size_t count)
{
	gemp_code code = GEMP_OK;
	pipeline p = { .device = device, .numbers = from, .count = count, .send = true };
	if (count == 0)
		return GEMP_OK;
	GEMP_TRY(open(&p));
	for (size_t k = 0; k < LANES && k < p.pieces; k++)
		start_conversion(&p, k);
	for (size_t k = 0; k < p.pieces; k++) {
		await_conversion(&p, k);
		GEMP_TRY(write_piece(&p, k, to));
		if (k == 0 || k - 1 + LANES >= p.pieces)
			continue;
		GEMP_TRY(await_transfer(&p, k - 1));
		start_conversion(&p, k - 1 + LANES);
	}
done:
	return finish(&p, code);
}

static gemp_code read_piece(pipeline *p, size_t k, const gemp_buffer *from, size_t at)
{
	if (k >= p->pieces)
		return GEMP_OK;
	GEMP_PROPAGATE(GEMP_CL(
		clEnqueueReadBuffer(p->device->copy_queue, from->mem, CL_FALSE, (at + k * p->piece) * sizeof(cl_uint),
	                        numbers_of(p, k) * sizeof(cl_uint), lane_of(p, k), 0, NULL, &p->under_way[k % LANES])));
	return GEMP_CL(clFlush(p->device->copy_queue));
}

gemp_code gemp_transfer_download(gemp_device *device, const gemp_buffer *from, size_t at, gemp_transfer_numbers to,
                                 size_t count)
{
	gemp_code code = GEMP_OK;
	pipeline p = { .device = device, .numbers = to, .count = count };
	if (count == 0)
		return GEMP_OK;
	GEMP_TRY(open(&p));
	for (size_t k = 0; k < LANES; k++)
		GEMP_TRY(read_piece(&p, k, from, at));
	for (size_t k = 0; k <= p.pieces; k++) {
		if (k < p.pieces) {
			GEMP_TRY(await_transfer(&p, k));
			start_conversion(&p, k);
		}
		if (k > 0) {
			await_conversion(&p, k - 1);
			GEMP_TRY(read_piece(&p, k - 1 + LANES, from, at));
		}
	}
done:
	return finish(&p, code);
}
