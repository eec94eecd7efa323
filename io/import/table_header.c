/* Two notations of a header: ours (`name:type`) and that of neo4j-admin import (`name:TYPE(group)`). Both
 * become the same list of fields with roles. */

#include "io/import/table_header.h"

#include "core/memory.h"
#include "core/text.h"
#include "io/text/text_scalar.h"

#include <string.h>
#include <strings.h>

/* What a name means; of two names with one role the first in this list wins, the other is an attribute. */
static const struct {
	const char *name;
	bool edges;
	gemp_field_role role;
} meanings[] = {
	{ "id", false, GEMP_ROLE_KEY },       { "type", false, GEMP_ROLE_LABELS },  { "label", false, GEMP_ROLE_LABELS },
	{ "src", true, GEMP_ROLE_SOURCE },    { "source", true, GEMP_ROLE_SOURCE }, { "dst", true, GEMP_ROLE_TARGET },
	{ "target", true, GEMP_ROLE_TARGET }, { "type", true, GEMP_ROLE_TYPE },
};
enum { MEANINGS = sizeof meanings / sizeof *meanings };

/* Headers have few columns. */
static gemp_field *find(const gemp_header *header, const char *name)
{
	for (size_t i = 0; i < header->count; i++)
		if (strcmp(header->fields[i].name, name) == 0)
			return &header->fields[i];
	return NULL;
}

/* A role is given once; later names of it are attributes. */
static bool has_role(const gemp_header *header, gemp_field_role role)
{
	for (size_t i = 0; i < header->count; i++)
		if (header->fields[i].role == role)
			return true;
	return false;
}

/* Control characters in a name mean a wrong line end or a binary file. */
static bool has_control(const char *name, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)name[i] < ' ')
			return true;
	return false;
}

