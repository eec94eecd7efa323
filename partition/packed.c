#include "partition/packed.h"

#include "comm/exchange.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

void gemp_pack_number(gemp_text *out, uint64_t number)
{
	gemp_text_add(out, &number, sizeof number);
}

void gemp_pack_bytes(gemp_text *out, const char *bytes, size_t size)
{
	gemp_pack_number(out, size);
	gemp_text_add(out, bytes, size);
}

void gemp_pack_value(gemp_text *out, const gemp_value *value)
{
	const unsigned char kind = (unsigned char)(value->type * 2 + value->null);
	gemp_text_add(out, &kind, 1);
	if (value->null)
		return;
	if (value->type == GEMP_STRING)
		gemp_pack_bytes(out, value->string.bytes, value->string.size);
	else if (value->type == GEMP_INTEGER)
		gemp_text_add(out, &value->integer, sizeof value->integer);
	else if (value->type == GEMP_FLOAT)
		gemp_text_add(out, &value->real, sizeof value->real);
	else
		gemp_text_add(out, &value->truth, 1);
}

static void take(void *out, size_t size, const char **at)
{
	memcpy(out, *at, size);
	*at += size;
}

uint64_t gemp_unpack_number(const char **at)
{
	uint64_t number;
	take(&number, sizeof number, at);
	return number;
}

const char *gemp_unpack_bytes(const char **at, size_t *size)
{
	*size = (size_t)gemp_unpack_number(at);
	const char *bytes = *at;
	*at += *size;
	return bytes;
}

gemp_value gemp_unpack_value(const char **at)
{
	unsigned char kind;
	take(&kind, 1, at);
	gemp_value value = { .type = (gemp_type)(kind / 2), .null = kind % 2 };
	if (value.null)
		return value;
	if (value.type == GEMP_STRING)
		value.string.bytes = gemp_unpack_bytes(at, &value.string.size);
	else if (value.type == GEMP_INTEGER)
		take(&value.integer, sizeof value.integer, at);
	else if (value.type == GEMP_FLOAT)
		take(&value.real, sizeof value.real, at);
	else
		take(&value.truth, 1, at);
	return value;
}

bool gemp_same_value(const gemp_value *a, const gemp_value *b)
{
	bool comparable;
	if (a->null || b->null)
		return a->null == b->null;
	if (a->type == GEMP_FLOAT && b->type == GEMP_FLOAT && isnan(a->real) && isnan(b->real))
		return true;
	return gemp_value_compare(a, b, &comparable) == 0 && comparable;
}

gemp_code gemp_send_texts(const gemp_comm *comm, gemp_text *texts, void **received, size_t *size)
{
	gemp_code code = GEMP_OK;
	size_t ranks = (size_t)comm->size, *sizes = NULL, *from = NULL, capacity = 0;
	gemp_text all = { 0 };
	code = GEMP_NEW(sizes, ranks);
	if (code == GEMP_OK)
		code = GEMP_NEW(from, ranks);
	for (size_t i = 0; i < ranks; i++) {
		gemp_text_add(&all, texts[i].data, texts[i].size);
		if (code == GEMP_OK)
			sizes[i] = texts[i].size;
		gemp_text_free(&texts[i]);
	}
	if (code == GEMP_OK)
		code = gemp_text_status(&all);
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_exchange(comm, all.data, sizes, received, &capacity, from, NULL));
	*size = 0;
	for (size_t i = 0; i < ranks; i++)
		*size += from[i];
done:
	gemp_text_free(&all);
	gemp_free(sizes);
	gemp_free(from);
	return code;
}
