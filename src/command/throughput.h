/* throughput: how fast a graph was made, in which steps, and in how much memory. */
#ifndef GEMP_COMMAND_THROUGHPUT_H
#define GEMP_COMMAND_THROUGHPUT_H

#include "command/report.h"
#include "core/steps.h"

/* Collective. Sets and prints `steps` (seconds, of those that the ranks went through alike), and `throughput`: edges and
 * bytes of input a second since the report began, and the largest rank's peak of resident memory. bytes: 0 if there is no
 * input. */
void gemp_report_throughput(gemp_report *report, const gemp_steps *steps, uint64_t edges, uint64_t bytes);

#endif
