/* The halo exchange by the host's threads, in buffers of a CPU device, whose memory the host can read in place.
 *
 * If few vertices have changed, halo_index finds their places. For each rank the index has a bitmap of the vertices
 * that the rank is sent, and prefix sums over the bitmap, so a popcount gives a vertex's place. If many vertices have
 * changed, the host tests the bit of each place. */

#include "analytics/halo/halo.h"
#include "core/limits.h"
#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"

/* The maximum number of ranks for which there is an index. With 64 ranks the index takes 16 bytes for each own
 * vertex. */
enum { MAX_RANKS = 64 };
/* The host lists at most a quarter of the changes that kernels list. More changes are found faster by testing all
 * places. */
enum { SPARSE_FRACTION = 4 };

/* The words of a bitmap up to the last vertex that is sent to any rank. */
static size_t words_of(const gemp_layout_links *links, int ranks)
{
	uint32_t last = 0;
	for (int r = 0; r < ranks; r++)
		if (links->send_begin[r + 1] > links->send_begin[r] && links->send[links->send_begin[r + 1] - 1] > last)
			last = links->send[links->send_begin[r + 1] - 1];
	return (size_t)last / 32 + 1;
}

/* Makes the index when changes are packed for the first time. Runs that send all values need no index. */
static gemp_code index_new(gemp_halo *halo)
{
	const gemp_layout_links *links = halo->links;
	halo_index *f = &halo->index;
	const uint32_t listed = gemp_limits_now()->halo_listed_max / SPARSE_FRACTION;
	if (halo->ranks > MAX_RANKS || f->sent)
		return GEMP_OK;
	f->words = words_of(links, halo->ranks);
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(f->sent, (size_t)halo->ranks * f->words),
	                      GEMP_ARRAY(f->before, (size_t)halo->ranks * f->words), GEMP_ARRAY(f->changed, listed),
	                      GEMP_ARRAY(f->places, listed), GEMP_ARRAY(f->vertices, listed)));
	f->listed_max = listed;
	for (int r = 0; r < halo->ranks; r++) {
		uint32_t *sent = f->sent + (size_t)r * f->words, *before = f->before + (size_t)r * f->words;
		for (uint64_t i = links->send_begin[r]; i < links->send_begin[r + 1]; i++)
			gemp_bits32_set(sent, links->send[i]);
		for (size_t w = 1; w < f->words; w++)
			before[w] = before[w - 1] + (uint32_t)__builtin_popcount(sent[w - 1]);
	}
	return GEMP_OK;
}

/* Lists the vertices whose bits are set. Stops soon after listed_max vertices. Returns the number of set bits that it
 * has seen. */
static size_t list_changed(halo_index *f, const uint32_t *bits)
{
	size_t count = 0;
	for (size_t w = 0; w < f->words && count <= f->listed_max; w++)
		for (uint32_t left = bits[w]; left; left &= left - 1, count++)
			if (count < f->listed_max)
				f->changed[count] = (uint32_t)w * 32 + (uint32_t)__builtin_ctz(left);
	return count;
}

/* Lists the places of the changed vertices that are sent to rank r. */
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

/* Packs the changes from a list. Returns false if there are too many changes, or if another form would be smaller for
 * some rank. */
static bool pack_listed(gemp_halo *halo, const uint32_t *bits, const char *values)
{
	halo_index *f = &halo->index;
	const halo_direction *out = &halo->out;
	const size_t changed = f->listed_max ? list_changed(f, bits) : 1;
	if (changed > f->listed_max)
		return false;
	for (int r = 0; r < halo->ranks; r++) {
		if (!out->count[r])
			continue;
		const uint32_t count = list_places(f, r, changed);
		if (halo_form_of(out->count[r], count, halo->size) != HALO_PAIRS)
			return false;
		halo_head *head = (halo_head *)(void *)halo_message_of(out, r);
		char *to = (char *)head + halo_values_at(HALO_PAIRS, out->count[r], count, halo->size);
		*head = (halo_head){ HALO_PAIRS, count };
		memcpy(head + 1, f->places, count * sizeof *f->places);
		for (uint32_t i = 0; halo->size && i < count; i++, to += halo->size)
			memcpy(to, values + halo_value_at(halo, f->vertices[i]), halo->size);
	}
	return true;
}

static gemp_code map_buffer(const gemp_halo *halo, const gemp_buffer *buffer, void **out)
{
	cl_int error = CL_SUCCESS;
	*out = clEnqueueMapBuffer(halo->device->queue, buffer->mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, buffer->size, 0,
	                          NULL, NULL, &error);
	return gemp_cl_check(error, "clEnqueueMapBuffer", __FILE__, __LINE__);
}

