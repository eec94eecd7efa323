#include "match/filter/element_values.h"

#include "core/bitset.h"
#include "core/search.h"
#include "graph/column_bulk.h"
#include "partition/exchange/value_exchange.h"
#include "primitive/distinct.h"

#include <string.h>

/* The exchange of replies also carries the error codes of `answer` to all ranks, so no rank waits for a message that
 * never comes. */
gemp_code gemp_owner_request(gemp_runtime *context, const void *questions, size_t size, const size_t *counts,
                             gemp_owner_answer *answer, void *self, void **replies, size_t *reply_size)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = context->comm;
	size_t ranks = (size_t)comm->size, question_capacity = 0, reply_capacity = 0;
	GEMP_OWNED void *received = NULL;
	GEMP_OWNED_BY(gemp_text_free) gemp_text reply = { 0 };
	/* [4][ranks] bytes: requests sent, requests received, replies sent, replies received */
	GEMP_OWNED size_t *sizes = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(sizes, 4 * ranks)));
	for (size_t r = 0; r < ranks; r++)
		sizes[r] = counts[r] * size;
	GEMP_TRY(gemp_exchange(comm, GEMP_OK, questions, sizes, &received, &question_capacity, sizes + ranks,
	                       &context->traffic));
	const char *at = received;
	for (size_t r = 0; r < ranks; r++) {
		size_t before = reply.size, bytes = sizes[ranks + r];
		GEMP_THEN(answer(self, at, bytes / size, &reply));
		sizes[2 * ranks + r] = reply.size - before;
		at += bytes;
	}
	GEMP_THEN(gemp_text_status(&reply));
	GEMP_TRY(gemp_exchange(comm, code, reply.data, sizes + 2 * ranks, replies, &reply_capacity, sizes + 3 * ranks,
	                       &context->traffic));
	*reply_size = 0;
	for (size_t r = 0; r < ranks; r++)
		*reply_size += sizes[3 * ranks + r];
	return GEMP_OK;
}

/* A request for columns of vertices, which is the same on all ranks. */
typedef struct value_request {
	gemp_shard *graph;
	const gemp_column *computed; /* columns in addition to the graph's own */
	const int *column;           /* [columns] numbers of columns, as gemp_fetch_computed takes them */
	size_t columns;
} value_request;

/* Numbers below the number of attributes are attributes; numbers from there on are computed columns. */
static const gemp_column *attribute(const value_request *from, int column)
{
	size_t own = from->graph->attributes.count, c = (size_t)column;
	return c < own ? &from->graph->attributes.columns[c] : &from->computed[c - own];
}

/* Keys, labels and attributes are read from the file when they are first needed. */
static gemp_code load(const value_request *from, int column)
{
	gemp_shard *graph = from->graph;
	if (column == GEMP_FETCH_KEY || column == GEMP_FETCH_KEY_RANK)
		return gemp_shard_load_keys(graph);
	if (column == GEMP_FETCH_LABEL_SET)
		return gemp_shard_load_labels(graph);
	return column < (int)graph->attributes.count ? gemp_shard_load_attribute(graph, (size_t)column) : GEMP_OK;
}

/* The distinct ids replace the given ids in place, because callers own the array. */
gemp_code gemp_sort_distinct(gemp_vertex *ids, size_t *count)
{
	GEMP_OWNED void *distinct = NULL;
	GEMP_TRY(gemp_distinct_host(GEMP_KEY_U32, ids, *count, &distinct, count));
	if (*count)
		memcpy(ids, distinct, *count * sizeof *ids);
	return GEMP_OK;
}

/* Appends the value of one column. Key ranks and label sets are sent as numbers of 32 bits. */
static gemp_code pack(const value_request *from, int column, size_t row, gemp_text *reply)
{
	const gemp_shard *graph = from->graph;
	if (column >= 0)
		return gemp_column_pack(attribute(from, column), row, reply);
	if (column == GEMP_FETCH_KEY)
		return gemp_column_pack(&graph->keys, row, reply);
	gemp_text_add(reply, column == GEMP_FETCH_KEY_RANK ? &graph->key_ranks[row] : &graph->label_set_of[row],
	              sizeof(uint32_t));
	return gemp_text_status(reply);
}

