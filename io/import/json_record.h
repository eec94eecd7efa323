/* json_record: a line of JSON as a vertex or an edge.
 *
 * Two shapes, told apart by `type`: as Neo4j's APOC exports,
 *   {"type":"node","id":"0","labels":["User"],"properties":{"name":"Adam"}}
 *   {"type":"relationship","id":"0","label":"KNOWS","start":{"id":"0"},"end":{"id":"1"},"properties":{"since":1993}}
 * where the id of a relationship and what `start` and `end` repeat of the nodes are not kept; and plain objects with
 * the names of tables,
 *   {"id":1,"labels":["User"],"name":"Adam"}
 *   {"src":1,"dst":2,"type":"KNOWS","since":1993}
 * where `labels`, `type` or `label` (the first that is there) is a list of labels or a text "A;B".
 */

#ifndef GEMP_IO_IMPORT_JSON_RECORD_H
#define GEMP_IO_IMPORT_JSON_RECORD_H

#include "core/text.h"
#include "graph/column.h"

#include <jansson.h>

typedef struct gemp_json_record {
	json_t *root; /* owned; all values below lie in it */
	bool edge;
	gemp_value ends[2];  /* the key of a vertex, or source and target */
	gemp_text names;     /* labels joined by ;, or the type; "" if there is none */
	json_t *properties;  /* NULL: none; the root itself in the plain shape */
	const char *skip[3]; /* members of it that are no attributes; NULL: fewer */
} gemp_json_record;

/* Replaces what the record held ({0}: nothing). Errors with neither file nor line. */
gemp_code gemp_json_record_read(gemp_json_record *record, const char *text, size_t size);
void gemp_json_record_free(gemp_json_record *record);

/* Is the member of `properties` an attribute? */
bool gemp_json_record_is_attribute(const gemp_json_record *record, const char *name);

/* The word for a value in messages: "a string", "an array". */
const char *gemp_json_kind(const json_t *value);

#endif
