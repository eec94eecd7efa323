#include "euler/devices/segments.h"

#include "core/random.h"
#include "euler/devices/records.h"

enum { DENSER = 4, ROUNDS_PER_SPACING = 2 };

/* WALK */

/* Local. Advances the walkers that have arrived, and lets `starting` others begin. */
static gemp_code advance(gemp_euler_state *e, cl_uint starting, cl_uint listed)
{
	const cl_uint arrivals = (cl_uint)e->arrivals, walkers = arrivals + starting;
	GEMP_TRY(gemp_euler_stage_records(e, walkers));
	return GEMP_EULER_LAUNCH(
		WALKERS, walkers, GEMP_EULER_MEM(slots), GEMP_ARG(&e->own), GEMP_ARG(&e->first), GEMP_EULER_MEM(slot_bounds),
		GEMP_ARG(&e->ranks), GEMP_ARG(&e->rank), GEMP_EULER_MEM(splitter), GEMP_EULER_MEM(segments),
		GEMP_EULER_MEM(inbox), GEMP_ARG(&arrivals), GEMP_EULER_MEM(starts), GEMP_ARG(&listed), GEMP_ARG(&e->started),
		GEMP_ARG(&walkers), GEMP_EULER_MEM(mark), GEMP_EULER_MEM(some), GEMP_EULER_MEM(full), GEMP_ARG(&e->joined),
		GEMP_ARG(&e->slot_bits), GEMP_EULER_MEM(counters), GEMP_EULER_MEM(stage));
}

/* A walker advances by at least a slot in each round, so all walks end. */
gemp_code gemp_euler_walk(gemp_euler_state *e, size_t end, bool listed, size_t limit)
{
	const cl_uint words = e->slot_bits ? 2 : 3;
	for (size_t rounds = 0;;) {
		const size_t capacity = e->arrivals < e->in_flight ? e->in_flight - e->arrivals : 0;
		const size_t waiting = end - e->started, starting = waiting < capacity ? waiting : capacity;
		const gemp_code code = advance(e, (cl_uint)starting, listed);
		GEMP_TRY(gemp_euler_send_records(e, code, e->arrivals + starting, words, false));
		e->started += (cl_uint)starting;
		uint64_t left[2] = { end - e->started, e->arrivals };
		gemp_comm_sum(e->comm, left, 2);
		if (left[0] + left[1] == 0 || (left[0] == 0 && ++rounds == limit))
			break;
	}
	GEMP_TRY(gemp_comm_agree(e->comm, gemp_euler_read_counters(e)));
	e->overflow = gemp_comm_sum1(e->comm, e->counters[EULER_OVERFLOW]) > 0;
	return GEMP_OK;
}

/* SPLITTERS */

/* Local. One of `spacing` slots without a label becomes a splitter. */
static gemp_code choose(gemp_euler_state *e, cl_uint spacing)
{
	const cl_uint salt = (cl_uint)gemp_mix(e->seed ^ (uint64_t)spacing << 32);
	GEMP_TRY(gemp_euler_zero_counter(e, EULER_UNLABELLED));
	GEMP_TRY(gemp_euler_zero_counter(e, EULER_CHOSEN));
	GEMP_TRY(GEMP_EULER_LAUNCH(UNLABELLED_SLOTS, e->own, GEMP_EULER_MEM(slots), GEMP_ARG(&e->own), GEMP_ARG(&e->first),
	                           GEMP_ARG(&spacing), GEMP_ARG(&salt), GEMP_EULER_MEM(counters)));
	GEMP_TRY(gemp_euler_read_counters(e));
	const cl_uint chosen = e->counters[EULER_CHOSEN];
	if (chosen) {
		GEMP_TRY(gemp_euler_grow(e, &e->on.splitter, (size_t)e->splitters + chosen, sizeof(cl_uint)));
		GEMP_TRY(gemp_euler_grow(e, &e->on.segments, (size_t)e->splitters + chosen, sizeof(cl_uint2)));
		GEMP_TRY(GEMP_EULER_LAUNCH(CHOOSE, e->own, GEMP_EULER_MEM(slots), GEMP_ARG(&e->own), GEMP_ARG(&e->first),
		                           GEMP_ARG(&spacing), GEMP_ARG(&salt), GEMP_EULER_MEM(splitter),
		                           GEMP_EULER_MEM(counters)));
	}
	e->splitters += chosen;
	return GEMP_OK;
}

