/* match_plan: the steps that answer the pattern of one MATCH.
 *
 * The pattern's variables and anonymous elements are numbered: vertices [vertex_count] and hops [hop_count], which are
 * its relationships, in the order of the text. The same variable is the same vertex. A vertex or hop is `given` if the
 * row before the pattern has it. Hops of one relationship join vertices to parts. Each part is one search, whose
 * arguments are those of its vertices that earlier steps know. Steps, in their order, make all elements known:
 *
 *   given     the ends of a given relationship, or of a given list of relationships
 *   search    the vertices and hops of a part
 *   expand    a hop of variable length from a known end, by searches of a single relationship
 *   shortest  the same along shortest paths
 *
 * All ranks make the same plan from the same tree. Conditions of WHERE and of property maps that a search tests are in
 * its pattern; `residuals` are the others, which rank 0 evaluates on rows, each as soon as a step
 * has made its elements known. */

#ifndef GEMP_CYPHER_SEARCH_MATCH_PLAN_H
#define GEMP_CYPHER_SEARCH_MATCH_PLAN_H

#include "core/arena.h"
#include "cypher/syntax/tree.h"
#include "graph/graph.h"
#include "pattern/model/pattern.h"

typedef struct gemp_cypher_vertex {
	int slot;
	bool given;
	const char *name; /* NULL: anonymous */
	size_t part;      /* the first vertex of its part */
} gemp_cypher_vertex;

typedef enum gemp_cypher_heading { GEMP_CY_RIGHT, GEMP_CY_LEFT, GEMP_CY_EITHER } gemp_cypher_heading;

typedef struct gemp_cypher_hop {
	const gemp_cypher_edge *edge;
	int slot;
	size_t from, to; /* vertices, from left to right */
	gemp_cypher_heading heading;
	bool given, variable;
	gemp_cypher_path_kind kind; /* of its path; a shortest path has one hop */
	bool reversed;              /* its trails run from `to` to `from` */
} gemp_cypher_hop;

/* A named path: hops [first_hop, first_hop + hop_count), or one vertex. */
typedef struct gemp_cypher_route {
	int slot;
	size_t from, first_hop, hop_count;
} gemp_cypher_route;

typedef enum gemp_cypher_step_kind {
	GEMP_CY_STEP_GIVEN,
	GEMP_CY_STEP_SEARCH,
	GEMP_CY_STEP_EXPAND,
	GEMP_CY_STEP_SHORTEST
} gemp_cypher_step_kind;

typedef struct gemp_cypher_step {
	gemp_cypher_step_kind kind;
	size_t hop;  /* all kinds but search */
	size_t part; /* search: the number of the part */
	bool closes; /* expand, shortest: both ends are known */
	/* search, expand, shortest: the pattern to search for, bound; arguments first. NULL: it has no match in this
	 * graph */
	gemp_pattern *pattern;
	/* expand, shortest: the map that each relationship fulfils, where the search does not test it; rows before the step
	 * know what it reads. NULL: none */
	const gemp_cypher_expr *map;
	struct gemp_finder *finder;              /* made for the first search; the owner of the plan frees it */
	struct gemp_cypher_adjacency *adjacency; /* rank 0: of a step that expands; the owner of the plan frees it */
	size_t *vertices;                        /* search: [pattern->vertex_count] numbers in the plan */
	size_t *hops;                            /* search: [pattern->edge_count] */
	size_t arguments, vertex_count, edge_count;
} gemp_cypher_step;

/* A condition that rows must fulfil: an expression, or a property map of a vertex or a hop. */
typedef struct gemp_cypher_residual {
	const gemp_cypher_expr *condition, *map; /* one of the two */
	size_t element;                          /* of the map: the vertex or hop */
	bool of_hop;
	size_t steps; /* steps after which all elements that the condition reads are known */
} gemp_cypher_residual;

typedef struct gemp_cypher_node_use {
	const gemp_cypher_node *node;
	size_t vertex;
} gemp_cypher_node_use;

typedef struct gemp_cypher_match_plan {
	const gemp_cypher_pattern *pattern;
	const gemp_cypher_expr *where;
	size_t vertex_count, hop_count, route_count, step_count, residual_count, use_count;
	gemp_cypher_vertex *vertices;
	gemp_cypher_hop *hops;
	gemp_cypher_route *routes;
	gemp_cypher_step *steps;
	gemp_cypher_residual *residuals;
	gemp_cypher_node_use *uses; /* nodes of the text with their vertices */
	gemp_arena arena;           /* all arrays */
} gemp_cypher_match_plan;

typedef struct gemp_cypher_plan_input {
	const gemp_shard *graph;
	const gemp_cypher_tree *tree;
	const gemp_datum *parameters;
	const gemp_cypher_pattern *pattern;
	const gemp_cypher_expr *where; /* NULL: none */
} gemp_cypher_plan_input;

/* Local. Call gemp_cypher_match_plan_free also after a failure. */
gemp_code gemp_cypher_match_plan_new(gemp_cypher_match_plan *out, const gemp_cypher_plan_input *input);
/* The finders and adjacencies must be freed before. */
void gemp_cypher_match_plan_free(gemp_cypher_match_plan *plan);

/* Internal to search/. plan_steps.c: makes plan->steps and plan->residuals. */
gemp_code gemp_cypher_plan_steps(gemp_cypher_match_plan *plan, const gemp_cypher_plan_input *input);

/* True if rows have a trail for the hop: its length varies, or it is a shortest path. */
static inline bool gemp_cypher_hop_has_trail(const gemp_cypher_hop *hop)
{
	return hop->variable || (hop->kind != GEMP_CY_PATH && !hop->given);
}

static inline bool gemp_cypher_hop_is_single(const gemp_cypher_hop *hop)
{
	return !hop->variable && !hop->given && hop->kind == GEMP_CY_PATH;
}

#endif
