/* Few changes, by the host: from the vertices that have changed to their places, without a look at all others. */

#include "analytics/halo/halo_host.h"

#include "core/bitset.h"
#include "core/memory.h"
#include "core/threads.h"

#include <string.h>

enum {
	MOST_RANKS = 64, /* with more of them the bitmaps would take more than the places themselves */
	PART = 4         /* of what is few by kernels: more are found faster by a look at all places */
};

/* Reach of what any rank is sent. */
static size_t words_of(const gemp_layout_links *links, int ranks)
{
	uint32_t last = 0;
	for (int r = 0; r < ranks; r++)
		if (links->send_begin[r + 1] > links->send_begin[r] && links->send[links->send_begin[r + 1] - 1] > last)
			last = links->send[links->send_begin[r + 1] - 1];
	return (size_t)last / 32 + 1;
}

static gemp_code gemp_halo_few_new(gemp_halo *mail)
{
	const gemp_layout_links *links = mail->links;
	halo_index *f = &mail->finder;
	const uint32_t few = gemp_halo_few / PART;
	if (mail->ranks > MOST_RANKS || f->sent)
		return GEMP_OK;
	f->words = words_of(links, mail->ranks);
	GEMP_PROPAGATE(GEMP_NEW(f->sent, (size_t)mail->ranks * f->words));
	GEMP_PROPAGATE(GEMP_NEW(f->before, (size_t)mail->ranks * f->words));
	GEMP_PROPAGATE(GEMP_NEW(f->changed, few));
	GEMP_PROPAGATE(GEMP_NEW(f->places, few));
	GEMP_PROPAGATE(GEMP_NEW(f->vertices, few));
	f->few_max = few;
	for (int r = 0; r < mail->ranks; r++) {
		uint32_t *sent = f->sent + (size_t)r * f->words, *before = f->before + (size_t)r * f->words;
		for (uint64_t i = links->send_begin[r]; i < links->send_begin[r + 1]; i++)
			gemp_bits32_set(sent, links->send[i]);
		for (size_t w = 1; w < f->words; w++)
			before[w] = before[w - 1] + (uint32_t)__builtin_popcount(sent[w - 1]);
	}
	return GEMP_OK;
}

void gemp_halo_few_free(gemp_halo *mail)
{
	halo_index *f = &mail->finder;
	gemp_free_all(f->sent, f->before, f->changed, f->places, f->vertices);
}

/* Vertices whose bits are set; more than `most`: not all of them. */
static size_t list_changed(halo_index *f, const uint32_t *bits)
{
	size_t count = 0;
	for (size_t w = 0; w < f->words && count <= f->few_max; w++)
		for (uint32_t left = bits[w]; left; left &= left - 1, count++)
			if (count < f->few_max)
				f->changed[count] = (uint32_t)w * 32 + (uint32_t)__builtin_ctz(left);
	return count;
}

/* Of those, the ones that rank r is sent: their places there. */
static uint32_t list_places(halo_index *f, int r, size_t changed)
{
	const uint32_t *sent = f->sent + (size_t)r * f->words, *before = f->before + (size_t)r * f->words;
	uint32_t count = 0;
	for (size_t i = 0; i < changed; i++) {
		uint32_t v = f->changed[i], w = v / 32;
		f->places[count] = before[w] + gemp_bits32_count_before(sent[w], v);
		f->vertices[count] = v;
		count += gemp_bits32_test(sent, v);
	}
	return count;
}

