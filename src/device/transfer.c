#include "device/transfer.h"

#include "core/limits.h"
#include "core/threads.h"
#include "device/staging.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum {
	MAX_LANES = 16,        /* pieces that are transferred or converted at the same time */
	PARTS = 16,            /* parts of a piece, each converted by one thread */
	ALONE_BELOW = 1 << 17, /* numbers: fewer do not justify threads */
	/* More threads are slower: downloads of 640 MB reach 51 GB/s with 16 threads, and 19 with 32 (H200, 2026-11-30,
	 * bench_transfers, pieces of 2 MiB in 16 lanes). */
	MAX_CONVERTERS = 16,
	/* A waiting thread spins for some 50 us before it sleeps. A piece is transferred in 40 us, and many threads wait
	 * for it. With few cores another thread needs the core. */
	SPINS = 1500,
	SPIN_THREADS = 4
};

/* The calling thread uses the device. A helper thread starts one loop that converts all pieces, since starting a loop
 * for each piece would take as long as converting it. */
typedef struct pipeline {
	gemp_device *device;
	gemp_transfer_source *source;   /* makes the numbers that are sent */
	const void *self;               /* the first argument of `source` */
	gemp_transfer_numbers to;       /* array of the numbers that are received */
	gemp_transfer_arrived *arrived; /* NULL: nobody watches */
	void *watcher;                  /* the first argument of `arrived` */
	/* count: numbers in total; piece: numbers of a piece; pieces: number of pieces; parts: parts of a piece */
	size_t count, piece, pieces, parts;
	gemp_pinned locked;
	size_t lanes, flight; /* lanes in use; uploads that are enqueued at the same time */
	cl_event under_way[MAX_LANES];

	gemp_background helper; /* runs the loop of conversion */
	size_t first;           /* first part of the loop */
	_Atomic size_t next;    /* the part that the loop takes next */

	int spins;
	_Atomic size_t ready;           /* number of pieces that may be converted */
	_Atomic size_t left[MAX_LANES]; /* parts of the lane's piece that are not converted */
	atomic_bool stopped;
	atomic_uint sleepers; /* threads that wait for `moved` */
	pthread_mutex_t mutex;
	pthread_cond_t moved;
} pipeline;

/* The last piece may be shorter. */
static size_t numbers_of(const pipeline *p, size_t piece)
{
	return gemp_min(p->piece, p->count - piece * p->piece);
}

/* Piece k uses lane k % lanes, which is free again when its transfer and its conversion have ended. */
static uint32_t *lane_of(const pipeline *p, size_t piece)
{
	return (uint32_t *)(void *)p->locked.host + piece % p->lanes * p->piece;
}

/* WAITING */

static bool may_convert(const pipeline *p, size_t piece)
{
	return atomic_load(&p->ready) > piece || atomic_load(&p->stopped);
}

static bool is_converted(const pipeline *p, size_t piece)
{
	return atomic_load(&p->left[piece % p->lanes]) == 0;
}

/* Returns when done(p, piece) is true. No wake-up is lost: the sleeper increments `sleepers` and then asks once more,
 * and whoever changes the state does so before it reads `sleepers`. */
static void await(pipeline *p, bool (*done)(const pipeline *, size_t), size_t piece)
{
	for (int i = 0; i < p->spins && !done(p, piece); i++)
		gemp_relax();
	if (done(p, piece))
		return;
	pthread_mutex_lock(&p->mutex);
	atomic_fetch_add(&p->sleepers, 1);
	while (!done(p, piece))
		pthread_cond_wait(&p->moved, &p->mutex);
	atomic_fetch_sub(&p->sleepers, 1);
	pthread_mutex_unlock(&p->mutex);
}

/* After the state has changed. */
static void wake(pipeline *p)
{
	if (!atomic_load(&p->sleepers))
		return;
	pthread_mutex_lock(&p->mutex);
	pthread_cond_broadcast(&p->moved);
	pthread_mutex_unlock(&p->mutex);
}

/* CONVERSION, by threads */

/* The source of an array on the host. */
static void copy_numbers(const void *self, uint32_t *to, size_t begin, size_t end)
{
	const gemp_transfer_numbers *from = self;
	if (from->narrow)
		memcpy(to, from->narrow + begin, (end - begin) * sizeof *to);
	else
		for (size_t i = begin; i < end; i++)
			to[i - begin] = (uint32_t)from->wide[i];
}

/* The inverse of copy_numbers. */
static void take_numbers(const gemp_transfer_numbers *to, const uint32_t *from, size_t begin, size_t end)
{
	if (to->narrow)
		memcpy(to->narrow + begin, from, (end - begin) * sizeof *from);
	else
		for (size_t i = begin; i < end; i++)
			to->wide[i] = from[i - begin];
}

