#ifndef GEMP_CLI_OPTIONS_COMMAND_LINE_H
#define GEMP_CLI_OPTIONS_COMMAND_LINE_H

#include "cli/options/options.h"

/* Collective over MPI_COMM_WORLD. Finds the command that argv names, parses its options and runs it, or prints what --help and
 * --version ask for; rank 0 prints the message of a failure. All ranks return the same code. */
gemp_code gemp_command_line(const gemp_command_table *table, int argc, char **argv);

#endif
