#include "transform/changelog/change_log_line.h"

#include "core/memory.h"
#include "graph/column.h"
#include "graph/json_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Strings may contain the character U+0000, as attributes may. A repeated name in an object is an error. */
gemp_code gemp_change_log_json(json_t **root, const char *text, size_t size)
{
	json_error_t error;
	*root = json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
	if (!*root)
		return gemp_fail(GEMP_EDATA, "column %d: not JSON: %s; a line of the log is one object", error.column,
		                 error.text);
	if (json_is_object(*root))
		return GEMP_OK;
	gemp_fail(GEMP_EDATA, "a line of the log is one object, and this is %s", gemp_json_kind(*root));
	json_decref(*root);
	*root = NULL;
	return GEMP_EDATA;
}

/* MEMBERS */

/* Reads a member that is a string. The string points into the JSON tree, which the line owns. */
static gemp_code read_name(gemp_name *out, const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);
	if (!json_is_string(value))
		return gemp_fail(GEMP_EDATA, "\"%s\" is %s; it is a string", name, gemp_json_kind(value));
	*out = (gemp_name){ json_string_value(value), json_string_length(value) };
	return GEMP_OK;
}

/* All keys of a graph have one type, which determines how a key is written. */
static gemp_code read_key(gemp_value *out, const gemp_change_log_schema *schema, const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);
	if (schema->keys == GEMP_INTEGER && json_is_integer(value))
		*out = (gemp_value){ .type = GEMP_INTEGER, .integer = json_integer_value(value) };
	else if (schema->keys == GEMP_STRING && json_is_string(value) && json_string_length(value) > 0)
		*out = (gemp_value){ .type = GEMP_STRING, .string = { json_string_value(value), json_string_length(value) } };
	else
		return gemp_fail(GEMP_EDATA, "\"%s\" is %s; keys of this graph are %s", name, gemp_json_kind(value),
		                 schema->keys == GEMP_INTEGER ? "integers" : "strings");
	return GEMP_OK;
}

/* JSON has no numbers for NaN and infinities, so the log has strings for them. */
static bool read_special(double *out, const char *text)
{
	static const struct {
		const char *text;
		double value;
	} all[] = { { "nan", NAN }, { "inf", INFINITY }, { "-inf", -INFINITY } };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (strcmp(text, all[i].text) == 0) {
			*out = all[i].value;
			return true;
		}
	return false;
}

/* The text of JSON takes the place of the member in the tree, so that it lives as long as the line. */
static gemp_code read_json(gemp_value *out, json_t *object, const char *name)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	GEMP_TRY(gemp_json_text_add(&text, json_object_get(object, name)));
	json_t *string = json_stringn(text.data, text.size);
	if (!string || json_object_set_new(object, name, string) != 0)
		return GEMP_ENOMEM;
	out->string = (gemp_string){ json_string_value(string), json_string_length(string) };
	return GEMP_OK;
}

/* Reads NULL or a value of the column's type from a member of the object. A float column may have an integer that was
 * written before the column became a float column. A string points into the JSON tree. */
static gemp_code read_value(gemp_value *out, json_t *object, const char *name, const gemp_column *column)
{
	const json_t *value = json_object_get(object, name);
	*out = (gemp_value){ .type = column->type };
	bool good = true;
	if (json_is_null(value))
		out->null = true;
	else if (column->type == GEMP_LIST && value)
		return read_json(out, object, name);
	else if (column->type == GEMP_INTEGER && json_is_integer(value))
		out->integer = json_integer_value(value);
	else if (column->type == GEMP_FLOAT && json_is_number(value))
		out->real = json_number_value(value);
	else if (column->type == GEMP_FLOAT && json_is_string(value))
		good = read_special(&out->real, json_string_value(value));
	else if (column->type == GEMP_BOOLEAN && json_is_boolean(value))
		out->truth = json_is_true(value);
	else if (column->type == GEMP_STRING && json_is_string(value)) {
		out->string.bytes = json_string_value(value);
		out->string.size = json_string_length(value);
	} else {
		good = false;
	}
	return good ? GEMP_OK
	            : gemp_fail(GEMP_EDATA, "attribute '%s' is of type %s in the foot of the log, and a value is %s",
	                        column->name, gemp_type_name[column->type], gemp_json_kind(value));
}

