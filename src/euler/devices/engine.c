#include "euler/devices/engine.h"

#include "core/bitset.h"
#include "core/memory.h"
#include "core/timer.h"
#include "euler/devices/gathered.h"
#include "euler/devices/joining.h"
#include "euler/devices/pairing.h"
#include "euler/devices/placing.h"
#include "euler/devices/segments.h"
#include "primitive/toolbox.h"

#include <assert.h>
#include <inttypes.h>

/* The time of a stage is the time on this rank, with its exchange. The copies of the edges to the device and of the
 * order from it are counted separately. */

static void end_stage(gemp_euler_state *e, gemp_euler_stage stage, double *since)
{
	const double now = gemp_now();
	e->out->seconds[stage] += now - *since;
	*since = now;
}

/* A number of a splitter is its index times the ranks, and labels have a bit beside it. */
static bool numbers_suffice(const gemp_comm *comm, const gemp_euler_edges *edges)
{
	const uint64_t limit = gemp_min(UINT64_C(1) << 31, gemp_device_max()), ranks = (uint64_t)comm->size;
	uint64_t own = edges->begin[edges->rows];
	gemp_comm_max(comm, &own, 1);
	return edges->edges < limit && (own + 2) * ranks < limit;
}

bool gemp_euler_devices_suffice(const gemp_comm *comm, const gemp_device *device, const gemp_euler_edges *edges)
{
	return gemp_euler_gathering_suffices(comm, device, edges) || numbers_suffice(comm, edges);
}

/* Local. For drawings, keeps the circuits before joining, and the slots at which circuits are joined. */
static gemp_code keep_circuits(gemp_euler_state *e)
{
	gemp_euler_result *out = e->out;
	const cl_uint is_splitter = (cl_uint)1 << 31;
	GEMP_OWNED uint32_t *mark = NULL, *slots = NULL, *list = NULL, *bounds = NULL;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(mark, e->words), GEMP_ARRAY(slots, 4 * (size_t)e->own),
	                      GEMP_ARRAY(list, 2 * (size_t)e->segments), GEMP_ARRAY(bounds, e->ranks),
	                      GEMP_ARRAY(out->circuit, e->own), GEMP_ARRAY(out->joined, e->own)));
	GEMP_TRY(gemp_buffer_read(e->device, &e->on.mark, 0, e->words * sizeof *mark, mark));
	GEMP_TRY(gemp_buffer_read(e->device, &e->on.slots, 0, 4 * (size_t)e->own * sizeof *slots, slots));
	GEMP_TRY(gemp_buffer_read(e->device, &e->on.values, 0, 2 * (size_t)e->segments * sizeof *list, list));
	GEMP_TRY(gemp_buffer_read(e->device, &e->on.segment_bounds, 0, e->ranks * sizeof *bounds, bounds));
	for (size_t x = 0; x < e->own; x++) {
		const cl_uint label = slots[4 * x + 1];
		const size_t segment = label & is_splitter ? bounds[e->rank] + (label - is_splitter)
		                                           : bounds[(label - 1) % e->ranks] + (label - 1) / e->ranks;
		out->circuit[x] = list[2 * segment] + 1;
		out->joined[x] = gemp_bits32_test(mark, x);
	}
	return GEMP_OK;
}

/* Collective. Pairs the edges, finds their circuits and joins them. Stops early if the graph is unbalanced. */
static gemp_code make_circuits(gemp_euler_state *e, double *since)
{
	GEMP_TRY(gemp_euler_upload(e));
	gemp_euler_order_touch(&e->memory);
	end_stage(e, GEMP_EULER_FILL, since);
	e->out->seconds[GEMP_EULER_FILL] -= e->out->upload;
	GEMP_TRY(gemp_euler_pair(e));
	end_stage(e, GEMP_EULER_PAIR, since);
	if (e->out->unbalanced)
		return GEMP_OK;
	GEMP_TRY(gemp_euler_make_segments(e));
	end_stage(e, GEMP_EULER_WALK, since);
	if (e->overflow)
		return GEMP_OK;
	GEMP_TRY(gemp_euler_rank_segments(e, false));
	e->out->splitters = e->segments;
	end_stage(e, GEMP_EULER_CIRCUITS, since);
	GEMP_TRY(gemp_euler_join_circuits(e));
	if (e->options->keep_circuits)
		GEMP_TRY(gemp_comm_agree(e->comm, keep_circuits(e)));
	end_stage(e, GEMP_EULER_UNION, since);
	return GEMP_OK;
}

/* Collective. Ranks the only circuit and makes the order. */
static gemp_code order_circuit(gemp_euler_state *e, double *since)
{
	size_t changed = 0;
	GEMP_TRY(gemp_euler_list_changes(e, &changed));
	end_stage(e, GEMP_EULER_ROTATE, since);
	GEMP_TRY(gemp_euler_walk(e, changed, true, 0));
	end_stage(e, GEMP_EULER_REWALK, since);
	if (e->overflow)
		return GEMP_OK;
	GEMP_TRY(gemp_euler_rank_segments(e, true));
	end_stage(e, GEMP_EULER_RANK, since);
	gemp_euler_order_ready(&e->memory, e->out);
	GEMP_TRY(gemp_euler_place(e));
	end_stage(e, GEMP_EULER_EMIT, since);
	e->out->seconds[GEMP_EULER_EMIT] -= e->out->download;
	return GEMP_OK;
}

