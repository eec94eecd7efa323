/* filter_device: the device's part of the filter: copies of the columns that conditions read, and one launch of
 * kernels/match/filter.cl for each leaf of a condition.
 *
 * A column is copied when it is first needed, and kept until other rows come. A column of strings in which values are
 * repeated is copied as a dictionary: the distinct values, and for each row the number of its value. A bitmap has a
 * bit for each row; the bit is 1 where a leaf is known to be true, so that NULL needs no third value. Local, but for
 * building the kernels.
 */

#ifndef GEMP_MATCH_FILTER_FILTER_DEVICE_H
#define GEMP_MATCH_FILTER_FILTER_DEVICE_H

#include "match/filter/filter_host.h"
#include "partition/runtime.h"

/* An operand: values on the device as kernels/match/filter.cl reads them, either a column or literals. */
typedef struct gemp_operand {
	gemp_type type;
	gemp_buffer values;  /* i64, f64, u8, or the bytes of strings; on a GPU these can be read a little past their end */
	gemp_buffer offsets; /* of strings: u64 [rows + 1] */
	uint64_t bytes;      /* of strings: offsets[rows] */
	gemp_buffer null;    /* u8 */
	cl_uint step;        /* from row to row in values and offsets: 0 for a literal */
	cl_uint null_step;   /* in null: 0 if no row is NULL */
} gemp_operand;

/* lasting: the column outlives the operand, so that a CPU device may use its memory. */
gemp_code gemp_operand_column(gemp_operand *out, gemp_device *device, const gemp_column *column, bool lasting);
/* Literals of one type, which are not NULL; count may be 0. */
gemp_code gemp_operand_literals(gemp_operand *out, gemp_device *device, gemp_type type, const gemp_value *values,
                                size_t count);
void gemp_operand_release(gemp_operand *operand); /* takes {0} */

/* A column of strings as a dictionary: its distinct values, and for each row the number of its value. A condition is
 * then evaluated once for all rows that have the same value. Host only. */
typedef struct gemp_filter_codes {
	uint32_t *codes;    /* [rows] numbers of values; NULL: there is no dictionary */
	gemp_column values; /* the distinct ones; then, if some row is NULL, one NULL */
} gemp_filter_codes;

/* No dictionary is made if a sample has few repeated values, unless `eager` (for conditions that cost more than looking
 * up a value), or if more than half of the rows have distinct values. */
gemp_code gemp_filter_codes_new(gemp_filter_codes *out, const gemp_column *column, bool eager);
void gemp_filter_codes_free(gemp_filter_codes *codes);

typedef struct gemp_filter_column {
	int id; /* a number of gemp_filter_reads */
	bool on_device;
	gemp_operand operand;
	bool sampled, tried;          /* a dictionary was considered by a sample; it was tried eagerly */
	gemp_filter_codes dictionary; /* no codes: there is no dictionary */
	bool dictionary_on_device;
	gemp_buffer codes;
	gemp_operand values; /* the distinct ones */
} gemp_filter_column;

typedef struct gemp_filter_columns {
	gemp_device *device;
	gemp_timers *timers;
	size_t count, capacity;
	gemp_filter_column *columns; /* [count] */
	gemp_buffer label_set;       /* mem NULL: not there yet */
	uint64_t copied;             /* values, so far */
} gemp_filter_columns;

/* Drops all columns. */
void gemp_filter_columns_reset(gemp_filter_columns *columns);
void gemp_filter_columns_free(gemp_filter_columns *columns);

/* *out is borrowed. */
gemp_code gemp_filter_need_column(gemp_filter_columns *columns, const gemp_filter_view *view, int id,
                                  gemp_operand *out);
/* A column of strings as a dictionary on the device; *out is valid until another column is needed, and NULL if there is
 * no dictionary. eager: see gemp_filter_codes_new. */
gemp_code gemp_filter_need_dictionary(gemp_filter_columns *columns, const gemp_filter_view *view, int id, bool eager,
                                      const gemp_filter_column **out);
gemp_code gemp_filter_need_label_set(gemp_filter_columns *columns, const gemp_filter_view *view);

typedef enum gemp_filter_kernel {
	GEMP_FILTER_FILL,
	GEMP_FILTER_AND,
	GEMP_FILTER_OR,
	GEMP_FILTER_NULL,
	GEMP_FILTER_LABEL,
	GEMP_FILTER_LOOKUP,
	GEMP_FILTER_KNOWN,
	GEMP_FILTER_CONTAINS,
	GEMP_FILTER_NUMBERS,
	GEMP_FILTER_STRINGS,
	GEMP_FILTER_SUBSTRING,
	GEMP_FILTER_IN_NUMBERS,
	GEMP_FILTER_IN_STRINGS,
	GEMP_FILTER_KERNELS
} gemp_filter_kernel;

/* The kernels, and the number of rows of the next launches. */
typedef struct gemp_filter_launcher {
	gemp_device *device;
	gemp_program program;
	cl_kernel kernels[GEMP_FILTER_KERNELS];
	cl_uint rows;
	size_t words; /* of a bitmap */
} gemp_filter_launcher;

/* Collective. Builds the kernels. The caller sets rows and words. */
gemp_code gemp_filter_launcher_new(gemp_filter_launcher *out, gemp_runtime *context);
void gemp_filter_launcher_free(gemp_filter_launcher *site);

/* Each function sets the bits of `out` where the leaf is known to be true or, if negated, known to be false. */
gemp_code gemp_filter_fill(const gemp_filter_launcher *site, bool value, const gemp_buffer *out);
gemp_code gemp_filter_compare(const gemp_filter_launcher *site, gemp_expr_kind kind, bool negated,
                              const gemp_operand *left, const gemp_operand *right, const gemp_buffer *out);
gemp_code gemp_filter_substring(const gemp_filter_launcher *site, gemp_expr_kind kind, bool negated,
                                const gemp_operand *left, const gemp_operand *right, const gemp_buffer *out);
gemp_code gemp_filter_null(const gemp_filter_launcher *site, bool wanted, const gemp_operand *left,
                           const gemp_operand *right, const gemp_buffer *out);
gemp_code gemp_filter_label(const gemp_filter_launcher *site, bool negated, const gemp_buffer *label_set,
                            const gemp_buffer *has, const gemp_buffer *out);
/* The literals in `list` are ascending, without equal ones, and of a type that is comparable to that of `left`. */
gemp_code gemp_filter_in(const gemp_filter_launcher *site, bool negated, const gemp_operand *left,
                         const gemp_operand *list, size_t count, const gemp_buffer *out);
/* Copies the bits of distinct values to rows: codes[rows] (u32) is the number of each row's value. */
gemp_code gemp_filter_lookup(const gemp_filter_launcher *site, const gemp_buffer *codes, const gemp_buffer *of_values,
                             const gemp_buffer *out);
/* out = out AND other, or out OR other. */
gemp_code gemp_filter_combine(const gemp_filter_launcher *site, bool or, const gemp_buffer *other,
                              const gemp_buffer *out);

#endif
