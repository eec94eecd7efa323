/* A header has one of two notations: `name:type`, or `name:TYPE(group)` as in neo4j-admin import. Both notations become
 * the same list of fields with roles. */

#include "io/import/import_columns.h"

#include "core/memory.h"
#include "core/status.h"

#include <string.h>
#include <strings.h>

/* The names that give a column its role. If a header has two names with the same role, the first one in this list gets
 * the role and the other one is an attribute. */
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

/* A header has few columns, so the search is linear. */
static gemp_field *find_field(const gemp_header *header, const char *name)
{
	for (size_t i = 0; i < header->count; i++)
		if (strcmp(header->fields[i].name, name) == 0)
			return &header->fields[i];
	return NULL;
}

static bool has_role(const gemp_header *header, gemp_field_role role)
{
	for (size_t i = 0; i < header->count; i++)
		if (header->fields[i].role == role)
			return true;
	return false;
}

/* A control character in a name is a sign of wrong line ends or of a binary file. */
static bool has_control(const char *name, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)name[i] < ' ')
			return true;
	return false;
}

/* Appends the field of a cell `name` or `name:type`. */
static gemp_code parse_field(gemp_header *header, bool edges, const gemp_text_cell *cell)
{
	(void)edges;
	size_t number = header->count + 1, size = cell->size;
	gemp_field *field = &header->fields[header->count];
	const char *colon = memrchr(cell->bytes, ':', size);
	if (colon) {
		const char *type = colon + 1, *end = cell->bytes + cell->size;
		if (end - type >= 2 && memcmp(end - 2, "ID", 2) == 0)
			return gemp_fail(GEMP_EDATA, "column '%.*s' is of Neo4j's kind; name the format neo4j", (int)cell->size,
			                 cell->bytes);
		if (!gemp_scalar_type(&field->type, type, (size_t)(end - type)) &&
		    !gemp_json_type_named(&field->type, &field->tag, type, (size_t)(end - type)))
			return gemp_fail(
				GEMP_EDATA,
				"column '%.*s': unknown type '%.*s'; int, integer, float, string, bool, boolean, json, date, "
				"time, localtime, datetime, localdatetime and duration can be stated (for a name with a "
				"colon: name:with:string)",
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
	if (find_field(header, field->name)) {
		gemp_code code = gemp_fail(GEMP_EDATA, "column '%s' is there twice; rename one", field->name);
		gemp_free(field->name);
		return code;
	}
	header->count++;
	return GEMP_OK;
}

/* A missing column is usually a misspelt name, so the message lists the file's columns. */
static gemp_code missing_column(const gemp_header *header, const char *name, const char *kind)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text names = { 0 };
	for (size_t i = 0; i < header->count; i++)
		gemp_text_print(&names, "%s%s", i ? ", " : "", header->fields[i].name);
	GEMP_TRY(gemp_text_status(&names));
	return gemp_fail(GEMP_EDATA,
	                 "column '%s' is missing (there is: %.300s); the first line of a file "
	                 "of %s must be a header that names it",
	                 name, names.data ? names.data : "", kind);
}

/* Only a column of ids can be stated as integer; labels and types are texts. */
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

/* Assigns the roles, in the order of `meanings`. A file of vertices must have an id, and a file of edges must have both
 * ends. */
static gemp_code finish_header(gemp_header *header, bool edges)
{
	for (size_t i = 0; i < MEANINGS; i++) {
		gemp_field *field = meanings[i].edges == edges ? find_field(header, meanings[i].name) : NULL;
		if (field && !has_role(header, meanings[i].role))
			field->role = meanings[i].role;
	}
	if (!edges && !has_role(header, GEMP_ROLE_KEY))
		return missing_column(header, "id", "vertices");
	if (edges && !has_role(header, GEMP_ROLE_SOURCE))
		return missing_column(header, "src", "edges");
	if (edges && !has_role(header, GEMP_ROLE_TARGET))
		return missing_column(header, "dst", "edges");
	return check_types(header);
}

/* The steps that both notations share. `parse` appends the field of a cell, and `finish` checks the whole header. */
static gemp_code parse_header(gemp_header *out, bool edges, const gemp_cells *cells,
                              gemp_code (*parse)(gemp_header *, bool, const gemp_text_cell *),
                              gemp_code (*finish)(gemp_header *, bool))
{
	GEMP_OWNED_BY(gemp_header_free) gemp_header header = { 0 };
	GEMP_TRY(GEMP_NEW(header.fields, cells->count));
	for (size_t i = 0; i < cells->count; i++)
		GEMP_TRY(parse(&header, edges, &cells->cell[i]));
	GEMP_TRY(finish(&header, edges));
	*out = header;
	header = (gemp_header){ 0 };
	return GEMP_OK;
}

gemp_code gemp_header_parse(gemp_header *out, bool edges, const gemp_cells *cells)
{
	return parse_header(out, edges, cells, parse_field, finish_header);
}

/* An edge list has no header and is read as if it had this one. */
gemp_code gemp_header_pair(gemp_header *out)
{
	gemp_text_cell cell[] = { { "src", 3, false }, { "dst", 3, false } };
	return gemp_header_parse(out, true, &(gemp_cells){ cell, 2, 2 });
}

/* header may be {0}. */
void gemp_header_free(gemp_header *header)
{
	for (size_t i = 0; i < header->count; i++)
		gemp_free_all(header->fields[i].name, header->fields[i].group);
	gemp_free(header->fields);
	*header = (gemp_header){ 0 };
}

/* NEO4J'S NOTATION */

/* The parts of `name:TYPE(group)`. They are slices of the cell. */
typedef struct header_field {
	gemp_text_cell whole, name, type, group;
} header_field;

static bool ends_in(const gemp_text_cell *part, const char *ending)
{
	size_t size = strlen(ending);
	return part->size >= size && memcmp(part->bytes + part->size - size, ending, size) == 0;
}

static gemp_code refuse_field(const header_field *parts, const char *why)
{
	return gemp_fail(GEMP_EDATA, "column '%.*s': %s", parts->whole.size > 80 ? 80 : (int)parts->whole.size,
	                 parts->whole.bytes, why);
}

/* Cuts a cell `name:TYPE(group)` into its parts. A group names a space of ids. */
static gemp_code split_field(header_field *out, const gemp_text_cell *cell)
{
	const char *end = cell->bytes + cell->size, *colon = memrchr(cell->bytes, ':', cell->size);
	*out = (header_field){ .whole = *cell, .name = *cell, .group.null = true };
	if (ends_in(cell, "}"))
		return refuse_field(out, "options in braces are not supported; write the header without them");
	if (!colon)
		return GEMP_OK;
	out->name.size = (size_t)(colon - cell->bytes);
	out->type = (gemp_text_cell){ colon + 1, (size_t)(end - colon - 1), false };
	const char *open = memchr(out->type.bytes, '(', out->type.size);
	if (!open)
		return GEMP_OK;
	if (end[-1] != ')' || end - open < 3)
		return refuse_field(out, "a group is written in parentheses after the type, like :ID(Person)");
	out->type.size = (size_t)(open - out->type.bytes);
	out->group = (gemp_text_cell){ open + 1, (size_t)(end - open - 2), false };
	return GEMP_OK;
}

/* A type of Neo4j without a counterpart is refused. The message says how the header can keep its values as strings. */
static gemp_code read_type(gemp_field *field, const header_field *parts)
{
	static const char *const names[] = { "string char", "int integer long short byte", "float double", "boolean bool" };
	field->stated = true;
	field->type = GEMP_STRING;
	if (parts->type.size == 0 && parts->whole.size == parts->name.size)
		return GEMP_OK;
	if (gemp_type_named(&field->type, names, true, parts->type.bytes, parts->type.size))
		return GEMP_OK;
	if (ends_in(&parts->type, "[]"))
		return refuse_field(parts, "arrays are not supported; state it as :string to keep its text, or as :IGNORE");
	return refuse_field(parts, "there are the types int, long, short, byte, float, double, boolean, string and char; "
	                           "state others (times, points) as :string to keep their text, or as :IGNORE");
}

/* The types that give a column its role, and the kinds of files that may have the role. */
static const struct {
	const char *type;
	bool vertices, edges;
	gemp_field_role role;
} roles[] = {
	{ "ID", true, false, GEMP_ROLE_KEY },          { "LABEL", true, false, GEMP_ROLE_LABELS },
	{ "START_ID", false, true, GEMP_ROLE_SOURCE }, { "END_ID", false, true, GEMP_ROLE_TARGET },
	{ "TYPE", false, true, GEMP_ROLE_TYPE },       { "IGNORE", true, true, GEMP_ROLE_IGNORE },
};

/* A role in the wrong kind of file is usually a swapped option. */
static gemp_code read_role(gemp_field *field, const header_field *parts, bool edges)
{
	for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
		if (!gemp_cell_is(&parts->type, roles[i].type))
			continue;
		field->role = roles[i].role;
		if (edges ? !roles[i].edges : !roles[i].vertices)
			return refuse_field(parts, edges ? "belongs to files of vertices; name this one among them"
			                                 : "belongs to files of edges; name this one among them");
	}
	if (!parts->group.null && !gemp_field_is_key(field))
		return refuse_field(parts, "only :ID, :START_ID and :END_ID have a group in parentheses");
	return field->role == GEMP_ROLE_ATTRIBUTE ? read_type(field, parts) : GEMP_OK;
}

