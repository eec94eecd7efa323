/* The stages that give vertices their owners, ids and labels. Packed vertices go to the rank that owns the hash of
 * their key. The owner sorts its vertices by (hash, key, place), so vertices with the same key follow one another, and
 * the vertex with the lowest place comes first. The vertices that stay get ids that are consecutive over the ranks, and
 * the columns of the graph are gathered in the order of ids.
 *
 * Labels: every rank gets the distinct texts "A;B" of all ranks. All ranks parse the same few texts, so they give
 * labels and sets the same numbers without a further exchange. A set is a list of ascending label numbers, so texts
 * that differ only in the order of names give the same set. */

#include "core/memory.h"
#include "core/search.h"
#include "graph/column_bulk.h"
#include "partition/build/builder_state.h"
#include "partition/build/integer_keys.h"
#include "partition/build/integer_vertices.h"
#include "partition/exchange/record_stream.h"
#include "primitive/sort.h"

#include <stdlib.h>
#include <string.h>

/* The header of a vertex on its way to its owner. The key, the labels and, unless only an edge names the vertex, the
 * packed values follow. */
typedef struct vertex_header {
	uint64_t place;
	uint32_t key_size, labels_size;
} vertex_header;

/* The state of the record stream's callbacks, and the vertices that this rank has received. */
typedef struct vertex_router {
	gemp_builder *builder;
	const gemp_builder_part *part; /* the part whose vertices are sent */
	gemp_vertex_list owned;
	gemp_dictionary labels;
} vertex_router;

/* The records of a part are its vertices and, with vertices_from_edges, the keys that its edges name. */
static bool is_end(const gemp_builder_part *part, size_t record)
{
	return record >= part->vertices.keys.count;
}

static gemp_string key_at(const gemp_builder_part *part, size_t record)
{
	if (is_end(part, record))
		return gemp_bytes_at(&part->end_keys.list, record - part->vertices.keys.count);
	return gemp_bytes_at(&part->vertices.keys, record);
}

/* A vertex belongs to the rank that owns its hash. All ranks own equal ranges of hashes. */
static int owner(void *self, size_t record)
{
	const vertex_router *route = self;
	return gemp_builder_key_owner(route->builder, gemp_builder_key_hash(route->builder, key_at(route->part, record)));
}

/* Packs a vertex with its labels and values. An implied vertex, which only an edge names, has no values and only the
 * default label. */
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

/* Appends received vertices to the owned vertices. All values of an implied vertex are NULL. */
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

/* Orders vertices with the same hash by key, then by place. */
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

/* order[] becomes the positions in the list, sorted by (hash, key, place). hash[] becomes the hashes in this order. */
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

void gemp_duplicate_note(const gemp_builder *builder, gemp_string key, uint64_t first, uint64_t again,
                         gemp_duplicate_faults *faults)
{
	if (faults->count++ && again >= faults->place)
		return;
	faults->place = again;
	gemp_text_clear(faults->message);
	gemp_builder_place_print(builder, again, faults->message);
	gemp_text_print(faults->message, ": vertex ");
	gemp_builder_print_key(key, faults->message);
	gemp_text_print(faults->message, " was already given at ");
	gemp_builder_place_print(builder, first, faults->message);
	gemp_text_print(faults->message, "; an id may appear once, remove one of them");
}

/* Keeps the first vertex of each key and returns the number of kept vertices. Implied vertices sort last, so an added
 * vertex is kept in place of an implied vertex with the same key. Two added vertices with the same key are a fault. */
