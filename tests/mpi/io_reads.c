/* Tests reads of random FASTA and FASTQ files that are cut anywhere by byte ranges: all letters must come once and in
 * order, with the begin of each sequence. */
#include "core/memory.h"
#include "harness/collective.h"

#include "comm/comm.h"
#include "core/random.h"
#include "core/status.h"
#include "core/text.h"
#include "io/text/fasta.h"

#include <stdio.h>
#include <string.h>

static gemp_code take_letters(void *self, const char *letters, size_t size)
{
	gemp_text_add(self, size ? letters : ">", size ? size : 1);
	return gemp_text_status(self);
}

static void add_newline(gemp_text *file, bool crlf)
{
	gemp_text_add(file, "\r\n" + !crlf, 1 + crlf);
}

/* Draws a file. *expected gets its letters, with a '>' where a sequence begins. */
static void draw_file(gemp_text *file, gemp_text *expected, bool fastq, uint64_t *random)
{
	uint64_t sequences = 1 + gemp_random_below(random, 30), longest = 1 + gemp_random_below(random, 60);
	uint64_t width = 1 + gemp_random_below(random, 30);
	bool crlf = gemp_random_below(random, 2), ends = gemp_random_below(random, 2);
	for (uint64_t s = 0; s < sequences; s++) {
		uint64_t size = gemp_random_below(random, longest);
		gemp_text_print(file, "%cread %d", fastq ? '@' : '>', (int)s);
		add_newline(file, crlf);
		gemp_text_add(expected, ">", 1);
		for (uint64_t i = 0; i < size; i++) {
			if (!fastq && i > 0 && i % width == 0)
				add_newline(file, crlf);
			gemp_text_add(file, &"ACGTNacgtn"[gemp_random_below(random, 10)], 1);
			gemp_text_add(expected, file->data + file->size - 1, 1);
		}
		if (fastq || size)
			add_newline(file, crlf);
		if (!fastq && gemp_random_below(random, 5) == 0)
			add_newline(file, crlf);
		if (fastq)
			gemp_text_print(file, "+%s\n", gemp_random_below(random, 2) ? "read" : "");
		for (uint64_t i = 0; i < size && fastq; i++)
			gemp_text_add(file, &"@+>!I"[gemp_random_below(random, 5)], 1);
		if (fastq && (ends || s + 1 < sequences || size == 0))
			add_newline(file, crlf);
	}
	for (uint64_t empty = fastq && ends ? gemp_random_below(random, 4) : 0; empty > 0; empty--)
		add_newline(file, crlf);
}

/* Collective. Rank 0 writes the file. Returns its path. */
static const char *write_all(const char *name, const gemp_text *file)
{
	const char *path = test_path_all(name);
	bool good = true;
	if (test_comm.rank == 0) {
		FILE *out = fopen(path, "wb");
		good = out && fwrite(file->data, 1, file->size, out) == file->size;
		good = out && fclose(out) == 0 && good;
	}
	assert_all(good);
	return path;
}

static void random_files(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	for (int c = 0; c < (test_comm.size > 4 ? 20 : 60); c++) {
		gemp_text file = { 0 }, expected = { 0 }, mine = { 0 };
		gemp_fasta reads;
		char *all = NULL;
		size_t *begin = NULL;
		draw_file(&file, &expected, c % 2, &random);
		assert_all_ok(gemp_fasta_visit(&reads, &test_comm, write_all("reads", &file), (size_t)c, take_letters, &mine));
		assert_all_ok(gemp_comm_allgather(&test_comm, GEMP_OK, mine.data, mine.size, (void **)&all, &begin));
		bool good = begin[test_comm.size] == expected.size && memcmp(all, expected.data, expected.size) == 0;
		if (!good && test_comm.rank == 0)
			fprintf(stderr, "case %d:\n%s\nexpected %s\n     got %.*s\n", c, file.data, expected.data,
			        (int)begin[test_comm.size], all);
		assert_all(good && reads.bytes == file.size && reads.sequences + reads.letters == expected.size);
		gemp_free(all);
		gemp_free(begin);
		gemp_text_free(&file);
		gemp_text_free(&expected);
		gemp_text_free(&mine);
	}
}

/* A read with 8 letters and 7 quality signs is an error with its line, even if the letters and the signs are on
 * different ranks. */
static void wrong_length_of_quality(void **state)
{
	(void)state;
	for (int wrong = 0; wrong < 8; wrong++) {
		gemp_text file = { 0 }, mine = { 0 };
		gemp_fasta reads;
		char place[64];
		for (int s = 0; s < 8; s++)
			gemp_text_print(&file, "@r\nACGTACGT\n+\n%s\n", s == wrong ? "!!!!!!!" : "!!!!!!!!");
		snprintf(place, sizeof place, "reads:%d: 7 signs of quality for 8 letters", 4 * wrong + 4);
		assert_all_code(gemp_fasta_visit(&reads, &test_comm, write_all("reads", &file), 0, take_letters, &mine),
		                GEMP_EDATA);
		assert_message(place);
		gemp_text_free(&file);
		gemp_text_free(&mine);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_files),
		cmocka_unit_test(wrong_length_of_quality),
	};
	return test_main_all(argc, argv, tests);
}
