/* duration: durations from amounts of units with fractions, from texts and from maps.
 *
 * A fraction of a year or quarter becomes months; a fraction of a month becomes days, as many as a month has on
 * average (30.436875); a fraction of a week or day becomes seconds. Larger units never take over from smaller ones,
 * except that 10^9 nanoseconds are a second: P1M is not P30D, and P1D is not PT24H. */

#ifndef GEMP_CYPHER_TEMPORAL_DURATION_H
#define GEMP_CYPHER_TEMPORAL_DURATION_H

#include "cypher/value/datum.h"

typedef enum gemp_duration_unit {
	GEMP_UNIT_YEARS,
	GEMP_UNIT_QUARTERS,
	GEMP_UNIT_MONTHS,
	GEMP_UNIT_WEEKS,
	GEMP_UNIT_DAYS,
	GEMP_UNIT_HOURS,
	GEMP_UNIT_MINUTES,
	GEMP_UNIT_SECONDS,
	GEMP_UNIT_MILLISECONDS,
	GEMP_UNIT_MICROSECONDS,
	GEMP_UNIT_NANOSECONDS,
	GEMP_DURATION_UNITS
} gemp_duration_unit;

/* A sum of amounts. The parts are billionths of a month and of a day; the bounds of gemp_duration do not hold yet. */
typedef struct gemp_duration_sum {
	int64_t months, days, seconds;
	int64_t month_parts, day_parts, nanos;
} gemp_duration_sum;

/* Adds whole + billionths / 10^9 units. |billionths| < 10^9. GEMP_EDATA if a number of the sum needs more than 64
 * bits. */
gemp_code gemp_duration_add(gemp_duration_sum *sum, gemp_duration_unit unit, int64_t whole, int64_t billionths);
gemp_code gemp_duration_add_real(gemp_duration_sum *sum, gemp_duration_unit unit, long double amount);
gemp_code gemp_duration_finish(const gemp_duration_sum *sum, gemp_duration *out);

/* P12Y5M14DT16H13M10.5S, with a sign and a fraction of each number, P2.5W, or P2012-02-02T14:37:21.545. */
gemp_code gemp_duration_parse(const char *text, gemp_duration *out);
/* {years: 1, days: 2.5, ...} */
gemp_code gemp_duration_of_map(gemp_datum map, gemp_duration *out);

gemp_code gemp_duration_overflow(void); /* GEMP_EDATA with its message */

#endif
