/* work_rate: how fast something was, beside a copy in the same memory. */

#ifndef GEMP_API_RATES_H
#define GEMP_API_RATES_H

#include "api/report_state.h"
#include "core/log.h"

/* Collective. Says where it was done (device NULL: by the threads of the host), in how many seconds, how many bytes a second
 * that is, and, unless they are few, what share of the bandwidth of a copy there. bytes: read and written by this rank, each
 * once; the seconds of the slowest rank count. transfers: seconds of copies to the device and back. Sets `rate`. */
gemp_code gemp_report_rate(gemp_report *report, gemp_device *device, double seconds, double transfers, uint64_t bytes);

/* throughput: how fast a graph was made, in which steps, and in how much memory. */

/* Collective. Sets and prints `steps` (seconds, of those that the ranks went through alike), and `throughput`: edges and
 * bytes of input a second since the report began, and the largest rank's peak of resident memory. bytes: 0 if there is no
 * input. */
void gemp_report_throughput(gemp_report *report, const gemp_step_times *steps, uint64_t edges, uint64_t bytes);

#endif
