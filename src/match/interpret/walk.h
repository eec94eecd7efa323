/* walk: executes the steps of a plan on the host, depth first, for one task (a pivot or a seed) at a time. Walkers of
 * several threads share one gemp_walk, which is constant, and each has its own gemp_walker.
 *
 * A walker tests what a kernel tests, over the same plan. Of the rows that contain all candidates of a step it walks
 * the shortest, and it searches the other rows by galloping (Bentley and Yao 1976), since candidates ascend. The
 * position of every step is part of the walker, so a walker that has no place for a row, or whose time is over, stops
 * and continues later at the same candidate.
 *
 * If the rows do not fit into a cache, a thread has several walkers. A walker requests memory and lets the others move
 * until the memory has come (asynchronous memory access chaining, Kocberber et al. 2015). A move ends where the next
 * read would wait: at the offsets of the rows of a bound vertex, and at the first entries of these rows. */

#ifndef GEMP_MATCH_INTERPRET_WALK_H
#define GEMP_MATCH_INTERPRET_WALK_H

#include "match/interpret/host_rows.h"
#include "pattern/plan/plan.h"

#include <stdatomic.h>

/* What all walkers of a run share. Vertices are slots, or ids if the rows are numbered by ids. */
typedef struct gemp_walk {
	const gemp_plan *plan;
	const gemp_host_rows *rows;
	const uint32_t *candidates[GEMP_MAX_PATTERN_VERTICES]; /* bits by slot; NULL: any vertex */
	const uint32_t *key_rank;                              /* by id; NULL unless the plan compares keys */
	bool listed;                                           /* rows are stored, and not only counted */
	bool first_only;                                       /* one row of each task is enough */
	bool alone;                                            /* a thread has one walker, which moves to the task's end */
	bool grouped;                                          /* rows are groups (group_walk.h) */
	uint64_t per;                                          /* pattern vertices at whose images matches are counted */
	uint64_t *vertex_counts;                               /* [vertices] by slot; NULL unless per */
	size_t max_rows;                                       /* number of rows that a thread stores */
	uint64_t budget;                                       /* entries and lookups after which all walkers stop */
	double deadline;                                       /* gemp_now() after which walkers stop */
	_Atomic uint64_t work;                                 /* entries and lookups of all walkers of this run */
} gemp_walk;

/* The position of a step: entry `at` of the walked row, whose candidates end at `end`, and for each other check the
 * entries of its row that can still contain a candidate. */
typedef struct gemp_walk_cursor {
	const gemp_host_view *view;
	gemp_vertex from; /* the vertex whose row is walked */
	size_t walked;    /* the check of the walked row */
	uint64_t at, end;
	struct {
		uint64_t at, end;
	} rest[GEMP_MAX_CHECKS];
} gemp_walk_cursor;

/* Matches that the walkers of one thread have found. */
typedef struct gemp_walk_rows {
	size_t rows, vertex_capacity, edge_capacity, times_capacity;
	gemp_vertex *vertices; /* [rows][plan->vertex_count] ids */
	gemp_edge *edges;      /* [rows][plan->edge_count], if the plan has live edges */
	uint64_t *times;       /* [rows] matches that each row stands for, if rows are groups (group_walk.h) */
} gemp_walk_rows;

typedef struct gemp_walker {
	gemp_walk *walk;
	gemp_walk_rows *out; /* borrowed */
	bool active;         /* the walker has stopped within a task */
	bool enters;         /* the step's rows have not been chosen yet */
	int level;           /* the step that continues */
	gemp_vertex image[GEMP_MAX_PATTERN_VERTICES];
	gemp_edge edge[GEMP_MAX_PATTERN_EDGES];
	gemp_walk_cursor *cursor; /* [plan->step_count] owned */
	uint32_t *table; /* [vertices] two-paths from the pivot, all 0 between tasks; NULL unless plan->two_paths */
	bool filled;

	uint64_t found;
	/* [plan->step_count] partial matches that passed each step; row entries walked; lookups in rows */
	uint64_t passed[GEMP_MAX_STEPS], entries[GEMP_MAX_STEPS], lookups[GEMP_MAX_STEPS];
	uint64_t work, reported; /* entries and lookups so far, and the part of them that walk->work has */
	gemp_code code;          /* of the first failure */
} gemp_walker;

/* The number of walkers of a thread. A walker with a table of two-paths is alone, since a table has an element for each
 * vertex. */
size_t gemp_walk_walkers(const gemp_walk *walk);

gemp_code gemp_walker_init(gemp_walker *walker, gemp_walk *walk, gemp_walk_rows *out);
void gemp_walker_free(gemp_walker *walker);

/* Begins a task: the slot of a pivot, or the slots of a seed's vertices. */
void gemp_walker_begin(gemp_walker *walker, const gemp_vertex *task);
/* Continues the task for one move. walker->active is false if the task has ended. A walker whose thread's rows are full
 * does nothing. Returns false if the time or the budget of all walkers is over, which is found out once. */
bool gemp_walker_move(gemp_walker *walker);
/* Adds the work to that of all walkers, once enough has come together. Returns true if the time or budget is over. */
bool gemp_walker_is_due(gemp_walker *walker);
/* Chooses the row that step s walks, and its first and last candidates. All vertices of earlier steps are bound. */
void gemp_walker_enter(gemp_walker *walker, int s);
/* Ends the task without its other matches. */
void gemp_walker_abandon(gemp_walker *walker);

#endif
