/* replay_log: a change log (command/change_log.h) read and applied again. Reading is shared out by bytes of the file;
 * errors name file and line. */
#ifndef GEMP_COMMAND_REPLAY_LOG_H
#define GEMP_COMMAND_REPLAY_LOG_H

#include "graph/graph.h"
#include "partition/context.h"

/* Collective. Does the file begin as a change log does, and not as rules? One that cannot be read does not. */
gemp_code gemp_is_change_log(bool *out, const gemp_comm *comm, const char *path);

typedef struct gemp_replayed {
	uint64_t steps, lines;
} gemp_replayed;

/* Collective. *graph becomes what the log makes of it; after an error it is the old one. */
gemp_code gemp_replay_log(gemp_graph **graph, gemp_context *context, const char *path, gemp_replayed *out);

#endif
