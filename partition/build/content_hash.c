/* The hash of a graph's content. A column's sum adds XXH3(value, row) over all rows, so the sum does not depend on the
 * order of the additions. The result is XXH3 over the sums and the names of the columns. */

#include "partition/build/content_hash.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/text.h"
#include "core/threads.h"
#include "graph/either_rows.h"

#include <stdatomic.h>
#include <string.h>

/* ROWS: rows that a thread takes at a time. EDGES: edges that are hashed with one call. APART: bytes of a cache line */
enum { ROWS = 1 << 10, EDGES = 64, APART = 64 };

/* The sum of every column so far. The order of the columns is the same on all ranks. */
typedef struct sums {
	uint64_t *values;
	size_t count, capacity;
	gemp_text names; /* the names of the columns, each with a 0 byte at its end */
} sums;

/* The name enters the hash, so renaming a column changes the hash. */
static gemp_code add_sum(sums *all, const char *relation, const char *name, uint64_t sum)
{
	gemp_code code = GEMP_RESERVE(all->values, all->capacity, all->count + 1);
	if (code == GEMP_OK)
		all->values[all->count++] = sum;
	gemp_text_print(&all->names, "%s:%s", relation, name);
	gemp_text_add(&all->names, "", 1);
	return code == GEMP_OK ? gemp_text_status(&all->names) : code;
}

/* One column, or the labels of all vertices, while all threads add to `sum`. */
typedef struct column_hash {
	const gemp_column *column;
	const gemp_shard *graph; /* the graph whose labels are hashed */
	gemp_text texts;         /* the texts of its label sets */
	size_t *begin;           /* [label_set_count + 1] offset of each set in `texts` */
	uint64_t first;
	size_t max_size; /* bytes of a thread's memory, which holds the longest packed value */
	char *scratch;   /* [threads][max_size] */
	_Atomic uint64_t sum;
} column_hash;

static void free_column_hash(column_hash *h)
{
	gemp_text_free(&h->texts);
	gemp_free_all(h->begin, h->scratch);
}

/* Writes the bytes that gemp_column_pack would append, without checking the memory. */
static size_t pack(const gemp_column *column, size_t row, char *out)
{
	gemp_value value = gemp_column_get(column, row);
	bool text = column->type == GEMP_STRING || column->type == GEMP_LIST;
	uint64_t size = value.string.size;
	out[0] = value.null;
	if (value.null)
		return 1;
	if (!text) {
		size = column->type == GEMP_BOOLEAN ? 1 : sizeof value.integer;
		memcpy(out + 1, column->type == GEMP_BOOLEAN ? (const void *)&column->booleans[row] : &value.integer, size);
		return 1 + size;
	}
	memcpy(out + 1, &size, sizeof size);
	if (size)
		memcpy(out + 1 + sizeof size, value.string.bytes, size);
	return 1 + sizeof size + size;
}

/* Sums are modulo 2^64, so the hash does not depend on the size of chunks. */
static void hash_chunk(void *context, unsigned thread, size_t chunk)
{
	column_hash *h = context;
	char *scratch = h->scratch + thread * h->max_size;
	uint64_t sum = 0;
	for (size_t i = chunk * ROWS; i < h->column->rows && i < (chunk + 1) * ROWS; i++)
		sum += gemp_hash(scratch, pack(h->column, i, scratch), h->first + i);
	atomic_fetch_add(&h->sum, sum);
}

/* Each thread packs values into its own memory, which has the length of the longest value. */
static gemp_code add_column(sums *all, const char *relation, const gemp_column *column, uint64_t first)
{
	GEMP_OWNED_BY(free_column_hash) column_hash h = { .column = column, .first = first };
	for (size_t i = 0; i < column->rows && column->offsets; i++)
		if (column->offsets[i + 1] - column->offsets[i] > h.max_size)
			h.max_size = column->offsets[i + 1] - column->offsets[i];
	h.max_size = (h.max_size + 1 + 2 * sizeof(uint64_t)) / APART * APART + 2 * APART; /* no two threads share a line */
	GEMP_TRY(GEMP_NEW(h.scratch, gemp_threads() * h.max_size));
	gemp_parallel_for((column->rows + ROWS - 1) / ROWS, hash_chunk, &h);
	return add_sum(all, relation, column->name, h.sum);
}