/* Appends the field of a cell in Neo4j's notation. Only an attribute must have a name. */
static gemp_code parse_neo4j_field(gemp_header *header, bool edges, const gemp_text_cell *cell)
{
	header_field parts;
	gemp_field *field = &header->fields[header->count];
	GEMP_TRY(split_field(&parts, cell));
	GEMP_TRY(read_role(field, &parts, edges));
	field->kept = field->role == GEMP_ROLE_KEY && parts.name.size > 0;
	if (field->role == GEMP_ROLE_ATTRIBUTE && parts.name.size == 0)
		return gemp_fail(GEMP_EDATA, "column %zu has no name; the first line must name all columns", header->count + 1);
	const gemp_text_cell *name = gemp_field_is_attribute(field) ? &parts.name : cell;
	field->name = gemp_strndup(name->bytes, name->size);
	if (!parts.group.null)
		field->group = gemp_strndup(parts.group.bytes, parts.group.size);
	header->count++; /* counted before the check, so that gemp_header_free frees the field */
	return field->name && (field->group || parts.group.null) ? GEMP_OK : GEMP_ENOMEM;
}

/* Neo4j's tools write headers into separate files, which users forget to put in front of the data. The message names
 * this remedy. */
static gemp_code require_role(const gemp_header *header, gemp_field_role role, const char *type, const char *kind)
{
	if (has_role(header, role))
		return GEMP_OK;
	return gemp_fail(GEMP_EDATA,
	                 "column '%s' is missing; the first line of a file of %s must be a header that has "
	                 "it (put a header that is a file of its own in front of the data)",
	                 type, kind);
}

