/* Vertices to their owners, ids, duplicates. Packed vertices go to the rank that owns their hash; there the list is
 * sorted by (hash, key, place), so duplicates are neighbours and the one that was given first precedes the
 * others. What is left gets consecutive ids over the ranks, and the columns of the graph are gathered in this order.
 */

#include "core/memory.h"
#include "graph/column_bulk.h"
#include "partition/build/builder_state.h"
#include "partition/build/integer_keys.h"
#include "partition/exchange/record_stream.h"
#include "primitive/sort.h"

#include <stdlib.h>
#include <string.h>

/* A vertex on its way: this, key, labels, then its packed values unless it is implied. */
typedef struct vertex_header {
	uint64_t place;
	uint32_t key_size, labels_size;
} vertex_header;

/* What the callbacks of the record stream need, and the vertices that have come so far. */
typedef struct vertex_router {
	gemp_builder *builder;
	const gemp_builder_part *part; /* whose vertices are on their way */
	gemp_vertex_list owned;
	gemp_dictionary labels;
} vertex_router;

/* Records beyond the vertices of the part are the keys that its edges name. */
static bool is_end(const gemp_builder_part *part, size_t record)
{
	return record >= part->vertices.keys.count;
}

/* The vertices of a part, then, where edges make vertices, their ends. */
static gemp_string key_at(const gemp_builder_part *part, size_t record)
{
	if (is_end(part, record))
		return gemp_bytes_at(&part->end_keys.list, record - part->vertices.keys.count);
	return gemp_bytes_at(&part->vertices.keys, record);
}

/* A vertex belongs to the rank that owns its hash: ranks share the range of hashes evenly. */
static int owner(void *self, size_t record)
{
	const vertex_router *route = self;
	return gemp_builder_key_owner(route->builder, gemp_builder_key_hash(route->builder, key_at(route->part, record)));
}

/* Sends a vertex with its labels and values; an implied one, which only an edge names, has the default label alone. */
static gemp_code pack(void *self, size_t record, gemp_text *out)
{
	const gemp_builder_part *part = ((vertex_router *)self)->part;
	const gemp_vertex_list *list = &part->vertices;
	const char *implied_label = ((vertex_router *)self)->builder->options.default_label;
	bool implied = is_end(part, record);
	const gemp_string key = key_at(part, record);
	const gemp_string labels = implied ? (gemp_string){ implied_label, implied_label ? strlen(implied_label) : 0 }
	                                   : gemp_bytes_at(&part->labels.list, list->records[record].labels);
	if (key.size > UINT32_MAX || labels.size > UINT32_MAX)
		return gemp_fail(GEMP_EDATA, "an id or a list of labels is longer than 4 GiB");
	vertex_header head = { implied ? GEMP_PLACE_IMPLIED : list->records[record].place, (uint32_t)key.size,
		                   (uint32_t)labels.size };
	gemp_text_add(out, &head, sizeof head);
	gemp_text_add(out, key.bytes, key.size);
	gemp_text_add(out, labels.bytes, labels.size);
	for (size_t c = 0; !implied && c < list->values.count; c++)
		GEMP_TRY(gemp_column_pack(&list->values.columns[c], record, out));
	return GEMP_OK;
}

/* Adds what comes to the owned vertices. Values of implied vertices are NULL. */
static gemp_code receive(void *self, int source, const char *at, const char *end)
{
	(void)source;
	vertex_router *route = self;
	gemp_vertex_list *list = &route->owned;
	while (at < end) {
		vertex_header head;
		memcpy(&head, at, sizeof head);
		at += sizeof head;
		struct gemp_vertex_record record = { .place = head.place };
		GEMP_TRY(gemp_dictionary_add(&route->labels, at + head.key_size, head.labels_size, &record.labels));
		GEMP_TRY(GEMP_RESERVE(list->records, list->capacity, list->keys.count + 1));
		list->records[list->keys.count] = record;
		GEMP_TRY(gemp_bytes_add(&list->keys, at, head.key_size));
		at += head.key_size + head.labels_size;
		for (size_t c = 0; c < list->values.count; c++)
			if (head.place == GEMP_PLACE_IMPLIED)
				GEMP_TRY(gemp_column_pad(&list->values.columns[c], list->keys.count));
			else
				GEMP_TRY(gemp_column_unpack(&list->values.columns[c], &at, end));
	}
	return GEMP_OK;
}

