/* scan: exclusive prefix sums of an array on a device, in three launches (sums of slabs, scan of the sums, scan of each slab:
 * Sengupta, Harris, Zhang and Owens 2007); short arrays take one launch of one group.
 */

#ifndef GEMP_PRIMITIVE_SCAN_H
#define GEMP_PRIMITIVE_SCAN_H

#include "primitive/toolbox.h"

/* numbers[count] of number_size bytes, sums[count + 1] of sum_size bytes, each 4 or 8; the last sum is the total.
 * The buffers may be the same if the sizes are. Sums are modulo 2^32 or 2^64. Does not wait. */
gemp_code gemp_scan_device(gemp_toolbox *box, const gemp_buffer *numbers, unsigned number_size, const gemp_buffer *sums,
                           unsigned sum_size, size_t count);

#endif
