/* gemp/assembly.h: assembles DNA from reads (docs/assembly.md). The reads become k-mers, their de Bruijn graph, its
 * unitigs, and the Eulerian path over the unitigs.
 *
 *     gemp_assembly_settings settings;
 *     gemp_assembly_settings_init(&settings);
 *     settings.reads = (const char *const[]){ "reads.fastq.gz" };
 *     settings.read_count = 1;
 *     settings.output = "contigs.fa";
 *     gemp_assemble(context, &settings, report); */

#ifndef GEMP_ASSEMBLY_H
#define GEMP_ASSEMBLY_H

#include <gemp/report.h>
#include <gemp/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The settings must be the same on all ranks. One of the three output files may be "-", which is stdout. Each file gets
 * its name only when it is complete. */
typedef struct gemp_assembly_settings {
	size_t size;              /* the size of this struct in bytes; gemp_assembly_settings_init sets it */
	const char *const *reads; /* [read_count] paths, at least one: FASTA or FASTQ, plain, .gz or .zst */
	size_t read_count;
	uint64_t kmer;      /* number of letters in a k-mer, 2 to 31; 31 by default */
	uint64_t min_count; /* omit k-mers that occur less often in all reads together; 1 by default */
	/* all reads have the same direction; otherwise a k-mer and its reverse complement are the same k-mer */
	bool one_strand;
	gemp_assembly_copies copies;
	const char *output;  /* FASTA file of the Eulerian path, or of the unitigs if there is no such path */
	const char *unitigs; /* FASTA file of the unitigs; NULL: none */
	const char *gfa;     /* GFA 1 file of the unitigs and the links between them; NULL: none */
} gemp_assembly_settings;

/* Local. Sets all defaults. The caller must then set `reads` and `output`. */
GEMP_API void gemp_assembly_settings_init(gemp_assembly_settings *settings);

/* Collective. Reads the files, assembles, and writes the results, which do not depend on the number of ranks. If
 * `report` is not NULL, it gets the fields `reads`, `kmers`, `unitigs` and `path`. If there is no Eulerian path, the
 * function does not fail, and `path` gives the reason. GEMP_EUSAGE if a setting is wrong. GEMP_EDATA if a file is
 * neither FASTA nor FASTQ, or if no k-mer occurs min_count times. */
GEMP_API gemp_code gemp_assemble(gemp_context *context, const gemp_assembly_settings *settings, gemp_report *report);

#ifdef __cplusplus
}
#endif

#endif
