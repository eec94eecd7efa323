/* column: typed attribute values with NULL, in memory. Host only. */

#ifndef GEMP_GRAPH_COLUMN_H
#define GEMP_GRAPH_COLUMN_H

#include "core/status.h"
#include "gemp/types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Types: gemp_type of gemp/types.h. Lists are what queries make (collect, labels); no graph has a column of lists. */

extern const char *const gemp_type_name[5]; /* "string", "integer", "float", "boolean", "list" */

/* One value. A string is borrowed and not ended by 0; it is UTF-8. */
typedef struct gemp_value {
	gemp_type type;
	bool null;
	union {
		int64_t integer;
		double real;
		bool truth;
		struct {
			const char *bytes;
			size_t size;
		} string;
	};
} gemp_value;

/* Only the arrays of its type are there; all are NULL while the column is not loaded (its name and type are known). */
typedef struct gemp_column {
	char *name; /* owned */
	gemp_type type;
	size_t rows, capacity;
	int64_t *integers; /* [rows] */
	double *floats;    /* [rows]; NULL values are NaN and marked in null too */
	uint8_t *booleans; /* [rows] 0 or 1 */
	uint64_t *offsets; /* [rows + 1] */
	char *bytes;       /* [offsets[rows]] */
	size_t bytes_capacity;
	uint8_t *null; /* [rows] 1: NULL. The pointer is NULL if no row is NULL */
} gemp_column;

typedef struct gemp_table {
	size_t rows;
	size_t count, capacity;
	gemp_column *columns; /* [count], each of `rows` rows if loaded */
} gemp_table;

gemp_code gemp_column_init(gemp_column *column, const char *name, gemp_type type);
void gemp_column_free(gemp_column *column);
bool gemp_column_loaded(const gemp_column *column);
/* Room for `rows` rows and `bytes` bytes of strings in all; the column counts as loaded from then on, also with no rows. */
gemp_code gemp_column_reserve(gemp_column *column, size_t rows, size_t bytes);

gemp_value gemp_column_get(const gemp_column *column, size_t row);
/* Appends; the value's type is the column's or null is set. */
gemp_code gemp_column_add(gemp_column *column, const gemp_value *value);

/* Order of two rows for sorting: NULL first, then by value. */
int gemp_column_compare(const gemp_column *column, size_t a, size_t b);

/* For exchange: the bytes of one row appended to a growing buffer, and read back; read advances *at. */
struct gemp_text;
gemp_code gemp_column_pack(const gemp_column *column, size_t row, struct gemp_text *out);
gemp_code gemp_column_unpack(gemp_column *column, const char **at, const char *end);

gemp_code gemp_table_add(gemp_table *table, const char *name, gemp_type type, gemp_column **out);
/* Adds the column under that name, with the arrays of *column, which becomes {0}; after a failure *column is as it was. */
gemp_code gemp_table_add_column(gemp_table *table, const char *name, gemp_column *column);
/* Adds a column without rows for each of `from`. */
gemp_code gemp_table_copy_schema(gemp_table *to, const gemp_table *from);
gemp_column *gemp_table_find(const gemp_table *table, const char *name); /* NULL if none */
void gemp_table_free(gemp_table *table);

/* Order of values of one kind, as openCypher's: numbers by value across integer and float, strings bytewise, false before
 * true. Neither may be NULL. *comparable is false for different kinds. */
int gemp_value_compare(const gemp_value *a, const gemp_value *b, bool *comparable);
/* Order of keys: integers before strings. */
int gemp_value_compare_keys(const gemp_value *a, const gemp_value *b);
/* Bytes to show a value as; a number in its shortest exact form, a float always with a point or an exponent (3.0), so that
 * its type can be read back. Nothing for NULL. */
void gemp_value_print(const gemp_value *value, struct gemp_text *out);

#endif
