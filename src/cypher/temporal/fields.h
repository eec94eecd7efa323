/* fields: the maps that date(), time() and their kin take, such as {year: 1984, week: 10, dayOfWeek: 3, timezone:
 * '+01:00'}.
 *
 * A map names a day by one of four groups: month and day; week and dayOfWeek; quarter and dayOfQuarter; ordinalDay.
 * `date`, `time` and `datetime` are base values: they give the parts that the other fields do not replace. Without a
 * base, a field needs the next larger one (a minute needs an hour), and smaller ones have their least value. */

#ifndef GEMP_CYPHER_TEMPORAL_FIELDS_H
#define GEMP_CYPHER_TEMPORAL_FIELDS_H

#include "cypher/temporal/parts.h"

typedef enum gemp_temporal_field {
	GEMP_FIELD_YEAR,
	GEMP_FIELD_QUARTER,
	GEMP_FIELD_DAY_OF_QUARTER,
	GEMP_FIELD_MONTH,
	GEMP_FIELD_DAY,
	GEMP_FIELD_WEEK,
	GEMP_FIELD_DAY_OF_WEEK,
	GEMP_FIELD_ORDINAL_DAY,
	GEMP_FIELD_HOUR,
	GEMP_FIELD_MINUTE,
	GEMP_FIELD_SECOND,
	GEMP_FIELD_MILLISECOND,
	GEMP_FIELD_MICROSECOND,
	GEMP_FIELD_NANOSECOND,
	GEMP_FIELD_EPOCH_SECONDS,
	GEMP_FIELD_EPOCH_MILLIS,
	GEMP_FIELD_NUMBERS,
	GEMP_FIELD_DATE = GEMP_FIELD_NUMBERS,
	GEMP_FIELD_TIME,
	GEMP_FIELD_DATETIME,
	GEMP_FIELD_TIMEZONE,
	GEMP_FIELDS
} gemp_temporal_field;

typedef struct gemp_temporal_fields {
	gemp_datum_kind kind; /* of the value to make */
	uint32_t given;       /* a bit for each field */
	int64_t number[GEMP_FIELD_NUMBERS];
	gemp_datum base[3]; /* of GEMP_FIELD_DATE, TIME and DATETIME */
	const char *timezone;
} gemp_temporal_fields;

static inline bool gemp_temporal_has(const gemp_temporal_fields *fields, gemp_temporal_field field)
{
	return fields->given >> field & 1;
}

/* Reads a map. GEMP_EDATA for a field that the kind does not have, or of another type. */
gemp_code gemp_temporal_fields_read(gemp_datum_kind kind, gemp_datum map, gemp_temporal_fields *out);
/* Replaces parts. `fine` is the smallest unit, in nanoseconds, of the time that subsecond fields leave: 10^9, or 10^6
 * if the milliseconds stay. The zone stays. */
gemp_code gemp_temporal_fields_apply(const gemp_temporal_fields *fields, bool based_date, bool based_time, int64_t fine,
                                     gemp_temporal_parts *parts);
/* Sets the zone of the parts, and keeps their local time, if the map has a timezone. */
gemp_code gemp_temporal_fields_zone(gemp_arena *arena, const gemp_temporal_fields *fields, gemp_temporal_parts *parts);
/* The parts that a map describes. If a base has a zone, the result is its instant in the map's timezone. */
gemp_code gemp_temporal_fields_build(gemp_arena *arena, const gemp_temporal_fields *fields, gemp_temporal_parts *out);

#endif
