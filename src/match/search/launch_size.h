/* launch_size: the number of tasks of the next launch, by the formulas of GEMP (docs/launch-sizes.md). Local. */

#ifndef GEMP_MATCH_SEARCH_LAUNCH_SIZE_H
#define GEMP_MATCH_SEARCH_LAUNCH_SIZE_H

#include <stdint.h>

/* Returns the number of tasks that should fill the result buffer to the fraction `factor`, from the last launch: its
 * number of tasks, and the rows that its workers wanted to write, which can be more than the capacity. */
double gemp_launch_size_next(double tasks, uint64_t capacity, uint64_t wanted, double factor);

#endif