/* Attributes must have different names. A role other than attribute and ignored column must occur at most once. */
static gemp_code finish_neo4j_header(gemp_header *header, bool edges)
{
	if (edges) {
		GEMP_TRY(require_role(header, GEMP_ROLE_SOURCE, ":START_ID", "edges"));
		GEMP_TRY(require_role(header, GEMP_ROLE_TARGET, ":END_ID", "edges"));
	} else {
		GEMP_TRY(require_role(header, GEMP_ROLE_KEY, ":ID", "vertices"));
	}
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

gemp_code gemp_header_parse_neo4j(gemp_header *out, bool edges, const gemp_cells *cells)
{
	return parse_header(out, edges, cells, parse_neo4j_field, finish_neo4j_header);
}

/* INFERRED TYPES
 *
 * The cells of a table are texts. Each value rules out types (the evidence), and the column gets the narrowest type
 * that is not ruled out. In JSON and GXL values have types. There the types of all values are collected, and the
 * format's own rule gives the type that holds them. Both sets are bits and are joined over threads and ranks by a
 * bitwise or, so the order of reading does not matter. */

/* A table has few columns, so a linear search suffices. The columns stay in the order of the headers. */
static gemp_code find_or_add(gemp_schema *schema, const char *name, size_t *column)
{
	for (size_t i = 0; i < schema->count; i++)
		if (strcmp(schema->columns[i].name, name) == 0) {
			*column = i;
			return GEMP_OK;
		}
	GEMP_TRY(GEMP_RESERVE(schema->columns, schema->capacity, schema->count + 1));
	GEMP_TRY(GEMP_RESERVE(schema->evidence, schema->evidence_capacity, schema->count + 1));
	*column = schema->count++;
	schema->columns[*column] = (gemp_schema_column){ .name = name };
	schema->evidence[*column] = 0;
	return GEMP_OK;
}

/* Columns with the same name in several files are one column, so the files must state the same type. */
static gemp_code state_type(gemp_schema_column *column, gemp_type type, const char *path)
{
	if (column->stated && column->type != type)
		return gemp_fail(GEMP_EDATA, "column '%s' is stated as %s here and as %s in %s; state one type", column->name,
		                 gemp_type_name[type], gemp_type_name[column->type], column->stated);
	column->stated = path;
	column->type = type;
	return GEMP_OK;
}

/* Each field gets the index of its column, so records need no search by name. */
gemp_code gemp_schema_join(gemp_schema *schema, gemp_header *header, const char *path)
{
	for (size_t i = 0; i < header->count; i++) {
		gemp_field *field = &header->fields[i];
		if (!gemp_field_is_attribute(field))
			continue;
		GEMP_TRY(find_or_add(schema, field->name, &field->column));
		if (field->stated)
			GEMP_TRY(state_type(&schema->columns[field->column], field->type, path));
	}
	return GEMP_OK;
}

void gemp_schema_free(gemp_schema *schema)
{
	gemp_free_all(schema->columns, schema->evidence);
	*schema = (gemp_schema){ 0 };
}

/* When only string is left, further values are not examined. */
void gemp_schema_observe(gemp_schema *schema, size_t column, const gemp_text_cell *cell)
{
	uint32_t *evidence = &schema->evidence[column];
	if (cell->null || (*evidence & GEMP_LOOKS_ALL) == GEMP_LOOKS_ALL || schema->columns[column].stated)
		return;
	*evidence |= GEMP_HAS_VALUE | (GEMP_LOOKS_ALL & ~gemp_scalar_looks(cell->bytes, cell->size));
}

/* Types are tried in the order integer, float, boolean, string. So a column of 0 and 1 holds integers. */
static gemp_type narrowest_type(uint32_t evidence)
{
	if (!(evidence & GEMP_HAS_VALUE))
		return GEMP_STRING;
	if (!(evidence & GEMP_LOOKS_INTEGER))
		return GEMP_INTEGER;
	if (!(evidence & GEMP_LOOKS_FLOAT))
		return GEMP_FLOAT;
	return evidence & GEMP_LOOKS_BOOLEAN ? GEMP_STRING : GEMP_BOOLEAN;
}

/* A stated type stays, even if all values look like another type. */
void gemp_schema_resolve(gemp_schema *schema)
{
	for (size_t i = 0; i < schema->count; i++)
		if (!schema->columns[i].stated)
			schema->columns[i].type = narrowest_type(schema->evidence[i]);
}

/* Columns appear while records are read, in a different order on each rank. The merge sorts them. */
gemp_code gemp_inferred_columns_observe(gemp_inferred_columns *columns, const char *name, uint32_t seen)
{
	size_t known = columns->local.list.count;
	uint32_t index;
	GEMP_TRY(GEMP_RESERVE(columns->seen, columns->seen_capacity, known + 1));
	GEMP_TRY(gemp_dictionary_add(&columns->local, name, strlen(name), &index));
	if (index == known)
		columns->seen[index] = 0;
	columns->seen[index] |= seen;
	return GEMP_OK;
}

/* Collective. The union of all ranks is sorted by name, so a column has the same index on all ranks. */
static gemp_code merge_columns(gemp_inferred_columns *columns, const gemp_comm *comm,
                               gemp_type (*type_of)(uint32_t seen))
{
	GEMP_OWNED uint32_t *seen = NULL;
	GEMP_TRY(gemp_bytes_union(comm, GEMP_OK, &columns->local.list, &columns->names));
	const size_t count = columns->names.count;
	GEMP_TRY(gemp_comm_agree(comm, gemp_new_all(GEMP_ARRAY(seen, count), GEMP_ARRAY(columns->types, count))));
	for (size_t i = 0; i < columns->local.list.count; i++) {
		const gemp_string name = gemp_bytes_at(&columns->local.list, i);
		seen[gemp_bytes_find(&columns->names, name)] = columns->seen[i];
	}
	if (count > 0)
		GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, seen, (int)count, MPI_UINT32_T, MPI_BOR, comm->world));
	for (size_t i = 0; i < count; i++)
		columns->types[i] = type_of(seen[i]);
	return GEMP_OK;
}

