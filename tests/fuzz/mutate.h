/* mutate: small damage to a text, by a seeded stream. MUTATE_NO_FILES leaves out what writes and packs files. */
#ifndef GEMP_TESTS_MUTATE_H
#define GEMP_TESTS_MUTATE_H

#include "harness/harness.h"

#include "core/random.h"
#include "core/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef MUTATE_NO_FILES
#include <zlib.h>
#include <zstd.h>
#endif

static uint64_t seed;

static uint64_t below(uint64_t bound)
{
	return gemp_random_below(&seed, bound);
}

static void insert(gemp_text *text, size_t at, const char *bytes, size_t size)
{
	gemp_text_add(text, bytes, size);
	memmove(text->data + at + size, text->data + at, text->size - size - at);
	memcpy(text->data + at, bytes, size);
}

/* tokens: what the format's readers look for. */
static void mutate(gemp_text *text, const char *const *tokens, size_t token_count)
{
	size_t at = below(text->size + 1), size = text->size - at, some = size ? below(size < 9 ? size : 9) : 0;
	const char *token = tokens[below(token_count)];
	switch (below(6)) {
	case 0: /* a byte becomes another */
		if (size)
			text->data[at] = (char)below(256);
		break;
	case 1: insert(text, at, token, strlen(token)); break;
	case 2: /* some bytes go */
		memmove(text->data + at, text->data + at + some, size - some);
		text->size -= some;
		break;
	case 3: { /* some come twice */
		char copy[9];
		memcpy(copy, text->data + at, some);
		insert(text, at, copy, some);
		break;
	}
	case 4: /* cut */ text->size = below(8) ? text->size : at; break;
	default:
		if (size)
			text->data[at] ^= (char)(1 << below(8));
	}
}

#ifndef MUTATE_NO_FILES
/* The text as gzip or Zstandard. */
static void compress_text(gemp_text *text, bool gzip)
{
	char packed[8192];
	size_t size;
	if (gzip) {
		z_stream zlib = { .next_in = (unsigned char *)text->data,
			              .avail_in = (unsigned)text->size,
			              .next_out = (unsigned char *)packed,
			              .avail_out = sizeof packed };
		assert_int_equal(deflateInit2(&zlib, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
		assert_int_equal(deflate(&zlib, Z_FINISH), Z_STREAM_END);
		size = sizeof packed - zlib.avail_out;
		deflateEnd(&zlib);
	} else {
		size = ZSTD_compress(packed, sizeof packed, text->data, text->size, 1);
	}
	gemp_text_clear(text);
	gemp_text_add(text, packed, size);
}

/* In the test's folder; its path. */
static const char *write_text(const char *name, const gemp_text *text)
{
	const char *path = test_path(name);
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(text->data, 1, text->size, file), text->size);
	fclose(file);
	return path;
}
#endif

/* GEMP_FUZZ_ROUNDS, or so many. */
static int fuzz_rounds(int standard)
{
	const char *asked = getenv("GEMP_FUZZ_ROUNDS");
	return asked ? atoi(asked) : standard;
}

/* Of few rounds nothing is known; of many some are good and some are not. */
static void fuzz_was_mixed(int good, int rounds)
{
	printf("%d of %d were good\n", good, rounds);
	assert_true(rounds < 100 || (good > rounds / 20 && good < rounds - rounds / 20));
}

#endif
