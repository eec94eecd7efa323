/* scan: for each place of an array the sum of all numbers before it. */

#ifndef GEMP_PRIMITIVE_SCAN_H
#define GEMP_PRIMITIVE_SCAN_H

#include "primitive/toolbox.h"

/* DEVICE. numbers[count] of number_size bytes, sums[count + 1] of sum_size bytes, each 4 or 8: the sum of all stands behind
 * the others. The buffers may be the same if the sizes are. Sums are modulo 2^32 or 2^64. Does not wait. */
gemp_code gemp_scan_device(gemp_toolbox *box, const gemp_buffer *numbers, unsigned number_size, const gemp_buffer *sums,
                           unsigned sum_size, size_t count);

#endif
