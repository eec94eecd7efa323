/* Runs the stages of the builder, and has three of the stages:
 *   keys   if some key of any rank is a string, ends of edges become indices in dictionaries and, unless the caller
 *          wants strings, strings that are integers become integers
 *   ends   ids replace the keys of the ends of edges; each distinct key of a part is looked up once, at the rank that
 *          owns its hash; the edge with the lowest place among the edges with an unknown end is reported; if all keys
 *          are integers, integer_keys.c does this instead, and looks up each end
 *   ranks  a sample sort (Frazer and McKellar 1970) gives every key its rank among all keys: splitters from samples of
 *          all ranks divide the keys into one range for each rank, and each rank sorts the keys of its range and sends
 *          their ranks back */

#include "core/log.h"
#include "core/memory.h"
#include "graph/graph.h"
#include "partition/build/builder.h"
#include "partition/build/builder_state.h"
#include "partition/build/content_hash.h"
#include "partition/build/integer_keys.h"
#include "partition/build/integer_vertices.h"
#include "partition/build/rows_source.h"
#include "partition/exchange/record_stream.h"

#include <string.h>

/* Strings that are integers in canonical form are encoded as integers. */
static gemp_code normalise_list(gemp_bytes *keys, gemp_text *scratch)
{
	GEMP_OWNED_BY(gemp_bytes_free) gemp_bytes out = { 0 };
	for (size_t i = 0; i < keys->count; i++) {
		gemp_value key = gemp_key_decode(gemp_bytes_at(keys, i)), integer = { .type = GEMP_INTEGER };
		if (key.type == GEMP_STRING && gemp_canonical_integer(key.string.bytes, key.string.size, &integer.integer))
			key = integer;
		GEMP_TRY(gemp_key_encode(&key, scratch));
		GEMP_TRY(gemp_bytes_add(&out, scratch->data, scratch->size));
	}
	gemp_bytes_free(keys);
	*keys = out;
	out = (gemp_bytes){ 0 };
	return GEMP_OK;
}

/* Ends of edges become indices in a dictionary. Unless the caller wants strings, strings that are integers become
 * integers, both as keys of vertices and as ends. */
static gemp_code encode_part(gemp_builder_part *part, bool strings)
{
	GEMP_TRY(gemp_builder_part_code(part));
	if (strings)
		return GEMP_OK;
	GEMP_TRY(normalise_list(&part->vertices.keys, &part->scratch));
	return normalise_list(&part->end_keys.list, &part->scratch);
}

/* Collective. Dictionaries are needed only if some rank has a string as key. Otherwise the ends of edges stay
 * numbers. */
static gemp_code normalise_keys(gemp_builder *builder)
{
	gemp_code code = GEMP_OK;
	uint64_t string = 0;
	for (size_t p = 0; p < builder->part_count; p++)
		string |= builder->parts[p].has_string_key;
	gemp_comm_max(builder->comm, &string, 1);
	for (size_t p = 0; p < builder->part_count && string && code == GEMP_OK; p++)
		code = encode_part(&builder->parts[p], builder->options.string_keys);
	return gemp_comm_agree(builder->comm, code);
}

/* The lookup of the keys that the edges of one part name. `index` is over the keys that this rank owns. */
typedef struct key_lookup {
	const gemp_builder *builder;
	const gemp_shard *graph;
	const gemp_builder_part *part; /* the part whose ends are looked up */
	gemp_text *answers;            /* [ranks] ids of the keys that each rank has sent */
	gemp_key_index index;
} key_lookup;

/* A key is looked up at the rank that owns its hash. */
static int end_owner(void *self, size_t record)
{
	const key_lookup *l = self;
	const gemp_string key = gemp_bytes_at(&l->part->end_keys.list, record);
	return gemp_builder_key_owner(l->builder, gemp_builder_key_hash(l->builder, key));
}

/* A packed key is its length in 4 bytes, followed by its bytes. */
static gemp_code pack_key(gemp_string key, gemp_text *out)
{
	uint32_t length = (uint32_t)key.size;
	gemp_text_add(out, &length, sizeof length);
	gemp_text_add(out, key.bytes, key.size);
	return GEMP_OK;
}

static gemp_string unpack_key(const char **at)
{
	uint32_t length;
	memcpy(&length, *at, sizeof length);
	const gemp_string key = { *at + sizeof length, length };
	*at = key.bytes + length;
	return key;
}

static gemp_code pack_end_key(void *self, size_t record, gemp_text *out)
{
	return pack_key(gemp_bytes_at(&((key_lookup *)self)->part->end_keys.list, record), out);
}

