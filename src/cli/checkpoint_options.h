/* checkpoint_options: --checkpoint, --resume and --max-time, and the other options as the question of a checkpoint. */

#ifndef GEMP_CLI_CHECKPOINT_OPTIONS_H
#define GEMP_CLI_CHECKPOINT_OPTIONS_H

#include "cli/options/options.h"
#include "gemp/types.h"

#include <jansson.h>

/* --resume and --max-time need --checkpoint. */
gemp_code gemp_checkpoint_options_check(const gemp_options *options);
gemp_checkpoint_settings gemp_checkpoint_options(const gemp_options *options);

/* Adds the texts of these options to `own`, which it returns; NULL: out of memory, and `own` is freed. */
json_t *gemp_checkpoint_options_add(json_t *own, const gemp_options *options, const char *const *names, size_t count);

#endif
