#include "partition/cut/partitioner.h"

#include "core/memory.h"
#include "core/random.h"
#include "partition/cut/ptscotch.h"
#include "partition/exchange/value_exchange.h"

const char *const gemp_partitioner_name[GEMP_PARTITIONERS] = { "random", "block", "ptscotch" };

/* Ids are random as long as no partitioner has given them: then the keys' hashes are drawn again. */
static gemp_code choose_random(const gemp_comm *comm, gemp_shard *graph, uint64_t parts, uint32_t *part)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(gemp_text_free) gemp_text key = { 0 };
	for (size_t v = 0; v < graph->rows && !graph->partition.count; v++)
		part[v] = (uint32_t)(((unsigned __int128)(graph->first_vertex + v + 1) * parts - 1) / graph->vertex_count);
	if (!graph->partition.count)
		return GEMP_OK;
	GEMP_PROPAGATE(gemp_shard_load_keys(graph));
	for (size_t v = 0; v < graph->rows && code == GEMP_OK; v++) {
		gemp_text_clear(&key);
		code = gemp_column_pack(&graph->keys, v, &key);
		part[v] = (uint32_t)((unsigned __int128)gemp_hash(key.data, key.size, graph->seed) * parts >> 64);
	}
	return gemp_comm_agree(comm, code == GEMP_OK ? gemp_text_status(&key) : code);
}

/* The work that a vertex causes grows with its edges in both directions. */
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

/* Weights by place in the order of keys, in at most so many classes, of which each goes whole to the part in which the
 * middle of its weight falls. */
static gemp_code choose_block(const gemp_comm *comm, gemp_shard *graph, uint64_t parts, uint32_t *part)
{
	enum { CLASSES = 1 << 20 };
	uint64_t n = graph->vertex_count, classes = n < CLASSES ? n : CLASSES, total = 0, before = 0;
	GEMP_OWNED uint64_t *weight = NULL;
	GEMP_PROPAGATE(gemp_shard_load_keys(graph));
	GEMP_PROPAGATE(gemp_comm_agree(comm, GEMP_NEW(weight, classes)));
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

/* Collective. The partitioners look at edges, not at attributes. */
static gemp_code need_ends(gemp_shard *graph)
{
	gemp_code code = GEMP_OK;
	for (size_t r = 0; r < graph->relation_count && code == GEMP_OK; r++)
		code = gemp_shard_load_relation(graph, r, GEMP_LOAD_OUT | GEMP_LOAD_IN);
	return code;
}

gemp_code gemp_partition_choose(const gemp_comm *comm, gemp_shard *graph, gemp_partitioner method, uint64_t parts,
                                uint32_t *part)
{
	if (method == GEMP_PARTITION_RANDOM)
		return choose_random(comm, graph, parts, part);
	gemp_code code = need_ends(graph);
	if (code != GEMP_OK)
		return code;
	return method == GEMP_PARTITION_BLOCK ? choose_block(comm, graph, parts, part)
	                                      : gemp_partition_ptscotch(comm, graph, parts, part);
}

uint64_t gemp_part_bytes(const gemp_part_size *size)
{
	return (size->edges_out + size->edges_in + GEMP_ROW_COST * size->vertices) * GEMP_ENTRY_BYTES;
}

/* Collective. An edge is inside a part if the owner of its target names the same part. */
static gemp_code measure_relation(const gemp_comm *comm, const gemp_shard *graph, const gemp_relation *relation,
                                  const uint32_t *part, gemp_part_size *sizes)
{
	GEMP_OWNED uint32_t *other = NULL;
	size_t count = relation->out_offsets[graph->rows];
	GEMP_PROPAGATE(gemp_comm_agree(comm, GEMP_NEW(other, count)));
	GEMP_PROPAGATE(gemp_vertex_numbers(comm, graph->bounds, part, relation->out_targets, count, other, NULL));
	for (size_t v = 0; v < graph->rows; v++) {
		gemp_part_size *size = &sizes[part[v]];
		size->edges_out += relation->out_offsets[v + 1] - relation->out_offsets[v];
		size->edges_in += relation->in_offsets[v + 1] - relation->in_offsets[v];
		for (uint64_t e = relation->out_offsets[v]; e < relation->out_offsets[v + 1]; e++)
			size->inside += other[e] == part[v];
	}
	return GEMP_OK;
}

gemp_code gemp_partition_measure(const gemp_comm *comm, gemp_shard *graph, const uint32_t *part, uint64_t parts,
                                 gemp_part_size *sizes)
{
	GEMP_PROPAGATE(need_ends(graph));
	for (uint64_t p = 0; p < parts; p++)
		sizes[p] = (gemp_part_size){ 0 };
	for (size_t v = 0; v < graph->rows; v++)
		sizes[part[v]].vertices++;
	for (size_t r = 0; r < graph->relation_count; r++)
		GEMP_PROPAGATE(measure_relation(comm, graph, &graph->relations[r], part, sizes));
	gemp_comm_sum(comm, &sizes->vertices, (int)(parts * (sizeof *sizes / sizeof(uint64_t))));
	return GEMP_OK;
}
