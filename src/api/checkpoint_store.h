/* checkpoint_store: the folder in which a job saves its finished work, so that a later job can resume, and the test
 * whether a job must stop.
 *
 * checkpoint.json holds the question (the computation and the graph) and the state (the finished work). Other files
 * hold rows or graphs. The new JSON file gets its name only after the files that it names are on the disk. The folder
 * is therefore consistent whenever a job is killed, and at most the work since the last save is lost. Only rank 0 reads
 * and writes checkpoint.json. Its lock on the file `lock` keeps a second job out of the folder. */

#ifndef GEMP_API_CHECKPOINT_STORE_H
#define GEMP_API_CHECKPOINT_STORE_H

#include "comm/comm.h"
#include "gemp/types.h"
#include "graph/graph.h"

#include <jansson.h>

/* Whether and why a job must stop. All ranks have the same values. */
typedef struct gemp_stop {
	int signal;     /* a signal that a rank has received; 0: none */
	bool timed_out; /* max_seconds have passed */
	double seconds; /* seconds since the time `since`, on the slowest rank */
} gemp_stop;

/* Collective. Called between two steps. `began` is the time of gemp_now() at the start of the job. If max_seconds is 0,
 * there is no time limit. */
gemp_stop gemp_stop_poll(const gemp_comm *comm, double began, double max_seconds, double since);
bool gemp_stop_wanted(const gemp_stop *stop);
/* Returns the signal's name, or "max-time". */
const char *gemp_stop_name(const gemp_stop *stop);

typedef struct gemp_checkpoint_store {
	const gemp_comm *comm;
	const char *folder;  /* borrowed */
	int lock;            /* descriptor of the lock, on rank 0; -1: none */
	json_t *question;    /* owned */
	json_t *saved;       /* owned: the checkpoint.json of an earlier job; NULL: there was none */
} gemp_checkpoint_store; /* {0} has nothing to free */

/* Local. Makes the question of the version, the hash of the graph and the members of `own`, which is taken over.
 * Returns NULL if there is no memory. */
json_t *gemp_checkpoint_store_question(const gemp_shard *graph, json_t *own);

/* Collective. Makes the folder, or reads the checkpoint of an earlier job. If the folder has a checkpoint, GEMP_EUSAGE
 * if settings->resume is false or the question differs. `question` is taken over, also after a failure; a NULL question
 * fails with GEMP_ENOMEM. */
gemp_code gemp_checkpoint_store_open(gemp_checkpoint_store *out, const gemp_comm *comm,
                                     const gemp_checkpoint_settings *settings, json_t *question);
void gemp_checkpoint_store_close(gemp_checkpoint_store *store);

/* Local. *out becomes the path of a file in the folder. The caller frees *out (gemp_free). */
gemp_code gemp_checkpoint_store_path(char **out, const gemp_checkpoint_store *store, const char *name);
/* Local. Ensures that a file of the folder survives a crash of the machine. If `name` is NULL, the function syncs the
 * folder, and so the names of its files. */
gemp_code gemp_checkpoint_store_sync(const gemp_checkpoint_store *store, const char *name);
/* Local, on rank 0. Writes checkpoint.json with the question and the state. Takes over `state`. */
gemp_code gemp_checkpoint_store_write(const gemp_checkpoint_store *store, json_t *state);
/* Collective. Joins the files names[count] of the folder to one file at `path`. `headless` omits the first line of
 * every file except the first. */
gemp_code gemp_checkpoint_store_join(const gemp_checkpoint_store *store, const char *path, char *const *names,
                                     size_t count, bool headless);
/* Collective. Removes the checkpoint: first checkpoint.json, since no job resumes from the other files without it; then
 * temporary files, the lock and all files whose names begin with `prefix`; then the folder if it is empty. */
gemp_code gemp_checkpoint_store_remove(const gemp_checkpoint_store *store, const char *prefix);

/* Local. Reads a count. The JSON holds counts as strings of digits, since not every reader of JSON has 64-bit integers.
 * Returns false if the object has no such count. */
bool gemp_checkpoint_store_count(const json_t *object, const char *name, uint64_t *out);
json_t *gemp_checkpoint_store_digits(uint64_t count);
/* The counts are uint64_t members of a struct at `base`. gemp_checkpoint_store_get returns false if one of them is
 * missing. */
typedef struct gemp_checkpoint_member {
	const char *name;
	size_t offset;
} gemp_checkpoint_member;
bool gemp_checkpoint_store_get(const json_t *object, const gemp_checkpoint_member *members, size_t count, void *base);
void gemp_checkpoint_store_set(json_t *object, const gemp_checkpoint_member *members, size_t count, const void *base);
/* Local. Returns GEMP_EDATA with the message that another version wrote the folder. */
gemp_code gemp_checkpoint_store_foreign(const gemp_checkpoint_store *store);

#endif