/* The foot lists every attribute that an element had at any time, so an unknown name is an error of the log. */
static gemp_code find_column(size_t *out, const gemp_table *schema, const char *name)
{
	const gemp_column *column = gemp_table_find(schema, name);
	if (!column)
		return gemp_fail(GEMP_EDATA, "attribute '%.60s' is not in the foot of the log", name);
	*out = (size_t)(column - schema->columns);
	return GEMP_OK;
}

/* The columns of one element are all different, so no two attributes compare as equal. */
static int compare_attributes(const void *a, const void *b)
{
	const gemp_edit_attribute *x = a, *y = b;
	return (x->column > y->column) - (x->column < y->column);
}

/* Attributes are sorted by column, since edits are compared in this order. */
static gemp_code read_attributes(gemp_edit *e, json_t *object, const gemp_table *schema)
{
	const char *name;
	json_t *all = json_object_get(object, "attributes"), *value;
	e->attribute_count = 0;
	if (!all)
		return GEMP_OK;
	if (!json_is_object(all))
		return gemp_fail(GEMP_EDATA, "\"attributes\" is %s; it is an object", gemp_json_kind(all));
	GEMP_TRY(GEMP_RESERVE(e->attributes, e->attribute_capacity, json_object_size(all)));
	json_object_foreach (all, name, value) {
		gemp_edit_attribute *attribute = &e->attributes[e->attribute_count];
		GEMP_TRY(find_column(&attribute->column, schema, name));
		GEMP_TRY(read_value(&attribute->value, all, name, &schema->columns[attribute->column]));
		e->attribute_count += !attribute->value.null;
	}
	if (e->attribute_count)
		qsort(e->attributes, e->attribute_count, sizeof *e->attributes, compare_attributes);
	return GEMP_OK;
}

/* Labels are joined by semicolons, as in the graph's label sets, so a label must not contain a semicolon. All edits of
 * a line share the text. */
static gemp_code read_labels(gemp_change_log_line *line, const json_t *object)
{
	const json_t *all = json_object_get(object, "labels");
	gemp_text_clear(&line->labels);
	if (!json_is_array(all))
		return gemp_fail(GEMP_EDATA, "\"labels\" is %s; it is a list", gemp_json_kind(all));
	for (size_t i = 0; i < json_array_size(all); i++) {
		const json_t *label = json_array_get(all, i);
		if (!json_is_string(label) || strchr(json_string_value(label), ';') || json_string_length(label) == 0)
			return gemp_fail(GEMP_EDATA, "a label is a string that is not empty and has no semicolon");
		gemp_text_print(&line->labels, "%s%s", i ? ";" : "", json_string_value(label));
	}
	line->edits[0].labels = (gemp_name){ line->labels.data, line->labels.size };
	return gemp_text_status(&line->labels);
}

/* Reads the value and the old value of an attribute. A replay compares the old value with the value in the graph
 * (edit.c). */
static gemp_code read_setting(gemp_edit *e, json_t *object, const gemp_table *schema)
{
	gemp_name name = { 0 };
	GEMP_TRY(read_name(&name, object, "name"));
	GEMP_TRY(find_column(&e->column, schema, name.bytes));
	const gemp_column *column = &schema->columns[e->column];
	GEMP_TRY(read_value(&e->value, object, "value", column));
	return read_value(&e->was, object, "was", column);
}

/* "n" numbers indistinguishable edges from 1. It is omitted if it is 1. */
static gemp_code read_edge(gemp_edit *e, const gemp_change_log_schema *schema, json_t *object)
{
	const json_t *n = json_object_get(object, "n");
	GEMP_TRY(read_name(&e->type, object, "type"));
	GEMP_TRY(read_key(&e->key, schema, object, "source"));
	GEMP_TRY(read_key(&e->target, schema, object, "target"));
	e->n = n ? (uint64_t)json_integer_value(n) : 1;
	if (n && json_integer_value(n) < 1)
		return gemp_fail(GEMP_EDATA, "\"n\" counts equal edges from 1");
	return read_attributes(e, object, schema->edge_schema);
}

/* LINES */

