/* print: texts of parts of temporal values. gemp_temporal_text (temporal.h), which this module defines, is the text of
 * a whole value. */

#ifndef GEMP_CYPHER_TEMPORAL_PRINT_H
#define GEMP_CYPHER_TEMPORAL_PRINT_H

#include "core/text.h"

#include <stdint.h>

void gemp_temporal_print_offset(int32_t offset, gemp_text *out); /* Z, +01:00 or +00:53:28 */

#endif
