/* engine: the state of a count engine, the steps of its preparation, and the sums over cliques.
 *
 * Every step runs on one device of each rank and reads what earlier steps stored in gemp_count_graph. The steps are:
 * rows (upload, split into lower and upper neighbours, low rows); supports (the number of triangles on each edge);
 * vertex tables (sums over the neighbours of each vertex, in the order of the plan); task lists of cliques.
 *
 * Cliques of four or more vertices are counted with bitmaps (kernels/count/count_clique.cl). A task is a vertex. The d
 * vertices of its low row form a bitmap of d rows of d bits, and a clique is found by intersecting rows of the bitmap.
 * A GPU has a work-group for each task. The bitmap lies in local memory if it fits, otherwise in a slab of global
 * memory. A CPU device has a worker for each compute unit, with a slab of its own. Ranks take tasks, or chunks of
 * tasks, in turn. */

#ifndef GEMP_COUNT_ENGINE_H
#define GEMP_COUNT_ENGINE_H

#include "count/host_graph.h"
#include "count/wedges_grouped.h"
#include "partition/views/resident.h"

/* The inputs that the sums of a plan read. */
typedef struct gemp_count_needs {
	bool low;             /* low rows */
	bool support;         /* supports in the low rows */
	bool ordered_support; /* ordered supports; CPU devices only */
	bool both_entries;    /* supports at both entries of an edge */
	bool maps;            /* CPU devices: a word per vertex for each worker */
	bool cliques;
} gemp_count_needs;

struct gemp_count_engine {
	gemp_runtime *context;
	const gemp_count_plan *plan;
	bool on_host;         /* `host` is used, and no member below `rows` and `view` */
	gemp_host_graph host; /* the inputs of the sums on the host */
	gemp_count_needs needs;
	unsigned lanes; /* work-items that share a row in sums over triangles */
	gemp_resident *rows;
	gemp_view *view;         /* the view of `rows` */
	uint64_t *upper_offsets; /* [vertices] */
	uint64_t *low_offsets;   /* [vertices + 1]; NULL if the plan needs no low rows */
	gemp_count_graph graph;
	gemp_program rows_program;          /* row and support kernels, shared by all plans */
	gemp_program program;               /* kernels of this plan's tables and sums; empty if there are none */
	gemp_wedges *wedges[GEMP_MAX_SUMS]; /* NULL for sums that are not over wedges */
	/* sums: count_sum_I or count_narrow_I; large: count_large_I; NULL for sums without such a kernel */
	cl_kernel sums[GEMP_MAX_SUMS], large[GEMP_MAX_SUMS];
	gemp_buffer maps;        /* [workers * vertices] uint, 0 between launches; CPU devices only */
	gemp_buffer clique_list; /* [vertices] the vertices with the longest low rows first; GPUs only */
	uint32_t *clique_count;  /* [max_prefix + 2] number of low rows of at least this length */
	gemp_buffer slab;        /* slots and bitmaps of cliques in global memory */
	uint64_t slab_words;     /* words of one group or worker */
	gemp_partials partials;
	bool checked; /* some kernel checks for values that may not fit into 64 bits */
	double preparation, support_seconds;
	uint64_t prepared; /* number of preparation launches */
};

/* The shape of a launch: `groups` groups of `group` work-items. On a CPU device group is 1. */
typedef struct gemp_count_shape {
	size_t group, groups;
} gemp_count_shape;

/* Local. Uploads and splits the rows, and makes the low rows. The program must have been built. */
gemp_code gemp_count_rows(gemp_count_engine *engine, gemp_timings *timings);
/* Collective. Computes the supports. */
gemp_code gemp_count_support(gemp_count_engine *engine, gemp_timings *timings);
/* Local. Computes the vertex tables. */
gemp_code gemp_count_tables(gemp_count_engine *engine, gemp_timings *timings);

/* Returns the shape for `tasks` tasks of `lanes` work-items each, in groups of at most `wanted` work-items. */
gemp_count_shape gemp_count_launch_shape(const gemp_device *device, uint64_t tasks, unsigned lanes, size_t wanted);

/* Launches a kernel in that shape and adds the launch to the timings. */
#define gemp_count_launch(engine, timings, kernel, shape, ...)                                                      \
	gemp_launch_timed((timings), (engine)->context->device, (kernel), (shape).group *(shape).groups, (shape).group, \
	                  __VA_ARGS__)

/* CLIQUES */

/* Is some low row so long that its bitmap does not fit into local memory? */
bool gemp_count_cliques_large(const gemp_device *device, uint32_t longest_low);
/* Are the longest low rows so short that the kernel count_narrow_I is faster than count_sum_I? */
bool gemp_count_cliques_narrow(const gemp_device *device, uint32_t longest_low);
/* Local. Makes the task list and the slab, if the plan has sums over cliques. GEMP_EDATA if a low row is too long. */
gemp_code gemp_count_cliques_prepare(gemp_count_engine *engine);
/* Local. Launches sum `index`. Its partial sums become number first .. first + *groups - 1. */
gemp_code gemp_count_cliques_launch(gemp_count_engine *engine, size_t index, size_t first, size_t *groups,
                                    gemp_timings *timings);

#endif
