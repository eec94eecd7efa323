/* arrays: what sort and distinct have in common: numbers of a file, a device if one is wanted, a report. */
#ifndef GEMP_COMMAND_ARRAYS_H
#define GEMP_COMMAND_ARRAYS_H

#include "command/report.h"
#include "io/numbers.h"
#include "primitive/arrays.h"

typedef struct gemp_array_run {
	gemp_comm *comm;
	const gemp_options *options;
	gemp_report *report;
	gemp_context *context; /* NULL: no device was opened */
	gemp_arrays arrays;
	gemp_numbers numbers;
	double seconds;        /* of sorting or finding, on this rank */
	uint64_t moved;        /* numbers of this rank that come in and go out */
} gemp_array_run;

/* Collective. Runs a command: the options are checked, the numbers read, a device opened if it may be used; then `work` is
 * called, and the report written, which has rates beside the device's copy bandwidth. */
typedef gemp_code gemp_array_work(gemp_array_run *run);
gemp_code gemp_array_command(gemp_comm *comm, const gemp_options *options, gemp_array_work *work);

/* Collective. Writes this rank's part to --output, if there is one. */
gemp_code gemp_array_write(gemp_array_run *run, const void *values, size_t count);

#endif
