/* euler: an Euler circuit or path of a directed multigraph, by the parallel method of Awerbuch, Israeli and Shiloach
 * (1984).
 *
 * In-edges are paired with out-edges at each vertex, which cuts the edges into circuits. Circuits that share a vertex
 * are neighbours in the circuit graph. At the vertices that belong to a spanning forest of that graph successors are
 * rotated, which joins the circuits. The remaining circuit is ranked as a list, which gives each edge its place.
 *
 * Edges are slots: the out-edges of all vertices, row by row, numbered over all ranks, so parallel edges and loops
 * have names, too. Two engines share this interface: device_engine.h and ranks/ranks_engine.h.
 */

#ifndef GEMP_EULER_EULER_H
#define GEMP_EULER_EULER_H

#include "comm/exchange.h"
#include "graph/graph.h"

/* The out-edges of this rank's vertices, of all selected relations, merged row by row. */
typedef struct gemp_euler_edges {
	int rank, ranks;
	uint64_t vertices;         /* of all ranks */
	const uint64_t *bounds;    /* [ranks + 1] rank r owns ids [bounds[r], bounds[r + 1]) */
	size_t rows;               /* of this rank */
	const uint64_t *begin;     /* [rows + 1] the offsets of the rows in target, from 0 */
	const gemp_vertex *target; /* [begin[rows]] ids */
	gemp_edge first;           /* number of this rank's first slot */
	gemp_edge edges;           /* slots of all ranks, with the closing one */
	/* The own slot of the edge that makes a circuit of a path; GEMP_NO_EDGE: another rank has this edge, or there is
	 * none. */
	gemp_edge closing;
	/* The closing edge leads from path_end to path_start; GEMP_NO_VERTEX: there is no such edge. */
	gemp_vertex path_start, path_end;

	bool undirected;                 /* each edge is in the row of one of its ends: see euler/balance.h */
	size_t relation_count;           /* 0: the edges are not those of a graph's relations */
	const gemp_relation **relations; /* [relation_count] in the order of their edges in a row */
	uint64_t *own_begin;             /* begin and target if they were made here; NULL: one relation's are borrowed */
	gemp_vertex *own_target;
	/* [slots] The name of each edge (gemp_euler_edge_name), or without relations its former slot. NULL: no edge has
	 * moved to another row. */
	uint64_t *own_edge;
} gemp_euler_edges;

/* Local. The edges of the relations that are set in relations[] (NULL: of all), whose out-edges are loaded: all
 * directed, or all undirected. The graph must outlive them. */
gemp_code gemp_euler_edges_new(gemp_euler_edges *out, const gemp_shard *graph, const bool *relations);
/* Adds an edge from `end` to `start`, the last of its row. Local, but every rank must do it, since slots are numbered
 * over all ranks. */
gemp_code gemp_euler_edges_close(gemp_euler_edges *edges, gemp_vertex start, gemp_vertex end);
/* Local. `to` gets the relations of `from`. */
gemp_code gemp_euler_edges_share_relations(gemp_euler_edges *to, const gemp_euler_edges *from);
/* Local. Inexpensive invariants, for assert: rows begin at 0, own slots are among all, and a closing edge is one of
 * them. */
bool gemp_euler_edges_is_valid(const gemp_euler_edges *edges);
void gemp_euler_edges_free(gemp_euler_edges *edges);

/* The edge of an own slot, in the row of `source`: index into edges->relations, and its number in the relation. */
typedef struct gemp_euler_edge {
	size_t relation;
	gemp_edge number;
} gemp_euler_edge;
/* An edge as one number. */
enum { GEMP_EULER_NUMBER_BITS = 48 };
static inline uint64_t gemp_euler_edge_name(gemp_euler_edge edge)
{
	return (uint64_t)edge.relation << GEMP_EULER_NUMBER_BITS | edge.number;
}

static inline gemp_euler_edge gemp_euler_edge_named(uint64_t name)
{
	return (gemp_euler_edge){ name >> GEMP_EULER_NUMBER_BITS, name & (((uint64_t)1 << GEMP_EULER_NUMBER_BITS) - 1) };
}

