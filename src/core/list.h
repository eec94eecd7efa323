/* list: lists whose elements are linked by their field `next`. The owner has pointers to the first and the last
 * element, both NULL for an empty list. */

#ifndef GEMP_CORE_LIST_H
#define GEMP_CORE_LIST_H

#include <stddef.h>

#define GEMP_LIST_APPEND(first, last, element)          \
	do {                                                \
		*((last) ? &(last)->next : &(first)) = element; \
		(last) = element;                               \
		(element)->next = NULL;                         \
	} while (0)

#endif
