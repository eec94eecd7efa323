/* config: options from the file of --config. */

#ifndef GEMP_CLI_OPTIONS_CONFIG_H
#define GEMP_CLI_OPTIONS_CONFIG_H

#include "cli/options/options.h"

/* Collective. Rank 0 reads the configuration of --config, if there is one. All ranks set the fields.
 *
 * A relative path of a file that a command reads begins at the folder of the configuration, so that a configuration
 * can be used from any folder, together with the files beside it. Paths of files that are written begin at the
 * working folder, as on the command line. */
gemp_code gemp_config_apply(gemp_options *options, const gemp_context *context);

#endif
