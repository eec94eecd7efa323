/* change: what the clauses of a query have changed since the graph was last patched, on rank 0.
 *
 * A record has the changes of one element. The id of a created element is GEMP_CY_CREATED | index of its record, until
 * the changes become a patch (apply.h); a created node is then a vertex of the graph. Properties of a record are a list
 * of settings. A property without a setting is the one of the graph; a setting of NULL removes it. A label set has a
 * number, and its text is its labels in ascending order, joined by `;`.
 *
 * The rows of the query may still hold elements that a patch has deleted. Their ids are GEMP_CY_GHOST | index of a
 * ghost, which has their key or type and ends. All values live as long as the change, since rows share them. */

#ifndef GEMP_CYPHER_CHANGE_CHANGE_H
#define GEMP_CYPHER_CHANGE_CHANGE_H

#include "cypher/evaluate/environment.h"
#include "graph/graph.h"
#include "partition/build/dictionary.h"
#include "primitive/record_table.h"

#define GEMP_CY_CREATED ((uint64_t)1 << 63)
#define GEMP_CY_GHOST ((uint64_t)1 << 62)

/* The changes that a query has made. An update that leaves the graph as it was does not count. */
typedef struct gemp_cypher_counts {
	uint64_t nodes_created, nodes_deleted, relationships_created, relationships_deleted;
	uint64_t properties_set, labels_added, labels_removed;
} gemp_cypher_counts;

typedef struct gemp_cypher_setting {
	uint32_t name; /* number of the property's name */
	uint32_t next; /* 1 + index of the record's next setting; 0: none */
	gemp_datum value;
} gemp_cypher_setting;

typedef struct gemp_cypher_record {
	uint64_t id;
	uint64_t from, to; /* ids of the ends of a created relationship */
	uint32_t setting;  /* 1 + index of the first setting; 0: none */
	/* created relationship: the number of its type; node: 1 + the number of its label set, or 0: that of the graph */
	uint32_t name;
	bool deleted, detached; /* detached: with all relationships of the node */
} gemp_cypher_record;

typedef struct gemp_cypher_records {
	size_t count, capacity;
	gemp_cypher_record *records;
	gemp_record_table index; /* of elements of the graph: two words of the id, the index of the record */
} gemp_cypher_records;

typedef struct gemp_cypher_ghost {
	gemp_datum name; /* the key of a node, or the type of a relationship */
	bool relationship;
	uint64_t from, to; /* ends of a relationship */
} gemp_cypher_ghost;

struct gemp_cypher_search;
typedef struct gemp_cypher_change {
	struct gemp_cypher_search *search; /* of the graph as it was last patched */
	gemp_cypher_graph graph;           /* the elements with their changes */
	gemp_cypher_records nodes, relationships;
	size_t setting_count, setting_capacity;
	gemp_cypher_setting *settings;
	gemp_dictionary names; /* of properties, types and labels */
	gemp_dictionary sets;  /* label sets */
	size_t list_count, list_capacity;
	gemp_datum *lists; /* [list_count] by label set: the list of its labels; NULL: not made yet */
	size_t ghost_count, ghost_capacity;
	gemp_cypher_ghost *ghosts;
	int64_t first_key; /* of the next created node, or below 1: no key is left above the largest */
	bool string_keys;
	gemp_cypher_counts counts;
	gemp_arena arena;
} gemp_cypher_change;

void gemp_cypher_change_init(gemp_cypher_change *change);
void gemp_cypher_change_free(gemp_cypher_change *change);
/* Forgets all records, after they have become a patch. Ghosts and values stay. */
void gemp_cypher_change_forget(gemp_cypher_change *change);
/* True if the graph lacks changes. */
bool gemp_cypher_change_is_pending(const gemp_cypher_change *change);

/* Returns the record of an element, or NULL if nothing has changed it. */
gemp_cypher_record *gemp_cypher_change_find(gemp_cypher_change *change, gemp_datum element);
static inline bool gemp_cypher_is_created(uint64_t id)
{
	return (id & GEMP_CY_CREATED) != 0;
}
static inline bool gemp_cypher_is_ghost(uint64_t id)
{
	return (id & (GEMP_CY_CREATED | GEMP_CY_GHOST)) == GEMP_CY_GHOST;
}

/* CHANGING. An element that was deleted is refused with GEMP_EUSAGE. */

/* The number of a set of labels: those of the list, each of them a name. */
gemp_code gemp_cypher_change_label_set(gemp_cypher_change *change, const gemp_cypher_label *labels, uint32_t *set);
gemp_code gemp_cypher_change_name(gemp_cypher_change *change, const char *name, uint32_t *number);
gemp_code gemp_cypher_change_create_node(gemp_cypher_change *change, uint32_t set, gemp_datum *node);
/* type: a number of gemp_cypher_change_name */
gemp_code gemp_cypher_change_create_relationship(gemp_cypher_change *change, uint32_t type, uint64_t from, uint64_t to,
                                                 gemp_datum *relationship);
/* NULL removes the property. GEMP_EUSAGE if the value cannot be a property. */
gemp_code gemp_cypher_change_set(gemp_cypher_change *change, gemp_datum element, const char *name, gemp_datum value);
/* Sets all properties of the map; `replaces`: and removes all others. */
gemp_code gemp_cypher_change_set_all(gemp_cypher_change *change, gemp_datum element, gemp_datum map, bool replaces);
/* Adds the labels of the list, or removes them. */
gemp_code gemp_cypher_change_labels(gemp_cypher_change *change, gemp_datum node, const gemp_cypher_label *labels,
                                    bool adds);
/* Deletes a node or a relationship; an element that is deleted already stays so. */
gemp_code gemp_cypher_change_delete(gemp_cypher_change *change, gemp_datum element, bool detaches);

/* Internal to change/: sets the functions of change->graph. */
void gemp_cypher_change_read_init(gemp_cypher_change *change);
gemp_code gemp_cypher_change_fail_deleted(gemp_datum element);
/* The list of the labels of a set. */
gemp_code gemp_cypher_change_set_list(gemp_cypher_change *change, uint32_t set, gemp_datum *list);

#endif
