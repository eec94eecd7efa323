/* euler: an Euler circuit or path of a directed multigraph, by the parallel method of Awerbuch, Israeli and Shiloach
 * (1984).
 *
 * In-edges are paired with out-edges at each vertex, which divides the edges into circuits. Circuits that share a
 * vertex are neighbours in the circuit graph. An edge of a spanning forest of the circuit graph stands for a vertex at
 * which two circuits are joined, by rotating successors. If one circuit remains, it is ranked as a list, which gives
 * each edge its place.
 *
 * Edges are slots: the out-edges of all vertices, row by row, numbered over all ranks. So parallel edges and loops also
 * have names. Three engines share this interface: device_engine.h for one device, devices/engine.h for the devices of
 * all ranks, and ranks/ranks_engine.h for the threads of all ranks. */

#ifndef GEMP_EULER_EULER_H
#define GEMP_EULER_EULER_H

#include "comm/exchange.h"
#include "graph/graph.h"

/* The out-edges of this rank's vertices, of all selected relations, merged row by row. */
typedef struct gemp_euler_edges {
	int rank, ranks;
	uint64_t vertices;         /* number of vertices on all ranks */
	const uint64_t *bounds;    /* [ranks + 1] rank r owns the ids [bounds[r], bounds[r + 1]) */
	size_t rows;               /* number of vertices of this rank */
	const uint64_t *begin;     /* [rows + 1] offsets of the rows in target; begin[0] is 0 */
	const gemp_vertex *target; /* [begin[rows]] ids */
	gemp_edge first;           /* number of this rank's first slot */
	gemp_edge edges;           /* number of slots on all ranks, with the closing edge */
	/* The own slot of the edge that makes a circuit of a path. GEMP_NO_EDGE: another rank has this edge, or it does not
	 * exist. */
	gemp_edge closing;
	/* The closing edge leads from path_end to path_start. GEMP_NO_VERTEX: there is no closing edge. */
	gemp_vertex path_start, path_end;

	bool undirected;                 /* each edge is in the row of one of its ends (euler/balance.h) */
	size_t relation_count;           /* 0: the edges do not come from relations of a graph */
	const gemp_relation **relations; /* [relation_count] in the order of their edges in a row */
	/* begin and target, if this module has made them; NULL: they are borrowed from a relation */
	uint64_t *own_begin;
	gemp_vertex *own_target;
	/* [slots] The name of each edge (gemp_euler_edge_name), or without relations the edge's previous slot. NULL: no
	 * edge has moved to another row. */
	uint64_t *own_edge;
} gemp_euler_edges;

/* Local. Takes the edges of the relations that are set in relations[] (NULL: of all relations). The relations are all
 * directed or all undirected, and their out-edges are loaded. The graph must outlive *out. */
gemp_code gemp_euler_edges_new(gemp_euler_edges *out, const gemp_shard *graph, const bool *relations);
/* Adds an edge from `end` to `start` as the last edge of its row. Local, but every rank must call it, since slots are
 * numbered over all ranks. */
gemp_code gemp_euler_edges_close(gemp_euler_edges *edges, gemp_vertex start, gemp_vertex end);
/* Local. `to` gets the relations of `from`. */
gemp_code gemp_euler_edges_share_relations(gemp_euler_edges *to, const gemp_euler_edges *from);
/* Local. Checks inexpensive invariants, for assert: rows begin at 0, own slots are numbers below edges, and a closing
 * edge is an own slot. */
bool gemp_euler_edges_is_valid(const gemp_euler_edges *edges);
void gemp_euler_edges_free(gemp_euler_edges *edges);

/* An edge of a relation: an index into edges->relations, and the edge's number in the relation. */
typedef struct gemp_euler_edge {
	size_t relation;
	gemp_edge number;
} gemp_euler_edge;
/* gemp_euler_edge_name packs an edge into one number, and gemp_euler_edge_named unpacks it. */
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
/* The id of the vertex whose row has this own slot. */
gemp_vertex gemp_euler_source(const gemp_euler_edges *edges, gemp_edge slot);

/* This rank's places of the circuit or path are first .. first + count - 1. Places are distributed evenly over the
 * ranks. */
