/* The exchange of values. A packed value is one byte for its type and for NULL, followed by its bytes. A column takes
 * one exchange for each of its arrays; strings take an exchange for their lengths and another for their bytes. Requests
 * for values of vertices go to the owners, and the values come back in the order of the requests, so no ids are sent
 * back. */

#include "partition/exchange/value_exchange.h"

#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"
#include "graph/column_bulk.h"

#include <math.h>
#include <string.h>

void gemp_pack_number(gemp_text *out, uint64_t number)
{
	gemp_text_add(out, &number, sizeof number);
}

void gemp_pack_bytes(gemp_text *out, const char *bytes, size_t size)
{
	gemp_pack_number(out, size);
	gemp_text_add(out, bytes, size);
}

/* The type is packed with each value, as values of different columns may be packed into one text. */
void gemp_pack_value(gemp_text *out, const gemp_value *value)
{
	const unsigned char kind = (unsigned char)(value->type * 2 + value->null);
	gemp_text_add(out, &kind, 1);
	if (value->null)
		return;
	if (gemp_is_text(value->type))
		gemp_pack_bytes(out, value->string.bytes, value->string.size);
	else if (value->type == GEMP_INTEGER)
		gemp_text_add(out, &value->integer, sizeof value->integer);
	else if (value->type == GEMP_FLOAT)
		gemp_text_add(out, &value->real, sizeof value->real);
	else
		gemp_text_add(out, &value->truth, 1);
}

/* Packed values are not aligned, so they are copied. */
static void read_bytes(void *out, size_t size, const char **at)
{
	memcpy(out, *at, size);
	*at += size;
}

uint64_t gemp_unpack_number(const char **at)
{
	uint64_t number;
	read_bytes(&number, sizeof number, at);
	return number;
}

const char *gemp_unpack_bytes(const char **at, size_t *size)
{
	*size = (size_t)gemp_unpack_number(at);
	const char *bytes = *at;
	*at += *size;
	return bytes;
}

/* Reads a value that gemp_pack_value has written. Nothing is checked, as only ranks of this job write packed values. */
gemp_value gemp_unpack_value(const char **at)
{
	unsigned char kind;
	read_bytes(&kind, 1, at);
	gemp_value value = { .type = (gemp_type)(kind / 2), .null = kind % 2 };
	if (value.null)
		return value;
	if (gemp_is_text(value.type))
		value.string.bytes = gemp_unpack_bytes(at, &value.string.size);
	else if (value.type == GEMP_INTEGER)
		read_bytes(&value.integer, sizeof value.integer, at);
	else if (value.type == GEMP_FLOAT)
		read_bytes(&value.real, sizeof value.real, at);
	else
		read_bytes(&value.truth, 1, at);
	return value;
}

/* Values are compared by content: NaN equals NaN, unlike in a comparison of a query. */
bool gemp_value_same(const gemp_value *a, const gemp_value *b)
{
	bool comparable;
	if (a->null || b->null)
		return a->null == b->null;
	if (a->type == GEMP_FLOAT && b->type == GEMP_FLOAT && isnan(a->real) && isnan(b->real))
		return true;
	return gemp_value_compare(a, b, &comparable) == 0 && comparable;
}

/* The texts are sent without being copied. The exchange carries failures of the texts and of the caller to all
 * ranks. */
gemp_code gemp_exchange_texts(const gemp_comm *comm, gemp_code code, gemp_text *texts, void **received, size_t *size)
{
	const size_t ranks = (size_t)comm->size;
	size_t capacity = 0;
	GEMP_OWNED gemp_peer_block *parts = NULL;
	GEMP_OWNED size_t *from = NULL;
	GEMP_THEN(gemp_new_all(GEMP_ARRAY(parts, ranks), GEMP_ARRAY(from, ranks)));
	for (size_t r = 0; r < ranks && code == GEMP_OK; r++) {
		parts[r] = (gemp_peer_block){ texts[r].data, texts[r].size };
		code = gemp_text_status(&texts[r]);
	}
	code = gemp_exchange_parts(comm, code, parts, received, &capacity, from, NULL);
	*size = 0;
	for (size_t r = 0; r < ranks; r++) {
		*size += code == GEMP_OK ? from[r] : 0;
		if (texts)
			gemp_text_free(&texts[r]);
	}
	return code;
}

