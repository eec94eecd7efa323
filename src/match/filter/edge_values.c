#include "match/filter/edge_values.h"

#include "core/memory.h"
#include "core/search.h"
#include "core/text.h"
#include "graph/column_bulk.h"
#include "match/filter/owner_request.h"
#include "partition/exchange/value_exchange.h"
#include "primitive/distinct.h"

#include <string.h>

/* Collective. Loads the relations that occur on any rank and learns where each rank's edges begin. */
static gemp_code load_relations(gemp_runtime *context, gemp_shard *graph, const gemp_edge_values *values,
                                gemp_edge_owners *places)
{
	size_t relations = graph->relation_count;
	GEMP_OWNED uint64_t *occurs = NULL;
	GEMP_PROPAGATE(gemp_edge_owners_new(places, context->comm, graph));
	GEMP_PROPAGATE(gemp_comm_agree(context->comm, GEMP_NEW(occurs, relations + 1)));
	for (size_t i = 0; i < values->count; i++)
		occurs[gemp_edge_relation(places, values->edges[i])] = 1;
	gemp_comm_max(context->comm, occurs, (int)relations);
	unsigned parts = GEMP_LOAD_OUT | (values->column_count ? GEMP_LOAD_PROPS : 0u);
	for (size_t k = 0; k < relations; k++)
		if (occurs[k])
			GEMP_PROPAGATE(gemp_shard_load_relation(graph, k, parts));
	gemp_edge_owners_update(places, context->comm, graph);
	return GEMP_OK;
}

/* Finds the ends of an own edge by its number: edges are numbered by rows, and parallel edges lie together. */
static gemp_edge_ends ends_of(const gemp_shard *graph, size_t k, gemp_edge number)
{
	const gemp_relation *relation = &graph->relations[k];
	uint64_t at = number - relation->first_edge;
	size_t row = gemp_range_find(relation->out_offsets, graph->rows, at);
	uint32_t parallel = 0;
	while (at - parallel > relation->out_offsets[row] &&
	       relation->out_targets[at - parallel - 1] == relation->out_targets[at])
		parallel++;
	return (gemp_edge_ends){
		.relation = (uint32_t)k,
		.source = (gemp_vertex)(graph->first_vertex + row),
		.target = relation->out_targets[at],
		.parallel = parallel,
	};
}

/* Appends a value to a column of another type, which gemp_shard_edge_attribute_type has chosen for attributes that
 * relations store differently. */
static gemp_code add_as(gemp_column *out, gemp_value value)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	if (!value.null && value.type != out->type && out->type == GEMP_FLOAT) {
		value = (gemp_value){ .type = GEMP_FLOAT, .real = (double)value.integer };
	} else if (!value.null && value.type != out->type) {
		gemp_value_print(&value, &text);
		GEMP_PROPAGATE(gemp_text_status(&text));
		value = (gemp_value){ .type = GEMP_STRING, .string = { text.data, text.size } };
	}
	value.type = out->type;
	return gemp_column_add(out, &value);
}

/* The same types on all ranks, since all know all relations. */
static gemp_code init_columns(const gemp_shard *graph, const char *const *names, size_t count, gemp_column *columns)
{
	for (size_t c = 0; c < count; c++)
		GEMP_PROPAGATE(gemp_column_init(&columns[c], names[c], gemp_shard_edge_attribute_type(graph, names[c])));
	return GEMP_OK;
}

static void free_columns(gemp_column *columns, size_t count)
{
	for (size_t c = 0; columns && c < count; c++)
		gemp_column_free(&columns[c]);
	gemp_free(columns);
}

/* The values of the asked edges, as columns of the types they are sent in. */
static gemp_code read_attributes(const gemp_shard *graph, const gemp_edge_owners *places, const gemp_edge *asked,
                                 size_t count, size_t column_count, gemp_column *columns)
{
	for (size_t i = 0; i < count; i++) {
		size_t k = gemp_edge_relation(places, asked[i]);
		const gemp_relation *relation = &graph->relations[k];
		for (size_t c = 0; c < column_count; c++) {
			const gemp_column *own = gemp_table_find(&relation->props, columns[c].name);
			size_t row = asked[i] - places->relation_offset[k] - relation->first_edge;
			gemp_value null = { .type = columns[c].type, .null = true };
			GEMP_PROPAGATE(add_as(&columns[c], own ? gemp_column_get(own, row) : null));
		}
	}
	return GEMP_OK;
}

/* What a request for edges is about. */
typedef struct edge_request {
	const gemp_shard *graph;
	const gemp_edge_owners *owners;
	const char *const *names; /* [name_count] of attributes */
	size_t name_count;
} edge_request;

