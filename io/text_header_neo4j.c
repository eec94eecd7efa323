#include "io/text_header.h"

#include "core/memory.h"

#include <string.h>
#include <strings.h>

/* `name:TYPE(group)` in its parts, which are slices of the cell. */
typedef struct parts {
	gemp_cell whole, name, type, group;
} parts;

static bool is(const gemp_cell *part, const char *word)
{
	return strlen(word) == part->size && strncasecmp(part->bytes, word, part->size) == 0;
}

static bool ends_in(const gemp_cell *part, const char *ending)
{
	size_t size = strlen(ending);
	return part->size >= size && memcmp(part->bytes + part->size - size, ending, size) == 0;
}

static gemp_code refuse(const parts *parts, const char *why)
{
	return gemp_fail(GEMP_EDATA, "column '%.*s': %s", parts->whole.size > 80 ? 80 : (int)parts->whole.size,
	                 parts->whole.bytes, why);
}

static gemp_code split(parts *out, const gemp_cell *cell)
{
	const char *end = cell->bytes + cell->size, *colon = memrchr(cell->bytes, ':', cell->size);
	*out = (parts){ .whole = *cell, .name = *cell, .group.null = true };
	if (ends_in(cell, "}"))
		return refuse(out, "options in braces are not supported; write the header without them");
	if (!colon)
		return GEMP_OK;
	out->name.size = (size_t)(colon - cell->bytes);
	out->type = (gemp_cell){ colon + 1, (size_t)(end - colon - 1), false };
	const char *open = memchr(out->type.bytes, '(', out->type.size);
	if (!open)
		return GEMP_OK;
	if (end[-1] != ')' || end - open < 3)
		return refuse(out, "a group is written in parentheses after the type, like :ID(Person)");
	out->type.size = (size_t)(open - out->type.bytes);
	out->group = (gemp_cell){ open + 1, (size_t)(end - open - 2), false };
	return GEMP_OK;
}

/* Neo4j's names of types, and what they are here. */
static const struct { const char *name; gemp_type type; } types[] = {
	{ "int", GEMP_INTEGER },  { "integer", GEMP_INTEGER }, { "long", GEMP_INTEGER },  { "short", GEMP_INTEGER },
	{ "byte", GEMP_INTEGER }, { "float", GEMP_FLOAT },     { "double", GEMP_FLOAT },  { "boolean", GEMP_BOOLEAN },
	{ "bool", GEMP_BOOLEAN }, { "string", GEMP_STRING },   { "char", GEMP_STRING },
};

static gemp_code read_type(gemp_field *field, const parts *parts)
{
	field->stated = true;
	field->type = GEMP_STRING;
	if (parts->type.size == 0 && parts->whole.size == parts->name.size)
		return GEMP_OK;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (is(&parts->type, types[i].name)) {
			field->type = types[i].type;
			return GEMP_OK;
		}
	if (ends_in(&parts->type, "[]"))
		return refuse(parts, "arrays are not supported; state it as :string to keep its text, or as :IGNORE");
	return refuse(parts, "there are the types int, long, short, byte, float, double, boolean, string and char; "
	              "state others (times, points) as :string to keep their text, or as :IGNORE");
}

/* What `type` says the column is for; one in `edges` only, or in files of vertices only. */
static const struct { const char *type; bool vertices, edges; gemp_role role; } roles[] = {
	{ "ID", true, false, GEMP_ROLE_KEY },          { "LABEL", true, false, GEMP_ROLE_LABELS },
	{ "START_ID", false, true, GEMP_ROLE_SOURCE }, { "END_ID", false, true, GEMP_ROLE_TARGET },
	{ "TYPE", false, true, GEMP_ROLE_TYPE },       { "IGNORE", true, true, GEMP_ROLE_IGNORE },
};

static gemp_code read_role(gemp_field *field, const parts *parts, bool edges)
{
	for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
		if (!is(&parts->type, roles[i].type))
			continue;
		field->role = roles[i].role;
		if (edges ? !roles[i].edges : !roles[i].vertices)
			return refuse(parts, edges ? "belongs to files of vertices; name this one with --vertices"
			                           : "belongs to files of edges; name this one with --edges");
	}
	if (!parts->group.null && !gemp_field_is_key(field))
		return refuse(parts, "only :ID, :START_ID and :END_ID have a group in parentheses");
	return field->role == GEMP_ROLE_ATTRIBUTE ? read_type(field, parts) : GEMP_OK;
}

static gemp_code parse_field(gemp_header *header, bool edges, const gemp_cell *cell)
{
	gemp_code code = GEMP_OK;
	parts parts;
	gemp_field *field = &header->fields[header->count];
	GEMP_TRY(split(&parts, cell));
	GEMP_TRY(read_role(field, &parts, edges));
	field->kept = field->role == GEMP_ROLE_KEY && parts.name.size > 0;
	if (field->role == GEMP_ROLE_ATTRIBUTE && parts.name.size == 0)
		return gemp_fail(GEMP_EDATA, "column %zu has no name; the first line must name all columns",
		                 header->count + 1);
	const gemp_cell *name = gemp_field_is_attribute(field) ? &parts.name : cell;
	field->name = gemp_strndup(name->bytes, name->size);
	header->count++; /* to be freed from here on */
	if (!field->name)
		return GEMP_ENOMEM;
	if (!parts.group.null) {
		field->group = gemp_strndup(parts.group.bytes, parts.group.size);
		code = field->group ? GEMP_OK : GEMP_ENOMEM;
	}
done:
	return code;
}

static gemp_code require(const gemp_header *header, gemp_role role, const char *type, const char *kind)
{
	for (size_t i = 0; i < header->count; i++)
		if (header->fields[i].role == role)
			return GEMP_OK;
	return gemp_fail(GEMP_EDATA, "column '%s' is missing; the first line of a file of %s must be a header that has "
	                 "it (put a header that is a file of its own in front of the data)", type, kind);
}

/* No two columns of one name, nor of one role that there can be but once. */
static gemp_code check_doubled(const gemp_header *header)
{
	for (size_t i = 0; i < header->count; i++)
		for (size_t j = 0; j < i; j++) {
			const gemp_field *a = &header->fields[i], *b = &header->fields[j];
			bool named = gemp_field_is_attribute(a) && gemp_field_is_attribute(b) &&
			             strcmp(a->name, b->name) == 0;
			bool role = a->role == b->role && a->role != GEMP_ROLE_ATTRIBUTE && a->role != GEMP_ROLE_IGNORE;
			if (named || role)
				return gemp_fail(GEMP_EDATA, "columns '%s' and '%s' are the same; rename or remove one",
				                 b->name, a->name);
		}
	return GEMP_OK;
}

gemp_code gemp_header_parse_neo4j(gemp_header *out, bool edges, const gemp_cells *cells)
{
	gemp_code code = GEMP_OK;
	gemp_header header = { 0 };
	GEMP_TRY(GEMP_NEW(header.fields, cells->count));
	for (size_t i = 0; i < cells->count; i++)
		GEMP_TRY(parse_field(&header, edges, &cells->cell[i]));
	if (edges) {
		GEMP_TRY(require(&header, GEMP_ROLE_SOURCE, ":START_ID", "edges"));
		GEMP_TRY(require(&header, GEMP_ROLE_TARGET, ":END_ID", "edges"));
	} else {
		GEMP_TRY(require(&header, GEMP_ROLE_KEY, ":ID", "vertices"));
	}
	GEMP_TRY(check_doubled(&header));
	*out = header;
	header = (gemp_header){ 0 };
done:
	gemp_header_free(&header);
	return code;
}
