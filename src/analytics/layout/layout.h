/* layout: the edges of a graph as a rank stores them for rounds in which values travel along edges.
 *
 * Edges are cut by target: a rank has every edge whose target it owns. The value of a source travels once to each rank
 * that has edges of it, and gathering is local. Sources that other ranks own are ghosts.
 *
 * This rank owns the local vertices 0 .. own - 1, which are sorted by in- plus out-degree, the largest first, then by
 * key. Vertices own .. known - 1 are ghosts, sorted by the rank that owns them and then in the order of that rank: the
 * values of another rank arrive in the order of its ghosts and need no permutation. The order does not depend on the
 * seed of the file.
 *
 * Alternatively edges are cut on a grid of ranks (rank r is in row r / columns and column r % columns; Yoo et al.
 * 2005): a rank has the edges whose target is owned by a rank of its row, and whose source by a rank of its column.
 * Then a rank has ghosts from ranks of its column only, but it also has rows of targets that other ranks of its row own
 * (in_other), sorted by owner and then in the owner's order. The sums of these rows travel to the owners, arrive behind
 * the values of known vertices, and are gathered as if each came along an edge of weight 1.
 *
 * Between ranks a weight is sent as 0, 1 or 2 words of 32 bits, of which the layout keeps the lowest bytes.
 */

#ifndef GEMP_ANALYTICS_LAYOUT_LAYOUT_H
#define GEMP_ANALYTICS_LAYOUT_LAYOUT_H

#include "comm/comm.h"
#include "graph/graph.h"

#include <string.h>

/* The weights that the caller wants. */
typedef enum gemp_layout_weight_kind {
	GEMP_LAYOUT_LENGTHS, /* not negative; integers as the narrowest of U8, U16, U32, U64 that holds all, floats as F64 */
	GEMP_LAYOUT_SINGLE,  /* F32: 0, or normal numbers of single precision */
	GEMP_LAYOUT_DOUBLE,  /* F64 */
} gemp_layout_weight_kind;

typedef struct gemp_layout_options {
	const bool *relations;         /* [graph->relation_count]; NULL: all */
	gemp_edge_direction direction; /* undirected edges lead both ways in any case */
	unsigned parts;                /* a set of gemp_layout_parts */
	const char *weight;            /* edge attribute; NULL: unweighted */
	gemp_layout_weight_kind wanted;
	bool not_negative; /* weights below 0 are refused, as lengths are */
	gemp_layout_cut cut;
} gemp_layout_options;

/* How weights are kept; GAS_WEIGHTS of kernels/analytics/gas.clh. */
typedef enum gemp_layout_weights {
	GEMP_LAYOUT_UNWEIGHTED,
	GEMP_LAYOUT_U32,
	GEMP_LAYOUT_U64,
	GEMP_LAYOUT_F32,
	GEMP_LAYOUT_F64,
	GEMP_LAYOUT_U8,
	GEMP_LAYOUT_U16,
} gemp_layout_weights;

/* The grid of all ranks. If edges are cut by target, it has one column. */
typedef struct gemp_layout_grid {
	int rows, columns;
} gemp_layout_grid;

typedef struct gemp_layout_rows {
	uint32_t rows;
	uint64_t *begin; /* [rows + 1] from 0 */
	uint32_t *end;   /* [begin[rows]] local vertices, ascending in a row */
	void *weight;    /* [begin[rows]] of the layout's weights; NULL: unweighted */
} gemp_layout_rows;

/* The own values that each rank is sent, and the places where values from each rank arrive. */
typedef struct gemp_layout_links {
	uint64_t *send_begin;  /* [ranks + 1] */
	uint32_t *send;        /* [send_begin[ranks]] own vertices that rank r has as ghosts, ascending for each r */
	uint32_t *ghost_begin; /* [ranks + 1] local vertices [ghost_begin[r], ghost_begin[r + 1]) are owned by rank r */
} gemp_layout_links;

typedef struct gemp_layout {
	const gemp_comm *comm;    /* borrowed */
	const gemp_shard *graph;  /* borrowed */
	bool symmetric;           /* each edge leads both ways */
	uint64_t vertices, edges; /* of all ranks; an edge that leads both ways counts twice, but a loop once */
	uint32_t own, known;
	gemp_vertex *id;      /* [known] */
	uint32_t *key_rank;   /* [known] graph->key_ranks: the order of the keys */
	uint32_t *local;      /* [own] from the graph's rows (id - first) to local vertices */
	uint64_t *out_degree; /* [own] edges that leave the vertex, to all ranks */
	double *out_weight;   /* [own] the sum of their weights; NULL: not wanted, or unweighted */
	gemp_layout_weights weights;
	double min_weight, max_weight; /* of the edges of all ranks; 0 if there are none or they are unweighted */
	double weight_sum;             /* of the edges of all ranks, for averages */
	uint64_t max_integer;          /* the largest weight if weights are integers, exactly */
	gemp_layout_grid grid;
	gemp_layout_rows in, in_ghost; /* own rows; ends are own sources, and ghosts */
	gemp_layout_rows
		out; /* the same edges by source: known rows; ends are targets, own ones or, numbered behind them, others.
	                       * A symmetric layout of one rank shares the arrays of `in` */
	gemp_layout_links links;
	/* with several columns */
	gemp_layout_rows in_other; /* other ranks' rows; ends are own sources and ghosts */
	gemp_layout_rows in_sums;  /* own rows; ends are places where sums arrive, by rank, of weight 1 */
	gemp_layout_links
		sums;       /* between the ranks of this row of the grid: others' rows whose sums are sent, places of sums */
	double seconds; /* to make the layout, without loading the graph */
} gemp_layout;

