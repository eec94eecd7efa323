/* query_options: options that several commands take, as settings of the library: those of a search (match, demo, bench) and those of
 * a checkpoint (match, transform).
 */

#ifndef GEMP_CLI_QUERY_OPTIONS_H
#define GEMP_CLI_QUERY_OPTIONS_H

#include "cli/options/options.h"

#include <gemp/query.h>

/* Fields that an option of the command does not set have the value of an option that is not given. */
gemp_query_settings gemp_query_options(const gemp_options *options);

/* --resume and --max-time need --checkpoint. */
gemp_code gemp_checkpoint_options_check(const gemp_options *options);
gemp_checkpoint_settings gemp_checkpoint_options(const gemp_options *options);

#endif