/* The hash takes the text of a vertex's label set, as the number of a set depends on the history of the graph. */
static void hash_labels_range(void *context, size_t begin, size_t end)
{
	column_hash *h = context;
	uint64_t sum = 0;
	for (size_t v = begin; v < end; v++) {
		const size_t *begin = &h->begin[h->graph->label_set_of[v]];
		sum += gemp_hash(h->texts.data + begin[0], begin[1] - begin[0], h->graph->first_vertex + v);
	}
	atomic_fetch_add(&h->sum, sum);
}

/* Makes the texts of all label sets, and then hashes one text for each vertex. */
static gemp_code add_labels(sums *all, const gemp_shard *graph)
{
	GEMP_OWNED_BY(free_column_hash) column_hash h = { .graph = graph };
	GEMP_TRY(GEMP_NEW(h.begin, graph->label_set_count + 1));
	for (size_t s = 0; s < graph->label_set_count; s++) {
		const gemp_label_set *set = &graph->label_sets[s];
		for (size_t l = 0; l < set->count; l++)
			gemp_text_print(&h.texts, "%s;", graph->labels[set->labels[l]]);
		h.begin[s + 1] = h.texts.size;
	}
	gemp_text_add(&h.texts, "", 1); /* data must not be NULL if no vertex has a label */
	GEMP_TRY(gemp_text_status(&h.texts));
	gemp_for_elements(graph->rows, hash_labels_range, &h);
	return add_sum(all, "", "_label", h.sum);
}

/* Adds the keys, labels and attributes of the vertices. */
static gemp_code add_vertices(sums *all, const gemp_shard *graph)
{
	GEMP_TRY(add_column(all, "", &graph->keys, graph->first_vertex));
	GEMP_TRY(add_labels(all, graph));
	for (size_t c = 0; c < graph->attributes.count; c++)
		GEMP_TRY(add_column(all, "", &graph->attributes.columns[c], graph->first_vertex));
	return GEMP_OK;
}

/* One relation while all threads add to `sum`. */
typedef struct edge_sum {
	const gemp_shard *graph;
	const gemp_relation *relation;
	_Atomic uint64_t sum;
} edge_sum;

/* gemp_hash_sum hashes the edges of a group with one call. */
static void sum_rows(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	edge_sum *s = context;
	const gemp_relation *relation = s->relation;
	gemp_edge_pair pairs[EDGES];
	size_t count = 0;
	uint64_t sum = 0, first = relation->out_offsets[begin];
	for (size_t v = begin; v < end; v++)
		for (uint64_t e = relation->out_offsets[v]; e < relation->out_offsets[v + 1]; e++) {
			pairs[count++] = (gemp_edge_pair){ (gemp_vertex)(s->graph->first_vertex + v), relation->out_targets[e] };
			if (count < EDGES)
				continue;
			sum += gemp_hash_sum(pairs, sizeof *pairs, count, relation->first_edge + first);
			first += count;
			count = 0;
		}
	atomic_fetch_add(&s->sum, sum + gemp_hash_sum(pairs, sizeof *pairs, count, relation->first_edge + first));
}

/* The merged rows of a symmetric relation. Edges are numbered by their sources. */
typedef struct merged_sum {
	const gemp_shard *graph;
	const gemp_relation *relation;
	uint64_t *first; /* [chunks + 1] the number of a chunk's edges, then of the edges before it */
	_Atomic uint64_t sum;
} merged_sum;

