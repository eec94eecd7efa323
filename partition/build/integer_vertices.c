/* The vertices of a rank are three arrays: keys as numbers that sort like the integers, places, and labels. With
 * several ranks they travel in rounds as records of fixed size. The texts of labels are united over the ranks first, so
 * a text has the same number on all ranks. Vertices that only edges name come last, as the distinct ends that a rank
 * owns. */

#include "partition/build/integer_vertices.h"

#include "comm/exchange.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/threads.h"
#include "partition/build/integer_keys.h"
#include "primitive/sort.h"

#include <stdlib.h>
#include <string.h>

/* A vertex on its way to its owner. */
typedef struct sent_vertex {
	uint64_t key, place;
	uint32_t labels, unused;
} sent_vertex;

/* The vertices of this rank, in any order. */
typedef struct vertex_arrays {
	const gemp_builder *builder;
	uint64_t *keys;                     /* [count] */
	struct gemp_vertex_record *records; /* [count] */
	size_t count, capacity, record_capacity;
	uint64_t *hash, *order; /* [count] hashes in ascending order, and the positions of their vertices */
} vertex_arrays;

static void free_arrays(vertex_arrays *all)
{
	gemp_free_all(all->keys, all->records, all->hash, all->order);
}

bool gemp_builder_has_integer_vertices(const gemp_builder *builder)
{
	return !gemp_builder_is_coded(builder) && builder->parts[0].vertices.values.count == 0;
}

static gemp_code reserve(vertex_arrays *all, size_t more)
{
	GEMP_TRY(GEMP_RESERVE(all->keys, all->capacity, all->count + more));
	return GEMP_RESERVE(all->records, all->record_capacity, all->count + more);
}

/* Collective. builder->labels becomes the texts of all ranks. *implied becomes the text of vertices that only edges
 * name. */
static gemp_code unite_labels(gemp_builder *builder, uint32_t *implied)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(gemp_dictionary_free) gemp_dictionary mine = { 0 };
	const char *label = builder->options.default_label;
	const gemp_string text = { label ? label : "", label ? strlen(label) : 0 };
	uint32_t index;
	for (size_t p = 0; p < builder->part_count; p++)
		for (size_t i = 0; i < builder->parts[p].labels.list.count && code == GEMP_OK; i++) {
			const gemp_string own = gemp_bytes_at(&builder->parts[p].labels.list, i);
			code = gemp_dictionary_add(&mine, own.bytes, own.size, &index);
		}
	if (builder->options.vertices_from_edges)
		GEMP_THEN(gemp_dictionary_add(&mine, text.bytes, text.size, &index));
	GEMP_TRY(gemp_bytes_union(builder->comm, code, &mine.list, &builder->labels.list));
	if (builder->options.vertices_from_edges)
		*implied = (uint32_t)gemp_bytes_find(&builder->labels.list, text);
	return GEMP_OK;
}

/* A part whose vertices are copied. */
typedef struct part_copy {
	vertex_arrays *to;
	const gemp_vertex_list *from;
	const uint32_t *labels; /* [labels of the part] their numbers among the texts of all ranks */
} part_copy;

/* An encoded key has its number in 8 bytes, the highest first. */
static void copy_vertices(void *context, size_t begin, size_t end)
{
	const part_copy *copy = context;
	for (size_t i = begin; i < end; i++) {
		uint64_t big;
		memcpy(&big, copy->from->keys.bytes + copy->from->keys.begin[i] + 1, sizeof big);
		copy->to->keys[copy->to->count + i] = __builtin_bswap64(big);
		copy->to->records[copy->to->count + i] = (struct gemp_vertex_record){
			copy->from->records[i].place, copy->labels[copy->from->records[i].labels]
		};
	}
}

/* Local. Moves the vertices of one part to the arrays, which have room for them. */
static gemp_code take_part(vertex_arrays *all, const gemp_bytes *texts, gemp_builder_part *part)
{
	const gemp_bytes *own = &part->labels.list;
	GEMP_OWNED uint32_t *labels = NULL;
	GEMP_TRY(GEMP_NEW(labels, own->count));
	for (size_t i = 0; i < own->count; i++)
		labels[i] = (uint32_t)gemp_bytes_find(texts, gemp_bytes_at(own, i));
	size_t count = part->vertices.keys.count;
	part_copy copy = { all, &part->vertices, labels };
	gemp_for_elements(count, copy_vertices, &copy);
	all->count += count;
	gemp_vertex_list_free(&part->vertices);
	gemp_dictionary_free(&part->labels);
	return GEMP_OK;
}

