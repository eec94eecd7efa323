/* json_value: attribute values as JSON text. Strings are escaped by jansson; numbers without a JSON form (NaN,
 * infinities) become null. A failed addition is recorded in the text (gemp_text_status).
 */

#ifndef GEMP_GRAPH_JSON_VALUE_H
#define GEMP_GRAPH_JSON_VALUE_H

#include "core/text.h"
#include "graph/column.h"

/* NULL is null, and so are NaN and infinities; a list is already JSON text. */
void gemp_json_value(gemp_text *out, const gemp_value *value);
/* A string that is not UTF-8 becomes one replacement character, since JSON must be UTF-8. */
void gemp_json_string(gemp_text *out, const char *bytes, size_t size);
/* {"type": ..., "source": ..., "target": ...} */
void gemp_json_edge(gemp_text *out, const gemp_value *type, const gemp_value *source, const gemp_value *target);

/* The word for a parsed value in messages: "a string", "an array"; "missing" for NULL. */
struct json_t;
const char *gemp_json_kind(const struct json_t *value);

#endif
