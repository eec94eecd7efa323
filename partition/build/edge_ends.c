/* The ids of the ends of edges, asked of the owners of their keys. */

#include "partition/build/edge_ends.h"

#include "core/memory.h"
#include "partition/build/integer_keys.h"
#include "partition/exchange/record_stream.h"

#include <string.h>

/* Finds a key among the owned ones, which are sorted by hash: `start` leads to the few whose hashes begin alike. */
typedef struct key_index {
	const gemp_builder *builder;
	const gemp_shard *graph;
	const gemp_builder_part *part; /* whose ends are asked for now */
	gemp_text *answers;            /* [ranks] ids of the keys that each rank asked for */
	int shift;                     /* of the place in this rank's range of hashes, to its bucket */
	uint32_t *start;               /* [buckets + 1] */
} key_index;

/* Where a hash lies in its owner's range; ascending with the hash. */
static uint64_t bucket_of(const key_index *index, uint64_t hash)
{
	return hash * (unsigned)index->builder->comm->size >> index->shift;
}

static gemp_code new_index(key_index *index, const gemp_builder *builder, const gemp_shard *graph)
{
	gemp_code code = GEMP_OK;
	const gemp_bytes *keys = &builder->vertices.keys;
	int bits = 1;
	while (bits < 32 && (uint64_t)1 << bits < keys->count)
		bits++;
	*index = (key_index){ .builder = builder, .graph = graph, .shift = 64 - bits };
	size_t buckets = (size_t)1 << bits;
	GEMP_TRY(GEMP_NEW(index->start, buckets + 1));
	for (size_t i = 0; i < keys->count; i++) {
		size_t size;
		const char *key = gemp_bytes_at(keys, i, &size);
		index->start[bucket_of(index, gemp_builder_key_hash(builder, key, size)) + 1]++;
	}
	for (size_t b = 0; b < buckets; b++)
		index->start[b + 1] += index->start[b];
done:
	return code;
}

static uint32_t find(const key_index *index, const char *key, size_t size)
{
	const gemp_bytes *keys = &index->builder->vertices.keys;
	uint64_t bucket = bucket_of(index, gemp_builder_key_hash(index->builder, key, size));
	for (uint32_t i = index->start[bucket]; i < index->start[bucket + 1]; i++) {
		size_t there;
		const char *bytes = gemp_bytes_at(keys, i, &there);
		if (there == size && memcmp(bytes, key, size) == 0)
			return (uint32_t)(index->graph->first_vertex + i);
	}
	return GEMP_NO_VERTEX;
}

static int owner(void *self, size_t record)
{
	const key_index *index = self;
	const gemp_builder *builder = index->builder;
	size_t size;
	const char *key = gemp_bytes_at(&index->part->end_keys.list, record, &size);
	return gemp_builder_key_owner(builder, gemp_builder_key_hash(builder, key, size));
}

static gemp_code pack(void *self, size_t record, gemp_text *out)
{
	size_t size;
	const char *key = gemp_bytes_at(&((key_index *)self)->part->end_keys.list, record, &size);
	uint32_t length = (uint32_t)size;
	gemp_text_add(out, &length, sizeof length);
	gemp_text_add(out, key, size);
	return GEMP_OK;
}

static gemp_code receive(void *self, int source, const char *at, const char *end)
{
	gemp_code code = GEMP_OK;
	key_index *index = self;
	while (code == GEMP_OK && at < end) {
		uint32_t length;
		memcpy(&length, at, sizeof length);
		at += sizeof length;
		uint32_t id = find(index, at, length);
		gemp_text_add(&index->answers[source], &id, sizeof id);
		code = gemp_text_status(&index->answers[source]);
		at += length;
	}
	return code;
}

/* An edge with an end that is no vertex, as gemp_unknown_end for keys of any kind. */
typedef struct unknown_end {
	uint64_t place, count;
	bool source;
	gemp_text key; /* encoded */
} unknown_end;

