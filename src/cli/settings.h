/* settings: options that several commands accept, as settings of the library. Enumerations of options have the order of
 * the library's enumerations, so a cast converts them.
 */

#ifndef GEMP_CLI_SETTINGS_H
#define GEMP_CLI_SETTINGS_H

#include "cli/options/options.h"

#include <gemp/analytics.h>
#include <gemp/query.h>

/* The edges that --relation, --direction and --weight select. */
gemp_edge_selection gemp_edge_options(const gemp_options *options);

/* Options of a search. Settings whose option the command does not have keep the value of an option that is not
 * given. */
gemp_query_settings gemp_query_options(const gemp_options *options);

/* GEMP_EUSAGE if --resume or --max-time is given without --checkpoint. */
gemp_code gemp_checkpoint_options_check(const gemp_options *options);
gemp_checkpoint_settings gemp_checkpoint_options(const gemp_options *options);

#endif
