/* Keys of both kinds in one graph. */
#include "core/memory.h"
#include "partition/builder_state.h"

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
	if (kinds[1] && !builder->options.string_keys) {
		code = normalise(&builder->vertices.keys, &builder->scratch);
		if (code == GEMP_OK)
			code = normalise(&builder->ends.list, &builder->scratch);
	}
	return gemp_comm_agree(builder->comm, code);
}
