/* Tests the assembly of the public library. A random genome must be assembled from its reads letter by letter, with the
 * counts that follow from its length. Wrong settings are named in messages. */
#include "face_case.h"

#include "gemp/assembly.h"

enum { GENOME = 3000, READ = 100, STEP = 20, K = 31 };

static char genome[GENOME + 1];

/* Collective. Writes reads of a random genome to a file. Neighbouring reads overlap by READ - STEP letters, which is
 * more than K, so every k-mer is in some read. */
static const char *write_reads(uint64_t seed)
{
	const char *path = test_path_all("reads.fa");
	uint64_t random = seed;
	for (size_t i = 0; i < GENOME; i++)
		genome[i] = "ACGT"[gemp_random_below(&random, 4)];
	if (test_comm.rank == 0) {
		FILE *file = fopen(path, "w");
		for (size_t at = 0; at + READ <= GENOME; at += STEP)
			fprintf(file, ">read%zu\n%.*s\n", at, READ, genome + at);
		fclose(file);
	}
	MPI_Barrier(test_comm.world);
	return path;
}

/* Returns the letters of the single sequence of a FASTA file, or NULL on ranks other than 0. The caller frees them. */
static char *read_letters(const char *path)
{
	char line[256], *letters = NULL;
	if (test_comm.rank != 0)
		return NULL;
	letters = calloc(GENOME + 256, 1);
	FILE *file = fopen(path, "r");
	while (file && fgets(line, sizeof line, file) && strlen(letters) <= GENOME)
		if (line[0] != '>')
			strncat(letters, line, strcspn(line, "\n"));
	if (file)
		fclose(file);
	return letters;
}

static gemp_assembly_settings settings_of(const char *const *reads, const char *output)
{
	gemp_assembly_settings settings;
	gemp_assembly_settings_init(&settings);
	settings.reads = reads;
	settings.read_count = 1;
	settings.output = output;
	settings.one_strand = true;
	return settings;
}

static void genome_from_reads(void **state)
{
	(void)state;
	const char *const reads[] = { write_reads(test_seed_all()) };
	const gemp_assembly_settings settings = settings_of(reads, test_path_all("contigs.fa"));
	gemp_report *report;
	uint64_t sequences = 0, distinct = 0, unitigs = 0;
	assert_all_ok(gemp_report_open(&report, api, NULL));
	assert_all_ok(gemp_assemble(api, &settings, report));
	const bool first = test_comm.rank == 0;
	assert_all(first == gemp_report_count(report, "reads.sequences", &sequences));
	assert_all(first == gemp_report_count(report, "kmers.distinct", &distinct));
	assert_all(first == gemp_report_count(report, "unitigs.count", &unitigs));
	/* The probability that a random genome of 3,000 letters repeats a word of 31 letters is about 10^-12. */
	assert_all(!first || (sequences == (GENOME - READ) / STEP + 1 && distinct == GENOME - K + 1 && unitigs == 1));
	char *letters = read_letters(settings.output);
	assert_all(!first || strcmp(letters, genome) == 0);
	free(letters);
	gemp_report_close(report);
	assert_all_ok(gemp_assemble(api, &settings, NULL));
}

static void mistakes(void **state)
{
	(void)state;
	const char *const reads[] = { write_reads(test_seed_all()) };
	gemp_assembly_settings settings = settings_of(reads, NULL);
	assert_all_fails(gemp_assemble(api, &settings, NULL), GEMP_EUSAGE, "output must name the FASTA file to write");
	settings.output = test_path_all("contigs.fa");
	settings.kmer = 32;
	assert_all_fails(gemp_assemble(api, &settings, NULL), GEMP_EUSAGE, "kmer must have 2 to 31 letters; got 32");
	settings.kmer = K;
	settings.read_count = 0;
	assert_all_fails(gemp_assemble(api, &settings, NULL), GEMP_EUSAGE, "reads must name one file of reads at least");
	settings.read_count = 1;
	settings.copies = (gemp_assembly_copies)3;
	assert_all_fails(gemp_assemble(api, &settings, NULL), GEMP_EUSAGE, "copies 3 is none of gemp_assembly_copies");
	settings.copies = GEMP_COPIES_ONE;
	settings.unitigs = settings.gfa = "-";
	assert_all_fails(gemp_assemble(api, &settings, NULL), GEMP_EUSAGE,
	                 "only one of output, unitigs and gfa can be -, which is standard output");
	settings.unitigs = settings.gfa = NULL;
	settings.min_count = 99;
	assert_all_fails(
		gemp_assemble(api, &settings, NULL), GEMP_EDATA,
		"none of 2970 distinct k-mers occurs 99 times; give a smaller min-count, or, where reads are few, a "
		"shorter kmer");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_api),
		cmocka_unit_test(genome_from_reads),
		cmocka_unit_test(mistakes),
		cmocka_unit_test(close_api),
	};
	return test_main_all(argc, argv, tests);
}
