/* truncate: temporal values cut down to a unit, as date.truncate('week', value, {dayOfWeek: 2}) does. */

#ifndef GEMP_CYPHER_TEMPORAL_TRUNCATE_H
#define GEMP_CYPHER_TEMPORAL_TRUNCATE_H

#include "cypher/value/datum.h"

/* Sets all units of `value` below the unit to their least value, makes a value of the kind, and then replaces the
 * fields of `map`, a map or NULL. `value` has a date or time. units of dates: millennium, century, decade, year,
 * weekYear, quarter, month, week, day; of times: day, hour, minute, second, millisecond, microsecond. A zone in the
 * map keeps the local time. */
gemp_code gemp_temporal_truncate(gemp_arena *arena, gemp_datum_kind kind, const char *unit, gemp_datum value,
                                 gemp_datum map, gemp_datum *out);

#endif
