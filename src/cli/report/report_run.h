/* report_run: a command's report: it begins with what was asked for, goes to people as text, and ends as JSON (--json).
 *
 * With `--json -` the object is all that stdout gets, and text for people goes to stderr; so it does where rows go to stdout.
 */

#ifndef GEMP_CLI_REPORT_REPORT_RUN_H
#define GEMP_CLI_REPORT_REPORT_RUN_H

#include "cli/options/options.h"
#include "gemp/graph.h"

/* --json -: stdout is for JSON alone. */
bool gemp_json_on_stdout(const gemp_options *options);

/* Collective. --output is there and can be written to. */
gemp_code gemp_output_check(const gemp_context *context, const gemp_options *options);
/* Collective. Writes the graph to --output, with the command as its provenance and --weight. */
gemp_code gemp_write_output(gemp_graph *graph, const gemp_options *options, gemp_report *report);

/* Collective. Begins with version, command, ranks and the options as given; fails where a file to be written cannot be, or is
 * named twice. */
gemp_code gemp_report_begin(gemp_report **out, gemp_context *context, const gemp_options *options);
/* Collective. Writes the JSON and the trace that were asked for, and frees. code: how the command went; nothing is written unless
 * it is GEMP_OK or GEMP_STOPPED, or the report is complete all the same. Returns the worst of both. */
gemp_code gemp_report_end(gemp_report *report, const gemp_context *context, const gemp_options *options,
                          gemp_code code);

#endif
