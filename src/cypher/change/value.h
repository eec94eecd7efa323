/* value: values as properties of the graph. */

#ifndef GEMP_CYPHER_CHANGE_VALUE_H
#define GEMP_CYPHER_CHANGE_VALUE_H

#include "cypher/value/datum.h"

/* GEMP_EUSAGE unless the value can be a property: NULL, a scalar, a temporal value, or a list of such values. */
gemp_code gemp_cypher_check_property(const char *name, gemp_datum value);

/* True if the two are stored alike: 1 and 1.0 differ, and so do two times of one instant in different zones. */
bool gemp_cypher_stored_alike(gemp_datum a, gemp_datum b);

/* The type of a column that holds the value: that of the scalar, else GEMP_LIST, which is JSON. */
gemp_type gemp_cypher_column_type(gemp_datum value);
/* Appends the value to a column of its type, or to one of JSON. */
gemp_code gemp_cypher_column_add(gemp_column *column, gemp_datum value);

#endif