static gemp_code unmap_buffer(const gemp_halo *halo, const gemp_buffer *buffer, void *bytes)
{
	return GEMP_CL(clEnqueueUnmapMemObject(halo->device->queue, buffer->mem, bytes, 0, NULL, NULL));
}

/* A CPU device never moves a buffer after the host has mapped it, so its address is remembered, since mapping again
 * would take as long as a small round. The buffer is retained, because otherwise a new buffer might get its handle. */
static gemp_code remember_mapping(gemp_halo *halo, const gemp_buffer *buffer, halo_mapping *mapping)
{
	void *bytes;
	GEMP_TRY(map_buffer(halo, buffer, &bytes));
	GEMP_TRY(unmap_buffer(halo, buffer, bytes));
	GEMP_TRY(GEMP_CL(clFinish(halo->device->queue)));
	if (mapping->mem)
		clReleaseMemObject(mapping->mem);
	*mapping = (halo_mapping){ 0 };
	GEMP_TRY(GEMP_CL(clRetainMemObject(buffer->mem)));
	*mapping = (halo_mapping){ buffer->mem, bytes };
	return GEMP_OK;
}

/* *out becomes the host's address of a buffer, or NULL if the buffer is NULL or empty. The kernels that use the buffer
 * must have ended. */
static gemp_code open_buffer(gemp_halo *halo, const gemp_buffer *buffer, void **out)
{
	halo_mapping *mapping = halo->mappings, *const end = halo->mappings + HALO_MAPPINGS;
	*out = NULL;
	if (!buffer || !buffer->size)
		return GEMP_OK;
	if (halo->device->gpu)
		return map_buffer(halo, buffer, out);
	while (mapping < end && (!mapping->mem || mapping->mem != buffer->mem))
		mapping++;
	if (mapping == end) {
		mapping = &halo->mappings[halo->next_mapping++ % HALO_MAPPINGS];
		GEMP_TRY(remember_mapping(halo, buffer, mapping));
	}
	*out = mapping->host;
	return GEMP_OK;
}

/* Buffers of a CPU device are not mapped at this point (remember_mapping), so only a buffer of a GPU is unmapped. */
static gemp_code close_buffer(const gemp_halo *halo, const gemp_buffer *buffer, void *bytes)
{
	return bytes && halo->device->gpu ? unmap_buffer(halo, buffer, bytes) : GEMP_OK;
}

/* Releases the references that remember_mapping has taken. */
void gemp_halo_host_free(gemp_halo *halo)
{
	halo_index *f = &halo->index;
	gemp_free_all(f->sent, f->before, f->changed, f->places, f->vertices);
	for (int k = 0; k < HALO_MAPPINGS; k++)
		if (halo->mappings[k].mem)
			clReleaseMemObject(halo->mappings[k].mem);
}

/* The smallest chunk of a loop over words of 32 places, and of a loop over places. Cheaper loops take a multiple of
 * it. */
enum { WORDS = 256, PLACES = WORDS * 32 };

/* The data that all threads read while they pack. `changed` is a bitmap of local vertices, or NULL if all have changed.
 * `values` has [known] values, or is NULL if messages have no values. */
typedef struct pack_task {
	gemp_halo *halo;
	const uint32_t *changed;
	const char *values;
} pack_task;

/* The bits of the 32 places of a word. The vertices of the places ascend, so they are often consecutive, or lie in a
 * part of the bitmap without changes. Both cases need no loop over the places. */
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

/* Each word of out.bits[] belongs to one chunk, so bits are set without atomic operations. */
static void mark_words(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	const pack_task *p = context;
	for (size_t w = begin; w < end; w++)
		p->halo->out.bits[w] = mark_word(p->halo->slot + w * 32, p->changed);
}

/* Copies values behind the heads of messages, whose forms are known now. A copy of constant size is one instruction,
 * hence the two cases. */
static void gather_words(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	const pack_task *p = context;
	const gemp_halo *halo = p->halo;
	const halo_direction *out = &halo->out;
	int rank = -1;
	char *to = NULL;
	for (size_t w = begin; w < end; w++) {
		if (rank < 0 || w >= out->first[rank + 1]) {
			rank = (int)gemp_range_find_u32(out->first, (size_t)halo->ranks, w);
			const halo_head *head = (const halo_head *)(void *)halo_message_of(out, rank);
			to = (char *)head + halo_values_at((halo_form)head->form, out->count[rank], head->count, halo->size) +
			     (out->before[w] - out->before[out->first[rank]]) * halo->size;
		}
		for (uint32_t bits = out->bits[w]; bits; bits &= bits - 1, to += halo->size) {
			const char *from = p->values + halo_value_at(halo, halo->slot[w * 32 + (unsigned)__builtin_ctz(bits)]);
			if (halo->size == sizeof(uint32_t))
				memcpy(to, from, sizeof(uint32_t));
			else
				memcpy(to, from, sizeof(uint64_t));
		}
	}
}

