#include "analytics/traversal/sssp.h"

#include "analytics/traversal/parents.h"
#include "core/memory.h"
#include "core/threads.h"
#include "core/timer.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

/* A distance on the device has one of three forms: 32 bits; 64 bits, integer or double (wide); or 32 bits with the
 * predecessor's name in the lower half of 64 bits (named). Named distances, compared as integers, are ordered by
 * distance and then by name. With the first two forms predecessors are found after the search. In an unreached vertex
 * all bits of the distance are set. */

enum { BEGIN, ROUND, OVERFLOW, PARENTS, GATHER = PARENTS + 5, KERNELS };
static const char *const names[KERNELS] = {
	"sssp_begin", "sssp_round", "sssp_lost", GEMP_PARENTS_KERNELS, GEMP_PARENTS_ZERO_KERNELS, "sssp_gather"
};

/* The default delta is this factor times the mean weight over the mean degree. The factor is larger where a round costs
 * the time of more edges: on a GPU, and with several ranks. */
enum { GPU_DELTA = 16, RANKS_DELTA = 12, CPU_DELTA = 3 };

/* Launches between two exchanges of several ranks, unless tuples are in use. On two ranks searches of a grid of 2^14
 * vertices take 150 exchanges with 1 launch, 90 with 3 and 85 with 5, and of a Kronecker graph of 2^16 vertices 22, 21
 * and 21 (2026-11-29). On two H200 searches of Kronecker 21 take 3.5 ms with 1 launch, 4.0 with 2, 4.7 with 3 and 6.5
 * with 5, since launches relax edges in vain that an exchange would have spared (2026-11-30). */
enum { GPU_LAUNCHES = 1, LOCAL_LAUNCHES = 3 };

struct gemp_sssp {
	gemp_frontier frontier;
	gemp_parents parents;
	gemp_frontier_tuples tuples;
	gemp_halo *halo;
	gemp_sssp_options options;
	bool floating, wide; /* floating: distances are doubles; wide: distances have 64 bits */
	bool named;          /* distances have 32 bits, with the predecessor's name beside them */
	double delta;
	gemp_buffer distance, far, predecessor;
	/* several ranks: bitmaps of the vertices that became near since the last exchange, and before it. They swap roles
	 * with each exchange, and the first launch after the exchange clears the older one */
	gemp_buffer sent[2];
	unsigned exchanges;
	uint32_t *narrow;              /* [own] distances of 32 bits, as downloaded from the device; NULL if floating */
	uint64_t *distance_host;       /* [own] resulting distances; NULL if floating */
	double *real;                  /* [own] resulting distances if floating; otherwise NULL */
	gemp_vertex *predecessor_host; /* [own] */
	double prepare_seconds;
};

/* With names a distance and its predecessor share a word of 64 bits, so one atomic minimum updates both. */
static size_t distance_size(const gemp_sssp *s)
{
	return s->wide || s->named ? sizeof(cl_ulong) : sizeof(cl_uint);
}

static bool by_tuples(const gemp_sssp *s)
{
	return s->options.pass == GEMP_FRONTIER_PASS_SHUFFLE;
}

static size_t kernel_count(const gemp_sssp *s)
{
	return by_tuples(s) ? KERNELS : GATHER;
}

enum { OPTIONS_SIZE = GEMP_TUPLES_OPTIONS_SIZE + 16 };
/* Sets the compiler options: the width of distances, and whether values travel as tuples. */
static void options_of(const gemp_sssp *s, char options[OPTIONS_SIZE])
{
	char tuples[GEMP_TUPLES_OPTIONS_SIZE] = "";
	if (by_tuples(s))
		gemp_frontier_tuples_options(tuples, distance_size(s));
	snprintf(options, OPTIONS_SIZE, "%s%s", s->wide ? " -DSSSP_WIDE" : s->named ? " -DSSSP_NAMES" : "", tuples);
}

/* Chooses delta, the bucket width of delta-stepping (Meyer and Sanders 2003). By default it is a multiple of the mean
 * weight over the mean degree. */
static void choose_delta(gemp_sssp *s)
{
	const gemp_layout *l = s->frontier.layout;
	double edges = l->edges ? (double)l->edges : 1;
	double mean = l->weights ? l->weight_sum / edges : 1;
	double own = mean * (double)l->vertices / edges *
	             (s->frontier.device->gpu ? GPU_DELTA
	              : l->comm->size > 1     ? RANKS_DELTA
	                                      : CPU_DELTA);
	double delta = s->options.delta > 0 ? s->options.delta : own;
	if (!s->floating)
		delta = delta < 1 ? 1 : delta < 0x1p63 ? floor(delta) : 0x1p63;
	else if (!(delta > 0))
		delta = 1;
	s->delta = delta;
}

