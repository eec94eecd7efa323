/* layout: the edges of a graph as a rank stores them for rounds in which values travel along edges.
 *
 * By default edges are cut by target: a rank has every edge whose target it owns. The value of a source travels once to
 * each rank that has edges of the source, and gathering is local. A ghost is a source that another rank owns.
 *
 * This rank owns the local vertices 0 .. own - 1. They are sorted by in- plus out-degree, the largest first, then by
 * key. The vertices own .. known - 1 are ghosts, sorted by owner, and the ghosts of one owner in the owner's order. So
 * the values that arrive from another rank are in the order of its ghosts and need no permutation. The order does not
 * depend on the seed of the file.
 *
 * Alternatively edges are cut on a grid of ranks (rank r is in row r / columns and column r % columns; Yoo et al.
 * 2005). A rank then has the edges whose target is owned by a rank of its row, and whose source is owned by a rank of
 * its column. Its ghosts come from ranks of its column only, but it also has rows of targets that other ranks of its
 * row own (in_other), sorted by owner and then in the owner's order. The sums of these rows travel to the owners. They
 * arrive behind the values of known vertices, and the owner gathers each sum as if it came along an edge of weight 1.
 *
 * Between ranks a weight is sent as 0, 1 or 2 words of 32 bits. The layout keeps the lowest bytes of these words. */

#ifndef GEMP_ANALYTICS_LAYOUT_LAYOUT_H
#define GEMP_ANALYTICS_LAYOUT_LAYOUT_H

#include "comm/comm.h"
#include "device/device.h"
#include "graph/graph.h"
#include "partition/views/renumber.h"

#include <string.h>

/* The kind of weights that the caller wants. */
typedef enum gemp_layout_weight_kind {
	/* weights are not negative; integers are stored as the narrowest of U8, U16, U32, U64 that holds all weights,
	 * floats as F64 */
	GEMP_LAYOUT_LENGTHS,
	GEMP_LAYOUT_SINGLE, /* F32: each weight is 0 or a normal number of single precision */
	GEMP_LAYOUT_DOUBLE, /* F64 */
} gemp_layout_weight_kind;

typedef struct gemp_layout_options {
	const bool *relations;         /* [graph->relation_count]; NULL: all relations */
	gemp_edge_direction direction; /* of directed edges; undirected edges lead both ways in any case */
	unsigned parts;                /* a set of gemp_layout_parts */
	const char *weight;            /* edge attribute; NULL: unweighted */
	gemp_layout_weight_kind wanted;
	bool not_negative; /* negative weights are refused; always so for GEMP_LAYOUT_LENGTHS */
	gemp_layout_cut cut;
	/* the device that will hold the rows, and may make them: the layout then has no ends, but lists
	 * (partition/views/renumber.h) or rows on the device (list_device.h). NULL: the host makes all rows */
	gemp_device *device;
} gemp_layout_options;

/* The type in which weights are stored; the values of GAS_WEIGHTS in kernels/analytics/gas.clh. */
typedef enum gemp_layout_weights {
	GEMP_LAYOUT_UNWEIGHTED,
	GEMP_LAYOUT_U32,
	GEMP_LAYOUT_U64,
	GEMP_LAYOUT_F32,
	GEMP_LAYOUT_F64,
	GEMP_LAYOUT_U8,
	GEMP_LAYOUT_U16,
} gemp_layout_weights;

/* The grid of all ranks. If edges are cut by target, the grid has one column. */
typedef struct gemp_layout_grid {
	int rows, columns;
} gemp_layout_grid;

typedef struct gemp_layout_rows {
	uint32_t rows;
	uint64_t *begin; /* [rows + 1] offsets in end[]; begin[0] is 0 */
	uint32_t *end;   /* [begin[rows]] local vertices at the other ends of the edges, ascending in a row */
	void *weight;    /* [begin[rows]] of the type layout->weights; NULL: unweighted */
} gemp_layout_rows;

/* The own values that are sent to each rank, and the places where values from each rank arrive. */
typedef struct gemp_layout_links {
	uint64_t *send_begin;  /* [ranks + 1] */
	uint32_t *send;        /* [send_begin[ranks]] own vertices that rank r has as ghosts, ascending for each r */
	uint32_t *ghost_begin; /* [ranks + 1] rank r owns the local vertices [ghost_begin[r], ghost_begin[r + 1]) */
} gemp_layout_links;

/* Rows that a device has made (device_layout.h). */
typedef struct gemp_made_rows gemp_made_rows;

