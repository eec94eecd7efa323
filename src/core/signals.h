/* signals: SIGTERM, SIGINT, SIGUSR1 and SIGUSR2 as requests to stop, for work that can stop between two steps; and the
 * removal of unfinished files when a signal ends the process.
 *
 * mpirun forwards SIGUSR2 to all ranks, srun forwards all signals, and a scheduler that cancels a job sends SIGTERM.
 * The handlers access only static variables and call async-signal-safe functions. At most 4 temporary files are
 * registered at a time. */

#ifndef GEMP_CORE_SIGNALS_H
#define GEMP_CORE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* From now on SIGTERM, SIGINT, SIGUSR1 and SIGUSR2 are only recorded. If SIGINT was the last recorded signal, another
 * SIGINT ends the process. */
void gemp_signals_record(void);
/* From now on these four signals end the process by their default action, after the removal of the temporary files.
 * Before that, the handler writes `text`, a whole line, to stderr; NULL: no line. The text must stay valid. */
void gemp_signals_set_message(const char *text);

/* From now on the four signals end the process without a line of text. A signal that was recorded before is raised
 * again at once. */
void gemp_signals_restore(void);
/* Between suspend and resume, signals end the process. This is for parts of the work that lose nothing, such as waiting
 * for input from a pipe. suspend returns whether signals were recorded before; the caller passes this to resume, which
 * then records signals again. */
bool gemp_signals_suspend(void);
void gemp_signals_resume(bool recorded_before);

/* From now on the other signals that end a process, including faults, first remove the temporary files and then take
 * their previous action. Ignored signals stay ignored. */
void gemp_signals_catch_fatal(void);
/* Sets a function that is called after the removal of the temporary files. It must be async-signal-safe. */
void gemp_signals_on_fatal(void (*clean)(void));

/* Blocks signals for the calling thread and for the threads that it starts, except faults, which belong to the thread
 * that causes them: a blocked fault would end the process without its handler. *before becomes the mask before. */
void gemp_signals_block(sigset_t *before);

/* Registers an unfinished file, which a signal that ends the process removes first. Drop the file when it is complete
 * or gone. More than 4 files at a time are not recorded. */
void gemp_signals_add_temp(const char *path);
void gemp_signals_drop_temp(const char *path);

/* The last recorded signal, or 0; and the name of a signal ("SIGTERM"). */
int gemp_signals_pending(void);
const char *gemp_signals_name(int number);

#endif