/* Numbers that order the vertices and choose their owners: hashes, or multiples of ordered keys. */
static void order_keys(const gemp_builder *builder, const uint64_t *keys, size_t count, uint64_t *out)
{
	const uint64_t ordered = builder->options.ordered_keys;
	if (!ordered) {
		gemp_hash_keys(keys, count, GEMP_KEY_OF_INTEGER, builder->options.seed, out);
		return;
	}
	for (size_t i = 0; i < count; i++)
		out[i] = (keys[i] - gemp_integer_number(0)) * (UINT64_MAX / ordered);
}

/* Collective. Sends a range of vertices to the owners of their keys and appends what arrives to `to`. */
static gemp_code send_round(const vertex_arrays *from, size_t begin, size_t count, vertex_arrays *to)
{
	const gemp_builder *builder = from->builder;
	GEMP_OWNED sent_vertex *sent = NULL;
	GEMP_OWNED int *owner = NULL;
	GEMP_OWNED size_t *sources = NULL;
	GEMP_OWNED void *received = NULL;
	gemp_code code = gemp_new_all(GEMP_ARRAY(sent, count), GEMP_ARRAY(owner, count));
	for (size_t i = 0; i < count && code == GEMP_OK; i++) {
		const struct gemp_vertex_record *record = &from->records[begin + i];
		uint64_t hash;
		order_keys(builder, &from->keys[begin + i], 1, &hash);
		owner[i] = gemp_builder_key_owner(builder, hash);
		sent[i] = (sent_vertex){ from->keys[begin + i], record->place, record->labels, 0 };
	}
	GEMP_TRY(gemp_exchange_records(builder->comm, code, sent, count, sizeof *sent, owner, &received, &sources, NULL));
	const sent_vertex *arrived = received;
	size_t more = sources[builder->comm->size];
	code = reserve(to, more);
	for (size_t i = 0; i < more && code == GEMP_OK; i++) {
		to->keys[to->count] = arrived[i].key;
		to->records[to->count++] = (struct gemp_vertex_record){ arrived[i].place, arrived[i].labels };
	}
	return gemp_comm_agree(builder->comm, code);
}

/* Collective. The vertices of all ranks go to their owners. */
static gemp_code exchange_vertices(vertex_arrays *all)
{
	const gemp_builder *builder = all->builder;
	const size_t step = gemp_max(builder->options.batch / sizeof(sent_vertex), 1);
	if (builder->comm->size == 1)
		return GEMP_OK;
	GEMP_OWNED_BY(free_arrays) vertex_arrays mine = *all;
	*all = (vertex_arrays){ .builder = builder };
	for (uint64_t round = 0, rounds = gemp_exchange_rounds(builder->comm, mine.count, step); round < rounds; round++) {
		gemp_block_range range = gemp_exchange_round(round, mine.count, step);
		GEMP_TRY(send_round(&mine, range.begin, range.end - range.begin, all));
	}
	return GEMP_OK;
}

/* Distinct ends that become vertices. */
typedef struct implied_ends {
	vertex_arrays *to;
	const uint64_t *ends;
	uint32_t labels;
} implied_ends;

static void append_ends(void *context, size_t begin, size_t end)
{
	const implied_ends *implied = context;
	for (size_t i = begin; i < end; i++) {
		implied->to->keys[implied->to->count + i] = implied->ends[i];
		implied->to->records[implied->to->count + i] = (struct gemp_vertex_record){ GEMP_PLACE_IMPLIED,
			                                                                        implied->labels };
	}
}

/* Collective. Appends the distinct ends of edges that this rank owns. */
static gemp_code add_implied(gemp_builder *builder, vertex_arrays *all, uint32_t labels)
{
	GEMP_OWNED uint64_t *ends = NULL;
	size_t count = 0;
	GEMP_TRY(gemp_builder_distinct_ends(builder, &ends, &count));
	gemp_code code = reserve(all, count);
	if (code == GEMP_OK) {
		gemp_for_elements(count, append_ends, &(implied_ends){ all, ends, labels });
		all->count += count;
	}
	return gemp_comm_agree(builder->comm, code);
}

static void hash_range(void *context, size_t begin, size_t end)
{
	const vertex_arrays *all = context;
	order_keys(all->builder, all->keys + begin, end - begin, all->hash + begin);
	for (size_t i = begin; i < end; i++)
		all->order[i] = i;
}

/* Orders vertices with the same hash by key, then by place. */
static int compare_in_run(const void *a, const void *b, void *all_)
{
	const vertex_arrays *all = all_;
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
	if (all->keys[left] != all->keys[right])
		return all->keys[left] < all->keys[right] ? -1 : 1;
	uint64_t p = all->records[left].place, q = all->records[right].place;
	return (p > q) - (p < q);
}