/* The exchange of a column, array by array. */
typedef struct column_exchange {
	const gemp_comm *comm;
	const gemp_column *column;
	const int *owner;
	size_t received; /* number of received rows */
} column_exchange;

/* Collective. Sends one array of the column. The caller frees *out. */
static gemp_code send_array(column_exchange *s, gemp_code code, const void *array, size_t size, void **out)
{
	GEMP_OWNED size_t *from = NULL;
	GEMP_TRY(gemp_exchange_records(s->comm, code, array, s->column->rows, size, s->owner, out, &from, NULL));
	s->received = from[s->comm->size];
	return GEMP_OK;
}

/* Sorts the strings by owner with a counting sort, and lists the length of each row's string. place[r] is the place of
 * the next string for rank r. */
static gemp_code pack_strings(const column_exchange *s, uint64_t *lengths, char **bytes, size_t *sizes)
{
	const gemp_column *column = s->column;
	GEMP_OWNED size_t *place = NULL;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(place, (size_t)s->comm->size),
	                      GEMP_ARRAY(*bytes, column->rows ? column->offsets[column->rows] : 0)));
	for (size_t i = 0; i < column->rows; i++) {
		lengths[i] = column->offsets[i + 1] - column->offsets[i];
		sizes[s->owner[i]] += lengths[i];
	}
	for (int r = 1; r < s->comm->size; r++)
		place[r] = place[r - 1] + sizes[r - 1];
	for (size_t i = 0; i < column->rows; i++) {
		if (lengths[i])
			memcpy(*bytes + place[s->owner[i]], column->bytes + column->offsets[i], lengths[i]);
		place[s->owner[i]] += lengths[i];
	}
	return GEMP_OK;
}

/* Collective. The lengths of the strings are sent first. Their prefix sums are the offsets of the received column. */
static gemp_code send_strings(column_exchange *s, gemp_code code, gemp_column *out)
{
	const size_t ranks = (size_t)s->comm->size;
	GEMP_OWNED size_t *sizes = NULL;
	GEMP_OWNED uint64_t *lengths = NULL, *received = NULL;
	GEMP_OWNED char *bytes = NULL;
	GEMP_THEN(gemp_new_all(GEMP_ARRAY(sizes, 2 * ranks), GEMP_ARRAY(lengths, s->column->rows)));
	GEMP_THEN(pack_strings(s, lengths, &bytes, sizes));
	GEMP_TRY(send_array(s, code, lengths, sizeof *lengths, (void **)&received));
	code = GEMP_NEW(out->offsets, s->received + 1);
	for (size_t i = 0; i < s->received && code == GEMP_OK; i++)
		out->offsets[i + 1] = out->offsets[i] + received[i];
	return gemp_exchange(s->comm, code, bytes, sizes, (void **)&out->bytes, &out->bytes_capacity, sizes + ranks, NULL);
}

/* Collective. Sends the array of the column's type. Lists are stored like strings. */
static gemp_code send_values(column_exchange *s, gemp_code code, gemp_column *out)
{
	const gemp_column *column = s->column;
	switch (column->type) {
	case GEMP_INTEGER: return send_array(s, code, column->integers, sizeof *out->integers, (void **)&out->integers);
	case GEMP_FLOAT: return send_array(s, code, column->floats, sizeof *out->floats, (void **)&out->floats);
	case GEMP_BOOLEAN: return send_array(s, code, column->booleans, sizeof *out->booleans, (void **)&out->booleans);
	case GEMP_STRING:
	case GEMP_LIST: return send_strings(s, code, out);
	}
	return code;
}