/* Writes or reads a part of a piece in its lane. */
static void convert(const pipeline *p, size_t piece, size_t part)
{
	size_t count = numbers_of(p, piece), first = piece * p->piece;
	size_t begin = count * part / p->parts, end = count * (part + 1) / p->parts;
	uint32_t *locked = lane_of(p, piece) + begin;
	if (p->source)
		p->source(p->self, locked, first + begin, first + end);
	else
		take_numbers(&p->to, locked, first + begin, first + end);
}

/* Threads take parts in ascending order. While a thread waits for a piece, the other threads have all earlier parts. */
static void convert_part(void *context, unsigned thread, size_t index)
{
	(void)thread;
	pipeline *p = context;
	size_t piece = (p->first + index) / p->parts;
	await(p, may_convert, piece);
	if (atomic_load(&p->stopped))
		return;
	convert(p, piece, (p->first + index) % p->parts);
	if (atomic_fetch_sub(&p->left[piece % p->lanes], 1) == 1)
		wake(p);
}

/* One of the threads of convert_all. */
static void convert_parts(void *context, unsigned thread, size_t converter)
{
	(void)converter;
	pipeline *p = context;
	const size_t parts = p->pieces * p->parts;
	for (size_t i = atomic_fetch_add(&p->next, 1); i < parts; i = atomic_fetch_add(&p->next, 1))
		convert_part(p, thread, i);
}

/* The helper thread: one loop over all parts of all pieces. Threads that make numbers mostly wait for memory, so all of
 * them are of use. */
static void *convert_all(void *context)
{
	const pipeline *p = context;
	const bool copies = !p->source || p->source == copy_numbers;
	gemp_parallel_for(copies ? gemp_min(gemp_threads(), MAX_CONVERTERS) : gemp_threads(), convert_parts, context);
	return NULL;
}

/* Lets threads convert the piece. Pieces are started in ascending order. */
static void start_conversion(pipeline *p, size_t piece)
{
	atomic_store(&p->left[piece % p->lanes], p->parts);
	atomic_store(&p->ready, piece + 1);
	wake(p);
}

/* Waits until a started piece is converted. Without a helper thread, this thread's own loop converts it. */
static void await_conversion(pipeline *p, size_t piece)
{
	if (!p->helper.running) {
		p->first = piece * p->parts;
		gemp_parallel_for(p->parts, convert_part, p);
	}
	await(p, is_converted, piece);
}

/* PIPELINE */

/* Sets the sizes and starts the helper thread, unless there is only one piece. */
static gemp_code open(pipeline *p)
{
	p->piece = gemp_limits_now()->transfer_chunk / sizeof(cl_uint);
	p->lanes = gemp_min(gemp_limits_now()->transfer_lanes, MAX_LANES);
	p->flight = p->lanes / 2;
	p->pieces = (p->count + p->piece - 1) / p->piece;
	p->parts = p->count < ALONE_BELOW ? 1 : PARTS;
	p->spins = gemp_threads() < SPIN_THREADS ? 0 : SPINS;
	pthread_mutex_init(&p->mutex, NULL);
	pthread_cond_init(&p->moved, NULL);
	GEMP_TRY(gemp_pinned_take(&p->locked, p->device, gemp_min(p->count, p->lanes * p->piece) * sizeof(cl_uint)));
	if (p->pieces > 1)
		gemp_background_start(&p->helper, convert_all, p);
	return GEMP_OK;
}

/* Releases the event of a lane as soon as it was awaited: the lane's next piece has an event of its own. */
static gemp_code await_transfer(pipeline *p, size_t piece)
{
	cl_event *event = &p->under_way[piece % p->lanes];
	if (!*event)
		return GEMP_OK;
	gemp_code code = GEMP_CL(clWaitForEvents(1, event));
	clReleaseEvent(*event);
	*event = NULL;
	return code;
}

/* Wakes waiting threads after a failure. All transfers end before the locked memory is returned. */
static gemp_code finish(pipeline *p, gemp_code code)
{
	atomic_store(&p->stopped, code != GEMP_OK);
	wake(p);
	gemp_background_wait(&p->helper);
	for (size_t lane = 0; lane < p->lanes; lane++)
		GEMP_ALSO(await_transfer(p, lane));
	gemp_pinned_release(&p->locked, p->device);
	pthread_cond_destroy(&p->moved);
	pthread_mutex_destroy(&p->mutex);
	return code;
}

/* The flush starts the transfer now; without it some drivers wait until the result is requested. */
static gemp_code write_piece(pipeline *p, size_t k, const gemp_buffer *to)
{
	GEMP_TRY(GEMP_CL(clEnqueueWriteBuffer(p->device->copy_queue, to->mem, CL_FALSE, k * p->piece * sizeof(cl_uint),
	                                      numbers_of(p, k) * sizeof(cl_uint), lane_of(p, k), 0, NULL,
	                                      &p->under_way[k % p->lanes])));
	return GEMP_CL(clFlush(p->device->copy_queue));
}

