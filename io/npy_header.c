#include "io/npy_header.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_TEXT = 4096 };

size_t gemp_npy_length_bytes(const unsigned char start[GEMP_NPY_START])
{
	if (memcmp(start, "\x93NUMPY", 6) != 0 || start[6] < 1 || start[6] > 3)
		return 0;
	return start[6] == 1 ? 2 : 4;
}

static const char *value_of(const char *header, const char *key)
{
	const char *at = strstr(header, key);
	at = at ? strchr(at + strlen(key), ':') : NULL;
	return at ? at + 1 + strspn(at + 1, " ") : NULL;
}

static gemp_code refuse(const char *type)
{
	const char *remedy = strchr(type, 'c') ? "complex; save its real part"
	                   : strchr(type, 'O') ? "Python objects; convert it to numbers, as by a.astype('f4')"
	                                       : "not one that is read; save it as integers, floats (a.astype('f4')) or booleans";
	return gemp_fail(GEMP_EDATA, "is of type '%s': %s", type, remedy);
}

static gemp_code read_type(gemp_npy_header *n, const char *header)
{
	static const char good[] = " i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 b1 ";
	const char *at = value_of(header, "'descr'");
	char type[24], order, name[16], end;
	if (at && *at == '[')
		return gemp_fail(GEMP_EDATA, "is of records; save one of their fields, as a['x']");
	if (!at || sscanf(at, "'%23[^']%c", type, &end) != 2 || end != '\'')
		return gemp_fail(GEMP_EDATA, "has a damaged type");
	if (sscanf(type, "%c%c%u%c", &order, &n->kind, &n->width, &end) != 3 || !strchr("<>|=", order))
		return refuse(type);
	n->swapped = order == '>' && n->width > 1;
	snprintf(name, sizeof name, " %c%u ", n->kind, n->width);
	bool text = n->kind == 'S' || (n->kind == 'U' && !n->swapped);
	return strstr(good, name) || (text && n->width > 0 && n->width < LONGEST_TEXT) ? GEMP_OK : refuse(type);
}

static gemp_code read_shape(gemp_npy_header *n, const char *header)
{
	const char *at = value_of(header, "'shape'");
	if (!at || *at++ != '(')
		return gemp_fail(GEMP_EDATA, "has no shape");
	n->length = 1;
	n->dimensions = 0;
	while (*at != ')') {
		char *end;
		uint64_t size = strtoull(at, &end, 10);
		if (end == at || __builtin_mul_overflow(n->length, size, &n->length))
			return gemp_fail(GEMP_EDATA, "has a damaged shape");
		if (n->dimensions < 2)
			n->shape[n->dimensions] = size;
		n->dimensions++;
		at = end + strspn(end, "L, "); /* Python 2 wrote 3L */
	}
	return GEMP_OK;
}

gemp_code gemp_npy_parse_header(gemp_npy_header *out, const char *dictionary)
{
	const char *fortran = value_of(dictionary, "'fortran_order'");
	out->fortran = fortran && strncmp(fortran, "True", 4) == 0;
	gemp_code code = read_type(out, dictionary);
	return code == GEMP_OK ? read_shape(out, dictionary) : code;
}

/* ELEMENTS */

void gemp_npy_settle(const gemp_npy_header *header, void *elements, size_t count)
{
	unsigned char *at = elements;
	const unsigned width = header->width;
	for (size_t i = 0; header->swapped && i < count; i++, at += width)
		for (unsigned low = 0; low < width / 2; low++) {
			unsigned char byte = at[low];
			at[low] = at[width - 1 - low];
			at[width - 1 - low] = byte;
		}
}

float gemp_npy_half(const void *at)
{
	uint16_t bits;
	memcpy(&bits, at, sizeof bits);
	const int exponent = bits >> 10 & 31, fraction = bits & 1023;
	const float size = exponent == 31 ? (fraction ? NAN : INFINITY)
	                 : exponent ? ldexpf((float)(fraction + 1024), exponent - 25) : ldexpf((float)fraction, -24);
	return bits >> 15 ? -size : size;
}