/* Local. Makes the objects that all runs share: rows, bitmaps and results on the device, and the programs. */
static gemp_code prepare(gemp_sssp *s, const gemp_layout *layout, gemp_device *device)
{
	gemp_frontier *f = &s->frontier;
	const unsigned parts = GEMP_LAYOUT_OUT | (s->options.any ? 0 : GEMP_LAYOUT_IN);
	char options[OPTIONS_SIZE];
	double since = gemp_now();
	s->floating = layout->weights == GEMP_LAYOUT_F64;
	s->wide = s->floating || layout->weights == GEMP_LAYOUT_U64;
	const gemp_sssp_naming naming = s->options.naming;
	s->named = !s->wide && !s->options.any && (naming ? naming == GEMP_SSSP_NAMING_DURING : device->gpu);
	options_of(s, options);
	GEMP_TRY(
		gemp_frontier_new(f, layout, device, parts, &s->options.shape, "gas_sssp.cl", options, names, kernel_count(s)));
	if (by_tuples(s))
		GEMP_TRY(gemp_frontier_tuples_new(&s->tuples, f, distance_size(s)));
	if (s->floating) {
		GEMP_TRY(GEMP_NEW(s->real, layout->own));
	} else {
		GEMP_TRY(GEMP_NEW(s->narrow, layout->own));
		GEMP_TRY(GEMP_NEW(s->distance_host, layout->own));
	}
	GEMP_TRY(gemp_buffer_new(&s->distance, device, layout->known * distance_size(s), NULL));
	GEMP_TRY(gemp_buffer_new(&s->far, device, f->words * sizeof(cl_uint), NULL));
	for (int b = 0; layout->comm->size > 1 && b < 2; b++)
		GEMP_TRY(gemp_buffer_new(&s->sent[b], device, f->words * sizeof(cl_uint), NULL));
	if (!s->options.any) {
		GEMP_TRY(GEMP_NEW(s->predecessor_host, layout->own));
		GEMP_TRY(gemp_buffer_new(&s->predecessor, device, layout->own * sizeof(cl_uint), NULL));
		GEMP_TRY(gemp_parents_new(&s->parents, f, PARENTS, true));
	}
	choose_delta(s);
	s->prepare_seconds = gemp_now() - since - f->build_seconds;
	return GEMP_OK;
}

/* The frontier is freed last, because parents and tuples borrow it. */
void gemp_sssp_free(gemp_sssp *s)
{
	if (!s)
		return;
	gemp_device *device = s->frontier.device;
	if (device) {
		gemp_parents_free(&s->parents);
		gemp_frontier_tuples_free(&s->tuples);
		gemp_buffers_free(device, &s->distance, &s->far, &s->predecessor, &s->sent[0], &s->sent[1]);
	}
	gemp_halo_free(s->halo);
	gemp_frontier_free(&s->frontier);
	gemp_free_all(s->narrow, s->distance_host, s->real, s->predecessor_host, s);
}

double gemp_sssp_prepare_seconds(const gemp_sssp *s, double *build)
{
	*build = s->frontier.build_seconds;
	return s->prepare_seconds;
}

/* Collective. Only distances are sent: a rank needs no predecessors of its ghosts. So ranks may differ in whether they
 * name predecessors. */
static gemp_code new_exchange(gemp_sssp *s)
{
	const gemp_frontier *f = &s->frontier;
	return s->named ? gemp_halo_new_halves(&s->halo, f->layout, f->device)
	                : gemp_halo_new(&s->halo, f->layout, f->device, distance_size(s));
}

/* Collective. Changes distances from 32 to 64 bits, for this search and later searches. This takes new kernels, buffers
 * and messages. */
static gemp_code widen(gemp_sssp *s)
{
	gemp_frontier *f = &s->frontier;
	char options[OPTIONS_SIZE];
	s->wide = true;
	s->named = false;
	gemp_buffer_free(&s->distance, f->device);
	gemp_code code = gemp_buffer_new(&s->distance, f->device, f->layout->known * distance_size(s), NULL);
	options_of(s, options);
	GEMP_THEN(gemp_frontier_build(f, "gas_sssp.cl", options, names, kernel_count(s)));
	gemp_frontier_tuples_free(&s->tuples);
	if (by_tuples(s))
		GEMP_THEN(gemp_frontier_tuples_new(&s->tuples, f, distance_size(s)));
	code = gemp_comm_agree(f->layout->comm, code);
	gemp_halo_free(s->halo);
	s->halo = NULL;
	return code == GEMP_OK ? new_exchange(s) : code;
}