/* Compares the owned keys whose hashes fall into the bucket of the key. A bucket has about one key. */
static uint32_t find_end(const key_lookup *l, gemp_string key)
{
	const gemp_bytes *keys = &l->builder->vertices.keys;
	uint64_t bucket = gemp_key_index_bucket(&l->index, gemp_builder_key_hash(l->builder, key));
	for (uint32_t i = l->index.begin[bucket]; i < l->index.begin[bucket + 1]; i++) {
		const gemp_string owned = gemp_bytes_at(keys, i);
		if (owned.size == key.size && memcmp(owned.bytes, key.bytes, key.size) == 0)
			return (uint32_t)(l->graph->first_vertex + i);
	}
	return GEMP_NO_VERTEX;
}

/* Appends the ids of the keys that one source has sent, in the order of the keys. */
static gemp_code answer_end_keys(void *self, int source, const char *at, const char *end)
{
	key_lookup *l = self;
	while (at < end) {
		uint32_t id = find_end(l, unpack_key(&at));
		gemp_text_add(&l->answers[source], &id, sizeof id);
	}
	return gemp_text_status(&l->answers[source]);
}

/* Ids replace the indices of ends. Among the edges with an unknown end, the edge with the lowest place is noted. */
static gemp_code replace_ends(gemp_builder_part *part, const uint32_t *ids, gemp_unknown_end *unknown)
{
	gemp_edge_list *edges = &part->edges;
	gemp_vertex *out = (gemp_vertex *)edges->ends;
	for (size_t e = 0; e < edges->count; e++) {
		gemp_vertex ends[2] = { ids[edges->ends[2 * e]], ids[edges->ends[2 * e + 1]] };
		if (gemp_unknown_end_note(unknown, ends, edges, e)) {
			const gemp_string key = gemp_bytes_at(&part->end_keys.list, edges->ends[2 * e + !unknown->source]);
			gemp_text_clear(&unknown->key);
			gemp_text_add(&unknown->key, key.bytes, key.size);
		}
		memcpy(&out[2 * e], ends, sizeof ends);
	}
	GEMP_TRY(gemp_edge_list_use_ids(edges));
	return gemp_text_status(&unknown->key);
}

/* Collective. Each distinct key of the part is looked up once, however many edges name the key. */
static gemp_code replace_coded_ends(key_lookup *l, gemp_builder_part *part, gemp_unknown_end *unknown)
{
	const gemp_comm *comm = l->builder->comm;
	const size_t count = part->end_keys.list.count;
	GEMP_OWNED uint32_t *ids = NULL;
	const gemp_record_stream stream = { l, count, l->builder->options.batch, end_owner, pack_end_key, answer_end_keys };
	l->part = part;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(ids, count)));
	GEMP_TRY(gemp_record_stream_run(comm, &stream));
	GEMP_TRY(gemp_record_stream_answer(comm, GEMP_OK, &stream, l->answers, ids));
	GEMP_TRY(gemp_comm_agree(comm, replace_ends(part, ids, unknown)));
	gemp_dictionary_free(&part->end_keys);
	return GEMP_OK;
}

/* After a failure some answers have not been sent. */
static void free_lookup(key_lookup *l)
{
	for (int r = 0; l->answers && r < l->builder->comm->size; r++)
		gemp_text_free(&l->answers[r]);
	gemp_free_all(l->answers, l->index.begin);
}

/* Collective. Every rank makes as many rounds as the rank with the most parts. */
static gemp_code coded_ids(gemp_builder *builder, const gemp_shard *graph, gemp_unknown_end *unknown)
{
	GEMP_OWNED_BY(free_lookup) key_lookup l = { .builder = builder, .graph = graph };
	GEMP_OWNED_BY(gemp_builder_part_free) gemp_builder_part none = { 0 };
	gemp_code code = GEMP_NEW(l.answers, (size_t)builder->comm->size);
	GEMP_THEN(gemp_key_index_new(&l.index, builder));
	GEMP_TRY(gemp_comm_agree(builder->comm, code));
	for (size_t p = 0, parts = gemp_builder_max_parts(builder); p < parts; p++) {
		GEMP_TRY(replace_coded_ends(&l, gemp_builder_part_at(builder, p, &none), unknown));
		gemp_builder_part_free(&none);
	}
	return GEMP_OK;
}

