/* Finds one match of each class of embeddings. For classes by orbit, an embedding counts if its tuple is the smallest
 * of the orbit. For classes by subgraph or vertices, all sets of images are sorted and compared. Without classes every
 * embedding counts. */
#include "match.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
	const ref_graph *graph;
	const ref_query *query;
	ref_distinct distinct;
	bool listed;
	uint64_t most;
	ref_group group;
	ref_answer answer;
	size_t room, record; /* capacity in records, and the numbers in a record: the key of the class, then the tuple */
	uint32_t *records;
} collector;

static size_t key_width(const collector *c)
{
	return c->distinct == REF_SUBGRAPH   ? c->answer.width
	       : c->distinct == REF_VERTICES ? (size_t)c->query->vertex_count
	                                     : 0;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/* Writes the set of members as sorted numbers without repetition, padded with the largest number. */
static void as_set(uint32_t *set, const uint32_t *members, size_t count)
{
	memcpy(set, members, count * sizeof *set);
	qsort(set, count, sizeof *set, by_number);
	size_t kept = 0;
	for (size_t i = 0; i < count; i++)
		if (i == 0 || set[i] != set[i - 1])
			set[kept++] = set[i];
	while (kept < count)
		set[kept++] = UINT32_MAX;
}

static bool is_least(const collector *c, const uint32_t *tuple)
{
	size_t points = c->group.points;
	for (size_t g = 0; g < c->group.order; g++) {
		const int *images = c->group.images + g * points;
		for (size_t i = 0; i < points; i++) {
			if (tuple[images[i]] == tuple[i])
				continue;
			if (tuple[images[i]] < tuple[i])
				return false;
			break;
		}
	}
	return true;
}

static uint32_t *next_record(collector *c)
{
	if (c->answer.rows == c->room) {
		c->room = c->room ? 2 * c->room : 1024;
		c->records = realloc(c->records, c->room * c->record * sizeof *c->records);
		if (!c->records)
			ref_die("out of memory");
	}
	return c->records + c->answer.rows++ * c->record;
}

static bool collect(void *context, const uint32_t *images)
{
	collector *c = context;
	size_t vertices = (size_t)c->query->vertex_count, edges = (size_t)c->query->edge_count;
	uint32_t tuple[REF_MAX_VERTICES + REF_MAX_EDGES];
	for (size_t v = 0; v < vertices; v++)
		tuple[v] = c->graph->vertex_order[images[v]];
	for (size_t e = 0; e < edges; e++)
		tuple[vertices + e] = c->graph->edge_order[images[REF_MAX_VERTICES + e]];
	c->answer.complete = ++c->answer.embeddings <= c->most;
	if (!c->answer.complete || (c->distinct == REF_ORBIT && !is_least(c, tuple)))
		return c->answer.complete;
	c->answer.matches++;
	size_t width = key_width(c);
	if (!width && !c->listed)
		return true;
	uint32_t *record = next_record(c);
	if (width)
		as_set(record, tuple, vertices);
	if (c->distinct == REF_SUBGRAPH)
		as_set(record + vertices, tuple + vertices, edges);
	memcpy(record + width, tuple, c->answer.width * sizeof *record);
	return true;
}

static size_t comparing; /* numbers in a record; qsort has no context argument */

static int by_record(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	for (size_t i = 0; i < comparing; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

/* Keeps the first record of each class, which has its smallest tuple. */
static void classify(collector *c)
{
	size_t width = key_width(c), kept = 0;
	comparing = c->record;
	qsort(c->records, c->answer.rows, c->record * sizeof *c->records, by_record);
	for (size_t i = 0; i < c->answer.rows && width; i++) {
		const uint32_t *record = c->records + i * c->record;
		if (kept > 0 && memcmp(c->records + (kept - 1) * c->record, record, width * sizeof *record) == 0)
			continue;
		memmove(c->records + kept++ * c->record, record, c->record * sizeof *record);
	}
	if (width)
		c->answer.rows = c->answer.matches = kept;
}

static uint32_t *inverse(const uint32_t *order, size_t count)
{
	uint32_t *at = ref_alloc(count, sizeof *at);
	for (uint32_t i = 0; i < count; i++)
		at[order[i]] = i;
	return at;
}

static void name_elements(collector *c)
{
	ref_answer *answer = &c->answer;
	size_t vertices = (size_t)c->query->vertex_count;
	uint32_t *vertex_at = inverse(c->graph->vertex_order, c->graph->n);
	uint32_t *edge_at = inverse(c->graph->edge_order, c->graph->m);
	answer->elements = ref_alloc(answer->rows * answer->width, sizeof *answer->elements);
	for (size_t row = 0; row < answer->rows; row++) {
		const uint32_t *tuple = c->records + row * c->record + key_width(c);
		for (size_t i = 0; i < answer->width; i++)
			answer->elements[row * answer->width + i] = i < vertices ? vertex_at[tuple[i]] : edge_at[tuple[i]];
	}
	free(vertex_at);
	free(edge_at);
}

ref_answer ref_matches(const ref_graph *graph, const ref_query *query, ref_semantics semantics, ref_distinct distinct,
                       bool listed, uint64_t most)
{
	collector c = { .graph = graph, .query = query, .distinct = distinct, .listed = listed, .most = most };
	c.answer.complete = true;
	c.group = ref_automorphisms(query);
	c.answer.group_order = c.group.order;
	c.answer.width = (size_t)query->vertex_count + (size_t)query->edge_count;
	c.record = key_width(&c) + c.answer.width;
	ref_embeddings(graph, query, semantics, collect, &c);
	if (c.answer.rows > 0)
		classify(&c);
	if (listed)
		name_elements(&c);
	free(c.records);
	free(c.group.images);
	return c.answer;
}
