#include "assembly/sequences.h"

#include "assembly/kmer.h"
#include "core/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 80 }; /* letters of a line of FASTA */

void gemp_sequences_free(gemp_sequences *sequences)
{
	gemp_free_all(sequences->letter, sequences->sequence);
	*sequences = (gemp_sequences){ 0 };
}

/* The rank that holds a letter. The blocks of ranks are the blocks of gemp_comm_block: if the division leaves a
 * remainder, the first ranks have one letter more. */
static int letter_owner(const gemp_comm *comm, uint64_t letters, uint64_t place)
{
	uint64_t ranks = (uint64_t)comm->size, each = letters / ranks, more = letters % ranks;
	if (place < (each + 1) * more)
		return (int)(place / (each + 1));
	return (int)(more + (place - (each + 1) * more) / each);
}

/* A sequence is described once on each rank, so no two numbers are equal. */
static int by_number(const void *a, const void *b)
{
	uint64_t x = ((const gemp_sequence *)a)->number, y = ((const gemp_sequence *)b)->number;
	return (x > y) - (x < y);
}

/* Collective. Sends the description of each sequence to all ranks that hold letters of it. A sequence has at least one
 * letter, so its last letter exists. Ranks receive descriptions in the order of senders, and sort them by number. */
static gemp_code send_sequences(gemp_sequences *s, const gemp_comm *comm, const gemp_sequence *own, size_t count,
                                gemp_traffic *traffic)
{
	GEMP_OWNED gemp_sequence *copied = NULL;
	GEMP_OWNED int *owner = NULL;
	GEMP_OWNED size_t *from = NULL;
	size_t copies = 0, at = 0;
	uint64_t letters = s->total_letters;
	for (size_t i = 0; i < count; i++)
		copies += 1 + (size_t)(letter_owner(comm, letters, own[i].begin + own[i].size - 1) -
		                       letter_owner(comm, letters, own[i].begin));
	GEMP_TRY(gemp_comm_agree(comm, gemp_new_all(GEMP_ARRAY(copied, copies), GEMP_ARRAY(owner, copies))));
	for (size_t i = 0; i < count; i++) {
		int last = letter_owner(comm, letters, own[i].begin + own[i].size - 1);
		for (int r = letter_owner(comm, letters, own[i].begin); r <= last; r++) {
			copied[at] = own[i];
			owner[at++] = r;
		}
	}
	GEMP_TRY(gemp_exchange_records(comm, GEMP_OK, copied, copies, sizeof *copied, owner, (void **)&s->sequence, &from,
	                               traffic));
	s->count = from[comm->size];
	qsort(s->sequence, s->count, sizeof *s->sequence, by_number);
	return GEMP_OK;
}

gemp_code gemp_sequences_new(gemp_sequences *out, const gemp_comm *comm, uint64_t letters, const gemp_sequence *own,
                             size_t count, gemp_traffic *traffic)
{
	GEMP_OWNED_BY(gemp_sequences_free)
	gemp_sequences s = { .total = gemp_comm_sum1(comm, count), .total_letters = letters };
	gemp_block_range block = gemp_comm_block(comm, letters);
	s.first = block.begin;
	s.letters = (size_t)(block.end - block.begin);
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(s.letter, s.letters)));
	GEMP_TRY(send_sequences(&s, comm, own, count, traffic));
	*out = s;
	s = (gemp_sequences){ 0 };
	return GEMP_OK;
}

/* Collective. A letter and its place are sent as one number to the rank that holds the place. */
gemp_code gemp_sequences_put(gemp_sequences *s, const gemp_comm *comm, const uint64_t *placed, size_t count,
                             gemp_traffic *traffic)
{
	GEMP_OWNED int *owner = NULL;
	GEMP_OWNED uint64_t *received = NULL;
	GEMP_OWNED size_t *from = NULL;
	gemp_code code = GEMP_NEW(owner, count);
	for (size_t i = 0; code == GEMP_OK && i < count; i++)
		owner[i] = letter_owner(comm, s->total_letters, placed[i] >> 2);
	GEMP_TRY(
		gemp_exchange_records(comm, code, placed, count, sizeof *placed, owner, (void **)&received, &from, traffic));
	for (size_t i = 0; i < from[comm->size]; i++)
		s->letter[(received[i] >> 2) - s->first] = gemp_bases[received[i] & 3];
	return GEMP_OK;
}

/* Prints the tags of BCALM 2, which other assemblers read. A contig has no count of times. */
static void print_tags(gemp_text *out, const gemp_sequence *q, char between)
{
	gemp_text_print(out, "%cLN:i:%" PRIu64, between, q->size);
	if (q->times)
		gemp_text_print(out, "%cKC:i:%" PRIu64 "%ckm:f:%.2f", between, q->times, between,
		                (double)q->times / (double)q->kmers);
}

/* The part of a sequence on this rank: the letters [from, to) of the sequence. */
typedef struct local_part {
	uint64_t from, to;
	const char *letters;
} local_part;

/* Only sequences with letters on this rank are listed, so the part is not empty. */
static local_part find_local_part(const gemp_sequences *s, const gemp_sequence *q)
{
	uint64_t end = s->first + s->letters, behind = q->begin + q->size;
	uint64_t from = gemp_max(q->begin, s->first), to = gemp_min(behind, end);
	return (local_part){ from - q->begin, to - q->begin, s->letter + (from - s->first) };
}

/* A line may begin on one rank and end on the next rank. So the position in the sequence decides where a line ends, and
 * the last line ends with the sequence. */
static void print_lines(gemp_text *out, const gemp_sequence *q, local_part p)
{
	while (p.from < p.to) {
		uint64_t end = (p.from / WIDTH + 1) * WIDTH;
		end = gemp_min(end, p.to);
		gemp_text_add(out, p.letters, (size_t)(end - p.from));
		p.letters += end - p.from;
		if (end % WIDTH == 0 || end == q->size)
			gemp_text_add(out, "\n", 1);
		p.from = end;
	}
}

/* Local. The rank with the first letter of a sequence writes its name. */
gemp_code gemp_sequences_fasta(const gemp_sequences *s, const char *name, gemp_text *out)
{
	for (size_t i = 0; i < s->count; i++) {
		const gemp_sequence *q = &s->sequence[i];
		local_part p = find_local_part(s, q);
		if (p.from == 0) {
			gemp_text_print(out, ">%s%" PRIu64, name, q->number + 1);
			print_tags(out, q, ' ');
			gemp_text_print(out, "%s\n", q->closed ? " circular=true" : "");
		}
		print_lines(out, q, p);
	}
	return gemp_text_status(out);
}

/* Local. The rank with the first letter of a sequence begins the line, and the rank with the last letter ends the line
 * with the tags. */
gemp_code gemp_sequences_gfa(const gemp_sequences *s, const char *name, gemp_text *out)
{
	for (size_t i = 0; i < s->count; i++) {
		const gemp_sequence *q = &s->sequence[i];
		local_part p = find_local_part(s, q);
		if (p.from == 0)
			gemp_text_print(out, "S\t%s%" PRIu64 "\t", name, q->number + 1);
		gemp_text_add(out, p.letters, (size_t)(p.to - p.from));
		if (p.to == q->size) {
			print_tags(out, q, '\t');
			gemp_text_add(out, "\n", 1);
		}
	}
	return gemp_text_status(out);
}