static inline __attribute__((always_inline)) void prefix_words(halo_direction *out, uint32_t words)
{
	for (uint32_t w = 0; w < words; w++)
		out->before[w + 1] = out->before[w] + (uint32_t)__builtin_popcount(out->bits[w]);
}

#ifdef __x86_64__
/* The popcnt instruction is several times as fast as the code that the compiler emits for any x86-64 processor. */
__attribute__((target("popcnt"))) static void prefix_popcnt(halo_direction *out, uint32_t words)
{
	prefix_words(out, words);
}
#endif

/* Sets before[] from bits[]. */
static void set_prefix(halo_direction *out, uint32_t words)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("popcnt")) {
		prefix_popcnt(out, words);
		return;
	}
#endif
	prefix_words(out, words);
}

/* Sets the bits of all places. The bits behind the last place of a rank stay 0. */
static void mark_all(gemp_halo *halo)
{
	halo_direction *out = &halo->out;
	for (int r = 0; r < halo->ranks; r++)
		for (uint32_t i = 0, w = out->first[r]; w < out->first[r + 1]; w++, i += 32)
			out->bits[w] = out->count[r] - i < 32 ? (1u << (out->count[r] - i)) - 1 : UINT32_MAX;
	set_prefix(out, out->first[halo->ranks]);
}

static uint32_t change_count(const halo_direction *direction, int rank)
{
	return direction->before[direction->first[rank + 1]] - direction->before[direction->first[rank]];
}

/* A message has all values if all have changed; otherwise the smaller of a bitmap and a list of places. */
static void write_heads(gemp_halo *halo)
{
	const halo_direction *out = &halo->out;
	for (int r = 0; r < halo->ranks; r++) {
		uint32_t count = change_count(out, r), words = out->first[r + 1] - out->first[r], *to;
		if (!out->count[r])
			continue;
		halo_head *head = (halo_head *)(void *)halo_message_of(out, r);
		*head = (halo_head){ halo_form_of(out->count[r], count, halo->size), count };
		to = (uint32_t *)(head + 1);
		if (head->form == HALO_BITS) {
			memcpy(to, out->bits + out->first[r], words * sizeof *to);
			for (size_t b = 0; b < halo_blocks(out->count[r], halo->size); b++)
				to[words + b] = out->before[out->first[r] + b * HALO_BLOCK] - out->before[out->first[r]];
		}
		for (uint32_t w = 0; head->form == HALO_PAIRS && w < words; w++)
			for (uint32_t bits = out->bits[out->first[r] + w]; bits; bits &= bits - 1)
				*to++ = w * 32 + (uint32_t)__builtin_ctz(bits);
	}
}

/* Few changes are packed from a list. Otherwise the bits of all places are set, and the form of each message follows
 * from their number. */
gemp_code gemp_halo_pack_host(gemp_halo *halo, const gemp_buffer *values, const gemp_buffer *changed,
                              const gemp_halo_carried *read)
{
	gemp_code code = GEMP_OK;
	uint32_t words = halo->out.first[halo->ranks];
	void *bits = NULL, *from = NULL;
	GEMP_TRY_DONE(GEMP_CL(clFinish(halo->device->queue)));
	if (read) {
		GEMP_TRY_DONE(open_buffer(halo, read->buffer, &bits));
		memcpy(read->host, bits, read->words * sizeof *read->host);
		GEMP_TRY_DONE(close_buffer(halo, read->buffer, bits));
		bits = NULL;
	}
	GEMP_TRY_DONE(open_buffer(halo, changed, &bits));
	if (halo->size)
		GEMP_TRY_DONE(open_buffer(halo, values, &from));
	pack_task p = { halo, bits, from };
	if (changed)
		GEMP_TRY_DONE(index_new(halo));
	if (changed && pack_listed(halo, bits, from)) {
		halo->all = false;
		goto done;
	}
	if (changed) {
		gemp_for_chunks(words, 8 * WORDS, mark_words, &p);
		set_prefix(&halo->out, words);
	} else if (!halo->all) {
		mark_all(halo);
	}
	halo->all = !changed;
	write_heads(halo);
	if (halo->size)
		gemp_for_chunks(words, WORDS, gather_words, &p);
done:
	if (close_buffer(halo, values, from) != GEMP_OK || close_buffer(halo, changed, bits) != GEMP_OK)
		code = GEMP_EINTERNAL;
	return code;
}

/* A received message from one rank. */
typedef struct unpack_task {
	const gemp_halo *halo;
	int rank;
	uint32_t ghost; /* the first ghost that `rank` owns */
	const halo_head *head;
	const uint32_t *words; /* the message's bitmap or places */
	const char *from;      /* the message's values */
	char *values;          /* [known] */
} unpack_task;

