/* report_run: the report of a command. It begins with the command and its options, is printed as text, and ends as JSON
 * (--json).
 *
 * With `--json -` stdout gets only the JSON object, and text for people goes to stderr. The same holds if rows go to
 * stdout.
 */

#ifndef GEMP_CLI_REPORT_REPORT_RUN_H
#define GEMP_CLI_REPORT_REPORT_RUN_H

#include "cli/options/options.h"
#include "gemp/graph.h"

/* True for a path of -, which is stdout; false for NULL. */
bool gemp_is_stdout(const char *path);

/* Collective. GEMP_EUSAGE if --output is missing, GEMP_EIO if its folder cannot be written to. */
gemp_code gemp_output_check(const gemp_context *context, const gemp_options *options);
/* Collective. Writes the graph to --output; its provenance is the command, and --weight selects the values of its
 * matrices. */
gemp_code gemp_write_output(gemp_graph *graph, const gemp_options *options, gemp_report *report);

/* Collective. Opens the report with version, command, ranks and the options as given. Fails if a file of the command
 * cannot be written or is also the file of another option or argument. */
gemp_code gemp_report_begin(gemp_report **out, gemp_context *context, const gemp_options *options);
/* Collective. Writes the files of --json and --trace if `code`, the result of the command, is GEMP_OK or GEMP_STOPPED
 * or the report is complete nevertheless, and closes the report. Returns `code`, or the failure of writing after a
 * command that went well. */
gemp_code gemp_report_end(gemp_report *report, const gemp_context *context, const gemp_options *options,
                          gemp_code code);

#endif
