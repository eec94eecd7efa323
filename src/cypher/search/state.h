/* state: what the modules of search/ share: the search, and the rows of one MATCH in the making. Internal to
 * search/. */

#ifndef GEMP_CYPHER_SEARCH_STATE_H
#define GEMP_CYPHER_SEARCH_STATE_H

#include "cypher/clause/table.h"
#include "cypher/evaluate/environment.h"
#include "cypher/search/commands.h"
#include "cypher/search/store.h"

struct gemp_cypher_search {
	gemp_cypher_session session;
	gemp_cypher_store store;    /* rank 0 */
	gemp_cypher_graph elements; /* the functions of the store */
	const gemp_cypher_graph
		*graph; /* elements as the query sees them; `elements`, unless the query changes the graph */
	gemp_datum_writer writer;
};

/* Rows of elements. cells[rows][width]: the number of the row that is extended, the vertices of the plan, then its
 * hops. A hop is the id of an edge, or the index of a trail if it is variable. GEMP_CY_UNKNOWN: not known yet. */
typedef struct gemp_cypher_frame {
	size_t width, rows, capacity;
	uint64_t *cells; /* [rows * width] */
} gemp_cypher_frame;

#define GEMP_CY_UNKNOWN UINT64_MAX

/* Trails form a tree: each one is its parent and one more relationship. A trail of length 0 is a vertex. */
typedef struct gemp_cypher_trail {
	gemp_edge edge;
	size_t parent;
	gemp_vertex vertex; /* its end */
	uint32_t length;
} gemp_cypher_trail;

typedef struct gemp_cypher_trails {
	size_t count, capacity;
	gemp_cypher_trail *trails;
} gemp_cypher_trails;

/* A MATCH that rank 0 answers, step by step. */
typedef struct gemp_cypher_answer {
	struct gemp_cypher_search *search;
	gemp_cypher_match_plan *plan;
	size_t plan_number;
	const gemp_cypher_table *in;
	gemp_cypher_frame frame;
	gemp_cypher_trails trails;
	size_t bound_count; /* hops that the frame has */
	size_t *bound_hops; /* [plan->hop_count] */
	bool complete;      /* all steps are done */
	bool missing;       /* a given relationship of the row is not in the graph */
} gemp_cypher_answer;

static inline uint64_t *gemp_cypher_frame_row(const gemp_cypher_frame *frame, size_t row)
{
	return frame->cells + row * frame->width;
}

static inline size_t gemp_cypher_vertex_cell(size_t vertex)
{
	return 1 + vertex;
}

static inline size_t gemp_cypher_hop_cell(const gemp_cypher_match_plan *plan, size_t hop)
{
	return 1 + plan->vertex_count + hop;
}

static inline bool gemp_cypher_is_known(const uint64_t *row, size_t cell)
{
	return row[cell] != GEMP_CY_UNKNOWN;
}

/* Appends a copy of a row, which may lie in another frame. *out is valid until the next addition. */
gemp_code gemp_cypher_frame_add(gemp_cypher_frame *frame, const uint64_t *row, uint64_t **out);
void gemp_cypher_frame_free(gemp_cypher_frame *frame);
/* Takes the rows of `next`, which becomes empty, and frees those of `frame`. */
void gemp_cypher_frame_replace(gemp_cypher_frame *frame, gemp_cypher_frame *next);

gemp_code gemp_cypher_trail_add(gemp_cypher_trails *trails, size_t parent, gemp_edge edge, gemp_vertex vertex,
                                size_t *index);
gemp_code gemp_cypher_trail_root(gemp_cypher_trails *trails, gemp_vertex vertex, size_t *index);
bool gemp_cypher_trail_has(const gemp_cypher_trails *trails, size_t trail, gemp_edge edge);

/* True if a hop of the row has this relationship. Relationships of shortest paths do not count. */
bool gemp_cypher_row_has_edge(const gemp_cypher_answer *answer, const uint64_t *row, gemp_edge edge);
bool gemp_cypher_row_meets_trail(const gemp_cypher_answer *answer, const uint64_t *row, size_t trail);

/* STEPS. Each one replaces the frame. */
gemp_code gemp_cypher_step_given(gemp_cypher_answer *answer, const gemp_cypher_step *step);
gemp_code gemp_cypher_step_search(gemp_cypher_answer *answer, size_t step);
gemp_code gemp_cypher_step_expand(gemp_cypher_answer *answer, size_t step, const gemp_cypher_environment *environment);

#endif
