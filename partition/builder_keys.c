/* Keys of both kinds in one graph, and texts that all ranks must number alike. */
#include "core/memory.h"
#include "partition/builder_state.h"

#include <string.h>

/* Encodes strings that are integers as integers. */
static gemp_code normalise(gemp_bytes *keys, gemp_text *scratch)
{
	gemp_code code = GEMP_OK;
	gemp_bytes out = { 0 };
	for (size_t i = 0; i < keys->count; i++) {
		size_t size;
		const char *bytes = gemp_bytes_at(keys, i, &size);
		gemp_value key = gemp_key_decode(bytes, size), integer = { .type = GEMP_INTEGER };
		if (key.type == GEMP_STRING && gemp_canonical_integer(key.string.bytes, key.string.size, &integer.integer))
			key = integer;
		GEMP_TRY(gemp_key_encode(&key, scratch));
		GEMP_TRY(gemp_bytes_add(&out, scratch->data, scratch->size));
	}
	gemp_bytes_free(keys);
	*keys = out;
	out = (gemp_bytes){ 0 };
done:
	gemp_bytes_free(&out);
	return code;
}

gemp_code gemp_builder_keys(gemp_builder *builder)
{
	gemp_code code = GEMP_OK;
	uint64_t kinds[2] = { builder->has_integer_key, builder->has_string_key };
	gemp_comm_max(builder->comm, kinds, 2);
	if (kinds[0] && kinds[1]) {
		code = normalise(&builder->vertices.keys, &builder->scratch);
		if (code == GEMP_OK)
			code = normalise(&builder->ends.list, &builder->scratch);
	}
	return gemp_comm_agree(builder->comm, code);
}

static gemp_code keep_distinct(const gemp_bytes *texts, gemp_bytes *out)
{
	gemp_code code = GEMP_OK;
	uint64_t *order = NULL;
	GEMP_TRY(GEMP_NEW(order, texts->count));
	GEMP_TRY(gemp_bytes_sort(texts, order));
	for (size_t i = 0; i < texts->count; i++) {
		size_t size;
		const char *bytes = gemp_bytes_at(texts, order[i], &size);
		if (i == 0 || gemp_bytes_compare(texts, order[i - 1], order[i]) != 0)
			GEMP_TRY(gemp_bytes_add(out, bytes, size));
	}
done:
	gemp_free(order);
	return code;
}

static gemp_code unpack_texts(const char *at, const char *end, gemp_bytes *out)
{
	gemp_code code = GEMP_OK;
	while (code == GEMP_OK && at < end) {
		uint64_t size;
		memcpy(&size, at, sizeof size);
		code = gemp_bytes_add(out, at + sizeof size, size);
		at += sizeof size + size;
	}
	return code;
}

gemp_code gemp_builder_union(const gemp_comm *comm, const gemp_bytes *mine, gemp_bytes *all)
{
	gemp_code code = GEMP_OK;
	gemp_text packed = { 0 };
	gemp_bytes texts = { 0 };
	void *gathered = NULL;
	size_t *begin = NULL;
	for (size_t i = 0; i < mine->count; i++) {
		size_t size;
		const char *bytes = gemp_bytes_at(mine, i, &size);
		gemp_text_add(&packed, &(uint64_t){ size }, sizeof(uint64_t));
		gemp_text_add(&packed, bytes, size);
	}
	GEMP_TRY(gemp_comm_agree(comm, gemp_text_status(&packed)));
	GEMP_TRY(gemp_comm_gather_all(comm, packed.data, packed.size, &gathered, &begin));
	code = unpack_texts(gathered, (char *)gathered + begin[comm->size], &texts);
	if (code == GEMP_OK)
		code = keep_distinct(&texts, all);
	GEMP_TRY(gemp_comm_agree(comm, code));
done:
	gemp_text_free(&packed);
	gemp_bytes_free(&texts);
	gemp_free(gathered);
	gemp_free(begin);
	return code;
}

size_t gemp_builder_find(const gemp_bytes *sorted, const char *bytes, size_t size)
{
	size_t low = 0, high = sorted->count;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2, there;
		const char *at = gemp_bytes_at(sorted, middle, &there);
		if (gemp_compare_bytes(bytes, size, at, there) < 0)
			high = middle;
		else
			low = middle;
	}
	return low;
}
