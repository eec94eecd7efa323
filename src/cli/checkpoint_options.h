/* checkpoint_options: --checkpoint, --resume and --max-time of the commands that keep what is finished. */

#ifndef GEMP_CLI_CHECKPOINT_OPTIONS_H
#define GEMP_CLI_CHECKPOINT_OPTIONS_H

#include "cli/options/options.h"
#include "gemp/types.h"

/* --resume and --max-time need --checkpoint. */
gemp_code gemp_checkpoint_options_check(const gemp_options *options);
gemp_checkpoint_settings gemp_checkpoint_options(const gemp_options *options);

#endif
