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

/* The same on all ranks. One of the three output files may be "-", which is standard output. Each file gets its name
 * only when it is complete. */
typedef struct gemp_assembly_settings {
	size_t size;              /* of this struct in bytes, set by gemp_assembly_settings_init */
	const char *const *reads; /* [read_count] paths, at least 1: FASTA or FASTQ, plain, .gz or .zst */
	size_t read_count;
	uint64_t kmer;      /* letters of a k-mer, 2 to 31; 31 by default */
	uint64_t min_count; /* k-mers that occur less often in all reads are left out; 1 by default */
	bool one_strand;    /* all reads have the same direction; otherwise a k-mer counts as its reverse complement, too */
	gemp_assembly_copies copies;
	const char *output;  /* FASTA: the Eulerian path, or the unitigs if there is none */
	const char *unitigs; /* FASTA; NULL: not wanted */
	const char *gfa;     /* unitigs and the links between them as GFA 1; NULL: not wanted */
} gemp_assembly_settings;

/* Local. Sets all defaults; reads and output must then be set. */
GEMP_API void gemp_assembly_settings_init(gemp_assembly_settings *settings);

/* Collective. Reads, assembles and writes. The files do not depend on the number of ranks. report (NULL: not wanted)
 * gets the fields `reads`, `kmers`, `unitigs` and `path`. If there is no Eulerian path, `path` says why; that is no
 * failure. GEMP_EUSAGE: wrong settings; GEMP_EDATA: a file that is neither FASTA nor FASTQ, or reads in which no k-mer
 * occurs min_count times. */
GEMP_API gemp_code gemp_assemble(gemp_context *context, const gemp_assembly_settings *settings, gemp_report *report);

#ifdef __cplusplus
}
#endif

#endif
