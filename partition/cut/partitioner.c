/* Three partitioners. "random" divides by hash. "block" makes contiguous ranges of keys with about the same weight.
 * "ptscotch" (PT-Scotch, Chevalier and Pellegrini 2008), if the program was built with it, makes parts with few edges
 * between them. The weight of a vertex grows with the length of its rows, so parts of equal weight take about equal
 * memory. */

#include "partition/cut/partitioner.h"

#include "core/random.h"
#include "core/status.h"
#include "partition/exchange/value_exchange.h"

/* The weight of a vertex is the number of its row entries in both directions, plus the cost of the row itself. */
enum { GEMP_ROW_COST = 4, GEMP_ENTRY_BYTES = 4 }; /* weight of a row without entries, in entries; bytes of an entry */

/* Collective. Does the work of gemp_partition_choose for PT-Scotch. The ends of edges are loaded. */
gemp_code gemp_partition_ptscotch(const gemp_comm *comm, const gemp_shard *graph, uint64_t parts, uint32_t *part);

const char *const gemp_partitioner_name[GEMP_PARTITIONERS] = { "random", "block", "ptscotch" };

/* Ids are random unless a partitioner has assigned them, so ranges of ids are random parts. If a partitioner has
 * assigned the ids, the keys are hashed. */
static gemp_code choose_random(const gemp_comm *comm, gemp_shard *graph, uint64_t parts, uint32_t *part)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(gemp_text_free) gemp_text key = { 0 };
	for (size_t v = 0; v < graph->rows && !graph->partition.count; v++)
		part[v] = (uint32_t)(((unsigned __int128)(graph->first_vertex + v + 1) * parts - 1) / graph->vertex_count);
	if (!graph->partition.count)
		return GEMP_OK;
	GEMP_TRY(gemp_shard_load_keys(graph));
	for (size_t v = 0; v < graph->rows && code == GEMP_OK; v++) {
		gemp_text_clear(&key);
		code = gemp_column_pack(&graph->keys, v, &key);
		part[v] = (uint32_t)((unsigned __int128)gemp_hash(key.data, key.size, graph->seed) * parts >> 64);
	}
	return gemp_comm_agree(comm, code == GEMP_OK ? gemp_text_status(&key) : code);
}

/* The work for a vertex grows with the number of its edges in both directions. */
static uint64_t weight_of(const gemp_shard *graph, size_t v)
{
	uint64_t weight = GEMP_ROW_COST;
	for (size_t r = 0; r < graph->relation_count; r++) {
		const gemp_relation *relation = &graph->relations[r];
		weight += relation->out_offsets[v + 1] - relation->out_offsets[v];
		weight += relation->in_offsets[v + 1] - relation->in_offsets[v];
	}
	return weight;
}

/* Collective. The keys are divided in their order into at most 2^20 classes. A whole class goes to the part in which
 * the middle of the class's weight lies. */
static gemp_code choose_block(const gemp_comm *comm, gemp_shard *graph, uint64_t parts, uint32_t *part)
{
	enum { CLASSES = 1 << 20 };
	uint64_t n = graph->vertex_count, classes = n < CLASSES ? n : CLASSES, total = 0, before = 0;
	GEMP_OWNED uint64_t *weight = NULL;
	GEMP_TRY(gemp_shard_load_keys(graph));
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(weight, classes)));
	for (size_t v = 0; v < graph->rows; v++)
		weight[graph->key_ranks[v] * classes / n] += weight_of(graph, v);
	gemp_comm_sum(comm, weight, (int)classes);
	for (uint64_t c = 0; c < classes; c++)
		total += weight[c];
	for (uint64_t c = 0; c < classes; c++) {
		uint64_t middle = before + weight[c] / 2;
		before += weight[c];
		weight[c] = (uint64_t)((unsigned __int128)middle * parts / total);
	}
	for (size_t v = 0; v < graph->rows; v++)
		part[v] = (uint32_t)weight[graph->key_ranks[v] * classes / n];
	return GEMP_OK;
}

/* The partitioners read edges, but not attributes. */
static gemp_code load_ends(gemp_shard *graph)
{
	gemp_code code = GEMP_OK;
	for (size_t r = 0; r < graph->relation_count && code == GEMP_OK; r++)
		code = gemp_shard_load_relation(graph, r, GEMP_LOAD_OUT | GEMP_LOAD_IN);
	return code;
}

