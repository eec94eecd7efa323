/* zone: time zones by name, from the files of the IANA time zone database (TZif, RFC 8536).
 *
 * The files lie in the folder of the environment variable TZDIR, or in /usr/share/zoneinfo. Each thread keeps the last
 * zones that it read, so that a column of values reads its zone once. Daylight saving of the far future follows the
 * file's rule. */

#ifndef GEMP_CYPHER_TEMPORAL_ZONE_H
#define GEMP_CYPHER_TEMPORAL_ZONE_H

#include "core/status.h"

#include <stdint.h>

/* No preference among the two offsets of a local time that happens twice. */
#define GEMP_ZONE_NO_OFFSET INT32_MIN

/* The offset, in seconds east of UTC, at a number of seconds since the epoch. GEMP_EDATA if there is no such zone. */
gemp_code gemp_zone_at_instant(const char *zone, int64_t seconds, int32_t *offset);
/* The instant and offset of a local time, in seconds since 1970-01-01T00:00. When clocks are put back, some local
 * times happen twice: the offset `preferred` is chosen if it is one of the two, otherwise the earlier instant. When
 * clocks are put forward, some local times do not happen; they are moved forward by as much. */
gemp_code gemp_zone_at_local(const char *zone, int64_t local, int32_t preferred, int64_t *instant, int32_t *offset);

#endif
