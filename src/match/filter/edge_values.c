#include "match/filter/edge_values.h"

#include "core/memory.h"
#include "core/search.h"
#include "core/text.h"
#include "partition/base/edge_owners.h"

#include <stdlib.h>
#include <string.h>

static int compare_edges(const void *a, const void *b)
{
	gemp_edge x = *(const gemp_edge *)a, y = *(const gemp_edge *)b;
	return (x > y) - (x < y);
}

static gemp_code distinct_edges(gemp_edge_values *out, const gemp_edge *edges, size_t count)
{
	GEMP_PROPAGATE(GEMP_NEW(out->edges, count));
	if (count) {
		memcpy(out->edges, edges, count * sizeof *edges);
		qsort(out->edges, count, sizeof *edges, compare_edges);
	}
	for (size_t i = 0; i < count; i++)
		if (out->count == 0 || out->edges[out->count - 1] != out->edges[i])
			out->edges[out->count++] = out->edges[i];
	return GEMP_OK;
}

/* Collective. Loads the relations that occur on any rank and learns where each rank's edges begin. */
static gemp_code load_relations(gemp_runtime *context, gemp_shard *graph, const gemp_edge_values *values,
                                gemp_edge_owners *places)
{
	gemp_code code = GEMP_OK;
	size_t relations = graph->relation_count;
	uint64_t *occurs = NULL;
	GEMP_TRY(gemp_edge_owners_new(places, context->comm, graph));
	GEMP_TRY(gemp_comm_agree(context->comm, GEMP_NEW(occurs, relations + 1)));
	for (size_t i = 0; i < values->count; i++)
		occurs[gemp_edge_relation(places, values->edges[i])] = 1;
	gemp_comm_max(context->comm, occurs, (int)relations);
	unsigned parts = GEMP_LOAD_OUT | (values->column_count ? GEMP_LOAD_PROPS : 0u);
	for (size_t k = 0; k < relations; k++)
		if (occurs[k])
			GEMP_TRY(gemp_shard_load_relation(graph, k, parts));
	gemp_edge_owners_update(places, context->comm, graph);
done:
	gemp_free(occurs);
	return code;
}

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

/* Appends a value to a column of another type, as gemp_shard_edge_attribute_type chose it. */
static gemp_code add_as(gemp_column *out, gemp_value value)
{
	gemp_code code = GEMP_OK;
	gemp_text text = { 0 };
	if (!value.null && value.type != out->type && out->type == GEMP_FLOAT) {
		value = (gemp_value){ .type = GEMP_FLOAT, .real = (double)value.integer };
	} else if (!value.null && value.type != out->type) {
		gemp_value_print(&value, &text);
		GEMP_TRY(gemp_text_status(&text));
		value = (gemp_value){ .type = GEMP_STRING, .string = { text.data, text.size } };
	}
	value.type = out->type;
	code = gemp_column_add(out, &value);
done:
	gemp_text_free(&text);
	return code;
}

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

static gemp_code answer(const gemp_shard *graph, const gemp_edge_owners *places, const gemp_edge *asked,
                        const size_t *asked_size, const char *const *names, size_t name_count, gemp_text *reply,
                        size_t *reply_size)
{
	gemp_code code = GEMP_OK;
	gemp_column *columns = NULL;
	size_t count = 0, at = 0;
	for (int r = 0; r < graph->ranks; r++)
		count += asked_size[r] / sizeof *asked;
	GEMP_TRY(GEMP_NEW(columns, name_count));
	GEMP_TRY(init_columns(graph, names, name_count, columns));
	GEMP_TRY(read_attributes(graph, places, asked, count, name_count, columns));
	for (int r = 0; r < graph->ranks; r++) {
		size_t before = reply->size;
		for (size_t end = at + asked_size[r] / sizeof *asked; at < end; at++) {
			size_t k = gemp_edge_relation(places, asked[at]);
			gemp_edge_ends ends = ends_of(graph, k, asked[at] - places->relation_offset[k]);
			gemp_text_add(reply, &ends, sizeof ends);
			for (size_t c = 0; c < name_count; c++)
				GEMP_TRY(gemp_column_pack(&columns[c], at, reply));
		}
		reply_size[r] = reply->size - before;
	}
	code = gemp_text_status(reply);
done:
	free_columns(columns, name_count);
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
		GEMP_TRY(gemp_column_take(&out->columns[c], &columns[c], place, out->count));
done:
	gemp_free(ends);
	free_columns(columns, out->column_count);
	return code;
}

/* The edges by owner, and where each went. */
static gemp_code sort_by_owner(const gemp_shard *graph, const gemp_edge_owners *places, const gemp_edge_values *values,
                               gemp_edge *sorted, uint64_t *place, size_t *size)
{
	gemp_code code = GEMP_OK;
	size_t *to = NULL;
	GEMP_TRY(GEMP_NEW(to, (size_t)graph->ranks + 1));
	for (size_t i = 0; i < values->count; i++)
		to[gemp_edge_owner(places, values->edges[i]) + 1]++;
	for (int r = 0; r < graph->ranks; r++) {
		size[r] = to[r + 1] * sizeof *sorted;
		to[r + 1] += to[r];
	}
	for (size_t i = 0; i < values->count; i++) {
		place[i] = to[gemp_edge_owner(places, values->edges[i])]++;
		sorted[place[i]] = values->edges[i];
	}
done:
	gemp_free(to);
	return code;
}

gemp_code gemp_fetch_edges(gemp_edge_values *out, gemp_runtime *context, gemp_shard *graph, const gemp_edge *edges,
                           size_t count, const char *const *names, size_t name_count)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = context->comm;
	size_t ranks = (size_t)comm->size, asked_capacity = 0, replied_capacity = 0, replied_total = 0;
	gemp_edge_owners places = { 0 };
	gemp_edge *sorted = NULL;
	uint64_t *place = NULL;
	void *asked = NULL, *replied = NULL;
	gemp_text reply = { 0 };
	size_t *sizes = NULL; /* [4][ranks]: asking, asked, replying, replied */
	*out = (gemp_edge_values){ .column_count = name_count };
	code = distinct_edges(out, edges, count);
	GEMP_THEN(GEMP_NEW(sizes, 4 * ranks));
	GEMP_THEN(GEMP_NEW(sorted, out->count));
	GEMP_THEN(GEMP_NEW(place, out->count));
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(load_relations(context, graph, out, &places));
	code = sort_by_owner(graph, &places, out, sorted, place, sizes);
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_exchange(comm, sorted, sizes, &asked, &asked_capacity, sizes + ranks, &context->traffic));
	code = answer(graph, &places, asked, sizes + ranks, names, name_count, &reply, sizes + 2 * ranks);
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_exchange(comm, reply.data, sizes + 2 * ranks, &replied, &replied_capacity, sizes + 3 * ranks,
	                       &context->traffic));
	for (size_t r = 0; r < ranks; r++)
		replied_total += sizes[3 * ranks + r];
	code = read_replies(out, graph, place, replied, replied_total, names);
	code = gemp_comm_agree(comm, code);
done:
	if (code != GEMP_OK)
		gemp_edge_values_free(out);
	gemp_free(replied);
	gemp_text_free(&reply);
	gemp_free_all(asked, place, sorted, sizes);
	gemp_edge_owners_free(&places);
	return code;
}

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
