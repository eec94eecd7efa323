/* The order of keys among all keys: a sample sort. */

#include "partition/build/key_ranks.h"

#include "core/memory.h"
#include "partition/exchange/record_stream.h"

#include <string.h>

enum { SAMPLES = 32, SAMPLE_SIZE = 64 }; /* samples a rank for each rank, and the bytes kept of each */

/* The state of the sample sort: own keys with their order, splitters, and the keys that came with their sources. */
typedef struct key_sort {
	const gemp_builder *builder;
	uint64_t *order;      /* own keys by value */
	gemp_bytes splitters; /* [ranks - 1] */
	int bucket;           /* of the record last looked at: records come in order */
	gemp_bytes keys;      /* that came */
	uint32_t *sources;    /* [keys.count] */
	size_t capacity;
} key_sort;

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
		size_t size;
		const char *key = gemp_bytes_at(keys, sort->order[i * keys->count / wanted], &size);
		code = gemp_bytes_add(&mine, key, size < SAMPLE_SIZE ? size : SAMPLE_SIZE);
	}
	GEMP_PROPAGATE(gemp_comm_agree(comm, code));
	GEMP_PROPAGATE(gemp_bytes_union(comm, &mine, &all));
	for (size_t r = 1; r < ranks && all.count && code == GEMP_OK; r++) {
		size_t size;
		const char *key = gemp_bytes_at(&all, r * all.count / ranks, &size);
		code = gemp_bytes_add(&sort->splitters, key, size);
	}
	return gemp_comm_agree(comm, code);
}

/* Records are the own keys in ascending order. */
static const char *key_at(const key_sort *sort, size_t record, size_t *size)
{
	return gemp_bytes_at(&sort->builder->vertices.keys, sort->order[record], size);
}

/* Keys ascend, so that the bucket never has to be searched backwards. */
static int owner(void *self, size_t record)
{
	key_sort *sort = self;
	size_t size;
	const char *key = key_at(sort, record, &size);
	if (record == 0)
		sort->bucket = 0;
	for (; (size_t)sort->bucket < sort->splitters.count; sort->bucket++) {
		size_t there;
		const char *splitter = gemp_bytes_at(&sort->splitters, (size_t)sort->bucket, &there);
		if (gemp_compare_bytes(key, size, splitter, there) < 0)
			break;
	}
	return sort->bucket;
}

/* A key is its length in 4 bytes, then its bytes. */
static gemp_code pack(void *self, size_t record, gemp_text *out)
{
	size_t size;
	const char *key = key_at(self, record, &size);
	uint32_t length = (uint32_t)size;
	gemp_text_add(out, &length, sizeof length);
	gemp_text_add(out, key, size);
	return GEMP_OK;
}

/* Keeps the source of every key, to send its rank back. */
static gemp_code receive(void *self, int source, const char *at, const char *end)
{
	key_sort *sort = self;
	while (at < end) {
		uint32_t length;
		memcpy(&length, at, sizeof length);
		at += sizeof length;
		GEMP_PROPAGATE(GEMP_RESERVE(sort->sources, sort->capacity, sort->keys.count + 1));
		sort->sources[sort->keys.count] = (uint32_t)source;
		GEMP_PROPAGATE(gemp_bytes_add(&sort->keys, at, length));
		at += length;
	}
	return GEMP_OK;
}

/* Local. answers[source] becomes the ranks of the keys of that source, in the order in which they came. */
static gemp_code rank_keys(key_sort *sort, uint64_t before, gemp_text *answers)
{
	GEMP_OWNED uint64_t *order = NULL;
	GEMP_OWNED uint32_t *rank = NULL;
	GEMP_PROPAGATE(gemp_new_all(GEMP_ARRAY(order, sort->keys.count), GEMP_ARRAY(rank, sort->keys.count)));
	GEMP_PROPAGATE(gemp_bytes_sort(&sort->keys, order));
	for (size_t i = 0; i < sort->keys.count; i++)
		rank[order[i]] = (uint32_t)(before + i);
	for (size_t i = 0; i < sort->keys.count; i++)
		gemp_text_add(&answers[sort->sources[i]], &rank[i], sizeof *rank);
	for (int r = 0; r < sort->builder->comm->size; r++)
		GEMP_PROPAGATE(gemp_text_status(&answers[r]));
	return GEMP_OK;
}

/* Collective. ranks[i]: the rank of this rank's i-th key in the order of keys. */
static gemp_code sample_sort(key_sort *sort, uint32_t *ranks)
{
	gemp_code code = GEMP_OK;
	const gemp_builder *builder = sort->builder;
	const gemp_comm *comm = builder->comm;
	gemp_text *answers = NULL;
	gemp_record_stream stream = { sort, builder->vertices.keys.count, builder->options.batch, owner, pack, receive };
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(answers, (size_t)comm->size)));
	GEMP_TRY(choose_splitters(sort));
	GEMP_TRY(gemp_record_stream_run(comm, &stream));
	uint64_t before = gemp_comm_exscan(comm, sort->keys.count);
	GEMP_TRY(gemp_comm_agree(comm, rank_keys(sort, before, answers)));
	code = gemp_record_stream_answer(comm, &stream, answers, ranks);
done:
	for (int r = 0; answers && r < comm->size; r++)
		gemp_text_free(&answers[r]);
	gemp_free(answers);
	return code;
}

gemp_code gemp_builder_ranks(gemp_builder *builder, gemp_shard *graph)
{
	gemp_code code = GEMP_OK;
	key_sort sort = { .builder = builder };
	uint32_t *ranks = NULL;
	code = gemp_new_all(GEMP_ARRAY(sort.order, graph->rows), GEMP_ARRAY(ranks, graph->rows),
	                    GEMP_ARRAY(graph->key_ranks, graph->rows));
	GEMP_THEN(gemp_bytes_sort(&builder->vertices.keys, sort.order));
	GEMP_TRY(gemp_comm_agree(builder->comm, code));
	if (builder->comm->size > 1)
		GEMP_TRY(sample_sort(&sort, ranks));
	for (size_t i = 0; i < graph->rows; i++)
		graph->key_ranks[sort.order[i]] = builder->comm->size > 1 ? ranks[i] : (uint32_t)i;
done:
	gemp_free_all(sort.order, ranks);
	gemp_bytes_free(&sort.splitters);
	gemp_bytes_free(&sort.keys);
	gemp_free(sort.sources);
	return code;
}
