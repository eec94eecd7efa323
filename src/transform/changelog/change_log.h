/* change_log: the file of --changes, written and replayed.
 *
 * A head names the graph by its hash, the lines of each step follow (record.h), and a foot states the resulting
 * hash, the number of lines and the attributes; a log without its foot is incomplete. docs/rules.md describes the
 * format. Replaying reads chunks of the file on all ranks, checks both hashes and leaves the graph unchanged on
 * any failure.
 */

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
	gemp_recorder recorder; /* its `self` is this log, which must not move */
} gemp_change_log;

/* Collective. log: {0}, or with the lines and attributes of the parts of a log that this one continues. The file gets
 * its name when it is closed. */
gemp_code gemp_change_log_open(gemp_change_log *log, const gemp_comm *comm, const char *path);
/* Collective. graph: before the first step; rules: the name of their file. */
gemp_code gemp_change_log_head(gemp_change_log *log, const gemp_shard *graph, const char *rules, uint64_t seed);
/* Collective. graph: as it was written to a file. */
gemp_code gemp_change_log_foot(gemp_change_log *log, const gemp_shard *graph, uint64_t steps);
/* Collective. Does nothing for a log that is not open. */
gemp_code gemp_change_log_close(gemp_change_log *log);
/* Frees the log, and removes a file that was not closed. */
void gemp_change_log_abandon(gemp_change_log *log);

/* Collective. Does the file begin with a brace, as a change log does and rules do not? False for a file that cannot be
 * read. */
bool gemp_change_log_is(const gemp_comm *comm, const char *path);

typedef struct gemp_change_log_replayed {
	uint64_t steps, lines;
} gemp_change_log_replayed;

/* Collective. Applies the log: *graph becomes the new graph; after an error it is the old one. */
gemp_code gemp_change_log_replay(gemp_shard **graph, gemp_runtime *context, const char *path,
                                 gemp_change_log_replayed *out);

#endif