/* Reads the value of one column that pack has written, and moves `at` behind the value. */
static gemp_code unpack(int column, gemp_column *out, const char **at, const char *end)
{
	if (column >= GEMP_FETCH_KEY)
		return gemp_column_unpack(out, at, end);
	uint32_t number;
	memcpy(&number, *at, sizeof number);
	*at += sizeof number;
	return gemp_column_add(out, &(gemp_value){ .type = GEMP_INTEGER, .integer = number });
}

/* Appends the values of the requested ids. All values of an id are adjacent. */
static gemp_code answer_values(void *self, const void *questions, size_t count, gemp_text *reply)
{
	const value_request *from = self;
	const gemp_vertex *ids = questions;
	for (size_t i = 0; i < count; i++)
		for (size_t c = 0; c < from->columns; c++)
			GEMP_TRY(pack(from, from->column[c], ids[i] - from->graph->first_vertex, reply));
	return GEMP_OK;
}

/* Makes an empty column for replies, with the column's type and a name for messages. */
static gemp_code init_column(const value_request *from, int column, gemp_column *out)
{
	if (column >= 0)
		return gemp_column_init(out, attribute(from, column)->name, attribute(from, column)->type);
	if (column == GEMP_FETCH_KEY)
		return gemp_column_init(out, "key", from->graph->keys.type);
	return gemp_column_init(out, column == GEMP_FETCH_KEY_RANK ? "key rank" : "label set", GEMP_INTEGER);
}

/* Reads the replies: the ids ascend, and all values of an id are adjacent. */
static gemp_code read_replies(const value_request *from, size_t rows, const char *reply, size_t size, gemp_column *out)
{
	const char *at = reply, *end = reply + size;
	for (size_t c = 0; c < from->columns; c++)
		GEMP_TRY(init_column(from, from->column[c], &out[c]));
	for (size_t i = 0; i < rows; i++)
		for (size_t c = 0; c < from->columns; c++)
			GEMP_TRY(unpack(from->column[c], &out[c], &at, end));
	return GEMP_OK;
}

/* Collective. Requests the values of ascending ids from their owners, and reads the replies. */
static gemp_code request_values(gemp_runtime *context, value_request *from, const gemp_vertex *distinct, size_t count,
                                gemp_column *out)
{
	gemp_code code = GEMP_OK;
	const gemp_shard *graph = from->graph;
	GEMP_OWNED size_t *counts = NULL;
	size_t size, begin = 0;
	GEMP_OWNED void *replies = NULL;
	const double began = gemp_now();
	for (size_t c = 0; c < from->columns; c++)
		GEMP_THEN(load(from, from->column[c]));
	gemp_timers_add(&context->timers, GEMP_PHASE_READ, began);
	GEMP_THEN(GEMP_NEW(counts, (size_t)graph->ranks));
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	for (int r = 0; r < graph->ranks; begin += counts[r++])
		counts[r] = gemp_lower_bound_u32(distinct + begin, count - begin, graph->bounds[r + 1]);
	GEMP_TRY(gemp_owner_request(context, distinct, sizeof *distinct, counts, answer_values, from, &replies, &size));
	return gemp_comm_agree(context->comm, read_replies(from, count, replies, size, out));
}

/* If no rank requests values, nothing is loaded and nothing is sent. */
gemp_code gemp_fetch_computed(gemp_runtime *context, gemp_shard *graph, const gemp_column *made, const gemp_vertex *ids,
                              size_t count, const int *column, size_t columns, gemp_vertex **found, size_t *found_count,
                              gemp_column *out)
{
	value_request from = { graph, made, column, columns };
	GEMP_OWNED gemp_vertex *distinct = NULL;
	memset(out, 0, columns * sizeof *out);
	gemp_code code = GEMP_COPY(distinct, ids, count);
	GEMP_THEN(gemp_sort_distinct(distinct, &count));
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	if (gemp_comm_sum1(context->comm, count))
		code = request_values(context, &from, distinct, count, out);
	else
		code = gemp_comm_agree(context->comm, read_replies(&from, 0, NULL, 0, out));
	if (code != GEMP_OK) {
		for (size_t c = 0; c < columns; c++)
			gemp_column_free(&out[c]);
		return code;
	}
	*found = distinct;
	*found_count = count;
	distinct = NULL;
	return GEMP_OK;
}

