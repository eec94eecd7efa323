#include "cypher/temporal/zone.h"

#include "cypher/temporal/calendar.h"
#include "cypher/temporal/zone_rule.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The largest file of tzdata 2025b has 310 changes, 18 offsets and 3940 bytes. */
enum { NAME_SIZE = 64, MAX_CHANGES = 1024, FILE_SIZE = 1 << 15, RULE_SIZE = 80, KEPT_ZONES = 2, HEADER_SIZE = 44 };

typedef struct zone_table {
	char name[NAME_SIZE]; /* "" if the entry is not used */
	int32_t changes;
	int64_t at[MAX_CHANGES]; /* ascending, seconds since the epoch */
	int32_t offset[MAX_CHANGES];
	int32_t first; /* offset before the first change */
	bool has_rule;
	gemp_zone_rule rule;
} zone_table;

static int64_t read_big_endian(const unsigned char *bytes, int size)
{
	uint64_t value = bytes[0] & 0x80 ? UINT64_MAX : 0;
	for (int i = 0; i < size; i++)
		value = value << 8 | bytes[i];
	return (int64_t)value;
}

/* The six counts of a header: is-UTC flags, is-standard flags, leap seconds, changes, kinds of local time, name
 * bytes. */
static bool read_header(const unsigned char *header, const unsigned char *end, uint32_t count[6])
{
	if (end - header < HEADER_SIZE || memcmp(header, "TZif", 4) != 0)
		return false;
	for (int i = 0; i < 6; i++)
		count[i] = (uint32_t)read_big_endian(header + 20 + 4 * i, 4);
	for (int i = 0; i < 6; i++)
		if (count[i] > FILE_SIZE)
			return false;
	return count[4] > 0;
}

static size_t body_size(const uint32_t count[6], size_t time_size)
{
	return count[3] * (time_size + 1) + count[4] * 6 + count[5] + count[2] * (time_size + 4) + count[1] + count[0];
}

/* The second half of a file, which has times of 64 bits. */
static bool read_table(const unsigned char *file, size_t size, zone_table *out)
{
	const unsigned char *end = file + size, *at = file;
	uint32_t count[6];
	if (!read_header(at, end, count) || at[4] < '2' || body_size(count, 4) + HEADER_SIZE > size)
		return false;
	at += HEADER_SIZE + body_size(count, 4);
	if (!read_header(at, end, count) || count[3] > MAX_CHANGES ||
	    body_size(count, 8) > (size_t)(end - at) - HEADER_SIZE)
		return false;
	const unsigned char *times = at + HEADER_SIZE, *kinds = times + 8 * count[3], *offsets = kinds + count[3];
	out->changes = (int32_t)count[3];
	out->first = (int32_t)read_big_endian(offsets, 4);
	for (uint32_t i = 0; i < count[3]; i++) {
		if (kinds[i] >= count[4])
			return false;
		out->at[i] = read_big_endian(times + 8 * i, 8);
		out->offset[i] = (int32_t)read_big_endian(offsets + 6 * kinds[i], 4);
	}
	const unsigned char *line = times + body_size(count, 8), *line_end = NULL;
	if (line < end && *line++ == '\n')
		line_end = memchr(line, '\n', (size_t)(end - line));
	char rule[RULE_SIZE] = "";
	if (!line_end || line_end == line || (size_t)(line_end - line) >= sizeof rule)
		return true; /* without a rule, the last offset holds for ever */
	memcpy(rule, line, (size_t)(line_end - line));
	out->has_rule = gemp_zone_rule_parse(rule, &out->rule);
	return out->has_rule;
}

/* Names such as America/Port-au-Prince or Etc/GMT+5. No other file can be reached. */
static bool valid_name(const char *name)
{
	size_t size = strlen(name);
	if (size == 0 || size >= NAME_SIZE || !isalpha((unsigned char)name[0]) || strstr(name, ".."))
		return false;
	for (size_t i = 0; i < size; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("/_+-", name[i]))
			return false;
	return true;
}

static gemp_code fail_missing(const char *folder, const char *name)
{
	struct stat status;
	if (stat(folder, &status) != 0)
		return gemp_fail(
			GEMP_ENOINPUT,
			"time zone '%s': the folder %s is missing; install the package tzdata, or set TZDIR to the folder of "
			"the time zone database",
			name, folder);
	return gemp_fail(
		GEMP_EDATA,
		"unknown time zone '%s'; write a name such as 'Europe/Berlin' (a file in %s) or an offset such as '+01:00'",
		name, folder);
}

static gemp_code load(const char *name, zone_table *out)
{
	const char *set = getenv("TZDIR"), *folder = set && *set ? set : "/usr/share/zoneinfo";
	char path[4096];
	out->name[0] = 0;
	if (!valid_name(name) || (size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path)
		return fail_missing(folder, name);
	struct stat status;
	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return fail_missing(folder, name);
	FILE *file = fopen(path, "rb");
	if (!file)
		return gemp_fail(GEMP_ENOINPUT, "time zone '%s': %s: %s", name, path, strerror(errno));
	unsigned char bytes[FILE_SIZE];
	size_t size = fread(bytes, 1, sizeof bytes, file);
	fclose(file);
	out->has_rule = false;
	if (!read_table(bytes, size, out))
		return gemp_fail(GEMP_EDATA, "time zone '%s': %s is not a time zone file of version 2 or later (RFC 8536)",
		                 name, path);
	memcpy(out->name, name, strlen(name) + 1);
	return GEMP_OK;
}

static gemp_code find(const char *name, const zone_table **out)
{
	static _Thread_local zone_table kept[KEPT_ZONES];
	static _Thread_local int oldest;
	for (int i = 0; i < KEPT_ZONES; i++)
		if (*name && strcmp(kept[i].name, name) == 0) {
			*out = &kept[i];
			return GEMP_OK;
		}
	GEMP_TRY(load(name, &kept[oldest]));
	*out = &kept[oldest];
	oldest = (oldest + 1) % KEPT_ZONES;
	return GEMP_OK;
}

static int32_t offset_at(const zone_table *zone, int64_t seconds)
{
	int32_t low = 0, high = zone->changes; /* at[low - 1] <= seconds < at[high] */
	while (low < high) {
		int32_t middle = low + (high - low) / 2;
		if (zone->at[middle] <= seconds)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == zone->changes && zone->has_rule)
		return gemp_zone_rule_offset(&zone->rule, seconds);
	return low == 0 ? zone->first : zone->offset[low - 1];
}

gemp_code gemp_zone_at_instant(const char *name, int64_t seconds, int32_t *offset)
{
	const zone_table *zone;
	GEMP_TRY(find(name, &zone));
	*offset = offset_at(zone, seconds);
	return GEMP_OK;
}

gemp_code gemp_zone_at_local(const char *name, int64_t local, int32_t preferred, int64_t *instant, int32_t *offset)
{
	const zone_table *zone;
	GEMP_TRY(find(name, &zone));
	/* Offsets are below a day, so these are the offsets before and after a change near the local time. */
	int32_t before = offset_at(zone, local - GEMP_DAY_SECONDS), after = offset_at(zone, local + GEMP_DAY_SECONDS);
	int32_t choice[] = { preferred, before, after };
	for (int i = 0; i < 3; i++)
		if (choice[i] != GEMP_ZONE_NO_OFFSET && offset_at(zone, local - choice[i]) == choice[i]) {
			*offset = choice[i];
			*instant = local - choice[i];
			return GEMP_OK;
		}
	*instant = local - before;
	*offset = offset_at(zone, *instant);
	return GEMP_OK;
}
