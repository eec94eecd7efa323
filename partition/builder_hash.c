/* The hash of a graph's content: for every column the sum over its rows of XXH3(value, row), which needs no order, then
 * XXH3 over the sums with the columns' names. */
#include "core/memory.h"
#include "core/random.h"
#include "core/text.h"
#include "core/threads.h"
#include "partition/builder.h"

#include <stdatomic.h>
#include <string.h>

enum { ROWS = 1 << 10, EDGES = 64 }; /* rows that a thread goes through at a time, and edges hashed together */

typedef struct sums {
	uint64_t *values;
	size_t count, capacity;
	gemp_text names; /* each ends in a 0 byte */
} sums;

static gemp_code add_sum(sums *all, const char *relation, const char *name, uint64_t sum)
{
	gemp_code code = GEMP_RESERVE(all->values, all->capacity, all->count + 1);
	if (code == GEMP_OK)
		all->values[all->count++] = sum;
	gemp_text_print(&all->names, "%s:%s", relation, name);
	gemp_text_add(&all->names, "", 1);
	return code == GEMP_OK ? gemp_text_status(&all->names) : code;
}

static gemp_code add_column(sums *all, const char *relation, const gemp_column *column, uint64_t first)
{
	gemp_code code = GEMP_OK;
	gemp_text packed = { 0 };
	uint64_t sum = 0;
	for (size_t i = 0; i < column->rows; i++) {
		gemp_text_clear(&packed);
		GEMP_TRY(gemp_column_pack(column, i, &packed));
		sum += gemp_hash(packed.data, packed.size, first + i);
	}
	GEMP_TRY(add_sum(all, relation, column->name, sum));
done:
	gemp_text_free(&packed);
	return code;
}

static gemp_code add_vertices(sums *all, const gemp_graph *graph)
{
	gemp_code code = GEMP_OK;
	gemp_text labels = { 0 };
	uint64_t sum = 0;
	GEMP_TRY(add_column(all, "", &graph->key, graph->first));
	for (size_t v = 0; v < graph->rows; v++) {
		const gemp_label_set *set = &graph->label_sets[graph->label_set[v]];
		gemp_text_clear(&labels);
		for (size_t l = 0; l < set->count; l++)
			gemp_text_print(&labels, "%s;", graph->labels[set->labels[l]]);
		sum += gemp_hash(labels.data, labels.size, graph->first + v);
	}
	GEMP_TRY(gemp_text_status(&labels));
	GEMP_TRY(add_sum(all, "", "_label", sum));
	for (size_t c = 0; c < graph->attributes.count; c++)
		GEMP_TRY(add_column(all, "", &graph->attributes.columns[c], graph->first));
done:
	gemp_text_free(&labels);
	return code;
}

typedef struct summing {
	const gemp_graph *graph;
	const gemp_relation *relation;
	_Atomic uint64_t sum;
} summing;

static void sum_rows(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	summing *s = context;
	const gemp_relation *relation = s->relation;
	uint32_t ends[EDGES][2];
	uint64_t sum = 0;
	size_t last = (piece + 1) * ROWS < s->graph->rows ? (piece + 1) * ROWS : s->graph->rows;
	size_t waiting = 0;
	uint64_t first = relation->out_begin[piece * ROWS];
	for (size_t v = piece * ROWS; v < last; v++)
		for (uint64_t e = relation->out_begin[v]; e < relation->out_begin[v + 1]; e++) {
			ends[waiting][0] = (uint32_t)(s->graph->first + v);
			ends[waiting][1] = relation->out[e];
			if (++waiting < EDGES)
				continue;
			sum += gemp_hash_sum(ends, sizeof *ends, waiting, relation->first + first);
			first += waiting;
			waiting = 0;
		}
	atomic_fetch_add(&s->sum, sum + gemp_hash_sum(ends, sizeof *ends, waiting, relation->first + first));
}

static gemp_code add_relation(sums *all, const gemp_graph *graph, const gemp_relation *relation)
{
	gemp_code code = GEMP_OK;
	summing s = { graph, relation, 0 };
	gemp_parallel_for((graph->rows + ROWS - 1) / ROWS, sum_rows, &s);
	GEMP_TRY(add_sum(all, relation->name, relation->directed ? "->" : "-", s.sum));
	for (size_t c = 0; c < relation->props.count; c++)
		GEMP_TRY(add_column(all, relation->name, &relation->props.columns[c], relation->first));
done:
	return code;
}

gemp_code gemp_graph_content_hash(const gemp_comm *comm, const gemp_graph *graph, uint64_t *out)
{
	gemp_code code = GEMP_OK;
	sums all = { 0 };
	code = add_vertices(&all, graph);
	for (size_t r = 0; r < graph->relation_count && code == GEMP_OK; r++)
		code = add_relation(&all, graph, &graph->relations[r]);
	GEMP_TRY(gemp_comm_agree(comm, code));
	gemp_comm_sum(comm, all.values, (int)all.count);
	uint64_t hash = gemp_hash(all.names.data, all.names.size, graph->vertices);
	*out = gemp_hash(all.values, all.count * sizeof *all.values, hash);
done:
	gemp_text_free(&all.names);
	gemp_free(all.values);
	return code;
}
