#include "euler/devices/gathered.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/timer.h"
#include "device/launch.h"
#include "device/program.h"
#include "device/transfer.h"
#include "euler/device_engine.h"
#include "euler/order_memory.h"
#include "primitive/device_exchange.h"

enum { MAX_RANKS = 8, ITEMS_PER_UNIT = 2048, WORD_BITS = 32 };

typedef struct gathering {
	const gemp_comm *comm;
	gemp_device *device;
	const gemp_euler_edges *edges;
	const gemp_euler_options *options;
	gemp_euler_result *out;
	gemp_device_exchange *exchange;
	gemp_program program;
	cl_kernel pack, unpack;
	gemp_euler_solver *solver; /* on rank 0 */
	uint64_t *rows, *slots;    /* [ranks + 1] the first row and the first slot of each rank, and the end */
	uint64_t *send, *received; /* [ranks] words */
	gemp_buffer begin, target; /* on other ranks: their edges, and later their part of the order */
	gemp_buffer packed, inbox;
	cl_uint row_bits, slot_bits; /* of a vertex, and of a slot or the end of the slots */
	gemp_euler_order_memory memory;
	uint64_t cut;
} gathering;

static bool is_root(const gathering *g)
{
	return g->comm->rank == 0;
}

bool gemp_euler_gathering_suffices(const gemp_comm *comm, const gemp_device *device, const gemp_euler_edges *edges)
{
	const int chosen = gemp_limits_now()->euler_gathered;
	const uint64_t gpus = gemp_comm_sum1(comm, device && device->gpu);
	return comm->size <= MAX_RANKS && edges->edges <= gemp_euler_device_edges() &&
	       (chosen < 0 ? gpus == (uint64_t)comm->size : chosen);
}

/* The number of bits of a number up to `most`. */
static cl_uint bits_of(uint64_t most)
{
	cl_uint bits = 1;
	while (most >> bits)
		bits++;
	return bits;
}

static cl_uint words_of(uint64_t count, cl_uint bits)
{
	return (cl_uint)((count * bits + WORD_BITS - 1) / WORD_BITS);
}

/* PACKED NUMBERS */

static gemp_code launch(const gathering *g, cl_kernel kernel, size_t work, const gemp_argument *arguments, size_t count)
{
	return gemp_launch_with(g->device, kernel, gemp_min(work, g->device->units * (size_t)ITEMS_PER_UNIT), 0, arguments,
	                        count);
}

/* Local. Packs `count` of the `size` numbers, from index `first` on. *at, a word of g->packed, moves behind them. */
static gemp_code pack(const gathering *g, const gemp_buffer *from, size_t size, uint64_t first, uint64_t count,
                      cl_uint bits, cl_ulong *at)
{
	const cl_uint all = (cl_uint)size, begin = (cl_uint)first, numbers = (cl_uint)count, words = words_of(count, bits);
	const gemp_argument arguments[] = { GEMP_ARG(&from->mem), GEMP_ARG(&all),  GEMP_ARG(&begin),
		                                GEMP_ARG(&numbers),   GEMP_ARG(&bits), GEMP_ARG(&g->packed.mem),
		                                GEMP_ARG(at),         GEMP_ARG(&words) };
	GEMP_TRY(launch(g, g->pack, words, arguments, 8));
	*at += words;
	return GEMP_OK;
}

/* Local. The inverse, from word *at of g->inbox. */
static gemp_code unpack(const gathering *g, const gemp_buffer *to, uint64_t first, uint64_t count, cl_uint bits,
                        cl_ulong *at)
{
	const cl_uint begin = (cl_uint)first, numbers = (cl_uint)count;
	const gemp_argument arguments[] = { GEMP_ARG(&g->inbox.mem), GEMP_ARG(at),     GEMP_ARG(&bits),
		                                GEMP_ARG(&to->mem),      GEMP_ARG(&begin), GEMP_ARG(&numbers) };
	GEMP_TRY(launch(g, g->unpack, count, arguments, 6));
	*at += words_of(count, bits);
	return GEMP_OK;
}

/* EDGES */

static uint64_t rows_of(const gathering *g, size_t r)
{
	return g->rows[r + 1] - g->rows[r];
}

static uint64_t slots_of(const gathering *g, size_t r)
{
	return g->slots[r + 1] - g->slots[r];
}

