/* Tests sizes, counts and reals as text: how they are parsed and printed. */
#include "harness/harness.h"

#include "core/quantity.h"

static void sizes(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint64_t bytes;
	} good[] = {
		{ "0", 0 },
		{ "1", 1 },
		{ "4096", 4096 },
		{ "4096B", 4096 },
		{ "64K", 65536 },
		{ "64k", 65536 },
		{ "64Ki", 65536 },
		{ "512MiB", UINT64_C(512) << 20 },
		{ "512mib", UINT64_C(512) << 20 },
		{ "2G", UINT64_C(2) << 30 },
		{ "2 G", UINT64_C(2) << 30 },
		{ "2GB", UINT64_C(2000000000) },
		{ "1.5G", UINT64_C(3) << 29 },
		{ "1T", UINT64_C(1) << 40 },
		{ "0.5K", 512 },
		{ "18446744073709551615", UINT64_MAX },
		{ "9007199254740993", UINT64_C(9007199254740993) }, /* 2^53 + 1 is no double */
	};
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		uint64_t bytes = 7;
		if (!gemp_parse_size(good[i].text, &bytes) || bytes != good[i].bytes)
			fail_msg("%s gives %llu", good[i].text, (unsigned long long)bytes);
	}
	static const char *const bad[] = {
		"",
		" ",
		"K",
		"-1",
		"+1",
		" 1",
		"12Q",
		"12 QB",
		"1e3",
		"0x10",
		"inf",
		"nan",
		"1..5",
		"1.5.2K",
		"64KK",
		"64KiBs",
		"18446744073709551616",
		"9000000T",
		"9223372036854775808K",
		"99999999999999999999999999999999",
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		uint64_t bytes;
		if (gemp_parse_size(bad[i], &bytes))
			fail_msg("'%s' is taken as %llu", bad[i], (unsigned long long)bytes);
	}
}

static void counts_and_reals(void **state)
{
	(void)state;
	uint64_t count;
	double real;
	assert_true(gemp_parse_count("18446744073709551615", &count) && count == UINT64_MAX);
	assert_true(gemp_parse_count("007", &count) && count == 7);
	assert_false(gemp_parse_count("18446744073709551616", &count));
	assert_false(gemp_parse_count("-1", &count));
	assert_false(gemp_parse_count("1.0", &count));
	assert_false(gemp_parse_count("", &count));
	assert_true(gemp_parse_real("0.8", &real) && real == 0.8);
	assert_true(gemp_parse_real("-1e3", &real) && real == -1000);
	assert_false(gemp_parse_real("", &real));
	assert_false(gemp_parse_real("inf", &real));
	assert_false(gemp_parse_real("nan", &real));
	assert_false(gemp_parse_real("0.8x", &real));
}

static void shown(void **state)
{
	(void)state;
	assert_string_equal(gemp_grouped(0).text, "0");
	assert_string_equal(gemp_grouped(999).text, "999");
	assert_string_equal(gemp_grouped(1000).text, "1,000");
	assert_string_equal(gemp_grouped(17068454).text, "17,068,454");
	assert_string_equal(gemp_grouped(UINT64_MAX).text, "18,446,744,073,709,551,615");
	assert_string_equal(gemp_counted(1, "vertex").text, "1 vertex");
	assert_string_equal(gemp_counted(0, "vertex").text, "0 vertices");
	assert_string_equal(gemp_counted(2, "index").text, "2 indexes");
	assert_string_equal(gemp_counted(2000, "match").text, "2,000 matches");
	assert_string_equal(gemp_counted(1, "match").text, "1 match");
	assert_string_equal(gemp_counted(30, "epoch").text, "30 epochs");
	assert_string_equal(gemp_counted(UINT64_MAX, "distinct number").text,
	                    "18,446,744,073,709,551,615 distinct numbers");
	assert_string_equal(gemp_shown_bytes(0).text, "0 B");
	assert_string_equal(gemp_shown_bytes(1023).text, "1023 B");
	assert_string_equal(gemp_shown_bytes(1024).text, "1.0 KiB");
	assert_string_equal(gemp_shown_bytes(1536).text, "1.5 KiB");
	assert_string_equal(gemp_shown_bytes(1048063).text, "1023 KiB");
	assert_string_equal(gemp_shown_bytes(1048064).text, "1.0 MiB");
	assert_string_equal(gemp_shown_bytes(UINT64_MAX).text, "16.0 EiB");
	assert_string_equal(gemp_shown_seconds(0).text, "0.000");
	assert_string_equal(gemp_shown_seconds(0.0004).text, "0.000");
	assert_string_equal(gemp_shown_seconds(1.9996).text, "2.000");
	assert_string_equal(gemp_shown_seconds(1234.567).text, "1,234.567");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),
		cmocka_unit_test(counts_and_reals),
		cmocka_unit_test(shown),
	};
	return test_main(tests);
}
