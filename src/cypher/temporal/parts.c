#include "cypher/temporal/parts.h"

static void set_local(gemp_temporal_parts *parts, int64_t seconds, int64_t nanos)
{
	parts->has_date = parts->has_time = true;
	parts->days = gemp_floor_divide(seconds, GEMP_DAY_SECONDS);
	parts->nanos = gemp_floor_modulo(seconds, GEMP_DAY_SECONDS) * GEMP_SECOND_NANOS + nanos;
}

gemp_temporal_parts gemp_temporal_split(gemp_datum value)
{
	gemp_temporal_parts parts = { .has_zone = value.kind == GEMP_DATUM_TIME || value.kind == GEMP_DATUM_DATETIME };
	if (value.kind == GEMP_DATUM_DATE) {
		parts.has_date = true;
		parts.days = value.integer;
	} else if (value.kind == GEMP_DATUM_LOCAL_TIME) {
		parts.has_time = true;
		parts.nanos = value.integer;
	} else {
		const gemp_moment *moment = value.moment;
		parts.offset = moment->offset;
		parts.zone = moment->zone;
		if (value.kind == GEMP_DATUM_TIME) {
			parts.has_time = true;
			parts.nanos = moment->nanos;
		} else {
			int64_t offset = value.kind == GEMP_DATUM_DATETIME ? moment->offset : 0;
			set_local(&parts, moment->seconds + offset, moment->nanos);
		}
	}
	return parts;
}

gemp_code gemp_temporal_moment(gemp_arena *arena, gemp_datum_kind kind, gemp_moment moment, gemp_datum *out)
{
	gemp_moment *kept;
	GEMP_TRY(GEMP_ARENA_NEW(arena, kept, 1));
	*kept = moment;
	if (moment.zone) {
		kept->zone = gemp_arena_copy(arena, moment.zone, strlen(moment.zone));
		if (!kept->zone)
			return GEMP_ENOMEM;
	}
	*out = (gemp_datum){ .kind = (uint8_t)kind, .moment = kept };
	return GEMP_OK;
}

gemp_code gemp_temporal_duration(gemp_arena *arena, gemp_duration duration, gemp_datum *out)
{
	gemp_duration *kept;
	GEMP_TRY(GEMP_ARENA_NEW(arena, kept, 1));
	*kept = duration;
	*out = (gemp_datum){ .kind = GEMP_DATUM_DURATION, .duration = kept };
	return GEMP_OK;
}

static int64_t local_seconds(const gemp_temporal_parts *parts)
{
	return parts->days * GEMP_DAY_SECONDS + parts->nanos / GEMP_SECOND_NANOS;
}

gemp_code gemp_temporal_instant(const gemp_temporal_parts *parts, int64_t *seconds, int32_t *offset)
{
	int64_t local = local_seconds(parts);
	if (parts->zone)
		return gemp_zone_at_local(parts->zone, local, parts->offset, seconds, offset);
	*offset = parts->offset;
	*seconds = local - parts->offset;
	return GEMP_OK;
}

gemp_code gemp_temporal_parts_at(int64_t seconds, int64_t nanos, const char *zone, int32_t offset,
                                 gemp_temporal_parts *out)
{
	/* Far beyond the last year, so that adding an offset cannot overflow. */
	if (seconds > INT64_MAX / 2 || seconds < INT64_MIN / 2)
		return gemp_calendar_check(gemp_floor_divide(seconds, GEMP_DAY_SECONDS));
	if (zone)
		GEMP_TRY(gemp_zone_at_instant(zone, seconds, &offset));
	*out = (gemp_temporal_parts){ .has_zone = true, .zone = zone, .offset = offset };
	set_local(out, seconds + offset, nanos);
	return gemp_calendar_check(out->days);
}

gemp_code gemp_temporal_move(gemp_temporal_parts *parts, const char *zone, int32_t offset)
{
	int64_t seconds;
	int32_t from;
	gemp_temporal_parts before = *parts;
	GEMP_TRY(gemp_temporal_instant(&before, &seconds, &from));
	GEMP_TRY(gemp_temporal_parts_at(seconds, before.nanos % GEMP_SECOND_NANOS, zone, offset, parts));
	parts->has_date = before.has_date;
	return GEMP_OK;
}

gemp_code gemp_temporal_join(gemp_arena *arena, gemp_datum_kind kind, const gemp_temporal_parts *parts, gemp_datum *out)
{
	if (parts->has_date)
		GEMP_TRY(gemp_calendar_check(parts->days));
	if (kind == GEMP_DATUM_DATE || kind == GEMP_DATUM_LOCAL_TIME) {
		*out = (gemp_datum){ .kind = (uint8_t)kind, .integer = kind == GEMP_DATUM_DATE ? parts->days : parts->nanos };
		return GEMP_OK;
	}
	int64_t nanos = parts->nanos % GEMP_SECOND_NANOS, instant;
	if (kind == GEMP_DATUM_LOCAL_DATETIME)
		return gemp_temporal_moment(arena, kind, (gemp_moment){ .seconds = local_seconds(parts), .nanos = nanos }, out);
	int32_t offset;
	GEMP_TRY(gemp_temporal_instant(parts, &instant, &offset));
	gemp_moment moment = { .nanos = parts->nanos, .offset = offset };
	if (kind == GEMP_DATUM_DATETIME)
		moment = (gemp_moment){ .seconds = instant, .nanos = nanos, .offset = offset, .zone = parts->zone };
	return gemp_temporal_moment(arena, kind, moment, out);
}
