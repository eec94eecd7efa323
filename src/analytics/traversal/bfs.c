#include "analytics/traversal/bfs.h"

#include "analytics/traversal/parents.h"
#include "core/memory.h"
#include "core/threads.h"
#include "core/timer.h"

#include <stdio.h>

/* The device keeps levels and visited vertices between runs. The kernel that begins a search clears both, except the
 * levels of vertices without incoming edges, which only a search from the vertex itself sets. Several ranks send only
 * bits of the frontier, since the level of a vertex is the round in which its bit was set. */

enum { BEGIN, LEVEL, PARENTS, GATHER = PARENTS + 3, KERNELS };
/* The last kernel is built only for tuples. */
static const char *const names[KERNELS] = { "bfs_begin", "bfs_level", GEMP_PARENTS_KERNELS, "bfs_gather" };

/* Pulling begins when ALPHA * the edges of the frontier exceed the edges of unseen vertices. Pulling ends when the
 * frontier has fewer than 1 / BETA of the vertices (Beamer, Asanovic and Patterson 2012). If most edges belong to hubs
 * (rows of many edges), a GPU should begin to pull early and go on for long. */
enum { HUB_ALPHA = 300, HUB_BETA = 1000, GPU_ALPHA = 15, CPU_ALPHA = 40, BETA = 24 };

struct gemp_bfs {
	gemp_frontier frontier;
	gemp_parents parents;
	gemp_frontier_tuples tuples;
	gemp_halo *halo;
	gemp_bfs_options options;
	gemp_buffer visited, closed, level, parent;
	cl_uint open;   /* own vertices from `open` on have no incoming edges */
	cl_uint before; /* local vertex of the last search's source, whose level may have to be cleared; UINT32_MAX: none */
	uint32_t *level_host;
	gemp_vertex *parent_host;
	double prepare_seconds;
};

static bool is_empty(const gemp_layout_rows *rows, uint32_t row)
{
	return !rows->begin || rows->begin[row] == rows->begin[row + 1];
}

typedef struct closing {
	const gemp_layout *layout;
	uint32_t *closed;               /* bitmap */
	uint32_t open[GEMP_MAX_RANGES]; /* by range of words */
} closing;

/* Closes the vertices of some words of the bitmap. */
static void close_words(void *context, size_t range, size_t begin, size_t end)
{
	closing *c = context;
	const gemp_layout *l = c->layout;
	uint32_t open = 0;
	for (uint32_t v = (uint32_t)begin * 32; v < gemp_min(end * 32, l->own); v++)
		if (is_empty(&l->in, v) && is_empty(&l->in_ghost, v))
			gemp_bits32_set(c->closed, v);
		else
			open = v + 1;
	c->open[range] = open;
}

/* Vertices without incoming edges are closed: they count as visited, so a pull does not search for a source of them. */
static gemp_code make_closed(gemp_bfs *b)
{
	const gemp_layout *l = b->frontier.layout;
	const size_t words = ((size_t)l->own + 31) / 32;
	GEMP_OWNED uint32_t *closed = NULL;
	GEMP_TRY(GEMP_NEW(closed, b->frontier.words));
	closing c = { .layout = l, .closed = closed };
	gemp_for_ranges(words, close_words, &c);
	for (size_t range = 0; range < gemp_range_count(words); range++)
		b->open = c.open[range] > b->open ? c.open[range] : b->open;
	return gemp_buffer_new(&b->closed, b->frontier.device, b->frontier.words * sizeof *closed, closed);
}

/* Clears all levels once, because kernels do not write the level of a vertex without incoming edges unless it is a
 * source. */
static gemp_code clear_levels(gemp_bfs *b)
{
	static const cl_uint none = UINT32_MAX;
	b->before = none;
	return b->level.size ? GEMP_CL(clEnqueueFillBuffer(b->frontier.device->queue, b->level.mem, &none, sizeof none, 0,
	                                                   b->level.size, 0, NULL, NULL))
	                     : GEMP_OK;
}

