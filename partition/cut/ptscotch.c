/* PT-Scotch, where the program was built with it. Its graphs are symmetric, without loops and parallel edges: rows out
 * and in of all relations together, with the number of edges between two vertices as the weight. */

#include "partition/cut/ptscotch.h"

#ifndef GEMP_PTSCOTCH

gemp_code gemp_partition_ptscotch(const gemp_comm *comm, const gemp_shard *graph, uint64_t parts, uint32_t *part)
{
	(void)comm, (void)graph, (void)parts, (void)part;
	return gemp_fail(GEMP_EUSAGE, "--method ptscotch: this program was built without PT-Scotch; install it (Debian: "
	                              "libptscotch-dev), run cmake again and build, or use --method random or block");
}

#else

#include "core/memory.h"

#include <inttypes.h>
#include <ptscotch.h>
#include <stdlib.h>

#define MAX_IMBALANCE 0.05

/* The rows of this rank as PT-Scotch wants them. */
typedef struct rows {
	SCOTCH_Num *begin;          /* [rows + 1] */
	SCOTCH_Num *weight;         /* [rows] */
	SCOTCH_Num *target, *edges; /* [begin[rows]] */
	SCOTCH_Num *part;           /* [rows] */
} rows;

static void free_rows(rows *r)
{
	gemp_free_all(r->begin, r->weight, r->target, r->edges, r->part);
}

/* Row entries of all relations in both directions, parallel ones too. */
static uint64_t entries_of(const gemp_shard *graph)
{
	uint64_t entries = 0;
	for (size_t r = 0; r < graph->relation_count; r++)
		entries += graph->relations[r].out_offsets[graph->rows] + graph->relations[r].in_offsets[graph->rows];
	return entries;
}

/* All weights together must be numbers to PT-Scotch. */
static gemp_code check_size(const gemp_comm *comm, const gemp_shard *graph)
{
	uint64_t total = gemp_comm_sum1(comm, entries_of(graph) + GEMP_ROW_COST * graph->rows);
	uint64_t most = sizeof(SCOTCH_Num) == 4 ? INT32_MAX : INT64_MAX;
	if (SCOTCH_numSizeof() != (int)sizeof(SCOTCH_Num))
		return gemp_fail(GEMP_EINTERNAL,
		                 "PT-Scotch: the library's numbers have %d bytes, but %zu where gemp-mpi was "
		                 "built; build it again",
		                 SCOTCH_numSizeof(), sizeof(SCOTCH_Num));
	if (total > most)
		return gemp_fail(GEMP_EUSAGE,
		                 "--method ptscotch: the graph's %" PRIu64 " row entries pass the %zu-bit numbers "
		                 "of this PT-Scotch; build with one of 64-bit numbers (INTSIZE64), or use --method block",
		                 total, 8 * sizeof(SCOTCH_Num));
	return GEMP_OK;
}

static int compare_numbers(const void *a, const void *b)
{
	SCOTCH_Num left = *(const SCOTCH_Num *)a, right = *(const SCOTCH_Num *)b;
	return (left > right) - (left < right);
}

/* PT-Scotch has numbers of its own width, so that ids are converted one by one. */
static void append(SCOTCH_Num *target, SCOTCH_Num *end, const gemp_vertex *row, uint64_t from, uint64_t to)
{
	for (uint64_t e = from; e < to; e++)
		target[(*end)++] = (SCOTCH_Num)row[e];
}