/* Collective. The stage that replaces the ends of edges by ids. */
static gemp_code find_end_ids(gemp_builder *builder, const gemp_shard *graph)
{
	GEMP_OWNED_BY(gemp_unknown_end_free) gemp_unknown_end unknown = { 0 };
	GEMP_OWNED_BY(gemp_text_free) gemp_text message = { 0 };
	GEMP_TRY(gemp_builder_is_coded(builder) ? coded_ids(builder, graph, &unknown)
	                                        : gemp_builder_integer_ids(builder, graph, &unknown));
	if (unknown.count) {
		gemp_builder_place_print(builder, unknown.place, &message);
		gemp_text_print(&message, ": the edge's %s ", unknown.source ? "source" : "target");
		gemp_builder_print_key((gemp_string){ unknown.key.data, unknown.key.size }, &message);
		gemp_text_print(&message, " is not among the vertices; add the vertex or remove the edge");
	}
	GEMP_TRY(gemp_comm_agree(builder->comm, gemp_text_status(&message)));
	return gemp_builder_report(builder, unknown.place, unknown.count, message.data);
}

/* The state of the sample sort. Each rank sends its keys, in ascending order, to the ranks that own their ranges. */
typedef struct key_sort {
	const gemp_builder *builder;
	uint64_t *order;      /* positions of this rank's keys in ascending order */
	gemp_bytes splitters; /* [ranks - 1] the first key of each range but the first */
	int bucket;           /* the range of the last record that was looked up */
	gemp_bytes keys;      /* the keys that this rank has received */
	uint32_t *sources;    /* [keys.count] the rank that has sent each key */
	size_t capacity;
	gemp_text *answers; /* [ranks] the ranks of the keys of each source */
} key_sort;

enum { SAMPLES = 32, SAMPLE_SIZE = 64 }; /* samples for each pair of ranks, and bytes of a key that a sample keeps */

/* Collective. Each rank contributes evenly spaced keys, cut to 64 bytes. The splitters divide the distinct samples of
 * all ranks evenly. */
static gemp_code choose_splitters(key_sort *sort)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = sort->builder->comm;
	const gemp_bytes *keys = &sort->builder->vertices.keys;
	GEMP_OWNED_BY(gemp_bytes_free) gemp_bytes mine = { 0 }, all = { 0 };
	size_t ranks = (size_t)comm->size, wanted = SAMPLES * ranks;
	for (size_t i = 0; i < wanted && keys->count && code == GEMP_OK; i++) {
		const gemp_string key = gemp_bytes_at(keys, sort->order[i * keys->count / wanted]);
		code = gemp_bytes_add(&mine, key.bytes, key.size < SAMPLE_SIZE ? key.size : SAMPLE_SIZE);
	}
	GEMP_TRY(gemp_bytes_union(comm, code, &mine, &all));
	for (size_t r = 1; r < ranks && all.count && code == GEMP_OK; r++) {
		const gemp_string key = gemp_bytes_at(&all, r * all.count / ranks);
		code = gemp_bytes_add(&sort->splitters, key.bytes, key.size);
	}
	return gemp_comm_agree(comm, code);
}

/* Record i is this rank's i-th smallest key. */
static gemp_string sort_key_at(const key_sort *sort, size_t record)
{
	return gemp_bytes_at(&sort->builder->vertices.keys, sort->order[record]);
}

/* Records ascend, so the search goes on from the range of the record before. */
static int sort_owner(void *self, size_t record)
{
	key_sort *sort = self;
	const gemp_string key = sort_key_at(sort, record);
	if (record == 0)
		sort->bucket = 0;
	for (; (size_t)sort->bucket < sort->splitters.count; sort->bucket++) {
		const gemp_string splitter = gemp_bytes_at(&sort->splitters, (size_t)sort->bucket);
		if (gemp_compare_bytes(key.bytes, key.size, splitter.bytes, splitter.size) < 0)
			break;
	}
	return sort->bucket;
}

static gemp_code pack_sort_key(void *self, size_t record, gemp_text *out)
{
	return pack_key(sort_key_at(self, record), out);
}

/* Keeps the source of every key, as the rank of the key is sent back to the source. */
static gemp_code receive_sort_keys(void *self, int source, const char *at, const char *end)
{
	key_sort *sort = self;
	while (at < end) {
		const gemp_string key = unpack_key(&at);
		GEMP_TRY(GEMP_RESERVE(sort->sources, sort->capacity, sort->keys.count + 1));
		sort->sources[sort->keys.count] = (uint32_t)source;
		GEMP_TRY(gemp_bytes_add(&sort->keys, key.bytes, key.size));
	}
	return GEMP_OK;
}

/* Local. answers[source] becomes the ranks of the keys of that source, in the order in which the keys were received.
 * `before` is the number of keys in the ranges before. */
static gemp_code rank_keys(key_sort *sort, uint64_t before)
{
	GEMP_OWNED uint64_t *order = NULL;
	GEMP_OWNED uint32_t *rank = NULL;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(order, sort->keys.count), GEMP_ARRAY(rank, sort->keys.count)));
	GEMP_TRY(gemp_bytes_sort(&sort->keys, order));
	for (size_t i = 0; i < sort->keys.count; i++)
		rank[order[i]] = (uint32_t)(before + i);
	for (size_t i = 0; i < sort->keys.count; i++)
		gemp_text_add(&sort->answers[sort->sources[i]], &rank[i], sizeof *rank);
	return GEMP_OK;
}

