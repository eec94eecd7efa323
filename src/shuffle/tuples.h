/* tuples: what the files of this room know of layouts. */
#ifndef GEMP_SHUFFLE_TUPLES_H
#define GEMP_SHUFFLE_TUPLES_H

#include "primitive/toolbox_parts.h"
#include "shuffle/shuffle.h"

enum { GEMP_DESTINATION = 4 }; /* bytes */

/* Bytes of an element of the column or array that tuples are in: of one whose first 4 bytes are its destination, else 0. */
static inline unsigned gemp_tuple_record(const gemp_shuffle *how)
{
	return how->layout == GEMP_SHUFFLE_APART || how->size == GEMP_DESTINATION ? 0 : how->size;
}

/* Bytes of a value that is apart, else 0. */
static inline unsigned gemp_tuple_value(const gemp_shuffle *how)
{
	return how->layout == GEMP_SHUFFLE_APART ? how->size - GEMP_DESTINATION : 0;
}

/* Of the first 4 bytes of a tuple, or of its destination in a column. */
static inline unsigned gemp_tuple_shift(const gemp_shuffle *how)
{
	return how->size == GEMP_DESTINATION ? how->shift + 16 : how->shift;
}

/* A kernel of shuffle.cl, and the work-group to launch it with (0: by items). Its first two arguments are destinations and
 * tuples. */
gemp_code gemp_tuple_kernel(gemp_toolbox *box, cl_kernel *out, const gemp_shuffle *how, const gemp_tuples *tuples,
                            const char *name, size_t *group);
gemp_argument gemp_tuple_destinations(const gemp_tuples *tuples);

#endif
