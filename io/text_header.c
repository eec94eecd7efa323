#include "io/text_header.h"

#include "core/memory.h"
#include "core/text.h"
#include "io/text_scalar.h"

#include <string.h>

/* What a name means; of two names with one role the first in this list wins, the other is an attribute. */
static const struct { const char *name; bool edges; gemp_role role; } meanings[] = {
	{ "id", false, GEMP_ROLE_KEY },
	{ "type", false, GEMP_ROLE_LABELS }, { "label", false, GEMP_ROLE_LABELS },
	{ "src", true, GEMP_ROLE_SOURCE }, { "source", true, GEMP_ROLE_SOURCE },
	{ "dst", true, GEMP_ROLE_TARGET }, { "target", true, GEMP_ROLE_TARGET },
	{ "type", true, GEMP_ROLE_TYPE },
};
enum { MEANINGS = sizeof meanings / sizeof *meanings };

static gemp_field *find(const gemp_header *header, const char *name)
{
	for (size_t i = 0; i < header->count; i++)
		if (strcmp(header->fields[i].name, name) == 0)
			return &header->fields[i];
	return NULL;
}

static bool has_role(const gemp_header *header, gemp_role role)
{
	for (size_t i = 0; i < header->count; i++)
		if (header->fields[i].role == role)
			return true;
	return false;
}

static bool has_control(const char *name, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)name[i] < ' ')
			return true;
	return false;
}

/* `name` or `name:type`. */
static gemp_code parse_field(gemp_header *header, const gemp_cell *cell)
{
	size_t number = header->count + 1, size = cell->size;
	gemp_field *field = &header->fields[header->count];
	const char *colon = memrchr(cell->bytes, ':', size);
	if (colon) {
		const char *type = colon + 1, *end = cell->bytes + cell->size;
		if (end - type >= 2 && memcmp(end - 2, "ID", 2) == 0)
			return gemp_fail(GEMP_EDATA, "column '%.*s' is of Neo4j's kind; say --format neo4j",
			                 (int)cell->size, cell->bytes);
		if (!gemp_scalar_type(&field->type, type, (size_t)(end - type)))
			return gemp_fail(GEMP_EDATA, "column '%.*s': unknown type '%.*s'; int, integer, float, string, "
			                 "bool and boolean can be stated (for a name with a colon: name:with:string)",
			                 (int)cell->size, cell->bytes, (int)(end - type), type);
		field->stated = true;
		size = (size_t)(colon - cell->bytes);
	}
	if (size == 0)
		return gemp_fail(GEMP_EDATA, "column %zu has no name; the first line must name all columns", number);
	if (has_control(cell->bytes, size))
		return gemp_fail(GEMP_EDATA, "the name of column %zu has a control character; lines must end in "
		                 "a newline, and names must be plain text", number);
	field->name = gemp_strndup(cell->bytes, size);
	if (!field->name)
		return GEMP_ENOMEM;
	if (find(header, field->name)) {
		gemp_code code = gemp_fail(GEMP_EDATA, "column '%s' is there twice; rename one", field->name);
		gemp_free(field->name);
		return code;
	}
	header->count++;
	return GEMP_OK;
}

static gemp_code missing(const gemp_header *header, const char *name, const char *kind)
{
	gemp_text names = { 0 };
	for (size_t i = 0; i < header->count; i++)
		gemp_text_print(&names, "%s%s", i ? ", " : "", header->fields[i].name);
	gemp_code code = gemp_text_status(&names);
	if (code == GEMP_OK)
		code = gemp_fail(GEMP_EDATA, "column '%s' is missing (there is: %.300s); the first line of a file "
		                 "of %s must be a header that names it", name, names.data ? names.data : "", kind);
	gemp_text_free(&names);
	return code;
}

static gemp_code assign_roles(gemp_header *header, bool edges)
{
	for (size_t i = 0; i < MEANINGS; i++) {
		gemp_field *field = meanings[i].edges == edges ? find(header, meanings[i].name) : NULL;
		if (field && !has_role(header, meanings[i].role))
			field->role = meanings[i].role;
	}
	if (!edges && !has_role(header, GEMP_ROLE_KEY))
		return missing(header, "id", "vertices");
	if (edges && !has_role(header, GEMP_ROLE_SOURCE))
		return missing(header, "src", "edges");
	if (edges && !has_role(header, GEMP_ROLE_TARGET))
		return missing(header, "dst", "edges");
	return GEMP_OK;
}

static gemp_code check_types(const gemp_header *header)
{
	for (size_t i = 0; i < header->count; i++) {
		const gemp_field *field = &header->fields[i];
		if (!field->stated || field->role == GEMP_ROLE_ATTRIBUTE || field->type == GEMP_STRING)
			continue;
		if (!gemp_field_is_key(field))
			return gemp_fail(GEMP_EDATA,
			                 "column '%s' holds names and cannot be %s; state it as :string or not at all",
			                 field->name, gemp_type_name[field->type]);
		if (field->type != GEMP_INTEGER)
			return gemp_fail(GEMP_EDATA,
			                 "column '%s' holds ids and cannot be %s; state it as :int or :string",
			                 field->name, gemp_type_name[field->type]);
	}
	return GEMP_OK;
}

gemp_code gemp_header_parse(gemp_header *out, bool edges, const gemp_cells *cells)
{
	gemp_code code = GEMP_OK;
	gemp_header header = { 0 };
	GEMP_TRY(GEMP_NEW(header.fields, cells->count));
	for (size_t i = 0; i < cells->count; i++)
		GEMP_TRY(parse_field(&header, &cells->cell[i]));
	GEMP_TRY(assign_roles(&header, edges));
	GEMP_TRY(check_types(&header));
	*out = header;
	header = (gemp_header){ 0 };
done:
	gemp_header_free(&header);
	return code;
}

gemp_code gemp_header_pair(gemp_header *out)
{
	gemp_cell cell[] = { { "src", 3, false }, { "dst", 3, false } };
	return gemp_header_parse(out, true, &(gemp_cells){ cell, 2, 2 });
}

void gemp_header_free(gemp_header *header)
{
	for (size_t i = 0; i < header->count; i++) {
		gemp_free(header->fields[i].name);
		gemp_free(header->fields[i].group);
	}
	gemp_free(header->fields);
	*header = (gemp_header){ 0 };
}
