/* Out-degrees are the lengths of the rows by source. In-degrees are counted at the targets: on devices by atomic
 * additions (topology/target_counts.h), and on hosts by all threads. Hosts send targets that other ranks own to them in
 * rounds. If rows by target are loaded, their lengths are the in-degrees. The histogram counts vertices by the powers
 * of two of their degrees. */

#include "topology/vertex_degrees.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"
#include "core/timer.h"
#include "primitive/device_choice.h"
#include "topology/target_counts.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

enum { HOST_BELOW = 1 << 26 };

/* Collective. */
static bool choose_devices(const gemp_comm *comm, const gemp_device *device, uint64_t items, gemp_placement place)
{
	return gemp_use_all_devices(comm, device, place, items, "degrees.host_below", HOST_BELOW);
}

/* Collective. Adds to in[]. */
static gemp_code count_on_devices(gemp_vertex_degrees *out, const gemp_comm *comm, gemp_device *device,
                                  const uint64_t *bounds, const gemp_csr *csr, size_t count)
{
	gemp_target_counts counts = { .in = out->in };
	GEMP_TRY(gemp_target_counts_add(&counts, comm, device, bounds, csr, count));
	out->on_device = true;
	out->traffic = counts.traffic;
	out->seconds = counts.seconds;
	out->transfers = counts.transfers;
	out->exchange = counts.exchange;
	return GEMP_OK;
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

/* Collective. Buffers for remote targets are needed only with several ranks. */
static gemp_code count_on_hosts(gemp_vertex_degrees *out, const gemp_comm *comm, const uint64_t *bounds,
                                const gemp_csr *csr, size_t count)
{
	target_count c = { .comm = comm, .bounds = bounds, .degrees = out };
	const uint64_t edges = gemp_csr_all_edges(csr, count);
	const size_t capacity = comm->size == 1 ? 0 : gemp_min((size_t)edges, gemp_limits_now()->degrees_round);
	gemp_code code = gemp_new_all(GEMP_ARRAY(c.remote, capacity), GEMP_ARRAY(c.owner, capacity));
	code = gemp_comm_agree(comm, code);
	GEMP_THEN(count_types(&c, csr, count));
	gemp_free_all(c.remote, c.owner);
	return code;
}

/* Collective. If the memory of a device does not suffice, the hosts count, unless devices are demanded. */
static gemp_code count_targets(gemp_vertex_degrees *out, const gemp_comm *comm, gemp_device *device,
                               gemp_placement place, const uint64_t *bounds, const gemp_csr *csr, size_t count)
{
	if (!choose_devices(comm, device, gemp_csr_all_edges(csr, count) + out->rows, place))
		return count_on_hosts(out, comm, bounds, csr, count);
	const gemp_code code = count_on_devices(out, comm, device, bounds, csr, count);
	if (code != GEMP_ENOMEM || place == GEMP_PLACE_DEVICE)
		return code;
	memset(out->in, 0, out->rows * sizeof *out->in);
	return count_on_hosts(out, comm, bounds, csr, count);
}

gemp_code gemp_vertex_degrees_new(gemp_vertex_degrees *out, const gemp_comm *comm, gemp_device *device,
                                  gemp_placement place, const uint64_t *bounds, const gemp_csr *csr, size_t count)
{
	const uint64_t *own = bounds + comm->rank;
	gemp_code code = gemp_comm_agree(comm, allocate_degrees(out, (size_t)(own[1] - own[0]), (gemp_vertex)own[0]));
	for (size_t i = 0; i < count && code == GEMP_OK; i++)
		add_rows(out->out, csr[i].begin, csr[i].rows);
	GEMP_THEN(count_targets(out, comm, device, place, bounds, csr, count));
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