/* The first bound (GAS_BELOW) is delta. So the source, which has distance 0, is near. */
static void set_state(gemp_sssp *s)
{
	gemp_frontier *f = &s->frontier;
	memset(f->state, 0, sizeof f->state);
	s->exchanges = UINT_MAX; /* the first round makes it 0 */
	f->state[GAS_MODE] = GAS_SSSP_RELAX;
	f->state[GAS_FLOATING] = s->floating;
	f->state[GAS_VERTICES] = f->layout->vertices;
	if (s->floating)
		memcpy(&f->state[GAS_DELTA], &s->delta, sizeof s->delta);
	else
		f->state[GAS_DELTA] = (uint64_t)s->delta;
	f->state[GAS_BELOW] = f->state[GAS_DELTA];
}

/* Clears the results of the last search, and puts the source into the first frontier. */
static gemp_code launch_begin(gemp_sssp *s, cl_uint source)
{
	gemp_frontier *f = &s->frontier;
	const gas_start start = gemp_frontier_start(f, GAS_LOCAL);
	return gemp_frontier_launch(f, BEGIN, GEMP_ARG(&f->layout->known), GEMP_ARG(&source), GEMP_ARG(&s->distance.mem),
	                            GEMP_ARG(gemp_frontier_bitmap(f, 0)), GEMP_ARG(gemp_frontier_bitmap(f, 1)),
	                            GEMP_ARG(gemp_frontier_bitmap(f, 2)), GEMP_ARG(&s->far.mem), GEMP_ARG(&s->sent[0].mem),
	                            GEMP_ARG(&f->control.mem), GEMP_ARG(&start));
}

/* The kernel relaxes the near frontier or scans the far vertices, as the mode in the control buffer says. forget: a
 * bitmap that it clears. */
static gemp_code launch_once(gemp_sssp *s, cl_mem forget)
{
	gemp_frontier *f = &s->frontier;
	const cl_mem sent = s->sent[s->exchanges % 2].mem;
	GEMP_TRY(gemp_frontier_launch_push(
		f, ROUND, &s->tuples, GEMP_ARG(&f->out.rows->weight.mem), GEMP_ARG(&f->layout->own), GEMP_ARG(&s->distance.mem),
		GEMP_ARG(&s->parents.name.mem), GEMP_ARG(gemp_frontier_bitmap(f, 0)), GEMP_ARG(gemp_frontier_bitmap(f, 1)),
		GEMP_ARG(gemp_frontier_bitmap(f, 2)), GEMP_ARG(&f->words), GEMP_ARG(&s->far.mem), GEMP_ARG(&sent),
		GEMP_ARG(&forget), GEMP_ARG(&f->control.mem)));
	if (!by_tuples(s))
		return GEMP_OK;
	return gemp_frontier_tuples_gather(&s->tuples, GATHER, GEMP_ARG(&s->distance.mem),
	                                   GEMP_ARG(gemp_frontier_bitmap(f, 1)), GEMP_ARG(&s->far.mem), GEMP_ARG(&sent),
	                                   GEMP_ARG(&f->control.mem));
}

static gemp_code launch_round(void *self)
{
	return launch_once(self, NULL);
}

/* Launches relaxations of own vertices up to the next exchange. The launches after the one that makes no vertex near do
 * nothing. The host waits for none of them. */
static gemp_code launch_local(void *self)
{
	gemp_sssp *s = self;
	gemp_frontier *f = &s->frontier;
	const unsigned launches = f->shape.batch   ? f->shape.batch
	                          : by_tuples(s)   ? 1
	                          : f->device->gpu ? GPU_LAUNCHES
	                                           : LOCAL_LAUNCHES;
	s->exchanges++;
	for (unsigned launch = 0; launch < launches; launch++) {
		f->current += launch > 0;
		GEMP_TRY(launch_once(s, launch ? NULL : s->sent[(s->exchanges + 1) % 2].mem));
	}
	return GEMP_OK;
}

/* The vertices that have become near since the last exchange, whose distances the other ranks need. */
static const gemp_buffer *sent_vertices(void *self)
{
	gemp_sssp *s = self;
	return &s->sent[s->exchanges % 2];
}

/* Collective. Searches with distances of the present width. If some distances do not fit, GAS_OVERFLOW is set on all
 * ranks. */