/* `name` or `name:type`. */
static gemp_code parse_field(gemp_header *header, const gemp_text_cell *cell)
{
	size_t number = header->count + 1, size = cell->size;
	gemp_field *field = &header->fields[header->count];
	const char *colon = memrchr(cell->bytes, ':', size);
	if (colon) {
		const char *type = colon + 1, *end = cell->bytes + cell->size;
		if (end - type >= 2 && memcmp(end - 2, "ID", 2) == 0)
			return gemp_fail(GEMP_EDATA, "column '%.*s' is of Neo4j's kind; say --format neo4j", (int)cell->size,
			                 cell->bytes);
		if (!gemp_scalar_type(&field->type, type, (size_t)(end - type)))
			return gemp_fail(GEMP_EDATA,
			                 "column '%.*s': unknown type '%.*s'; int, integer, float, string, "
			                 "bool and boolean can be stated (for a name with a colon: name:with:string)",
			                 (int)cell->size, cell->bytes, (int)(end - type), type);
		field->stated = true;
		size = (size_t)(colon - cell->bytes);
	}
	if (size == 0)
		return gemp_fail(GEMP_EDATA, "column %zu has no name; the first line must name all columns", number);
	if (has_control(cell->bytes, size))
		return gemp_fail(GEMP_EDATA,
		                 "the name of column %zu has a control character; lines must end in "
		                 "a newline, and names must be plain text",
		                 number);
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

/* The columns that are there show what went wrong. */
static gemp_code missing(const gemp_header *header, const char *name, const char *kind)
{
	gemp_text names = { 0 };
	for (size_t i = 0; i < header->count; i++)
		gemp_text_print(&names, "%s%s", i ? ", " : "", header->fields[i].name);
	gemp_code code = gemp_text_status(&names);
	if (code == GEMP_OK)
		code = gemp_fail(GEMP_EDATA,
		                 "column '%s' is missing (there is: %.300s); the first line of a file "
		                 "of %s must be a header that names it",
		                 name, names.data ? names.data : "", kind);
	gemp_text_free(&names);
	return code;
}

/* The order of the table decides between two names of one role. */
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

/* Only ids can be stated as integers; names of labels and types are text. */
static gemp_code check_types(const gemp_header *header)
{
	for (size_t i = 0; i < header->count; i++) {
		const gemp_field *field = &header->fields[i];
		if (!field->stated || field->role == GEMP_ROLE_ATTRIBUTE || field->type == GEMP_STRING)
			continue;
		if (!gemp_field_is_key(field))
			return gemp_fail(GEMP_EDATA, "column '%s' holds names and cannot be %s; state it as :string or not at all",
			                 field->name, gemp_type_name[field->type]);
		if (field->type != GEMP_INTEGER)
			return gemp_fail(GEMP_EDATA, "column '%s' holds ids and cannot be %s; state it as :int or :string",
			                 field->name, gemp_type_name[field->type]);
	}
	return GEMP_OK;
}

/* The header is returned only if it is complete. */
gemp_code gemp_header_parse(gemp_header *out, bool edges, const gemp_cells *cells)
{
	GEMP_OWNED_BY(gemp_header_free) gemp_header header = { 0 };
	GEMP_PROPAGATE(GEMP_NEW(header.fields, cells->count));
	for (size_t i = 0; i < cells->count; i++)
		GEMP_PROPAGATE(parse_field(&header, &cells->cell[i]));
	GEMP_PROPAGATE(assign_roles(&header, edges));
	GEMP_PROPAGATE(check_types(&header));
	*out = header;
	header = (gemp_header){ 0 };
	return GEMP_OK;
}

/* Edge lists are read as if they had this header. */
gemp_code gemp_header_pair(gemp_header *out)
{
	gemp_text_cell cell[] = { { "src", 3, false }, { "dst", 3, false } };
	return gemp_header_parse(out, true, &(gemp_cells){ cell, 2, 2 });
}

/* Takes {0}. */
void gemp_header_free(gemp_header *header)
{
	for (size_t i = 0; i < header->count; i++) {
		gemp_free_all(header->fields[i].name, header->fields[i].group);
	}
	gemp_free(header->fields);
	*header = (gemp_header){ 0 };
}

/* `name:TYPE(group)` in its parts, which are slices of the cell. */
typedef struct header_field {
	gemp_text_cell whole, name, type, group;
} header_field;

static bool is(const gemp_text_cell *part, const char *word)
{
	return strlen(word) == part->size && strncasecmp(part->bytes, word, part->size) == 0;
}

/* A part of a cell is no string of C. */
static bool ends_in(const gemp_text_cell *part, const char *ending)
{
	size_t size = strlen(ending);
	return part->size >= size && memcmp(part->bytes + part->size - size, ending, size) == 0;
}

static gemp_code refuse(const header_field *parts, const char *why)
{
	return gemp_fail(GEMP_EDATA, "column '%.*s': %s", parts->whole.size > 80 ? 80 : (int)parts->whole.size,
	                 parts->whole.bytes, why);
}

/* Neo4j writes `name:TYPE(group)`; a group names a space of ids. */
static gemp_code split(header_field *out, const gemp_text_cell *cell)
{
	const char *end = cell->bytes + cell->size, *colon = memrchr(cell->bytes, ':', cell->size);
	*out = (header_field){ .whole = *cell, .name = *cell, .group.null = true };
	if (ends_in(cell, "}"))
		return refuse(out, "options in braces are not supported; write the header without them");
	if (!colon)
		return GEMP_OK;
	out->name.size = (size_t)(colon - cell->bytes);
	out->type = (gemp_text_cell){ colon + 1, (size_t)(end - colon - 1), false };
	const char *open = memchr(out->type.bytes, '(', out->type.size);
	if (!open)
		return GEMP_OK;
	if (end[-1] != ')' || end - open < 3)
		return refuse(out, "a group is written in parentheses after the type, like :ID(Person)");
	out->type.size = (size_t)(open - out->type.bytes);
	out->group = (gemp_text_cell){ open + 1, (size_t)(end - open - 2), false };
	return GEMP_OK;
}

/* Neo4j's names of types, and what they are here. */
static const struct {
	const char *name;
	gemp_type type;
} types[] = {
	{ "int", GEMP_INTEGER },  { "integer", GEMP_INTEGER }, { "long", GEMP_INTEGER }, { "short", GEMP_INTEGER },
	{ "byte", GEMP_INTEGER }, { "float", GEMP_FLOAT },     { "double", GEMP_FLOAT }, { "boolean", GEMP_BOOLEAN },
	{ "bool", GEMP_BOOLEAN }, { "string", GEMP_STRING },   { "char", GEMP_STRING },
};

/* Types without a counterpart can be kept as strings if the user says so. */
static gemp_code read_type(gemp_field *field, const header_field *parts)
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
static const struct {
	const char *type;
	bool vertices, edges;
	gemp_field_role role;
} roles[] = {
	{ "ID", true, false, GEMP_ROLE_KEY },          { "LABEL", true, false, GEMP_ROLE_LABELS },
	{ "START_ID", false, true, GEMP_ROLE_SOURCE }, { "END_ID", false, true, GEMP_ROLE_TARGET },
	{ "TYPE", false, true, GEMP_ROLE_TYPE },       { "IGNORE", true, true, GEMP_ROLE_IGNORE },
};

/* A role in the wrong kind of file is mostly a swapped option. */
static gemp_code read_role(gemp_field *field, const header_field *parts, bool edges)
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

/* A field without a name that has a role is fine. */
static gemp_code text_header_neo4j_parse_field(gemp_header *header, bool edges, const gemp_text_cell *cell)
{
	gemp_code code = GEMP_OK;
	header_field parts;
	gemp_field *field = &header->fields[header->count];
	GEMP_PROPAGATE(split(&parts, cell));
	GEMP_PROPAGATE(read_role(field, &parts, edges));
	field->kept = field->role == GEMP_ROLE_KEY && parts.name.size > 0;
	if (field->role == GEMP_ROLE_ATTRIBUTE && parts.name.size == 0)
		return gemp_fail(GEMP_EDATA, "column %zu has no name; the first line must name all columns", header->count + 1);
	const gemp_text_cell *name = gemp_field_is_attribute(field) ? &parts.name : cell;
	field->name = gemp_strndup(name->bytes, name->size);
	header->count++; /* to be freed from here on */
	if (!field->name)
		return GEMP_ENOMEM;
	if (!parts.group.null) {
		field->group = gemp_strndup(parts.group.bytes, parts.group.size);
		code = field->group ? GEMP_OK : GEMP_ENOMEM;
	}
	return code;
}

/* Each file needs its keys. */
static gemp_code require(const gemp_header *header, gemp_field_role role, const char *type, const char *kind)
{
	for (size_t i = 0; i < header->count; i++)
		if (header->fields[i].role == role)
			return GEMP_OK;
	return gemp_fail(GEMP_EDATA,
	                 "column '%s' is missing; the first line of a file of %s must be a header that has "
	                 "it (put a header that is a file of its own in front of the data)",
	                 type, kind);
}

/* No two columns of one name, nor of one role that there can be but once. */
static gemp_code check_doubled(const gemp_header *header)
{
	for (size_t i = 0; i < header->count; i++)
		for (size_t j = 0; j < i; j++) {
			const gemp_field *a = &header->fields[i], *b = &header->fields[j];
			bool named = gemp_field_is_attribute(a) && gemp_field_is_attribute(b) && strcmp(a->name, b->name) == 0;
			bool role = a->role == b->role && a->role != GEMP_ROLE_ATTRIBUTE && a->role != GEMP_ROLE_IGNORE;
			if (named || role)
				return gemp_fail(GEMP_EDATA, "columns '%s' and '%s' are the same; rename or remove one", b->name,
				                 a->name);
		}
	return GEMP_OK;
}

/* As gemp_header_parse, with Neo4j's notation. */
gemp_code gemp_header_parse_neo4j(gemp_header *out, bool edges, const gemp_cells *cells)
{
	GEMP_OWNED_BY(gemp_header_free) gemp_header header = { 0 };
	GEMP_PROPAGATE(GEMP_NEW(header.fields, cells->count));
	for (size_t i = 0; i < cells->count; i++)
		GEMP_PROPAGATE(text_header_neo4j_parse_field(&header, edges, &cells->cell[i]));
	if (edges) {
		GEMP_PROPAGATE(require(&header, GEMP_ROLE_SOURCE, ":START_ID", "edges"));
		GEMP_PROPAGATE(require(&header, GEMP_ROLE_TARGET, ":END_ID", "edges"));
	} else {
		GEMP_PROPAGATE(require(&header, GEMP_ROLE_KEY, ":ID", "vertices"));
	}
	GEMP_PROPAGATE(check_doubled(&header));
	*out = header;
	header = (gemp_header){ 0 };
	return GEMP_OK;
}