/* Copies a value of 4 or 8 bytes to the ghost of a place. */
static void put_value(const unpack_task *u, size_t place, size_t value)
{
	size_t size = u->halo->size, at = halo_value_at(u->halo, u->ghost + place);
	if (size == sizeof(uint32_t))
		memcpy(u->values + at, u->from + value * size, sizeof(uint32_t));
	else
		memcpy(u->values + at, u->from + value * size, sizeof(uint64_t));
}

/* Copies the values of listed places. A place occurs once in a message, so threads write to different ghosts. */
static void put_places(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	const unpack_task *u = context;
	for (size_t i = begin; i < end; i++)
		put_value(u, u->words[i], i);
}

/* Copies the values of a bitmap's set bits. The message has the position of the first value of each block. */
static void put_blocks(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	const unpack_task *u = context;
	const size_t words = halo_words(u->halo->in.count[u->rank]);
	for (size_t block = begin; block < end; block++) {
		size_t value = u->words[words + block];
		for (size_t w = block * HALO_BLOCK; w < gemp_min((block + 1) * HALO_BLOCK, words); w++)
			for (uint32_t bits = u->words[w]; bits; bits &= bits - 1)
				put_value(u, w * 32 + (unsigned)__builtin_ctz(bits), value++);
	}
}

/* The ghosts of one rank are numbered in the order of that rank's message, so one copy moves all values of a chunk
 * unless they are halves of words. */
static void put_all(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	const unpack_task *u = context;
	for (size_t i = begin; u->halo->apart > 1 && i < end; i++)
		put_value(u, i, i);
	if (u->halo->apart == 1)
		memcpy(u->values + (u->ghost + begin) * u->halo->size, u->from + begin * u->halo->size,
		       (end - begin) * u->halo->size);
}

/* Sets the bits of `word` in the bitmap, beginning with bit number `at`. They may reach into the next word. */
static void set_bits(uint32_t *bits, uint32_t at, uint32_t word)
{
	bits[at / 32] |= word << at % 32;
	if (at % 32 && word >> (32 - at % 32))
		bits[at / 32 + 1] |= word >> (32 - at % 32);
}

/* Marks the ghosts whose values were received. */
static void set_arrived(const unpack_task *u, uint32_t *arrived)
{
	uint32_t places = u->halo->in.count[u->rank];
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

/* Copies the values of one message to their ghosts. The message's form decides how. */
static void put_values(const unpack_task *u)
{
	unpack_task *context = (unpack_task *)(uintptr_t)u;
	if (u->head->form == HALO_ALL) {
		gemp_for_chunks(u->head->count, 4 * PLACES, put_all, context);
	} else if (u->head->form == HALO_PAIRS) {
		gemp_for_chunks(u->head->count, PLACES, put_places, context);
	} else {
		gemp_for_chunks(halo_blocks(u->halo->in.count[u->rank], u->halo->size), 1, put_blocks, context);
	}
}

/* Messages are read in place: in shared memory, or in the receive block. */
gemp_code gemp_halo_unpack_host(gemp_halo *halo, const gemp_buffer *values, const gemp_buffer *arrived,
                                const gemp_halo_carried *write)
{
	gemp_code code = GEMP_OK;
	void *bits = NULL, *to = NULL;
	GEMP_TRY_DONE(GEMP_CL(clFinish(halo->device->queue)));
	if (write) {
		GEMP_TRY_DONE(open_buffer(halo, write->buffer, &bits));
		memcpy(bits, write->host, write->words * sizeof *write->host);
		GEMP_TRY_DONE(close_buffer(halo, write->buffer, bits));
		bits = NULL;
	}
	GEMP_TRY_DONE(open_buffer(halo, arrived, &bits));
	if (halo->size)
		GEMP_TRY_DONE(open_buffer(halo, values, &to));
	for (int r = 0; r < halo->ranks; r++) {
		if (!halo->in.count[r])
			continue;
		const halo_head *head = (const halo_head *)(void *)halo_message_of(&halo->in, r);
		unpack_task u = { halo,
			              r,
			              halo->links->ghost_begin[r],
			              head,
			              (const uint32_t *)(head + 1),
			              (const char *)head +
			                  halo_values_at((halo_form)head->form, halo->in.count[r], head->count, halo->size),
			              to };
		if (halo->size)
			put_values(&u);
		if (bits)
			set_arrived(&u, bits);
	}
done:
	if (close_buffer(halo, values, to) != GEMP_OK || close_buffer(halo, arrived, bits) != GEMP_OK)
		code = GEMP_EINTERNAL;
	return code;
}