/* Collective. ranks[i] becomes the rank, among all keys, of this rank's i-th smallest key. */
static gemp_code sample_sort(key_sort *sort, uint32_t *ranks)
{
	const gemp_builder *builder = sort->builder;
	const gemp_comm *comm = builder->comm;
	const gemp_record_stream stream = {
		sort, builder->vertices.keys.count, builder->options.batch, sort_owner, pack_sort_key, receive_sort_keys
	};
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(sort->answers, (size_t)comm->size)));
	GEMP_TRY(choose_splitters(sort));
	GEMP_TRY(gemp_record_stream_run(comm, &stream));
	uint64_t before = gemp_comm_exscan(comm, sort->keys.count);
	return gemp_record_stream_answer(comm, rank_keys(sort, before), &stream, sort->answers, ranks);
}

static void free_key_sort(key_sort *sort)
{
	for (int r = 0; sort->answers && r < sort->builder->comm->size; r++)
		gemp_text_free(&sort->answers[r]);
	gemp_free_all(sort->order, sort->sources, sort->answers);
	gemp_bytes_free(&sort->splitters);
	gemp_bytes_free(&sort->keys);
}

/* Collective. The stage that gives every key its rank among all keys. A single rank needs no exchange, as its own sort
 * gives the ranks. */
static gemp_code rank_all_keys(gemp_builder *builder, gemp_shard *graph)
{
	GEMP_OWNED_BY(free_key_sort) key_sort sort = { .builder = builder };
	GEMP_OWNED uint32_t *ranks = NULL;
	const bool integers = graph->keys.type == GEMP_INTEGER;
	if (builder->options.ordered_keys)
		return gemp_comm_agree(builder->comm, gemp_builder_ordered_ranks(graph));
	if (integers && builder->comm->size == 1)
		return gemp_builder_integer_ranks(builder, graph);
	gemp_code code = gemp_new_all(GEMP_ARRAY(sort.order, graph->rows), GEMP_ARRAY(ranks, graph->rows),
	                              GEMP_ARRAY(graph->key_ranks, graph->rows));
	GEMP_THEN(integers ? gemp_builder_encode_keys(builder, graph) : GEMP_OK);
	GEMP_THEN(gemp_bytes_sort(&builder->vertices.keys, sort.order));
	GEMP_TRY(gemp_comm_agree(builder->comm, code));
	if (builder->comm->size > 1)
		GEMP_TRY(sample_sort(&sort, ranks));
	for (size_t i = 0; i < graph->rows; i++)
		graph->key_ranks[sort.order[i]] = builder->comm->size > 1 ? ranks[i] : (uint32_t)i;
	return GEMP_OK;
}

/* Collective. Runs the stages in the order that builder_state.h lists. */
static gemp_code run_stages(gemp_builder *builder, gemp_shard *graph)
{
	gemp_step_times *steps = builder->options.steps;
	gemp_step_times_next(steps, "vertices");
	GEMP_TRY(normalise_keys(builder));
	GEMP_TRY(gemp_builder_vertices(builder, graph));
	GEMP_TRY(gemp_builder_labels(builder, graph));
	gemp_step_times_next(steps, "ids");
	GEMP_TRY(find_end_ids(builder, graph));
	GEMP_TRY(gemp_builder_edges(builder, graph));
	gemp_step_times_next(steps, "keys");
	GEMP_TRY(rank_all_keys(builder, graph));
	gemp_step_times_next(steps, "hash");
	GEMP_TRY(gemp_shard_content_hash(builder->comm, graph, &graph->hash));
	gemp_step_times_next(steps, NULL);
	return GEMP_OK;
}

/* The builder is emptied even after a failure, as stages free parts of the builder while they run. */
gemp_code gemp_builder_finish(gemp_builder *builder, gemp_shard **out)
{
	GEMP_OWNED_BY(gemp_shard_free_at) gemp_shard *graph = NULL;
	*out = NULL;
	gemp_code code = gemp_comm_agree(builder->comm, GEMP_NEW(graph, 1));
	if (code == GEMP_OK) {
		graph->rank = builder->comm->rank;
		graph->ranks = builder->comm->size;
		graph->seed = builder->options.seed;
		graph->loader = gemp_rows_source(builder->comm);
		code = run_stages(builder, graph);
	}
	gemp_builder_clear(builder);
	GEMP_TRY(code);
	*out = graph;
	graph = NULL;
	return GEMP_OK;
}
