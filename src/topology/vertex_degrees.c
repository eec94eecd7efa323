/* Out-degrees are the lengths of the rows by source. In-degrees are counted at the targets: on a device by atomic
 * additions, and on the host by all threads. Targets that other ranks own are sent to them in rounds. If rows by target
 * are loaded, their lengths are the in-degrees. The histogram counts vertices by the powers of two of their degrees. */

#include "topology/vertex_degrees.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"
#include "core/timer.h"
#include "device/launch.h"
#include "device/transfer.h"

#include <stdatomic.h>
#include <stddef.h>

enum { HOST_BELOW = 1 << 26 };

/* The counters on a device. There is one launch for each edge type. */
typedef struct device_state {
	gemp_device *device;
	gemp_vertex_degrees *out;
	cl_kernel kernel;
	gemp_buffer in;
	gemp_timings timings;
} device_state;

/* A device takes fewer than 2^32 - 1 edges, since its counters have 32 bits. */
static bool choose_device(const gemp_device *device, const gemp_csr *csr, size_t count, gemp_placement place)
{
	uint64_t edges = gemp_csr_all_edges(csr, count);
	return count && csr->rows && edges < UINT32_MAX &&
	       gemp_use_device(device, place, edges + csr->rows, "degrees.host_below", HOST_BELOW);
}

/* Counts the targets of one edge type by atomic additions. */
static gemp_code count_type(device_state *w, const gemp_csr *csr)
{
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer target = { 0 };
	const cl_ulong edges = gemp_csr_edges(csr);
	const cl_uint first = csr->first;
	const gemp_device_grid grid = gemp_device_grid_over(w->device, (size_t)edges);
	if (!edges)
		return GEMP_OK;
	double since = gemp_now();
	GEMP_TRY(gemp_device_targets_new(&target, w->device, csr->target, (size_t)edges));
	w->out->transfers += gemp_now() - since;
	GEMP_TRY(gemp_launch_timed(&w->timings, w->device, w->kernel, grid.items, grid.group, GEMP_ARG(&target.mem),
	                           GEMP_ARG(&edges), GEMP_ARG(&first), GEMP_ARG(&w->in.mem)));
	return GEMP_CL(clFinish(w->device->queue));
}

/* Adds the device's counters of 32 bits to in[]. */
static gemp_code read_counts(device_state *w)
{
	GEMP_OWNED uint32_t *counts = NULL;
	size_t rows = w->out->rows;
	double since = gemp_now();
	GEMP_TRY(GEMP_NEW(counts, rows));
	GEMP_TRY(GEMP_CL(clFinish(w->device->queue)));
	GEMP_TRY(gemp_transfer_download(w->device, &w->in, 0, (gemp_transfer_numbers){ .narrow = counts }, rows));
	w->out->transfers += gemp_now() - since;
	for (size_t row = 0; row < rows; row++)
		w->out->in[row] += counts[row];
	return GEMP_OK;
}

static void free_device_state(device_state *w)
{
	gemp_timings_free(&w->timings);
	gemp_kernels_free(&w->kernel);
	gemp_buffer_free(&w->in, w->device);
}

/* Adds to in[], and sets on_device, seconds and transfers. All edges lead to own vertices. */
static gemp_code count_on_device(gemp_vertex_degrees *out, gemp_device *device, const gemp_csr *csr, size_t count)
{
	GEMP_OWNED_BY(gemp_program_free) gemp_program program = { 0 };
	GEMP_OWNED_BY(free_device_state) device_state w = { .device = device, .out = out };
	const gemp_device_csr any = { .device = device };
	size_t size = out->rows * sizeof(cl_uint);
	out->on_device = true;
	GEMP_TRY(gemp_device_csr_program(&program, &any, "degrees.cl", NULL, { "degrees_in", &w.kernel }));
	GEMP_TRY(gemp_buffer_new(&w.in, device, size, NULL));
	GEMP_TRY(gemp_buffer_zero(device, &w.in, 0, size));
	for (size_t c = 0; c < count; c++)
		GEMP_TRY(count_type(&w, &csr[c]));
	GEMP_TRY(read_counts(&w));
	GEMP_TRY(gemp_timings_seconds(&w.timings, &out->seconds));
	return gemp_program_store(device, &program);
}

