/* euler_sequence: euler --sequence, which spells words along the circuit. */

#ifndef GEMP_CLI_EULER_EULER_SEQUENCE_H
#define GEMP_CLI_EULER_EULER_SEQUENCE_H

#include "api/report_state.h"
#include "cli/options/options.h"
#include "euler/euler.h"

/* Local. Do the arguments and options go together, those without --sequence, too? */
gemp_code gemp_euler_sequence_check(const gemp_options *options);
/* Does the sequence go to stdout? */
bool gemp_euler_sequence_on_stdout(const gemp_options *options);

/* Collective. The graph whose edges are all words of --length letters of --alphabet. */
gemp_code gemp_euler_sequence_graph(gemp_shard **out, const gemp_comm *comm, const gemp_options *options);

/* Collective. Writes the letters and a newline; says how many. The order has its sources, keys are loaded. */
gemp_code gemp_euler_sequence_write(gemp_report *report, const gemp_options *options, const gemp_shard *graph,
                                    const gemp_euler_edges *edges, const gemp_euler_order *order);

#endif
