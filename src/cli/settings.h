/* settings: makes settings of the library from options that several commands accept. The choices of an option have the
 * order of an enumeration of the library, so a cast converts the index of a choice. */

#ifndef GEMP_CLI_SETTINGS_H
#define GEMP_CLI_SETTINGS_H

#include "cli/options/options.h"

#include <gemp/analytics.h>
#include <gemp/query.h>

/* Returns the edges that --relation, --direction and --weight select. */
gemp_edge_selection gemp_edge_options(const gemp_options *options);

/* Returns the settings of a search. An option that the command does not accept has the value of an option that is not
 * given. */
gemp_query_settings gemp_query_options(const gemp_options *options);

/* GEMP_EUSAGE if --resume or --max-time is given without --checkpoint. */
gemp_code gemp_checkpoint_options_check(const gemp_options *options);
gemp_checkpoint_settings gemp_checkpoint_options(const gemp_options *options);

#endif
