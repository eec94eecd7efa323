#include "gas/key_text.h"

#include "core/memory.h"
#include "core/text.h"

#include <string.h>

gemp_code gemp_gas_key_text(const gemp_comm *comm, const gemp_graph *graph, uint64_t id, char *text, size_t room)
{
	gemp_code code = GEMP_OK;
	gemp_text own = { 0 };
	void *all = NULL;
	size_t *begin = NULL;
	if (id - graph->first < graph->rows) {
		gemp_value key = gemp_column_get(&graph->key, (size_t)(id - graph->first));
		gemp_value_print(&key, &own);
	}
	GEMP_TRY(gemp_comm_agree(comm, gemp_text_status(&own)));
	GEMP_TRY(gemp_comm_gather_all(comm, own.data, own.size, &all, &begin));
	size_t size = begin[comm->size] < room ? begin[comm->size] : room - 1;
	memcpy(text, all, size);
	text[size] = '\0';
done:
	gemp_free(all);
	gemp_free(begin);
	gemp_text_free(&own);
	return code;
}