/* Vertices with the same hash are ordered by key, then by place, so the first one given comes first. */
static int compare_in_run(const void *a, const void *b, void *list_)
{
	const gemp_vertex_list *list = list_;
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
	int order = gemp_bytes_compare(&list->keys, left, right);
	if (order)
		return order;
	uint64_t p = list->records[left].place, q = list->records[right].place;
	return (p > q) - (p < q);
}

/* order[] becomes the list's positions by (hash, key, place), hash[] the hashes in that order. */
static gemp_code sort_vertices(const gemp_builder *builder, const gemp_vertex_list *list, uint64_t *order,
                               uint64_t *hash)
{
	size_t count = list->keys.count;
	static const gemp_sort by_hash = { .key = GEMP_KEY_U64, .value_size = sizeof *order };
	for (size_t i = 0; i < count; i++) {
		hash[i] = gemp_builder_key_hash(builder, gemp_bytes_at(&list->keys, i));
		order[i] = i;
	}
	GEMP_TRY(gemp_sort_host(&by_hash, hash, order, count));
	for (size_t i = 0, next; i < count; i = next) {
		for (next = i + 1; next < count && hash[next] == hash[i];)
			next++;
		if (next - i > 1)
			qsort_r(order + i, next - i, sizeof *order, compare_in_run, (void *)list);
	}
	return GEMP_OK;
}

/* Vertices that were given twice: how many, and the message for the one with the lowest place. */
typedef struct duplicate_faults {
	uint64_t place, count;
	gemp_text *message;
} duplicate_faults;

/* Only the fault with the lowest place is described; the others are counted. */
static void note_duplicate(const gemp_builder *builder, const gemp_vertex_list *list, size_t first, size_t again,
                           duplicate_faults *faults)
{
	uint64_t place = list->records[again].place;
	if (faults->count++ && place >= faults->place)
		return;
	faults->place = place;
	gemp_text_clear(faults->message);
	gemp_builder_place_print(builder, place, faults->message);
	gemp_text_print(faults->message, ": vertex ");
	gemp_builder_print_key(gemp_bytes_at(&list->keys, first), faults->message);
	gemp_text_print(faults->message, " was already given at ");
	gemp_builder_place_print(builder, list->records[first].place, faults->message);
	gemp_text_print(faults->message, "; an id may appear once, remove one of them");
}

/* Keeps one of each key: a real vertex before an implied one; two real ones are a fault. Returns how many are kept. */
static size_t drop_duplicates(const gemp_builder *builder, const gemp_vertex_list *list, uint64_t *order,
                              const uint64_t *hash, duplicate_faults *faults)
{
	size_t kept = 0;
	for (size_t i = 0; i < list->keys.count; i++) {
		bool alike = kept && hash[i] == hash[i - 1];
		if (alike && gemp_bytes_compare(&list->keys, order[kept - 1], order[i]) == 0) {
			if (list->records[order[i]].place != GEMP_PLACE_IMPLIED)
				note_duplicate(builder, list, order[kept - 1], order[i], faults);
		} else {
			order[kept++] = order[i];
		}
	}
	return kept;
}

