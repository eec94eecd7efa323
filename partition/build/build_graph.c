/* The stages of the builder that have no module of their own. Keys: where a graph has keys of both kinds on any rank,
 * strings that are integers become integers. Ends: the keys of the ends of edges are replaced by ids, each distinct
 * key being asked of the rank that owns its hash; the unknown end with the lowest place is reported. Ranks: every key
 * gets its rank among all keys by a sample sort (Frazer and McKellar 1970): splitters from samples of all ranks divide
 * the keys, each rank sorts its division and sends the ranks back.
 */

#include "core/log.h"
#include "core/memory.h"
#include "graph/graph.h"
#include "partition/build/builder.h"
#include "partition/build/builder_state.h"
#include "partition/build/content_hash.h"
#include "partition/build/integer_keys.h"
#include "partition/build/label_sets.h"
#include "partition/exchange/record_stream.h"

#include <string.h>

/* Encodes strings that are integers as integers. */
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

/* Ends of edges become indices in a dictionary; keys of vertices and ends are normalised unless the caller wants
 * strings. */
static gemp_code encode_part(gemp_builder_part *part, bool strings)
{
	GEMP_TRY(gemp_builder_part_code(part));
	if (strings)
		return GEMP_OK;
	GEMP_TRY(normalise_list(&part->vertices.keys, &part->scratch));
	return normalise_list(&part->end_keys.list, &part->scratch);
}

/* Collective. Only a graph that has some string key, on any rank, needs dictionaries; integer keys stay numbers. */
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

/* Keys of ends that one part of the builder asks for, and those that this rank owns. */
typedef struct key_lookup {
	const gemp_builder *builder;
	const gemp_shard *graph;
	const gemp_builder_part *part; /* whose ends are asked for now */
	gemp_text *answers;            /* [ranks] ids of the keys that each rank asked for */
	gemp_key_index index;
} key_lookup;

/* Keys of ends are asked of the ranks that own their hashes. */
static int end_owner(void *self, size_t record)
{
	const key_lookup *l = self;
	const gemp_string key = gemp_bytes_at(&l->part->end_keys.list, record);
	return gemp_builder_key_owner(l->builder, gemp_builder_key_hash(l->builder, key));
}

/* A packed key is its length in 4 bytes, then its bytes. */
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

/* Looks through the one or two owned keys whose hashes fall into the same bucket. */
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

/* Answers a source's keys in the order in which they came. */
static gemp_code answer_end_keys(void *self, int source, const char *at, const char *end)
{
	key_lookup *l = self;
	while (at < end) {
		uint32_t id = find_end(l, unpack_key(&at));
		gemp_text_add(&l->answers[source], &id, sizeof id);
	}
	return gemp_text_status(&l->answers[source]);
}

/* Ids in place of the indices of ends; the edge of the lowest place with an unknown end is noted. */
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

/* Collective. Each distinct key of the part is asked for once, whatever the number of its edges. */
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

/* Answers that were not sent are freed, too. */
static void free_lookup(key_lookup *l)
{
	for (int r = 0; l->answers && r < l->builder->comm->size; r++)
		gemp_text_free(&l->answers[r]);
	gemp_free_all(l->answers, l->index.begin);
}

/* Collective. All ranks make as many rounds as the rank with most parts. */
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

/* Collective. The stage in which the ends of edges become ids. */
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

/* The order of keys among all keys: a sample sort. */

/* The state of the sample sort: own keys with their order, splitters, and the keys that came with their sources. */
typedef struct key_sort {
	const gemp_builder *builder;
	uint64_t *order;      /* own keys by value */
	gemp_bytes splitters; /* [ranks - 1] */
	int bucket;           /* of the record last looked at: records come in order */
	gemp_bytes keys;      /* that came */
	uint32_t *sources;    /* [keys.count] */
	size_t capacity;
	gemp_text *answers; /* [ranks] ranks of the keys of each source */
} key_sort;

enum { SAMPLES = 32, SAMPLE_SIZE = 64 }; /* samples a rank for each rank, and the bytes kept of each */

/* Collective. Each rank contributes evenly spaced keys, cut to 64 bytes; the splitters divide the union of them
 * evenly. */
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

/* Records are the own keys in ascending order. */
static gemp_string sort_key_at(const key_sort *sort, size_t record)
{
	return gemp_bytes_at(&sort->builder->vertices.keys, sort->order[record]);
}

/* Keys ascend, so the bucket never has to be searched backwards. */
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

/* Keeps the source of every key, to send its rank back. */
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

/* Local. answers[source] becomes the ranks of the keys of that source, in the order in which they came. */
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

/* Collective. ranks[i]: the rank of this rank's i-th key in the order of keys. */
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

/* Collective. The stage that gives every key its rank among all keys. One rank sorts its keys and is done. */
static gemp_code rank_all_keys(gemp_builder *builder, gemp_shard *graph)
{
	GEMP_OWNED_BY(free_key_sort) key_sort sort = { .builder = builder };
	GEMP_OWNED uint32_t *ranks = NULL;
	gemp_code code = gemp_new_all(GEMP_ARRAY(sort.order, graph->rows), GEMP_ARRAY(ranks, graph->rows),
	                              GEMP_ARRAY(graph->key_ranks, graph->rows));
	GEMP_THEN(gemp_bytes_sort(&builder->vertices.keys, sort.order));
	GEMP_TRY(gemp_comm_agree(builder->comm, code));
	if (builder->comm->size > 1)
		GEMP_TRY(sample_sort(&sort, ranks));
	for (size_t i = 0; i < graph->rows; i++)
		graph->key_ranks[sort.order[i]] = builder->comm->size > 1 ? ranks[i] : (uint32_t)i;
	return GEMP_OK;
}

/* Collective. The stages in the order of builder_state.h. */
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

/* The builder is emptied also after a failure, as stages free parts of it while they run. */
gemp_code gemp_builder_finish(gemp_builder *builder, gemp_shard **out)
{
	GEMP_OWNED_BY(gemp_shard_free_at) gemp_shard *graph = NULL;
	*out = NULL;
	gemp_code code = gemp_comm_agree(builder->comm, GEMP_NEW(graph, 1));
	if (code == GEMP_OK) {
		graph->rank = builder->comm->rank;
		graph->ranks = builder->comm->size;
		graph->seed = builder->options.seed;
		code = run_stages(builder, graph);
	}
	gemp_builder_clear(builder);
	GEMP_TRY(code);
	*out = graph;
	graph = NULL;
	return GEMP_OK;
}
