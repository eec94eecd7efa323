#ifndef GEMP_CLI_REPORT_REPORT_RUN_H
#define GEMP_CLI_REPORT_REPORT_RUN_H

#include "cli/report/report.h"

#include <jansson.h>
#include <stdio.h>

/* Collective. Begins with version, command, ranks and the options as given. rows_on_stdout: text for people goes to
 * stderr. */
gemp_code gemp_report_new(gemp_report *report, const gemp_comm *comm, const gemp_options *options, bool rows_on_stdout);
/* Collective. Writes the JSON, if it is asked for, and frees. code: how the command went; nothing is written unless it
 * is GEMP_OK or GEMP_STOPPED. Returns the worst of both. */
gemp_code gemp_report_finish(gemp_report *report, gemp_code code);

#endif
