/* Mail by the host's threads, in buffers of a CPU device. */
#include "core/memory.h"
#include "core/threads.h"
#include "gas/mail_parts.h"

#include <string.h>

/* BUFFERS. A CPU device has them where the host has: what a first map tells stays true, and to map once more would
 * take as long as a small round. */

static gemp_code wait_for_kernels(const gemp_gas_mail *mail)
{
	return GEMP_CL(clFinish(mail->device->queue));
}

static gemp_code map(const gemp_gas_mail *mail, const gemp_buffer *buffer, void **out)
{
	cl_int error = CL_SUCCESS;
	*out = clEnqueueMapBuffer(mail->device->queue, buffer->mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, buffer->size, 0,
	                          NULL, NULL, &error);
	return gemp_cl_check(error, "clEnqueueMapBuffer", __FILE__, __LINE__);
}

static gemp_code unmap(const gemp_gas_mail *mail, const gemp_buffer *buffer, void *bytes)
{
	return GEMP_CL(clEnqueueUnmapMemObject(mail->device->queue, buffer->mem, bytes, 0, NULL, NULL));
}

/* As long as they are known here, no other buffer has their name. */
static gemp_code know(gemp_gas_mail *mail, const gemp_buffer *buffer, mail_known *known)
{
	gemp_code code = GEMP_OK;
	void *bytes;
	GEMP_TRY(map(mail, buffer, &bytes));
	GEMP_TRY(unmap(mail, buffer, bytes));
	GEMP_TRY(wait_for_kernels(mail));
	if (known->mem)
		clReleaseMemObject(known->mem);
	*known = (mail_known){ 0 };
	GEMP_TRY(GEMP_CL(clRetainMemObject(buffer->mem)));
	*known = (mail_known){ buffer->mem, bytes };
done:
	return code;
}

/* NULL: there is no such buffer, or nothing in it. Kernels that use it have ended. */
static gemp_code open(gemp_gas_mail *mail, const gemp_buffer *buffer, void **out)
{
	gemp_code code = GEMP_OK;
	mail_known *known = mail->known;
	*out = NULL;
	if (!buffer || !buffer->size)
		return GEMP_OK;
	if (mail->device->gpu)
		return map(mail, buffer, out);
	while (known < mail->known + MAIL_KNOWN && (!known->mem || known->mem != buffer->mem))
		known++;
	if (known == mail->known + MAIL_KNOWN) {
		known = &mail->known[mail->known_next++ % MAIL_KNOWN];
		GEMP_TRY(know(mail, buffer, known));
	}
	*out = known->host;
done:
	return code;
}

static gemp_code close(const gemp_gas_mail *mail, const gemp_buffer *buffer, void *bytes)
{
	return bytes && mail->device->gpu ? unmap(mail, buffer, bytes) : GEMP_OK;
}

void gemp_gas_mail_host_free(gemp_gas_mail *mail)
{
	for (int k = 0; k < MAIL_KNOWN; k++)
		if (mail->known[k].mem)
			clReleaseMemObject(mail->known[k].mem);
}

/* LOOPS over words of 32 places, or over places, in pieces that are worth a thread. */

enum { WORDS = 256, PLACES = WORDS * 32 };

typedef void piece_body(void *context, size_t begin, size_t end);

typedef struct piecewise {
	size_t count, piece;
	piece_body *body;
	void *context;
} piecewise;

static void run_piece(void *context, unsigned thread, size_t number)
{
	(void)thread;
	const piecewise *p = context;
	size_t begin = number * p->piece, left = p->count - begin;
	p->body(p->context, begin, begin + (left < p->piece ? left : p->piece));
}

static void for_pieces(size_t count, size_t piece, piece_body *body, void *context)
{
	piecewise p = { count, piece, body, context };
	gemp_parallel_for((count + piece - 1) / piece, run_piece, &p);
}

/* PACKING */

typedef struct packing {
	gemp_gas_mail *mail;
	const uint32_t *changed;
	const char *values;
} packing;

/* Places ascend: often they are vertices that follow one another, or nobody has changed among all that they reach
 * over. */