/* The words that another rank sends of its edges. */
static uint64_t words_of_edges(const gathering *g, size_t r)
{
	return (uint64_t)words_of(rows_of(g, r), g->slot_bits) + words_of(slots_of(g, r), g->row_bits);
}

/* The begins of own rows, as slots of all ranks. */
static void number_rows(const void *self, uint32_t *to, size_t begin, size_t end)
{
	const gemp_euler_edges *edges = self;
	for (size_t row = begin; row < end; row++)
		to[row - begin] = (uint32_t)(edges->first + edges->begin[row]);
}

/* Local. Rank 0 copies its edges to where the solver reads them. */
static gemp_code upload(gathering *g)
{
	const gemp_euler_edges *edges = g->edges;
	const gemp_transfer_numbers target = { .narrow = (uint32_t *)(uintptr_t)edges->target };
	const cl_uint end = (cl_uint)edges->edges;
	const gemp_buffer *begins = &g->begin, *targets = &g->target;
	const double since = gemp_now();
	if (is_root(g)) {
		const gemp_euler_solver_arrays on = gemp_euler_solver_see(g->solver);
		begins = on.begin;
		targets = on.target;
		GEMP_TRY(gemp_buffer_write(g->device, begins, edges->vertices * sizeof end, sizeof end, &end));
	}
	GEMP_TRY(gemp_transfer_make(g->device, begins, number_rows, edges, edges->rows));
	GEMP_TRY(gemp_transfer_upload(g->device, targets, target, edges->begin[edges->rows]));
	g->out->upload = gemp_now() - since;
	return GEMP_OK;
}

/* Local. Packs the edges of another rank than rank 0. */
static gemp_code pack_edges(gathering *g)
{
	const size_t rank = (size_t)g->comm->rank;
	cl_ulong at = 0;
	for (int r = 0; r < g->comm->size; r++)
		g->send[r] = 0;
	if (is_root(g))
		return GEMP_OK;
	g->send[0] = words_of_edges(g, rank);
	GEMP_TRY(pack(g, &g->begin, rows_of(g, rank), 0, rows_of(g, rank), g->slot_bits, &at));
	return pack(g, &g->target, slots_of(g, rank), 0, slots_of(g, rank), g->row_bits, &at);
}

/* Local. */
static gemp_code unpack_edges(gathering *g)
{
	cl_ulong at = 0;
	if (!is_root(g))
		return GEMP_OK;
	const gemp_euler_solver_arrays on = gemp_euler_solver_see(g->solver);
	for (size_t r = 1; r < (size_t)g->comm->size; r++) {
		GEMP_TRY(unpack(g, on.begin, g->rows[r], rows_of(g, r), g->slot_bits, &at));
		GEMP_TRY(unpack(g, on.target, g->slots[r], slots_of(g, r), g->row_bits, &at));
	}
	return GEMP_CL(clFinish(g->device->queue));
}

/* Collective. */
static gemp_code gather_edges(gathering *g, gemp_code code)
{
	GEMP_THEN(upload(g));
	GEMP_THEN(pack_edges(g));
	GEMP_TRY(gemp_device_exchange_run(g->exchange, code, &g->packed, g->send, sizeof(cl_uint), &g->inbox, g->received));
	return unpack_edges(g);
}

/* CIRCUIT */

/* Collective. All ranks get the result of rank 0. */
static gemp_code solve(gathering *g, gemp_code code)
{
	gemp_euler_result *out = g->out;
	GEMP_THEN(is_root(g) ? gemp_euler_solver_run(g->solver, out) : GEMP_OK);
	GEMP_TRY(gemp_comm_agree(g->comm, code));
	uint64_t found[] = { out->unbalanced, out->circuits,  out->joins,
		                 out->components, out->splitters, is_root(g) ? gemp_euler_solver_see(g->solver).cut : 0 };
	gemp_comm_sum(g->comm, found, 6);
	out->unbalanced = found[0];
	out->circuits = found[1];
	out->joins = found[2];
	out->components = found[3];
	out->splitters = found[4];
	g->cut = found[5];
	gemp_euler_order_ready(&g->memory, out);
	return GEMP_OK;
}

/* ORDER */