/* If no slot is without a label, walkers may still be on the way to splitters. */
gemp_code gemp_euler_make_segments(gemp_euler_state *e)
{
	for (cl_uint spacing = e->spacing;; spacing = spacing > DENSER ? spacing / DENSER : 1) {
		GEMP_TRY(gemp_comm_agree(e->comm, choose(e, spacing)));
		const bool last = gemp_comm_sum1(e->comm, e->counters[EULER_UNLABELLED]) == 0 || spacing == 1;
		GEMP_TRY(gemp_euler_walk(e, e->splitters, false, last ? 0 : ROUNDS_PER_SPACING * (size_t)spacing));
		if (last || e->overflow)
			return GEMP_OK;
	}
}

/* THE LIST OF ALL SEGMENTS */

/* Local. Writes this rank's segments once for each rank. */
static gemp_code copy_segments(gemp_euler_state *e)
{
	GEMP_TRY(gemp_euler_reserve(e, &e->on.grouped, (size_t)e->splitters * e->ranks, sizeof(cl_uint2)));
	for (size_t r = 0; r < e->ranks; r++)
		e->send[r] = e->splitters;
	return GEMP_EULER_LAUNCH(COPIES, (uint64_t)e->splitters * e->ranks, GEMP_EULER_MEM(segments),
	                         GEMP_ARG(&e->splitters), GEMP_ARG(&e->ranks), GEMP_EULER_MEM(grouped));
}

/* Local. The bounds are the same after joining, since splitters stay. */
static gemp_code make_links(gemp_euler_state *e)
{
	uint64_t sum = 0;
	for (size_t r = 0; r <= e->ranks; r++) {
		e->table[r] = (cl_uint)sum;
		sum += r < e->ranks ? e->received[r] : 0;
	}
	e->segments = (cl_uint)sum;
	GEMP_TRY(
		gemp_buffer_write(e->device, &e->on.segment_bounds, 0, (e->ranks + (size_t)1) * sizeof *e->table, e->table));
	GEMP_TRY(gemp_euler_reserve(e, &e->on.links, e->segments, sizeof(cl_uint2)));
	GEMP_TRY(gemp_euler_reserve(e, &e->on.values, e->segments, sizeof(cl_uint2)));
	return GEMP_EULER_LAUNCH(LINKS, e->segments, GEMP_EULER_MEM(all), GEMP_ARG(&e->segments),
	                         GEMP_EULER_MEM(segment_bounds), GEMP_ARG(&e->ranks), GEMP_EULER_MEM(links),
	                         GEMP_EULER_MEM(values));
}

/* Local. Each launch doubles the distance that a pointer in the list of posts leads (Wyllie 1979). */
static gemp_code rank_links(gemp_euler_state *e, cl_uint places)
{
	const cl_uint posts = (e->segments + EULER_STRIDE - 1) / EULER_STRIDE, total = (cl_uint)e->edges->edges;
	gemp_buffer *lists = e->on.lists;
	size_t from = 0;
	for (int i = 0; i < 2; i++)
		GEMP_TRY(gemp_euler_reserve(e, &lists[i], posts, sizeof(cl_uint2)));
	GEMP_TRY(GEMP_EULER_LAUNCH(POSTS, posts, GEMP_EULER_MEM(links), GEMP_ARG(&e->segments), GEMP_ARG(&places),
	                           GEMP_EULER_MEM(values), GEMP_ARG(&lists[0].mem), GEMP_ARG(&posts)));
	if (!places)
		GEMP_TRY(GEMP_EULER_LAUNCH(ALONE, e->segments, GEMP_EULER_MEM(links), GEMP_ARG(&e->segments),
		                           GEMP_EULER_MEM(values)));
	for (uint64_t reach = 1; reach < posts; reach *= 2, from = !from) {
		const gemp_argument arguments[] = { GEMP_ARG(&lists[from].mem), GEMP_ARG(&lists[!from].mem), GEMP_ARG(&posts) };
		GEMP_TRY(gemp_euler_launch(e, places ? GEMP_EULER_DOUBLE : GEMP_EULER_LEAST, posts, arguments, 3));
	}
	GEMP_TRY(GEMP_EULER_LAUNCH(VALUES, e->segments, GEMP_ARG(&lists[from].mem), GEMP_ARG(&places), GEMP_ARG(&total),
	                           GEMP_ARG(&e->segments), GEMP_EULER_MEM(values)));
	return GEMP_CL(clFinish(e->device->queue));
}

gemp_code gemp_euler_rank_segments(gemp_euler_state *e, bool places)
{
	GEMP_TRY(gemp_euler_deliver(e, copy_segments(e), &e->on.grouped, sizeof(cl_uint2), &e->on.all));
	gemp_code code = make_links(e);
	GEMP_THEN(rank_links(e, places));
	e->arrivals = 0;
	gemp_buffers_free(e->device, &e->on.all, &e->on.links);
	return gemp_comm_agree(e->comm, code);
}
