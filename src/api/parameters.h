/* parameters: the values of $names that a query or a text of rules has been given through the public face. */

#ifndef GEMP_API_PARAMETERS_H
#define GEMP_API_PARAMETERS_H

#include "pattern/model/source.h"

/* {0} is an empty list. */
typedef struct gemp_parameter_list {
	size_t count, capacity;
	gemp_query_parameter *items; /* [count], names and strings owned */
} gemp_parameter_list;

/* Local. The value replaces an earlier one of that name. The list takes over the bytes of a string, also after a failure; a string
 * without bytes is one for which there was no memory. */
gemp_code gemp_parameter_list_set(gemp_parameter_list *list, const char *name, gemp_value value);
/* Local. The value of "name=value" or "name:type=value" (pattern/model/source.h); GEMP_EUSAGE where the name has one. */
gemp_code gemp_parameter_list_read(gemp_parameter_list *list, const char *assignment);
/* Appends "name=value; name=value", in the order in which they were set. */
void gemp_parameter_list_print(const gemp_parameter_list *list, struct gemp_text *out);
void gemp_parameter_list_free(gemp_parameter_list *list);

#endif
