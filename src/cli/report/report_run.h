/* report_run: the report of a command. Its first fields are the command and the options. Its text is printed during the
 * run, and its JSON is written at the end (--json).
 *
 * With `--json -` stdout gets only the JSON object, and text for people goes to stderr. If rows go to stdout, the text
 * goes to stderr, too. */

#ifndef GEMP_CLI_REPORT_REPORT_RUN_H
#define GEMP_CLI_REPORT_REPORT_RUN_H

#include "cli/options/options.h"
#include "gemp/graph.h"

/* Returns true if the path is -, which is stdout. Returns false for NULL. */
bool gemp_is_stdout(const char *path);

/* Collective. GEMP_EUSAGE if --output is missing. GEMP_EIO if its folder cannot be written to. */
gemp_code gemp_output_check(const gemp_context *context, const gemp_options *options);
/* Collective. Writes the graph to --output, with the command as its provenance. --weight selects the values of its
 * matrices. */
gemp_code gemp_write_output(gemp_graph *graph, const gemp_options *options, gemp_report *report);

/* Collective. Opens the report with version, command, ranks and the given options. Fails if a file cannot be written,
 * or if two options or arguments name the same file. */
gemp_code gemp_report_begin(gemp_report **out, gemp_context *context, const gemp_options *options);
/* Collective. `code` is the result of the command. Writes the files of --json and --trace if the code is GEMP_OK or
 * GEMP_STOPPED, or if the report is complete nevertheless. Closes the report. Returns `code`, or the code of a failure
 * to write after a successful command. */
gemp_code gemp_report_end(gemp_report *report, const gemp_context *context, const gemp_options *options,
                          gemp_code code);

#endif
