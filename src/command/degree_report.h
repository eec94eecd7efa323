/* degree_report: degrees by direction, for people and as JSON. */
#ifndef GEMP_COMMAND_DEGREE_REPORT_H
#define GEMP_COMMAND_DEGREE_REPORT_H

#include "command/degrees.h"
#include "command/report.h"

/* "4 to 7": the degrees of a class. */
void gemp_degrees_range(char *out, size_t size, int class);
/* Prints what there is to be told of edges with a direction, and gives it as JSON. */
json_t *gemp_degrees_report(gemp_report *report, const gemp_degrees *degrees);

#endif