gemp_euler_edge gemp_euler_edge_of(const gemp_euler_edges *edges, gemp_vertex source, gemp_edge slot);
/* The row of an own slot, as an id. */
gemp_vertex gemp_euler_source(const gemp_euler_edges *edges, gemp_edge slot);

/* This rank's places of the circuit or path: first .. first + count - 1. Places are distributed evenly over the
 * ranks. */
typedef struct gemp_euler_order {
	gemp_edge first;
	size_t count;
	gemp_edge edges;     /* places of all ranks: for a path one fewer than slots */
	gemp_edge *edge;     /* [count] slots */
	gemp_vertex *source; /* [count] where the edge at this place begins; NULL: not wanted */
} gemp_euler_order;

typedef enum gemp_euler_stage {
	GEMP_EULER_FILL,     /* arrays get their first values */
	GEMP_EULER_PAIR,     /* in-edges are paired with out-edges */
	GEMP_EULER_WALK,     /* walks go from splitter to splitter */
	GEMP_EULER_CIRCUITS, /* each splitter learns its circuit */
	GEMP_EULER_ORPHANS,  /* circuits without a splitter are found */
	GEMP_EULER_UNION,    /* the spanning forest of the circuit graph is built */
	GEMP_EULER_ROTATE,   /* successors are rotated where circuits are joined */
	GEMP_EULER_REWALK,   /* walks follow the stretches that rotation has changed */
	GEMP_EULER_RANK,     /* the list of the splitters is ranked */
	GEMP_EULER_EMIT,     /* the order is written */
	GEMP_EULER_STAGES
} gemp_euler_stage;
extern const char *const gemp_euler_stage_name[GEMP_EULER_STAGES];
/* A lower bound of the bytes that a stage of the device engine reads and writes where few segments change, for
 * reports. */
double gemp_euler_stage_bytes(gemp_euler_stage stage, uint64_t vertices, uint64_t edges, uint64_t splitters);

typedef struct gemp_euler_options {
	bool sources;       /* order.source is wanted */
	bool keep_circuits; /* circuit[] and joined[] of the result are wanted, for drawings */
	uint64_t seed;      /* of the choice of splitters */
	uint32_t spacing;   /* edges for each splitter; 0: the engine's default */
	size_t gather;      /* a list of at most so many splitters is ranked by one rank; 0: the engine's default */
} gemp_euler_options;

typedef struct gemp_euler_result {
	gemp_count unbalanced;  /* vertices of all ranks with unequal in- and out-degree; if not 0, nothing else is set */
	gemp_euler_order order; /* empty unless there is one component */
	gemp_count circuits;    /* before joining, of all ranks */
	gemp_count joins;       /* edges of the spanning forest */
	gemp_count components;  /* with edges: circuits - joins */
	gemp_count splitters;
	double seconds[GEMP_EULER_STAGES]; /* by the device's clock, or of the host */
	double upload, download;           /* seconds of the copies to and from a device */
	double total;                      /* seconds from the edges in the host's memory to the order there */
	gemp_traffic traffic;              /* of this rank */
	const char *engine;                /* "device", "ranks" */
	uint32_t *circuit; /* [own slots] equal for slots of one circuit before joining; NULL: keep_circuits was not set */
	uint8_t *joined; /* [own slots] 1: its circuit was joined with that of the slot before, at their vertex; or NULL */
} gemp_euler_result;
void gemp_euler_result_free(gemp_euler_result *result);

/* An engine checks by itself whether the edges are balanced and connected. If they are not, it returns GEMP_OK and a
 * result without an order. */

/* Computes the owner's answer about a slot of its own. Several threads call it at the same time. */
typedef uint64_t gemp_euler_answer(void *self, gemp_edge slot);

/* Collective. Requests an answer about each of slots[count] from the rank that owns the slot; answers[i] becomes the
 * answer about slots[i]. A slot that no rank has is GEMP_EINTERNAL on all ranks. */
gemp_code gemp_euler_query_slots(const gemp_comm *comm, const gemp_euler_edges *edges, const gemp_edge *slots,
                                 size_t count, gemp_euler_answer *answer, void *self, uint64_t *answers);

#endif
