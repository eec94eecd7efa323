/* xmi_parser: an EMF model's file as a series of objects and references. */

#ifndef GEMP_IO_IMPORT_XMI_PARSER_H
#define GEMP_IO_IMPORT_XMI_PARSER_H

#include "io/import/ecore.h"

typedef struct gemp_xmi_object {
	size_t class;
	gemp_text key;    /* xmi:id, else xmi:uuid, else the value of the attribute that is an id, else the path */
	const char *path; /* [path_size] as references by position have it: "//@routes.0/@follows.3"; not ended by 0 */
	size_t path_size;
	gemp_text *values; /* [the class's feature_count] texts of attributes */
	bool *present;     /* [the class's feature_count] which of them the file has */
	uint64_t line;
} gemp_xmi_object;

typedef struct gemp_xmi_reference {
	size_t feature;
	const char *source; /* key */
	const char *target; /* key or path, ended by 0; of a containment a key */
	bool by_position;   /* target is a path; false for a containment */
	uint64_t order;     /* among the source's of this feature, from 0 */
	uint64_t line;
} gemp_xmi_reference;

/* The caller puts file and line in front of messages. An object is visited when it ends, so after the objects inside it
 * and its references. */
typedef struct gemp_xmi_visitor {
	gemp_code (*object)(void *self, const gemp_xmi_object *object);
	gemp_code (*reference)(void *self, const gemp_xmi_reference *reference); /* NULL: references are ignored */
} gemp_xmi_visitor;

/* Local. GEMP_EDATA with file and line if the file is no XMI, contradicts the metamodel, or refers to other files. */
gemp_code gemp_xmi_read(const char *path, const gemp_ecore *ecore, const gemp_xmi_visitor *visitor, void *self);

#endif