static size_t drop_duplicates(const gemp_builder *builder, const gemp_vertex_list *list, uint64_t *order,
                              const uint64_t *hash, gemp_duplicate_faults *faults)
{
	size_t kept = 0;
	for (size_t i = 0; i < list->keys.count; i++) {
		bool alike = kept && hash[i] == hash[i - 1];
		if (alike && gemp_bytes_compare(&list->keys, order[kept - 1], order[i]) == 0) {
			if (list->records[order[i]].place != GEMP_PLACE_IMPLIED)
				gemp_duplicate_note(builder, gemp_bytes_at(&list->keys, order[kept - 1]),
				                    list->records[order[kept - 1]].place, list->records[order[i]].place, faults);
		} else {
			order[kept++] = order[i];
		}
	}
	return kept;
}

/* The list becomes its rows order[0..count), and their values become columns of the graph. */
static gemp_code assign_vertices(gemp_vertex_list *list, const uint64_t *order, size_t count, gemp_shard *graph)
{
	enum { FAR = 32 };
	GEMP_OWNED_BY(gemp_bytes_free) gemp_bytes keys = { 0 };
	GEMP_OWNED struct gemp_vertex_record *records = NULL;
	GEMP_TRY(GEMP_NEW(records, count));
	for (size_t i = 0; i < count; i++) {
		if (i + FAR < count) { /* the rows are read in random order */
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

/* Collective. The column has integers if all keys of all ranks are integers, and strings otherwise. */
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

/* Each rank has its vertices in the order of hashes, and the hashes of rank r are below the hashes of rank
 * r + 1. Ids therefore are consecutive over the ranks. */
gemp_code gemp_builder_assign_ids(const gemp_builder *builder, size_t rows, gemp_shard *graph)
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

/* Collective. Sends the vertices of one part to their owners and frees them in the part. */
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

/* Collective. Adds the distinct ends of edges that this rank owns. An implied vertex has no place. Its key is encoded
 * as gemp_key_encode encodes an integer. */
static gemp_code add_implied(gemp_builder *builder, gemp_vertex_list *list, uint32_t labels)
{
	GEMP_OWNED uint64_t *ends = NULL;
	size_t count = 0;
	char bytes[GEMP_INTEGER_KEY_SIZE] = { GEMP_KEY_OF_INTEGER };
	GEMP_TRY(gemp_builder_distinct_ends(builder, &ends, &count));
	gemp_code code = GEMP_RESERVE(list->records, list->capacity, list->keys.count + count);
	for (size_t i = 0; i < count && code == GEMP_OK; i++) {
		uint64_t big = __builtin_bswap64(ends[i]);
		memcpy(bytes + 1, &big, sizeof big);
		list->records[list->keys.count] = (struct gemp_vertex_record){ GEMP_PLACE_IMPLIED, labels };
		code = gemp_bytes_add(&list->keys, bytes, sizeof bytes);
	}
	for (size_t c = 0; c < list->values.count; c++)
		GEMP_THEN(gemp_column_pad(&list->values.columns[c], list->keys.count));
	return gemp_comm_agree(builder->comm, code);
}

/* Collective. Sends the vertices of all parts, and then adds the vertices that only edges name. If ends are coded, the
 * stream of each part has sent the keys of ends already. */
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
	return add_implied(builder, &route->owned, labels);
}

/* Collective. order[0..*rows) becomes the positions in the list of the vertices that stay, in the order of hashes. */
static gemp_code choose_vertices(const gemp_builder *builder, const gemp_vertex_list *list, uint64_t **order,
                                 size_t *rows)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text message = { 0 };
	GEMP_OWNED uint64_t *hash = NULL;
	gemp_duplicate_faults faults = { .place = UINT64_MAX, .message = &message };
	gemp_code code = gemp_new_all(GEMP_ARRAY(*order, list->keys.count), GEMP_ARRAY(hash, list->keys.count));
	GEMP_THEN(sort_vertices(builder, list, *order, hash));
	if (code == GEMP_OK)
		*rows = drop_duplicates(builder, list, *order, hash, &faults);
	GEMP_THEN(gemp_text_status(&message));
	GEMP_TRY(gemp_comm_agree(builder->comm, code));
	return gemp_builder_report(builder, faults.place, faults.count, message.data);
}

/* Duplicates are reported before ids are given. The report makes all ranks fail with the same message. */
gemp_code gemp_builder_vertices(gemp_builder *builder, gemp_shard *graph)
{
	GEMP_OWNED_BY(free_router) vertex_router arrived = { .builder = builder };
	GEMP_OWNED uint64_t *order = NULL;
	gemp_vertex_list *list = &builder->vertices;
	size_t rows = 0;
	if (gemp_builder_has_integer_vertices(builder))
		return gemp_builder_integer_vertices(builder, graph);
	GEMP_TRY(route_vertices(&arrived));
	*list = arrived.owned;
	builder->labels = arrived.labels;
	arrived = (vertex_router){ 0 };
	GEMP_TRY(choose_vertices(builder, list, &order, &rows));
	GEMP_TRY(gemp_builder_assign_ids(builder, rows, graph));
	GEMP_TRY(gemp_comm_agree(builder->comm, assign_vertices(list, order, rows, graph)));
	return gemp_comm_agree(builder->comm, make_key_column(builder, &list->keys, graph));
}

/* Appends the nonempty names between the semicolons of "A;B". */
static gemp_code split(gemp_string text, gemp_bytes *names)
{
	const char *end = text.bytes + text.size, *stop;
	for (const char *at = text.bytes; at < end; at = stop + 1) {
		stop = memchr(at, ';', (size_t)(end - at));
		stop = stop ? stop : end;
		if (stop > at)
			GEMP_TRY(gemp_bytes_add(names, at, (size_t)(stop - at)));
	}
	return GEMP_OK;
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	return (left > right) - (left < right);
}

/* The order in which a graph lists its label sets is lexicographic: a set precedes the sets that it is a prefix of. */
static int compare_sets(const void *a, const void *b)
{
	const gemp_label_set *left = a, *right = b;
	for (size_t i = 0; i < left->count && i < right->count; i++)
		if (left->labels[i] != right->labels[i])
			return left->labels[i] < right->labels[i] ? -1 : 1;
	return (left->count > right->count) - (left->count < right->count);
}

/* Makes the set of the labels in "A;B": distinct label numbers in ascending order. */
static gemp_code parse_set(gemp_string text, const gemp_bytes *names, gemp_label_set *set)
{
	GEMP_OWNED_BY(gemp_bytes_free) gemp_bytes parts = { 0 };
	GEMP_TRY(split(text, &parts));
	GEMP_TRY(GEMP_NEW(set->labels, parts.count));
	for (size_t i = 0; i < parts.count; i++)
		set->labels[i] = (uint32_t)gemp_bytes_find(names, gemp_bytes_at(&parts, i));
	if (parts.count)
		qsort(set->labels, parts.count, sizeof *set->labels, compare_numbers);
	for (size_t i = 0; i < parts.count; i++)
		if (i == 0 || set->labels[i] != set->labels[set->count - 1])
			set->labels[set->count++] = set->labels[i];
	return GEMP_OK;
}

/* Collective. The distinct label names of all ranks become the labels of the graph, in bytewise order. */
static gemp_code name_labels(const gemp_comm *comm, const gemp_bytes *texts, gemp_bytes *names, gemp_shard *graph)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(gemp_bytes_free) gemp_bytes parts = { 0 };
	for (size_t i = 0; i < texts->count && code == GEMP_OK; i++)
		code = split(gemp_bytes_at(texts, i), &parts);
	GEMP_TRY(gemp_bytes_union(comm, code, &parts, names));
	code = GEMP_NEW(graph->labels, names->count);
	for (; code == GEMP_OK && graph->label_count < names->count; graph->label_count++) {
		graph->labels[graph->label_count] = gemp_bytes_copy(names, graph->label_count);
		code = graph->labels[graph->label_count] ? GEMP_OK : GEMP_ENOMEM;
	}
	return gemp_comm_agree(comm, code);
}

