/* The ids of the ends of edges, asked of the owners of their keys. */

#include "partition/build/edge_ends.h"

#include "core/memory.h"
#include "partition/build/integer_keys.h"
#include "partition/exchange/record_stream.h"

#include <string.h>

/* Keys of ends that one part of the builder asks for, and those that this rank owns. */
typedef struct key_lookup {
	const gemp_builder *builder;
	const gemp_shard *graph;
	const gemp_builder_part *part; /* whose ends are asked for now */
	gemp_text *answers;            /* [ranks] ids of the keys that each rank asked for */
	gemp_key_index index;
} key_lookup;

/* Looks through the one or two owned keys whose hashes fall into the same bucket. */
static uint32_t find(const key_lookup *l, const char *key, size_t size)
{
	const gemp_bytes *keys = &l->builder->vertices.keys;
	uint64_t bucket = gemp_key_index_bucket(&l->index, gemp_builder_key_hash(l->builder, key, size));
	for (uint32_t i = l->index.begin[bucket]; i < l->index.begin[bucket + 1]; i++) {
		size_t owned_size;
		const char *owned = gemp_bytes_at(keys, i, &owned_size);
		if (owned_size == size && memcmp(owned, key, size) == 0)
			return (uint32_t)(l->graph->first_vertex + i);
	}
	return GEMP_NO_VERTEX;
}

/* Keys of ends are asked of the ranks that own their hashes. */
static int owner(void *self, size_t record)
{
	const key_lookup *l = self;
	const gemp_builder *builder = l->builder;
	size_t size;
	const char *key = gemp_bytes_at(&l->part->end_keys.list, record, &size);
	return gemp_builder_key_owner(builder, gemp_builder_key_hash(builder, key, size));
}

/* A key is its length in 4 bytes, then its bytes. */
static gemp_code pack(void *self, size_t record, gemp_text *out)
{
	size_t size;
	const char *key = gemp_bytes_at(&((key_lookup *)self)->part->end_keys.list, record, &size);
	uint32_t length = (uint32_t)size;
	gemp_text_add(out, &length, sizeof length);
	gemp_text_add(out, key, size);
	return GEMP_OK;
}

/* Answers a source's keys in the order in which they came. */
static gemp_code receive(void *self, int source, const char *at, const char *end)
{
	gemp_code code = GEMP_OK;
	key_lookup *l = self;
	while (code == GEMP_OK && at < end) {
		uint32_t length;
		memcpy(&length, at, sizeof length);
		at += sizeof length;
		uint32_t id = find(l, at, length);
		gemp_text_add(&l->answers[source], &id, sizeof id);
		code = gemp_text_status(&l->answers[source]);
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

/* Collective. Each distinct key of the part is asked for once, whatever the number of its edges. */
static gemp_code replace_coded(key_lookup *l, gemp_builder_part *part, unknown_end *unknown)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = l->builder->comm;
	uint32_t *ids = NULL;
	l->part = part;
	GEMP_TRY(gemp_comm_agree(
		comm, gemp_new_all(GEMP_ARRAY(l->answers, (size_t)comm->size), GEMP_ARRAY(ids, part->end_keys.list.count))));
	gemp_record_stream stream = { l, part->end_keys.list.count, l->builder->options.batch, owner, pack, receive };
	GEMP_TRY(gemp_record_stream_run(comm, &stream));
	GEMP_TRY(gemp_record_stream_answer(comm, &stream, l->answers, ids));
	GEMP_TRY(gemp_comm_agree(comm, replace(part, ids, unknown)));
	gemp_dictionary_free(&part->end_keys);
done:
	for (int r = 0; l->answers && r < comm->size; r++)
		gemp_text_free(&l->answers[r]);
	gemp_free(l->answers);
	l->answers = NULL;
	gemp_free(ids);
	return code;
}

/* Collective. All ranks make as many rounds as the rank with most parts. */
static gemp_code coded_ids(gemp_builder *builder, const gemp_shard *graph, unknown_end *unknown)
{
	gemp_code code = GEMP_OK;
	key_lookup l = { .builder = builder, .graph = graph };
	gemp_builder_part none = { 0 };
	GEMP_TRY(gemp_comm_agree(builder->comm, gemp_key_index_new(&l.index, builder)));
	for (size_t p = 0, parts = gemp_builder_max_parts(builder); p < parts; p++) {
		GEMP_TRY(replace_coded(&l, gemp_builder_part_at(builder, p, &none), unknown));
		gemp_builder_part_free(&none);
	}
done:
	gemp_builder_part_free(&none);
	gemp_free(l.index.begin);
	return code;
}

/* Collective. The same report for keys that are numbers. */
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
