#include "match/search/launch_size.h"

/* Formula (1) where (3) holds, otherwise formula (2): one overflow reduces the number of tasks by no more than the
 * factor, since the next launch has fewer new tasks anyway, because parked workers go on first. */
double gemp_launch_size_next(double tasks, uint64_t capacity, uint64_t wanted, double factor)
{
	const double ratio = (double)capacity / (double)(wanted ? wanted : 1);
	return ratio > factor ? tasks * ratio * factor : tasks * factor;
}
