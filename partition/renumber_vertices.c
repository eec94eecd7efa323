/* Vertices to the ranks that own their new ids. */
#include "core/memory.h"
#include "partition/inquire.h"
#include "partition/builder_shuffle.h"
#include "partition/builder_sort.h"
#include "partition/renumber_state.h"

#include <string.h>

typedef struct header {
	uint32_t id, key_rank, label_set; /* then the packed key and attributes */
} header;

typedef struct routing {
	gemp_renumbering *all;
	uint64_t *ids;    /* [count] new ids, as they came; key_rank, label_set lie beside them, key, attributes in `to` */
	uint32_t *key_rank, *label_set;
	size_t count;
} routing;

static int owner(void *self, size_t record)
{
	const routing *route = self;
	return gemp_graph_owner(route->all->to, route->all->id[record]);
}

static gemp_code pack(void *self, size_t record, gemp_text *out)
{
	gemp_code code = GEMP_OK;
	const routing *route = self;
	const gemp_graph *from = route->all->from;
	header head = { route->all->id[record], from->key_rank[record], from->label_set[record] };
	gemp_text_add(out, &head, sizeof head);
	GEMP_TRY(gemp_column_pack(&from->key, record, out));
	for (size_t c = 0; c < from->attributes.count; c++)
		GEMP_TRY(gemp_column_pack(&from->attributes.columns[c], record, out));
done:
	return code;
}

static gemp_code take(void *self, int source, const char *at, const char *end)
{
	(void)source;
	gemp_code code = GEMP_OK;
	routing *route = self;
	gemp_graph *to = route->all->to;
	while (at < end) {
		header head;
		memcpy(&head, at, sizeof head);
		at += sizeof head;
		route->ids[route->count] = head.id;
		route->key_rank[route->count] = head.key_rank;
		route->label_set[route->count++] = head.label_set;
		GEMP_TRY(gemp_column_unpack(&to->key, &at, end));
		for (size_t c = 0; c < to->attributes.count; c++)
			GEMP_TRY(gemp_column_unpack(&to->attributes.columns[c], &at, end));
	}
done:
	return code;
}

/* By id. */
static gemp_code settle(routing *route)
{
	gemp_code code = GEMP_OK;
	gemp_graph *to = route->all->to;
	uint64_t *order = NULL;
	GEMP_TRY(GEMP_NEW(order, to->rows));
	GEMP_TRY(GEMP_NEW(to->key_rank, to->rows));
	GEMP_TRY(GEMP_NEW(to->label_set, to->rows));
	for (size_t v = 0; v < to->rows; v++)
		order[v] = v;
	GEMP_TRY(gemp_radix_sort(route->ids, order, to->rows));
	for (size_t v = 0; v < to->rows; v++) {
		to->key_rank[v] = route->key_rank[order[v]];
		to->label_set[v] = route->label_set[order[v]];
	}
	GEMP_TRY(gemp_renumber_pick(&to->key, order, to->rows));
	for (size_t c = 0; c < to->attributes.count; c++)
		GEMP_TRY(gemp_renumber_pick(&to->attributes.columns[c], order, to->rows));
	to->attributes.rows = to->rows;
done:
	gemp_free(order);
	return code;
}

gemp_code gemp_renumber_vertices(gemp_renumbering *all)
{
	gemp_code code = GEMP_OK;
	routing route = { .all = all };
	size_t rows = all->to->rows;
	code = GEMP_NEW(route.ids, rows);
	if (code == GEMP_OK)
		code = GEMP_NEW(route.key_rank, rows);
	if (code == GEMP_OK)
		code = GEMP_NEW(route.label_set, rows);
	GEMP_TRY(gemp_comm_agree(all->comm, code));
	gemp_shuffle shuffle = { &route, all->from->rows, GEMP_INQUIRE_BATCH, owner, pack, take };
	GEMP_TRY(gemp_shuffle_run(all->comm, &shuffle));
	code = gemp_comm_agree(all->comm, settle(&route));
done:
	gemp_free(route.ids);
	gemp_free(route.key_rank);
	gemp_free(route.label_set);
	return code;
}
