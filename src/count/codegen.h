/* codegen: writes the OpenCL C of the kernels of a count plan, and of the kernels that all plans share.
 *
 * A kernel is a fixed text (kernels/count/count_*.cl) behind macros that this module prints: COUNT_KERNEL its name,
 * COUNT_SYMBOLS declarations of the symbols that the expression uses, COUNT_VALUE the expression. Symbols that an
 * expression does not mention are not declared, so that the compiler loads nothing for them. Bounds on the values
 * decide at this point whether a kernel must watch for overflow of 64 bits.
 */

#ifndef GEMP_COUNT_CODEGEN_H
#define GEMP_COUNT_CODEGEN_H

#include "core/text.h"
#include "count/plan.h"

/* The longest low row of which cliques are counted: its pairs are numbered in 32 bits. */
enum { GEMP_MAX_LOW_ROW = 65535 };

/* Words of 32 bits of a row in the kernels count_narrow_I. */
enum { GEMP_NARROW_WORDS = 3 };

typedef struct gemp_count_codegen {
	bool wide; /* positions in rows are ulong */
	bool gpu;
	unsigned lanes;       /* of a row */
	double max_row;       /* no row is longer */
	double max_low_row;   /* no low row is longer */
	bool large_low;       /* bits of some low row may not fit into local memory */
	const double *tables; /* [table_count] bounds of vertex tables */
	bool checked;         /* filled: some kernel looks at magnitudes */
} gemp_count_codegen;

/* An upper bound on the magnitude of table k's values; the bounds of tables before k must be in source->tables. */
gemp_code gemp_count_table_bound(const gemp_count_plan *plan, size_t k, const gemp_count_codegen *source,
                                 double *bound);

/* Kernels of count_rows.cl and count_support.cl, of which no plan is part: they are built once for all patterns. */
gemp_code gemp_count_emit_rows(gemp_text *text, const gemp_count_codegen *source);

/* Kernels count_table_K for each table from 1 on (and on a GPU count_rows_K, where a group has a row), count_sum_I for each
 * sum that has a kernel, and beside it for cliques on a GPU count_narrow_I, where no low row is longer than the bits of
 * GEMP_NARROW_WORDS, and count_large_I if large_low. The text stays empty if there are none. */
gemp_code gemp_count_emit(gemp_text *text, const gemp_count_plan *plan, gemp_count_codegen *source);

#endif