static gemp_code search_once(gemp_sssp *s, cl_uint source, double *exchange)
{
	const bool ranks = s->frontier.layout->comm->size > 1;
	const gemp_frontier_search search = {
		.self = s,
		.launch = ranks ? launch_local : launch_round,
		.changed = ranks ? sent_vertices : NULL,
		.rule = gas_sssp_ranks_rule,
		.halo = s->halo,
		.values = &s->distance,
	};
	set_state(s);
	return gemp_frontier_run(&s->frontier, &search, launch_begin(s, source), exchange);
}

/* Local. A distance that does not fit has the value of an unreached vertex. It is an error if an edge leads to such a
 * vertex from a reached vertex. */
static gemp_code check_lost(gemp_sssp *s)
{
	gemp_frontier *f = &s->frontier;
	const gemp_device_rows *out = f->out.rows;
	GEMP_TRY(gemp_frontier_launch(f, OVERFLOW, GEMP_ARG(&out->begin.mem), GEMP_ARG(&out->end.mem), GEMP_ARG(&out->rows),
	                              GEMP_ARG(&s->distance.mem), GEMP_ARG(&f->control.mem)));
	GEMP_TRY(gemp_frontier_read(f));
	if (f->state[GAS_OVERFLOW] == 2)
		return gemp_fail(GEMP_EDATA, "some distances are %s; scale the weights down",
		                 s->floating ? "too great for double precision" : "greater than 2^64 - 2");
	return GEMP_OK;
}

/* Collective. Searches with distances of 32 bits first. If any distance overflows, the whole search is repeated with 64
 * bits. */
static gemp_code search(gemp_sssp *s, cl_uint source, double *exchange)
{
	GEMP_TRY(search_once(s, source, exchange));
	if (s->frontier.state[GAS_OVERFLOW] && !s->wide) {
		GEMP_TRY(widen(s));
		GEMP_TRY(search_once(s, source, exchange));
	}
	if (s->frontier.state[GAS_OVERFLOW])
		return gemp_comm_agree(s->frontier.layout->comm, check_lost(s));
	return GEMP_OK;
}

/* Collective. Finds predecessors if the search has not named them. Edges of weight 0 need further rounds. code: the
 * code of this rank's previous steps, on which the ranks agree. */
static gemp_code find_parents(gemp_sssp *s, gemp_code code, cl_uint source)
{
	const gemp_layout *l = s->frontier.layout;
	double device;
	const gemp_buffer *best = s->named ? &s->distance : &s->parents.best;
	if (!s->named)
		GEMP_THEN(gemp_parents_min(&s->parents, &s->distance, 0, false));
	GEMP_TRY(gemp_comm_agree(l->comm, code));
	if (s->floating || (l->weights && !(l->min_weight > 0)))
		GEMP_TRY(gemp_parents_zero(&s->parents, &s->distance, best, source));
	GEMP_TRY(gemp_parents_ids(&s->parents, best, &s->predecessor));
	return gemp_frontier_seconds(&s->frontier, &device); /* waits for the launches */
}

/* Converts the downloaded distances of some own vertices. */
static void convert_range(void *context, size_t begin, size_t end)
{
	const gemp_sssp *s = context;
	for (size_t v = begin; s->floating && v < end; v++)
		s->real[v] = isnan(s->real[v]) ? INFINITY : s->real[v]; /* unreached: all bits are set */
	if (s->floating || (s->wide && !s->named))
		return;
	for (size_t v = begin; v < end; v++) {
		const uint32_t distance = s->named ? (uint32_t)(s->distance_host[v] >> 32) : s->narrow[v];
		s->distance_host[v] = distance == UINT32_MAX ? GEMP_NO_DISTANCE : distance;
	}
}

/* Local. Downloads the results, and converts distances to 64 bits or doubles. */
static gemp_code download(gemp_sssp *s)
{
	gemp_frontier *f = &s->frontier;
	const uint32_t own = f->layout->own;
	if (s->predecessor_host)
		GEMP_TRY(gemp_frontier_fetch(f, &s->predecessor, s->predecessor_host, own * sizeof *s->predecessor_host));
	if (s->floating) {
		GEMP_TRY(gemp_frontier_fetch(f, &s->distance, s->real, own * sizeof *s->real));
	} else if (s->wide || s->named) {
		GEMP_TRY(gemp_frontier_fetch(f, &s->distance, s->distance_host, own * sizeof *s->distance_host));
	} else {
		GEMP_TRY(gemp_frontier_fetch(f, &s->distance, s->narrow, own * sizeof *s->narrow));
	}
	gemp_for_elements(own, convert_range, s);
	return GEMP_OK;
}