/* Collective. If some rank has NULLs, all ranks send the flags of their rows. */
static gemp_code send_nulls(column_exchange *s, gemp_column *out)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED uint8_t *none = NULL;
	if (!gemp_comm_sum1(s->comm, s->column->null != NULL))
		return GEMP_OK;
	if (!s->column->null)
		code = GEMP_NEW(none, s->column->rows);
	GEMP_TRY(send_array(s, code, none ? none : s->column->null, 1, (void **)&out->null));
	out->rows = s->received;
	gemp_column_trim_nulls(out);
	return GEMP_OK;
}

/* The last agreement is about memory, since a column without rows needs arrays too, to count as loaded. */
gemp_code gemp_column_exchange(gemp_column *out, const gemp_comm *comm, const gemp_column *column, const int *owner)
{
	column_exchange s = { .comm = comm, .column = column, .owner = owner };
	gemp_code code = send_values(&s, gemp_column_init(out, column->name, column->type), out);
	GEMP_THEN(send_nulls(&s, out));
	if (code == GEMP_OK) {
		out->rows = out->capacity = s.received;
		code = gemp_comm_agree(comm, gemp_column_reserve(out, s.received, out->bytes_capacity));
	}
	if (code != GEMP_OK)
		gemp_column_free(out);
	return code;
}

/* The old array is freed as soon as the exchange has made the new array. */
gemp_code gemp_records_move(const gemp_comm *comm, gemp_code code, void **records, size_t count, size_t size,
                            const int *owner, size_t *received)
{
	void *came = NULL;
	GEMP_OWNED size_t *from = NULL;
	*received = count;
	if (comm->size == 1)
		return code;
	GEMP_TRY(gemp_exchange_records(comm, code, gemp_pointer_get(records), count, size, owner, &came, &from, NULL));
	gemp_free(gemp_pointer_get(records));
	gemp_pointer_set(records, came);
	*received = from[comm->size];
	return GEMP_OK;
}

/* With `consume` the old column is freed as soon as it has been sent, before the gather allocates the new column. */
gemp_code gemp_column_move(const gemp_comm *comm, gemp_column *to, gemp_column *from, const int *owner,
                           const uint64_t *order, size_t count, bool consume)
{
	GEMP_OWNED_BY(gemp_column_free) gemp_column received = { 0 };
	if (owner)
		GEMP_TRY(gemp_column_exchange(&received, comm, from, owner));
	if (owner && consume)
		gemp_column_free(from);
	GEMP_TRY(gemp_comm_agree(comm, gemp_column_gather(to, owner ? &received : from, NULL, order, count)));
	if (consume)
		gemp_column_free(from);
	return GEMP_OK;
}

/* The columns are moved one by one, so at most one column exists twice. */
gemp_code gemp_table_move(const gemp_comm *comm, gemp_table *to, gemp_table *from, const int *owner,
                          const uint64_t *order, size_t count, bool consume)
{
	GEMP_TRY(gemp_comm_agree(comm, GEMP_RESERVE(to->columns, to->capacity, from->count)));
	to->rows = count;
	while (to->count < from->count) {
		size_t c = to->count++;
		to->columns[c] = (gemp_column){ 0 };
		GEMP_TRY(gemp_column_move(comm, &to->columns[c], &from->columns[c], owner, order, count, consume));
	}
	return GEMP_OK;
}

/* Gathers the values of the requested rows, by requesting rank, and lists the requesting rank of each value. */
static gemp_code gather_answers(const gemp_shard *graph, const gemp_column *column, const gemp_vertex *ids,
                                const size_t *from, gemp_column *answers, int **asker)
{
	size_t count = from[graph->ranks];
	GEMP_OWNED uint64_t *rows = NULL;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(rows, count), GEMP_ARRAY(*asker, count)));
	for (int r = 0; r < graph->ranks; r++)
		for (size_t i = from[r]; i < from[r + 1]; i++) {
			rows[i] = ids[i] - graph->first_vertex;
			(*asker)[i] = r;
		}
	return gemp_column_gather(answers, column, NULL, rows, count);
}

