/* apart: what a command writes about itself, its report and its trace, replaces no other file that it is given. */
#ifndef GEMP_COMMAND_APART_H
#define GEMP_COMMAND_APART_H

#include "command/options.h"

/* Local. GEMP_EUSAGE if --json or --trace names an argument, a file of another option, or each the other. */
gemp_code gemp_files_apart(const gemp_options *options);

#endif
