/* temporal: dates, times and durations as values: their order, text, arithmetic and components.
 *
 * value/datum.h has the layout of the six kinds. A duration is normalized: nanos is in [0, 10^9), and seconds is
 * rounded down. A date has a year within +-999999999. Functions that make values put them into the arena. The
 * functions of queries, such as date(), are in function/temporal_functions.c.
 *
 * Messages of failures name the value and the remedy. They have no place in the query; the caller may add it. */

#ifndef GEMP_CYPHER_TEMPORAL_TEMPORAL_H
#define GEMP_CYPHER_TEMPORAL_TEMPORAL_H

#include "cypher/value/datum.h"

/* The total order of two values of the same kind: negative, 0 or positive. Times and datetimes are ordered by their
 * instant, then by offset, then by zone. Durations are ordered by their mean length (a month has 30.436875 days), then
 * by months, days and seconds. openCypher's < has no order for durations; only ORDER BY, min and max use this one. */
int gemp_temporal_compare(gemp_datum a, gemp_datum b);
/* False for different kinds; otherwise true if gemp_temporal_compare is 0. */
bool gemp_temporal_equal(gemp_datum a, gemp_datum b);
uint64_t gemp_temporal_hash(gemp_datum value);

/* Appends the ISO 8601 text that toString() gives, such as 2015-07-21T21:40:32.142+02:00[Europe/Stockholm]. */
gemp_code gemp_temporal_text(gemp_datum value, gemp_text *out);

/* a + b or a - b. One operand, for a difference the second, is a duration, or both are; for other pairs *defined
 * becomes false, and the caller reports the types. GEMP_EDATA if the result lies outside of the years +-999999999. */
gemp_code gemp_temporal_add(gemp_arena *arena, gemp_datum a, gemp_datum b, bool subtract, gemp_datum *out,
                            bool *defined);
/* duration * number or duration / number. Fractions of a month become days, and fractions of a day become seconds. */
gemp_code gemp_temporal_scale(gemp_arena *arena, gemp_datum duration, gemp_datum number, bool divide, gemp_datum *out);
gemp_code gemp_temporal_negate(gemp_arena *arena, gemp_datum duration, gemp_datum *out);

/* value.name, such as year or offsetMinutes. *known becomes false if values of this kind have no such component; then
 * *out is NULL. */
gemp_code gemp_temporal_component(gemp_datum value, const char *name, gemp_arena *arena, gemp_datum *out, bool *known);

#endif
