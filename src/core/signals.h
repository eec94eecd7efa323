/* signals: SIGTERM, SIGINT, SIGUSR1 and SIGUSR2 as a request to stop, for work that can stop between two steps; and the
 * removal of unfinished files when a signal ends the process.
 *
 * mpirun hands SIGUSR2 on to all ranks, srun hands on all signals; a scheduler that cancels a job sends SIGTERM. The
 * handlers only read static arrays and call async-signal-safe functions. At most 4 temporary files are known at a time.
 */

#ifndef GEMP_CORE_SIGNALS_H
#define GEMP_CORE_SIGNALS_H

#include <stdbool.h>

/* From now on these signals are only recorded; a second SIGINT ends the process. */
void gemp_signals_record(void);
/* From now on they end the process as by default, after `text`, a whole line, was written to stderr; NULL: no line. The
 * text must stay valid. */
void gemp_signals_set_message(const char *text);

/* Restores the default actions; a signal that was recorded before is raised again at once. */
void gemp_signals_restore(void);
/* A part of the work that has nothing to keep, as reading input from a pipe that nobody writes to: signals end the
 * process in it, and are recorded again afterwards if they were before, which is what suspend returns. */
bool gemp_signals_suspend(void);
void gemp_signals_resume(bool recorded_before);

/* From now on the other signals that end a process, faults among them, first remove the temporary files and then do
 * what they did before. Ignored signals stay ignored. */
void gemp_signals_catch_fatal(void);
/* Sets a further function for that moment; it must be async-signal-safe. */
void gemp_signals_on_fatal(void (*clean)(void));

/* Adds a file that is not whole yet: a signal that ends the process removes it first. Drop it once it is whole or
 * gone. More than 4 files at a time are not recorded. */
void gemp_signals_add_temp(const char *path);
void gemp_signals_drop_temp(const char *path);

/* The last recorded signal, or 0; its name ("SIGTERM"). */
int gemp_signals_pending(void);
const char *gemp_signals_name(int number);

#endif
