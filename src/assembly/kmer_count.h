/* kmer_count: the k-mers of texts that are read from beginning to end, and how often each occurs.
 *
 * Letters other than A, C, G, T (and U) end a word: no k-mer contains them. A text may continue on the next ranks;
 * k-mers that span ranks are found when the ranks join. Memory is proportional to the number of distinct k-mers:
 * pending ones are sorted and merged whenever they are as many as the distinct ones.
 */

#ifndef GEMP_ASSEMBLY_KMER_COUNT_H
#define GEMP_ASSEMBLY_KMER_COUNT_H

#include "assembly/kmer.h"
#include "comm/comm.h"

typedef struct gemp_kmer_counter {
	unsigned k;
	bool both_strands; /* a k-mer and its reverse complement are the same, and the lesser number is kept */
	uint64_t occurrences;
	/* distinct ones, ascending */
	size_t count, capacity;
	gemp_kmer *kmer;
	uint64_t *times;
	/* as they came */
	size_t pending_count, pending_capacity;
	gemp_kmer *pending;
	/* of the text being read: its last letters, at most k */
	uint64_t word;
	unsigned filled;
	/* of this rank's part: its first letters, at most k - 1, and whether nothing has cut it so far */
	uint64_t head;
	unsigned head_size;
	bool open;
} gemp_kmer_counter;

gemp_code gemp_kmer_counter_new(gemp_kmer_counter *counter, unsigned k, bool both);
void gemp_kmer_counter_free(gemp_kmer_counter *counter);

/* The next letters of this rank's part; size 0: they do not follow the ones before. */
gemp_code gemp_kmer_counter_add(gemp_kmer_counter *counter, const char *letters, size_t size);
/* Collective. The parts of all ranks, in their order, were one text, or several; another one may begin. */
gemp_code gemp_kmer_counter_join(gemp_kmer_counter *counter, const gemp_comm *comm);
/* kmer[count] and times[count] are then all. */
gemp_code gemp_kmer_counter_finish(gemp_kmer_counter *counter);

#endif
