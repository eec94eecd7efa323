/* assemble_report: what assemble says of reads, k-mers, unitigs and the path. */
#ifndef GEMP_COMMAND_ASSEMBLE_REPORT_H
#define GEMP_COMMAND_ASSEMBLE_REPORT_H

#include "command/report.h"
#include "io/reads.h"
#include "sequence/contig.h"

void gemp_report_reads(gemp_report *report, const gemp_reads *reads);
/* GEMP_EDATA where none is left. */
gemp_code gemp_report_kmers(gemp_report *report, const gemp_kmer_graph *graph);
/* Collective. */
void gemp_report_unitigs(gemp_report *report, const gemp_unitigs *unitigs);
void gemp_report_contig(gemp_report *report, const gemp_contig *contig, const gemp_kmer_graph *graph);
/* Collective. mine: of this rank. */
void gemp_report_sent(gemp_report *report, const gemp_traffic *mine);

#endif
