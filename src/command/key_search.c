#include "command/key_search.h"

#include "core/memory.h"
#include "io/text_scalar.h"

#include <stdlib.h>
#include <string.h>

/* A key asked for, and its place among all that are. */
typedef struct asked {
	gemp_value key;
	size_t place;
} asked;

static int by_key(const void *a, const void *b)
{
	const asked *one = a, *other = b;
	int order = gemp_key_compare(&one->key, &other->key);
	return order ? order : (one->place > other->place) - (one->place < other->place);
}

/* The first of list[count] that is not less. */
static size_t find(const asked *list, size_t count, const gemp_value *key)
{
	size_t low = 0, high = count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (gemp_key_compare(&list[middle].key, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

gemp_code gemp_key_search(gemp_vertex *out, const gemp_comm *comm, const gemp_graph *graph, const gemp_value *keys,
                          size_t count)
{
	gemp_code code = GEMP_OK;
	asked *list = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(list, count)));
	for (size_t i = 0; i < count; i++) {
		list[i] = (asked){ keys[i], i };
		out[i] = GEMP_NO_VERTEX;
	}
	qsort(list, count, sizeof *list, by_key);
	for (size_t row = 0; row < graph->rows && count; row++) {
		gemp_value key = gemp_column_get(&graph->key, row);
		for (size_t i = find(list, count, &key); i < count && gemp_key_compare(&list[i].key, &key) == 0; i++)
			out[list[i].place] = (gemp_vertex)(graph->first + row);
	}
	/* pieces, as MPI counts in int */
	for (size_t at = 0, piece; at < count; at += piece) {
		piece = count - at < 1 << 30 ? count - at : 1 << 30;
		GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, out + at, (int)piece, GEMP_MPI_VERTEX, MPI_MIN, comm->world));
	}
done:
	gemp_free(list);
	return code;
}

gemp_value gemp_key_of_text(const gemp_graph *graph, const char *text, size_t size)
{
	gemp_value key = { .type = GEMP_STRING, .string = { text, size } };
	return graph->key.type == GEMP_INTEGER ? gemp_scalar_key(text, size) : key;
}

gemp_code gemp_key_search_sources(gemp_vertex *out, const gemp_comm *comm, gemp_graph *graph, const char *file,
                                  const char *const *texts, size_t count)
{
	gemp_code code = GEMP_OK;
	gemp_value *keys = NULL;
	GEMP_TRY(gemp_graph_need_keys(graph));
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(keys, count)));
	for (size_t i = 0; i < count; i++)
		keys[i] = gemp_key_of_text(graph, texts[i], strlen(texts[i]));
	GEMP_TRY(gemp_key_search(out, comm, graph, keys, count));
	for (size_t i = 0; i < count; i++)
		if (out[i] == GEMP_NO_VERTEX)
			GEMP_TRY(gemp_fail(GEMP_EUSAGE, "--source %s: %s has no vertex with this key; its keys are %s, such as those "
			                   "that `gemp-mpi match %s 'MATCH (v) RETURN v LIMIT 5'` shows", texts[i], file,
			                   graph->key.type == GEMP_INTEGER ? "integers" : "strings", file));
done:
	gemp_free(keys);
	return code;
}