static uint64_t places_of(const gathering *g, size_t r)
{
	const size_t ranks = (size_t)g->comm->size, places = g->out->order.edges;
	return gemp_chunk_begin(places, ranks, r + 1) - gemp_chunk_begin(places, ranks, r);
}

static uint64_t words_of_places(const gathering *g, size_t r)
{
	return (uint64_t)words_of(places_of(g, r), g->slot_bits) +
	       (g->options->sources ? words_of(places_of(g, r), g->row_bits) : 0);
}

/* Local. Rank 0 packs the places of the other ranks. */
static gemp_code pack_places(gathering *g)
{
	const size_t slots = g->edges->edges, ranks = (size_t)g->comm->size;
	size_t words = 0;
	cl_ulong at = 0;
	for (size_t r = 0; r < ranks; words += g->send[r++])
		g->send[r] = r && is_root(g) ? words_of_places(g, r) : 0;
	if (!is_root(g))
		return GEMP_OK;
	const gemp_euler_solver_arrays on = gemp_euler_solver_see(g->solver);
	GEMP_TRY(gemp_buffer_reserve(&g->packed, g->device, words * sizeof(cl_uint)));
	for (size_t r = 1; r < ranks; r++) {
		const uint64_t first = (g->cut + gemp_chunk_begin(g->out->order.edges, ranks, r)) % slots;
		GEMP_TRY(pack(g, on.order, slots, first, places_of(g, r), g->slot_bits, &at));
		if (g->options->sources)
			GEMP_TRY(pack(g, on.source, slots, first, places_of(g, r), g->row_bits, &at));
	}
	return GEMP_OK;
}

/* Local. Reads the places of another rank than rank 0. */
static gemp_code take_places(gathering *g)
{
	const gemp_euler_order *order = &g->out->order;
	cl_ulong at = 0;
	GEMP_TRY(gemp_buffer_reserve(&g->target, g->device, order->count * sizeof(cl_uint)));
	GEMP_TRY(unpack(g, &g->target, 0, order->count, g->slot_bits, &at));
	GEMP_TRY(GEMP_CL(clFinish(g->device->queue)));
	GEMP_TRY(
		gemp_transfer_download(g->device, &g->target, 0, (gemp_transfer_numbers){ .wide = order->edge }, order->count));
	if (!order->source)
		return GEMP_OK;
	GEMP_TRY(unpack(g, &g->target, 0, order->count, g->row_bits, &at));
	GEMP_TRY(GEMP_CL(clFinish(g->device->queue)));
	return gemp_transfer_download(g->device, &g->target, 0, (gemp_transfer_numbers){ .narrow = order->source },
	                              order->count);
}

/* Collective. */
static gemp_code deliver_places(gathering *g, gemp_code code)
{
	GEMP_THEN(pack_places(g));
	GEMP_TRY(gemp_device_exchange_run(g->exchange, code, &g->packed, g->send, sizeof(cl_uint), &g->inbox, g->received));
	const double since = gemp_now();
	code = is_root(g) ? gemp_euler_solver_download(g->solver, &g->out->order) : take_places(g);
	g->out->download = gemp_now() - since;
	return gemp_comm_agree(g->comm, code);
}

/* THE WHOLE */

/* Local. Rank 0 makes the arrays of the solver, and the other ranks those of their edges. */
static gemp_code new_arrays(gathering *g, uint64_t closing)
{
	const gemp_euler_edges *edges = g->edges;
	const size_t ranks = (size_t)g->comm->size, word = sizeof(cl_uint);
	const gemp_euler_edges all = { .ranks = 1,
		                           .vertices = edges->vertices,
		                           .rows = edges->vertices,
		                           .edges = edges->edges,
		                           .closing = closing,
		                           .path_start = edges->path_start,
		                           .path_end = edges->path_end };
	const gemp_kernel_entry entries[] = { { "gather_pack", &g->pack }, { "gather_unpack", &g->unpack } };
	uint64_t words = 0;
	GEMP_TRY(gemp_program_build_list(&g->program, g->device, "euler_gather.cl", "", entries, 2));
	if (!is_root(g)) {
		GEMP_TRY(gemp_buffer_reserve(&g->begin, g->device, (edges->rows + 1) * word));
		GEMP_TRY(gemp_buffer_reserve(&g->target, g->device, (edges->begin[edges->rows] + 1) * word));
		return gemp_buffer_reserve(&g->packed, g->device, (words_of_edges(g, (size_t)g->comm->rank) + 1) * word);
	}
	for (size_t r = 1; r < ranks; r++)
		words += words_of_edges(g, r);
	GEMP_TRY(gemp_euler_solver_new(&g->solver, g->device, &all, g->options));
	GEMP_TRY(gemp_buffer_reserve(&g->packed, g->device, word));
	return gemp_buffer_reserve(&g->inbox, g->device, (words + 1) * word);
}