/* list becomes its rows `order`; values go to the graph. */
static gemp_code assign_vertices(gemp_vertex_list *list, const uint64_t *order, size_t count, gemp_shard *graph)
{
	enum { FAR = 32 };
	GEMP_OWNED_BY(gemp_bytes_free) gemp_bytes keys = { 0 };
	GEMP_OWNED struct gemp_vertex_record *records = NULL;
	GEMP_TRY(GEMP_NEW(records, count));
	for (size_t i = 0; i < count; i++) {
		if (i + FAR < count) { /* they lie all over the list */
			__builtin_prefetch(&list->keys.begin[order[i + FAR]]);
			__builtin_prefetch(&list->records[order[i + FAR]]);
			__builtin_prefetch(&list->keys.bytes[list->keys.begin[order[i + FAR / 2]]]);
		}
		const gemp_string key = gemp_bytes_at(&list->keys, order[i]);
		GEMP_TRY(gemp_bytes_add(&keys, key.bytes, key.size));
		records[i] = list->records[order[i]];
	}
	GEMP_TRY(GEMP_RESERVE(graph->attributes.columns, graph->attributes.capacity, list->values.count));
	for (size_t c = 0; c < list->values.count; c++) {
		GEMP_TRY(gemp_column_pad(&list->values.columns[c], list->keys.count));
		GEMP_TRY(gemp_column_gather(&graph->attributes.columns[c], &list->values.columns[c], NULL, order, count));
		graph->attributes.count++;
		gemp_column_free(&list->values.columns[c]);
	}
	graph->attributes.rows = count;
	gemp_bytes_free(&list->keys);
	gemp_free(list->records);
	list->keys = keys;
	list->records = records;
	keys = (gemp_bytes){ 0 };
	records = NULL;
	return GEMP_OK;
}

/* Integers if all keys of all ranks are. */
static gemp_code make_key_column(const gemp_builder *builder, const gemp_bytes *keys, gemp_shard *graph)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	uint64_t strings = 0;
	for (size_t i = 0; i < keys->count && !strings; i++)
		strings = keys->bytes[keys->begin[i]] == GEMP_KEY_OF_STRING;
	gemp_comm_max(builder->comm, &strings, 1);
	GEMP_TRY(gemp_column_init(&graph->keys, "_id", strings ? GEMP_STRING : GEMP_INTEGER));
	GEMP_TRY(gemp_column_reserve(&graph->keys, keys->count, 0));
	for (size_t i = 0; i < keys->count; i++) {
		gemp_value key = gemp_key_decode(gemp_bytes_at(keys, i));
		if (strings && key.type == GEMP_INTEGER) {
			gemp_text_clear(&text);
			gemp_value_print(&key, &text);
			GEMP_TRY(gemp_text_status(&text));
			key = (gemp_value){ .type = GEMP_STRING, .string = { text.data, text.size } };
		}
		GEMP_TRY(gemp_column_add(&graph->keys, &key));
	}
	return GEMP_OK;
}

/* Collective. Owned vertices are sorted by hash, and ranks own ascending ranges: ids are consecutive over the ranks. */
static gemp_code assign_ids(const gemp_builder *builder, size_t rows, gemp_shard *graph)
{
	const gemp_comm *comm = builder->comm;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(graph->bounds, (size_t)comm->size + 1)));
	uint64_t own = rows;
	GEMP_MPI(MPI_Allgather(&own, 1, MPI_UINT64_T, graph->bounds + 1, 1, MPI_UINT64_T, comm->world));
	for (int r = 0; r < comm->size; r++)
		graph->bounds[r + 1] += graph->bounds[r];
	graph->vertex_count = graph->bounds[comm->size];
	graph->first_vertex = graph->bounds[comm->rank];
	graph->rows = rows;
	if (graph->vertex_count > builder->options.vertex_limit)
		return gemp_fail(
			GEMP_EDATA, "the input has %" PRIu64 " vertices, but a graph may have at most %" PRIu64 "; split the input",
			graph->vertex_count, builder->options.vertex_limit);
	return GEMP_OK;
}

