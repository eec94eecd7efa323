/* Text of values: JSON for results, and the text that toString() gives. */

#include "cypher/temporal/temporal.h"

#include <math.h>

/* The number as a value of a column, which has the home of number formats: the shortest digits that read back
 * exactly. */
static gemp_value column_value(gemp_datum value)
{
	switch (value.kind) {
	case GEMP_DATUM_BOOLEAN: return (gemp_value){ .type = GEMP_BOOLEAN, .truth = value.truth };
	case GEMP_DATUM_INTEGER: return (gemp_value){ .type = GEMP_INTEGER, .integer = value.integer };
	case GEMP_DATUM_FLOAT: return (gemp_value){ .type = GEMP_FLOAT, .real = value.real };
	case GEMP_DATUM_STRING:
		return (gemp_value){ .type = GEMP_STRING, .string = { .bytes = value.text, .size = value.size } };
	default: return (gemp_value){ .type = GEMP_STRING, .null = true };
	}
}

/* JSON */

/* A path is the list of its elements. */
static gemp_code list_json(gemp_datum value, const gemp_datum_writer *writer, gemp_text *out)
{
	gemp_text_add(out, "[", 1);
	for (size_t i = 0; i < value.size; i++) {
		if (i > 0)
			gemp_text_add(out, ", ", 2);
		GEMP_TRY(gemp_datum_json(value.items[i], writer, out));
	}
	gemp_text_add(out, "]", 1);
	return gemp_text_status(out);
}

static gemp_code map_json(gemp_datum value, const gemp_datum_writer *writer, gemp_text *out)
{
	gemp_text_add(out, "{", 1);
	for (size_t i = 0; i < value.size; i++) {
		if (i > 0)
			gemp_text_add(out, ", ", 2);
		gemp_json_string(out, value.entries[i].key, strlen(value.entries[i].key));
		gemp_text_add(out, ": ", 2);
		GEMP_TRY(gemp_datum_json(value.entries[i].value, writer, out));
	}
	gemp_text_add(out, "}", 1);
	return gemp_text_status(out);
}

static gemp_code temporal_json(gemp_datum value, gemp_text *out)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	GEMP_TRY(gemp_temporal_text(value, &text));
	gemp_json_string(out, text.data, text.size);
	return gemp_text_status(out);
}

gemp_code gemp_datum_json(gemp_datum value, const gemp_datum_writer *writer, gemp_text *out)
{
	switch (value.kind) {
	case GEMP_DATUM_LIST:
	case GEMP_DATUM_PATH: return list_json(value, writer, out);
	case GEMP_DATUM_MAP: return map_json(value, writer, out);
	case GEMP_DATUM_NODE: return writer->node(writer->self, value.id, out);
	case GEMP_DATUM_RELATIONSHIP: return writer->relationship(writer->self, value.id, out);
	default: break;
	}
	if (gemp_datum_is_temporal(value))
		return temporal_json(value, out);
	gemp_value scalar = column_value(value);
	gemp_json_value(out, &scalar);
	return gemp_text_status(out);
}

/* TEXT */

/* C prints 1e-07 and 1e+20, openCypher 1e-7 and 1e20. */
static void float_text(double real, gemp_text *out)
{
	if (!isfinite(real)) {
		gemp_text_print(out, "%s", isnan(real) ? "NaN" : real < 0 ? "-Infinity" : "Infinity");
		return;
	}
	size_t begin = out->size;
	gemp_value_print(&(gemp_value){ .type = GEMP_FLOAT, .real = real }, out);
	if (out->failed)
		return;
	char *exponent = strchr(out->data + begin, 'e');
	if (!exponent)
		return;
	char *to = exponent + 1, *from = to;
	to += *to == '-';
	from += *from == '-' || *from == '+';
	from += strspn(from, "0");
	size_t size = strlen(from);
	memmove(to, from, size + 1);
	out->size = (size_t)(to - out->data) + size;
}

gemp_code gemp_datum_text(gemp_datum value, gemp_text *out)
{
	if (gemp_datum_is_temporal(value))
		return gemp_temporal_text(value, out);
	gemp_value scalar = column_value(value);
	if (scalar.null)
		return gemp_fail(GEMP_EUSAGE, "a value of type %s has no text", gemp_datum_kind_name[value.kind]);
	if (value.kind == GEMP_DATUM_FLOAT)
		float_text(value.real, out);
	else
		gemp_value_print(&scalar, out);
	return gemp_text_status(out);
}
