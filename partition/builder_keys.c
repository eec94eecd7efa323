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

static gemp_code code_part(gemp_builder_part *part, bool strings)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_builder_part_code(part));
	if (strings)
		goto done;
	GEMP_TRY(normalise(&part->vertices.keys, &part->scratch));
	code = normalise(&part->ends.list, &part->scratch);
done:
	return code;
}

gemp_code gemp_builder_keys(gemp_builder *builder)
{
	gemp_code code = GEMP_OK;
	uint64_t string = 0;
	for (size_t p = 0; p < builder->part_count; p++)
		string |= builder->parts[p].has_string_key;
	gemp_comm_max(builder->comm, &string, 1);
	for (size_t p = 0; p < builder->part_count && string && code == GEMP_OK; p++)
		code = code_part(&builder->parts[p], builder->options.string_keys);
	return gemp_comm_agree(builder->comm, code);
}

bool gemp_builder_is_coded(const gemp_builder *builder)
{
	return builder->parts[0].edges.coded;
}
