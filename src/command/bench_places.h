/* bench_places: from which size on the device, with all copies to it and back, is faster than the host's threads. */
#ifndef GEMP_COMMAND_BENCH_PLACES_H
#define GEMP_COMMAND_BENCH_PLACES_H

#include "command/report.h"

/* Measures the tunables NAME.host_below (device/tuning.h) on arrays and graphs of 2^10 to `most` items, prints and
 * reports them, and sets those of a GPU. On a CPU device, which has the same cores, they stay as they are. */
gemp_code gemp_bench_places(gemp_report *report, gemp_context *context, size_t most);

#endif