static bool has_hash_of_next(const void *all_, size_t i)
{
	const vertex_arrays *all = all_;
	return i + 1 < all->count && all->hash[i] == all->hash[i + 1];
}

static bool is_not_ordered(const void *all_, size_t i)
{
	const vertex_arrays *all = all_;
	return all->builder->options.ordered_keys == 0 || (i > 0 && all->hash[i - 1] > all->hash[i]);
}

/* Local. Sorts the vertices by (hash, key, place) and keeps the first of each key. Implied vertices sort last. If all
 * hashes differ, which threads find out, there is nothing to leave out. *rows becomes the number of kept vertices. Two
 * added vertices with the same key are a fault. Generators add ordered keys in ascending order. */
static gemp_code choose(vertex_arrays *all, size_t *rows, gemp_duplicate_faults *faults)
{
	static const gemp_sort by_hash = { .key = GEMP_KEY_U64, .value_size = sizeof *all->order };
	gemp_text key = { 0 };
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(all->hash, all->count), GEMP_ARRAY(all->order, all->count)));
	gemp_for_elements(all->count, hash_range, all);
	if (gemp_any(all->count, is_not_ordered, all))
		GEMP_TRY(gemp_sort_host(&by_hash, all->hash, all->order, all->count));
	*rows = 0;
	if (!gemp_any(all->count, has_hash_of_next, all)) {
		*rows = all->count;
		return GEMP_OK;
	}
	for (size_t i = 0, next; i < all->count && code == GEMP_OK; i = next) {
		for (next = i + 1; next < all->count && all->hash[next] == all->hash[i];)
			next++;
		if (next - i > 1)
			qsort_r(all->order + i, next - i, sizeof *all->order, compare_in_run, all);
		for (size_t j = i; j < next && code == GEMP_OK; j++) {
			uint64_t last = j > i ? all->order[*rows - 1] : 0, now = all->order[j];
			if (j == i || all->keys[last] != all->keys[now]) {
				all->order[(*rows)++] = now;
			} else if (all->records[now].place != GEMP_PLACE_IMPLIED) {
				const gemp_value value = { .type = GEMP_INTEGER, .integer = gemp_integer_of(all->keys[now]) };
				code = gemp_key_encode(&value, &key);
				if (code == GEMP_OK)
					gemp_duplicate_note(all->builder, (gemp_string){ key.data, key.size }, all->records[last].place,
					                    all->records[now].place, faults);
			}
		}
	}
	gemp_text_free(&key);
	return code;
}

/* The vertices in the order of ids. */
typedef struct vertex_gather {
	const vertex_arrays *from;
	int64_t *keys;
	struct gemp_vertex_record *records;
} vertex_gather;

static void gather_range(void *context, size_t begin, size_t end)
{
	enum { AHEAD = 24 };
	const vertex_gather *g = context;
	const uint64_t *order = g->from->order;
	for (size_t i = begin; i < end; i++) {
		if (i + AHEAD < end) { /* the vertices are read in random order */
			__builtin_prefetch(&g->from->keys[order[i + AHEAD]]);
			__builtin_prefetch(&g->from->records[order[i + AHEAD]]);
		}
		g->keys[i] = gemp_integer_of(g->from->keys[order[i]]);
		g->records[i] = g->from->records[order[i]];
	}
}

/* Local. Makes the column of keys, and the records of the builder's vertices. */
static gemp_code gather(gemp_builder *builder, const vertex_arrays *all, gemp_shard *graph)
{
	GEMP_TRY(gemp_column_init(&graph->keys, "_id", GEMP_INTEGER));
	GEMP_TRY(gemp_column_reserve(&graph->keys, graph->rows, 0));
	GEMP_TRY(GEMP_NEW(builder->vertices.records, graph->rows));
	vertex_gather g = { all, graph->keys.integers, builder->vertices.records };
	gemp_for_elements(graph->rows, gather_range, &g);
	graph->keys.rows = graph->rows;
	graph->attributes.rows = graph->rows;
	return GEMP_OK;
}

/* Local. With ordered keys all later stages take the key of a vertex for its id. */
static gemp_code check_ordered(const gemp_builder *builder, const gemp_shard *graph)
{
	const uint64_t ordered = builder->options.ordered_keys;
	if (ordered &&
	    (graph->vertex_count != ordered ||
	     (graph->rows && ((uint64_t)graph->keys.integers[0] != graph->first_vertex ||
	                      (uint64_t)graph->keys.integers[graph->rows - 1] + 1 != graph->first_vertex + graph->rows))))
		return gemp_fail(GEMP_EINTERNAL, "the %" PRIu64 " vertices of a generator do not have the keys 0 to %" PRIu64,
		                 graph->vertex_count, ordered - 1);
	return GEMP_OK;
}

