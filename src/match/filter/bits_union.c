#include "match/filter/bits_union.h"

#include "core/bitset.h"
#include "partition/fetch/row_code.h"

enum { REDUCED_AT_ONCE = 1 << 26 }; /* maximum words of one reduction, since MPI counts them in an int */

/* Local. Appends the coded list of the set bits [begin, end): their number, and their positions as differences. */
static gemp_code put_bits(gemp_row_bytes *out, const uint32_t *bits, uint64_t begin, uint64_t end)
{
	GEMP_OWNED gemp_vertex *ids = NULL;
	size_t found = 0, capacity = 0;
	for (uint64_t w = begin / 32; w < gemp_bits32_words(end); w++)
		for (uint32_t left = bits[w]; left; left &= left - 1) {
			const uint64_t id = w * 32 + (uint64_t)__builtin_ctz(left);
			if (id < begin || id >= end)
				continue;
			GEMP_TRY(GEMP_RESERVE(ids, capacity, found + 1));
			ids[found++] = (gemp_vertex)id;
		}
	GEMP_TRY(GEMP_RESERVE(out->data, out->capacity, out->size + gemp_row_code_max_bytes(found, false)));
	uint8_t *to = gemp_varint_put(out->data + out->size, found);
	out->size = (size_t)(gemp_slots_put(to, ids, found) - out->data);
	return GEMP_OK;
}

/* Local. Sets the bits of a coded list. A message of another rank is checked like a file, since a wrong position would
 * cause a write beyond the bitmap. */
static gemp_code set_coded(const uint8_t *from, const uint8_t *end, uint32_t *bits, size_t words)
{
	GEMP_OWNED gemp_vertex *ids = NULL;
	uint64_t count = 0;
	from = gemp_varint_get(from, end, &count);
	if (!from || count > (uint64_t)(end - from))
		return gemp_fail(GEMP_EINTERNAL, "candidates: the message of another rank is corrupt");
	GEMP_TRY(GEMP_NEW(ids, count + 1));
	if (gemp_slots_get(from, end, ids, count) != end || (count && ids[count - 1] / 32 >= words))
		return gemp_fail(GEMP_EINTERNAL, "candidates: the message of another rank is corrupt");
	for (uint64_t i = 0; i < count; i++)
		gemp_bits32_set(bits, ids[i]);
	return GEMP_OK;
}

/* Collective. */
static gemp_code unite_lists(gemp_runtime *context, uint32_t *bits, size_t words)
{
	const gemp_comm *comm = context->comm;
	GEMP_OWNED void *all = NULL;
	GEMP_OWNED size_t *begin = NULL;
	gemp_row_bytes mine = { 0 };
	gemp_code code = put_bits(&mine, bits, 0, words * UINT64_C(32));
	code = gemp_comm_allgather(comm, code, mine.data, mine.size, &all, &begin);
	gemp_free(mine.data);
	if (code != GEMP_OK)
		return code;
	context->traffic.bytes += mine.size * (uint64_t)(comm->size - 1);
	context->traffic.messages += (uint64_t)(comm->size - 1);
	for (int r = 0; r < comm->size && code == GEMP_OK; r++)
		if (r != comm->rank)
			code = set_coded((const uint8_t *)all + begin[r], (const uint8_t *)all + begin[r + 1], bits, words);
	return gemp_comm_agree(comm, code);
}

/* Collective. */
static void unite_words(gemp_runtime *context, uint32_t *bits, size_t words)
{
	const gemp_comm *comm = context->comm;
	for (size_t at = 0; at < words; at += REDUCED_AT_ONCE) {
		const int count = (int)gemp_min(words - at, REDUCED_AT_ONCE);
		GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, bits + at, count, MPI_UINT32_T, MPI_BOR, comm->world));
	}
	context->traffic.bytes += 2 * words * sizeof *bits * (uint64_t)(comm->size - 1) / (uint64_t)comm->size;
	context->traffic.messages += 2 * (uint64_t)(comm->size - 1);
}

/* A coded position takes about two bytes, and each rank sends its list to all others. A reduction sends each word
 * twice. */
gemp_code gemp_bits_unite(gemp_runtime *context, gemp_code code, uint32_t *bits, size_t words)
{
	if (context->comm->size == 1)
		return code;
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	if (gemp_comm_sum1(context->comm, gemp_bits32_count(bits, words)) < words * sizeof *bits)
		return unite_lists(context, bits, words);
	unite_words(context, bits, words);
	return GEMP_OK;
}

gemp_code gemp_bits_to_owners(gemp_runtime *context, gemp_code code, const gemp_shard *graph, uint32_t *bits,
                              size_t words)
{
	const size_t ranks = (size_t)context->comm->size;
	GEMP_OWNED size_t *send_size = NULL, *receive_size = NULL;
	GEMP_OWNED void *receive = NULL;
	gemp_row_bytes send = { 0 };
	size_t capacity = 0;
	GEMP_THEN(gemp_new_all(GEMP_ARRAY(send_size, ranks), GEMP_ARRAY(receive_size, ranks)));
	for (size_t r = 0; r < ranks && code == GEMP_OK; r++) {
		const size_t before = send.size;
		if ((int)r != context->comm->rank)
			code = put_bits(&send, bits, graph->bounds[r], graph->bounds[r + 1]);
		send_size[r] = send.size - before;
	}
	code = gemp_exchange(context->comm, code, send.data, send_size, &receive, &capacity, receive_size,
	                     &context->traffic);
	gemp_free(send.data);
	if (code != GEMP_OK)
		return code;
	const uint8_t *from = receive;
	for (size_t r = 0; r < ranks && code == GEMP_OK; from += receive_size[r++])
		if ((int)r != context->comm->rank)
			code = set_coded(from, from + receive_size[r], bits, words);
	return gemp_comm_agree(context->comm, code);
}