gemp_code gemp_fetch_values(gemp_runtime *context, gemp_shard *graph, const gemp_vertex *ids, size_t count,
                            const int *column, size_t columns, gemp_vertex **found, size_t *found_count,
                            gemp_column *out)
{
	return gemp_fetch_computed(context, graph, NULL, ids, count, column, columns, found, found_count, out);
}

/* gemp_range_find_u32 returns the position of the last id that is not greater, which is the id itself if it is in
 * `found`. */
size_t gemp_fetch_index(const gemp_vertex *found, size_t count, gemp_vertex id)
{
	return gemp_range_find_u32(found, count, id);
}

/* A bitmap needs no sorting. A vertex index uses a bitmap if it has at most ALWAYS_WORDS words, or at most
 * WORDS_FOR_AN_ID words for each id. Clearing a larger bitmap would cost more than sorting the ids. */
enum { WORDS_FOR_AN_ID = 8, ALWAYS_WORDS = 1 << 12 };

gemp_code gemp_vertex_index_new(gemp_vertex_index *out, uint64_t vertices, size_t capacity)
{
	gemp_code code;
	size_t words = vertices / 64 + 1;
	*out = (gemp_vertex_index){ .vertices = vertices };
	if (words <= ALWAYS_WORDS || words / WORDS_FOR_AN_ID <= capacity) {
		out->words = words;
		code = gemp_new_all(GEMP_ARRAY(out->bits, words), GEMP_ARRAY(out->rank, words));
	} else {
		code = GEMP_NEW(out->ids, capacity);
	}
	if (code != GEMP_OK)
		gemp_vertex_index_free(out);
	return code;
}

void gemp_vertex_index_free(gemp_vertex_index *places)
{
	gemp_free_all(places->bits, places->rank, places->ids);
	*places = (gemp_vertex_index){ 0 };
}

void gemp_vertex_index_add(gemp_vertex_index *places, const gemp_vertex *ids, size_t count, size_t stride)
{
	uint64_t *bits = places->bits;
	for (size_t i = 0; i < count; i++) {
		gemp_vertex id = ids[i * stride];
		GEMP_CHECK(id < places->vertices);
		if (bits)
			gemp_bits64_set(bits, id);
		else
			places->ids[places->count++] = id;
	}
}

/* rank[w] becomes the number of set bits before word w, so gemp_vertex_index_find needs only one addition and one count
 * of bits. */
gemp_code gemp_vertex_index_finish(gemp_vertex_index *places)
{
	size_t n = 0;
	if (!places->bits)
		return gemp_sort_distinct(places->ids, &places->count);
	for (size_t w = 0; w < places->words; w++) {
		places->rank[w] = (uint32_t)n;
		n += (size_t)__builtin_popcountll(places->bits[w]);
	}
	GEMP_TRY(GEMP_NEW(places->ids, n));
	for (size_t w = 0; w < places->words; w++)
		for (uint64_t left = places->bits[w]; left; left &= left - 1)
			places->ids[places->count++] = (gemp_vertex)(w * 64 + (size_t)__builtin_ctzll(left));
	return GEMP_OK;
}

/* The position of a vertex is the number of set bits before the vertex's own bit. */
void gemp_vertex_index_find(const gemp_vertex_index *places, const gemp_vertex *ids, size_t count, size_t stride,
                            uint32_t *place)
{
	const uint64_t *bits = places->bits;
	for (size_t i = 0; i < count; i++) {
		gemp_vertex id = ids[i * stride];
		if (bits)
			place[i] = places->rank[id / 64] + gemp_bits64_count_before(bits[id / 64], id);
		else
			place[i] = (uint32_t)gemp_fetch_index(places->ids, places->count, id);
	}
}

/* Collective. Loads each relation of which some rank requests an edge. Then finds the first edge of each rank in each
 * relation. */
