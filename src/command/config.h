/* config: run files for --config: `long-option = value` a line, # begins a comment at the start of a line or after a
 * blank. */
#ifndef GEMP_COMMAND_CONFIG_H
#define GEMP_COMMAND_CONFIG_H

#include "command/options.h"

/* Adds what `text` gives to options->given; errors name `path` and the line. Local. */
gemp_code gemp_config_parse(gemp_options *options, const char *path, const char *text);

#endif