/* Local. The distinct sets of all texts become the sets of the graph, in lexicographic order. */
static gemp_code make_sets(const gemp_bytes *texts, const gemp_bytes *names, gemp_shard *graph)
{
	GEMP_TRY(GEMP_NEW(graph->label_sets, texts->count));
	for (; graph->label_set_count < texts->count; graph->label_set_count++)
		GEMP_TRY(
			parse_set(gemp_bytes_at(texts, graph->label_set_count), names, &graph->label_sets[graph->label_set_count]));
	gemp_label_set *sets = graph->label_sets;
	qsort(sets, texts->count, sizeof *sets, compare_sets);
	size_t kept = 0;
	for (size_t i = 0; i < texts->count; i++)
		if (kept && compare_sets(&sets[kept - 1], &sets[i]) == 0)
			gemp_free(sets[i].labels);
		else
			sets[kept++] = sets[i];
	graph->label_set_count = kept;
	return GEMP_OK;
}

/* Local. set_of[i] becomes the index of text i's set among the sorted sets of the graph. Each set is there, as the
 * texts of all ranks include `mine`. */
static gemp_code find_sets(const gemp_bytes *mine, const gemp_bytes *names, const gemp_shard *graph, uint32_t *set_of)
{
	for (size_t i = 0; i < mine->count; i++) {
		gemp_label_set own = { 0 };
		size_t after = 0;
		gemp_code code = parse_set(gemp_bytes_at(mine, i), names, &own);
		if (code == GEMP_OK)
			GEMP_PARTITION_POINT(after, 1, graph->label_set_count, compare_sets(&own, &graph->label_sets[after]) >= 0);
		gemp_free(own.labels);
		GEMP_TRY(code);
		set_of[i] = (uint32_t)(after - 1);
	}
	return GEMP_OK;
}