/* The edges of one type, while they are counted at their targets. */
typedef struct target_count {
	const gemp_comm *comm;
	const uint64_t *bounds;
	const gemp_csr *csr;
	gemp_vertex_degrees *degrees;
	gemp_vertex *remote; /* [step] targets of one round that other ranks own */
	int *owner;          /* [step] owner of each remote target */
	_Atomic size_t remote_count;
	gemp_block_range own; /* edges of this round */
} target_count;

void gemp_vertex_degrees_free(gemp_vertex_degrees *degrees)
{
	gemp_free_all(degrees->out, degrees->in);
	degrees->out = degrees->in = NULL;
}

/* Atomic, since several threads may count the same target. */
static void add_one(uint64_t *counter)
{
	atomic_fetch_add_explicit((_Atomic uint64_t *)counter, 1, memory_order_relaxed);
}

/* Counts own targets, and lists other targets for their owners. */
static void count_range(void *context, size_t begin, size_t end)
{
	target_count *c = context;
	const gemp_csr *csr = c->csr;
	for (uint64_t at = c->own.begin + begin; at < c->own.begin + end; at++) {
		gemp_vertex row = csr->target[at] - csr->first;
		if (row < csr->rows)
			add_one(&c->degrees->in[row]);
		else {
			size_t place = atomic_fetch_add(&c->remote_count, 1);
			c->remote[place] = csr->target[at];
			c->owner[place] = (int)gemp_range_find(c->bounds, (size_t)c->comm->size, csr->target[at]);
		}
	}
}

/* Collective. Sends remote targets to their owners, which count them. */
static gemp_code count_remote(target_count *c)
{
	GEMP_OWNED void *came = NULL;
	GEMP_OWNED size_t *from = NULL;
	size_t count = atomic_load(&c->remote_count);
	GEMP_TRY(gemp_exchange_records(c->comm, GEMP_OK, c->remote, count, sizeof *c->remote, c->owner, &came, &from,
	                               &c->degrees->traffic));
	for (size_t i = 0; i < from[c->comm->size]; i++)
		c->degrees->in[((gemp_vertex *)came)[i] - c->degrees->first]++;
	return GEMP_OK;
}

/* Collective. A single rank counts all edges in one round. With several ranks rounds bound the memory for remote
 * targets. */
static gemp_code count_edges(target_count *c)
{
	uint64_t edges = gemp_csr_edges(c->csr), step = c->comm->size == 1 ? edges + 1 : gemp_limits_now()->degrees_round;
	for (uint64_t round = 0, rounds = gemp_exchange_rounds(c->comm, edges, step); round < rounds; round++) {
		c->own = gemp_exchange_round(round, edges, step);
		atomic_store(&c->remote_count, 0);
		gemp_for_elements((size_t)(c->own.end - c->own.begin), count_range, c);
		if (c->comm->size > 1)
			GEMP_TRY(count_remote(c));
	}
	return GEMP_OK;
}

/* The caller frees *out, even after a failure. */
static gemp_code allocate_degrees(gemp_vertex_degrees *out, size_t rows, gemp_vertex first)
{
	*out = (gemp_vertex_degrees){ .rows = rows, .first = first };
	return gemp_new_all(GEMP_ARRAY(out->out, rows), GEMP_ARRAY(out->in, rows));
}

/* Adds the lengths of rows to degree[]. */
static void add_rows(uint64_t *degree, const uint64_t *begin, size_t rows)
{
	for (size_t row = 0; row < rows; row++)
		degree[row] += begin[row + 1] - begin[row];
}

/* Collective. Counts one edge type after the other. */
static gemp_code count_types(target_count *c, const gemp_csr *csr, size_t count)
{
	double since = gemp_now();
	for (size_t i = 0; i < count; i++) {
		c->csr = &csr[i];
		GEMP_TRY(count_edges(c));
	}
	c->degrees->seconds = gemp_now() - since;
	return GEMP_OK;
}

