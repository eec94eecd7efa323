/* stop: may work go on, or has a signal or --max-time ended it? Asked between two steps, by all ranks. */

#ifndef GEMP_CLI_CHECKPOINT_STORE_H
#define GEMP_CLI_CHECKPOINT_STORE_H

#include "cli/options/options.h"
#include "comm/comm.h"
#include "graph/graph.h"

#include <jansson.h>
#include <stdio.h>

typedef struct gemp_stop {
	int signal;     /* that some rank has noted; 0: none */
	bool timed_out; /* the time is */
	double seconds; /* that the slowest rank took since `since` */
} gemp_stop;

/* Collective. began: gemp_now() of when the job did; most_seconds: --max-time, 0: no end. */
gemp_stop gemp_stop_poll(const gemp_comm *comm, double began, double most_seconds, double since);
bool gemp_stop_wanted(const gemp_stop *stop);
/* By what. */
const char *gemp_stop_name(const gemp_stop *stop);

/* keeping: the folder of --checkpoint, where a job keeps what it has done for another job to go on from.
 *
 * checkpoint.json says what was asked, and what is done; it appears by renaming, after what it speaks of is on the disk:
 * whenever a job is killed, the folder is whole. A lock keeps two jobs from working there at the same time.
 */

typedef struct gemp_checkpoint_store {
	const gemp_comm *comm;
	const char *folder;  /* borrowed */
	int lock;            /* held by rank 0; -1: none */
	json_t *query;       /* what is asked now, of which graph */
	json_t *saved;       /* what an earlier job kept, NULL: none did */
} gemp_checkpoint_store; /* {0} has nothing to free */

/* Local. --resume and --max-time need --checkpoint. */
gemp_code gemp_checkpoint_store_check(const gemp_options *options);

/* Local. Version and hash of the graph, then `own` (taken over), then these options as they were given. */
gemp_code gemp_checkpoint_store_query(json_t **out, const gemp_options *options, const gemp_shard *graph, json_t *own,
                                      const char *const *names, size_t count);

/* Collective. --checkpoint and --resume: makes the folder, or reads what is in it. What is there without --resume, or is
 * of another question or graph, is GEMP_EUSAGE. question is taken over, whatever happens. */
gemp_code gemp_checkpoint_store_open(gemp_checkpoint_store *out, const gemp_comm *comm, const gemp_options *options,
                                     json_t *question);
void gemp_checkpoint_store_close(gemp_checkpoint_store *keeping);

/* Local. The path of a file in the folder; the caller frees (gemp_free). */
gemp_code gemp_checkpoint_store_path(char **out, const gemp_checkpoint_store *keeping, const char *name);
/* Local. Makes sure that a file, or the names in a folder, outlive the machine. */
gemp_code gemp_checkpoint_store_sync(const char *path);
/* Local, rank 0's part of saving: state (taken over) is in checkpoint.json, with the question. */
gemp_code gemp_checkpoint_store_write(const gemp_checkpoint_store *keeping, json_t *state);
/* Local. The bytes of the file at `path`, of which the first line may be left out, go to `out`. */
gemp_code gemp_checkpoint_store_copy(FILE *out, const char *out_path, const char *path, bool headless);
/* Local, rank 0's part. checkpoint.json first, as files without one are nobody's; then all files of the folder that begin
 * with `prefix`. The folder stays if others have put something there. */
gemp_code gemp_checkpoint_store_remove(const gemp_checkpoint_store *keeping, const char *prefix);

/* A count, as digits of a string. */
bool gemp_checkpoint_store_count(const json_t *object, const char *name, uint64_t *out);
json_t *gemp_checkpoint_store_digits(uint64_t count);
/* GEMP_EDATA: what is there was written by another version. */
gemp_code gemp_checkpoint_store_foreign(const gemp_checkpoint_store *keeping);

#endif
