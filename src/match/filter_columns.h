/* filter_columns: what of the rows is on the device: values of columns, dictionaries in their place, label sets. Each is
 * brought there when it is first needed. */
#ifndef GEMP_MATCH_FILTER_COLUMNS_H
#define GEMP_MATCH_FILTER_COLUMNS_H

#include "match/filter_codes.h"
#include "match/filter_host.h"
#include "match/filter_operand.h"
#include "partition/context.h"

typedef struct gemp_filter_column {
	int id;                         /* as gemp_filter_reads gives it */
	bool on_device;
	gemp_operand operand;
	bool sampled, tried;            /* for a dictionary; tried: whatever the sample says */
	gemp_filter_codes dictionary;   /* no codes: there is none */
	bool dictionary_on_device;
	gemp_buffer codes;
	gemp_operand values;            /* the distinct ones */
} gemp_filter_column;

typedef struct gemp_filter_columns {
	gemp_device *device;
	gemp_timers *timers;
	size_t count, capacity;
	gemp_filter_column *columns;    /* [count] */
	gemp_buffer label_set;          /* mem NULL: not there yet */
	uint64_t copied;                /* values, so far */
} gemp_filter_columns;

/* Drops all of it. */
void gemp_filter_columns_forget(gemp_filter_columns *columns);
void gemp_filter_columns_free(gemp_filter_columns *columns);

/* *out is borrowed. */
gemp_code gemp_filter_need_column(gemp_filter_columns *columns, const gemp_filter_view *view, int id, gemp_operand *out);
/* A column of strings as a dictionary, on the device; valid until another column is needed. *out NULL: it stays as it is.
 * eager: as gemp_filter_codes_new takes it. */
gemp_code gemp_filter_need_dictionary(gemp_filter_columns *columns, const gemp_filter_view *view, int id, bool eager,
                                      const gemp_filter_column **out);
gemp_code gemp_filter_need_label_set(gemp_filter_columns *columns, const gemp_filter_view *view);

#endif
