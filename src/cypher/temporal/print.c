/* print: the texts of temporal values (gemp_temporal_text of temporal.h). Each text reads back as the same value. */
#include "cypher/temporal/print.h"
#include "cypher/temporal/parts.h"
#include "cypher/temporal/temporal.h"

#include <inttypes.h>

/* ISO 8601 wants a sign for years of other than four digits. */
static void print_date(int64_t days, gemp_text *out)
{
	gemp_calendar_date date = gemp_calendar_date_of(days);
	int64_t year = date.year < 0 ? -date.year : date.year;
	gemp_text_print(out, "%s%04" PRId64 "-%02d-%02d",
	                date.year < 0 ? "-"
	                : year > 9999 ? "+"
	                              : "",
	                year, date.month, date.day);
}

/* .142: a fraction without zeros at its end; nothing for 0 */
static void print_fraction(int64_t nanos, gemp_text *out)
{
	if (nanos == 0)
		return;
	int digits = 9;
	for (; nanos % 10 == 0; digits--)
		nanos /= 10;
	gemp_text_print(out, ".%0*" PRId64, digits, nanos);
}

static void print_time(int64_t nanos, gemp_text *out)
{
	int64_t seconds = nanos / GEMP_SECOND_NANOS;
	gemp_text_print(out, "%02d:%02d", (int)(seconds / 3600), (int)(seconds / 60 % 60));
	if (nanos % (60 * GEMP_SECOND_NANOS) != 0)
		gemp_text_print(out, ":%02d", (int)(seconds % 60));
	print_fraction(nanos % GEMP_SECOND_NANOS, out);
}

void gemp_temporal_print_offset(int32_t offset, gemp_text *out)
{
	if (offset == 0) {
		gemp_text_add(out, "Z", 1);
		return;
	}
	int32_t size = offset < 0 ? -offset : offset;
	gemp_text_print(out, "%c%02d:%02d", offset < 0 ? '-' : '+', size / 3600, size / 60 % 60);
	if (size % 60 != 0)
		gemp_text_print(out, ":%02d", size % 60);
}

static void print_amount(int64_t amount, char unit, gemp_text *out)
{
	if (amount != 0)
		gemp_text_print(out, "%" PRId64 "%c", amount, unit);
}

/* Each number has its own sign. Days are not carried into months, and hours are not carried into days. */
static void print_duration(const gemp_duration *duration, gemp_text *out)
{
	/* The time as seconds and nanos of one sign. */
	int64_t seconds = duration->seconds, nanos = duration->nanos;
	if (seconds < 0 && nanos > 0) {
		seconds++;
		nanos -= GEMP_SECOND_NANOS;
	}
	gemp_text_add(out, "P", 1);
	print_amount(duration->months / 12, 'Y', out);
	print_amount(duration->months % 12, 'M', out);
	print_amount(duration->days, 'D', out);
	bool no_time = seconds == 0 && nanos == 0;
	if (no_time && (duration->months != 0 || duration->days != 0))
		return;
	gemp_text_add(out, "T", 1);
	print_amount(seconds / 3600, 'H', out);
	print_amount(seconds / 60 % 60, 'M', out);
	if (no_time || seconds % 60 != 0 || nanos != 0) {
		int64_t rest = seconds % 60;
		gemp_text_print(out, "%s%d", rest < 0 || nanos < 0 ? "-" : "", (int)(rest < 0 ? -rest : rest));
		print_fraction(nanos < 0 ? -nanos : nanos, out);
		gemp_text_add(out, "S", 1);
	}
}

gemp_code gemp_temporal_text(gemp_datum value, gemp_text *out)
{
	if (value.kind == GEMP_DATUM_DURATION) {
		print_duration(value.duration, out);
		return gemp_text_status(out);
	}
	gemp_temporal_parts parts = gemp_temporal_split(value);
	if (parts.has_date)
		print_date(parts.days, out);
	if (parts.has_date && parts.has_time)
		gemp_text_add(out, "T", 1);
	if (parts.has_time)
		print_time(parts.nanos, out);
	if (parts.has_zone)
		gemp_temporal_print_offset(parts.offset, out);
	if (parts.zone)
		gemp_text_print(out, "[%s]", parts.zone);
	return gemp_text_status(out);
}