/* A piece is converted into a lane after the transfer of the lane's previous piece has ended. */
static gemp_code write_all(pipeline *p, const gemp_buffer *to)
{
	gemp_code code = GEMP_OK;
	if (p->count == 0)
		return GEMP_OK;
	GEMP_TRY_DONE(open(p));
	for (size_t k = 0; k < p->lanes && k < p->pieces; k++)
		start_conversion(p, k);
	for (size_t k = 0; k < p->pieces; k++) {
		const size_t arrived = k + 1 - p->flight; /* the piece that must have arrived now */
		await_conversion(p, k);
		GEMP_TRY_DONE(write_piece(p, k, to));
		if (k + 1 < p->flight || arrived + p->lanes >= p->pieces)
			continue;
		GEMP_TRY_DONE(await_transfer(p, arrived));
		start_conversion(p, arrived + p->lanes);
		if (p->arrived)
			GEMP_TRY_DONE(p->arrived(p->watcher, (arrived + 1) * p->piece));
	}
done:
	return finish(p, code);
}

gemp_code gemp_transfer_make(gemp_device *device, const gemp_buffer *to, gemp_transfer_source *source, const void *self,
                             size_t count)
{
	pipeline p = { .device = device, .source = source, .self = self, .count = count };
	return write_all(&p, to);
}

gemp_code gemp_transfer_upload(gemp_device *device, const gemp_buffer *to, gemp_transfer_numbers from, size_t count)
{
	return gemp_transfer_make(device, to, copy_numbers, &from, count);
}

gemp_code gemp_transfer_upload_watched(gemp_device *device, const gemp_buffer *to, gemp_transfer_numbers from,
                                       size_t count, gemp_transfer_arrived *arrived, void *self)
{
	pipeline p = {
		.device = device, .source = copy_numbers, .self = &from, .count = count, .arrived = arrived, .watcher = self
	};
	const gemp_code code = write_all(&p, to);
	return code == GEMP_OK ? arrived(self, count) : code;
}

/* Does nothing beyond the last piece, so the caller need not check. */
static gemp_code read_piece(pipeline *p, size_t k, const gemp_buffer *from, size_t at)
{
	if (k >= p->pieces)
		return GEMP_OK;
	GEMP_TRY(GEMP_CL(clEnqueueReadBuffer(p->device->copy_queue, from->mem, CL_FALSE,
	                                     (at + k * p->piece) * sizeof(cl_uint), numbers_of(p, k) * sizeof(cl_uint),
	                                     lane_of(p, k), 0, NULL, &p->under_way[k % p->lanes])));
	return GEMP_CL(clFlush(p->device->copy_queue));
}

/* A piece is read into a lane after the lane's previous piece was converted. The loop has one more round than there are
 * pieces, because the conversion lags one piece behind. */
gemp_code gemp_transfer_download(gemp_device *device, const gemp_buffer *from, size_t at, gemp_transfer_numbers to,
                                 size_t count)
{
	gemp_code code = GEMP_OK;
	pipeline p = { .device = device, .to = to, .count = count };
	if (count == 0)
		return GEMP_OK;
	GEMP_TRY_DONE(open(&p));
	for (size_t k = 0; k < p.lanes; k++)
		GEMP_TRY_DONE(read_piece(&p, k, from, at));
	for (size_t k = 0; k <= p.pieces; k++) {
		if (k < p.pieces) {
			GEMP_TRY_DONE(await_transfer(&p, k));
			start_conversion(&p, k);
		}
		if (k > 0) {
			await_conversion(&p, k - 1);
			GEMP_TRY_DONE(read_piece(&p, k - 1 + p.lanes, from, at));
		}
	}
done:
	return finish(&p, code);
}

/* Numbers of 32 bits are copied first, and then the bytes that remain. */
static gemp_code load_copy(gemp_buffer *out, gemp_device *device, size_t size, void *memory)
{
	size_t words = size / sizeof(uint32_t), rest = size % sizeof(uint32_t);
	gemp_code code = gemp_buffer_new(out, device, size, NULL);
	GEMP_THEN(gemp_transfer_upload(device, out, (gemp_transfer_numbers){ .narrow = memory }, words));
	GEMP_THEN(gemp_buffer_write(device, out, size - rest, rest, (char *)memory + size - rest));
	if (code != GEMP_OK)
		gemp_buffer_free(out, device);
	return code;
}

gemp_code gemp_buffer_load(gemp_buffer *out, gemp_device *device, size_t size, void *memory)
{
	return device->gpu ? load_copy(out, device, size, memory) : gemp_buffer_borrow(out, device, size, memory);
}

gemp_code gemp_buffer_load_shared(gemp_buffer *out, gemp_device *device, size_t size, void *memory, size_t own)
{
	return device->gpu ? load_copy(out, device, size, memory) : gemp_buffer_share(out, device, size, memory, own);
}
