/* terminal: what the command line makes of the library's messages and progress: lines on stderr, and on a terminal one line that
 * is written over with share done and time left.
 */

#ifndef GEMP_CLI_TERMINAL_H
#define GEMP_CLI_TERMINAL_H

#include <gemp/log.h>

gemp_log_callback gemp_terminal_log;
/* A line at most once a second on a terminal and once in 30 s elsewhere, after the first 2 s of a task. */
gemp_progress_callback gemp_terminal_progress;

#endif