/* Messages of few changes, if they are few and such messages as short as any. */
static bool gemp_halo_pack_few(gemp_halo *mail, const uint32_t *bits, const char *values)
{
	halo_index *f = &mail->finder;
	const halo_side *out = &mail->out;
	const size_t changed = f->few_max ? list_changed(f, bits) : 1;
	if (changed > f->few_max)
		return false;
	for (int r = 0; r < mail->ranks; r++) {
		if (!out->count[r])
			continue;
		const uint32_t count = list_places(f, r, changed);
		if (halo_form_of(out->count[r], count) != HALO_PAIRS)
			return false;
		halo_head *head = (halo_head *)(void *)halo_message_of(out, r);
		char *to = (char *)head + halo_values_at(HALO_PAIRS, out->count[r], count);
		*head = (halo_head){ HALO_PAIRS, count };
		memcpy(head + 1, f->places, count * sizeof *f->places);
		for (uint32_t i = 0; mail->size && i < count; i++, to += mail->size)
			memcpy(to, values + f->vertices[i] * mail->size, mail->size);
	}
	return true;
}

/* Mail by the host's threads, in buffers of a CPU device. */

/* BUFFERS. A CPU device has them where the host has: what a first map tells stays true, and to map once more would
 * take as long as a small round. */

static gemp_code wait_for_kernels(const gemp_halo *mail)
{
	return GEMP_CL(clFinish(mail->device->queue));
}

static gemp_code map(const gemp_halo *mail, const gemp_buffer *buffer, void **out)
{
	cl_int error = CL_SUCCESS;
	*out = clEnqueueMapBuffer(mail->device->queue, buffer->mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, buffer->size, 0,
	                          NULL, NULL, &error);
	return gemp_cl_check(error, "clEnqueueMapBuffer", __FILE__, __LINE__);
}

static gemp_code unmap(const gemp_halo *mail, const gemp_buffer *buffer, void *bytes)
{
	return GEMP_CL(clEnqueueUnmapMemObject(mail->device->queue, buffer->mem, bytes, 0, NULL, NULL));
}

/* As long as they are known here, no other buffer has their name. */
static gemp_code know(gemp_halo *mail, const gemp_buffer *buffer, halo_mapping *known)
{
	void *bytes;
	GEMP_PROPAGATE(map(mail, buffer, &bytes));
	GEMP_PROPAGATE(unmap(mail, buffer, bytes));
	GEMP_PROPAGATE(wait_for_kernels(mail));
	if (known->mem)
		clReleaseMemObject(known->mem);
	*known = (halo_mapping){ 0 };
	GEMP_PROPAGATE(GEMP_CL(clRetainMemObject(buffer->mem)));
	*known = (halo_mapping){ buffer->mem, bytes };
	return GEMP_OK;
}

/* NULL: there is no such buffer, or nothing in it. Kernels that use it have ended. */
static gemp_code open(gemp_halo *mail, const gemp_buffer *buffer, void **out)
{
	halo_mapping *known = mail->known;
	*out = NULL;
	if (!buffer || !buffer->size)
		return GEMP_OK;
	if (mail->device->gpu)
		return map(mail, buffer, out);
	while (known < mail->known + HALO_MAPPINGS && (!known->mem || known->mem != buffer->mem))
		known++;
	if (known == mail->known + HALO_MAPPINGS) {
		known = &mail->known[mail->known_next++ % HALO_MAPPINGS];
		GEMP_PROPAGATE(know(mail, buffer, known));
	}
	*out = known->host;
	return GEMP_OK;
}

static gemp_code close(const gemp_halo *mail, const gemp_buffer *buffer, void *bytes)
{
	return bytes && mail->device->gpu ? unmap(mail, buffer, bytes) : GEMP_OK;
}

void gemp_halo_host_free(gemp_halo *mail)
{
	for (int k = 0; k < HALO_MAPPINGS; k++)
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
	gemp_halo *mail;
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
		bits |= (uint32_t)gemp_bits32_test(changed, slot[i]) << i;
	return bits;
}

static void mark_words(void *context, size_t begin, size_t end)
{
	const packing *p = context;
	for (size_t w = begin; w < end; w++)
		p->mail->out.bits[w] = mark_word(p->mail->slot + w * 32, p->changed);
}

