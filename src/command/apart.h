/* apart: what a command writes, its results, its report and its trace, replaces no other file that it is given. */
#ifndef GEMP_COMMAND_APART_H
#define GEMP_COMMAND_APART_H

#include "command/options.h"

/* Local. GEMP_EUSAGE if a file to be written is an argument, the file of another option, or to be written twice. */
gemp_code gemp_files_apart(const gemp_options *options);

#endif