/* The bytes that this rank sends in one exchange: rank 0 sends nearly all places. */
static size_t most_sent(const gathering *g)
{
	const size_t ranks = (size_t)g->comm->size, numbers = g->options->sources ? 2 : 1;
	return sizeof(cl_uint) *
	       (is_root(g) ? g->edges->edges / ranks * (ranks - 1) * numbers : words_of_edges(g, (size_t)g->comm->rank));
}

/* Collective. Everything before the clock starts. */
static gemp_code prepare(gathering *g)
{
	const gemp_euler_edges *edges = g->edges;
	const size_t ranks = (size_t)g->comm->size;
	uint64_t closing = edges->closing == GEMP_NO_EDGE ? 0 : edges->closing + 1;
	gemp_code code = gemp_new_all(GEMP_ARRAY(g->rows, ranks + 1), GEMP_ARRAY(g->slots, ranks + 1),
	                              GEMP_ARRAY(g->send, ranks), GEMP_ARRAY(g->received, ranks));
	GEMP_TRY(gemp_comm_agree(g->comm, code));
	GEMP_TRY(gemp_device_exchange_new(&g->exchange, g->comm, g->device));
	GEMP_MPI(MPI_Allgather(&edges->first, 1, MPI_UINT64_T, g->slots, 1, MPI_UINT64_T, g->comm->world));
	gemp_comm_max(g->comm, &closing, 1);
	g->slots[ranks] = edges->edges;
	for (size_t r = 0; r <= ranks; r++)
		g->rows[r] = edges->bounds[r];
	g->row_bits = bits_of(edges->vertices - 1);
	g->slot_bits = bits_of(edges->edges);
	GEMP_TRY(gemp_comm_agree(g->comm, new_arrays(g, closing ? closing - 1 : GEMP_NO_EDGE)));
	return gemp_device_exchange_reserve(g->exchange, most_sent(g));
}

/* The exchanges count as parts of the stages `fill` and `emit`. */
static gemp_code run(gathering *g)
{
	gemp_euler_result *out = g->out;
	const double begun = gemp_now();
	gemp_code code = gemp_euler_order_new(&g->memory, &out->order, g->edges, g->options->sources);
	code = gather_edges(g, code);
	if (code == GEMP_OK)
		gemp_euler_order_touch(&g->memory);
	const double gathered = gemp_now();
	GEMP_TRY(solve(g, code));
	out->seconds[GEMP_EULER_FILL] += gathered - begun - out->upload;
	const double since = gemp_now();
	if (out->order.edges)
		code = deliver_places(g, code);
	out->total = gemp_now() - begun;
	out->seconds[GEMP_EULER_EMIT] += gemp_now() - since - out->download;
	out->traffic = gemp_device_exchange_costs(g->exchange).traffic;
	GEMP_THEN(gemp_program_store(g->device, &g->program));
	return gemp_comm_agree(g->comm, code);
}

gemp_code gemp_euler_on_gathered(gemp_euler_result *out, const gemp_comm *comm, gemp_device *device,
                                 const gemp_euler_edges *edges, const gemp_euler_options *options)
{
	gathering g = { .comm = comm, .device = device, .edges = edges, .options = options, .out = out };
	*out = (gemp_euler_result){ .engine = "devices" };
	gemp_code code = prepare(&g);
	GEMP_THEN(run(&g));
	clFinish(device->queue);
	gemp_background_wait(&g.memory.helper);
	gemp_euler_solver_free(g.solver);
	gemp_kernels_free(&g.pack, &g.unpack);
	gemp_program_free(&g.program);
	gemp_buffers_free(device, &g.begin, &g.target, &g.packed, &g.inbox);
	gemp_device_exchange_free(g.exchange);
	gemp_free_all(g.rows, g.slots, g.send, g.received);
	if (code != GEMP_OK)
		gemp_euler_result_free(out);
	return code;
}