static int rank_of(const halo_side *side, size_t word)
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
	const gemp_halo *mail = p->mail;
	const halo_side *out = &mail->out;
	int rank = -1;
	char *to = NULL;
	for (size_t w = begin; w < end; w++) {
		if (rank < 0 || w >= out->first[rank + 1]) {
			rank = rank_of(out, w);
			const halo_head *head = (const halo_head *)(void *)halo_message_of(out, rank);
			to = (char *)head + halo_values_at((halo_form)head->form, out->count[rank], head->count) +
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

static gemp_code take_read(gemp_halo *mail, const gemp_halo_read *look)
{
	void *bytes;
	GEMP_PROPAGATE(open(mail, look->from, &bytes));
	memcpy(look->to, bytes, look->size);
	return close(mail, look->from, bytes);
}

gemp_code gemp_halo_pack_host(gemp_halo *mail, const gemp_buffer *values, const gemp_buffer *changed,
                              const gemp_halo_read *look)
{
	gemp_code code = GEMP_OK;
	uint32_t words = mail->out.first[mail->ranks];
	void *bits = NULL, *from = NULL;
	GEMP_TRY(wait_for_kernels(mail));
	if (look)
		GEMP_TRY(take_read(mail, look));
	GEMP_TRY(open(mail, changed, &bits));
	if (mail->size)
		GEMP_TRY(open(mail, values, &from));
	packing p = { mail, bits, from };
	if (changed)
		GEMP_TRY(gemp_halo_few_new(mail));
	if (changed && gemp_halo_pack_few(mail, bits, from)) {
		mail->all = false;
		goto done;
	}
	if (changed) {
		for_pieces(words, 8 * WORDS, mark_words, &p);
		gemp_halo_prefix(&mail->out, 0, words);
	} else if (!mail->all) {
		gemp_halo_mark_all(mail);
	}
	mail->all = !changed;
	gemp_halo_write_heads(mail);
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
	const gemp_halo *mail;
	int rank;
	uint32_t ghost; /* the first of this rank */
	const halo_head *head;
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
	memcpy(u->values + (u->ghost + begin) * u->mail->size, u->from + begin * u->mail->size,
	       (end - begin) * u->mail->size);
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
	if (u->head->form == HALO_PAIRS) {
		for (uint32_t i = 0; i < u->head->count; i++)
			set_bits(arrived, u->ghost + u->words[i], 1);
		return;
	}
	for (uint32_t w = 0; w < halo_words(places); w++) {
		uint32_t last = places - w * 32 < 32 ? (1u << (places - w * 32)) - 1 : UINT32_MAX;
		set_bits(arrived, u->ghost + w * 32, u->head->form == HALO_ALL ? last : u->words[w]);
	}
}

static void put_values(const unpacking *u)
{
	const gemp_halo *mail = u->mail;
	uint32_t first = mail->in.first[u->rank], words = mail->in.first[u->rank + 1] - first;
	unpacking *context = (unpacking *)(uintptr_t)u;
	if (u->head->form == HALO_ALL) {
		for_pieces(u->head->count, 4 * PLACES, put_all, context);
	} else if (u->head->form == HALO_PAIRS) {
		for_pieces(u->head->count, PLACES, put_places, context);
	} else {
		memcpy(mail->in.bits + first, u->words, words * sizeof *u->words);
		gemp_halo_prefix((halo_side *)(uintptr_t)&mail->in, first, first + words);
		for_pieces(words, WORDS, put_words, context);
	}
}

gemp_code gemp_halo_unpack_host(gemp_halo *mail, const gemp_buffer *values, const gemp_buffer *arrived)
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
		const halo_head *head = (const halo_head *)(void *)halo_message_of(&mail->in, r);
		unpacking u = { mail,
			            r,
			            mail->links->ghost_begin[r],
			            head,
			            (const uint32_t *)(head + 1),
			            (const char *)head + halo_values_at((halo_form)head->form, mail->in.count[r], head->count),
			            to };
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
