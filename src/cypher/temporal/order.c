/* order: the order, equality and hashes of temporal values (temporal.h). */
#include "core/random.h"
#include "cypher/temporal/calendar.h"
#include "cypher/temporal/temporal.h"

static int compare_integers(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int compare_in_order(const int64_t *a, const int64_t *b, int count)
{
	int order = 0;
	for (int i = 0; i < count && order == 0; i++)
		order = compare_integers(a[i], b[i]);
	return order;
}

static int compare_moments(gemp_datum_kind kind, const gemp_moment *a, const gemp_moment *b)
{
	if (kind == GEMP_DATUM_TIME) {
		int64_t left[] = { a->nanos - a->offset * GEMP_SECOND_NANOS, a->offset };
		int64_t right[] = { b->nanos - b->offset * GEMP_SECOND_NANOS, b->offset };
		return compare_in_order(left, right, 2);
	}
	int64_t left[] = { a->seconds, a->nanos, a->offset }, right[] = { b->seconds, b->nanos, b->offset };
	int order = compare_in_order(left, right, 3);
	return order != 0 ? order : strcmp(a->zone ? a->zone : "", b->zone ? b->zone : "");
}

/* 400 years have 4800 months and 146097 days, so a month has 2629746 seconds on average. The sum of 128 bits cannot
 * overflow. */
static int compare_durations(const gemp_duration *a, const gemp_duration *b)
{
	__int128 left = (__int128)a->months * 2629746 + (__int128)a->days * GEMP_DAY_SECONDS + a->seconds;
	__int128 right = (__int128)b->months * 2629746 + (__int128)b->days * GEMP_DAY_SECONDS + b->seconds;
	if (left != right)
		return left < right ? -1 : 1;
	int64_t a_parts[] = { a->nanos, a->months, a->days }, b_parts[] = { b->nanos, b->months, b->days };
	return compare_in_order(a_parts, b_parts, 3);
}

int gemp_temporal_compare(gemp_datum a, gemp_datum b)
{
	if (a.kind == GEMP_DATUM_DATE || a.kind == GEMP_DATUM_LOCAL_TIME)
		return compare_integers(a.integer, b.integer);
	return a.kind == GEMP_DATUM_DURATION ? compare_durations(a.duration, b.duration)
	                                     : compare_moments(a.kind, a.moment, b.moment);
}

bool gemp_temporal_equal(gemp_datum a, gemp_datum b)
{
	return a.kind == b.kind && gemp_temporal_compare(a, b) == 0;
}

uint64_t gemp_temporal_hash(gemp_datum value)
{
	int64_t parts[4] = { value.integer };
	const char *zone = "";
	if (value.kind == GEMP_DATUM_DURATION) {
		const gemp_duration *duration = value.duration;
		memcpy(parts, (int64_t[]){ duration->months, duration->days, duration->seconds, duration->nanos },
		       sizeof parts);
	} else if (value.kind != GEMP_DATUM_DATE && value.kind != GEMP_DATUM_LOCAL_TIME) {
		const gemp_moment *moment = value.moment;
		memcpy(parts, (int64_t[]){ moment->seconds, moment->nanos, moment->offset, 0 }, sizeof parts);
		zone = moment->zone ? moment->zone : "";
	}
	uint64_t hash = gemp_hash(parts, sizeof parts, value.kind);
	return *zone ? gemp_hash(zone, strlen(zone), hash) : hash;
}
