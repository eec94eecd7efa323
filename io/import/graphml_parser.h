/* graphml_parser: a GraphML file as a series of nodes and edges. */

#ifndef GEMP_IO_IMPORT_GRAPHML_PARSER_H
#define GEMP_IO_IMPORT_GRAPHML_PARSER_H

#include "core/text.h"
#include "graph/column.h"

/* A <key>: data that nodes or edges may have. */
typedef struct gemp_graphml_key {
	char *id, *name;    /* owned; without a name the id is one */
	bool applies_to[2]; /* of nodes, of edges */
	gemp_type type;
	bool has_default;
	gemp_text default_value; /* the value where there is none */
} gemp_graphml_key;

/* What stands in front of the first node or edge. */
typedef struct gemp_graphml_head {
	size_t count, capacity;
	gemp_graphml_key *keys; /* [count] */
	bool has_graph;
	bool undirected; /* by default */
	bool string_ids; /* as our own files say it */
} gemp_graphml_head;

void gemp_graphml_head_free(gemp_graphml_head *head);

typedef struct gemp_graphml_element {
	bool edge, undirected;
	gemp_text ends[2]; /* id of a node; source and target of an edge */
	gemp_text name;    /* attribute `labels` of a node, `label` of an edge */
	gemp_text *values; /* [head->count] */
	bool *present;     /* [head->count] is there a value? */
	uint64_t line;
} gemp_graphml_element;

/* Given the head and each node and edge as it ends. Errors name neither file nor line. */
typedef gemp_code gemp_graphml_visit(void *self, const gemp_graphml_head *head, const gemp_graphml_element *element);

/* Local. Reads the file, plain or compressed, to its end, or with visit NULL as far as the head goes. What is no
 * XML, no GraphML, or what graphs here cannot have (hyperedges, ports, graphs in nodes) is GEMP_EDATA with file and
 * line. Entities are refused, so that none can explode. */
gemp_code gemp_graphml_read(gemp_graphml_head *head, const char *path, gemp_graphml_visit *visit, void *self);

#endif
