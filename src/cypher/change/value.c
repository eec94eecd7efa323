#include "cypher/change/value.h"

#include "graph/json_text.h"

#include <string.h>

static bool is_storable(gemp_datum value)
{
	switch (value.kind) {
	case GEMP_DATUM_MAP:
	case GEMP_DATUM_NODE:
	case GEMP_DATUM_RELATIONSHIP:
	case GEMP_DATUM_PATH: return false;
	case GEMP_DATUM_LIST:
		for (uint32_t i = 0; i < value.size; i++)
			if (!is_storable(value.items[i]))
				return false;
		return true;
	default: return true;
	}
}

gemp_code gemp_cypher_check_property(const char *name, gemp_datum value)
{
	if (is_storable(value))
		return GEMP_OK;
	return gemp_fail(GEMP_EUSAGE,
	                 "the property '%s' cannot hold a value of type %s%s; properties are numbers, strings, booleans, "
	                 "temporal values, and lists of these",
	                 name, gemp_datum_kind_name[value.kind],
	                 value.kind == GEMP_DATUM_LIST ? " with maps, nodes, relationships or paths" : "");
}

gemp_type gemp_cypher_column_type(gemp_datum value)
{
	switch (value.kind) {
	case GEMP_DATUM_BOOLEAN: return GEMP_BOOLEAN;
	case GEMP_DATUM_INTEGER: return GEMP_INTEGER;
	case GEMP_DATUM_FLOAT: return GEMP_FLOAT;
	case GEMP_DATUM_STRING: return GEMP_STRING;
	default: return GEMP_LIST;
	}
}

static gemp_value scalar_of(gemp_datum value)
{
	switch (value.kind) {
	case GEMP_DATUM_BOOLEAN: return (gemp_value){ .type = GEMP_BOOLEAN, .truth = value.truth };
	case GEMP_DATUM_INTEGER: return (gemp_value){ .type = GEMP_INTEGER, .integer = value.integer };
	case GEMP_DATUM_FLOAT: return (gemp_value){ .type = GEMP_FLOAT, .real = value.real };
	case GEMP_DATUM_STRING: return (gemp_value){ .type = GEMP_STRING, .string = { value.text, value.size } };
	default: return (gemp_value){ .type = GEMP_STRING, .null = true };
	}
}

/* Temporal values get a tag, so that they can be read back. */
static gemp_code add_json(gemp_datum value, gemp_text *out)
{
	static const gemp_json_tag tags[GEMP_DATUM_KINDS] = {
		[GEMP_DATUM_DATE] = GEMP_JSON_DATE,         [GEMP_DATUM_LOCAL_TIME] = GEMP_JSON_LOCAL_TIME,
		[GEMP_DATUM_TIME] = GEMP_JSON_TIME,         [GEMP_DATUM_LOCAL_DATETIME] = GEMP_JSON_LOCAL_DATETIME,
		[GEMP_DATUM_DATETIME] = GEMP_JSON_DATETIME, [GEMP_DATUM_DURATION] = GEMP_JSON_DURATION,
	};
	if (gemp_datum_is_temporal(value)) {
		GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
		GEMP_TRY(gemp_datum_text(value, &text));
		return gemp_json_text_tagged(out, tags[value.kind], text.data, text.size);
	}
	if (value.kind != GEMP_DATUM_LIST) {
		const gemp_value scalar = scalar_of(value);
		gemp_json_value(out, &scalar);
		return gemp_text_status(out);
	}
	gemp_text_add(out, "[", 1);
	for (uint32_t i = 0; i < value.size; i++) {
		gemp_text_add(out, ",", i > 0);
		GEMP_TRY(add_json(value.items[i], out));
	}
	gemp_text_add(out, "]", 1);
	return gemp_text_status(out);
}

gemp_code gemp_cypher_column_add(gemp_column *column, gemp_datum value)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	gemp_value stored = { .type = column->type, .null = true };
	if (column->type == GEMP_LIST && !gemp_datum_is_null(value)) {
		GEMP_TRY(add_json(value, &text));
		stored = (gemp_value){ .type = GEMP_LIST, .string = { text.data, text.size } };
	} else if (!gemp_datum_is_null(value)) {
		stored = scalar_of(value);
	}
	return gemp_column_add(column, &stored);
}
