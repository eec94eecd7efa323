#include "changelog/edit.h"

#include "core/memory.h"
#include "partition/packed.h"

bool gemp_edit_is_of_edge(const gemp_edit *edit)
{
	return edit->kind >= GEMP_EDIT_CREATE_EDGE;
}

bool gemp_edit_names_edge(const gemp_edit *edit)
{
	return edit->kind > GEMP_EDIT_CREATE_EDGE;
}

void gemp_edit_pack(gemp_text *out, const gemp_edit *edit)
{
	gemp_pack_number(out, edit->kind);
	gemp_pack_number(out, edit->line);
	gemp_pack_number(out, edit->step);
	gemp_pack_value(out, &edit->key);
	gemp_pack_value(out, &edit->target);
	gemp_pack_bytes(out, edit->type.bytes, edit->type.size);
	gemp_pack_bytes(out, edit->into.bytes, edit->into.size);
	gemp_pack_bytes(out, edit->labels.bytes, edit->labels.size);
	gemp_pack_number(out, edit->n);
	gemp_pack_number(out, edit->attribute_count);
	for (size_t i = 0; i < edit->attribute_count; i++) {
		gemp_pack_number(out, edit->attributes[i].column);
		gemp_pack_value(out, &edit->attributes[i].value);
	}
	gemp_pack_number(out, edit->column);
	gemp_pack_value(out, &edit->value);
	gemp_pack_value(out, &edit->was);
}

gemp_code gemp_edit_unpack(gemp_edit *edit, size_t *capacity, const char **at)
{
	gemp_code code = GEMP_OK;
	edit->kind = (gemp_edit_kind)gemp_unpack_number(at);
	edit->line = gemp_unpack_number(at);
	edit->step = gemp_unpack_number(at);
	edit->key = gemp_unpack_value(at);
	edit->target = gemp_unpack_value(at);
	edit->type.bytes = gemp_unpack_bytes(at, &edit->type.size);
	edit->into.bytes = gemp_unpack_bytes(at, &edit->into.size);
	edit->labels.bytes = gemp_unpack_bytes(at, &edit->labels.size);
	edit->n = gemp_unpack_number(at);
	edit->attribute_count = (size_t)gemp_unpack_number(at);
	GEMP_TRY(GEMP_RESERVE(edit->attributes, *capacity, edit->attribute_count));
	for (size_t i = 0; i < edit->attribute_count; i++) {
		edit->attributes[i].column = (size_t)gemp_unpack_number(at);
		edit->attributes[i].value = gemp_unpack_value(at);
	}
	edit->column = (size_t)gemp_unpack_number(at);
	edit->value = gemp_unpack_value(at);
	edit->was = gemp_unpack_value(at);
done:
	return code;
}
