#include "io/lookup.h"

#include "core/memory.h"
#include "core/text.h"

/* The ids in the order of their owners, which is that of the values that come back. */
static gemp_code group(const gemp_graph *graph, const gemp_vertex *ids, size_t count, gemp_vertex *grouped,
                       size_t *sizes, size_t *place)
{
	gemp_code code = GEMP_OK;
	size_t *next = NULL;
	GEMP_TRY(GEMP_NEW(next, (size_t)graph->ranks + 1));
	for (size_t i = 0; i < count; i++)
		next[gemp_graph_owner(graph, ids[i]) + 1]++;
	for (int r = 0; r < graph->ranks; r++) {
		sizes[r] = next[r + 1] * sizeof *ids;
		next[r + 1] += next[r];
	}
	for (size_t i = 0; i < count; i++) {
		place[i] = next[gemp_graph_owner(graph, ids[i])]++;
		grouped[place[i]] = ids[i];
	}
done:
	gemp_free(next);
	return code;
}

static gemp_code answer(const gemp_graph *graph, const gemp_column *column, const gemp_vertex *asked,
                        const size_t *asked_size, gemp_text *reply, size_t *reply_size)
{
	gemp_code code = GEMP_OK;
	for (int r = 0; r < graph->ranks; r++) {
		size_t before = reply->size, count = asked_size[r] / sizeof *asked;
		for (size_t i = 0; i < count; i++)
			GEMP_TRY(gemp_column_pack(column, (size_t)(asked[i] - graph->first), reply));
		asked += count;
		reply_size[r] = reply->size - before;
	}
done:
	return code;
}

static gemp_code read_replies(const gemp_column *column, const char *reply, size_t count, size_t size, gemp_column *out)
{
	gemp_code code = GEMP_OK;
	const char *at = reply, *end = reply + size;
	GEMP_TRY(gemp_column_init(out, column->name, column->type));
	for (size_t i = 0; i < count; i++)
		GEMP_TRY(gemp_column_unpack(out, &at, end));
done:
	return code;
}

gemp_code gemp_lookup(const gemp_comm *comm, const gemp_graph *graph, const gemp_column *column, const gemp_vertex *ids,
                      size_t count, gemp_column *out, size_t *place)
{
	gemp_code code = GEMP_OK;
	size_t ranks = (size_t)comm->size, asked_capacity = 0, replied_capacity = 0, size = 0;
	gemp_vertex *grouped = NULL;
	void *asked = NULL, *replied = NULL;
	gemp_text reply = { 0 };
	size_t *sizes = NULL; /* [4][ranks]: asking, asked, replying, replied */
	*out = (gemp_column){ 0 };
	code = GEMP_NEW(sizes, 4 * ranks);
	if (code == GEMP_OK)
		code = GEMP_NEW(grouped, count);
	if (code == GEMP_OK)
		code = group(graph, ids, count, grouped, sizes, place);
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_exchange(comm, grouped, sizes, &asked, &asked_capacity, sizes + ranks, NULL));
	code = answer(graph, column, asked, sizes + ranks, &reply, sizes + 2 * ranks);
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_exchange(comm, reply.data, sizes + 2 * ranks, &replied, &replied_capacity, sizes + 3 * ranks, NULL));
	for (size_t r = 0; r < ranks; r++)
		size += sizes[3 * ranks + r];
	code = gemp_comm_agree(comm, read_replies(column, replied, count, size, out));
done:
	if (code != GEMP_OK)
		gemp_column_free(out);
	gemp_free(replied);
	gemp_text_free(&reply);
	gemp_free(asked);
	gemp_free(grouped);
	gemp_free(sizes);
	return code;
}