/* Random parts need no edges. The other partitioners weigh vertices by their edges. */
gemp_code gemp_partition_choose(const gemp_comm *comm, gemp_shard *graph, gemp_partitioner method, uint64_t parts,
                                uint32_t *part)
{
	if (method == GEMP_PARTITION_RANDOM)
		return choose_random(comm, graph, parts, part);
	gemp_code code = load_ends(graph);
	if (code != GEMP_OK)
		return code;
	return method == GEMP_PARTITION_BLOCK ? choose_block(comm, graph, parts, part)
	                                      : gemp_partition_ptscotch(comm, graph, parts, part);
}

uint64_t gemp_part_bytes(const gemp_part_size *size)
{
	return (size->edges_out + size->edges_in + GEMP_ROW_COST * size->vertices) * GEMP_ENTRY_BYTES;
}

/* Collective. An edge is inside a part if both of its ends are in the part. The parts of targets come from the owners
 * of the targets. */
static gemp_code measure_relation(const gemp_comm *comm, const gemp_shard *graph, const gemp_relation *relation,
                                  const uint32_t *part, gemp_part_size *sizes)
{
	GEMP_OWNED uint32_t *other = NULL;
	size_t count = relation->out_offsets[graph->rows];
	gemp_code code = GEMP_NEW(other, count);
	GEMP_TRY(gemp_vertex_numbers(comm, code, graph->bounds, part, relation->out_targets, count, other, NULL));
	for (size_t v = 0; v < graph->rows; v++) {
		gemp_part_size *size = &sizes[part[v]];
		size->edges_out += relation->out_offsets[v + 1] - relation->out_offsets[v];
		size->edges_in += relation->in_offsets[v + 1] - relation->in_offsets[v];
		for (uint64_t e = relation->out_offsets[v]; e < relation->out_offsets[v + 1]; e++)
			size->inside += other[e] == part[v];
	}
	return GEMP_OK;
}

/* Sizes are arrays of 64-bit numbers without padding, so one reduction sums all of them. */
gemp_code gemp_partition_measure(const gemp_comm *comm, gemp_shard *graph, const uint32_t *part, uint64_t parts,
                                 gemp_part_size *sizes)
{
	GEMP_TRY(load_ends(graph));
	for (uint64_t p = 0; p < parts; p++)
		sizes[p] = (gemp_part_size){ 0 };
	for (size_t v = 0; v < graph->rows; v++)
		sizes[part[v]].vertices++;
	for (size_t r = 0; r < graph->relation_count; r++)
		GEMP_TRY(measure_relation(comm, graph, &graph->relations[r], part, sizes));
	gemp_comm_sum(comm, &sizes->vertices, (int)(parts * (sizeof *sizes / sizeof(uint64_t))));
	return GEMP_OK;
}

/* PT-Scotch, if the program was built with it. A graph for PT-Scotch is symmetric, without loops and without parallel
 * edges. It joins the rows of all relations in both directions, and the weight of an edge is the number of edges
 * between its two vertices. */

#ifndef GEMP_PTSCOTCH

gemp_code gemp_partition_ptscotch(const gemp_comm *comm, const gemp_shard *graph, uint64_t parts, uint32_t *part)
{
	(void)comm, (void)graph, (void)parts, (void)part;
	return gemp_fail(GEMP_EUSAGE, "method ptscotch: gemp was built without PT-Scotch; install it (Debian: "
	                              "libptscotch-dev), run cmake again and build, or use the method random or block");
}

#else

#include "core/memory.h"

#include <inttypes.h>
#include <ptscotch.h>
#include <stdlib.h>

#define MAX_IMBALANCE 0.05

/* The rows of this rank in PT-Scotch's format. */
typedef struct scotch_rows {
	SCOTCH_Num *begin;          /* [rows + 1] */
	SCOTCH_Num *weight;         /* [rows] */
	SCOTCH_Num *target, *edges; /* [begin[rows]] */
	SCOTCH_Num *part;           /* [rows] */
} scotch_rows;

static void free_rows(scotch_rows *r)
{
	gemp_free_all(r->begin, r->weight, r->target, r->edges, r->part);
}

/* Returns the number of this rank's row entries in all relations and both directions, with parallel edges. */
static uint64_t entries_of(const gemp_shard *graph)
{
	uint64_t entries = 0;
	for (size_t r = 0; r < graph->relation_count; r++)
		entries += graph->relations[r].out_offsets[graph->rows] + graph->relations[r].in_offsets[graph->rows];
	return entries;
}

/* Collective. The sum of all weights must fit into PT-Scotch's integer type. */
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
		                 "method ptscotch: the graph's %" PRIu64 " row entries pass the %zu-bit numbers "
		                 "of this PT-Scotch; build with one of 64-bit numbers (INTSIZE64), or use the method block",
		                 total, 8 * sizeof(SCOTCH_Num));
	return GEMP_OK;
}