/* Each owner sends one column with its answers, in the order of the requested ids. gemp_owner_places finds the row of
 * each id in the received column. */
gemp_code gemp_vertex_values(const gemp_comm *comm, gemp_code code, const gemp_shard *graph, const gemp_column *column,
                             const gemp_vertex *ids, size_t count, gemp_column *out, size_t *place)
{
	GEMP_OWNED int *owner = NULL, *asker = NULL;
	GEMP_OWNED void *asked = NULL;
	GEMP_OWNED size_t *from = NULL;
	GEMP_OWNED_BY(gemp_column_free) gemp_column answers = { 0 };
	*out = (gemp_column){ 0 };
	GEMP_THEN(GEMP_NEW(owner, count));
	for (size_t i = 0; code == GEMP_OK && i < count; i++)
		owner[i] = gemp_shard_owner(graph, ids[i]);
	GEMP_THEN(gemp_owner_places(owner, count, comm->size, place, NULL));
	GEMP_TRY(gemp_exchange_records(comm, code, ids, count, sizeof *ids, owner, &asked, &from, NULL));
	GEMP_TRY(gemp_comm_agree(comm, gather_answers(graph, column, asked, from, &answers, &asker)));
	return gemp_column_exchange(out, comm, &answers, asker);
}

enum {
	NUMBERS_A_ROUND = 1 << 22
}; /* ids that a rank requests in one round; they take 16 MiB, and the array of their owners another 16 MiB */

/* The ids that this rank requests in one round, or the ids that other ranks have sent to it. */
typedef struct number_request {
	const gemp_comm *comm;
	const uint64_t *bounds;
	const uint32_t *values;
	const gemp_vertex *ids; /* [count] */
	size_t count;
	int *owner;    /* [count] */
	uint32_t *out; /* [count]; may be the array `ids` */
} number_request;

/* The searches are independent of each other, so each thread takes ranges of ids. */
static void find_owners(void *context, size_t begin, size_t end)
{
	const number_request *r = context;
	for (size_t i = begin; i < end; i++)
		r->owner[i] = (int)gemp_range_find(r->bounds, (size_t)r->comm->size, r->ids[i]);
}

/* Local. This rank owns all ids. */
static void read_numbers(void *context, size_t begin, size_t end)
{
	const number_request *r = context;
	uint64_t first = r->bounds[r->comm->rank];
	for (size_t i = begin; i < end; i++)
		r->out[i] = r->values[r->ids[i] - first];
}

/* Collective. The answers are written over the received ids. */
static gemp_code request_round(const number_request *r, gemp_traffic *traffic)
{
	GEMP_OWNED void *received = NULL;
	GEMP_OWNED size_t *from = NULL;
	number_request own = *r;
	gemp_for_elements(r->count, find_owners, (void *)(uintptr_t)r);
	GEMP_TRY(
		gemp_exchange_records(r->comm, GEMP_OK, r->ids, r->count, sizeof *r->ids, r->owner, &received, &from, traffic));
	own.ids = own.out = received;
	own.count = from[r->comm->size];
	gemp_for_elements(own.count, read_numbers, &own);
	return gemp_exchange_answers(r->comm, GEMP_OK, received, sizeof *r->out, from, r->owner, r->count, r->out, traffic);
}

