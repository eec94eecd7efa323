#ifndef GEMP_CLI_OPTIONS_COMMAND_LINE_H
#define GEMP_CLI_OPTIONS_COMMAND_LINE_H

#include "cli/options/command.h"

/* Collective. Finds the command that argv names, parses its options and runs it, or prints what --help and --version
 * ask for. All ranks return the same code, and the same message in gemp_message(). */
gemp_code gemp_command_line(gemp_comm *comm, const gemp_command_table *table, int argc, char **argv);

#endif