/* Collective. The vertices of one part, which it then no longer has. */
static gemp_code route_part(vertex_router *route, gemp_builder_part *part)
{
	gemp_code code = GEMP_OK;
	gemp_vertex_list *list = &part->vertices;
	const gemp_builder *builder = route->builder;
	for (size_t c = 0; c < list->values.count && code == GEMP_OK; c++)
		code = gemp_column_pad(&list->values.columns[c], list->keys.count);
	GEMP_TRY(gemp_comm_agree(builder->comm, code));
	route->part = part;
	gemp_record_stream stream = { route, list->keys.count, builder->options.batch, owner, pack, receive };
	if (builder->options.vertices_from_edges)
		stream.count += part->end_keys.list.count;
	GEMP_TRY(gemp_record_stream_run(builder->comm, &stream));
	gemp_vertex_list_free(list);
	gemp_dictionary_free(&part->labels);
	return GEMP_OK;
}

static void free_router(vertex_router *route)
{
	gemp_vertex_list_free(&route->owned);
	gemp_dictionary_free(&route->labels);
}

/* Collective. All parts of all ranks, then the vertices that only edges name; edges with coded ends have sent these
 * with their part. */
static gemp_code route_vertices(vertex_router *route)
{
	gemp_builder *builder = route->builder;
	gemp_builder_part none;
	const gemp_table *from = &builder->parts[0].vertices.values;
	const char *label = builder->options.default_label;
	uint32_t labels = 0;
	GEMP_TRY(gemp_comm_agree(builder->comm, gemp_table_copy_schema(&route->owned.values, from)));
	for (size_t p = 0, parts = gemp_builder_max_parts(builder); p < parts; p++)
		GEMP_TRY(route_part(route, gemp_builder_part_at(builder, p, &none)));
	if (!builder->options.vertices_from_edges || gemp_builder_is_coded(builder))
		return GEMP_OK;
	gemp_code code = gemp_dictionary_add(&route->labels, label, label ? strlen(label) : 0, &labels);
	GEMP_TRY(gemp_comm_agree(builder->comm, code));
	return gemp_builder_integer_vertices(builder, &route->owned, labels);
}

/* Collective. order[*rows] becomes the positions in the list of the vertices that stay, by hash. */
static gemp_code choose_vertices(const gemp_builder *builder, const gemp_vertex_list *list, uint64_t **order,
                                 size_t *rows)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text message = { 0 };
	GEMP_OWNED uint64_t *hash = NULL;
	duplicate_faults faults = { .place = UINT64_MAX, .message = &message };
	gemp_code code = gemp_new_all(GEMP_ARRAY(*order, list->keys.count), GEMP_ARRAY(hash, list->keys.count));
	GEMP_THEN(sort_vertices(builder, list, *order, hash));
	if (code == GEMP_OK)
		*rows = drop_duplicates(builder, list, *order, hash, &faults);
	GEMP_THEN(gemp_text_status(&message));
	GEMP_TRY(gemp_comm_agree(builder->comm, code));
	return gemp_builder_report(builder, faults.place, faults.count, message.data);
}

/* Duplicates are reported before ids are given, since the report fails on all ranks with the message of one. */
gemp_code gemp_builder_vertices(gemp_builder *builder, gemp_shard *graph)
{
	GEMP_OWNED_BY(free_router) vertex_router arrived = { .builder = builder };
	GEMP_OWNED uint64_t *order = NULL;
	gemp_vertex_list *list = &builder->vertices;
	size_t rows = 0;
	GEMP_TRY(route_vertices(&arrived));
	*list = arrived.owned;
	builder->labels = arrived.labels;
	arrived = (vertex_router){ 0 };
	GEMP_TRY(choose_vertices(builder, list, &order, &rows));
	GEMP_TRY(assign_ids(builder, rows, graph));
	GEMP_TRY(gemp_comm_agree(builder->comm, assign_vertices(list, order, rows, graph)));
	return gemp_comm_agree(builder->comm, make_key_column(builder, &list->keys, graph));
}