/* The reached vertices and their edges, by ranges of own vertices. */
typedef struct reached {
	const gemp_layout *layout;
	const uint64_t *distance;
	const double *real; /* NULL: distances are integers */
	uint64_t vertices[GEMP_MAX_RANGES], edges[GEMP_MAX_RANGES];
} reached;

static void sum_range(void *context, size_t range, size_t begin, size_t end)
{
	reached *r = context;
	uint64_t vertices = 0, edges = 0;
	for (size_t v = begin; v < end; v++)
		if (r->real ? isfinite(r->real[v]) : r->distance[v] != GEMP_NO_DISTANCE) {
			vertices++;
			edges += r->layout->out_degree[v];
		}
	r->vertices[range] = vertices;
	r->edges[range] = edges;
}

/* Collective. Counts the reached vertices and their edges over all ranks. */
static void sum_ranks(gemp_sssp *s, gemp_sssp_result *r)
{
	const gemp_layout *l = s->frontier.layout;
	reached own = { .layout = l, .distance = r->distance, .real = s->floating ? r->real : NULL };
	uint64_t sums[3] = { 0, 0, s->frontier.state[GAS_FOUND] };
	gemp_for_ranges(l->own, sum_range, &own);
	for (size_t range = 0; range < gemp_range_count(l->own); range++) {
		sums[0] += own.vertices[range];
		sums[1] += own.edges[range];
	}
	gemp_comm_sum(l->comm, sums, 2); /* sums[2] is a sum over all ranks already */
	r->reached = sums[0];
	r->reached_edges = sums[1];
	r->cost.edges = sums[2];
}

/* Collective. Finds distances, then predecessors, and downloads both. The code belongs to this rank, and the caller
 * agrees on it. */
static gemp_code run_search(gemp_sssp *s, cl_uint source, gemp_sssp_result *r)
{
	gemp_frontier *f = &s->frontier;
	double since = gemp_now();
	GEMP_TRY(search(s, source, &r->cost.exchange));
	r->cost.wall = gemp_now() - since;
	r->cost.rounds = f->state[GAS_ROUND];
	gemp_code code = gemp_frontier_seconds(f, &r->cost.device);
	since = gemp_now();
	GEMP_TRY(s->options.any ? code : find_parents(s, code, source));
	r->cost.parents = gemp_now() - since;
	since = gemp_now();
	GEMP_TRY(download(s));
	r->cost.download = gemp_now() - since;
	r->distance = s->distance_host;
	r->real = s->real;
	r->predecessor = s->predecessor_host;
	r->delta = s->delta;
	return GEMP_OK;
}

/* The stages of a search without their figures, for gemp_frontier_warm_up. Distances have the first width. */
static gemp_code search_only(void *self, cl_uint source)
{
	double exchange = 0;
	return search_once(self, source, &exchange);
}

static gemp_code parents_only(void *self, cl_uint source)
{
	return find_parents(self, GEMP_OK, source);
}

/* prepare is local. The ranks agree on its code before they make the halo, which is collective. */
gemp_code gemp_sssp_new(gemp_sssp **out, const gemp_layout *layout, gemp_device *device,
                        const gemp_sssp_options *options)
{
	gemp_sssp *s = NULL;
	gemp_code code = GEMP_NEW(s, 1);
	*out = NULL;
	if (code == GEMP_OK && options)
		s->options = *options;
	GEMP_THEN(prepare(s, layout, device));
	GEMP_TRY_DONE(gemp_comm_agree(layout->comm, code));
	GEMP_TRY_DONE(new_exchange(s));
	GEMP_TRY_DONE(gemp_frontier_warm_up(&s->frontier, search_only, s->options.any ? NULL : parents_only, s));
	*out = s;
	s = NULL;
done:
	gemp_sssp_free(s);
	return code;
}

/* All ranks pass the same source, so all ranks refuse an invalid source before any message is sent. */
gemp_code gemp_sssp_run(gemp_sssp *s, gemp_vertex source, gemp_sssp_result *result)
{
	cl_uint local;
	const gemp_traffic before = *gemp_halo_traffic(s->halo);
	*result = (gemp_sssp_result){ 0 };
	gemp_code code = gemp_frontier_source(&s->frontier, source, &local);
	if (code != GEMP_OK)
		return code;
	code = gemp_comm_agree(s->frontier.layout->comm, run_search(s, local, result));
	if (code == GEMP_OK)
		sum_ranks(s, result);
	result->cost.traffic = gemp_halo_traffic_since(s->halo, &before);
	return code;
}
