/* Tests how lines are split into cells (TSV, CSV, blanks), and the check of UTF-8. */
#include "core/memory.h"
#include "harness/harness.h"

#include "core/status.h"
#include "io/text/cells.h"

#include <string.h>

static gemp_cells cells;
static char record[256];

/* Compares the cells with `joined`, in which | separates cells and ~ stands for NULL. */
static void expect(const char *joined)
{
	char text[512] = "";
	for (size_t i = 0; i < cells.count; i++) {
		strcat(text, i ? "|" : "");
		if (cells.cell[i].null)
			strcat(text, "~");
		else
			strncat(text, cells.cell[i].bytes, cells.cell[i].size);
	}
	assert_string_equal(text, joined);
}

static void tsv(const char *line, const char *joined)
{
	assert_ok(gemp_cells_tsv(&cells, line, strlen(line)));
	expect(joined);
}

static gemp_code csv_code(const char *line)
{
	strcpy(record, line);
	return gemp_cells_csv(&cells, record, strlen(line));
}

static void csv(const char *line, const char *joined)
{
	assert_ok(csv_code(line));
	expect(joined);
}

static void blanks(const char *line, const char *joined)
{
	assert_ok(gemp_cells_blanks(&cells, line, strlen(line)));
	expect(joined);
}

static void tabs_separate_and_nothing_is_quoted(void **state)
{
	(void)state;
	tsv("", "~");
	tsv("a", "a");
	tsv("\t", "~|~");
	tsv("a\tb\t", "a|b|~");
	tsv("\"a\"\t\"\"\ta,b", "\"a\"|\"\"|a,b");
	gemp_cells_free(&cells);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void csv_is_rfc_4180(void **state)
{
	(void)state;
	csv("", "~");
	csv(",", "~|~");
	csv("a,b,", "a|b|~");
	csv("\"\"", "");
	csv("\"\",,\"\"", "|~|");
	csv("\"a,b\",\"c\nd\"", "a,b|c\nd");
	csv("\"say \"\"hi\"\"\",x", "say \"hi\"|x");
	csv("\"\"\"\"", "\"");
	csv(" a , b ", " a | b ");
	gemp_cells_free(&cells);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void wrong_quotes_are_refused(void **state)
{
	(void)state;
	assert_code(csv_code("a,\"b"), GEMP_EDATA);
	assert_message("field 2");
	assert_code(csv_code("\"b\"c,d"), GEMP_EDATA);
	assert_message("after the closing quote");
	assert_code(csv_code("a,b\"c\",d"), GEMP_EDATA);
	assert_message("not quoted");
	assert_code(csv_code("\""), GEMP_EDATA);
	gemp_cells_free(&cells);
}

static void blanks_separate_words(void **state)
{
	(void)state;
	blanks("", "");
	blanks(" \t ", "");
	blanks("1 2", "1|2");
	blanks("  1\t \t2  ", "1|2");
	gemp_cells_free(&cells);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static size_t utf8(const char *text)
{
	return gemp_utf8_check(text, strlen(text));
}

static void utf8_is_checked(void **state)
{
	(void)state;
	const char *valid = "plain text of more than eight bytes, ä €  𝄞 \xf4\x8f\xbf\xbf";
	assert_int_equal(utf8(valid), strlen(valid));
	assert_int_equal(utf8("abcdefgh\xff"), 8);
	assert_int_equal(utf8("ab\xc0\xaf"), 2);       /* overlong */
	assert_int_equal(utf8("\xe0\x80\xaf"), 0);     /* overlong */
	assert_int_equal(utf8("\xf0\x80\x80\xaf"), 0); /* overlong */
	assert_int_equal(utf8("\xed\xa0\x80"), 0);     /* surrogate */
	assert_int_equal(utf8("\xf4\x90\x80\x80"), 0); /* beyond U+10FFFF */
	assert_int_equal(utf8("a\xc3"), 1);            /* truncated */
	assert_int_equal(utf8("a\x80"), 1);            /* a continuation byte without a first byte */
	assert_int_equal(gemp_utf8_check("0123456\0x", 9), 7);
	assert_int_equal(gemp_utf8_check("", 0), 0);
}

/* A plain decoder, which reads one character at a time. The fast decoder reads eight bytes at a time, so both are
 * compared on every string of up to three bytes behind a prefix. */
static size_t slow_utf8(const unsigned char *text, size_t size)
{
	size_t at = 0;
	while (at < size) {
		uint32_t c = text[at], least = 0;
		size_t more = c < 0x80 ? 0 : c >> 5 == 6 ? 1 : c >> 4 == 14 ? 2 : c >> 3 == 30 ? 3 : 9;
		if (c == 0 || more == 9 || at + more >= size + (more == 0))
			return at;
		c = more == 1 ? c & 31 : more == 2 ? c & 15 : more == 3 ? c & 7 : c;
		least = more == 1 ? 0x80 : more == 2 ? 0x800 : more == 3 ? 0x10000 : 0;
		for (size_t i = 1; i <= more; i++) {
			if (text[at + i] >> 6 != 2)
				return at;
			c = c << 6 | (text[at + i] & 63);
		}
		if (c < least || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
			return at;
		at += more + 1;
	}
	return size;
}

static void utf8_agrees_with_a_plain_decoder(void **state)
{
	(void)state;
	unsigned char text[10] = "abcdef";
	for (uint32_t bytes = 0; bytes < UINT32_C(1) << 24; bytes += bytes >> 16 < 0xc0 ? 8 : 1) {
		text[6] = (unsigned char)(bytes >> 16);
		text[7] = (unsigned char)(bytes >> 8);
		text[8] = (unsigned char)bytes;
		if (gemp_utf8_check((const char *)text, 9) != slow_utf8(text, 9))
			fail_msg("bytes %06x", bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tabs_separate_and_nothing_is_quoted),
		cmocka_unit_test(csv_is_rfc_4180),
		cmocka_unit_test(wrong_quotes_are_refused),
		cmocka_unit_test(blanks_separate_words),
		cmocka_unit_test(utf8_is_checked),
		cmocka_unit_test(utf8_agrees_with_a_plain_decoder),
	};
	return test_main(tests);
}
