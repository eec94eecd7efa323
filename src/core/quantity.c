/* Numbers for people. The output separates groups of digits by commas in every locale, since scripts read it. The input
 * is read without commas. */

#include "core/quantity.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Returns the factor of a unit, or 0 for an unknown unit. KiB and K are powers of 1024, KB is a power of 1000. */
static double unit_factor(const char *unit)
{
	static const char prefixes[] = "KMGT";
	if (!*unit || strcasecmp(unit, "B") == 0)
		return 1;
	const char *prefix = strchr(prefixes, toupper((unsigned char)*unit));
	if (!prefix)
		return 0;
	int power = (int)(prefix - prefixes) + 1;
	if (!unit[1] || strcasecmp(unit + 1, "iB") == 0 || strcasecmp(unit + 1, "i") == 0)
		return pow(1024, power);
	return strcasecmp(unit + 1, "B") == 0 ? pow(1000, power) : 0;
}

/* A whole number of bytes is parsed as an integer, since a double is exact only up to 2^53. */
bool gemp_parse_size(const char *text, uint64_t *bytes)
{
	char *unit;
	size_t digits = strspn(text, "0123456789.");
	double number = strtod(text, &unit);
	if (!isdigit((unsigned char)text[0]) || unit != text + digits)
		return false;
	unit += strspn(unit, " ");
	double factor = unit_factor(unit);
	if (factor == 1 && !memchr(text, '.', digits)) {
		char plain[24];
		snprintf(plain, sizeof plain, "%.*s", digits < sizeof plain ? (int)digits : 0, text);
		return gemp_parse_count(plain, bytes);
	}
	double product = number * factor;
	if (factor == 0 || product >= 0x1p63)
		return false;
	*bytes = (uint64_t)product;
	return true;
}

/* The test of the first character refuses signs and blanks, which strtoull accepts. */
bool gemp_parse_count(const char *text, uint64_t *count)
{
	char *end;
	errno = 0;
	unsigned long long number = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)text[0]) || *end || errno)
		return false;
	*count = number;
	return true;
}

/* Refuses infinities and NaN, which have no meaning for any option. */
bool gemp_parse_real(const char *text, double *real)
{
	char *end;
	double number = strtod(text, &end);
	if (end == text || *end || isspace((unsigned char)text[0]) || !isfinite(number))
		return false;
	*real = number;
	return true;
}

/* Writes the digits with a comma before each group of three from the right. */
static void write_grouped(gemp_shown *out, const char *digits, size_t count)
{
	char *to = out->text;
	for (size_t i = 0; i < count; i++) {
		if (i && (count - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
}

/* The result is a value, so one printf can have several. */
gemp_shown gemp_grouped(uint64_t count)
{
	char digits[24];
	gemp_shown shown;
	int size = snprintf(digits, sizeof digits, "%" PRIu64, count);
	write_grouped(&shown, digits, (size_t)size);
	return shown;
}

/* Forms the plurals of the nouns in messages: vertex -> vertices, match -> matches, otherwise an s. */
gemp_shown gemp_counted(uint64_t count, const char *noun)
{
	gemp_shown shown = gemp_grouped(count);
	const size_t used = strlen(shown.text), length = strlen(noun);
	const bool vertex = length > 4 && strcmp(noun + length - 4, "rtex") == 0; /* vertices, but indexes */
	const bool sibilant = (length > 3 && strcmp(noun + length - 3, "tch") == 0) /* matches, but epochs */ ||
	                      (length > 0 && noun[length - 1] == 'x');
	const char *end = count == 1 ? "" : vertex ? "ices" : sibilant ? "es" : "s";
	const int stem = (int)(count != 1 && vertex ? length - 2 : length);
	snprintf(shown.text + used, sizeof shown.text - used, " %.*s%s", stem, noun, end);
	return shown;
}

/* A number that would print as 1024 takes the next unit, in which it prints as "1.0". */
gemp_shown gemp_shown_bytes(uint64_t bytes)
{
	static const char *const unit[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	gemp_shown shown;
	double value = (double)bytes;
	size_t i = 0;
	for (; value >= 1023.5 && i < 6; i++)
		value /= 1024;
	snprintf(shown.text, sizeof shown.text, i && value < 100 ? "%.1f %s" : "%.0f %s", value, unit[i]);
	return shown;
}

/* A slightly negative time, which differences of clocks may give, is shown as 0. */
gemp_shown gemp_shown_seconds(double seconds)
{
	double clamped = seconds > 0 && seconds < 1e15 ? seconds : 0;
	uint64_t milli = (uint64_t)llround(clamped * 1000);
	gemp_shown shown = gemp_grouped(milli / 1000);
	size_t used = strlen(shown.text);
	snprintf(shown.text + used, sizeof shown.text - used, ".%03u", (unsigned)(milli % 1000));
	return shown;
}
