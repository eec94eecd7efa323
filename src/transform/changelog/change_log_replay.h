/* replay_log: a change log (transform/changelog/change_log.h) read and applied again. Reading is shared out by bytes of the file;
 * errors name file and line. */

#ifndef GEMP_TRANSFORM_CHANGELOG_CHANGE_LOG_REPLAY_H
#define GEMP_TRANSFORM_CHANGELOG_CHANGE_LOG_REPLAY_H

#include "graph/graph.h"
#include "partition/runtime.h"

/* Collective. Does the file begin as a change log does, and not as rules? One that cannot be read does not. */
gemp_code gemp_change_log_is(bool *out, const gemp_comm *comm, const char *path);

typedef struct gemp_change_log_replayed {
	uint64_t steps, lines;
} gemp_change_log_replayed;

/* Collective. *graph becomes what the log makes of it; after an error it is the old one. */
gemp_code gemp_change_log_replay(gemp_shard **graph, gemp_runtime *context, const char *path,
                                 gemp_change_log_replayed *out);

#endif
