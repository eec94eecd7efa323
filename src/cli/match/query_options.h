/* query_options: the options of a search as settings of gemp/query.h, for match, demo and bench. */

#ifndef GEMP_CLI_MATCH_QUERY_OPTIONS_H
#define GEMP_CLI_MATCH_QUERY_OPTIONS_H

#include "cli/options/options.h"
#include "gemp/query.h"

gemp_query_settings gemp_query_options(const gemp_options *options);

#endif
