/* Tests streams of records: plain and compressed files, quoted records, ranges of a file, and hashes. */
#include "core/memory.h"
#include "harness/harness.h"

#include "core/random.h"
#include "core/status.h"
#include "core/text.h"
#include "io/file/source.h"
#include "io/file/stream.h"

#include <bzlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

/* Appends all records of a range to `out`, each as "line:text;". */
static gemp_code read_range(gemp_text *out, const char *path, bool quoted, uint64_t begin, uint64_t end)
{
	gemp_code code = GEMP_OK;
	gemp_stream *stream = NULL;
	char *record;
	size_t size;
	GEMP_TRY_DONE(gemp_stream_open(&stream, path, begin, end));
	do {
		GEMP_TRY_DONE(gemp_stream_next(stream, quoted, &record, &size));
		if (record)
			gemp_text_print(out, "%llu:%.*s;", (unsigned long long)gemp_stream_line(stream), (int)size, record);
	} while (record);
	code = gemp_text_status(out);
done:
	gemp_stream_close(stream);
	return code;
}

static void expect(const char *path, bool quoted, const char *expected)
{
	gemp_text text = { 0 };
	assert_ok(read_range(&text, path, quoted, 0, GEMP_STREAM_END));
	assert_string_equal(text.data ? text.data : "", expected);
	gemp_text_free(&text);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static const char *write_bytes(const char *name, const void *bytes, size_t size)
{
	const char *path = test_path(name);
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
	return path;
}

static void lines_have_numbers(void **state)
{
	(void)state;
	expect(test_file("a", "a\nb\n"), false, "1:a;2:b;");
	expect(test_file("a", "a\n\nb"), false, "1:a;2:;3:b;");
	expect(test_file("a", "\n"), false, "1:;");
	expect(test_file("a", "a\r\nb\r\n"), false, "1:a;2:b;");
	expect(test_file("a", "\xef\xbb\xbf"
	                      "a\nb"),
	       false, "1:a;2:b;");
	expect(test_file("a", "\xef\xbb"), false, "1:\xef\xbb;");
}

static void quoted_records_span_lines(void **state)
{
	(void)state;
	expect(test_file("a", "a,\"b\nc\"\nd\n"), true, "1:a,\"b\nc\";3:d;");
	expect(test_file("a", "\"a\"\"\n\"\r\nd"), true, "1:\"a\"\"\n\";3:d;");
	expect(test_file("a", "a,5\"\nb,6\"x\n"), true, "1:a,5\";2:b,6\"x;"); /* a stray quote does not join lines */
	expect(test_file("a", "\"\"\n\"\",\"\"\"\n\"\n"), true, "1:\"\";2:\"\",\"\"\"\n\";");
	gemp_text text = { 0 };
	assert_code(read_range(&text, test_file("a", "a\nb,\"c\nd\n"), true, 0, GEMP_STREAM_END), GEMP_EDATA);
	assert_message(":2: a quoted field");
	gemp_text_free(&text);
}

static void lines_longer_than_the_buffer_are_whole(void **state)
{
	(void)state;
	size_t size = 5 << 20;
	char *line = gemp_calloc(size + 3, 1);
	memset(line, 'x', size);
	memcpy(line + size, "\ny", 3);
	const char *path = test_file("long", line);
	gemp_stream *stream;
	char *record;
	size_t got;
	assert_ok(gemp_stream_open(&stream, path, 0, GEMP_STREAM_END));
	assert_ok(gemp_stream_next(stream, false, &record, &got));
	assert_int_equal(got, size);
	assert_memory_equal(record, line, size);
	assert_ok(gemp_stream_next(stream, false, &record, &got));
	assert_int_equal(got, 1);
	assert_ok(gemp_stream_next(stream, false, &record, &got));
	assert_null(record);
	gemp_stream_close(stream);
	gemp_free(line);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void endless_records_are_refused(void **state)
{
	(void)state;
	const char *path = test_file("endless", "x");
	gemp_text text = { 0 };
	assert_int_equal(truncate(path, (off_t)300 << 20), 0);
	assert_code(read_range(&text, path, false, 0, GEMP_STREAM_END), GEMP_EDATA);
	assert_message("longer than 256 MiB");
	assert_int_equal(gemp_memory_blocks(), 0);
}

/* Ranges that cover a file give each line once and in order, wherever the file is cut. */
static void ranges_give_each_line_once(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"a\nbb\n\nccc\r\ndddd\n", "a\nb", "\n\n\n", "only", "\xef\xbb\xbfhead\nx\n", "\xef\xbb\xbfhi", "x\n",
	};
	uint64_t seed = test_seed();
	for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
		size_t size = strlen(texts[t]);
		const char *path = test_file("ranges", texts[t]);
		for (int round = 0; round < 50; round++) {
			gemp_text parts = { 0 }, whole = { 0 };
			uint64_t at = 0, lines = 0;
			while (at < size) {
				uint64_t end = at + gemp_random_below(&seed, size - at + 1);
				gemp_stream *stream;
				char *record;
				size_t length;
				assert_ok(gemp_stream_open(&stream, path, at, end));
				for (;;) {
					assert_ok(gemp_stream_next(stream, false, &record, &length));
					if (!record)
						break;
					gemp_text_print(&parts, "%llu:%.*s;", (unsigned long long)(lines + gemp_stream_line(stream)),
					                (int)length, record);
				}
				lines += gemp_stream_line(stream) - 1;
				gemp_stream_close(stream);
				at = end;
			}
			assert_ok(read_range(&whole, path, false, 0, GEMP_STREAM_END));
			assert_string_equal(parts.data, whole.data);
			gemp_text_free(&parts);
			gemp_text_free(&whole);
		}
	}
	assert_int_equal(gemp_memory_blocks(), 0);
}