/* All ranks make as many rounds as the rank with the most ids. */
gemp_code gemp_vertex_numbers(const gemp_comm *comm, gemp_code code, const uint64_t *bounds, const uint32_t *values,
                              const gemp_vertex *ids, size_t count, uint32_t *out, gemp_traffic *traffic)
{
	GEMP_OWNED int *owner = NULL;
	if (comm->size > 1)
		GEMP_THEN(GEMP_NEW(owner, gemp_min(count, NUMBERS_A_ROUND)));
	GEMP_TRY(gemp_comm_agree(comm, code));
	number_request r = { comm, bounds, values, ids, count, owner, out };
	if (comm->size == 1) {
		gemp_for_elements(count, read_numbers, &r);
		return GEMP_OK;
	}
	for (uint64_t round = 0, rounds = gemp_exchange_rounds(comm, count, NUMBERS_A_ROUND); round < rounds; round++) {
		gemp_block_range own = gemp_exchange_round(round, count, NUMBERS_A_ROUND);
		r.count = (size_t)(own.end - own.begin);
		r.ids = r.count ? ids + own.begin : NULL;
		r.out = r.count ? out + own.begin : NULL;
		GEMP_TRY(request_round(&r, traffic));
	}
	return GEMP_OK;
}

/* All ranks know the sizes of all relations, so only the first edges of the ranks are exchanged. */
gemp_code gemp_edge_owners_new(gemp_edge_owners *out, const gemp_comm *comm, const gemp_shard *graph)
{
	*out = (gemp_edge_owners){ .relations = graph->relation_count, .ranks = comm->size };
	gemp_code code = gemp_edge_offsets(graph, &out->relation_offset);
	GEMP_THEN(GEMP_NEW(out->rank_first, out->relations * (size_t)comm->size));
	code = gemp_comm_agree(comm, code);
	if (code == GEMP_OK)
		gemp_edge_owners_update(out, comm, graph);
	else
		gemp_edge_owners_free(out);
	return code;
}

/* Each rank writes its own numbers, and a sum over the ranks joins them. */
void gemp_edge_owners_update(gemp_edge_owners *places, const gemp_comm *comm, const gemp_shard *graph)
{
	size_t ranks = (size_t)places->ranks, all = places->relations * ranks;
	memset(places->rank_first, 0, all * sizeof *places->rank_first);
	for (size_t r = 0; r < places->relations; r++)
		places->rank_first[r * ranks + (size_t)comm->rank] = graph->relations[r].first_edge;
	gemp_comm_sum(comm, places->rank_first, (int)all);
}

void gemp_edge_owners_free(gemp_edge_owners *places)
{
	gemp_free_all(places->relation_offset, places->rank_first);
	*places = (gemp_edge_owners){ 0 };
}

/* There are few relations, so a loop is as fast as a binary search. */
size_t gemp_edge_relation(const gemp_edge_owners *places, uint64_t edge)
{
	size_t r = 0;
	while (edge >= places->relation_offset[r + 1])
		r++;
	return r;
}

/* The owner is the last rank whose first edge does not follow the edge. A rank without edges has the same first edge as
 * the next rank. */
int gemp_edge_owner(const gemp_edge_owners *places, uint64_t edge)
{
	size_t r = gemp_edge_relation(places, edge);
	const uint64_t *first = places->rank_first + r * (size_t)places->ranks;
	return (int)gemp_range_find(first, (size_t)places->ranks, edge - places->relation_offset[r]);
}

/* A rank's edges in a relation have consecutive numbers. */
size_t gemp_edge_local_index(const gemp_edge_owners *places, uint64_t edge, int rank)
{
	size_t relation = gemp_edge_relation(places, edge);
	return (size_t)(edge - places->relation_offset[relation] -
	                places->rank_first[relation * (size_t)places->ranks + (size_t)rank]);
}

/* The numbers of a relation's edges follow the numbers of the relation before. */
gemp_code gemp_edge_offsets(const gemp_shard *graph, gemp_edge **offsets)
{
	gemp_edge *first;
	GEMP_TRY(GEMP_NEW(first, graph->relation_count + 1));
	for (size_t r = 0; r < graph->relation_count; r++)
		first[r + 1] = first[r] + graph->relations[r].edge_count;
	*offsets = first;
	return GEMP_OK;
}
