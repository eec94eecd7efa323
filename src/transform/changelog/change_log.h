/* change_log: writes and replays the file of --changes.
 *
 * The file has a head, which names the graph by its hash, the lines of each step (record.h), and a foot with the
 * resulting hash, the number of lines and the attributes. A log without a foot is incomplete. docs/rules.md describes
 * the format. All ranks read chunks of the file for a replay. The replay checks both hashes, and leaves the graph
 * unchanged after any failure. */

#ifndef GEMP_TRANSFORM_CHANGELOG_CHANGE_LOG_H
#define GEMP_TRANSFORM_CHANGELOG_CHANGE_LOG_H

#include "graph/graph.h"
#include "io/file/output.h"
#include "partition/runtime.h"
#include "transform/changelog/record.h"

enum { GEMP_CHANGE_LOG_FORM = 1 };

typedef struct gemp_change_log {
	const gemp_comm *comm;
	gemp_output *output;    /* NULL: no log is wanted */
	gemp_recorder recorder; /* its member `self` points to this log, which must not be moved */
} gemp_change_log;

/* Collective. Opens a log. *log must be {0}, or have the lines and attributes of an earlier part of the log that this
 * part continues. The file gets its name when it is closed. */
gemp_code gemp_change_log_open(gemp_change_log *log, const gemp_comm *comm, const char *path);
/* Collective. Writes the head. `graph` is the graph before the first step. `rules` is the name of the rules' file. */
gemp_code gemp_change_log_head(gemp_change_log *log, const gemp_shard *graph, const char *rules, uint64_t seed);
/* Collective. Writes the foot. `graph` must be in the form in which it is written to a file. */
gemp_code gemp_change_log_foot(gemp_change_log *log, const gemp_shard *graph, uint64_t steps);
/* Collective. Does nothing for a log that is not open. */
gemp_code gemp_change_log_close(gemp_change_log *log);
/* Frees the log, and removes a file that was not closed. */
void gemp_change_log_abandon(gemp_change_log *log);

/* Collective. Returns whether the file begins with a brace. A change log does, and rules do not. Returns false for a
 * file that cannot be read. */
bool gemp_change_log_is(const gemp_comm *comm, const char *path);

typedef struct gemp_change_log_replayed {
	uint64_t steps, lines;
} gemp_change_log_replayed;

/* Collective. Applies the log. *graph becomes the new graph; after an error it remains the old graph. */
gemp_code gemp_change_log_replay(gemp_shard **graph, gemp_runtime *context, const char *path,
                                 gemp_change_log_replayed *out);

#endif
