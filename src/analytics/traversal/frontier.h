/* frontier: the common part of searches along the edges of a frontier. It has rows on a device, cut by their lengths,
 * and three bitmaps of local vertices: this frontier, the next frontier, and the frontier after that, which is being
 * cleared. It also runs the rounds.
 *
 * On one rank rounds are launched in batches. The device decides what the next launch does, or that there is nothing to
 * do (kernels/analytics/gas_frontier_abi.h). With several ranks the host reads the counters after each round, and the
 * ranks exchange the counters together with the values of the next frontier. */

#ifndef GEMP_ANALYTICS_TRAVERSAL_FRONTIER_H
#define GEMP_ANALYTICS_TRAVERSAL_FRONTIER_H

#include "analytics/halo/halo.h"
#include "analytics/layout/device_layout.h"
#include "gemp/types.h"
#include "kernels/analytics/gas_frontier_abi.h"
#include "shuffle/shuffle.h"

#include <string.h>

/* Launch geometry; 0: the device's default. Tests set other values. */
typedef struct gemp_frontier_shape {
	bool groups;       /* use the form for GPUs even on a CPU device, which is slow */
	uint32_t slice;    /* edges; longer rows are cut into slices of this length */
	uint32_t piece;    /* edges; longer rows without slices are given to warps in pieces */
	uint32_t lane_max; /* edges; several lanes of a warp share a longer row */
	uint32_t chunk;    /* bitmap words that a worker takes at a time */
	uint32_t batch;    /* launches before the host reads the counters; sssp on several ranks: before each exchange */
	uint32_t items;    /* work-items for each compute unit */
	uint32_t group;    /* work-items of a work-group */
} gemp_frontier_shape;

/* Rows on the device, and their slices. */
typedef struct gemp_frontier_rows {
	const gemp_device_rows *rows;
	gemp_buffer slices; /* [slice_count] row and number of the slice */
	gemp_buffer heads;  /* of `in` and `in_ghost`: the first end of each row, or the row itself if it is empty */
	cl_uint slice_count;
	cl_uint piece_count; /* of `out`: number of pieces */
} gemp_frontier_rows;

enum { GEMP_FRONTIER_KERNELS = 9, GEMP_FRONTIER_BITMAPS = 3 };

typedef struct gemp_frontier {
	gemp_device *device;       /* borrowed */
	const gemp_layout *layout; /* borrowed */
	gemp_frontier_shape shape;
	unsigned lanes;
	size_t group, items; /* work-items of a work-group, and of a launch */
	gemp_device_layout device_rows;
	gemp_frontier_rows out, in, in_ghost;
	gemp_buffer pieces, light; /* of `out`, see kernels/analytics/gas_frontier.clh */
	gemp_buffer bitmap[GEMP_FRONTIER_BITMAPS];
	/* number of the round: bitmap[current % 3] is the frontier, and the next bitmap is the next frontier */
	unsigned current;
	cl_uint words; /* words of a bitmap */
	gemp_buffer control;
	uint64_t state[GAS_CONTROL]; /* a copy of the control buffer, as last read or as it will be written */
	/* rounds of the last search; the next search launches this number before the host reads */
	unsigned rounds;
	gemp_program program;
	/* the cache has the program, with the code that its first launches compiled */
	bool stored;
	cl_kernel kernels[GEMP_FRONTIER_KERNELS]; /* in the order of the names that gemp_frontier_build was given */
	gemp_timings timings;
	double build_seconds;
} gemp_frontier;

/* Local. Copies rows and bitmaps to the device, and builds the kernels `names` of `file` with the compiler options
 * `options` and the options for the rows. parts: a set of gemp_layout_parts. */
gemp_code gemp_frontier_new(gemp_frontier *out, const gemp_layout *layout, gemp_device *device, unsigned parts,
                            const gemp_frontier_shape *shape, const char *file, const char *options,
                            const char *const *names, size_t count);
