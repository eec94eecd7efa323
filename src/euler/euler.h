/* euler: an Euler circuit or path of a directed multigraph, by the parallel method of Awerbuch, Israeli and
 * Shiloach (1984).
 *
 * In-edges are paired with out-edges at each vertex, which cuts the edges into circuits. Circuits that share a
 * vertex are neighbours in the circuit graph; along a spanning forest of it successors are rotated where circuits
 * meet, which joins them. The remaining circuit is ranked as a list, which gives each edge its place.
 *
 * Edges are slots: the out-edges of all vertices, row by row, numbered over all ranks, so that parallel edges and
 * loops have names, too. Two engines share this interface: device_engine.h and ranks/ranks_engine.h.
 */

#ifndef GEMP_EULER_EULER_H
#define GEMP_EULER_EULER_H

#include "comm/exchange.h"
#include "graph/graph.h"

/* The out-edges of this rank's vertices, of all relations that are asked for, merged row by row. */
typedef struct gemp_euler_edges {
	int rank, ranks;
	uint64_t vertices;         /* of all ranks */
	const uint64_t *bounds;    /* [ranks + 1] rank r owns ids [bounds[r], bounds[r + 1]) */
	size_t rows;               /* of this rank */
	const uint64_t *begin;     /* [rows + 1] from 0 */
	const gemp_vertex *target; /* [begin[rows]] ids */
	gemp_edge first;           /* number of this rank's first slot */
	gemp_edge edges;           /* slots of all ranks, the closing one too */
	gemp_edge closing; /* own slot of the edge that makes a circuit of a path; GEMP_NO_EDGE: not here, or none */
	gemp_vertex path_start, path_end; /* it leads from path_end to path_start; GEMP_NO_VERTEX: none */

	bool undirected;                 /* each edge is in the row of one of its ends: see euler/balance.h */
	size_t relation_count;           /* 0: not of a graph's relations */
	const gemp_relation **relations; /* [relation_count] in the order of their edges in a row */
	uint64_t *own_begin;             /* what was made here; NULL: borrowed from the one relation */
	gemp_vertex *own_target;
	uint64_t *own_edge; /* [slots] names of edges that are not where their relations have them (without relations
	                                the slots they had); NULL: they are */
} gemp_euler_edges;

/* Of the relations that are set in relations[] (NULL: all), whose out-edges are loaded: all directed, or all
 * undirected. The graph must outlive it. */
gemp_code gemp_euler_edges_new(gemp_euler_edges *out, const gemp_shard *graph, const bool *relations);
/* Adds an edge from `end` to `start`, the last of its row; every rank calls it. */
gemp_code gemp_euler_edges_close(gemp_euler_edges *edges, gemp_vertex start, gemp_vertex end);
/* `to` has the relations of `from`. */
gemp_code gemp_euler_edges_share_relations(gemp_euler_edges *to, const gemp_euler_edges *from);
/* Cheap invariants, for assert: rows begin at 0, own slots are among all, and a closing edge is one of them. */
bool gemp_euler_edges_is_valid(const gemp_euler_edges *edges);
void gemp_euler_edges_free(gemp_euler_edges *edges);

/* The edge of an own slot, in the row of `source`: index into edges->relations, and its number in the relation. */
typedef struct gemp_euler_edge {
	size_t relation;
	gemp_edge number;
} gemp_euler_edge;
/* As one number. */
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

/* Places first .. first + count - 1 of the circuit or path: those of this rank. Places are shared out evenly. */
typedef struct gemp_euler_order {
	gemp_edge first;
	size_t count;
	gemp_edge edges;     /* places of all ranks: of a path one less than slots */
	gemp_edge *edge;     /* [count] slots */
	gemp_vertex *source; /* [count] where the edge at this place begins; NULL: not asked for */
} gemp_euler_order;

typedef enum gemp_euler_stage {
	GEMP_EULER_FILL,     /* arrays get their first values */
	GEMP_EULER_PAIR,     /* in-edges with out-edges */
	GEMP_EULER_WALK,     /* from splitter to splitter */
	GEMP_EULER_CIRCUITS, /* which circuit each splitter is on */
	GEMP_EULER_ORPHANS,  /* circuits without a splitter */
	GEMP_EULER_UNION,    /* spanning forest of the circuit graph */
	GEMP_EULER_ROTATE,   /* successors where circuits are joined */
	GEMP_EULER_REWALK,   /* the stretches that rotation has changed */
	GEMP_EULER_RANK,     /* list of the splitters */
	GEMP_EULER_EMIT,     /* the order */
	GEMP_EULER_STAGES
} gemp_euler_stage;
extern const char *const gemp_euler_stage_name[GEMP_EULER_STAGES];
/* What a stage of the device's engine must read and write, at least, where few segments change. */
double gemp_euler_stage_bytes(gemp_euler_stage stage, uint64_t vertices, uint64_t edges, uint64_t splitters);

typedef struct gemp_euler_options {
	bool sources;       /* of the order, too */
	bool keep_circuits; /* circuit[] and joined[] of the result: for pictures */
	uint64_t seed;      /* of the choice of splitters */
	uint32_t spacing;   /* edges a splitter; 0: chosen */
	size_t gather;      /* splitters that one rank may rank by itself; 0: chosen */
} gemp_euler_options;

typedef struct gemp_euler_result {
	gemp_count unbalanced;  /* vertices of all ranks with other in- than out-degree; not 0: nothing else is known */
	gemp_euler_order order; /* empty unless there is one component */
	gemp_count circuits;    /* before joining, of all ranks */
	gemp_count joins;       /* edges of the spanning forest */
	gemp_count components;  /* with edges: circuits - joins */
	gemp_count splitters;
	double seconds[GEMP_EULER_STAGES]; /* by the device's clock, or of the host */
	double upload, download;           /* to and from a device */
	double total;                      /* from the edges in the host's memory to the order there */
	gemp_traffic traffic;              /* of this rank */
	const char *engine;                /* "device", "ranks" */
	uint32_t *circuit;                 /* [own slots] equal for slots of one circuit before joining; if asked for */
	uint8_t *joined;                   /* [own slots] 1: its circuit was joined there with that of the slot before */
} gemp_euler_result;
void gemp_euler_result_free(gemp_euler_result *result);

/* Engines find out by themselves whether the edges are balanced and connected, and say so in the result: GEMP_OK. */

/* ask: a number about each of some slots, asked of the ranks whose slots they are. */

/* What an owner says of a slot of its own. Several threads call it at the same time. */
typedef uint64_t gemp_euler_answer(void *self, gemp_edge slot);

/* Collective. answers[i] becomes what the owner of slots[i] says. A slot that nobody has is GEMP_EINTERNAL on all
 * ranks. */
gemp_code gemp_euler_query_slots(const gemp_comm *comm, const gemp_euler_edges *edges, const gemp_edge *slots,
                                 size_t count, gemp_euler_answer *answer, void *self, uint64_t *answers);

#endif
