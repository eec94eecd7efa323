/* filter_device: the device's part of the filter: copies of the columns that conditions read, and one launch of
 * kernels/match/filter.cl for each leaf of a condition.
 *
 * A column is copied when it is first needed, and kept until the rows change. A column of strings with repeated values
 * is copied as a dictionary: the distinct values, and for each row the number of its value. A bitmap has one bit for
 * each row. The bit is 1 if a leaf is known to be true, so NULL needs no third value. All functions are local, except
 * that building the kernels is collective. */

#ifndef GEMP_MATCH_FILTER_FILTER_DEVICE_H
#define GEMP_MATCH_FILTER_FILTER_DEVICE_H

#include "match/filter/filter_codes.h"
#include "match/filter/filter_host.h"
#include "partition/runtime.h"

/* An operand: values on the device in the form that kernels/match/filter.cl reads. The values are a column or
 * literals. */
typedef struct gemp_operand {
	gemp_type type;
	/* i64, f64, u8, or the bytes of strings; on a GPU some bytes past the end of strings are readable */
	gemp_buffer values;
	gemp_buffer offsets; /* strings: u64 [rows + 1] */
	uint64_t bytes;      /* strings: offsets[rows], the size of all of them */
	gemp_buffer null;    /* u8 [rows], or [1] if no row is NULL */
	cl_uint step;        /* distance of neighbouring rows in values and offsets: 1 for a column, 0 for a literal */
	cl_uint null_step;   /* distance of neighbouring rows in `null`: 0 if no row is NULL */
} gemp_operand;

/* Makes an operand of a column. `lasting` promises that the column outlives the operand, so a CPU device may use the
 * column's memory. */
gemp_code gemp_operand_column(gemp_operand *out, gemp_device *device, const gemp_column *column, bool lasting);
/* Makes an operand of literals of one type. No literal is NULL; count may be 0. */
gemp_code gemp_operand_literals(gemp_operand *out, gemp_device *device, gemp_type type, const gemp_value *values,
                                size_t count);
void gemp_operand_release(gemp_operand *operand); /* Accepts an operand that is all zero. */

typedef struct gemp_filter_column {
	int id; /* the column's number, as gemp_filter_reads returns it */
	bool on_device;
	gemp_operand operand;
	/* sampled: a dictionary was tried, with or without a sample; tried: it was tried without a sample */
	bool sampled, tried;
	gemp_filter_codes dictionary; /* codes is NULL if there is no dictionary */
	bool dictionary_on_device;
	gemp_buffer codes;
	gemp_operand values; /* the dictionary's distinct values */
} gemp_filter_column;

typedef struct gemp_filter_columns {
	gemp_device *device;
	gemp_timers *timers;
	size_t count, capacity;
	gemp_filter_column *columns; /* [count] */
	gemp_buffer label_set;       /* mem is NULL until label sets are copied */
	uint64_t copied;             /* number of values copied to the device so far */
	size_t peak;                 /* maximum of the bytes that the columns of elements of matches had on the device */
} gemp_filter_columns;

/* Drops all columns. */
void gemp_filter_columns_reset(gemp_filter_columns *columns);
void gemp_filter_columns_free(gemp_filter_columns *columns);
void gemp_filter_columns_measure(gemp_filter_columns *columns); /* updates `peak` */

/* Copies the column to the device unless it is there. *out is borrowed. */
gemp_code gemp_filter_need_column(gemp_filter_columns *columns, const gemp_filter_view *view, int id,
                                  gemp_operand *out);
/* Makes a column of strings a dictionary on the device. *out is NULL if there is no dictionary; otherwise it is valid
 * until another column is needed. gemp_filter_codes_new explains `eager`. */
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
	size_t words; /* number of words of a bitmap */
} gemp_filter_launcher;

/* Collective. Builds the kernels. The caller sets rows and words. */
gemp_code gemp_filter_launcher_new(gemp_filter_launcher *out, gemp_runtime *context);
void gemp_filter_launcher_free(gemp_filter_launcher *site);

/* Each of these functions sets the bits of `out` where the leaf is known to be true or, if negated, known to be
 * false. */
gemp_code gemp_filter_fill(const gemp_filter_launcher *site, bool value, const gemp_buffer *out);
gemp_code gemp_filter_compare(const gemp_filter_launcher *site, gemp_expr_kind kind, bool negated,
                              const gemp_operand *left, const gemp_operand *right, const gemp_buffer *out);
gemp_code gemp_filter_substring(const gemp_filter_launcher *site, gemp_expr_kind kind, bool negated,
                                const gemp_operand *left, const gemp_operand *right, const gemp_buffer *out);
gemp_code gemp_filter_null(const gemp_filter_launcher *site, bool wanted, const gemp_operand *left,
                           const gemp_operand *right, const gemp_buffer *out);
gemp_code gemp_filter_label(const gemp_filter_launcher *site, bool negated, const gemp_buffer *label_set,
                            const gemp_buffer *has, const gemp_buffer *out);
/* The literals in `list` are distinct and ascending. Their type is comparable to the type of `left`. */
gemp_code gemp_filter_in(const gemp_filter_launcher *site, bool negated, const gemp_operand *left,
                         const gemp_operand *list, size_t count, const gemp_buffer *out);
/* Copies the bits of distinct values to the rows that have these values: codes[rows] (u32) has the number of each row's
 * value. */
gemp_code gemp_filter_lookup(const gemp_filter_launcher *site, const gemp_buffer *codes, const gemp_buffer *of_values,
                             const gemp_buffer *out);
/* out = out AND other, or out OR other. */
gemp_code gemp_filter_combine(const gemp_filter_launcher *site, bool or, const gemp_buffer *other,
                              const gemp_buffer *out);

#endif
