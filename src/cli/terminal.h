/* terminal: prints the library's messages and progress on stderr. */

#ifndef GEMP_CLI_TERMINAL_H
#define GEMP_CLI_TERMINAL_H

#include <gemp/log.h>

gemp_log_callback gemp_terminal_log;
/* Prints the finished share and the remaining time, after the first 2 s of a task. Prints at most once a second on a
 * terminal, and once in 30 s elsewhere. */
gemp_progress_callback gemp_terminal_progress;

#endif