/* Builds the program with other options, and replaces the kernels. */
gemp_code gemp_frontier_build(gemp_frontier *frontier, const char *file, const char *options, const char *const *names,
                              size_t count);
void gemp_frontier_free(gemp_frontier *frontier);

/* *local: the local vertex of the id; UINT32_MAX: another rank owns the vertex. GEMP_EUSAGE: the graph has no such
 * vertex. */
gemp_code gemp_frontier_source(const gemp_frontier *frontier, gemp_vertex id, cl_uint *local);

/* Collective. A stage of a search from a local vertex; UINT32_MAX: the source is on another rank, or there is none. */
typedef gemp_code gemp_frontier_stage(void *self, cl_uint source);
/* Collective. Before the first search, GPUs search from no vertex, and find parents unless `parents` is NULL. At the
 * first launch of a kernel the driver loads the kernel's code, and at the first launch that uses a buffer it allocates
 * the memory. A first bfs of R-MAT 24 from a vertex without edges took 3.5 ms, of which .2 ms by the device's clock
 * (H200, 2026-11-30). The seconds count as building, and the codes are agreed. */
gemp_code gemp_frontier_warm_up(gemp_frontier *frontier, gemp_frontier_stage *search, gemp_frontier_stage *parents,
                                void *self);

/* Are at least half of the edges in rows that are cut into slices? */
bool gemp_frontier_has_hubs(const gemp_frontier *frontier);

/* The state with which a search begins, as an argument of the kernel that begins the search. ranks: the value of
 * GAS_DECIDE on several ranks. */
static inline gas_start gemp_frontier_start(gemp_frontier *frontier, uint64_t ranks)
{
	gas_start start;
	frontier->state[GAS_DECIDE] = frontier->layout->comm->size == 1 ? 1 : ranks;
	memcpy(&start, frontier->state, sizeof start);
	return start;
}

/* The bitmap of the frontier (after = 0), of the next frontier (1), or of the frontier after that (2). */
static inline const cl_mem *gemp_frontier_bitmap(const gemp_frontier *frontier, unsigned after)
{
	return &frontier->bitmap[(frontier->current + after) % GEMP_FRONTIER_BITMAPS].mem;
}

/* A timed launch of as many work-items as suit the device. Does not wait. */
#define gemp_frontier_launch(frontier, kernel, ...)                                         \
	gemp_frontier_launch_list((frontier), (kernel), (const gemp_argument[]){ __VA_ARGS__ }, \
	                          sizeof((gemp_argument[]){ __VA_ARGS__ }) / sizeof(gemp_argument))
gemp_code gemp_frontier_launch_list(gemp_frontier *frontier, int kernel, const gemp_argument *arguments, size_t count);

struct gemp_frontier_tuples;
/* A launch with GAS_ROWS_PARAMETERS and GAS_SPAN_PARAMETERS of kernels/analytics/gas_frontier_types.clh before the
 * arguments. If tuples are in use, GAS_TUPLES_PARAMETERS of gas_tuples.clh follow the arguments, and the list of tuples
 * is emptied first. */
#define gemp_frontier_launch_push(frontier, kernel, tuples, ...)                                           \
	gemp_frontier_launch_push_list((frontier), (kernel), (tuples), (const gemp_argument[]){ __VA_ARGS__ }, \
	                               sizeof((gemp_argument[]){ __VA_ARGS__ }) / sizeof(gemp_argument))
gemp_code gemp_frontier_launch_push_list(gemp_frontier *frontier, int kernel, const struct gemp_frontier_tuples *tuples,
                                         const gemp_argument *arguments, size_t count);

/* gemp_frontier_read copies the control buffer to `state` and waits. gemp_frontier_write copies `state` back without
 * waiting, so `state` must not change until the next read. */
gemp_code gemp_frontier_read(gemp_frontier *frontier);
gemp_code gemp_frontier_write(gemp_frontier *frontier);