/* The first union is over the texts, which are few. The second union is over the names in the texts. */
gemp_code gemp_builder_label_sets(const gemp_comm *comm, const gemp_bytes *mine, gemp_shard *graph, uint32_t *set_of)
{
	GEMP_OWNED_BY(gemp_bytes_free) gemp_bytes texts = { 0 }, names = { 0 };
	GEMP_TRY(gemp_bytes_union(comm, GEMP_OK, mine, &texts));
	GEMP_TRY(name_labels(comm, &texts, &names, graph));
	gemp_code code = make_sets(&texts, &names, graph);
	GEMP_THEN(find_sets(mine, &names, graph, set_of));
	return gemp_comm_agree(comm, code);
}

/* Before this stage vertices refer to texts. After this stage they refer to sets. */
gemp_code gemp_builder_labels(gemp_builder *builder, gemp_shard *graph)
{
	GEMP_OWNED uint64_t *counts = NULL;
	GEMP_OWNED uint32_t *set_of = NULL;
	GEMP_TRY(gemp_comm_agree(builder->comm, gemp_new_all(GEMP_ARRAY(set_of, builder->labels.list.count),
	                                                     GEMP_ARRAY(graph->label_set_of, graph->rows))));
	GEMP_TRY(gemp_builder_label_sets(builder->comm, &builder->labels.list, graph, set_of));
	GEMP_TRY(gemp_comm_agree(builder->comm, GEMP_NEW(counts, graph->label_set_count)));
	for (size_t v = 0; v < graph->rows; v++) {
		graph->label_set_of[v] = set_of[builder->vertices.records[v].labels];
		counts[graph->label_set_of[v]]++;
	}
	gemp_comm_sum(builder->comm, counts, (int)graph->label_set_count);
	for (size_t s = 0; s < graph->label_set_count; s++)
		graph->label_sets[s].vertex_count = counts[s];
	gemp_free(builder->vertices.records); /* later stages need only the keys of vertices */
	builder->vertices.records = NULL;
	builder->vertices.capacity = 0;
	return GEMP_OK;
}
