/* assemble: reads to contigs, by gemp/assembly.h. Only the file to write is asked for here; the library checks the settings, whose
 * names are those of the options.
 */

#include "cli/options/options.h"
#include "core/status.h"

#include <gemp/assembly.h>

static gemp_code assemble(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	gemp_assembly_settings settings;
	if (!options->output)
		return gemp_fail(GEMP_EUSAGE, "assemble needs the FASTA file to write: --output contigs.fa");
	gemp_assembly_settings_init(&settings);
	settings.reads = (const char *const *)options->arguments;
	settings.read_count = options->argument_count;
	settings.kmer = options->kmer;
	settings.min_count = options->min_count;
	settings.one_strand = options->strands == 1;
	settings.copies = (gemp_assembly_copies)options->copies;
	settings.output = options->output;
	settings.unitigs = options->unitigs;
	settings.gfa = options->gfa;
	return gemp_assemble(context, &settings, report);
}

const gemp_command gemp_command_assemble = {
	.name = "assemble",
	.bit = GEMP_ON_ASSEMBLE,
	.arguments = "READS... -o contigs.fa",
	.summary = "Assembles DNA from reads: k-mers, unitigs, and the Eulerian path over them",
	.text = "Reads are FASTA or FASTQ, plain, .gz or .zst. Their words of K letters A, C, G and T are counted, "
			"over all ranks, and joined to unitigs, the ways that nothing branches off. If an Eulerian path or "
			"circuit goes over all unitigs, as often as --copies says, what it spells is written, and else the "
			"unitigs; the report says why. Files do not depend on the number of ranks.\n",
	.examples = "gemp-mpi assemble reads.fastq.gz -k 31 --min-count 3 -o contigs.fa\n"
				"mpirun -n 8 gemp-mpi assemble 1.fq 2.fq -k 25 -o contigs.fa --unitigs unitigs.fa --gfa graph.gfa\n"
				"# a genome's own k-mers, each as often as it has them\n"
				"gemp-mpi assemble genome.fa -k 15 --strands one --copies count -o again.fa\n",
	.min_arguments = 1,
	.max_arguments = SIZE_MAX,
	.run = assemble,
};
