/* view_lists: the rows that a view reads, as lists by id, and what follows from them: degrees and parallel edges.
 *
 * A view of relations in one direction reads one list for each relation and direction, unless the graph file has an
 * index with the merged rows of exactly these relations in this direction (gemp_row_index). Then it reads that list
 * alone, and the relations need not be loaded. An index has no edge numbers. */

#ifndef GEMP_PARTITION_VIEWS_VIEW_LISTS_H
#define GEMP_PARTITION_VIEWS_VIEW_LISTS_H

#include "comm/comm.h"
#include "graph/graph.h"

typedef enum gemp_view_direction { GEMP_VIEW_OUT, GEMP_VIEW_IN, GEMP_VIEW_EITHER } gemp_view_direction;

typedef struct gemp_view_key {
	const bool *relations; /* [graph->relation_count]; borrowed */
	gemp_view_direction direction;
	bool simple; /* loops are dropped and parallel edges merged */
	bool edges;  /* the view has edge numbers */
} gemp_view_key;

/* Rows of this rank, in place. */
typedef struct gemp_view_list {
	const uint64_t *offsets;       /* [graph->rows + 1] */
	const gemp_vertex *neighbours; /* [offsets[rows]] ids, ascending in a row */
	/* [offsets[rows]] entry i is edge first + numbers[i]; NULL: edge first + i. Numbers are through all relations. */
	const gemp_edge *numbers;
	gemp_edge first;
	bool drops_loops; /* the view takes no loop from this list */
} gemp_view_list;

typedef struct gemp_view_lists {
	size_t count;
	gemp_view_list *list; /* [count] */
} gemp_view_lists;

/* Returns the parts of relations that a view of this direction reads. */
unsigned gemp_view_parts(gemp_view_direction direction);
/* The index whose rows the view reads, or NULL. */
gemp_row_index *gemp_view_index(const gemp_shard *graph, const gemp_view_key *key);
/* Appends a line that names this index, if there is one: "  index of rows: A|B:out". */
void gemp_view_index_print(const gemp_shard *graph, const gemp_view_key *key, gemp_text *out);
/* Collective. Loads the index that the view reads, or the parts of its relations. */
gemp_code gemp_view_load(gemp_shard *graph, const gemp_view_key *key);
/* True if the rows that the view reads are loaded. */
bool gemp_view_is_loaded(const gemp_shard *graph, const gemp_view_key *key);

/* Local. Lists the rows of the view, which are loaded. An either-way view takes a loop (v, v) once, from the row by
 * source. */
gemp_code gemp_view_lists_new(gemp_view_lists *out, const gemp_shard *graph, const gemp_view_key *key);
void gemp_view_lists_free(gemp_view_lists *lists);

/* The sum of the degrees of own rows [begin, end) in these lists. Loops and parallel edges count, too. */
uint64_t gemp_view_entries(const gemp_view_lists *lists, size_t begin, size_t end);
/* Adds the degrees of this rank's vertices in the view to degree[rows]. The rows are loaded. */
gemp_code gemp_view_degrees(const gemp_shard *graph, const gemp_view_key *key, uint64_t *degree);

/* Collective. *parallel becomes whether the view joins some pair of vertices more than once. The rows are loaded. For a
 * view of one relation the graph stores the answer, and an index has it. */
gemp_code gemp_view_parallel(const gemp_comm *comm, gemp_shard *graph, const gemp_view_key *key, bool *parallel);
/* Collective. *loops becomes whether some edge of the view's relations is a loop. The rows are loaded. */
gemp_code gemp_view_loops(const gemp_comm *comm, gemp_shard *graph, const gemp_view_key *key, bool *loops);

#endif
