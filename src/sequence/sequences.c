#include "sequence/sequences.h"

#include "core/memory.h"
#include "sequence/kmer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 80 };

void gemp_sequences_free(gemp_sequences *sequences)
{
	gemp_free(sequences->letter);
	gemp_free(sequences->sequence);
	*sequences = (gemp_sequences){ 0 };
}

/* Shares differ by one at most. */
static uint64_t share_begin(const gemp_comm *comm, uint64_t letters, int rank)
{
	uint64_t ranks = (uint64_t)comm->size, r = (uint64_t)rank, more = letters % ranks;
	return letters / ranks * r + (r < more ? r : more);
}

int gemp_sequences_owner(const gemp_comm *comm, uint64_t letters, uint64_t place)
{
	uint64_t ranks = (uint64_t)comm->size, each = letters / ranks, more = letters % ranks;
	if (place < (each + 1) * more)
		return (int)(place / (each + 1));
	return (int)(more + (place - (each + 1) * more) / each);
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = ((const gemp_sequence *)a)->number, y = ((const gemp_sequence *)b)->number;
	return (x > y) - (x < y);
}

/* Collective. Each to all ranks that have letters of it. */
static gemp_code tell(gemp_sequences *s, const gemp_comm *comm, const gemp_sequence *mine, size_t count, gemp_traffic *traffic)
{
	gemp_code code = GEMP_OK;
	gemp_sequence *told = NULL;
	int *owner = NULL;
	size_t *from = NULL, copies = 0, at = 0;
	uint64_t letters = s->letters_of_all;
	for (size_t i = 0; i < count; i++)
		copies += 1 + (size_t)(gemp_sequences_owner(comm, letters, mine[i].begin + mine[i].size - 1) -
		                       gemp_sequences_owner(comm, letters, mine[i].begin));
	code = GEMP_NEW(told, copies);
	if (code == GEMP_OK)
		code = GEMP_NEW(owner, copies);
	GEMP_TRY(gemp_comm_agree(comm, code));
	for (size_t i = 0; i < count; i++) {
		int last = gemp_sequences_owner(comm, letters, mine[i].begin + mine[i].size - 1);
		for (int r = gemp_sequences_owner(comm, letters, mine[i].begin); r <= last; r++) {
			told[at] = mine[i];
			owner[at++] = r;
		}
	}
	GEMP_TRY(gemp_exchange_records(comm, told, copies, sizeof *told, owner, (void **)&s->sequence, &from, traffic));
	s->count = from[comm->size];
	qsort(s->sequence, s->count, sizeof *s->sequence, by_number);
done:
	gemp_free(told);
	gemp_free(owner);
	gemp_free(from);
	return code;
}

gemp_code gemp_sequences_new(gemp_sequences *out, const gemp_comm *comm, uint64_t letters, const gemp_sequence *mine,
                             size_t count, gemp_traffic *traffic)
{
	gemp_code code = GEMP_OK;
	gemp_sequences s = { .all = gemp_comm_sum1(comm, count), .letters_of_all = letters };
	s.first = share_begin(comm, letters, comm->rank);
	s.letters = (size_t)(share_begin(comm, letters, comm->rank + 1) - s.first);
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(s.letter, s.letters)));
	GEMP_TRY(tell(&s, comm, mine, count, traffic));
	*out = s;
	s = (gemp_sequences){ 0 };
done:
	gemp_sequences_free(&s);
	return code;
}

gemp_code gemp_sequences_put(gemp_sequences *s, const gemp_comm *comm, const uint64_t *placed, size_t count,
                             gemp_traffic *traffic)
{
	gemp_code code = GEMP_OK;
	int *owner = NULL;
	uint64_t *received = NULL;
	size_t *from = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(owner, count)));
	for (size_t i = 0; i < count; i++)
		owner[i] = gemp_sequences_owner(comm, s->letters_of_all, placed[i] >> 2);
	GEMP_TRY(gemp_exchange_records(comm, placed, count, sizeof *placed, owner, (void **)&received, &from, traffic));
	for (size_t i = 0; i < from[comm->size]; i++)
		s->letter[(received[i] >> 2) - s->first] = gemp_bases[received[i] & 3];
done:
	gemp_free(owner);
	gemp_free(received);
	gemp_free(from);
	return code;
}

static void print_name(gemp_text *out, const gemp_sequence *q, const char *name)
{
	gemp_text_print(out, ">%s%" PRIu64 " LN:i:%" PRIu64, name, q->number + 1, q->size);
	if (q->times)
		gemp_text_print(out, " KC:i:%" PRIu64 " km:f:%.2f", q->times, (double)q->times / (double)q->kmers);
	gemp_text_print(out, "%s\n", q->closed ? " circular=true" : "");
}

/* The letters of a sequence from `from` to before `to`, both counted from its first. */
static void print_letters(gemp_text *out, const gemp_sequence *q, const char *letters, uint64_t from, uint64_t to)
{
	while (from < to) {
		uint64_t end = (from / WIDTH + 1) * WIDTH;
		end = end < to ? end : to;
		gemp_text_add(out, letters, (size_t)(end - from));
		letters += end - from;
		if (end % WIDTH == 0 || end == q->size)
			gemp_text_add(out, "\n", 1);
		from = end;
	}
}

gemp_code gemp_sequences_fasta(const gemp_sequences *s, const char *name, gemp_text *out)
{
	uint64_t end = s->first + s->letters;
	for (size_t i = 0; i < s->count; i++) {
		const gemp_sequence *q = &s->sequence[i];
		uint64_t from = q->begin > s->first ? q->begin : s->first, behind = q->begin + q->size;
		uint64_t to = behind < end ? behind : end;
		if (q->begin >= s->first)
			print_name(out, q, name);
		print_letters(out, q, s->letter + (from - s->first), from - q->begin, to - q->begin);
	}
	return gemp_text_status(out);
}
