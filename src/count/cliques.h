#ifndef GEMP_COUNT_CLIQUES_H
#define GEMP_COUNT_CLIQUES_H

#include "count/engine.h"

/* May some low row be too long for its bits to be in local memory? */
bool gemp_count_cliques_large(const gemp_device *device, uint32_t longest_low);
/* Are the rows of bits so short that count_narrow_I is faster than count_sum_I? */
bool gemp_count_cliques_narrow(const gemp_device *device, uint32_t longest_low);
/* Local. Task lists and memory for cliques. */
gemp_code gemp_count_cliques_prepare(gemp_count_engine *engine);

gemp_code gemp_count_cliques_launch(gemp_count_engine *engine, size_t index, size_t first, size_t *groups,
                                    gemp_timings *timings);

#endif
