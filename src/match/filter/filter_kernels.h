/* filter_kernels: one launch of kernels/match/filter.cl for one leaf of a condition. A bitmap has a bit for each row; a
 * bit is 1 where the leaf is known to be true, so that NULL needs no third value.
 */

#ifndef GEMP_MATCH_FILTER_FILTER_KERNELS_H
#define GEMP_MATCH_FILTER_FILTER_KERNELS_H

#include "match/filter/filter_columns.h"
#include "partition/runtime.h"

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

/* Where a leaf is evaluated: `rows` rows, one bit each. */
typedef struct gemp_filter_launcher {
	gemp_device *device;
	gemp_program program;
	cl_kernel kernels[GEMP_FILTER_KERNELS];
	cl_uint rows;
	size_t words; /* of a bitmap */
} gemp_filter_launcher;

/* Collective. Builds the kernels; rows and words are to be set. */
gemp_code gemp_filter_launcher_new(gemp_filter_launcher *out, gemp_runtime *context);
void gemp_filter_launcher_free(gemp_filter_launcher *site);

/* Bits of `out` become 1 where the leaf is known to be true; or, if negated, known to be false. */
gemp_code gemp_filter_fill(const gemp_filter_launcher *site, bool value, const gemp_buffer *out);
gemp_code gemp_filter_compare(const gemp_filter_launcher *site, gemp_expr_kind kind, bool negated,
                              const gemp_operand *left, const gemp_operand *right, const gemp_buffer *out);
gemp_code gemp_filter_substring(const gemp_filter_launcher *site, gemp_expr_kind kind, bool negated,
                                const gemp_operand *left, const gemp_operand *right, const gemp_buffer *out);
gemp_code gemp_filter_null(const gemp_filter_launcher *site, bool wanted, const gemp_operand *left,
                           const gemp_operand *right, const gemp_buffer *out);
gemp_code gemp_filter_label(const gemp_filter_launcher *site, bool negated, const gemp_buffer *label_set,
                            const gemp_buffer *has, const gemp_buffer *out);
/* list: literals of a type that compares with left's, ascending, no two equal. */
gemp_code gemp_filter_in(const gemp_filter_launcher *site, bool negated, const gemp_operand *left,
                         const gemp_operand *list, size_t count, const gemp_buffer *out);
/* The bits of distinct values for rows: codes, u32 [rows], is the value of each. */
gemp_code gemp_filter_lookup(const gemp_filter_launcher *site, const gemp_buffer *codes, const gemp_buffer *of_values,
                             const gemp_buffer *out);
/* out = out AND other, or out OR other. */
gemp_code gemp_filter_combine(const gemp_filter_launcher *site, bool or, const gemp_buffer *other,
                              const gemp_buffer *out);

#endif
