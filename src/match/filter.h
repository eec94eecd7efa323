/* filter: conditions on one vertex, evaluated on the device to a bitmap. Literals travel in buffers; kernels are
 * kernels/filter.cl, one launch a leaf, bitmaps combined by and/or.
 *
 * A part of a condition that reads one column of strings, in which values are repeated, is evaluated for the distinct
 * values, and rows look up a bit. What no kernel knows (regular expressions, functions, arithmetic) is evaluated on the
 * host, in the same way, and only for those rows that the conditions with kernels leave open. */
#ifndef GEMP_MATCH_FILTER_H
#define GEMP_MATCH_FILTER_H

#include "graph/graph.h"
#include "partition/context.h"
#include "pattern/pattern.h"

typedef struct gemp_filter gemp_filter; /* kernels; columns already on the device, each copied once */

/* Collective. */
gemp_code gemp_filter_new(gemp_filter **out, gemp_context *context);
void gemp_filter_free(gemp_filter *filter);

/* Do degrees in conditions count loops (match/degrees.h)? Not until this is said. Conditions that are tested elsewhere follow
 * it too. */
void gemp_filter_count_loops(gemp_filter *filter, bool count_loops);
bool gemp_filter_counts_loops(const gemp_filter *filter); /* NULL: no */

/* Values to test over, indexed alike: column c of the graph is columns[c] (loaded where the condition uses it; `rows` rows),
 * label_set [rows]. tag keeps columns on the device between calls: same tag, same values; another tag drops those of the
 * one before. */
typedef struct gemp_filter_rows {
	uint64_t tag;
	size_t rows;
	const gemp_column *const *columns; /* [graph->attributes.count], NULL where not needed */
	const gemp_column *key;            /* for id(v); NULL if not needed */
	const uint32_t *label_set;         /* NULL if not needed */
	size_t label_set_count;
	/* What of row r is in no column: labels(v), a degree; NULL: no condition asks. Strings hold until the next call. */
	gemp_value (*value)(void *context, const gemp_expr *expr, size_t row);
	void *value_context;
	const uint32_t *among;             /* bits of rows to look at; NULL: all */
	bool lasting;                      /* the columns outlive the filter: a CPU device need not copy them */
} gemp_filter_rows;

/* Bits of rows (among those to look at) for which all of conditions[0..count) are true; each uses one vertex variable and
 * no edge. bitmap is [(rows + 31) / 32] u32 on the host. Local. */
gemp_code gemp_filter_evaluate(gemp_filter *filter, const gemp_filter_rows *rows, const gemp_condition *const *conditions,
                               size_t count, uint32_t *bitmap);
/* Attribute values copied to the device so far: of a column of repeated strings, its codes and its distinct values. */
uint64_t gemp_filter_copied(const gemp_filter *filter);

#endif
