/* The ids of the ends of edges, asked of the owners of their keys. */
#include "core/memory.h"
#include "partition/builder_state.h"

#include <string.h>

/* Finds a key among the owned ones, which are sorted by hash: `start` leads to the few whose hashes begin alike. */
typedef struct key_index {
	const gemp_builder *builder;
	const gemp_graph *graph;
	gemp_replies replies;
	int shift;       /* of the place in this rank's range of hashes, to its bucket */
	uint32_t *start; /* [buckets + 1] */
} key_index;

/* Where a hash lies in its owner's range; ascending with the hash. */
static uint64_t bucket_of(const key_index *index, uint64_t hash)
{
	return hash * (unsigned)index->builder->comm->size >> index->shift;
}

static gemp_code new_index(key_index *index, const gemp_builder *builder, const gemp_graph *graph)
{
	gemp_code code = GEMP_OK;
	const gemp_bytes *keys = &builder->vertices.keys;
	int bits = 1;
	while (bits < 32 && (uint64_t)1 << bits < keys->count)
		bits++;
	*index = (key_index){ .builder = builder, .graph = graph, .shift = 64 - bits };
	size_t buckets = (size_t)1 << bits;
	GEMP_TRY(gemp_replies_new(&index->replies, builder->comm->size));
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

static void free_index(key_index *index)
{
	gemp_replies_free(&index->replies);
	gemp_free(index->start);
}

static uint32_t find(const key_index *index, const char *key, size_t size)
{
	const gemp_bytes *keys = &index->builder->vertices.keys;
	uint64_t bucket = bucket_of(index, gemp_builder_key_hash(index->builder, key, size));
	for (uint32_t i = index->start[bucket]; i < index->start[bucket + 1]; i++) {
		size_t there;
		const char *bytes = gemp_bytes_at(keys, i, &there);
		if (there == size && memcmp(bytes, key, size) == 0)
			return (uint32_t)(index->graph->first + i);
	}
	return GEMP_NO_VERTEX;
}

static int owner(void *self, size_t record)
{
	const gemp_builder *builder = ((key_index *)self)->builder;
	size_t size;
	const char *key = gemp_bytes_at(&builder->ends.list, record, &size);
	return gemp_builder_key_owner(builder, gemp_builder_key_hash(builder, key, size));
}

static gemp_code pack(void *self, size_t record, gemp_text *out)
{
	size_t size;
	const char *key = gemp_bytes_at(&((key_index *)self)->builder->ends.list, record, &size);
	uint32_t length = (uint32_t)size;
	gemp_text_add(out, &length, sizeof length);
	gemp_text_add(out, key, size);
	return GEMP_OK;
}

static gemp_code take(void *self, int source, const char *at, const char *end)
{
	gemp_code code = GEMP_OK;
	key_index *index = self;
	while (code == GEMP_OK && at < end) {
		uint32_t length;
		memcpy(&length, at, sizeof length);
		at += sizeof length;
		code = gemp_replies_add(&index->replies, source, find(index, at, length));
		at += length;
	}
	return code;
}

/* Replaces indices of ends by their ids; the first edge with an unknown end is the fault. */
static gemp_code replace(gemp_builder *builder, const uint32_t *ids)
{
	gemp_code code = GEMP_OK;
	gemp_text message = { 0 };
	uint64_t place = UINT64_MAX, count = 0;
	size_t which = 0;
	for (size_t e = 0; e < builder->edge_count; e++) {
		const gemp_edge_record *edge = &builder->edges[e];
		if (ids[edge->source] != GEMP_NO_VERTEX && ids[edge->target] != GEMP_NO_VERTEX)
			continue;
		if (!count++ || edge->place < place) {
			place = edge->place;
			which = e;
		}
	}
	if (count) {
		const gemp_edge_record *edge = &builder->edges[which];
		bool source = ids[edge->source] == GEMP_NO_VERTEX;
		size_t size;
		const char *key = gemp_bytes_at(&builder->ends.list, source ? edge->source : edge->target, &size);
		gemp_builder_place_print(builder, place, &message);
		gemp_text_print(&message, ": the edge's %s ", source ? "source" : "target");
		gemp_builder_key_print(key, size, &message);
		gemp_text_print(&message, " is not among the vertices; add the vertex or remove the edge");
	}
	GEMP_TRY(gemp_comm_agree(builder->comm, gemp_text_status(&message)));
	GEMP_TRY(gemp_builder_complain(builder, place, count, message.data));
	for (size_t e = 0; e < builder->edge_count; e++) {
		builder->edges[e].source = ids[builder->edges[e].source];
		builder->edges[e].target = ids[builder->edges[e].target];
	}
done:
	gemp_text_free(&message);
	return code;
}

gemp_code gemp_builder_ends(gemp_builder *builder, const gemp_graph *graph)
{
	gemp_code code = GEMP_OK;
	key_index index = { 0 };
	uint32_t *ids = NULL;
	code = new_index(&index, builder, graph);
	if (code == GEMP_OK)
		code = GEMP_NEW(ids, builder->ends.list.count);
	GEMP_TRY(gemp_comm_agree(builder->comm, code));
	gemp_shuffle shuffle = { &index, builder->ends.list.count, builder->options.batch, owner, pack, take };
	GEMP_TRY(gemp_shuffle_run(builder->comm, &shuffle));
	GEMP_TRY(gemp_replies_return(builder->comm, &index.replies, &shuffle, ids));
	GEMP_TRY(replace(builder, ids));
	gemp_dictionary_free(&builder->ends);
done:
	free_index(&index);
	gemp_free(ids);
	return code;
}
