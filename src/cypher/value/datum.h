/* datum: a value of openCypher, of any type.
 *
 * A value has 16 bytes: its kind, a number of parts, and one word. Strings, lists, maps and paths point to parts that
 * lie in an arena. Values are immutable, so copies share their parts, and a value lives as long as its arena. Nodes
 * and relationships are ids of the graph; the evaluator reads their labels and properties by gemp_cypher_graph
 * (evaluate/environment.h). Functions over values recurse, so lists and maps have at most GEMP_DATUM_MAX_DEPTH levels:
 * make them by the functions below, which count the levels.
 *
 *   kind            size                  word
 *   string          bytes                 text: UTF-8, followed by a 0
 *   list            elements              items[size]
 *   map             entries               entries[size], ascending by key, each key once
 *   node            -                     id of the vertex
 *   relationship    -                     id of the edge
 *   path            elements, odd         items[size]: node, relationship, node, ...; relationships in either direction
 *   date            -                     days since 1970-01-01
 *   local time      -                     nanoseconds since midnight
 *   time            -                     moment: nanos since midnight (local), offset
 *   local datetime  -                     moment: seconds since 1970-01-01T00:00 (local), nanos
 *   datetime        -                     moment: seconds since the epoch (UTC), nanos, offset, zone
 *   duration        -                     duration: months, days, seconds, nanos */

#ifndef GEMP_CYPHER_VALUE_DATUM_H
#define GEMP_CYPHER_VALUE_DATUM_H

#include "core/arena.h"
#include "core/text.h"
#include "graph/column.h"
#include "pattern/condition/evaluate.h"

typedef enum gemp_datum_kind {
	GEMP_DATUM_NULL,
	GEMP_DATUM_BOOLEAN,
	GEMP_DATUM_INTEGER,
	GEMP_DATUM_FLOAT,
	GEMP_DATUM_STRING,
	GEMP_DATUM_LIST,
	GEMP_DATUM_MAP,
	GEMP_DATUM_NODE,
	GEMP_DATUM_RELATIONSHIP,
	GEMP_DATUM_PATH,
	GEMP_DATUM_DATE,
	GEMP_DATUM_LOCAL_TIME,
	GEMP_DATUM_TIME,
	GEMP_DATUM_LOCAL_DATETIME,
	GEMP_DATUM_DATETIME,
	GEMP_DATUM_DURATION,
	GEMP_DATUM_KINDS
} gemp_datum_kind;

/* "Null", "Boolean", "Integer", ...: the names of openCypher, for messages. */
extern const char *const gemp_datum_kind_name[GEMP_DATUM_KINDS];

/* A point in time. nanos is in [0, 10^9), except for GEMP_DATUM_TIME, where it counts from midnight. */
typedef struct gemp_moment {
	int64_t seconds, nanos;
	int32_t offset;   /* seconds east of UTC */
	const char *zone; /* name of the time zone, such as "Europe/Berlin"; NULL: only an offset */
} gemp_moment;

/* months, days and seconds keep their own signs. nanos is in [0, 10^9), so -0.1 seconds are -1 second and 9 * 10^8
 * nanos. */
typedef struct gemp_duration {
	int64_t months, days, seconds, nanos;
} gemp_duration;

struct gemp_datum_entry;
typedef struct gemp_datum {
	uint8_t kind;   /* a gemp_datum_kind */
	uint16_t depth; /* levels of lists and maps in this value: 1 for [1], 2 for [[1]], 0 for 1 */
	uint32_t size;
	union {
		bool truth;
		int64_t integer; /* also days and nanoseconds */
		double real;
		uint64_t id;
		const char *text;
		const struct gemp_datum *items;
		const struct gemp_datum_entry *entries;
		const gemp_moment *moment;
		const gemp_duration *duration;
	};
} gemp_datum; /* {0} is NULL */

typedef struct gemp_datum_entry {
	const char *key; /* UTF-8, followed by a 0 */
	gemp_datum value;
} gemp_datum_entry;