/* Buffers for remote targets are needed only with several ranks. */
gemp_code gemp_vertex_degrees_new(gemp_vertex_degrees *out, const gemp_comm *comm, gemp_device *device,
                                  gemp_placement place, const uint64_t *bounds, const gemp_csr *csr, size_t count)
{
	target_count c = { .comm = comm, .bounds = bounds, .degrees = out };
	uint64_t edges = gemp_csr_all_edges(csr, count);
	size_t room = comm->size == 1 ? 0 : gemp_min((size_t)edges, gemp_limits_now()->degrees_round);
	gemp_code code = allocate_degrees(out, (size_t)(bounds[comm->rank + 1] - bounds[comm->rank]),
	                                  (gemp_vertex)bounds[comm->rank]);
	GEMP_THEN(gemp_new_all(GEMP_ARRAY(c.remote, room), GEMP_ARRAY(c.owner, room)));
	GEMP_TRY_DONE(gemp_comm_agree(comm, code));
	for (size_t i = 0; i < count; i++)
		add_rows(out->out, csr[i].begin, csr[i].rows);
	if (comm->size == 1 && choose_device(device, csr, count, place))
		GEMP_TRY_DONE(count_on_device(out, device, csr, count));
	else
		GEMP_TRY_DONE(count_types(&c, csr, count));
done:
	gemp_free_all(c.remote, c.owner);
	if (code != GEMP_OK)
		gemp_vertex_degrees_free(out);
	return code;
}

/* Collective. Rows by target are loaded, so in-degrees need no exchange. */
static gemp_code add_loaded(gemp_vertex_degrees *out, const gemp_comm *comm, const gemp_shard *graph,
                            const bool *relations)
{
	gemp_code code = gemp_comm_agree(comm, allocate_degrees(out, graph->rows, (gemp_vertex)graph->first_vertex));
	for (size_t r = 0; r < graph->relation_count && code == GEMP_OK; r++)
		if (!relations || relations[r]) {
			add_rows(out->out, graph->relations[r].out_offsets, graph->rows);
			add_rows(out->in, graph->relations[r].in_offsets, graph->rows);
		}
	if (code != GEMP_OK)
		gemp_vertex_degrees_free(out);
	return code;
}

/* Either all ranks have loaded rows by target or none has, so all ranks take the same branch. */
gemp_code gemp_vertex_degrees_of_graph(gemp_vertex_degrees *out, const gemp_comm *comm, const gemp_shard *graph,
                                       const bool *relations)
{
	bool loaded = true;
	GEMP_OWNED gemp_csr *csr = NULL;
	size_t count = 0;
	for (size_t r = 0; r < graph->relation_count; r++)
		loaded &= (relations && !relations[r]) || (graph->relations[r].loaded & GEMP_LOAD_IN) != 0;
	if (loaded)
		return add_loaded(out, comm, graph, relations);
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(csr, graph->relation_count)));
	for (size_t r = 0; r < graph->relation_count; r++)
		if (!relations || relations[r])
			csr[count++] = gemp_csr_out(graph, r);
	return gemp_vertex_degrees_new(out, comm, NULL, GEMP_PLACE_HOST, graph->bounds, csr, count);
}

/* Counts own vertices. `start` and `end` become the first vertices of more_out and of more_in. */
static void count_kinds(gemp_degree_summary *own, const gemp_vertex_degrees *degrees)
{
	for (size_t row = 0; row < degrees->rows; row++) {
		uint64_t out = degrees->out[row], in = degrees->in[row];
		gemp_vertex id = degrees->first + (gemp_vertex)row;
		own->isolated += !out && !in;
		own->sources += out && !in;
		own->sinks += in && !out;
		own->balanced += in == out;
		own->more_out += out > in;
		own->more_in += in > out;
		own->surplus += out > in ? out - in : 0;
		own->max_out = gemp_max(out, own->max_out);
		own->max_in = gemp_max(in, own->max_in);
		if (out > in && own->start == GEMP_NO_VERTEX)
			own->start = id;
		if (in > out && own->end == GEMP_NO_VERTEX)
			own->end = id;
	}
}

/* The counts before max_out are 64-bit numbers without padding, so one reduction sums all of them. Minima are
 * complemented, so one reduction by maximum finds all four extremes. */
void gemp_degree_summary_count(gemp_degree_summary *out, const gemp_comm *comm, const gemp_vertex_degrees *degrees)
{
	*out = (gemp_degree_summary){ .vertices = degrees->rows, .start = GEMP_NO_VERTEX, .end = GEMP_NO_VERTEX };
	count_kinds(out, degrees);
	uint64_t most[] = { out->max_out, out->max_in, GEMP_NO_VERTEX - out->start, GEMP_NO_VERTEX - out->end };
	gemp_comm_sum(comm, &out->vertices, (int)(offsetof(gemp_degree_summary, max_out) / sizeof out->vertices));
	gemp_comm_max(comm, most, 4);
	out->max_out = most[0];
	out->max_in = most[1];
	out->start = (gemp_vertex)(GEMP_NO_VERTEX - most[2]);
	out->end = (gemp_vertex)(GEMP_NO_VERTEX - most[3]);
}

