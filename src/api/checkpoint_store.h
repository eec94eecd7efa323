/* checkpoint_store: the folder in which a job keeps what it has finished, for a later job to go on from; and when a job stops.
 *
 * checkpoint.json holds the question (what was asked of which graph) and the state (what is finished), other files hold rows or
 * graphs. The json appears by renaming, after the files that it names have reached the disk: whenever a job is killed, the folder
 * is consistent, and at most the work since the last save is lost. Rank 0 alone reads and writes the folder; its lock, on the
 * file `lock`, keeps two jobs from working there at the same time.
 */

#ifndef GEMP_API_CHECKPOINT_STORE_H
#define GEMP_API_CHECKPOINT_STORE_H

#include "comm/comm.h"
#include "gemp/types.h"
#include "graph/graph.h"

#include <jansson.h>
#include <stdio.h>

/* Whether a job has to stop, the same on all ranks. */
typedef struct gemp_stop {
	int signal;     /* that some rank has received; 0: none */
	bool timed_out; /* max_seconds are over */
	double seconds; /* since `since`, of the slowest rank */
} gemp_stop;

/* Collective, between two steps. began: gemp_now() at the start of the job; max_seconds 0: no limit. */
gemp_stop gemp_stop_poll(const gemp_comm *comm, double began, double max_seconds, double since);
bool gemp_stop_wanted(const gemp_stop *stop);
/* The signal's name, or "max-time". */
const char *gemp_stop_name(const gemp_stop *stop);

typedef struct gemp_checkpoint_store {
	const gemp_comm *comm;
	const char *folder;  /* borrowed */
	int lock;            /* descriptor, of rank 0; -1: none */
	json_t *question;    /* owned */
	json_t *saved;       /* owned: checkpoint.json of an earlier job; NULL: there was none */
} gemp_checkpoint_store; /* {0} has nothing to free */

/* Local. The question: version, hash of the graph, then the texts of `own`, which is taken over. NULL: out of memory. */
json_t *gemp_checkpoint_store_question(const gemp_shard *graph, json_t *own);

/* Collective. Makes the folder, or reads what an earlier job left there. Without settings->resume, or with another question, a
 * folder that has a checkpoint is GEMP_EUSAGE. question is taken over, also on failure; NULL fails with GEMP_ENOMEM. */
gemp_code gemp_checkpoint_store_open(gemp_checkpoint_store *out, const gemp_comm *comm,
                                     const gemp_checkpoint_settings *settings, json_t *question);
void gemp_checkpoint_store_close(gemp_checkpoint_store *store);

/* Local. The path of a file in the folder; the caller frees (gemp_free). */
gemp_code gemp_checkpoint_store_path(char **out, const gemp_checkpoint_store *store, const char *name);
/* Local. Makes sure that a file, or the names in a folder, survive a crash of the machine. */
gemp_code gemp_checkpoint_store_sync(const char *path);
/* Local, on rank 0. Writes checkpoint.json: the question and the state, which is taken over. */
gemp_code gemp_checkpoint_store_write(const gemp_checkpoint_store *store, json_t *state);
/* Local. Appends the file at `path` to `out`; headless: without its first line. */
gemp_code gemp_checkpoint_store_copy(FILE *out, const char *out_path, const char *path, bool headless);
/* Local, on rank 0. Removes checkpoint.json first, since no job goes on from other files without it; then all files that begin
 * with `prefix`, and the folder unless it has files of others. */
gemp_code gemp_checkpoint_store_remove(const gemp_checkpoint_store *store, const char *prefix);

/* Counts are strings of digits in the json, which has no 64-bit integers everywhere. _count: false if there is none. */
bool gemp_checkpoint_store_count(const json_t *object, const char *name, uint64_t *out);
json_t *gemp_checkpoint_store_digits(uint64_t count);
/* GEMP_EDATA: another version wrote the folder. */
gemp_code gemp_checkpoint_store_foreign(const gemp_checkpoint_store *store);

#endif
