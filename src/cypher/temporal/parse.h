/* parse: temporal values from ISO 8601 texts.
 *
 *   date    2015-07-21  20150721  2015-07  201507  2015-W30-2  2015W302  2015-W30  2015W30  2015-Q3-21  2015Q321
 *           2015-Q3
 *           2015Q3  2015-202  2015202  2015; a year of other than four digits has a sign, as in +12345-01-01
 *   time    21:40:32.142  214032.142  21:40:32  214032  21:40  2140  21; a fraction has up to 9 digits
 *   zone    Z  +01  +0100  +01:00  +01:00:30, or [Europe/Berlin] with or without an offset before it
 *   datetime: a date, or a date, T and a time, and then a zone */

#ifndef GEMP_CYPHER_TEMPORAL_PARSE_H
#define GEMP_CYPHER_TEMPORAL_PARSE_H

#include "cypher/temporal/parts.h"

/* Reads the text of a value of the kind, which is not a duration. A zone's name lies in the arena. GEMP_EDATA if the
 * text has another form or names a date or time that does not exist. */
gemp_code gemp_temporal_parse(gemp_arena *arena, gemp_datum_kind kind, const char *text, gemp_temporal_parts *out);
/* Reads an offset, such as +01:00, or the name of a zone, and sets the zone of the parts. */
gemp_code gemp_temporal_parse_zone(gemp_arena *arena, const char *text, gemp_temporal_parts *parts);

/* For texts of durations, which contain such parts. They move *at behind what they read and return false if the text
 * has another form. Seconds and fractions are nanoseconds. */
bool gemp_temporal_read_digits(const char **at, int digits, int64_t *value);
bool gemp_temporal_read_fraction(const char **at, int64_t *billionths); /* 0 if no point or comma is next */

#endif
