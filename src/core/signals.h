/* signals: SIGTERM, SIGINT, SIGUSR1 and SIGUSR2 as a wish to stop, for work that can be stopped between two steps.
 * mpirun hands SIGUSR2 on to all ranks, srun all of them; a scheduler that cancels a job sends SIGTERM.
 */

#ifndef GEMP_CORE_SIGNALS_H
#define GEMP_CORE_SIGNALS_H

/* From now on these signals are only noted; a second SIGINT ends the process. */
void gemp_signals_record(void);
/* From now on they end the process as they would by themselves, after `text`, a whole line, has gone to stderr; NULL:
 * without a word. The text must live. */
void gemp_signals_set_message(const char *text);

/* From now on they do what they would do by themselves, and so does at once one that was noted before. */
void gemp_signals_restore(void);

/* From now on signals that end a process without its consent, faults among them, first remove what is doomed, and then do
 * what they did before. Those that are ignored stay so. */
void gemp_signals_catch_fatal(void);
/* What else is to be done then; nothing but what a handler may do. */
void gemp_signals_on_fatal(void (*clean)(void));

/* A file that is not whole yet: a signal that ends the process removes it first. Of a few at a time. Spare: it is whole,
 * or gone. */
void gemp_signals_add_temp(const char *path);
void gemp_signals_drop_temp(const char *path);

/* The last one noted, or 0; its name ("SIGTERM"). */
int gemp_signals_pending(void);
const char *gemp_signals_name(int number);

#endif
