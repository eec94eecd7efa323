/* json_text: the values of a column of JSON (GEMP_LIST) as text.
 *
 * Such a column holds values of several types: numbers, strings, booleans, lists, maps, and temporal values. A temporal
 * value is an object with one member, whose name is a tag: {"$date":"1984-10-11"}. The text of a value has one form:
 * without blanks, the members of an object ascending by name, floats with a point or an exponent. So equal values have
 * equal texts, and 1 and 1.0 differ. */

#ifndef GEMP_GRAPH_JSON_TEXT_H
#define GEMP_GRAPH_JSON_TEXT_H

#include "graph/column.h"

typedef enum gemp_json_tag {
	GEMP_JSON_NO_TAG,
	GEMP_JSON_DATE,
	GEMP_JSON_LOCAL_TIME,
	GEMP_JSON_TIME,
	GEMP_JSON_LOCAL_DATETIME,
	GEMP_JSON_DATETIME,
	GEMP_JSON_DURATION,
	GEMP_JSON_TAGS
} gemp_json_tag;

/* Lists and maps have at most this number of levels. */
enum { GEMP_JSON_MAX_DEPTH = 1000 };

/* The tag of a temporal value, whose text *text then borrows; GEMP_JSON_NO_TAG for every other value. */
gemp_json_tag gemp_json_tag_of(const struct json_t *value, const char **text);

/* Appends the text of a value that is not null. GEMP_EDATA: the value has too many levels, or a tag without a text. */
gemp_code gemp_json_text_add(gemp_text *out, const struct json_t *value);
/* Reads a JSON value from a text, and appends its text in the one form; for null it appends nothing. GEMP_EDATA also if
 * the text is not JSON. The caller adds the place to the message. */
gemp_code gemp_json_text_read(gemp_text *out, const char *bytes, size_t size);
/* Appends the text of a temporal value, as gemp_json_text_read does for {TAG: bytes}. */
gemp_code gemp_json_text_tagged(gemp_text *out, gemp_json_tag tag, const char *bytes, size_t size);

/* The types that a header may state beside those of scalars: json; and date, time, localtime, datetime, localdatetime
 * and duration, whose columns hold JSON, too. */
bool gemp_json_type_named(gemp_type *type, gemp_json_tag *tag, const char *name, size_t size);

#endif