gemp_code gemp_inferred_columns_merge(gemp_inferred_columns columns[2], const gemp_comm *comm,
                                      gemp_type (*type_of)(uint32_t seen))
{
	GEMP_TRY(merge_columns(&columns[0], comm, type_of));
	return merge_columns(&columns[1], comm, type_of);
}

/* The builder copies each name, so one text serves all names. */
gemp_code gemp_inferred_columns_declare(const gemp_inferred_columns columns[2], gemp_builder *builder)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text name = { 0 };
	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0; i < columns[side].names.count; i++) {
			size_t column;
			const gemp_string own = gemp_bytes_at(&columns[side].names, i);
			gemp_text_clear(&name);
			gemp_text_add(&name, own.bytes, own.size);
			GEMP_TRY(gemp_text_status(&name));
			GEMP_TRY((side ? gemp_builder_edge_column : gemp_builder_vertex_column)(builder, name.data,
			                                                                        columns[side].types[i], &column));
		}
	return GEMP_OK;
}

size_t gemp_inferred_columns_find(const gemp_inferred_columns *columns, const char *name)
{
	return gemp_bytes_find(&columns->names, (gemp_string){ name, strlen(name) });
}

/* The columns may not have been merged, after a failure. */
void gemp_inferred_columns_free(gemp_inferred_columns columns[2])
{
	for (size_t side = 0; side < 2; side++) {
		gemp_dictionary_free(&columns[side].local);
		gemp_bytes_free(&columns[side].names);
		gemp_free_all(columns[side].seen, columns[side].types);
		columns[side] = (gemp_inferred_columns){ 0 };
	}
}