typedef struct gemp_euler_order {
	gemp_edge first;
	size_t count;
	gemp_edge edges;     /* number of places on all ranks; for a path one less than slots */
	gemp_edge *edge;     /* [count] the slot at each place */
	gemp_vertex *source; /* [count] the source of the edge at each place; NULL: not wanted */
} gemp_euler_order;

typedef enum gemp_euler_stage {
	GEMP_EULER_FILL,     /* arrays get their first values */
	GEMP_EULER_PAIR,     /* in-edges are paired with out-edges */
	GEMP_EULER_WALK,     /* walks go from splitter to splitter */
	GEMP_EULER_CIRCUITS, /* each splitter gets the number of its circuit */
	GEMP_EULER_ORPHANS,  /* circuits without a splitter are found */
	GEMP_EULER_GRAPH,    /* slots get their circuits; neighbouring slots of a row are edges of the circuit graph */
	GEMP_EULER_UNION,    /* the spanning forest of the circuit graph is built */
	GEMP_EULER_ROTATE,   /* successors are rotated where circuits are joined */
	GEMP_EULER_REWALK,   /* walks follow the stretches that rotation has changed */
	GEMP_EULER_RANK,     /* the list of the splitters is ranked */
	GEMP_EULER_EMIT,     /* the order is written */
	GEMP_EULER_STAGES
} gemp_euler_stage;
extern const char *const gemp_euler_stage_name[GEMP_EULER_STAGES];
/* A lower bound of the bytes that a stage of the device engine reads and writes, for reports. It assumes that few
 * segments change. */
double gemp_euler_stage_bytes(gemp_euler_stage stage, uint64_t vertices, uint64_t edges, uint64_t splitters);

typedef struct gemp_euler_options {
	bool sources;       /* order.source is wanted */
	bool keep_circuits; /* circuit[] and joined[] of the result are wanted, for drawings */
	uint64_t seed;      /* seed for the choice of splitters */
	uint32_t spacing;   /* number of edges for each splitter; 0: the engine's default */
	size_t gather;      /* maximum length of a list of splitters that one rank ranks; 0: the engine's default */
} gemp_euler_options;

typedef struct gemp_euler_result {
	/* number of vertices on all ranks with unequal in- and out-degree; if not 0, nothing else is set */
	gemp_count unbalanced;
	gemp_euler_order order; /* empty unless there is one component */
	gemp_count circuits;    /* number of circuits before joining, on all ranks */
	gemp_count joins;       /* number of edges of the spanning forest */
	gemp_count components;  /* number of components with edges: circuits - joins */
	gemp_count splitters;
	double seconds[GEMP_EULER_STAGES]; /* of each stage, by the device's clock or the host's */
	double upload, download;           /* seconds of the copies to and from a device */
	/* seconds from the edges in the host's memory to the order in the host's memory */
	double total;
	gemp_traffic traffic; /* traffic of this rank */
	const char *engine;   /* name of the engine: "device", "devices" or "ranks" */
	/* [own slots] equal for all slots of a circuit before joining; NULL: keep_circuits was not set */
	uint32_t *circuit;
	/* [own slots] 1: the slot's circuit was joined with the circuit of the slot before it in the row; NULL:
	 * keep_circuits was not set */
	uint8_t *joined;
} gemp_euler_result;
void gemp_euler_result_free(gemp_euler_result *result);

/* An engine checks whether the edges are balanced and connected. If they are not, it returns GEMP_OK and a result
 * without an order. */

/* Computes the answer about a slot on the rank that owns the slot. Several threads call it at the same time. */
typedef uint64_t gemp_euler_answer(void *self, gemp_edge slot);

/* Collective. Requests an answer about each of slots[count] from the rank that owns the slot. answers[i] becomes the
 * answer about slots[i]. A slot that no rank has is GEMP_EINTERNAL on all ranks. */
gemp_code gemp_euler_query_slots(const gemp_comm *comm, const gemp_euler_edges *edges, const gemp_edge *slots,
                                 size_t count, gemp_euler_answer *answer, void *self, uint64_t *answers);

#endif
