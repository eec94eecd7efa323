/* Strings that all ranks must number alike. */
#include "core/memory.h"
#include "core/text.h"
#include "partition/builder_bytes.h"

#include <string.h>

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

gemp_code gemp_bytes_union(const gemp_comm *comm, const gemp_bytes *mine, gemp_bytes *all)
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

size_t gemp_bytes_find(const gemp_bytes *sorted, const char *bytes, size_t size)
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