static uint32_t mark_word(const uint32_t *slot, const uint32_t *changed)
{
	uint32_t bits = 0, first = slot[0], last = slot[31];
	if (last == first + 31 && first % 32 == 0)
		return changed[first / 32];
	if (last == first + 31)
		return changed[first / 32] >> first % 32 | changed[last / 32] << (32 - first % 32);
	if (last != GEMP_NO_VERTEX) {
		for (uint32_t w = first / 32; w <= last / 32; w++)
			bits |= changed[w];
		if (!bits)
			return 0;
		bits = 0;
	}
	for (unsigned i = 0; i < 32 && slot[i] != GEMP_NO_VERTEX; i++)
		bits |= (changed[slot[i] / 32] >> slot[i] % 32 & 1u) << i;
	return bits;
}

static void mark_words(void *context, size_t begin, size_t end)
{
	const packing *p = context;
	for (size_t w = begin; w < end; w++)
		p->mail->out.bits[w] = mark_word(p->mail->slot + w * 32, p->changed);
}

static int rank_of(const mail_side *side, size_t word)
{
	int rank = 0;
	while (side->first[rank + 1] <= word)
		rank++;
	return rank;
}

/* Values go to their places in messages, whose forms are known. */
static void gather_words(void *context, size_t begin, size_t end)
{
	const packing *p = context;
	const gemp_gas_mail *mail = p->mail;
	const mail_side *out = &mail->out;
	int rank = -1;
	char *to = NULL;
	for (size_t w = begin; w < end; w++) {
		if (rank < 0 || w >= out->first[rank + 1]) {
			rank = rank_of(out, w);
			const mail_head *head = (const mail_head *)(void *)mail_of(out, rank);
			to = (char *)head + mail_values_at((mail_form)head->form, out->count[rank], head->count) +
			     (out->before[w] - out->before[out->first[rank]]) * mail->size;
		}
		for (uint32_t bits = out->bits[w]; bits; bits &= bits - 1, to += mail->size) {
			const char *from = p->values + mail->slot[w * 32 + (unsigned)__builtin_ctz(bits)] * mail->size;
			if (mail->size == sizeof(uint32_t))
				memcpy(to, from, sizeof(uint32_t));
			else
				memcpy(to, from, sizeof(uint64_t));
		}
	}
}

void gemp_gas_mail_heads(gemp_gas_mail *mail)
{
	const mail_side *out = &mail->out;
	for (int r = 0; r < mail->ranks; r++) {
		uint32_t count = mail_count(out, r), words = out->first[r + 1] - out->first[r], *to;
		if (!out->count[r])
			continue;
		mail_head *head = (mail_head *)(void *)mail_of(out, r);
		*head = (mail_head){ mail_form_of(out->count[r], count), count };
		to = (uint32_t *)(head + 1);
		if (head->form == MAIL_BITS)
			memcpy(to, out->bits + out->first[r], words * sizeof *to);
		for (uint32_t w = 0; head->form == MAIL_PAIRS && w < words; w++)
			for (uint32_t bits = out->bits[out->first[r] + w]; bits; bits &= bits - 1)
				*to++ = w * 32 + (uint32_t)__builtin_ctz(bits);
	}
}

static gemp_code take_look(gemp_gas_mail *mail, const gemp_gas_look *look)
{
	gemp_code code = GEMP_OK;
	void *bytes;
	GEMP_TRY(open(mail, look->from, &bytes));
	memcpy(look->to, bytes, look->size);
	code = close(mail, look->from, bytes);
done:
	return code;
}

gemp_code gemp_gas_mail_pack_host(gemp_gas_mail *mail, const gemp_buffer *values, const gemp_buffer *changed,
                                  const gemp_gas_look *look)
{
	gemp_code code = GEMP_OK;
	uint32_t words = mail->out.first[mail->ranks];
	void *bits = NULL, *from = NULL;
	GEMP_TRY(wait_for_kernels(mail));
	if (look)
		GEMP_TRY(take_look(mail, look));
	GEMP_TRY(open(mail, changed, &bits));
	if (mail->size)
		GEMP_TRY(open(mail, values, &from));
	packing p = { mail, bits, from };
	if (changed)
		GEMP_TRY(gemp_gas_mail_few_make(mail));
	if (changed && gemp_gas_mail_pack_few(mail, bits, from)) {
		mail->all = false;
		goto done;
	}
	if (changed) {
		for_pieces(words, 8 * WORDS, mark_words, &p);
		gemp_gas_mail_sum(&mail->out, 0, words);
	} else if (!mail->all) {
		gemp_gas_mail_mark_all(mail);
	}
	mail->all = !changed;
	gemp_gas_mail_heads(mail);
	if (mail->size)
		for_pieces(words, WORDS, gather_words, &p);
done:
	if (close(mail, values, from) != GEMP_OK || close(mail, changed, bits) != GEMP_OK)
		code = GEMP_EINTERNAL;
	return code;
}

