/* work_rate: how fast something was, beside a copy in the same memory. */
#ifndef GEMP_COMMAND_WORK_RATE_H
#define GEMP_COMMAND_WORK_RATE_H

#include "command/report.h"

/* Collective. Says where it was done (device NULL: by the threads of the host), in how many seconds, how many bytes a second
 * that is, and, unless they are few, what share of the bandwidth of a copy there. bytes: read and written by this rank, each
 * once; the seconds of the slowest rank count. transfers: seconds of copies to the device and back. Sets `rate`. */
gemp_code gemp_report_rate(gemp_report *report, gemp_device *device, double seconds, double transfers, uint64_t bytes);

#endif
