/* stable: decode in which tuples of a range keep their order, on a device in the form in groups; by items decode is stable. */
#ifndef GEMP_SHUFFLE_STABLE_H
#define GEMP_SHUFFLE_STABLE_H

#include "shuffle/shuffle.h"

/* As gemp_shuffle_decode, of in->count tuples. */
gemp_code gemp_shuffle_stable(gemp_toolbox *box, const gemp_shuffle *how, const gemp_tuples *in, const gemp_tuples *out,
                              const gemp_buffer *begin);

#endif