static gemp_code load_relations(gemp_runtime *context, gemp_shard *graph, const gemp_edge_values *values,
                                gemp_edge_owners *places)
{
	size_t relations = graph->relation_count;
	GEMP_OWNED uint64_t *occurs = NULL;
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
	return GEMP_OK;
}

/* Finds the ends of an own edge by its number. Edges are numbered row by row, and the targets of a row ascend. */
static gemp_edge_ends ends_of(const gemp_shard *graph, size_t k, gemp_edge number)
{
	const gemp_relation *relation = &graph->relations[k];
	uint64_t at = number - relation->first_edge;
	size_t row = gemp_range_find(relation->out_offsets, graph->rows, at);
	uint64_t begin = relation->out_offsets[row];
	size_t before = gemp_lower_bound_u32(relation->out_targets + begin, at - begin, relation->out_targets[at]);
	return (gemp_edge_ends){
		.relation = (uint32_t)k,
		.source = (gemp_vertex)(graph->first_vertex + row),
		.target = relation->out_targets[at],
		.parallel = (uint32_t)(at - begin - before),
	};
}

/* Appends a value to a column of another type. gemp_shard_edge_attribute_type has chosen the column's type, because
 * relations store the attribute with different types. */
static gemp_code add_as(gemp_column *out, gemp_value value)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	if (!value.null && value.type != out->type && out->type == GEMP_FLOAT) {
		value = (gemp_value){ .type = GEMP_FLOAT, .real = (double)value.integer };
	} else if (!value.null && value.type != out->type) {
		gemp_value_print(&value, &text);
		GEMP_TRY(gemp_text_status(&text));
		value = (gemp_value){ .type = GEMP_STRING, .string = { text.data, text.size } };
	}
	value.type = out->type;
	return gemp_column_add(out, &value);
}

/* All ranks know the attributes of all relations, so they choose the same types. */
static gemp_code init_columns(const gemp_shard *graph, const char *const *names, size_t count, gemp_column *columns)
{
	for (size_t c = 0; c < count; c++)
		GEMP_TRY(gemp_column_init(&columns[c], names[c], gemp_shard_edge_attribute_type(graph, names[c])));
	return GEMP_OK;
}

/* A column that was never initialised is zero, so it can be freed. */
static void free_columns(gemp_column *columns, size_t count)
{
	for (size_t c = 0; columns && c < count; c++)
		gemp_column_free(&columns[c]);
	gemp_free(columns);
}

/* Copies the values of the requested edges to columns, converted to the types of the reply. */
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
			GEMP_TRY(add_as(&columns[c], own ? gemp_column_get(own, row) : null));
		}
	}
	return GEMP_OK;
}

/* A request for attributes of edges, which is the same on all ranks. */
typedef struct edge_request {
	const gemp_shard *graph;
	const gemp_edge_owners *owners;
	const char *const *names; /* [name_count] names of attributes */
	size_t name_count;
} edge_request;

/* Appends the ends and attributes of the requested edges. The owner of an edge is the rank that has the edge's row by
 * source. */
static gemp_code answer_edges(void *self, const void *questions, size_t count, gemp_text *reply)
{
	gemp_code code = GEMP_OK;
	const edge_request *q = self;
	const gemp_edge *edges = questions;
	gemp_column *columns = NULL;
	GEMP_TRY_DONE(GEMP_NEW(columns, q->name_count));
	GEMP_TRY_DONE(init_columns(q->graph, q->names, q->name_count, columns));
	GEMP_TRY_DONE(read_attributes(q->graph, q->owners, edges, count, q->name_count, columns));
	for (size_t i = 0; i < count; i++) {
		size_t k = gemp_edge_relation(q->owners, edges[i]);
		gemp_edge_ends ends = ends_of(q->graph, k, edges[i] - q->owners->relation_offset[k]);
		gemp_text_add(reply, &ends, sizeof ends);
		for (size_t c = 0; c < q->name_count; c++)
			GEMP_TRY_DONE(gemp_column_pack(&columns[c], i, reply));
	}
done:
	free_columns(columns, q->name_count);
	return code;
}

/* Reads the replies, which come in the order of the requests, and stores them in the order of out->edges. The request
 * for edge i was number place[i]. */
