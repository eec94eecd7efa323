/* group_walk: counts the matches of groups while a walker finds them, so that a row stands for all matches that agree
 * in the pivot and in one other vertex of the pattern, or in the pivot alone. This is eager aggregation (Yan and Larson
 * 1995) for a search that walks all matches of a pivot one after the other.
 *
 * A thread has an array of counters, by slot of the other vertex, and a list of the counters that are not 0. A pivot
 * that has been walked to its end leaves one row for each listed counter, and zeros. The groups of a pivot are whole
 * then, so those that the caller does not want are left out at once. The array has an element for each vertex of the
 * graph: a larger search needs about as many of them as it visits, and a smaller one makes rows (match/match_host.c).
 *
 * Only plans whose steps each walk one row are suited. A thread has one walker then, which requests memory of the rows
 * ahead of it. */

#ifndef GEMP_MATCH_INTERPRET_GROUP_WALK_H
#define GEMP_MATCH_INTERPRET_GROUP_WALK_H

#include "match/interpret/walk.h"
#include "match/planner/match_options.h"

/* The groups of a thread. */
typedef struct gemp_group_walk {
	const gemp_group_request *wanted; /* borrowed */
	int other;                        /* the other vertex of a group; -1: none */
	uint64_t min_rows;                /* rows of a group that is not left out */
	uint32_t *count;     /* [vertices] matches of the pivot by slot of `other`, without those in carried[] */
	uint64_t *carried;   /* [vertices] NULL until a counter would pass its maximum */
	gemp_vertex *listed; /* [vertices + 1] slots whose counters are not 0 */
	size_t listed_count;
	uint64_t held;  /* no counter is larger */
	uint64_t *best; /* [wanted->top] a heap of the largest numbers of rows, the smallest first; NULL: all are wanted */
	size_t best_count;
	bool stopped; /* the budget of all walkers was over within a pivot */
} gemp_group_walk;

/* True if the plan is suited and the rows that agree in the request's vertices are the groups of a pivot. */
bool gemp_group_walk_suits(const gemp_plan *plan, const gemp_group_request *wanted);
/* The arrays of a thread, for a graph of so many vertices. */
size_t gemp_group_walk_memory(uint64_t vertices);

gemp_code gemp_group_walk_init(gemp_group_walk *groups, const gemp_walk *walk, const gemp_group_request *wanted);
void gemp_group_walk_free(gemp_group_walk *groups);
/* Forgets all counters and numbers of rows. */
void gemp_group_walk_clear(gemp_group_walk *groups);

/* Walks the task that the walker has begun to its end, and appends its groups to the walker's rows. If the budget of
 * all walkers is over, the task stays active without its groups, and the run must be given up. */
void gemp_group_walk_task(gemp_group_walk *groups, gemp_walker *walker);
/* Removes the rows with fewer matches than the groups that are wanted, as far as this thread knows them. */
void gemp_group_walk_cut(const gemp_group_walk *groups, gemp_walk_rows *rows, size_t width);

#endif
