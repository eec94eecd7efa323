#include "cypher/change/value.h"

#include "graph/column_bulk.h"
#include "graph/json_text.h"

#include <math.h>
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

static bool same_zone(const gemp_moment *a, const gemp_moment *b)
{
	return a->zone && b->zone ? strcmp(a->zone, b->zone) == 0 : a->zone == b->zone;
}

static bool same_moment(const gemp_moment *a, const gemp_moment *b)
{
	return a->seconds == b->seconds && a->nanos == b->nanos && a->offset == b->offset && same_zone(a, b);
}

static bool same_duration(const gemp_duration *a, const gemp_duration *b)
{
	return a->months == b->months && a->days == b->days && a->seconds == b->seconds && a->nanos == b->nanos;
}

/* A property has no maps and no elements. Lists have at most GEMP_DATUM_MAX_DEPTH levels. */
bool gemp_cypher_stored_alike(gemp_datum a, gemp_datum b)
{
	if (a.kind != b.kind || a.size != b.size)
		return false;
	switch (a.kind) {
	case GEMP_DATUM_NULL: return true;
	case GEMP_DATUM_BOOLEAN: return a.truth == b.truth;
	case GEMP_DATUM_STRING: return memcmp(a.text, b.text, a.size) == 0;
	case GEMP_DATUM_LIST:
		for (uint32_t i = 0; i < a.size; i++)
			if (!gemp_cypher_stored_alike(a.items[i], b.items[i]))
				return false;
		return true;
	case GEMP_DATUM_TIME:
	case GEMP_DATUM_LOCAL_DATETIME:
	case GEMP_DATUM_DATETIME: return same_moment(a.moment, b.moment);
	case GEMP_DATUM_DURATION: return same_duration(a.duration, b.duration);
	default: return a.id == b.id; /* the bits of numbers, dates and local times */
	}
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

/* Temporal values get a tag, so that they can be read back. name: that of the property. */
static gemp_code add_json(const char *name, gemp_datum value, gemp_text *out)
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
	if (value.kind == GEMP_DATUM_FLOAT && isinf(value.real))
		return gemp_column_fail_infinite(name);
	if (value.kind != GEMP_DATUM_LIST) {
		const gemp_value scalar = scalar_of(value);
		gemp_json_value(out, &scalar);
		return gemp_text_status(out);
	}
	gemp_text_add(out, "[", 1);
	for (uint32_t i = 0; i < value.size; i++) {
		gemp_text_add(out, ",", i > 0);
		GEMP_TRY(add_json(name, value.items[i], out));
	}
	gemp_text_add(out, "]", 1);
	return gemp_text_status(out);
}

gemp_code gemp_cypher_column_add(gemp_column *column, gemp_datum value)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	gemp_value stored = { .type = column->type, .null = true };
	const bool missing = value.kind == GEMP_DATUM_FLOAT && isnan(value.real); /* NULL, as in a column of floats */
	if (column->type == GEMP_LIST && !gemp_datum_is_null(value) && !missing) {
		GEMP_TRY(add_json(column->name, value, &text));
		stored = (gemp_value){ .type = GEMP_LIST, .string = { text.data, text.size } };
	} else if (column->type != GEMP_LIST && !gemp_datum_is_null(value)) {
		stored = scalar_of(value);
		if (column->type == GEMP_FLOAT && stored.type == GEMP_INTEGER)
			stored = (gemp_value){ .type = GEMP_FLOAT, .real = (double)stored.integer };
	}
	return gemp_column_add(column, &stored);
}
