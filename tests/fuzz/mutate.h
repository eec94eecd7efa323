/* mutate: small random mutations of a text, made from a seed. MUTATE_NO_FILES leaves out the functions that write and
 * compress files. */
#ifndef GEMP_TESTS_MUTATE_H
#define GEMP_TESTS_MUTATE_H

#include "harness/harness.h"

#include "core/random.h"
#include "core/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef MUTATE_NO_FILES
#include <bzlib.h>
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

/* Makes one mutation. tokens: words that are special for the format's reader. */
static void mutate(gemp_text *text, const char *const *tokens, size_t token_count)
{
	size_t at = below(text->size + 1), size = text->size - at, some = size ? below(size < 9 ? size : 9) : 0;
	const char *token = tokens[below(token_count)];
	switch (below(6)) {
	case 0: /* replaces a byte */
		if (size)
			text->data[at] = (char)below(256);
		break;
	case 1: insert(text, at, token, strlen(token)); break;
	case 2: /* removes some bytes */
		memmove(text->data + at, text->data + at + some, size - some);
		text->size -= some;
		break;
	case 3: { /* repeats some bytes */
		char copy[9];
		memcpy(copy, text->data + at, some);
		insert(text, at, copy, some);
		break;
	}
	case 4: /* truncates the text */ text->size = below(8) ? text->size : at; break;
	default:
		if (size)
			text->data[at] ^= (char)(1 << below(8));
	}
}

#ifndef MUTATE_NO_FILES
typedef enum packer { ZSTD, GZIP, BZIP2, PACKERS } packer;

static void compress_text(gemp_text *text, packer by)
{
	char packed[8192];
	size_t size;
	if (by == BZIP2) {
		unsigned written = sizeof packed;
		assert_int_equal(
			BZ2_bzBuffToBuffCompress(packed, &written, text->data ? text->data : packed, (unsigned)text->size, 1, 0, 0),
			BZ_OK);
		size = written;
	} else if (by == GZIP) {
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

/* Writes the text to a file in the test's folder. Returns its path. */
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

/* Returns GEMP_FUZZ_ROUNDS, or `standard` if it is not set. */
static int fuzz_rounds(int standard)
{
	const char *asked = getenv("GEMP_FUZZ_ROUNDS");
	return asked ? atoi(asked) : standard;
}

/* In a run of at least 100 rounds, more than 5 % must succeed and more than 5 % must fail; otherwise the mutations are
 * too weak or too strong. */
static void fuzz_was_mixed(int good, int rounds)
{
	printf("%d of %d were good\n", good, rounds);
	assert_true(rounds < 100 || (good > rounds / 20 && good < rounds - rounds / 20));
}

#endif