static inline gemp_datum gemp_datum_null(void)
{
	return (gemp_datum){ 0 };
}
static inline gemp_datum gemp_datum_boolean(bool truth)
{
	return (gemp_datum){ .kind = GEMP_DATUM_BOOLEAN, .truth = truth };
}
static inline gemp_datum gemp_datum_integer(int64_t integer)
{
	return (gemp_datum){ .kind = GEMP_DATUM_INTEGER, .integer = integer };
}
static inline gemp_datum gemp_datum_float(double real)
{
	return (gemp_datum){ .kind = GEMP_DATUM_FLOAT, .real = real };
}
static inline bool gemp_datum_is_null(gemp_datum value)
{
	return value.kind == GEMP_DATUM_NULL;
}
static inline bool gemp_datum_is_number(gemp_datum value)
{
	return value.kind == GEMP_DATUM_INTEGER || value.kind == GEMP_DATUM_FLOAT;
}
static inline bool gemp_datum_is_temporal(gemp_datum value)
{
	return value.kind >= GEMP_DATUM_DATE;
}

/* MAKING. The functions copy their array, and strings and keys, into the arena; the parts of elements are shared.
 * GEMP_EUSAGE for too many levels, and for a string or list of 2^32 bytes or elements. */
enum { GEMP_DATUM_MAX_DEPTH = 1000 };
gemp_code gemp_datum_string(gemp_datum *out, gemp_arena *arena, const char *bytes, size_t size);
gemp_code gemp_datum_list(gemp_datum *out, gemp_arena *arena, const gemp_datum *items, size_t count);
/* A list of items that lie in an arena already; they are not copied. */
gemp_code gemp_datum_list_of(gemp_datum *out, const gemp_datum *items, size_t count);
/* entries[count] in any order. Of equal keys the last one counts. */
gemp_code gemp_datum_map(gemp_datum *out, gemp_arena *arena, const gemp_datum_entry *entries, size_t count);
gemp_code gemp_datum_path(gemp_datum *out, gemp_arena *arena, const gemp_datum *items, size_t count);
/* Copies a value with all its parts. */
gemp_code gemp_datum_copy(gemp_datum *out, gemp_arena *arena, gemp_datum value);
/* A value of a column. Strings are copied; JSON is read. */
gemp_code gemp_datum_of_value(gemp_datum *out, gemp_arena *arena, const gemp_value *value);

/* Reads one value of JSON, such as a parameter. A tagged object, such as {"$date":"1984-10-11"}, becomes a temporal
 * value (graph/json_text.h). GEMP_EUSAGE if the text is not JSON, GEMP_EDATA if a tagged text is no temporal value. */
gemp_code gemp_datum_of_json(gemp_datum *out, gemp_arena *arena, const char *bytes, size_t size);

/* Returns NULL if the map has no such key. */
const gemp_datum *gemp_datum_find(gemp_datum map, const char *key);
/* Visits the nodes and relationships of a value, also those within lists, maps and paths. */
typedef gemp_code gemp_datum_visitor(void *self, const gemp_datum *element);
gemp_code gemp_datum_visit_elements(const gemp_datum *value, gemp_datum_visitor *visit, void *self);

/* COMPARING, as openCypher 9 defines it; gemp_truth is that of pattern/condition/evaluate.h. */
gemp_truth gemp_datum_equal(gemp_datum a, gemp_datum b);
/* a < b, or for or_equal a <= b; unknown if one is NULL or the two have no order. */
gemp_truth gemp_datum_less(gemp_datum a, gemp_datum b, bool or_equal);
/* The total order of ORDER BY, min and max (orderability): maps, nodes, relationships, lists, paths, strings, booleans,
 * numbers, temporal values, NaN, NULL; each kind by value. */
int gemp_datum_order(gemp_datum a, gemp_datum b);
/* Equivalence, as for DISTINCT and groups: NULL equals NULL, NaN equals NaN, 1 equals 1.0. */
bool gemp_datum_equivalent(gemp_datum a, gemp_datum b);
uint64_t gemp_datum_hash(gemp_datum value); /* equal for equivalent values */

/* Gives names to the elements of a graph where values are written. */
typedef struct gemp_datum_writer {
	void *self;
	gemp_code (*node)(void *self, uint64_t id, gemp_text *out);
	gemp_code (*relationship)(void *self, uint64_t id, gemp_text *out);
} gemp_datum_writer;
/* Appends the value as JSON. Temporal values become strings; NaN and infinities become null. */
gemp_code gemp_datum_json(gemp_datum value, const gemp_datum_writer *writer, gemp_text *out);
/* Appends the text that toString() gives. Only booleans, numbers, strings and temporal values have one. */
gemp_code gemp_datum_text(gemp_datum value, gemp_text *out);

#endif