/* The kind of a line determines its members. Other members are ignored. */
static gemp_code read_vertex_line(gemp_change_log_line *line, const gemp_change_log_schema *schema)
{
	gemp_edit *e = &line->edits[0];
	GEMP_TRY(read_key(&e->key, schema, line->root, "key"));
	if (e->kind == GEMP_EDIT_CREATE_VERTEX || e->kind == GEMP_EDIT_ADD_LABELS || e->kind == GEMP_EDIT_REMOVE_LABELS)
		GEMP_TRY(read_labels(line, line->root));
	if (e->kind == GEMP_EDIT_CREATE_VERTEX)
		GEMP_TRY(read_attributes(e, line->root, schema->vertex_schema));
	if (e->kind == GEMP_EDIT_SET_VERTEX)
		return read_setting(e, line->root, schema->vertex_schema);
	return GEMP_OK;
}

/* The line of a moved edge also names the new edge. */
static gemp_code read_edge_line(gemp_change_log_line *line, const gemp_change_log_schema *schema, bool moves)
{
	gemp_edit *e = &line->edits[0];
	GEMP_TRY(read_edge(e, schema, line->root));
	if (e->kind == GEMP_EDIT_SET_EDGE)
		return read_setting(e, line->root, schema->edge_schema);
	if (e->kind == GEMP_EDIT_RETYPE_EDGE)
		return read_name(&e->into, line->root, "into");
	if (!moves)
		return GEMP_OK;
	json_t *to = json_object_get(line->root, "to");
	if (!json_is_object(to))
		return gemp_fail(GEMP_EDATA, "\"to\" is %s; it is the edge that this one becomes", gemp_json_kind(to));
	line->edits[1].kind = GEMP_EDIT_CREATE_EDGE;
	line->count = 2;
	return read_edge(&line->edits[1], schema, to);
}

/* A moved edge becomes a deletion and a creation. A merged vertex becomes a deletion, since its edges have lines of
 * their own. */
gemp_code gemp_change_log_line_read(gemp_change_log_line *line, const gemp_change_log_schema *schema, const char *text,
                                    size_t size)
{
	static const struct {
		const char *change;
		gemp_edit_kind kind;
	} changes[] = {
		{ "create vertex", GEMP_EDIT_CREATE_VERTEX }, { "delete vertex", GEMP_EDIT_DELETE_VERTEX },
		{ "merge vertex", GEMP_EDIT_DELETE_VERTEX },  { "set vertex", GEMP_EDIT_SET_VERTEX },
		{ "add labels", GEMP_EDIT_ADD_LABELS },       { "remove labels", GEMP_EDIT_REMOVE_LABELS },
		{ "create edge", GEMP_EDIT_CREATE_EDGE },     { "delete edge", GEMP_EDIT_DELETE_EDGE },
		{ "set edge", GEMP_EDIT_SET_EDGE },           { "retype edge", GEMP_EDIT_RETYPE_EDGE },
		{ "move edge", GEMP_EDIT_DELETE_EDGE },
	};
	gemp_name change = { 0 };
	size_t i = 0;
	json_decref(line->root);
	line->root = NULL;
	line->count = 1;
	GEMP_TRY(gemp_change_log_json(&line->root, text, size));
	GEMP_TRY(read_name(&change, line->root, "change"));
	while (i < sizeof changes / sizeof *changes && strcmp(changes[i].change, change.bytes) != 0)
		i++;
	if (i == sizeof changes / sizeof *changes)
		return gemp_fail(GEMP_EDATA, "\"change\" is '%.40s', which is none that this version knows (docs/rules.md)",
		                 change.bytes);
	for (size_t k = 0; k < 2; k++)
		line->edits[k] = (gemp_edit){ .attributes = line->edits[k].attributes,
			                          .attribute_capacity = line->edits[k].attribute_capacity };
	line->edits[0].kind = changes[i].kind;
	return gemp_edit_is_of_edge(&line->edits[0]) ? read_edge_line(line, schema, strcmp(change.bytes, "move edge") == 0)
	                                             : read_vertex_line(line, schema);
}

/* When the next line is read, the edits are cleared but keep their arrays of attributes. This function frees all
 * memory. */
void gemp_change_log_line_free(gemp_change_log_line *line)
{
	json_decref(line->root);
	gemp_free_all(line->edits[0].attributes, line->edits[1].attributes);
	gemp_text_free(&line->labels);
	*line = (gemp_change_log_line){ 0 };
}