/* The class of a degree is its number of bits: class k > 0 has the degrees from 2^(k-1) to 2^k - 1. */
int gemp_degrees_class(uint64_t degree)
{
	return degree ? 64 - __builtin_clzll(degree) : 0;
}

/* Out- and in-degrees have separate histograms, since many graphs have hubs in one direction only. */
void gemp_degrees_directed(gemp_degree_histogram *out, const gemp_comm *comm, const gemp_vertex_degrees *degrees)
{
	out->directed = true;
	gemp_degree_summary_count(&out->kinds, comm, degrees);
	for (size_t row = 0; row < degrees->rows; row++) {
		out->out[gemp_degrees_class(degrees->out[row])]++;
		out->in[gemp_degrees_class(degrees->in[row])]++;
	}
	gemp_comm_sum(comm, out->out, GEMP_DEGREE_CLASSES);
	gemp_comm_sum(comm, out->in, GEMP_DEGREE_CLASSES);
}

/* Collective. Counts the edges of directed relations, whose rows are loaded. */
static gemp_code count_directed(gemp_degree_histogram *out, const gemp_comm *comm, const gemp_shard *graph)
{
	GEMP_OWNED_BY(gemp_vertex_degrees_free) gemp_vertex_degrees degrees = { 0 };
	GEMP_OWNED bool *directed = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(directed, graph->relation_count)));
	bool any = false;
	for (size_t r = 0; r < graph->relation_count; r++)
		any |= directed[r] = graph->relations[r].directed;
	if (!any)
		return GEMP_OK;
	GEMP_TRY(gemp_vertex_degrees_of_graph(&degrees, comm, graph, directed));
	gemp_degrees_directed(out, comm, &degrees);
	return GEMP_OK;
}

/* Adds the degrees in a relation, of which merged rows are loaded. An entry of a row is an edge, and a loop is two. */
static void add_merged(uint64_t *degree, const gemp_shard *graph, const gemp_relation *relation)
{
	for (size_t row = 0; row < graph->rows; row++) {
		const gemp_vertex self = (gemp_vertex)(graph->first_vertex + row);
		const gemp_vertex *neighbours = relation->either_neighbours + relation->either_offsets[row];
		const size_t length = (size_t)(relation->either_offsets[row + 1] - relation->either_offsets[row]);
		degree[row] += length;
		for (size_t e = gemp_lower_bound_u32(neighbours, length, self); e < length && neighbours[e] == self; e++)
			degree[row]++;
	}
}

/* The minimum is complemented, so a maximum finds it. */
gemp_code gemp_degrees_count(gemp_degree_histogram *out, const gemp_comm *comm, gemp_shard *graph)
{
	GEMP_OWNED uint64_t *degree = NULL;
	uint64_t least = UINT64_MAX;
	*out = (gemp_degree_histogram){ 0 };
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(degree, graph->rows)));
	for (size_t i = 0; i < graph->relation_count; i++) {
		const gemp_relation *relation = &graph->relations[i];
		const bool merged = relation->merged && !relation->directed;
		GEMP_TRY(gemp_shard_load_relation(graph, i, merged ? GEMP_LOAD_EITHER : GEMP_LOAD_OUT | GEMP_LOAD_IN));
		if (merged) {
			add_merged(degree, graph, relation);
			continue;
		}
		add_rows(degree, relation->out_offsets, graph->rows);
		add_rows(degree, relation->in_offsets, graph->rows);
	}
	for (size_t row = 0; row < graph->rows; row++) {
		out->sum += degree[row];
		out->max = degree[row] > out->max ? degree[row] : out->max;
		least = degree[row] < least ? degree[row] : least;
		out->vertices[gemp_degrees_class(degree[row])]++;
	}
	gemp_comm_sum(comm, out->vertices, GEMP_DEGREE_CLASSES);
	out->sum = gemp_comm_sum1(comm, out->sum);
	gemp_comm_max(comm, &out->max, 1);
	least = UINT64_MAX - least;
	gemp_comm_max(comm, &least, 1);
	out->min = graph->vertex_count ? UINT64_MAX - least : 0;
	return count_directed(out, comm, graph);
}