/* DECLARED COLUMNS */

/* A column of integers and floats holds floats. Any other mixture becomes strings, which hold every value as
 * written. */
gemp_code gemp_declared_columns_join(gemp_declared_columns *columns, const char *name, gemp_type type, size_t *at)
{
	for (*at = 0; *at < columns->count; ++*at) {
		struct gemp_declared_column *there = &columns->columns[*at];
		if (strcmp(there->name, name) != 0)
			continue;
		bool numbers = (there->type == GEMP_INTEGER || there->type == GEMP_FLOAT) &&
		               (type == GEMP_INTEGER || type == GEMP_FLOAT);
		if (there->type != type)
			there->type = numbers ? GEMP_FLOAT : GEMP_STRING;
		return GEMP_OK;
	}
	GEMP_TRY(GEMP_RESERVE(columns->columns, columns->capacity, *at + 1));
	columns->columns[columns->count++] = (struct gemp_declared_column){ name, type };
	return GEMP_OK;
}

gemp_code gemp_declared_columns_declare(const gemp_declared_columns *columns, gemp_builder *builder,
                                        gemp_declare_column *declare)
{
	size_t at;
	for (size_t c = 0; c < columns->count; c++)
		GEMP_TRY(declare(builder, columns->columns[c].name, columns->columns[c].type, &at));
	return GEMP_OK;
}
