/* The owner of a vertex stores the vertex's key. To fetch keys, ranks exchange ids for keys. To find vertices, every
 * rank compares the wanted keys with the keys of its own vertices, and a reduction joins the results. */

#include "io/rows/vertex_keys.h"

#include "core/search.h"
#include "core/status.h"
#include "core/threads.h"
#include "graph/column_bulk.h"
#include "io/text/cells.h"
#include "partition/exchange/value_exchange.h"

#include <stdlib.h>
#include <string.h>

/* Each distinct id is requested once. place[i]: the index of the value of ids[i] among the received values. */
gemp_code gemp_vertex_attribute_fetch(gemp_column *out, const gemp_comm *comm, const gemp_shard *graph,
                                      const gemp_column *column, const gemp_vertex *ids, size_t count)
{
	GEMP_OWNED_BY(gemp_column_free) gemp_column values = { 0 };
	GEMP_OWNED size_t *place = NULL;
	GEMP_OWNED uint64_t *rows = NULL;
	gemp_code code = GEMP_NEW(place, count);
	GEMP_THEN(GEMP_NEW(rows, count));
	GEMP_TRY(gemp_vertex_values(comm, code, graph, column, ids, count, &values, place));
	for (size_t i = 0; i < count; i++)
		rows[i] = place[i];
	return gemp_comm_agree(comm, gemp_column_gather(out, &values, NULL, rows, count));
}

gemp_code gemp_vertex_keys_fetch(gemp_column *out, const gemp_comm *comm, const gemp_shard *graph,
                                 const gemp_vertex *ids, size_t count)
{
	return gemp_vertex_attribute_fetch(out, comm, graph, &graph->keys, ids, count);
}

/* A wanted key, and its index among the wanted keys. */
typedef struct key_request {
	gemp_value key;
	size_t place;
} key_request;

/* Equal keys are ordered by place, so that the order does not depend on qsort. */
static int by_key(const void *a, const void *b)
{
	const key_request *one = a, *other = b;
	int order = gemp_value_compare_keys(&one->key, &other->key);
	return order ? order : (one->place > other->place) - (one->place < other->place);
}

/* The index of the first entry of list[count] that is not less than the key. */
static size_t lower_bound(const key_request *list, size_t count, const gemp_value *key)
{
	size_t low;
	GEMP_PARTITION_POINT(low, 0, count, gemp_value_compare_keys(&list[low].key, key) < 0);
	return low;
}

typedef struct key_search {
	const gemp_shard *graph;
	const key_request *list; /* [count] */
	size_t count;            /* > 0 */
	bool integers;           /* all wanted keys are integers, and so are the keys of the graph */
	gemp_vertex *found; /* [count] by place. No two vertices have the same key, so threads write different elements */
} key_search;

/* Most integer keys are outside the range of the wanted keys, since few are wanted. */
static bool is_outside(const key_search *s, size_t row)
{
	const int64_t key = s->integers ? s->graph->keys.integers[row] : 0;
	return s->integers && (key < s->list[0].key.integer || key > s->list[s->count - 1].key.integer);
}

static void find_in_rows(void *context, size_t begin, size_t end)
{
	const key_search *s = context;
	for (size_t row = begin; row < end; row++) {
		if (is_outside(s, row))
			continue;
		gemp_value key = gemp_column_get(&s->graph->keys, row);
		for (size_t i = lower_bound(s->list, s->count, &key);
		     i < s->count && gemp_value_compare_keys(&s->list[i].key, &key) == 0; i++)
			s->found[s->list[i].place] = (gemp_vertex)(s->graph->first_vertex + row);
	}
}

/* There are few wanted keys and many vertices. So the wanted keys are sorted, and the key of each vertex is looked up
 * among them. */
gemp_code gemp_vertex_keys_find(gemp_vertex *out, const gemp_comm *comm, const gemp_shard *graph,
                                const gemp_value *keys, size_t count)
{
	GEMP_OWNED key_request *list = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(list, count)));
	for (size_t i = 0; i < count; i++) {
		list[i] = (key_request){ keys[i], i };
		out[i] = GEMP_NO_VERTEX;
	}
	qsort(list, count, sizeof *list, by_key);
	key_search search = { graph, list, count, graph->keys.type == GEMP_INTEGER, out };
	for (size_t i = 0; i < count; i++)
		search.integers &= list[i].key.type == GEMP_INTEGER;
	if (count)
		gemp_for_elements(graph->rows, find_in_rows, &search);
	for (size_t at = 0, part; at < count; at += part) {
		part = gemp_min(count - at, 1 << 30); /* MPI counts in int */
		GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, out + at, (int)part, GEMP_MPI_VERTEX, MPI_MIN, comm->world));
	}
	return GEMP_OK;
}

/* A text can be an integer key only if the graph has integer keys. */
gemp_value gemp_vertex_keys_of_text(const gemp_shard *graph, const char *text, size_t size)
{
	gemp_value key = { .type = GEMP_STRING, .string = { text, size } };
	return graph->keys.type == GEMP_INTEGER ? gemp_scalar_key(text, size) : key;
}

/* The message names a command that shows existing keys. */
gemp_code gemp_vertex_keys_sources(gemp_vertex *out, const gemp_comm *comm, gemp_shard *graph, const char *file,
                                   const char *const *texts, size_t count)
{
	GEMP_OWNED gemp_value *keys = NULL;
	GEMP_TRY(gemp_shard_load_keys(graph));
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(keys, count)));
	for (size_t i = 0; i < count; i++)
		keys[i] = gemp_vertex_keys_of_text(graph, texts[i], strlen(texts[i]));
	GEMP_TRY(gemp_vertex_keys_find(out, comm, graph, keys, count));
	for (size_t i = 0; i < count; i++)
		if (out[i] == GEMP_NO_VERTEX)
			GEMP_TRY(gemp_fail(GEMP_EUSAGE,
			                   "source %s: %s has no vertex with this key; its keys are %s, such as those "
			                   "that `gemp-mpi match %s 'MATCH (v) RETURN v LIMIT 5'` shows",
			                   texts[i], file, graph->keys.type == GEMP_INTEGER ? "integers" : "strings", file));
	return GEMP_OK;
}
