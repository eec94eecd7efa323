/* column: typed attribute values with NULL, and tables of columns. Host only.
 *
 * A column has the array of its type: integers, floats or booleans [rows], or for strings and JSON offsets[rows + 1]
 * into bytes[offsets[rows]]. null[rows] marks NULLs, and is absent if no row is NULL. A column whose values are not
 * loaded has a name and a type, but no arrays. All arrays are blocks of core/memory. */

#ifndef GEMP_GRAPH_COLUMN_H
#define GEMP_GRAPH_COLUMN_H

#include "core/status.h"
#include "core/text.h"
#include "gemp/types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The types are gemp_type of gemp/types.h. A column of GEMP_LIST holds JSON: in a graph values of any type
 * (graph/json_text.h), in a result also lists that a query made (collect, labels). */

#define GEMP_NO_ROW UINT32_MAX /* no row of another column: NULL */

extern const char *const gemp_type_name[5]; /* "string", "integer", "float", "boolean", "json" */

/* Borrowed bytes without a final 0. */
typedef struct gemp_string {
	const char *bytes;
	size_t size;
} gemp_string;

/* One value. A string is UTF-8. */
typedef struct gemp_value {
	gemp_type type;
	bool null;
	union {
		int64_t integer;
		double real;
		bool truth;
		gemp_string string;
	};
} gemp_value;

/* Strings and JSON are stored in the same way. */
static inline bool gemp_is_text(gemp_type type)
{
	return type == GEMP_STRING || type == GEMP_LIST;
}

typedef struct gemp_column {
	char *name; /* owned */
	gemp_type type;
	size_t rows, capacity; /* capacity: rows that fit into the arrays */
	int64_t *integers;     /* [rows] */
	double *floats;        /* [rows]; NULL is NaN, and marked in null, too */
	uint8_t *booleans;     /* [rows] 0 or 1 */
	uint64_t *offsets;     /* [rows + 1] */
	char *bytes;           /* [offsets[rows]] */
	size_t bytes_capacity;
	uint8_t *null; /* [rows] 1: NULL. The pointer is NULL if no row is NULL */
} gemp_column;

typedef struct gemp_table {
	size_t rows;
	size_t count, capacity;
	gemp_column *columns; /* [count]; loaded columns have `rows` rows each */
} gemp_table;

gemp_code gemp_column_init(gemp_column *column, const char *name, gemp_type type);
void gemp_column_free(gemp_column *column);
bool gemp_column_loaded(const gemp_column *column);
/* Grows the arrays to `rows` rows and a total of `bytes` bytes of strings. The column then counts as loaded, even
 * without rows. */
gemp_code gemp_column_reserve(gemp_column *column, size_t rows, size_t bytes);
/* The same, but the arrays grow by at least half, so that a series of additions copies each value a constant number of
 * times. */
gemp_code gemp_column_grow(gemp_column *column, size_t rows, size_t bytes);

gemp_value gemp_column_get(const gemp_column *column, size_t row);
/* Appends a value of the column's type, or NULL. */
gemp_code gemp_column_add(gemp_column *column, const gemp_value *value);

/* Compares two rows for sorting: NULL comes first, then the order by value. */
int gemp_column_compare(const gemp_column *column, size_t a, size_t b);

/* For exchange between ranks: pack appends the bytes of a value, or of one row, to a buffer. unpack reads them and
 * advances *at. */
void gemp_value_pack(const gemp_value *value, gemp_text *out);
gemp_code gemp_column_pack(const gemp_column *column, size_t row, gemp_text *out);
gemp_code gemp_column_unpack(gemp_column *column, const char **at, const char *end);

gemp_code gemp_table_add(gemp_table *table, const char *name, gemp_type type, gemp_column **out);
/* Adds a column under that name. The table takes the arrays of *column, which becomes {0}. After a failure *column is
 * unchanged. */
gemp_code gemp_table_add_column(gemp_table *table, const char *name, gemp_column *column);
/* Adds an empty column for each column of `from`. */
gemp_code gemp_table_copy_schema(gemp_table *to, const gemp_table *from);
gemp_column *gemp_table_find(const gemp_table *table, const char *name); /* returns NULL if there is none */
void gemp_table_free(gemp_table *table);

/* Compares in the order of openCypher: integers and floats by value, strings bytewise, false before true. Neither value
 * may be NULL. *comparable becomes false for values of different kinds. */
int gemp_value_compare(const gemp_value *a, const gemp_value *b, bool *comparable);
/* Compares keys: integers come before strings. */
int gemp_value_compare_keys(const gemp_value *a, const gemp_value *b);
/* Appends the text of a value. A number has its shortest exact form, and a float always has a point or an exponent
 * (3.0), so that its type can be read back. NULL appends nothing. */
void gemp_value_print(const gemp_value *value, gemp_text *out);

/* Values as JSON text. The text records a failed addition (gemp_text_status). */

/* NULL becomes null; so do NaN and infinities, which JSON does not have. GEMP_LIST is JSON text already. */
void gemp_json_value(gemp_text *out, const gemp_value *value);
/* A string that is not UTF-8 becomes one replacement character, since JSON must be UTF-8. */
void gemp_json_string(gemp_text *out, const char *bytes, size_t size);
/* {"type": ..., "source": ..., "target": ...} */
void gemp_json_edge(gemp_text *out, const gemp_value *type, const gemp_value *source, const gemp_value *target);

/* Returns the word for a parsed value in messages: "a string", "an array"; "missing" for NULL. */
struct json_t;
const char *gemp_json_kind(const struct json_t *value);

#endif