/* Local. Makes the objects that all runs share: rows, bitmaps and results on the device, and the programs. */
static gemp_code prepare(gemp_bfs *b, const gemp_layout *layout, gemp_device *device)
{
	gemp_frontier *f = &b->frontier;
	const bool shuffle = b->options.pass == GEMP_FRONTIER_PASS_SHUFFLE;
	char tuples[GEMP_TUPLES_OPTIONS_SIZE] = "", options[GEMP_TUPLES_OPTIONS_SIZE + 16];
	double since = gemp_now();
	if (shuffle) {
		gemp_frontier_tuples_options(tuples, sizeof(cl_uint));
		b->options.direction = GEMP_BFS_PUSH;
	}
	snprintf(options, sizeof options, "%s%s", layout->comm->size > 1 ? " -DGAS_GHOSTS" : "", tuples);
	GEMP_TRY(gemp_frontier_new(f, layout, device, GEMP_LAYOUT_IN | GEMP_LAYOUT_OUT, &b->options.shape, "gas_bfs.cl",
	                           options, names, shuffle ? KERNELS : GATHER));
	if (shuffle)
		GEMP_TRY(gemp_frontier_tuples_new(&b->tuples, f, sizeof(cl_uint)));
	GEMP_TRY(GEMP_NEW(b->level_host, layout->own));
	GEMP_TRY(gemp_buffer_new(&b->visited, device, f->words * sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_buffer_new(&b->level, device, layout->known * sizeof(cl_uint), NULL));
	GEMP_TRY(make_closed(b));
	GEMP_TRY(clear_levels(b));
	if (!b->options.any) {
		GEMP_TRY(GEMP_NEW(b->parent_host, layout->own));
		GEMP_TRY(gemp_buffer_new(&b->parent, device, layout->own * sizeof(cl_uint), NULL));
		GEMP_TRY(gemp_parents_new(&b->parents, f, PARENTS, false));
	}
	b->prepare_seconds = gemp_now() - since - f->build_seconds;
	return GEMP_OK;
}

/* The frontier is freed last, because parents and tuples borrow it. */
void gemp_bfs_free(gemp_bfs *b)
{
	if (!b)
		return;
	gemp_device *device = b->frontier.device;
	if (device) {
		gemp_parents_free(&b->parents);
		gemp_frontier_tuples_free(&b->tuples);
		gemp_buffers_free(device, &b->visited, &b->closed, &b->level, &b->parent);
	}
	gemp_halo_free(b->halo);
	gemp_frontier_free(&b->frontier);
	gemp_free_all(b->level_host, b->parent_host, b);
}

double gemp_bfs_prepare_seconds(const gemp_bfs *b, double *build)
{
	*build = b->frontier.build_seconds;
	return b->prepare_seconds;
}

/* Sets the state with which a search begins: its mode, and the thresholds by which the rule changes the mode. */
static void set_state(gemp_bfs *b)
{
	gemp_frontier *f = &b->frontier;
	const bool hubs = f->device->gpu && gemp_frontier_has_hubs(f);
	const gemp_bfs_direction direction = b->options.direction;
	memset(f->state, 0, sizeof f->state);
	f->state[GAS_MODE] = direction == GEMP_BFS_PULL ? GAS_BFS_PULL : GAS_BFS_PUSH;
	f->state[GAS_LOOK] = direction == GEMP_BFS_PULL ? UINT64_MAX : UINT64_C(1) << (GAS_LEVELS - 1);
	const uint32_t alpha = hubs ? HUB_ALPHA : f->device->gpu ? GPU_ALPHA : CPU_ALPHA;
	f->state[GAS_ALPHA] = direction ? 0 : b->options.alpha ? b->options.alpha : alpha;
	f->state[GAS_BETA] = direction ? UINT32_MAX : b->options.beta ? b->options.beta : hubs ? HUB_BETA : BETA;
	f->state[GAS_VERTICES] = direction ? 0 : f->layout->vertices;
	/* A rank has only the edges to its own vertices, and counts about 1 / ranks of the edges that leave a found
	 * vertex. */
	f->state[GAS_UNSEEN] = f->layout->edges / (uint64_t)f->layout->comm->size;
}

/* The bits of messages that kernels set. */
typedef struct bfs_marks {
	const cl_mem *begin, *place, *bits, *forget;
	cl_uint words; /* 0: kernels set none, and the buffers are NULL */
} bfs_marks;

/* Tuples are gathered by a kernel that sets no bits of messages. */
static bfs_marks marks_of(const gemp_bfs *b)
{
	static const cl_mem none = NULL;
	const gemp_halo_marks *m = b->halo && !b->tuples.frontier ? gemp_halo_marks_of(b->halo) : NULL;
	if (!m)
		return (bfs_marks){ &none, &none, &none, &none, 0 };
	return (bfs_marks){ &m->begin.mem, &m->place.mem, &m->bits[m->turn].mem, &m->bits[!m->turn].mem, m->words };
}

/* Clears the results of the last search, and puts the source into the first frontier. */
static gemp_code launch_begin(gemp_bfs *b, cl_uint source)
{
	gemp_frontier *f = &b->frontier;
	const gemp_layout *l = f->layout;
	const gas_start start = gemp_frontier_start(f, 0);
	const cl_uint before = b->before;
	const bfs_marks m = marks_of(b);
	b->before = source;
	return gemp_frontier_launch(f, BEGIN, GEMP_ARG(&b->open), GEMP_ARG(&l->own), GEMP_ARG(&l->known), GEMP_ARG(&source),
	                            GEMP_ARG(&before), GEMP_ARG(&b->closed.mem), GEMP_ARG(&b->visited.mem),
	                            GEMP_ARG(&b->level.mem), GEMP_ARG(gemp_frontier_bitmap(f, 0)),
	                            GEMP_ARG(gemp_frontier_bitmap(f, 1)), GEMP_ARG(gemp_frontier_bitmap(f, 2)),
	                            GEMP_ARG(&f->control.mem), GEMP_ARG(&start), GEMP_ARG(m.begin), GEMP_ARG(m.place),
	                            GEMP_ARG(m.bits), GEMP_ARG(m.forget), GEMP_ARG(&m.words));
}

/* Launches one level. The control buffer decides whether the launch pushes along `out` or pulls from both kinds of
 * in-edges. */
static gemp_code launch_level(void *self)
{
	gemp_bfs *b = self;
	gemp_frontier *f = &b->frontier;
	const gemp_frontier_rows *in = &f->in, *ghost = &f->in_ghost;
	const bfs_marks m = marks_of(b);
	GEMP_TRY(gemp_frontier_launch_push(
		f, LEVEL, &b->tuples, GEMP_ARG(&in->rows->begin.mem), GEMP_ARG(&in->rows->end.mem), GEMP_ARG(&in->slices.mem),
		GEMP_ARG(&in->slice_count), GEMP_ARG(&in->heads.mem), GEMP_ARG(&ghost->rows->begin.mem),
		GEMP_ARG(&ghost->rows->end.mem), GEMP_ARG(&ghost->slices.mem), GEMP_ARG(&ghost->slice_count),
		GEMP_ARG(&ghost->heads.mem), GEMP_ARG(&b->open), GEMP_ARG(&f->layout->own), GEMP_ARG(&b->visited.mem),
		GEMP_ARG(&b->level.mem), GEMP_ARG(gemp_frontier_bitmap(f, 0)), GEMP_ARG(gemp_frontier_bitmap(f, 1)),
		GEMP_ARG(gemp_frontier_bitmap(f, 2)), GEMP_ARG(&f->words), GEMP_ARG(m.begin), GEMP_ARG(m.place),
		GEMP_ARG(m.bits), GEMP_ARG(m.forget), GEMP_ARG(&m.words), GEMP_ARG(&f->control.mem)));
	if (!b->tuples.frontier)
		return GEMP_OK;
	return gemp_frontier_tuples_gather(&b->tuples, GATHER, GEMP_ARG(&f->out.rows->begin.mem), GEMP_ARG(&b->visited.mem),
	                                   GEMP_ARG(&b->level.mem), GEMP_ARG(gemp_frontier_bitmap(f, 1)),
	                                   GEMP_ARG(&f->control.mem));
}

/* Collective. Runs rounds until a round finds no vertex. */
static gemp_code search(gemp_bfs *b, cl_uint source, double *exchange)
{
	const gemp_frontier_search search = { .self = b,
		                                  .launch = launch_level,
		                                  .rule = gas_bfs_rule,
		                                  .marked = marks_of(b).words ? 1u << GAS_BFS_PUSH : 0,
		                                  .halo = b->halo };
	_Static_assert(GAS_CONTROL == GEMP_HALO_CARRIED, "the lead of marks is a copy of the control buffer");
	set_state(b);
	return gemp_frontier_run(&b->frontier, &search, launch_begin(b, source), exchange);
}

typedef struct range_sum {
	uint64_t vertices, edges, depth;
} range_sum;

typedef struct reached {
	const gemp_layout *layout;
	const uint32_t *level;
	range_sum ranges[GEMP_MAX_RANGES];
} reached;

static void sum_range(void *context, size_t range, size_t begin, size_t end)
{
	reached *r = context;
	range_sum sum = { 0 };
	for (size_t v = begin; v < end; v++)
		if (r->level[v] != GEMP_NO_LEVEL) {
			sum.vertices++;
			sum.edges += r->layout->out_degree[v];
			sum.depth = gemp_max(sum.depth, r->level[v]);
		}
	r->ranges[range] = sum;
}

/* Collective. Counts the reached vertices and their edges over all ranks. */
static void sum_ranks(gemp_bfs *b, gemp_bfs_result *r)
{
	const gemp_layout *l = b->frontier.layout;
	reached own = { .layout = l, .level = r->level };
	uint64_t sums[2] = { 0, 0 }, depth = 0;
	gemp_for_ranges(l->own, sum_range, &own);
	for (size_t range = 0; range < gemp_range_count(l->own); range++) {
		sums[0] += own.ranges[range].vertices;
		sums[1] += own.ranges[range].edges;
		depth = gemp_max(depth, own.ranges[range].depth);
	}
	gemp_comm_sum(l->comm, sums, 2);
	gemp_comm_max(l->comm, &depth, 1);
	r->reached = sums[0];
	r->cost.edges = sums[1];
	r->depth = (uint32_t)depth;
}

/* Local. Launches the stage that finds parents. */
static gemp_code launch_parents(gemp_bfs *b)
{
	const uint64_t how = b->frontier.state[GAS_LOOK];
	GEMP_TRY(gemp_parents_min(&b->parents, &b->level, how, b->options.direction != GEMP_BFS_PULL));
	return gemp_parents_ids(&b->parents, &b->parents.best, &b->parent);
}

/* Collective. Finds levels, then parents, and downloads both. The code belongs to this rank, and the caller agrees on
 * it. */
static gemp_code run_search(gemp_bfs *b, cl_uint source, gemp_bfs_result *r)
{
	gemp_frontier *f = &b->frontier;
	double since = gemp_now(), unused;
	GEMP_TRY(search(b, source, &r->cost.exchange));
	r->cost.wall = gemp_now() - since;
	r->cost.rounds = f->state[GAS_ROUND];
	r->pulls = f->state[GAS_PULLS];
	r->pushes = r->cost.rounds - r->pulls;
	GEMP_TRY(gemp_frontier_seconds(f, &r->cost.device));
	since = gemp_now();
	if (!b->options.any) {
		GEMP_TRY(launch_parents(b));
		GEMP_TRY(gemp_frontier_seconds(f, &unused)); /* waits for the launches */
	}
	r->cost.parents = gemp_now() - since;
	since = gemp_now();
	GEMP_TRY(gemp_frontier_fetch(f, &b->level, b->level_host, f->layout->own * sizeof *b->level_host));
	if (b->parent_host)
		GEMP_TRY(gemp_frontier_fetch(f, &b->parent, b->parent_host, f->layout->own * sizeof *b->parent_host));
	r->cost.download = gemp_now() - since;
	r->level = b->level_host;
	r->parent = b->parent_host;
	return GEMP_OK;
}

/* The stages of a search without their figures, for gemp_frontier_warm_up. */
static gemp_code search_only(void *self, cl_uint source)
{
	double exchange = 0;
	return search(self, source, &exchange);
}

static gemp_code parents_only(void *self, cl_uint source)
{
	(void)source;
	return launch_parents(self);
}

/* prepare is local. The ranks agree on its code before they make the halo, which is collective. Values of the halo have
 * 0 bytes, since messages only tell which vertices are in the frontier. */
gemp_code gemp_bfs_new(gemp_bfs **out, const gemp_layout *layout, gemp_device *device, const gemp_bfs_options *options)
{
	gemp_bfs *b = NULL;
	gemp_code code = GEMP_NEW(b, 1);
	*out = NULL;
	if (code == GEMP_OK && options)
		b->options = *options;
	GEMP_THEN(prepare(b, layout, device));
	GEMP_TRY_DONE(gemp_comm_agree(layout->comm, code));
	GEMP_TRY_DONE(gemp_halo_new(&b->halo, layout, device, 0));
	GEMP_TRY_DONE(gemp_frontier_warm_up(&b->frontier, search_only, b->options.any ? NULL : parents_only, b));
	*out = b;
	b = NULL;
done:
	gemp_bfs_free(b);
	return code;
}

/* All ranks pass the same source, so all ranks refuse an invalid source before any message is sent. */
gemp_code gemp_bfs_run(gemp_bfs *b, gemp_vertex source, gemp_bfs_result *result)
{
	const gemp_layout *l = b->frontier.layout;
	const gemp_traffic before = *gemp_halo_traffic(b->halo);
	*result = (gemp_bfs_result){ 0 };
	cl_uint local;
	gemp_code code = gemp_frontier_source(&b->frontier, source, &local);
	if (code != GEMP_OK)
		return code;
	code = gemp_comm_agree(l->comm, run_search(b, local, result));
	if (code == GEMP_OK)
		sum_ranks(b, result);
	result->cost.traffic = gemp_halo_traffic_since(b->halo, &before);
	return code;
}
