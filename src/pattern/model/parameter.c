
#include "pattern/model/parameter.h"

#include "core/memory.h"
#include "pattern/model/source.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Moves *at behind the digits there; false if there are none. */
static bool digits(const char **at)
{
	const char *from = *at;
	while (isdigit((unsigned char)**at))
		(*at)++;
	return *at > from;
}

/* As decimal integers are printed: no leading zeros, no plus sign. Postal codes and the like stay strings. */
static bool is_integer(const char *text)
{
	text += *text == '-';
	const char *first = text;
	return digits(&text) && !*text && (*first != '0' || first[1] == '\0');
}

/* Digits with a point or an exponent, or both. */
static bool is_float(const char *text)
{
	text += *text == '-';
	bool whole = digits(&text), point = *text == '.', exponent;
	text += point;
	bool fraction = point && digits(&text);
	exponent = (whole || fraction) && (*text == 'e' || *text == 'E');
	if (exponent) {
		text++;
		text += *text == '-' || *text == '+';
		exponent = digits(&text);
	}
	return !*text && (point ? fraction : whole && exponent);
}

/* A type was given, so text that is no integer is an error and not a string. */
static gemp_code read_integer(const char *name, const char *text, gemp_value *out)
{
	char *end;
	errno = 0;
	*out = (gemp_value){ .type = GEMP_INTEGER, .integer = strtoll(text, &end, 10) };
	const char *number = text + (*text == '-' || *text == '+');
	if (!digits(&number) || *number || end == text)
		return gemp_fail(GEMP_EUSAGE, "parameter %s: '%s' is not an integer", name, text);
	if (errno == ERANGE)
		return gemp_fail(GEMP_EUSAGE, "parameter %s: %s is beyond the range of 64 bits; as a string write %s:string=%s",
		                 name, text, name, text);
	return GEMP_OK;
}

/* Unlike without a type, `1` is a float here. */
static gemp_code read_float(const char *name, const char *text, gemp_value *out)
{
	*out = (gemp_value){ .type = GEMP_FLOAT, .real = strtod(text, NULL) };
	const char *number = text + (*text == '-' || *text == '+');
	const char *whole = number;
	if (!is_float(number) && !(digits(&whole) && !*whole))
		return gemp_fail(GEMP_EUSAGE, "parameter %s: '%s' is not a float such as 0.5 or 1e6", name, text);
	if (!isfinite(out->real))
		return gemp_fail(GEMP_EUSAGE, "parameter %s: %s is beyond the range of a double", name, text);
	return GEMP_OK;
}

static gemp_code read_boolean(const char *name, const char *text, gemp_value *out)
{
	*out = (gemp_value){ .type = GEMP_BOOLEAN, .truth = strcmp(text, "true") == 0 };
	if (!out->truth && strcmp(text, "false") != 0)
		return gemp_fail(GEMP_EUSAGE, "parameter %s: '%s' is neither true nor false", name, text);
	return GEMP_OK;
}

static gemp_code read_string(const char *name, const char *text, gemp_value *out)
{
	(void)name;
	*out = (gemp_value){ .type = GEMP_STRING, .string = { text, strlen(text) } };
	return GEMP_OK;
}

/* The type follows from how the value is written; only null, booleans and numbers in their plain form are not
 * strings. */
static gemp_code read_any(const char *name, const char *text, gemp_value *out)
{
	size_t size = strlen(text);
	if (size >= 2 && *text == '\'' && text[size - 1] == '\'') {
		*out = (gemp_value){ .type = GEMP_STRING, .string = { text + 1, size - 2 } };
		return GEMP_OK;
	}
	if (strcmp(text, "null") == 0) {
		*out = (gemp_value){ .type = GEMP_BOOLEAN, .null = true };
		return GEMP_OK;
	}
	return is_integer(text)                                          ? read_integer(name, text, out)
	       : is_float(text)                                          ? read_float(name, text, out)
	       : strcmp(text, "true") == 0 || strcmp(text, "false") == 0 ? read_boolean(name, text, out)
	                                                                 : read_string(name, text, out);
}

static const struct {
	const char *name;
	gemp_code (*read)(const char *name, const char *text, gemp_value *out);
} types[] = { { "string", read_string }, { "int", read_integer }, { "float", read_float }, { "bool", read_boolean } };

static gemp_code read_typed(const char *name, const char *type, const char *text, gemp_value *out)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strcmp(types[i].name, type) == 0)
			return types[i].read(name, text, out);
	return gemp_fail(GEMP_EUSAGE, "parameter %s: unknown type '%s'; there are string, int, float and bool", name, type);
}

/* Name and value are parts of one copy of the text, so that freeing the name frees a string value, too. */
gemp_code gemp_query_parameter_read(gemp_query_parameter *out, const char *text)
{
	gemp_source source = { "parameter", text };
	gemp_code code = GEMP_OK;
	*out = (gemp_query_parameter){ 0 };
	char *name = gemp_strdup(text), *equal = name ? strchr(name, '=') : NULL, *colon;
	if (!name)
		return GEMP_ENOMEM;
	GEMP_TRY(gemp_source_check(&source));
	if (!equal || equal == name || *name == ':') {
		code = gemp_fail(GEMP_EUSAGE, "parameter '%s': write NAME=VALUE or NAME:TYPE=VALUE", text);
		goto done;
	}
	*equal = '\0';
	colon = strchr(name, ':');
	if (colon)
		*colon = '\0';
	GEMP_TRY(colon ? read_typed(name, colon + 1, equal + 1, &out->value) : read_any(name, equal + 1, &out->value));
	out->name = name;
	return GEMP_OK;
done:
	gemp_free(name);
	*out = (gemp_query_parameter){ 0 };
	return code;
}

void gemp_query_parameter_free(gemp_query_parameter *parameter)
{
	gemp_free((char *)parameter->name);
	*parameter = (gemp_query_parameter){ 0 };
}
