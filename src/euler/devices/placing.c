#include "euler/devices/placing.h"

#include "core/memory.h"
#include "core/threads.h"
#include "core/timer.h"
#include "device/transfer.h"
#include "euler/devices/records.h"

/* Local. The first edge of a circuit gets place 0. The closing edge of a path gets the last place, which no rank
 * owns. If this rank has the fixed slot, *place becomes its place from splitter 0 on. */
static gemp_code place_of_fixed(gemp_euler_state *e, uint64_t *place)
{
	const gemp_euler_edges *edges = e->edges;
	const gemp_edge fixed = edges->path_start == GEMP_NO_VERTEX ? 0 : edges->closing;
	const cl_uint is_splitter = (cl_uint)1 << 31;
	cl_uint slot[4], list[2];
	*place = 0;
	if (fixed == GEMP_NO_EDGE || fixed < edges->first || fixed - edges->first >= e->own)
		return GEMP_OK;
	GEMP_TRY(gemp_buffer_read(e->device, &e->on.slots, (fixed - edges->first) * sizeof slot, sizeof slot, slot));
	GEMP_TRY(gemp_buffer_read(e->device, &e->on.segment_bounds, 0, e->ranks * sizeof *e->table, e->table));
	const bool own = slot[1] & is_splitter;
	const cl_uint rank = own ? e->rank : (slot[1] - 1) % e->ranks,
				  k = own ? slot[1] - is_splitter : (slot[1] - 1) / e->ranks;
	GEMP_TRY(gemp_buffer_read(e->device, &e->on.values, (e->table[rank] + (size_t)k) * sizeof list, sizeof list, list));
	*place = list[0] + (own ? 0 : slot[2]);
	return GEMP_OK;
}

/* Local. */
static gemp_code new_order(gemp_euler_state *e)
{
	const gemp_euler_order *order = &e->out->order;
	for (size_t r = 0; r <= e->ranks; r++)
		e->table[r] = (cl_uint)gemp_chunk_begin(order->edges, e->ranks, r);
	GEMP_TRY(gemp_buffer_write(e->device, &e->on.place_bounds, 0, (e->ranks + (size_t)1) * sizeof *e->table, e->table));
	GEMP_TRY(gemp_euler_reserve(e, &e->on.order, order->count, sizeof(cl_uint)));
	return e->options->sources ? gemp_euler_reserve(e, &e->on.source, order->count, sizeof(cl_uint)) : GEMP_OK;
}

/* Local. Stages the slots begin .. begin + count - 1. */
static gemp_code stage_places(gemp_euler_state *e, cl_uint begin, cl_uint count, cl_uint shift)
{
	const cl_uint total = (cl_uint)e->edges->edges, places = (cl_uint)e->out->order.edges;
	GEMP_TRY(gemp_euler_stage_records(e, count));
	return GEMP_EULER_LAUNCH(PLACE, count, GEMP_EULER_MEM(slots), GEMP_ARG(&begin), GEMP_ARG(&count),
	                         GEMP_ARG(&e->first), GEMP_EULER_MEM(segment_bounds), GEMP_ARG(&e->ranks),
	                         GEMP_ARG(&e->rank), GEMP_EULER_MEM(values), GEMP_ARG(&total), GEMP_ARG(&shift),
	                         GEMP_ARG(&places), GEMP_EULER_MEM(place_bounds), GEMP_EULER_MEM(stage));
}

static gemp_code place_round(gemp_euler_state *e, gemp_code code, gemp_block_range part, cl_uint shift)
{
	const cl_uint words = e->options->sources ? 3 : 2, begin = (cl_uint)part.begin,
				  count = (cl_uint)(part.end - part.begin);
	GEMP_THEN(stage_places(e, begin, count, shift));
	GEMP_TRY(gemp_euler_send_records(e, code, count, words, false));
	const cl_uint arrivals = (cl_uint)e->arrivals;
	return GEMP_EULER_LAUNCH(ORDER, arrivals, GEMP_EULER_MEM(inbox), GEMP_ARG(&arrivals), GEMP_ARG(&words),
	                         GEMP_EULER_MEM(order), GEMP_EULER_MEM(source));
}

/* Local. */
static gemp_code download(gemp_euler_state *e)
{
	gemp_euler_order *order = &e->out->order;
	const double since = gemp_now();
	GEMP_TRY(GEMP_CL(clFinish(e->device->queue)));
	GEMP_TRY(gemp_transfer_download(e->device, &e->on.order, 0, (gemp_transfer_numbers){ .wide = order->edge },
	                                order->count));
	if (e->options->sources)
		GEMP_TRY(gemp_transfer_download(e->device, &e->on.source, 0, (gemp_transfer_numbers){ .narrow = order->source },
		                                order->count));
	e->out->download = gemp_now() - since;
	return GEMP_OK;
}

gemp_code gemp_euler_place(gemp_euler_state *e)
{
	const uint64_t total = e->edges->edges;
	const bool path = e->edges->path_start != GEMP_NO_VERTEX;
	uint64_t fixed = 0;
	gemp_code code = place_of_fixed(e, &fixed);
	GEMP_THEN(new_order(e));
	GEMP_TRY(gemp_comm_agree(e->comm, code));
	fixed = gemp_comm_sum1(e->comm, fixed);
	const cl_uint shift = (cl_uint)(((path ? total - 1 : 0) + total - fixed) % total);
	const uint64_t rounds = gemp_exchange_rounds(e->comm, e->own, e->in_flight);
	for (uint64_t round = 0; round < rounds; round++)
		code = place_round(e, code, gemp_exchange_round(round, e->own, e->in_flight), shift);
	GEMP_THEN(download(e));
	return gemp_comm_agree(e->comm, code);
}