typedef struct gemp_layout {
	const gemp_comm *comm;    /* borrowed */
	const gemp_shard *graph;  /* borrowed */
	bool symmetric;           /* each edge leads both ways */
	uint64_t vertices, edges; /* of all ranks; an edge that leads both ways counts twice, but a loop counts once */
	uint32_t own, known;
	gemp_vertex *id;      /* [known] */
	uint32_t *key_rank;   /* [known] graph->key_ranks: the number of the vertex in the order of the keys */
	uint32_t *local;      /* [own] maps the graph's rows (id - first) to local vertices */
	uint64_t *out_degree; /* [own] number of edges that leave the vertex, on all ranks */
	double *out_weight;   /* [own] sum of the weights of these edges; NULL: not wanted, or unweighted */
	gemp_layout_weights weights;
	double min_weight, max_weight; /* over the edges of all ranks; 0 if there are no edges or they are unweighted */
	double weight_sum;             /* over the edges of all ranks, for averages */
	uint64_t max_integer;          /* the exact largest weight if weights are integers */
	gemp_layout_grid grid;
	gemp_layout_rows in, in_ghost; /* own rows; ends are own sources (in) or ghosts (in_ghost) */
	/* the same edges by source: known rows; an end is an own target, or own + the number of its row in in_other. A
	 * symmetric layout of one rank shares the arrays of `in` */
	gemp_layout_rows out;
	gemp_layout_links links;
	/* only with several columns: */
	gemp_layout_rows in_other; /* rows of other ranks; ends are own sources and ghosts */
	/* own rows; ends are the places where sums arrive, in the order of ranks; all weights are 1 */
	gemp_layout_rows in_sums;
	/* between the ranks of this row of the grid: the rows of in_other whose sums are sent, and the places where sums
	 * arrive */
	gemp_layout_links sums;
	/* rows that are on the device already: the rows above then have offsets, but neither ends nor weights. NULL:
	 * none */
	gemp_made_rows *made;
	/* [list_count] if a device makes the ends: rows by id that together are the rows of `in` and of `out`. The members
	 * `end` are then NULL, and there are no weights. Otherwise NULL */
	gemp_id_rows *in_lists, *out_lists;
	size_t list_count;
	double seconds; /* seconds to make the layout, without loading the graph */
} gemp_layout;

/* Collective. Loads the parts of the graph that a layout needs. gemp_layout_new then reads nothing, and a device can be
 * opened in between: reading needs none, and its driver is loaded meanwhile (device/drivers.h). */
gemp_code gemp_layout_load(const gemp_comm *comm, gemp_shard *graph, const gemp_layout_options *options);

/* Collective. Loads the parts of the graph that the layout needs. The graph must outlive the layout. A weight is
 * invalid if it is missing, NULL, no number, not finite, out of the range of the wanted kind, or negative where it must
 * not be. If a weight is invalid, the call returns GEMP_EDATA, and the message names the edge by its keys or the type
 * without such an attribute. */
gemp_code gemp_layout_new(gemp_layout *out, const gemp_comm *comm, gemp_shard *graph,
                          const gemp_layout_options *options);
void gemp_layout_free(gemp_layout *layout);

/* Returns the grid that is as nearly square as the number of ranks allows, with at least as many rows as columns.
 * Values travel within a column, and sums within a row. For a prime number of ranks the grid has one column, which is
 * the cut by target. */
gemp_layout_grid gemp_layout_grid_of(int ranks);

size_t gemp_layout_weight_size(gemp_layout_weights weights); /* bytes of a weight; 0: unweighted */

/* The number of 32-bit words in which a weight is sent. */
static inline unsigned gemp_layout_weight_words(gemp_layout_weights weights)
{
	return (unsigned)(gemp_layout_weight_size(weights) + sizeof(uint32_t) - 1) / (unsigned)sizeof(uint32_t);
}

/* gemp_layout_weight_set copies the lowest `size` bytes of the words to element `place` of a layout's weights.
 * gemp_layout_weight_get copies them back. In memory the lowest bytes come first. */
static inline void gemp_layout_weight_set(void *weight, uint64_t place, const uint32_t *words, size_t size)
{
	memcpy((char *)weight + place * size, words, size);
}

static inline void gemp_layout_weight_get(uint32_t *words, const void *weight, uint64_t place, size_t size)
{
	*words = 0;
	memcpy(words, (const char *)weight + place * size, size);
}

/* Stores the weight of the edge in `row` of a column as words. The column has integers or floats. */
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

/* Collective. Writes the key of an id to text[capacity], cut if it is too long. All ranks pass the same id, and the
 * graph's keys must be loaded. */
gemp_code gemp_layout_print_key(const gemp_comm *comm, const gemp_shard *graph, uint64_t id, char *text,
                                size_t capacity);

typedef enum gemp_layout_parts {
	GEMP_LAYOUT_IN = 1,         /* the members in and in_ghost */
	GEMP_LAYOUT_OUT = 2,        /* the member out */
	GEMP_LAYOUT_OUT_WEIGHT = 4, /* the member out_weight */
} gemp_layout_parts;

/* Do the counts of a layout agree with each other? For assert. The layout of a test for one rank may lack links. */
static inline bool gemp_layout_is_valid(const gemp_layout *layout)
{
	const uint32_t *ghost_begin = layout->links.ghost_begin;
	if (ghost_begin && (ghost_begin[0] != layout->own || ghost_begin[layout->comm->size] != layout->known))
		return false;
	return layout->own <= layout->known && (!layout->in.begin || layout->in.rows == layout->own) &&
	       (!layout->out.begin || layout->out.rows == layout->known);
}

/* The number of values on a device: the values of known vertices, followed by the received sums. */
static inline uint32_t gemp_layout_values(const gemp_layout *layout)
{
	return layout->sums.ghost_begin ? layout->sums.ghost_begin[layout->grid.columns] : layout->known;
}

static inline uint64_t gemp_layout_row_edges(const gemp_layout_rows *rows)
{
	return rows->begin ? rows->begin[rows->rows] : 0;
}

#endif