/* Ids in place of the indices of ends; the edge of the lowest place with an unknown end is noted. */
static gemp_code replace(gemp_builder_part *part, const uint32_t *ids, unknown_end *unknown)
{
	gemp_edge_list *edges = &part->edges;
	gemp_vertex *out = (gemp_vertex *)edges->ends;
	for (size_t e = 0; e < edges->count; e++) {
		gemp_vertex source = ids[edges->ends[2 * e]], target = ids[edges->ends[2 * e + 1]];
		if (source == GEMP_NO_VERTEX || target == GEMP_NO_VERTEX) {
			uint64_t place = gemp_edge_list_place(edges, e);
			if (!unknown->count++ || place < unknown->place) {
				size_t size;
				unknown->source = source == GEMP_NO_VERTEX;
				const char *key = gemp_bytes_at(&part->end_keys.list, edges->ends[2 * e + !unknown->source], &size);
				unknown->place = place;
				gemp_text_clear(&unknown->key);
				gemp_text_add(&unknown->key, key, size);
			}
		}
		memcpy(&out[2 * e], &source, sizeof source);
		memcpy(&out[2 * e + 1], &target, sizeof target);
	}
	gemp_code code = gemp_edge_list_use_ids(edges);
	return code == GEMP_OK ? gemp_text_status(&unknown->key) : code;
}

static gemp_code replace_coded(key_index *index, gemp_builder_part *part, unknown_end *unknown)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = index->builder->comm;
	uint32_t *ids = NULL;
	index->part = part;
	code = GEMP_NEW(index->answers, (size_t)comm->size);
	if (code == GEMP_OK)
		code = GEMP_NEW(ids, part->end_keys.list.count);
	GEMP_TRY(gemp_comm_agree(comm, code));
	gemp_record_stream shuffle = {
		index, part->end_keys.list.count, index->builder->options.batch, owner, pack, receive
	};
	GEMP_TRY(gemp_record_stream_run(comm, &shuffle));
	GEMP_TRY(gemp_record_stream_answer(comm, &shuffle, index->answers, ids));
	GEMP_TRY(gemp_comm_agree(comm, replace(part, ids, unknown)));
	gemp_dictionary_free(&part->end_keys);
done:
	for (int r = 0; index->answers && r < comm->size; r++)
		gemp_text_free(&index->answers[r]);
	gemp_free(index->answers);
	index->answers = NULL;
	gemp_free(ids);
	return code;
}

static gemp_code coded_ids(gemp_builder *builder, const gemp_shard *graph, unknown_end *unknown)
{
	gemp_code code = GEMP_OK;
	key_index index = { 0 };
	gemp_builder_part none = { 0 };
	GEMP_TRY(gemp_comm_agree(builder->comm, new_index(&index, builder, graph)));
	for (size_t p = 0, parts = gemp_builder_max_parts(builder); p < parts; p++) {
		GEMP_TRY(replace_coded(&index, gemp_builder_part_at(builder, p, &none), unknown));
		gemp_builder_part_free(&none);
	}
done:
	gemp_builder_part_free(&none);
	gemp_free(index.start);
	return code;
}

static gemp_code integer_ids(gemp_builder *builder, const gemp_shard *graph, unknown_end *unknown)
{
	gemp_unknown_end found = { 0 };
	gemp_value key = { .type = GEMP_INTEGER };
	gemp_code code = gemp_builder_integer_ids(builder, graph, &found);
	if (code != GEMP_OK)
		return code;
	key.integer = gemp_integer_of(found.key);
	unknown->place = found.place;
	unknown->count = found.count;
	unknown->source = found.source;
	return gemp_comm_agree(builder->comm, gemp_key_encode(&key, &unknown->key));
}

gemp_code gemp_builder_ends(gemp_builder *builder, const gemp_shard *graph)
{
	gemp_code code = GEMP_OK;
	unknown_end unknown = { 0 };
	gemp_text message = { 0 };
	GEMP_TRY(gemp_builder_is_coded(builder) ? coded_ids(builder, graph, &unknown)
	                                        : integer_ids(builder, graph, &unknown));
	if (unknown.count) {
		gemp_builder_place_print(builder, unknown.place, &message);
		gemp_text_print(&message, ": the edge's %s ", unknown.source ? "source" : "target");
		gemp_builder_print_key(unknown.key.data, unknown.key.size, &message);
		gemp_text_print(&message, " is not among the vertices; add the vertex or remove the edge");
	}
	GEMP_TRY(gemp_comm_agree(builder->comm, gemp_text_status(&message)));
	code = gemp_builder_report(builder, unknown.place, unknown.count, message.data);
done:
	gemp_text_free(&message);
	gemp_text_free(&unknown.key);
	return code;
}