/* The neighbours of one vertex behind those of the ones before; parallel ones become a weight, loops go. */
static SCOTCH_Num add_row(const gemp_shard *graph, size_t v, rows *r, SCOTCH_Num begin)
{
	SCOTCH_Num end = begin, kept = begin, self = (SCOTCH_Num)(graph->first_vertex + v);
	for (size_t i = 0; i < graph->relation_count; i++) {
		const gemp_relation *relation = &graph->relations[i];
		append(r->target, &end, relation->out_targets, relation->out_offsets[v], relation->out_offsets[v + 1]);
		append(r->target, &end, relation->in_sources, relation->in_offsets[v], relation->in_offsets[v + 1]);
	}
	r->weight[v] = end - begin + GEMP_ROW_COST;
	qsort(r->target + begin, (size_t)(end - begin), sizeof *r->target, compare_numbers);
	for (SCOTCH_Num e = begin; e < end; e++) {
		if (r->target[e] == self)
			continue;
		if (kept > begin && r->target[kept - 1] == r->target[e]) {
			r->edges[kept - 1]++;
			continue;
		}
		r->target[kept] = r->target[e];
		r->edges[kept++] = 1;
	}
	return kept;
}

/* The arrays have room for all entries, though parallel ones become one. */
static gemp_code make_rows(const gemp_shard *graph, rows *r)
{
	uint64_t entries = entries_of(graph);
	GEMP_PROPAGATE(gemp_new_all(GEMP_ARRAY(r->begin, graph->rows + 1), GEMP_ARRAY(r->weight, graph->rows),
	                            GEMP_ARRAY(r->part, graph->rows), GEMP_ARRAY(r->target, entries),
	                            GEMP_ARRAY(r->edges, entries)));
	for (size_t v = 0; v < graph->rows; v++)
		r->begin[v + 1] = add_row(graph, v, r, r->begin[v]);
	return GEMP_OK;
}

/* PT-Scotch prints the reason of a failure itself. */
static gemp_code check(int result, const char *call)
{
	return result == 0 ? GEMP_OK : gemp_fail(GEMP_EINTERNAL, "PT-Scotch: %s failed; its reason is above", call);
}

/* Collective. Ranks agree after every call, since PT-Scotch may fail on one of them alone. */
static gemp_code cut(const gemp_comm *comm, const gemp_shard *graph, rows *r, uint64_t parts)
{
	gemp_code code = GEMP_OK;
	SCOTCH_Dgraph dgraph;
	SCOTCH_Strat how;
	SCOTCH_Num own = (SCOTCH_Num)graph->rows, entries = r->begin[own], count = (SCOTCH_Num)parts;
	SCOTCH_randomSeed((SCOTCH_Num)(graph->seed & INT32_MAX));
	SCOTCH_randomReset();
	GEMP_PROPAGATE(gemp_comm_agree(comm, check(SCOTCH_dgraphInit(&dgraph, comm->world), "SCOTCH_dgraphInit")));
	code = check(SCOTCH_stratInit(&how), "SCOTCH_stratInit");
	GEMP_THEN(check(SCOTCH_stratDgraphMapBuild(&how, SCOTCH_STRATDEFAULT, comm->size, count, MAX_IMBALANCE),
	                "SCOTCH_stratDgraphMapBuild"));
	code = gemp_comm_agree(comm, code);
	GEMP_THEN(gemp_comm_agree(comm, check(SCOTCH_dgraphBuild(&dgraph, 0, own, own, r->begin, r->begin + 1, r->weight,
	                                                         NULL, entries, entries, r->target, NULL, r->edges),
	                                      "SCOTCH_dgraphBuild")));
	GEMP_THEN(gemp_comm_agree(comm, check(SCOTCH_dgraphPart(&dgraph, count, &how, r->part), "SCOTCH_dgraphPart")));
	SCOTCH_stratExit(&how);
	SCOTCH_dgraphExit(&dgraph);
	return code;
}

gemp_code gemp_partition_ptscotch(const gemp_comm *comm, const gemp_shard *graph, uint64_t parts, uint32_t *part)
{
	GEMP_OWNED_BY(free_rows) rows r = { 0 };
	GEMP_PROPAGATE(check_size(comm, graph));
	GEMP_PROPAGATE(gemp_comm_agree(comm, make_rows(graph, &r)));
	if (graph->vertex_count > 0 && parts > 1)
		GEMP_PROPAGATE(cut(comm, graph, &r, parts));
	for (size_t v = 0; v < graph->rows; v++)
		part[v] = (uint32_t)r.part[v];
	return GEMP_OK;
}

#endif