gemp_code gemp_builder_integer_vertices(gemp_builder *builder, gemp_shard *graph)
{
	GEMP_OWNED_BY(free_arrays) vertex_arrays all = { .builder = builder };
	GEMP_OWNED_BY(gemp_text_free) gemp_text message = { 0 };
	gemp_duplicate_faults faults = { .place = UINT64_MAX, .message = &message };
	uint32_t implied = 0;
	size_t rows = 0;
	gemp_code code = GEMP_OK;
	GEMP_TRY(unite_labels(builder, &implied));
	size_t added = 0;
	for (size_t p = 0; p < builder->part_count; p++)
		added += builder->parts[p].vertices.keys.count;
	GEMP_THEN(reserve(&all, added));
	for (size_t p = 0; p < builder->part_count; p++)
		GEMP_THEN(take_part(&all, &builder->labels.list, &builder->parts[p]));
	GEMP_TRY(gemp_comm_agree(builder->comm, code));
	GEMP_TRY(exchange_vertices(&all));
	if (builder->options.vertices_from_edges)
		GEMP_TRY(add_implied(builder, &all, implied));
	code = choose(&all, &rows, &faults);
	GEMP_THEN(gemp_text_status(&message));
	GEMP_TRY(gemp_comm_agree(builder->comm, code));
	GEMP_TRY(gemp_builder_report(builder, faults.place, faults.count, message.data));
	GEMP_TRY(gemp_builder_assign_ids(builder, rows, graph));
	code = gather(builder, &all, graph);
	GEMP_THEN(check_ordered(builder, graph));
	return gemp_comm_agree(builder->comm, code);
}

/* The stages of keys with several ranks, and of ends that are not dense, need encoded keys of 9 bytes. */
gemp_code gemp_builder_encode_keys(gemp_builder *builder, const gemp_shard *graph)
{
	gemp_bytes *keys = &builder->vertices.keys;
	for (size_t i = keys->count; i < graph->rows; i++) {
		char bytes[GEMP_INTEGER_KEY_SIZE] = { GEMP_KEY_OF_INTEGER };
		uint64_t big = __builtin_bswap64(gemp_integer_number(graph->keys.integers[i]));
		memcpy(bytes + 1, &big, sizeof big);
		GEMP_TRY(gemp_bytes_add(keys, bytes, sizeof bytes));
	}
	return GEMP_OK;
}

/* Keys and positions that are sorted. */
typedef struct rank_sort {
	const gemp_shard *graph;
	int64_t *keys;
	uint32_t *order;
} rank_sort;

static void copy_keys(void *context, size_t begin, size_t end)
{
	const rank_sort *sort = context;
	for (size_t i = begin; i < end; i++) {
		sort->keys[i] = sort->graph->keys.integers[i];
		sort->order[i] = (uint32_t)i;
	}
}

static void set_ranks(void *context, size_t begin, size_t end)
{
	const rank_sort *sort = context;
	for (size_t i = begin; i < end; i++)
		sort->graph->key_ranks[sort->order[i]] = (uint32_t)i;
}

static void set_ids(void *context, size_t begin, size_t end)
{
	const gemp_shard *graph = context;
	for (size_t v = begin; v < end; v++)
		graph->key_ranks[v] = (uint32_t)(graph->first_vertex + v);
}

gemp_code gemp_builder_ordered_ranks(gemp_shard *graph)
{
	GEMP_TRY(GEMP_NEW(graph->key_ranks, graph->rows));
	gemp_for_elements(graph->rows, set_ids, graph);
	return GEMP_OK;
}

gemp_code gemp_builder_integer_ranks(const gemp_builder *builder, gemp_shard *graph)
{
	static const gemp_sort by_key = { .key = GEMP_KEY_I64, .value_size = sizeof(uint32_t) };
	GEMP_OWNED int64_t *keys = NULL;
	GEMP_OWNED uint32_t *order = NULL;
	gemp_code code = gemp_new_all(GEMP_ARRAY(keys, graph->rows), GEMP_ARRAY(order, graph->rows),
	                              GEMP_ARRAY(graph->key_ranks, graph->rows));
	rank_sort sort = { graph, keys, order };
	GEMP_CHECK(builder->comm->size == 1);
	GEMP_TRY(code);
	gemp_for_elements(graph->rows, copy_keys, &sort);
	GEMP_TRY(gemp_sort_host(&by_key, keys, order, graph->rows));
	gemp_for_elements(graph->rows, set_ranks, &sort);
	return GEMP_OK;
}
