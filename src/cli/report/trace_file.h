/* trace_file: --trace, the spans of all ranks (core/timer.h) as one file of Chrome trace events: a process a rank, a thread a
 * lane. */

#ifndef GEMP_CLI_REPORT_TRACE_FILE_H
#define GEMP_CLI_REPORT_TRACE_FILE_H

#include "api/report_state.h"

/* Local. Could it be written? path NULL: it is not wanted. */
gemp_code gemp_trace_file_may(const char *path);

/* Collective. Rank 0 gathers the spans of one rank after the other, in its own time, and writes them; the report says how much
 * of what went on between ranks and of output was done while devices worked. */
gemp_code gemp_trace_file_write(gemp_report *report, const char *path);

#endif
