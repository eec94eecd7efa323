/* json_text: values as JSON. */

#ifndef GEMP_GRAPH_JSON_VALUE_H
#define GEMP_GRAPH_JSON_VALUE_H

#include "core/text.h"
#include "graph/column.h"

/* NULL is null, as are numbers that JSON has no form for; a list is its own text. gemp_text_status tells of failures. */
void gemp_json_value(gemp_text *out, const gemp_value *value);
/* Bytes that are not UTF-8, as JSON must be: the replacement character stands for all of them. */
void gemp_json_string(gemp_text *out, const char *bytes, size_t size);
/* {"type": ..., "source": ..., "target": ...} */
void gemp_json_edge(gemp_text *out, const gemp_value *type, const gemp_value *source, const gemp_value *target);

#endif