static void count_merged(void *context, size_t chunk, size_t begin, size_t end)
{
	const merged_sum *s = context;
	const gemp_relation *relation = s->relation;
	uint64_t count = 0;
	for (size_t v = begin; v < end; v++)
		for (uint64_t e = relation->either_offsets[v]; e < relation->either_offsets[v + 1]; e++)
			count += gemp_edge_leads((gemp_vertex)(s->graph->first_vertex + v), relation->either_neighbours[e]);
	s->first[chunk + 1] = count;
}

static void sum_merged(void *context, size_t chunk, size_t begin, size_t end)
{
	merged_sum *s = context;
	const gemp_relation *relation = s->relation;
	gemp_edge_pair pairs[EDGES + 1];
	size_t count = 0;
	uint64_t sum = 0, first = relation->first_edge + s->first[chunk];
	for (size_t v = begin; v < end; v++)
		for (uint64_t e = relation->either_offsets[v]; e < relation->either_offsets[v + 1]; e++) {
			pairs[count] = (gemp_edge_pair){ (gemp_vertex)(s->graph->first_vertex + v),
				                             relation->either_neighbours[e] };
			count += gemp_edge_leads(pairs[count].source, pairs[count].target);
			if (count < EDGES)
				continue;
			sum += gemp_hash_sum(pairs, sizeof *pairs, count, first);
			first += count;
			count = 0;
		}
	atomic_fetch_add(&s->sum, sum + gemp_hash_sum(pairs, sizeof *pairs, count, first));
}

/* The sum is that of the rows by source. */
static gemp_code sum_of_merged(const gemp_shard *graph, const gemp_relation *relation, uint64_t *sum)
{
	const size_t chunks = (graph->rows + ROWS - 1) / ROWS;
	GEMP_OWNED uint64_t *first = NULL;
	GEMP_TRY(GEMP_NEW(first, chunks + 1));
	merged_sum s = { graph, relation, first, 0 };
	gemp_for_chunks(graph->rows, ROWS, count_merged, &s);
	gemp_prefix_inclusive(first, chunks + 1);
	gemp_for_chunks(graph->rows, ROWS, sum_merged, &s);
	*sum = s.sum;
	return GEMP_OK;
}

/* Adds the rows by source and the attributes of edges. Rows by target follow from the rows by source, so they are left
 * out. */
static gemp_code add_relation(sums *all, const gemp_shard *graph, const gemp_relation *relation)
{
	edge_sum s = { graph, relation, 0 };
	uint64_t sum = 0;
	if (relation->loaded & GEMP_LOAD_OUT)
		gemp_for_chunks(graph->rows, ROWS, sum_rows, &s);
	else
		GEMP_TRY(sum_of_merged(graph, relation, &sum));
	GEMP_TRY(add_sum(all, relation->name, relation->directed ? "->" : "-", s.sum + sum));
	for (size_t c = 0; c < relation->props.count; c++)
		GEMP_TRY(add_column(all, relation->name, &relation->props.columns[c], relation->first_edge));
	return GEMP_OK;
}

/* The sums of all ranks are added before the last hash, so the hash does not depend on the number of ranks. */
gemp_code gemp_shard_content_hash(const gemp_comm *comm, const gemp_shard *graph, uint64_t *out)
{
	sums all = { 0 };
	gemp_code code = add_vertices(&all, graph);
	for (size_t r = 0; r < graph->relation_count && code == GEMP_OK; r++)
		code = add_relation(&all, graph, &graph->relations[r]);
	GEMP_TRY_DONE(gemp_comm_agree(comm, code));
	gemp_comm_sum(comm, all.values, (int)all.count);
	uint64_t hash = gemp_hash(all.names.data, all.names.size, graph->vertex_count);
	*out = gemp_hash(all.values, all.count * sizeof *all.values, hash);
done:
	gemp_text_free(&all.names);
	gemp_free(all.values);
	return code;
}
