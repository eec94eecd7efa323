/* xmi_parser: reads the file of an EMF model as a series of objects and references. */

#ifndef GEMP_IO_IMPORT_XMI_PARSER_H
#define GEMP_IO_IMPORT_XMI_PARSER_H

#include "io/import/ecore.h"

typedef struct gemp_xmi_object {
	size_t class;
	gemp_text key;    /* the first that exists: xmi:id, xmi:uuid, the value of the id attribute, the path */
	const char *path; /* [path_size], without a terminating 0, as in references by position: "//@routes.0/@follows.3" */
	size_t path_size;
	gemp_text *values; /* [feature_count of the class] texts of attributes */
	bool *present;     /* [feature_count of the class] the file has a value for the attribute */
	uint64_t line;
} gemp_xmi_object;

typedef struct gemp_xmi_reference {
	size_t feature;
	const char *source; /* key of the source */
	const char *target; /* key or path of the target; for a containment always a key */
	bool by_position;   /* target is a path */
	uint64_t order;     /* number among the source's references of this feature, from 0 */
	uint64_t line;
} gemp_xmi_reference;

/* Visits objects and references. gemp_xmi_read adds file and line to messages. An object is visited at its end, so the
 * visits of its references and of its inner objects precede it. */
typedef struct gemp_xmi_visitor {
	gemp_code (*object)(void *self, const gemp_xmi_object *object);
	gemp_code (*reference)(void *self, const gemp_xmi_reference *reference); /* NULL: references are not visited */
} gemp_xmi_visitor;

/* Local. GEMP_EDATA: the file is not XMI, contradicts the metamodel, or refers to other files. The message names file
 * and line. */
gemp_code gemp_xmi_read(const char *path, const gemp_ecore *ecore, const gemp_xmi_visitor *visitor, void *self);

#endif
