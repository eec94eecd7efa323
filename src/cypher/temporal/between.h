/* between: the duration from one temporal value to another.
 *
 * A value takes the parts that it lacks from the other one: a time takes the other's date, a value without zone takes
 * the other's zone. A date without time is midnight. */

#ifndef GEMP_CYPHER_TEMPORAL_BETWEEN_H
#define GEMP_CYPHER_TEMPORAL_BETWEEN_H

#include "cypher/value/datum.h"

typedef enum gemp_between_unit {
	GEMP_BETWEEN_ALL, /* months, days and seconds */
	GEMP_BETWEEN_MONTHS,
	GEMP_BETWEEN_DAYS,
	GEMP_BETWEEN_SECONDS
} gemp_between_unit;

/* Neither value is a duration. The amounts of GEMP_BETWEEN_ALL have the same sign. */
gemp_code gemp_duration_between(gemp_arena *arena, gemp_between_unit unit, gemp_datum from, gemp_datum to,
                                gemp_datum *out);

#endif
