/* count_parts: the engine's own, for its files. */
#ifndef GEMP_COUNT_COUNT_PARTS_H
#define GEMP_COUNT_COUNT_PARTS_H

#include "count/count.h"
#include "count/count_graph.h"
#include "count/partials.h"
#include "device/laps.h"
#include "partition/resident.h"

/* What the sums of a plan read. */
typedef struct gemp_count_needs {
	bool low;      /* low rows */
	bool support;  /* at the low rows */
	bool over;     /* at entries of what comes after; CPU devices only */
	bool spread;   /* at both entries of an edge */
	bool maps;     /* on a CPU device: a word a vertex for each worker */
	bool cliques;
} gemp_count_needs;

/* How a launch divides tasks: groups of `group` work-items; the CPU's are of one. */
typedef struct gemp_count_shape {
	size_t group, groups;
} gemp_count_shape;

struct gemp_count_engine {
	gemp_context *context;
	const gemp_count_plan *plan;
	gemp_count_needs needs;
	unsigned lanes;           /* that share a row in sums over triangles */
	gemp_resident *rows;
	gemp_view *view;          /* of rows */
	uint64_t *mid;            /* [vertices] */
	uint64_t *low_begin;      /* [vertices + 1]; none without low rows */
	gemp_count_graph graph;
	gemp_program rows_program; /* what all plans read: rows, supports */
	gemp_program program;      /* tables and sums of this plan; none if these have no kernel */
	gemp_sweep *sweeps[GEMP_MAX_SUMS]; /* NULL: not a sum that is swept over */
	cl_kernel sums[GEMP_MAX_SUMS], large[GEMP_MAX_SUMS]; /* NULL: not a kernel of this program */
	gemp_buffer maps;         /* [workers * vertices] uint, 0 between launches; CPU devices only */
	gemp_buffer clique_list;  /* vertices with low rows, the longest first; GPUs only */
	uint32_t *clique_count;   /* [longest_prefix + 2] low rows at least so long */
	gemp_buffer slab;         /* bits of cliques that are not in local memory */
	uint64_t slab_words;      /* of each group */
	gemp_partials partials;
	bool checked;             /* some kernel says where a value may pass what 64 bits hold */
	double preparation, support_seconds;
	uint64_t prepared;        /* launches */
};

/* Local. The device's part of preparation, after the program is built (count_rows.c). */
gemp_code gemp_count_rows(gemp_count_engine *engine, gemp_laps *laps);
/* Collective. Supports (support.c). */
gemp_code gemp_count_support(gemp_count_engine *engine, gemp_laps *laps);
/* Local. Vertex tables (tables.c). */
gemp_code gemp_count_tables(gemp_count_engine *engine, gemp_laps *laps);
/* May some low row be too long for its bits to be in local memory? */
bool gemp_count_cliques_large(const gemp_device *device, uint32_t longest_low);
/* Are the rows of bits so short that count_narrow_I is faster than count_sum_I? */
bool gemp_count_cliques_narrow(const gemp_device *device, uint32_t longest_low);
/* Local. Task lists and memory for cliques (cliques.c). */
gemp_code gemp_count_cliques_prepare(gemp_count_engine *engine);

/* Local. Launch sum `index`, one of the engine's own; groups [first, first + *groups) of partials get it (sums.c,
 * cliques.c). */
gemp_code gemp_count_sum_launch(gemp_count_engine *engine, size_t index, size_t first, size_t *groups, gemp_laps *laps);
gemp_code gemp_count_cliques_launch(gemp_count_engine *engine, size_t index, size_t first, size_t *groups, gemp_laps *laps);
/* The most groups that a sum's launches have. */
size_t gemp_count_sum_groups(const gemp_count_engine *engine);

/* `tasks` of `lanes` work-items each in groups of about `wanted`. */
gemp_count_shape gemp_count_shape_of(const gemp_device *device, uint64_t tasks, unsigned lanes, size_t wanted);

/* One launch of a kernel, with its lap. */
#define gemp_count_launch(engine, laps, kernel, shape, ...)                                                      \
	gemp_count_launch_with((engine), (laps), (kernel), (shape), (const gemp_argument[]){ __VA_ARGS__ },      \
	                       sizeof((gemp_argument[]){ __VA_ARGS__ }) / sizeof(gemp_argument))
gemp_code gemp_count_launch_with(gemp_count_engine *engine, gemp_laps *laps, cl_kernel kernel, gemp_count_shape shape,
                                 const gemp_argument *arguments, size_t count);

#endif
