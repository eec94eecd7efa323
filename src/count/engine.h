/* engine: the state of a count engine, the steps of its preparation, and the sums over cliques. For src/count.
 *
 * Every step runs on one device of each rank: rows (upload, split into lower and upper neighbours, low rows), supports
 * (the number of triangles on each edge), vertex tables (sums over the neighbours of each vertex, in the order of the
 * plan), then the task lists of cliques. Later steps read what earlier steps left in gemp_count_graph.
 *
 * Cliques of four or more vertices are counted by bitmaps of the low rows (kernels/count/count_clique.cl). A task is a
 * vertex. Its low row, the d neighbours of smaller slot, becomes d rows of d bits, and a clique is found by
 * intersecting rows. A GPU has a work-group for each task, with the bits in local memory where they fit and in a slab
 * of global memory otherwise. A CPU device has a worker for each compute unit with its own slab. Tasks are dealt to
 * ranks in turn.
 */

#ifndef GEMP_COUNT_ENGINE_H
#define GEMP_COUNT_ENGINE_H

#include "count/wedges_grouped.h"
#include "partition/views/resident.h"

/* What the sums of a plan read. */
typedef struct gemp_count_needs {
	bool low;             /* low rows */
	bool support;         /* at the low rows */
	bool ordered_support; /* at entries whose neighbour comes after the row's vertex; CPU devices only */
	bool both_entries;    /* at both entries of an edge */
	bool maps;            /* on a CPU device: a word a vertex for each worker */
	bool cliques;
} gemp_count_needs;

struct gemp_count_engine {
	gemp_runtime *context;
	const gemp_count_plan *plan;
	gemp_count_needs needs;
	unsigned lanes; /* that share a row in sums over triangles */
	gemp_resident *rows;
	gemp_view *view;         /* of rows */
	uint64_t *upper_offsets; /* [vertices] */
	uint64_t *low_offsets;   /* [vertices + 1]; none without low rows */
	gemp_count_graph graph;
	gemp_program rows_program;          /* shared by all plans: rows, supports */
	gemp_program program;               /* tables and sums of this plan; none if these have no kernel */
	gemp_wedges *wedges[GEMP_MAX_SUMS]; /* NULL: not a sum over wedges */
	cl_kernel sums[GEMP_MAX_SUMS], large[GEMP_MAX_SUMS]; /* NULL: not a kernel of this program */
	gemp_buffer maps;        /* [workers * vertices] uint, 0 between launches; CPU devices only */
	gemp_buffer clique_list; /* vertices with low rows, the longest first; GPUs only */
	uint32_t *clique_count;  /* [longest_prefix + 2] low rows at least so long */
	gemp_buffer slab;        /* bits of cliques that are not in local memory */
	uint64_t slab_words;     /* of each group */
	gemp_partials partials;
	bool checked; /* some kernel reports values that may not fit into 64 bits */
	double preparation, support_seconds;
	uint64_t prepared; /* launches */
};

/* How a launch divides tasks: groups of `group` work-items; the CPU's are of one. */
typedef struct gemp_count_shape {
	size_t group, groups;
} gemp_count_shape;

/* Local. The device's part of preparation, after the program is built. */
gemp_code gemp_count_rows(gemp_count_engine *engine, gemp_timings *timings);
/* Collective. Supports. */
gemp_code gemp_count_support(gemp_count_engine *engine, gemp_timings *timings);
/* Local. Vertex tables. */
gemp_code gemp_count_tables(gemp_count_engine *engine, gemp_timings *timings);

/* `tasks` of `lanes` work-items each in groups of about `wanted`. */
gemp_count_shape gemp_count_launch_shape(const gemp_device *device, uint64_t tasks, unsigned lanes, size_t wanted);

/* One launch of that shape, with its timing. */
#define gemp_count_launch(engine, timings, kernel, shape, ...)                                                      \
	gemp_launch_timed((timings), (engine)->context->device, (kernel), (shape).group *(shape).groups, (shape).group, \
	                  __VA_ARGS__)

/* CLIQUES */

/* Is some low row too long for its bitmap to fit into local memory? */
bool gemp_count_cliques_large(const gemp_device *device, uint32_t longest_low);
/* Are the rows of bits so short that the kernel count_narrow_I is faster than count_sum_I? */
bool gemp_count_cliques_narrow(const gemp_device *device, uint32_t longest_low);
/* Local. Makes the task list and the slab, if the plan has sums over cliques. GEMP_EDATA if a low row is too long. */
gemp_code gemp_count_cliques_prepare(gemp_count_engine *engine);
/* Local. Launches sum `index`; partial sums [first, first + *groups) receive its result. */
gemp_code gemp_count_cliques_launch(gemp_count_engine *engine, size_t index, size_t first, size_t *groups,
                                    gemp_timings *timings);

#endif
