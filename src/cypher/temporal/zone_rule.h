/* zone_rule: the last line of a time zone file: the rule for all times behind its table, in the notation of POSIX's
 * TZ, such as CET-1CEST,M3.5.0,M10.5.0/3. RFC 8536 extends hours to +-167. */

#ifndef GEMP_CYPHER_TEMPORAL_ZONE_RULE_H
#define GEMP_CYPHER_TEMPORAL_ZONE_RULE_H

#include <stdbool.h>
#include <stdint.h>

/* The day of a year on which the offset changes. kind M: the week-th weekday (0 = Sunday) of the month, 5 for the last;
 * J: day 1 to 365, never counting February 29; 0: day 0 to 365. */
typedef struct gemp_zone_change {
	char kind;
	int month, week, day;
	int32_t time; /* seconds of local time */
} gemp_zone_change;

typedef struct gemp_zone_rule {
	bool has_summer;
	int32_t standard, summer; /* offsets in seconds east of UTC */
	gemp_zone_change start, end;
} gemp_zone_rule;

/* False if the text, which a 0 ends, is not such a rule. */
bool gemp_zone_rule_parse(const char *text, gemp_zone_rule *out);
/* seconds since the epoch, UTC */
int32_t gemp_zone_rule_offset(const gemp_zone_rule *rule, int64_t seconds);

#endif
