/* xmi_parser: an EMF model's file as a series of objects and references. */

#ifndef GEMP_IO_IMPORT_XMI_PARSER_H
#define GEMP_IO_IMPORT_XMI_PARSER_H

#include "io/import/ecore.h"

typedef struct gemp_xmi_object {
	size_t class;
	gemp_text key;    /* xmi:id, else xmi:uuid, else the value of the attribute that is an id, else the path */
	const char *path; /* as references by position say it: "//@routes.0/@follows.3"; not ended by 0 */
	size_t path_size;
	gemp_text *values; /* [the class's feature_count] texts of attributes */
	bool *present;     /* [the class's feature_count] which of them the file has */
	uint64_t line;
} gemp_xmi_object;

typedef struct gemp_xmi_reference {
	size_t feature;
	const char *source; /* key */
	const char *target; /* key or path; of a containment a key. Ended by 0 */
	bool by_position;   /* target is a path, not a containment's */
	uint64_t order;     /* among the source's of this feature, from 0 */
	uint64_t line;
} gemp_xmi_reference;

/* Errors name neither file nor line. An object comes when it ends, so after what it contains and its references. */
typedef struct gemp_xmi_visitor {
	gemp_code (*object)(void *self, const gemp_xmi_object *object);
	gemp_code (*reference)(void *self, const gemp_xmi_reference *reference);
} gemp_xmi_visitor;

/* Local. GEMP_EDATA with file and line for what is no XMI, is not as the metamodel has it, or is in other files. */
gemp_code gemp_xmi_read(const char *path, const gemp_ecore *ecore, const gemp_xmi_visitor *visitor, void *self);

#endif
