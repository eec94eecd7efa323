/* unknown_name: what is said about a label, type or attribute that the graph does not have. */

#ifndef GEMP_PATTERN_BIND_UNKNOWN_NAME_H
#define GEMP_PATTERN_BIND_UNKNOWN_NAME_H

#include "pattern/model/source.h"

/* The kind of a name in a query. */
typedef enum gemp_name_kind {
	GEMP_NAME_LABEL,
	GEMP_NAME_TYPE,
	GEMP_NAME_ATTRIBUTE,
	GEMP_NAME_EDGE_ATTRIBUTE
} gemp_name_kind;

/* A place of a name in a text. */
typedef struct gemp_name_place {
	const gemp_source *source;
	int line, column;
} gemp_name_place;

/* GEMP_EUSAGE with a similar one of names[count], or with some of them. If `lenient`, the message is a warning. */
gemp_code gemp_unknown_name(const gemp_name_place *place, gemp_name_kind what, const char *name,
                            const char *const *names, size_t count, bool lenient);

#endif