/* Local. Walkers are packed if the slot of any rank and twice the expected number of splitters fit. */
static void choose_packing(gemp_euler_state *e)
{
	uint64_t own = 1, labels = 2 * e->edges->edges / e->spacing + e->ranks;
	cl_uint slot_bits = 1;
	for (size_t r = 0; r < e->ranks; r++)
		own = gemp_max(own, e->slot_bounds[r + 1] - e->slot_bounds[r]);
	while (own >> slot_bits)
		slot_bits++;
	if (e->packed && labels >> (64 - EULER_DISTANCE_BITS - slot_bits) == 0)
		e->slot_bits = slot_bits;
}

/* Collective. Makes kernels, arrays and the exchange, before the clock starts. */
static gemp_code prepare(gemp_euler_state *e)
{
	GEMP_TRY(gemp_device_exchange_new(&e->exchange, e->comm, e->device));
	GEMP_TRY(gemp_comm_agree(e->comm, gemp_euler_state_new(e)));
	GEMP_MPI(MPI_Allgather(&e->edges->first, 1, MPI_UINT64_T, e->slot_bounds, 1, MPI_UINT64_T, e->comm->world));
	e->slot_bounds[e->ranks] = e->edges->edges;
	choose_packing(e);
	return gemp_device_exchange_reserve(e->exchange, gemp_min(e->in_flight, e->own) * 2 * sizeof(cl_uint));
}

static gemp_code run(gemp_euler_state *e)
{
	gemp_euler_result *out = e->out;
	GEMP_TRY(prepare(e));
	const double begun = gemp_now();
	double since = begun;
	GEMP_TRY(gemp_comm_agree(e->comm, gemp_euler_order_new(&e->memory, &out->order, e->edges, e->options->sources)));
	GEMP_TRY(make_circuits(e, &since));
	if (!out->unbalanced && !e->overflow && out->components == 1)
		GEMP_TRY(order_circuit(e, &since));
	gemp_euler_order_ready(&e->memory, out);
	out->total = gemp_now() - begun;
	out->traffic = gemp_device_exchange_costs(e->exchange).traffic;
	return gemp_comm_agree(e->comm, gemp_program_store(e->device, &e->program));
}

/* Makes one attempt, and frees everything except the result. *overflow: it must be repeated with walkers that are not
 * packed. */
static gemp_code attempt(gemp_euler_result *out, const gemp_comm *comm, gemp_device *device,
                         const gemp_euler_edges *edges, const gemp_euler_options *options, bool packed, bool *overflow)
{
	gemp_euler_state e = {
		.comm = comm, .device = device, .edges = edges, .options = options, .out = out, .packed = packed
	};
	*out = (gemp_euler_result){ .engine = "devices" };
	const gemp_code code = run(&e);
	clFinish(device->queue);
	gemp_background_wait(&e.memory.helper);
	gemp_euler_state_free(&e);
	gemp_device_exchange_free(e.exchange);
	*overflow = e.overflow;
	if (code != GEMP_OK || e.overflow)
		gemp_euler_result_free(out);
	return code;
}

/* Collective. All devices share the work. */
static gemp_code on_spread(gemp_euler_result *out, const gemp_comm *comm, gemp_device *device,
                           const gemp_euler_edges *edges, const gemp_euler_options *options)
{
	bool overflow = false;
	if (!numbers_suffice(comm, edges))
		return gemp_fail(GEMP_EUSAGE,
		                 "%" PRIu64 " edges on the devices of %d ranks: the edges of the largest rank times the ranks "
		                 "must be below 2^31 if they do not fit on one device; --on host takes more",
		                 edges->edges, comm->size);
	GEMP_TRY(attempt(out, comm, device, edges, options, true, &overflow));
	return overflow ? attempt(out, comm, device, edges, options, false, &overflow) : GEMP_OK;
}

gemp_code gemp_euler_on_devices(gemp_euler_result *out, const gemp_comm *comm, gemp_device *device,
                                const gemp_euler_edges *edges, const gemp_euler_options *options)
{
	assert(gemp_euler_edges_is_valid(edges));
	gemp_code code = GEMP_ENOMEM;
	*out = (gemp_euler_result){ .engine = "devices" };
	if (edges->edges == 0)
		return GEMP_OK;
	if (!options->keep_circuits && gemp_euler_gathering_suffices(comm, device, edges))
		code = gemp_euler_on_gathered(out, comm, device, edges, options);
	return code == GEMP_ENOMEM ? on_spread(out, comm, device, edges, options) : code;
}
