/* host_rows: the rows that the interpreter of plans reads, of all vertices of the graph.
 *
 * If each view of the plan is one relation in one direction, or the graph file has an index of its rows, and there is
 * a single rank, the rows are those of the shard, in place, and vertices are numbered by ids. Rows of other views are
 * merged copies (partition/views/resident.h), which the ranks of a node share and the runtime keeps for the next
 * question. If a plan has only one view, and it must be copied, the copy is in the order of slots, as devices have
 * it: order restrictions then cut the rows of vertices with high degrees. Copies of several views are in the order of
 * ids, so that questions with other views can use the same copies. */

#ifndef GEMP_MATCH_INTERPRET_HOST_ROWS_H
#define GEMP_MATCH_INTERPRET_HOST_ROWS_H

#include "partition/views/resident.h"
#include "pattern/plan/plan.h"

typedef struct gemp_host_view {
	const uint64_t *begin;         /* [vertices + 1] */
	const gemp_vertex *neighbours; /* [begin[vertices]] ascending in a row */
	const gemp_edge *edges;        /* the number of entry i is first_edge + edges[i]; NULL: first_edge + i */
	gemp_edge first_edge;
	/* the rows of a simple view are in place: entries that are loops or repeat the entry before must be skipped */
	bool skips;
} gemp_host_view;

typedef struct gemp_host_rows {
	uint64_t vertices;
	const gemp_slot_order *order; /* NULL: vertices are numbered by ids */
	size_t view_count;
	gemp_host_view views[GEMP_MAX_VIEWS];
	size_t copy_count;
	gemp_resident *copies[GEMP_MAX_VIEWS]; /* [copy_count] */
} gemp_host_rows;

/* Collective. Loads the relations of the plan's views and makes the rows. The graph outlives the rows. */
gemp_code gemp_host_rows_new(gemp_host_rows *out, gemp_runtime *context, gemp_shard *graph, const gemp_plan *plan);
void gemp_host_rows_free(gemp_host_rows *rows); /* collective over the ranks of a node */

/* True if an entry does not belong to a view that skips entries, although it is in the row: a loop, or one of several
 * parallel edges. */
static inline bool gemp_host_view_skips(const gemp_host_view *view, gemp_vertex from, uint64_t at)
{
	const gemp_vertex *near = view->neighbours;
	return near[at] == from || (at > view->begin[from] && near[at] == near[at - 1]);
}

/* The number of the edge of an entry. */
static inline gemp_edge gemp_host_view_edge(const gemp_host_view *view, uint64_t at)
{
	return view->first_edge + (view->edges ? view->edges[at] : at);
}

/* The slot of an id, and the id of a slot. */
static inline gemp_vertex gemp_host_rows_slot(const gemp_host_rows *rows, gemp_vertex id)
{
	return rows->order ? rows->order->slot_of[id] : id;
}

static inline gemp_vertex gemp_host_rows_id(const gemp_host_rows *rows, gemp_vertex slot)
{
	return rows->order ? rows->order->id_of[slot] : slot;
}

#endif
