/* Tests headers of .npy files, and the conversion of numbers to the byte order of this machine: all 16-bit floats and
 * both byte orders. */
#include "core/status.h"
#include "io/arrays/npz.h"

#include "harness/harness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static gemp_code parse(gemp_npy_header *out, const char *type, const char *shape)
{
	char text[256];
	snprintf(text, sizeof text, "{'descr': %s, 'fortran_order': False, 'shape': %s, }", type, shape);
	return gemp_npy_parse_header(out, text);
}

static void halves(void **state)
{
	(void)state;
	for (unsigned bits = 0; bits < 1 << 16; bits++) {
		const uint16_t half = (uint16_t)bits;
		const double exponent = bits >> 10 & 31, part = (bits & 1023) / 1024.;
		double value = exponent > 0 ? (1 + part) * pow(2, exponent - 15) : part * pow(2, -14);
		const float found = gemp_npy_half(&half);
		if (exponent == 31)
			value = part > 0 ? (double)NAN : (double)INFINITY;
		assert_true(isnan(value) ? isnan(found) : fabs((double)found) == value);
		assert_int_equal(signbit(found) != 0, bits >> 15);
	}
	/* limits from numpy.finfo */
	assert_true(gemp_npy_half("\xff\x7b") == 65504 && gemp_npy_half("\x01\x00") == 0x1p-24f);
}

static void orders(void **state)
{
	gemp_npy_header header;
	uint16_t two[] = { 0x0102, 0xfffe };
	uint64_t eight[] = { 0x0102030405060708 };
	uint8_t one[] = { 1, 2 };
	(void)state;
	assert_int_equal(parse(&header, "'>u2'", "(2,)"), GEMP_OK);
	assert_true(header.swapped && header.width == 2 && header.kind == 'u' && header.length == 2);
	gemp_npy_to_native(&header, two, 2);
	assert_true(two[0] == 0x0201 && two[1] == 0xfeff);
	assert_int_equal(parse(&header, "'>i8'", "()"), GEMP_OK);
	assert_true(header.length == 1 && header.dimensions == 0);
	gemp_npy_to_native(&header, eight, 1);
	assert_true(eight[0] == 0x0807060504030201);
	assert_int_equal(parse(&header, "'<u2'", "(2, 1)"), GEMP_OK);
	gemp_npy_to_native(&header, two, 2);
	assert_true(two[0] == 0x0201 && !header.swapped);
	assert_int_equal(parse(&header, "'|b1'", "(2L, 3L)"), GEMP_OK);
	gemp_npy_to_native(&header, one, 2);
	assert_true(one[0] == 1 && one[1] == 2 && header.length == 6 && header.shape[1] == 3);
	assert_int_equal(parse(&header, "'<U5'", "()"), GEMP_OK);
	assert_true(header.kind == 'U' && header.width == 5);
}

static void refusals(void **state)
{
	static const struct {
		const char *type, *shape, *says;
	} cases[] = {
		{ "'<c16'", "(2,)", "is of type '<c16': complex" },
		{ "'|O'", "(2,)", "is of type '|O': Python objects" },
		{ "'>U5'", "(2,)", "is of type '>U5'" },
		{ "'<f3'", "(2,)", "'<f3'" },
		{ "'<f16'", "(2,)", "'<f16'" },
		{ "'<i'", "(2,)", "'<i'" },
		{ "'!i4'", "(2,)", "'!i4'" },
		{ "'<i44'", "(2,)", "'<i44'" },
		{ "'<M8[ns]'", "(2,)", "'<M8[ns]'" },
		{ "[('a', '<f4')]", "(2,)", "is of records" },
		{ "'<f4", "(2,)", "is of type" },
		{ "''", "(2,)", "has a damaged type" },
		{ "7", "(2,)", "has a damaged type" },
		{ "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'", "(2,)", "has a damaged type" },
		{ "'<f4'", "2", "has no shape" },
		{ "'<f4'", "(2, -1)", "has a damaged shape" },
		{ "'<f4'", "(2", "has a damaged shape" },
		{ "'<f4'", "(4294967296, 4294967296)", "has a damaged shape" },
	};
	gemp_npy_header header;
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(parse(&header, cases[i].type, cases[i].shape), GEMP_EDATA);
		if (!strstr(gemp_message(), cases[i].says))
			print_error("%s %s: '%s'\n", cases[i].type, cases[i].shape, gemp_message());
		assert_non_null(strstr(gemp_message(), cases[i].says));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(halves), cmocka_unit_test(orders),
		                                cmocka_unit_test(refusals) };
	return test_main(tests);
}
