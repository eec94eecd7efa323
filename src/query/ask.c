#include "query/ask.h"

#include "core/memory.h"
#include "match/values.h"

#include <string.h>

static gemp_code look_up(const gemp_graph *graph, const gemp_column *own, const gemp_vertex *asked, const size_t *from,
                         int64_t **replies, int **owner)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_NEW(*replies, from[graph->ranks]));
	GEMP_TRY(GEMP_NEW(*owner, from[graph->ranks]));
	for (int r = 0; r < graph->ranks; r++)
		for (size_t i = from[r]; i < from[r + 1]; i++) {
			(*replies)[i] = own->integers[asked[i] - graph->first];
			(*owner)[i] = r;
		}
done:
	return code;
}

static gemp_code read_replies(const int64_t *replies, size_t count, gemp_column *out)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_column_init(out, "", GEMP_INTEGER));
	for (size_t i = 0; i < count && code == GEMP_OK; i++)
		code = gemp_column_add(out, &(gemp_value){ .type = GEMP_INTEGER, .integer = replies[i] });
done:
	return code;
}

gemp_code gemp_ask(gemp_context *context, const gemp_graph *graph, const gemp_column *own, const gemp_vertex *ids,
                   size_t count, gemp_vertex **found, size_t *found_count, gemp_column *out)
{
	gemp_code code = GEMP_OK;
	gemp_vertex *distinct = NULL;
	int *owner = NULL, *asker = NULL;
	int64_t *replies = NULL;
	void *asked = NULL, *replied = NULL;
	size_t *from = NULL;
	*out = (gemp_column){ 0 };
	code = GEMP_NEW(distinct, count);
	if (code == GEMP_OK && count) {
		memcpy(distinct, ids, count * sizeof *ids);
		code = gemp_sort_distinct(distinct, &count);
	}
	if (code == GEMP_OK)
		code = GEMP_NEW(owner, count);
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	for (size_t i = 0; i < count; i++)
		owner[i] = gemp_graph_owner(graph, distinct[i]);
	GEMP_TRY(gemp_exchange_records(context->comm, distinct, count, sizeof *distinct, owner, &asked, &from,
	                               &context->traffic));
	code = look_up(graph, own, asked, from, &replies, &asker);
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	GEMP_TRY(gemp_exchange_records(context->comm, replies, from[graph->ranks], sizeof *replies, asker, &replied,
	                               NULL, &context->traffic));
	code = gemp_comm_agree(context->comm, read_replies(replied, count, out)); /* owners ascend with ids */
	*found = distinct;
	*found_count = count;
	if (code == GEMP_OK)
		distinct = NULL;
done:
	if (code != GEMP_OK) {
		gemp_column_free(out);
		*found = NULL;
	}
	gemp_free(replied);
	gemp_free(asked);
	gemp_free(from);
	gemp_free(replies);
	gemp_free(asker);
	gemp_free(owner);
	gemp_free(distinct);
	return code;
}