/* UNPACKING */

/* A message that has come. */
typedef struct unpacking {
	const gemp_gas_mail *mail;
	int rank;
	uint32_t ghost;        /* the first of this rank */
	const mail_head *head;
	const uint32_t *words; /* bitmap or places */
	const char *from;
	char *values;
} unpacking;

static void put(const unpacking *u, size_t place, size_t value)
{
	size_t size = u->mail->size;
	if (size == sizeof(uint32_t))
		memcpy(u->values + (u->ghost + place) * size, u->from + value * size, sizeof(uint32_t));
	else
		memcpy(u->values + (u->ghost + place) * size, u->from + value * size, sizeof(uint64_t));
}

static void put_places(void *context, size_t begin, size_t end)
{
	const unpacking *u = context;
	for (size_t i = begin; i < end; i++)
		put(u, u->words[i], i);
}

static void put_words(void *context, size_t begin, size_t end)
{
	const unpacking *u = context;
	const uint32_t *before = u->mail->in.before + u->mail->in.first[u->rank];
	for (size_t w = begin; w < end; w++) {
		size_t value = before[w] - before[0];
		for (uint32_t bits = u->words[w]; bits; bits &= bits - 1)
			put(u, w * 32 + (unsigned)__builtin_ctz(bits), value++);
	}
}

static void put_all(void *context, size_t begin, size_t end)
{
	const unpacking *u = context;
	memcpy(u->values + (u->ghost + begin) * u->mail->size, u->from + begin * u->mail->size, (end - begin) * u->mail->size);
}

static void set_bits(uint32_t *bits, uint32_t at, uint32_t word)
{
	bits[at / 32] |= word << at % 32;
	if (at % 32 && word >> (32 - at % 32))
		bits[at / 32 + 1] |= word >> (32 - at % 32);
}

static void set_arrived(const unpacking *u, uint32_t *arrived)
{
	uint32_t places = u->mail->in.count[u->rank];
	if (u->head->form == MAIL_PAIRS) {
		for (uint32_t i = 0; i < u->head->count; i++)
			set_bits(arrived, u->ghost + u->words[i], 1);
		return;
	}
	for (uint32_t w = 0; w < mail_words(places); w++) {
		uint32_t last = places - w * 32 < 32 ? (1u << (places - w * 32)) - 1 : UINT32_MAX;
		set_bits(arrived, u->ghost + w * 32, u->head->form == MAIL_ALL ? last : u->words[w]);
	}
}

static void put_values(const unpacking *u)
{
	const gemp_gas_mail *mail = u->mail;
	uint32_t first = mail->in.first[u->rank], words = mail->in.first[u->rank + 1] - first;
	unpacking *context = (unpacking *)(uintptr_t)u;
	if (u->head->form == MAIL_ALL) {
		for_pieces(u->head->count, 4 * PLACES, put_all, context);
	} else if (u->head->form == MAIL_PAIRS) {
		for_pieces(u->head->count, PLACES, put_places, context);
	} else {
		memcpy(mail->in.bits + first, u->words, words * sizeof *u->words);
		gemp_gas_mail_sum((mail_side *)(uintptr_t)&mail->in, first, first + words);
		for_pieces(words, WORDS, put_words, context);
	}
}

gemp_code gemp_gas_mail_unpack_host(gemp_gas_mail *mail, const gemp_buffer *values, const gemp_buffer *arrived)
{
	gemp_code code = GEMP_OK;
	void *bits = NULL, *to = NULL;
	GEMP_TRY(wait_for_kernels(mail));
	GEMP_TRY(open(mail, arrived, &bits));
	if (mail->size)
		GEMP_TRY(open(mail, values, &to));
	for (int r = 0; r < mail->ranks; r++) {
		if (!mail->in.count[r])
			continue;
		const mail_head *head = (const mail_head *)(void *)mail_of(&mail->in, r);
		unpacking u = { mail, r, mail->links->ghost_begin[r], head, (const uint32_t *)(head + 1),
		                (const char *)head + mail_values_at((mail_form)head->form, mail->in.count[r], head->count), to };
		if (mail->size)
			put_values(&u);
		if (bits)
			set_arrived(&u, bits);
	}
done:
	if (close(mail, values, to) != GEMP_OK || close(mail, arrived, bits) != GEMP_OK)
		code = GEMP_EINTERNAL;
	return code;
}
