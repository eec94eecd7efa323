/* checkpoint_store: the folder in which a job keeps its finished work and from which a later job goes on, and the test
 * whether a job has to stop.
 *
 * checkpoint.json holds the question (what is computed, of which graph) and the state (what is finished); other files
 * hold rows or graphs. The JSON gets its name only after the files that it names have reached the disk: whenever a job
 * is killed, the folder is consistent, and at most the work since the last save is lost. Rank 0 alone reads and writes
 * the folder; its lock, on the file `lock`, keeps two jobs from working there at the same time.
 */

#ifndef GEMP_API_CHECKPOINT_STORE_H
#define GEMP_API_CHECKPOINT_STORE_H

#include "comm/comm.h"
#include "gemp/types.h"
#include "graph/graph.h"

#include <jansson.h>

/* Says whether a job has to stop; the same on all ranks. */
typedef struct gemp_stop {
	int signal;     /* that a rank has received; 0: none */
	bool timed_out; /* max_seconds have passed */
	double seconds; /* since `since`, on the slowest rank */
} gemp_stop;

/* Collective, between two steps. began: gemp_now() at the start of the job; max_seconds 0: no limit. */
gemp_stop gemp_stop_poll(const gemp_comm *comm, double began, double max_seconds, double since);
bool gemp_stop_wanted(const gemp_stop *stop);
/* Returns the signal's name, or "max-time". */
const char *gemp_stop_name(const gemp_stop *stop);

typedef struct gemp_checkpoint_store {
	const gemp_comm *comm;
	const char *folder;  /* borrowed */
	int lock;            /* descriptor, of rank 0; -1: none */
	json_t *question;    /* owned */
	json_t *saved;       /* owned: checkpoint.json of an earlier job; NULL: there was none */
} gemp_checkpoint_store; /* {0} has nothing to free */

/* Local. The question: version, hash of the graph, then the texts of `own`, which is taken over. NULL: out of
 * memory. */
json_t *gemp_checkpoint_store_question(const gemp_shard *graph, json_t *own);

/* Collective. Makes the folder, or reads what an earlier job left there. Without settings->resume, or with another
 * question, a folder that has a checkpoint is GEMP_EUSAGE. question is taken over, also on failure; NULL fails with
 * GEMP_ENOMEM. */
gemp_code gemp_checkpoint_store_open(gemp_checkpoint_store *out, const gemp_comm *comm,
                                     const gemp_checkpoint_settings *settings, json_t *question);
void gemp_checkpoint_store_close(gemp_checkpoint_store *store);

/* Local. The path of a file in the folder; the caller frees (gemp_free). */
gemp_code gemp_checkpoint_store_path(char **out, const gemp_checkpoint_store *store, const char *name);
/* Local. Makes sure that a file of the folder (name NULL: the names in the folder) survives a crash of the machine. */
gemp_code gemp_checkpoint_store_sync(const gemp_checkpoint_store *store, const char *name);
/* Local, on rank 0. Writes checkpoint.json: the question and the state, which is taken over. */
gemp_code gemp_checkpoint_store_write(const gemp_checkpoint_store *store, json_t *state);
/* Collective. Joins the files names[count] of the folder in one file at `path`. headless: leaves out the first line of
 * each but the first one. */
gemp_code gemp_checkpoint_store_join(const gemp_checkpoint_store *store, const char *path, char *const *names,
                                     size_t count, bool headless);
/* Collective. Removes checkpoint.json first, since without it no job goes on from the other files; then all files whose
 * names begin with `prefix`, and the folder, unless it has other files. */
gemp_code gemp_checkpoint_store_remove(const gemp_checkpoint_store *store, const char *prefix);

/* Counts are strings of digits in the JSON, since not every reader of JSON has 64-bit integers. _count returns false if
 * there is none of that name. */
bool gemp_checkpoint_store_count(const json_t *object, const char *name, uint64_t *out);
json_t *gemp_checkpoint_store_digits(uint64_t count);
/* Counts that are uint64_t members of a struct at `base`. _get returns false if one of them is missing. */
typedef struct gemp_checkpoint_member {
	const char *name;
	size_t offset;
} gemp_checkpoint_member;
bool gemp_checkpoint_store_get(const json_t *object, const gemp_checkpoint_member *members, size_t count, void *base);
void gemp_checkpoint_store_set(json_t *object, const gemp_checkpoint_member *members, size_t count, const void *base);
/* GEMP_EDATA: another version wrote the folder. */
gemp_code gemp_checkpoint_store_foreign(const gemp_checkpoint_store *store);

#endif
