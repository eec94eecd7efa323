/* parts: a temporal value taken apart into a date, a time of day and a zone, and put together again.
 *
 * All functions that build values from others work on parts: they split values, replace parts and join them. The time
 * is local; joining a datetime computes its instant from the zone. Durations have no parts. */

#ifndef GEMP_CYPHER_TEMPORAL_PARTS_H
#define GEMP_CYPHER_TEMPORAL_PARTS_H

#include "cypher/temporal/calendar.h"
#include "cypher/temporal/zone.h"
#include "cypher/value/datum.h"

typedef struct gemp_temporal_parts {
	bool has_date, has_time, has_zone;
	int64_t days;     /* since 1970-01-01 */
	int64_t nanos;    /* since midnight */
	const char *zone; /* name; NULL: only an offset */
	int32_t offset;   /* of a zone with a name, the preferred one of two offsets, or GEMP_ZONE_NO_OFFSET */
} gemp_temporal_parts;

gemp_temporal_parts gemp_temporal_split(gemp_datum value);
/* Makes a value of any kind but a duration. Missing parts are 1970-01-01, midnight and UTC; parts that the kind does
 * not have are ignored. A time gets the offset of its zone on its date. */
gemp_code gemp_temporal_join(gemp_arena *arena, gemp_datum_kind kind, const gemp_temporal_parts *parts,
                             gemp_datum *out);

/* The parts of an instant in a zone. zone is NULL for the given offset. GEMP_EDATA for an unknown zone. */
gemp_code gemp_temporal_parts_at(int64_t seconds, int64_t nanos, const char *zone, int32_t offset,
                                 gemp_temporal_parts *out);
/* Seconds since the epoch of parts with a zone. *offset becomes the zone's offset. */
gemp_code gemp_temporal_instant(const gemp_temporal_parts *parts, int64_t *seconds, int32_t *offset);
/* Parts of the same instant in another zone. */
gemp_code gemp_temporal_move(gemp_temporal_parts *parts, const char *zone, int32_t offset);

gemp_code gemp_temporal_moment(gemp_arena *arena, gemp_datum_kind kind, gemp_moment moment, gemp_datum *out);
gemp_code gemp_temporal_duration(gemp_arena *arena, gemp_duration duration, gemp_datum *out);

#endif
