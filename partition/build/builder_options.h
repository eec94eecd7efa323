/* builder_options: what callers of the builder choose, and the place of a vertex or edge in the input. */

#ifndef GEMP_PARTITION_BUILD_BUILDER_OPTIONS_H
#define GEMP_PARTITION_BUILD_BUILDER_OPTIONS_H

#include "core/log.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gemp_place {
	uint32_t file; /* index given by gemp_builder_file, below 2^24; 0: none */
	uint64_t line; /* from 1, below 2^40; or the record's number */
} gemp_place;

typedef struct gemp_builder_options {
	uint64_t seed;                 /* of the relabelling; 1 by default */
	bool undirected;               /* relations are undirected: each edge is stored once, as given */
	bool vertices_from_edges;      /* unknown ends become vertices instead of errors */
	bool merge_parallel;           /* --parallel merge: edges that join the same two vertices in one relation become one
	                              (for undirected relations in either direction): the first in the order of edges,
	                              that is by source id, target id and attributes */
	const char *default_label;     /* for vertices that come without; NULL: no label */
	const char *default_type;      /* relation of edges that come without; "E" if NULL */
	bool string_keys;              /* every key is a string, "7" too; else strings that are canonical integers are taken
	                              as integers, which order before strings */
	uint64_t vertex_limit;         /* 0: GEMP_MAX_VERTICES */
	struct gemp_step_times *steps; /* core/log.h: takes the time of each stage; NULL: nobody asks */
	size_t batch;                  /* bytes a rank sends in one round of an exchange; 0: 64 MiB */
} gemp_builder_options;

typedef struct gemp_builder gemp_builder;

#endif