/* The parts of a search that differ between algorithms. */
typedef struct gemp_frontier_search {
	void *self;
	/* launches a round; several launches each move `current`, except the last one */
	gemp_code (*launch)(void *self);
	/* on several ranks: the bitmap of the vertices that are sent; NULL: the next frontier is sent */
	const gemp_buffer *(*changed)(void *self);
	/* decides what the next round does; on one rank the device applies the same rule */
	void (*rule)(uint64_t *control);
	/* The set of modes whose launches set the bits of messages (gemp_halo_marks), as bits 1 << mode; the bits of the
	 * source are set in any case. 0: the halo has no marks */
	unsigned marked;
	gemp_halo *halo;           /* exchange of values; NULL on one rank */
	const gemp_buffer *values; /* [known] values that are sent with the frontier; NULL: only bits are sent */
} gemp_frontier_search;
/* Collective. Runs rounds until the mode in frontier->state is 0. A kernel that the caller has launched has filled the
 * control buffer with frontier->state (gas_begin). code: the code of this rank's previous steps. The seconds of the
 * halo exchange and of waiting for other ranks are added to *exchange. */
gemp_code gemp_frontier_run(gemp_frontier *frontier, const gemp_frontier_search *search, gemp_code code,
                            double *exchange);

gemp_code gemp_frontier_run_ranks(gemp_frontier *frontier, const gemp_frontier_search *search, gemp_code code,
                                  double *exchange);

/* Reads the first `size` bytes of a buffer, a multiple of 4, and waits. */
gemp_code gemp_frontier_fetch(gemp_frontier *frontier, const gemp_buffer *from, void *to, size_t size);

/* Waits. *seconds: the device time of the launches since the last call. */
gemp_code gemp_frontier_seconds(gemp_frontier *frontier, double *seconds);

/* Edges as tuples of a target and a value. A shuffle groups the tuples by ranges of targets before they are gathered
 * (--pass shuffle). */
typedef struct gemp_frontier_tuples {
	gemp_frontier *frontier; /* borrowed; NULL: tuples are not in use */
	gemp_toolbox *box;
	gemp_shuffle how;
	cl_uint ranges;
	size_t capacity; /* number of tuples */
	gemp_buffer target, value, target_out, value_out, begin, extent;
} gemp_frontier_tuples;

/* The options of the program, GAS_SHUFFLE and GAS_RANGE, for values of this size. */
enum { GEMP_TUPLES_OPTIONS_SIZE = 48 };
void gemp_frontier_tuples_options(char options[GEMP_TUPLES_OPTIONS_SIZE], size_t value_size);

/* Local. The caller frees *out even after a failure. GEMP_EUSAGE: this rank has too many edges or vertices. */
gemp_code gemp_frontier_tuples_new(gemp_frontier_tuples *out, gemp_frontier *frontier, size_t value_size);
void gemp_frontier_tuples_free(gemp_frontier_tuples *tuples);

/* Called after gemp_frontier_launch_push. Groups the tuples and launches the kernel that gathers them. The arguments
 * follow the arguments for the tuples. */
#define gemp_frontier_tuples_gather(tuples, kernel, ...)                                         \
	gemp_frontier_tuples_gather_list((tuples), (kernel), (const gemp_argument[]){ __VA_ARGS__ }, \
	                                 sizeof((gemp_argument[]){ __VA_ARGS__ }) / sizeof(gemp_argument))
gemp_code gemp_frontier_tuples_gather_list(gemp_frontier_tuples *tuples, int kernel, const gemp_argument *arguments,
                                           size_t count);

/* The cost of a run of bfs or sssp. Times are in seconds. */
typedef struct gemp_traversal_cost {
	double device;   /* the search's launches, by the device's clock */
	double wall;     /* the search, until the host knows that it has ended */
	double parents;  /* the stage that finds parents */
	double download; /* the download of results */
	double exchange; /* the part of `wall` in which the host exchanged messages or waited for other ranks */
	uint64_t rounds;
	uint64_t edges;       /* on all ranks: bfs: edges that leave reached vertices; sssp: relaxed edges */
	gemp_traffic traffic; /* traffic of this rank */
} gemp_traversal_cost;

#endif