/* Neighbours are sorted so that parallel edges are adjacent. */
static int compare_numbers(const void *a, const void *b)
{
	SCOTCH_Num left = *(const SCOTCH_Num *)a, right = *(const SCOTCH_Num *)b;
	return (left > right) - (left < right);
}

/* PT-Scotch's integers may be wider than ids, so ids are converted one by one. */
static void append_row(SCOTCH_Num *target, SCOTCH_Num *end, const gemp_vertex *row, uint64_t from, uint64_t to)
{
	for (uint64_t e = from; e < to; e++)
		target[(*end)++] = (SCOTCH_Num)row[e];
}

/* Appends the neighbours of one vertex. Parallel edges become one edge, whose weight is their number. Loops are
 * dropped. */
static SCOTCH_Num add_row(const gemp_shard *graph, size_t v, scotch_rows *r, SCOTCH_Num begin)
{
	SCOTCH_Num end = begin, kept = begin, self = (SCOTCH_Num)(graph->first_vertex + v);
	for (size_t i = 0; i < graph->relation_count; i++) {
		const gemp_relation *relation = &graph->relations[i];
		append_row(r->target, &end, relation->out_targets, relation->out_offsets[v], relation->out_offsets[v + 1]);
		append_row(r->target, &end, relation->in_sources, relation->in_offsets[v], relation->in_offsets[v + 1]);
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

/* The arrays have room for all entries. They are longer than needed if there are parallel edges. */
static gemp_code make_rows(const gemp_shard *graph, scotch_rows *r)
{
	uint64_t entries = entries_of(graph);
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(r->begin, graph->rows + 1), GEMP_ARRAY(r->weight, graph->rows),
	                      GEMP_ARRAY(r->part, graph->rows), GEMP_ARRAY(r->target, entries),
	                      GEMP_ARRAY(r->edges, entries)));
	for (size_t v = 0; v < graph->rows; v++)
		r->begin[v + 1] = add_row(graph, v, r, r->begin[v]);
	return GEMP_OK;
}

/* PT-Scotch itself prints the reason of a failure. */
static gemp_code check_scotch(int result, const char *call)
{
	return result == 0 ? GEMP_OK : gemp_fail(GEMP_EINTERNAL, "PT-Scotch: %s failed; its reason is above", call);
}

/* Collective. The ranks agree after every call, since PT-Scotch may fail on a single rank. */
static gemp_code cut_graph(const gemp_comm *comm, const gemp_shard *graph, scotch_rows *r, uint64_t parts)
{
	SCOTCH_Dgraph dgraph;
	SCOTCH_Strat how;
	SCOTCH_Num own = (SCOTCH_Num)graph->rows, entries = r->begin[own], count = (SCOTCH_Num)parts;
	SCOTCH_randomSeed((SCOTCH_Num)(graph->seed & INT32_MAX));
	SCOTCH_randomReset();
	GEMP_TRY(gemp_comm_agree(comm, check_scotch(SCOTCH_dgraphInit(&dgraph, comm->world), "SCOTCH_dgraphInit")));
	gemp_code code = check_scotch(SCOTCH_stratInit(&how), "SCOTCH_stratInit");
	GEMP_THEN(check_scotch(SCOTCH_stratDgraphMapBuild(&how, SCOTCH_STRATDEFAULT, comm->size, count, MAX_IMBALANCE),
	                       "SCOTCH_stratDgraphMapBuild"));
	code = gemp_comm_agree(comm, code);
	GEMP_THEN(
		gemp_comm_agree(comm, check_scotch(SCOTCH_dgraphBuild(&dgraph, 0, own, own, r->begin, r->begin + 1, r->weight,
	                                                          NULL, entries, entries, r->target, NULL, r->edges),
	                                       "SCOTCH_dgraphBuild")));
	GEMP_THEN(
		gemp_comm_agree(comm, check_scotch(SCOTCH_dgraphPart(&dgraph, count, &how, r->part), "SCOTCH_dgraphPart")));
	SCOTCH_stratExit(&how);
	SCOTCH_dgraphExit(&dgraph);
	return code;
}

gemp_code gemp_partition_ptscotch(const gemp_comm *comm, const gemp_shard *graph, uint64_t parts, uint32_t *part)
{
	GEMP_OWNED_BY(free_rows) scotch_rows r = { 0 };
	GEMP_TRY(check_size(comm, graph));
	GEMP_TRY(gemp_comm_agree(comm, make_rows(graph, &r)));
	if (graph->vertex_count > 0 && parts > 1)
		GEMP_TRY(cut_graph(comm, graph, &r, parts));
	for (size_t v = 0; v < graph->rows; v++)
		part[v] = (uint32_t)r.part[v];
	return GEMP_OK;
}

#endif
