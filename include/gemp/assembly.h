/* gemp/assembly.h: assembles DNA from reads (docs/assembly.md): k-mers, their de Bruijn graph, unitigs, and the Eulerian path over the
 * unitigs.
 *
 *     gemp_assembly_settings settings;
 *     gemp_assembly_settings_init(&settings);
 *     settings.reads = (const char *const[]){ "reads.fastq.gz" };
 *     settings.read_count = 1;
 *     settings.output = "contigs.fa";
 *     gemp_assemble(context, &settings, report);
 */

#ifndef GEMP_ASSEMBLY_H
#define GEMP_ASSEMBLY_H

#include <gemp/report.h>
#include <gemp/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The same on all ranks. A file to be written may be "-", which is standard output, but only one of the three may. Each file appears
 * under its name when it is whole. */
typedef struct gemp_assembly_settings {
	size_t size;              /* of this struct in bytes, set by gemp_assembly_settings_init */
	const char *const *reads; /* [read_count] paths: FASTA or FASTQ, plain, .gz or .zst; 1 at least */
	size_t read_count;
	uint64_t kmer;      /* letters of a k-mer, 2 to 31; 31 by default */
	uint64_t min_count; /* k-mers that occur less often in all reads are left out; 1 by default */
	bool one_strand;    /* all reads run in the same direction; else a k-mer is the same as its reverse complement */
	gemp_assembly_copies copies;
	const char *output;  /* FASTA: the Eulerian path, or the unitigs where there is none */
	const char *unitigs; /* FASTA; NULL: not wanted */
	const char *gfa;     /* unitigs and the links between them as GFA 1; NULL: not wanted */
} gemp_assembly_settings;

/* Local. */
GEMP_API void gemp_assembly_settings_init(gemp_assembly_settings *settings);

/* Collective. Reads, assembles and writes. The files do not depend on the number of ranks. report (NULL: not wanted) gets `reads`,
 * `kmers`, `unitigs`, and `path`, which says why there is no Eulerian path if there is none; that is no failure. GEMP_EUSAGE: settings
 * that cannot be; GEMP_EDATA: a file that is neither FASTA nor FASTQ, or reads without any k-mer that occurs often enough. */
GEMP_API gemp_code gemp_assemble(gemp_context *context, const gemp_assembly_settings *settings, gemp_report *report);

#ifdef __cplusplus
}
#endif

#endif