static size_t gzip(unsigned char *out, size_t room, const char *text)
{
	z_stream zlib = { 0 };
	assert_int_equal(deflateInit2(&zlib, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	zlib.next_in = (unsigned char *)(uintptr_t)text;
	zlib.avail_in = (unsigned)strlen(text);
	zlib.next_out = out;
	zlib.avail_out = (unsigned)room;
	assert_int_equal(deflate(&zlib, Z_FINISH), Z_STREAM_END);
	deflateEnd(&zlib);
	return room - zlib.avail_out;
}

static size_t zstd(unsigned char *out, size_t room, const char *text)
{
	size_t size = ZSTD_compress(out, room, text, strlen(text), 3);
	assert_false(ZSTD_isError(size));
	return size;
}

static size_t bzip2(unsigned char *out, size_t room, const char *text)
{
	unsigned size = (unsigned)room;
	char *from = (char *)(uintptr_t)text;
	assert_int_equal(BZ2_bzBuffToBuffCompress((char *)out, &size, from, (unsigned)strlen(text), 9, 0, 0), BZ_OK);
	return size;
}

static void compressed(size_t (*pack)(unsigned char *, size_t, const char *), const char *name, const char *unnamed)
{
	unsigned char bytes[512];
	size_t one = pack(bytes, sizeof bytes, "a\nb"), two = pack(bytes + one, sizeof bytes - one, "b\nc\n");
	gemp_text text = { 0 };
	gemp_stream_info info;
	expect(write_bytes(name, bytes, one + two), false, "1:a;2:bb;3:c;"); /* two members form one text */
	expect(write_bytes(unnamed, bytes, one), false, "1:a;2:b;");
	assert_ok(gemp_stream_inspect(test_path(unnamed), &info));
	assert_true(info.compressed && info.size == one);
	for (size_t cut = 1; cut < one + two; cut++) {
		if (cut == one)
			continue; /* a cut between the two members leaves a valid file */
		gemp_text_clear(&text);
		assert_code(read_range(&text, write_bytes(name, bytes, cut), false, 0, GEMP_STREAM_END), GEMP_EDATA);
		assert_message(name);
		assert_message("cut");
	}
	bytes[one / 2] ^= 0x55;
	bytes[one - 1] ^= 0x55;
	assert_code(read_range(&text, write_bytes(name, bytes, one), false, 0, GEMP_STREAM_END), GEMP_EDATA);
	gemp_text_free(&text);
	one = pack(bytes, sizeof bytes, "");
	assert_code(read_range(&text, write_bytes(name, bytes, one), false, 0, GEMP_STREAM_END), GEMP_EDATA);
	assert_message("is empty");
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void gzip_is_unpacked(void **state)
{
	(void)state;
	compressed(gzip, "t.tsv.gz", "packed-by-gzip");
}

static void zstandard_is_unpacked(void **state)
{
	(void)state;
	compressed(zstd, "t.tsv.zst", "packed-by-zstd");
}

static void bzip2_is_unpacked(void **state)
{
	(void)state;
	compressed(bzip2, "t.tsv.bz2", "packed-by-bzip2");
	expect(test_file("plain-text", "BZh9 is no bzip2\n"), false, "1:BZh9 is no bzip2;");
}

static void bad_files_are_named(void **state)
{
	(void)state;
	gemp_stream *stream;
	gemp_stream_info info;
	assert_code(gemp_stream_inspect(test_path("nothing"), &info), GEMP_ENOINPUT);
	assert_message("nothing: cannot be read: No such file");
	assert_code(gemp_stream_open(&stream, test_path("nothing"), 0, GEMP_STREAM_END), GEMP_ENOINPUT);
	assert_code(gemp_stream_open(&stream, test_folder(), 0, GEMP_STREAM_END), GEMP_ENOINPUT);
	assert_message("not a regular file");
	assert_code(gemp_stream_open(&stream, test_file("empty", ""), 0, GEMP_STREAM_END), GEMP_EDATA);
	assert_message("is empty");
	assert_code(gemp_stream_inspect(test_file("x.gz", "plain"), &info), GEMP_EDATA);
	assert_message("does not begin like a gzip file");
	assert_code(gemp_stream_inspect(test_file("x.zst", "plain"), &info), GEMP_EDATA);
	assert_code(gemp_stream_inspect(test_file("x.bz2", "plain"), &info), GEMP_EDATA);
	assert_message("does not begin like a bzip2 file");
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void hashes_are_xxh3(void **state)
{
	(void)state;
	uint64_t hash;
	assert_ok(gemp_source_hash(test_file("h", "abc\n"), &hash));
	assert_true(hash == gemp_hash("abc\n", 4, 0));
	assert_code(gemp_source_hash(test_path("nothing"), &hash), GEMP_ENOINPUT);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static gemp_code read_all(void *path)
{
	gemp_stream *stream = NULL;
	char *record;
	size_t size;
	gemp_code code = gemp_stream_open(&stream, path, 0, GEMP_STREAM_END);
	if (code == GEMP_OK)
		do
			code = gemp_stream_next(stream, false, &record, &size);
		while (code == GEMP_OK && record);
	gemp_stream_close(stream);
	return code;
}

/* Threads read blocks above 2 MiB, and hash a file in blocks of 8 MiB: of files that end within, at and behind a block,
 * with any size of the caller's buffer, the bytes must be the file's. */
static void large_files_are_read_by_threads(void **state)
{
	(void)state;
	enum { MIB = 1 << 20 };
	static const size_t sizes[] = { 8 * MIB - 1, 8 * MIB, 16 * MIB, 17 * MIB + 123 },
						capacities[] = { 3 * MIB + 5, 20 * MIB };
	const char *path = test_path("large.txt");
	uint64_t seed = test_seed();
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		char *bytes = malloc(sizes[i]), *found = malloc(sizes[i] + capacities[1]);
		uint64_t hash = 0;
		for (size_t b = 0; b < sizes[i]; b++)
			bytes[b] = (char)(gemp_random(&seed) | 64); /* never the beginning of a compressed file */
		FILE *file = fopen(path, "wb");
		assert_true(file && fwrite(bytes, 1, sizes[i], file) == sizes[i] && fclose(file) == 0);
		assert_ok(gemp_source_hash(path, &hash));
		assert_true(hash == gemp_hash(bytes, sizes[i], 0));
		for (size_t c = 0; c < 2; c++) {
			gemp_source *source = NULL;
			size_t at = 0, got = 1;
			assert_ok(gemp_source_open(&source, path, 0, false));
			while (got) {
				assert_ok(gemp_source_read(source, found + at, capacities[c], &got));
				at += got;
				assert_int_equal(gemp_source_position(source), at);
			}
			assert_true(at == sizes[i] && memcmp(bytes, found, at) == 0);
			gemp_source_close(source);
		}
		free(bytes);
		free(found);
	}
	unlink(path);
}

static void memory_may_run_out(void **state)
{
	(void)state;
	unsigned char bytes[64];
	char path[512];
	snprintf(path, sizeof path, "%s", write_bytes("m.gz", bytes, gzip(bytes, sizeof bytes, "a\nb\n")));
	assert_survives_no_memory(read_all, path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_have_numbers),
		cmocka_unit_test(quoted_records_span_lines),
		cmocka_unit_test(lines_longer_than_the_buffer_are_whole),
		cmocka_unit_test(endless_records_are_refused),
		cmocka_unit_test(ranges_give_each_line_once),
		cmocka_unit_test(gzip_is_unpacked),
		cmocka_unit_test(zstandard_is_unpacked),
		cmocka_unit_test(bzip2_is_unpacked),
		cmocka_unit_test(bad_files_are_named),
		cmocka_unit_test(hashes_are_xxh3),
		cmocka_unit_test(large_files_are_read_by_threads),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main(tests);
}