/* The owner of an edge is the rank that has its row by source. */
static gemp_code answer(void *self, const void *questions, size_t count, gemp_text *reply)
{
	gemp_code code = GEMP_OK;
	const edge_request *q = self;
	const gemp_edge *edges = questions;
	gemp_column *columns = NULL;
	GEMP_TRY(GEMP_NEW(columns, q->name_count));
	GEMP_TRY(init_columns(q->graph, q->names, q->name_count, columns));
	GEMP_TRY(read_attributes(q->graph, q->owners, edges, count, q->name_count, columns));
	for (size_t i = 0; i < count; i++) {
		size_t k = gemp_edge_relation(q->owners, edges[i]);
		gemp_edge_ends ends = ends_of(q->graph, k, edges[i] - q->owners->relation_offset[k]);
		gemp_text_add(reply, &ends, sizeof ends);
		for (size_t c = 0; c < q->name_count; c++)
			GEMP_TRY(gemp_column_pack(&columns[c], i, reply));
	}
done:
	free_columns(columns, q->name_count);
	return code;
}

/* Replies come by rank; rows are put in the order of values->edges: the i-th of these was asked as place[i]-th. */
static gemp_code read_replies(gemp_edge_values *out, const gemp_shard *graph, const uint64_t *place, const char *at,
                              size_t size, const char *const *names)
{
	gemp_code code = GEMP_OK;
	const char *end = at + size;
	gemp_column *columns = NULL;
	gemp_edge_ends *ends = NULL;
	GEMP_TRY(GEMP_NEW(columns, out->column_count));
	GEMP_TRY(GEMP_NEW(out->columns, out->column_count));
	GEMP_TRY(GEMP_NEW(out->ends, out->count));
	GEMP_TRY(GEMP_NEW(ends, out->count));
	GEMP_TRY(init_columns(graph, names, out->column_count, columns));
	for (size_t i = 0; i < out->count; i++) {
		memcpy(&ends[i], at, sizeof *ends);
		at += sizeof *ends;
		for (size_t c = 0; c < out->column_count; c++)
			GEMP_TRY(gemp_column_unpack(&columns[c], &at, end));
	}
	for (size_t i = 0; i < out->count; i++)
		out->ends[i] = ends[place[i]];
	for (size_t c = 0; c < out->column_count; c++)
		GEMP_TRY(gemp_column_gather(&out->columns[c], &columns[c], NULL, place, out->count));
done:
	gemp_free(ends);
	free_columns(columns, out->column_count);
	return code;
}

/* The edges in the order of their owners, and the place of each in it. counts[ranks] are the edges of each owner. */
static gemp_code sort_by_owner(const gemp_edge_owners *owners, const gemp_edge_values *values, gemp_edge *sorted,
                               uint64_t *place, size_t *counts)
{
	size_t *to = NULL;
	GEMP_PROPAGATE(GEMP_NEW(to, (size_t)owners->ranks));
	for (size_t i = 0; i < values->count; i++)
		counts[gemp_edge_owner(owners, values->edges[i])]++;
	for (int r = 1; r < owners->ranks; r++)
		to[r] = to[r - 1] + counts[r - 1];
	for (size_t i = 0; i < values->count; i++) {
		place[i] = to[gemp_edge_owner(owners, values->edges[i])]++;
		sorted[place[i]] = values->edges[i];
	}
	gemp_free(to);
	return GEMP_OK;
}

/* Requests go to owners in the order of ranks; replies are then put in the order of the ascending edges. */
gemp_code gemp_fetch_edges(gemp_edge_values *out, gemp_runtime *context, gemp_shard *graph, const gemp_edge *edges,
                           size_t count, const char *const *names, size_t name_count)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = context->comm;
	gemp_edge_owners owners = { 0 };
	gemp_edge *sorted = NULL;
	uint64_t *place = NULL;
	size_t *counts = NULL, size;
	void *distinct = NULL, *replies = NULL;
	*out = (gemp_edge_values){ .column_count = name_count };
	code = gemp_distinct_host(GEMP_KEY_U64, edges, count, &distinct, &out->count);
	out->edges = distinct;
	GEMP_THEN(GEMP_NEW(counts, (size_t)comm->size));
	GEMP_THEN(GEMP_NEW(sorted, out->count));
	GEMP_THEN(GEMP_NEW(place, out->count));
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(load_relations(context, graph, out, &owners));
	GEMP_TRY(gemp_comm_agree(comm, sort_by_owner(&owners, out, sorted, place, counts)));
	edge_request request = { graph, &owners, names, name_count };
	GEMP_TRY(gemp_owner_request(context, sorted, sizeof *sorted, counts, answer, &request, &replies, &size));
	GEMP_TRY(gemp_comm_agree(comm, read_replies(out, graph, place, replies, size, names)));
done:
	if (code != GEMP_OK)
		gemp_edge_values_free(out);
	gemp_free_all(replies, place, sorted, counts);
	gemp_edge_owners_free(&owners);
	return code;
}

/* Also after a failure in the middle of gemp_fetch_edges. */
void gemp_edge_values_free(gemp_edge_values *values)
{
	gemp_free_all(values->edges, values->ends);
	free_columns(values->columns, values->column_count);
	*values = (gemp_edge_values){ 0 };
}

size_t gemp_edge_values_index(const gemp_edge_values *values, gemp_edge edge)
{
	return gemp_range_find(values->edges, values->count, edge);
}
