/* filter_operand: values on the device as kernels/filter.cl reads them: a column, or literals. */
#ifndef GEMP_MATCH_FILTER_OPERAND_H
#define GEMP_MATCH_FILTER_OPERAND_H

#include "device/device.h"
#include "graph/column.h"

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
/* Literals of one type, none NULL; none at all is allowed. */
gemp_code gemp_operand_literals(gemp_operand *out, gemp_device *device, gemp_type type, const gemp_value *values,
                                size_t count);
void gemp_operand_free(gemp_operand *operand, gemp_device *device);

#endif