static gemp_code read_edge_replies(gemp_edge_values *out, const gemp_shard *graph, const uint64_t *place,
                                   const char *at, size_t size, const char *const *names)
{
	gemp_code code = GEMP_OK;
	const char *end = at + size;
	gemp_column *columns = NULL;
	GEMP_OWNED gemp_edge_ends *ends = NULL;
	GEMP_TRY_DONE(gemp_new_all(GEMP_ARRAY(columns, out->column_count), GEMP_ARRAY(out->columns, out->column_count),
	                           GEMP_ARRAY(out->ends, out->count), GEMP_ARRAY(ends, out->count)));
	GEMP_TRY_DONE(init_columns(graph, names, out->column_count, columns));
	for (size_t i = 0; i < out->count; i++) {
		memcpy(&ends[i], at, sizeof *ends);
		at += sizeof *ends;
		for (size_t c = 0; c < out->column_count; c++)
			GEMP_TRY_DONE(gemp_column_unpack(&columns[c], &at, end));
	}
	for (size_t i = 0; i < out->count; i++)
		out->ends[i] = ends[place[i]];
	for (size_t c = 0; c < out->column_count; c++)
		GEMP_TRY_DONE(gemp_column_gather(&out->columns[c], &columns[c], NULL, place, out->count));
done:
	free_columns(columns, out->column_count);
	return code;
}

/* Groups the edges by owner. sorted[place[i]] becomes edge i, and counts[ranks] the number of edges of each owner. */
static gemp_code sort_by_owner(const gemp_edge_owners *owners, const gemp_edge_values *values, gemp_edge *sorted,
                               uint64_t *place, size_t *counts)
{
	GEMP_OWNED size_t *to = NULL;
	GEMP_TRY(GEMP_NEW(to, (size_t)owners->ranks));
	for (size_t i = 0; i < values->count; i++)
		counts[gemp_edge_owner(owners, values->edges[i])]++;
	for (int r = 1; r < owners->ranks; r++)
		to[r] = to[r - 1] + counts[r - 1];
	for (size_t i = 0; i < values->count; i++) {
		place[i] = to[gemp_edge_owner(owners, values->edges[i])]++;
		sorted[place[i]] = values->edges[i];
	}
	return GEMP_OK;
}

/* The relations are loaded first, since only then all ranks know which edges each rank owns. */
gemp_code gemp_fetch_edges(gemp_edge_values *out, gemp_runtime *context, gemp_shard *graph, const gemp_edge *edges,
                           size_t count, const char *const *names, size_t name_count)
{
	const gemp_comm *comm = context->comm;
	GEMP_OWNED_BY(gemp_edge_owners_free) gemp_edge_owners owners = { 0 };
	GEMP_OWNED_BY(gemp_edge_values_free) gemp_edge_values values = { .column_count = name_count };
	GEMP_OWNED gemp_edge *sorted = NULL;
	GEMP_OWNED uint64_t *place = NULL;
	GEMP_OWNED size_t *counts = NULL;
	GEMP_OWNED void *replies = NULL;
	void *distinct = NULL;
	size_t size;
	*out = (gemp_edge_values){ 0 };
	gemp_code code = gemp_distinct_host(GEMP_KEY_U64, edges, count, &distinct, &values.count);
	values.edges = distinct;
	GEMP_THEN(gemp_new_all(GEMP_ARRAY(counts, (size_t)comm->size), GEMP_ARRAY(sorted, values.count),
	                       GEMP_ARRAY(place, values.count)));
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(load_relations(context, graph, &values, &owners));
	GEMP_TRY(gemp_comm_agree(comm, sort_by_owner(&owners, &values, sorted, place, counts)));
	edge_request request = { graph, &owners, names, name_count };
	GEMP_TRY(gemp_owner_request(context, sorted, sizeof *sorted, counts, answer_edges, &request, &replies, &size));
	GEMP_TRY(gemp_comm_agree(comm, read_edge_replies(&values, graph, place, replies, size, names)));
	*out = values;
	values = (gemp_edge_values){ 0 };
	return GEMP_OK;
}

/* Also frees values that are only partly made. */
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