/* Collective. Loads the parts of the graph that it needs; the graph must outlive the layout. Weights that are missing,
 * NULL, no numbers, not finite, out of the range of the wanted kind, or negative where they must not be, are
 * GEMP_EDATA, and the message names the edge by its keys. */
gemp_code gemp_layout_new(gemp_layout *out, const gemp_comm *comm, gemp_shard *graph,
                          const gemp_layout_options *options);
void gemp_layout_free(gemp_layout *layout);

/* The grid that is as nearly square as the number of ranks allows, and not wider than high: values travel while kernels
 * run, but sums do not. For a prime number of ranks it has one column, which is the cut by target. */
gemp_layout_grid gemp_layout_grid_of(int ranks);

size_t gemp_layout_weight_size(gemp_layout_weights weights); /* bytes; 0: unweighted */

/* The words of 32 bits in which a weight is sent. */
static inline unsigned gemp_layout_weight_words(gemp_layout_weights weights)
{
	return (unsigned)(gemp_layout_weight_size(weights) + sizeof(uint32_t) - 1) / (unsigned)sizeof(uint32_t);
}

/* Copies the lowest bytes of the words, which are the first, to element `place` of a layout's weights; and back. */
static inline void gemp_layout_weight_set(void *weight, uint64_t place, const uint32_t *words, size_t size)
{
	memcpy((char *)weight + place * size, words, size);
}

static inline void gemp_layout_weight_get(uint32_t *words, const void *weight, uint64_t place, size_t size)
{
	*words = 0;
	memcpy(words, (const char *)weight + place * size, size);
}

/* The weight of an edge as words. Columns are integers or floats. */
static inline void gemp_layout_weight_load(uint32_t *words, gemp_layout_weights weights, const gemp_column *column,
                                           size_t row)
{
	double real;
	float single;
	switch (weights) {
	case GEMP_LAYOUT_U8:
	case GEMP_LAYOUT_U16:
	case GEMP_LAYOUT_U32: words[0] = (uint32_t)column->integers[row]; return;
	case GEMP_LAYOUT_U64: memcpy(words, &column->integers[row], sizeof(uint64_t)); return;
	case GEMP_LAYOUT_F32:
		single = column->integers ? (float)column->integers[row] : (float)column->floats[row];
		memcpy(words, &single, sizeof single);
		return;
	case GEMP_LAYOUT_F64:
		real = (column->integers ? (double)column->integers[row] : column->floats[row]) + 0.0; /* -0 becomes 0 */
		memcpy(words, &real, sizeof real);
		return;
	default: return;
	}
}

/* Collective. Writes the key of an id, which is the same on all ranks, to text[capacity], cut if it is longer. The
 * graph's keys must be loaded. */
gemp_code gemp_layout_print_key(const gemp_comm *comm, const gemp_shard *graph, uint64_t id, char *text,
                                size_t capacity);

typedef enum gemp_layout_parts {
	GEMP_LAYOUT_IN = 1,         /* in, in_ghost */
	GEMP_LAYOUT_OUT = 2,        /* out */
	GEMP_LAYOUT_OUT_WEIGHT = 4, /* out_weight */
} gemp_layout_parts;

/* Do the counts of a layout agree with each other? For assert. A layout that a test has made for one rank may lack
 * links. */
static inline bool gemp_layout_is_valid(const gemp_layout *layout)
{
	const uint32_t *ghost_begin = layout->links.ghost_begin;
	if (ghost_begin && (ghost_begin[0] != layout->own || ghost_begin[layout->comm->size] != layout->known))
		return false;
	return layout->own <= layout->known && (!layout->in.begin || layout->in.rows == layout->own) &&
	       (!layout->out.begin || layout->out.rows == layout->known);
}

/* The number of values on a device: those of known vertices and, behind them, received sums. */
static inline uint32_t gemp_layout_values(const gemp_layout *layout)
{
	return layout->sums.ghost_begin ? layout->sums.ghost_begin[layout->grid.columns] : layout->known;
}

static inline uint64_t gemp_layout_row_edges(const gemp_layout_rows *rows)
{
	return rows->begin ? rows->begin[rows->rows] : 0;
}

#endif
