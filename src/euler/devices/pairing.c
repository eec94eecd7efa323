#include "euler/devices/pairing.h"

#include "core/timer.h"
#include "device/transfer.h"
#include "euler/devices/records.h"

/* Uploads the caller's arrays. They are only read, but the interface of transfers takes pointers that are not const,
 * because it serves both directions. */
static gemp_code upload(gemp_euler_state *e)
{
	const gemp_euler_edges *edges = e->edges;
	const cl_uint first_vertex = (cl_uint)edges->bounds[edges->rank];
	const gemp_transfer_numbers begin = { .wide = (uint64_t *)(uintptr_t)edges->begin };
	const gemp_transfer_numbers target = { .narrow = (uint32_t *)(uintptr_t)edges->target };
	GEMP_TRY(gemp_transfer_upload(e->device, &e->on.begin, begin, edges->rows + 1));
	GEMP_TRY(gemp_transfer_upload(e->device, &e->on.target, target, e->own));
	GEMP_TRY(gemp_euler_write_table(e, &e->on.vertex_bounds, edges->bounds));
	GEMP_TRY(gemp_euler_write_table(e, &e->on.slot_bounds, e->slot_bounds));
	GEMP_TRY(GEMP_EULER_LAUNCH(CURSORS, e->rows, GEMP_EULER_MEM(begin), GEMP_EULER_MEM(cursor), GEMP_ARG(&e->rows)));
	return GEMP_EULER_LAUNCH(SLOTS, e->own, GEMP_EULER_MEM(begin), GEMP_ARG(&e->rows), GEMP_ARG(&first_vertex),
	                         GEMP_EULER_MEM(slots), GEMP_ARG(&e->own));
}

gemp_code gemp_euler_upload(gemp_euler_state *e)
{
	const double since = gemp_now();
	const gemp_code code = upload(e);
	e->out->upload = gemp_now() - since;
	return gemp_comm_agree(e->comm, code);
}

/* Local. Pairs the edges begin .. begin + count - 1, or stages requests for their successors. */
static gemp_code pair_or_request(gemp_euler_state *e, cl_uint begin, cl_uint count)
{
	GEMP_TRY(gemp_euler_stage_records(e, count));
	return GEMP_EULER_LAUNCH(PAIRS, count, GEMP_EULER_MEM(target), GEMP_ARG(&begin), GEMP_ARG(&count),
	                         GEMP_EULER_MEM(vertex_bounds), GEMP_ARG(&e->ranks), GEMP_ARG(&e->rank),
	                         GEMP_EULER_MEM(cursor), GEMP_ARG(&e->first), GEMP_EULER_MEM(slots), GEMP_EULER_MEM(stage));
}

/* Local. Answers the requests that have arrived. */
static gemp_code answer(gemp_euler_state *e)
{
	const cl_uint arrivals = (cl_uint)e->arrivals;
	GEMP_TRY(gemp_euler_reserve(e, &e->on.answers, arrivals, sizeof(cl_uint)));
	return GEMP_EULER_LAUNCH(ANSWER, arrivals, GEMP_EULER_MEM(inbox), GEMP_ARG(&arrivals), GEMP_EULER_MEM(cursor),
	                         GEMP_ARG(&e->first), GEMP_EULER_MEM(answers));
}

static gemp_code pair_round(gemp_euler_state *e, gemp_code code, cl_uint begin, cl_uint count)
{
	GEMP_THEN(pair_or_request(e, begin, count));
	GEMP_TRY(gemp_euler_send_records(e, code, count, 1, true));
	GEMP_TRY(gemp_euler_reply_words(e, answer(e)));
	const cl_uint sent = (cl_uint)e->sent;
	return GEMP_EULER_LAUNCH(LINK, sent, GEMP_EULER_MEM(tags), GEMP_EULER_MEM(grouped), GEMP_ARG(&sent),
	                         GEMP_EULER_MEM(slots));
}

/* Local. */
static gemp_code check(gemp_euler_state *e)
{
	GEMP_TRY(GEMP_EULER_LAUNCH(CHECK, e->rows, GEMP_EULER_MEM(begin), GEMP_EULER_MEM(cursor), GEMP_ARG(&e->rows),
	                           GEMP_EULER_MEM(counters)));
	return gemp_euler_read_counters(e);
}

/* The rank with the most edges decides the number of rounds. */
static gemp_code pair_by_requests(gemp_euler_state *e)
{
	gemp_code code = GEMP_OK;
	const uint64_t rounds = gemp_exchange_rounds(e->comm, e->own, e->in_flight);
	for (uint64_t round = 0; round < rounds; round++) {
		const gemp_block_range part = gemp_exchange_round(round, e->own, e->in_flight);
		code = pair_round(e, code, (cl_uint)part.begin, (cl_uint)(part.end - part.begin));
	}
	GEMP_THEN(check(e));
	return code;
}

/* Local. Counts this rank's edges to each vertex of all ranks. */
static gemp_code tally(gemp_euler_state *e)
{
	const gemp_euler_edges *edges = e->edges;
	gemp_buffer *counts = &e->on.grouped;
	GEMP_TRY(gemp_euler_reserve(e, counts, edges->vertices, sizeof(cl_uint)));
	GEMP_TRY(gemp_buffer_zero(e->device, counts, 0, edges->vertices * sizeof(cl_uint)));
	for (size_t r = 0; r < e->ranks; r++)
		e->send[r] = edges->bounds[r + 1] - edges->bounds[r];
	return GEMP_EULER_LAUNCH(TALLY, e->own, GEMP_EULER_MEM(target), GEMP_ARG(&e->own), GEMP_EULER_MEM(grouped));
}

/* The owner of a vertex divides its slots among the ranks, in their order. */
static gemp_code pair_by_counts(gemp_euler_state *e)
{
	const size_t size = sizeof(cl_uint);
	GEMP_TRY(gemp_euler_deliver(e, tally(e), &e->on.grouped, size, &e->on.inbox));
	const gemp_code code = GEMP_EULER_LAUNCH(DIVIDE, e->rows, GEMP_EULER_MEM(begin), GEMP_ARG(&e->rows),
	                                         GEMP_ARG(&e->ranks), GEMP_ARG(&e->first), GEMP_EULER_MEM(inbox),
	                                         GEMP_EULER_MEM(counters));
	GEMP_TRY(gemp_device_exchange_back(e->exchange, code, &e->on.inbox, size, &e->on.grouped));
	GEMP_TRY(GEMP_EULER_LAUNCH(ASSIGN, e->own, GEMP_EULER_MEM(target), GEMP_ARG(&e->own), GEMP_EULER_MEM(grouped),
	                           GEMP_EULER_MEM(slots)));
	return gemp_euler_read_counters(e);
}

/* Counts take 8 bytes for each vertex of all ranks, and requests 8 bytes for each edge to another rank. Counts of all
 * vertices fit into the memory that a rank has for its slots. The arrays of this step are freed at its end. */
gemp_code gemp_euler_pair(gemp_euler_state *e)
{
	const bool many_edges = e->edges->vertices * e->ranks <= e->edges->edges;
	GEMP_TRY(gemp_comm_agree(e->comm, many_edges ? pair_by_counts(e) : pair_by_requests(e)));
	e->out->unbalanced = gemp_comm_sum1(e->comm, e->counters[EULER_UNBALANCED]);
	gemp_buffers_free(e->device, &e->on.target, &e->on.begin, &e->on.cursor);
	e->arrivals = 0;
	return GEMP_OK;
}
