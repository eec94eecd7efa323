#include "io/npy_header.h"

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

static const char *read_type(gemp_npy_header *n, const char *header)
{
	const char *at = value_of(header, "'descr'");
	char end;
	if (!at || sscanf(at, "'%*[<|=]%c%u%c", &n->kind, &n->width, &end) != 3 || end != '\'')
		return at && at[0] == '\'' && at[1] == '>' ? "is big-endian; save it as little-endian (a.astype(a.dtype.newbyteorder('<')))"
		                                           : "has a type that is no number";
	static const char *const good[] = { "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "b1" };
	char type[16];
	snprintf(type, sizeof type, "%c%u", n->kind, n->width);
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		if (strcmp(type, good[i]) == 0)
			return NULL;
	if ((n->kind == 'S' || n->kind == 'U') && n->width > 0 && n->width < LONGEST_TEXT)
		return NULL;
	return n->kind == 'c' ? "is complex; save its real part" : n->kind == 'O' ? "holds Python objects; convert it "
	       "to numbers" : "has a type that is not supported; there are integers, 32- and 64-bit floats and booleans";
}

static const char *read_shape(gemp_npy_header *n, const char *header)
{
	const char *at = value_of(header, "'shape'");
	if (!at || *at++ != '(')
		return "has no shape";
	n->length = 1;
	n->dimensions = 0;
	while (*at != ')') {
		char *end;
		uint64_t size = strtoull(at, &end, 10);
		if (end == at || __builtin_mul_overflow(n->length, size, &n->length))
			return "has a damaged shape";
		if (n->dimensions < 2)
			n->shape[n->dimensions] = size;
		n->dimensions++;
		at = end + strspn(end, ", ");
	}
	return NULL;
}

const char *gemp_npy_parse_header(gemp_npy_header *out, const char *dictionary)
{
	const char *why = read_type(out, dictionary), *fortran = value_of(dictionary, "'fortran_order'");
	out->fortran = fortran && strncmp(fortran, "True", 4) == 0;
	return why ? why : read_shape(out, dictionary);
}
