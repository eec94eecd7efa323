/* Few changes, by the host: from the vertices that have changed to their places, without a look at all others. */
#include "core/memory.h"
#include "gas/mail_parts.h"

#include <string.h>

enum {
	MOST_RANKS = 64, /* with more of them the bitmaps would take more than the places themselves */
	PART = 4         /* of what is few by kernels: more are found faster by a look at all places */
};

/* Reach of what any rank is sent. */
static size_t words_of(const gemp_gas_links *links, int ranks)
{
	uint32_t last = 0;
	for (int r = 0; r < ranks; r++)
		if (links->send_begin[r + 1] > links->send_begin[r] && links->send[links->send_begin[r + 1] - 1] > last)
			last = links->send[links->send_begin[r + 1] - 1];
	return (size_t)last / 32 + 1;
}

gemp_code gemp_gas_mail_few_make(gemp_gas_mail *mail)
{
	gemp_code code = GEMP_OK;
	const gemp_gas_links *links = mail->links;
	mail_finder *f = &mail->finder;
	const uint32_t few = gemp_gas_mail_few / PART;
	if (mail->ranks > MOST_RANKS || f->sent)
		return GEMP_OK;
	f->words = words_of(links, mail->ranks);
	GEMP_TRY(GEMP_NEW(f->sent, (size_t)mail->ranks * f->words));
	GEMP_TRY(GEMP_NEW(f->before, (size_t)mail->ranks * f->words));
	GEMP_TRY(GEMP_NEW(f->changed, few));
	GEMP_TRY(GEMP_NEW(f->places, few));
	GEMP_TRY(GEMP_NEW(f->vertices, few));
	f->most = few;
	for (int r = 0; r < mail->ranks; r++) {
		uint32_t *sent = f->sent + (size_t)r * f->words, *before = f->before + (size_t)r * f->words;
		for (uint64_t i = links->send_begin[r]; i < links->send_begin[r + 1]; i++)
			sent[links->send[i] / 32] |= 1u << links->send[i] % 32;
		for (size_t w = 1; w < f->words; w++)
			before[w] = before[w - 1] + (uint32_t)__builtin_popcount(sent[w - 1]);
	}
done:
	return code;
}

void gemp_gas_mail_few_free(gemp_gas_mail *mail)
{
	mail_finder *f = &mail->finder;
	gemp_free(f->sent);
	gemp_free(f->before);
	gemp_free(f->changed);
	gemp_free(f->places);
	gemp_free(f->vertices);
}

/* Vertices whose bits are set; more than `most`: not all of them. */
static size_t list_changed(mail_finder *f, const uint32_t *bits)
{
	size_t count = 0;
	for (size_t w = 0; w < f->words && count <= f->most; w++)
		for (uint32_t left = bits[w]; left; left &= left - 1, count++)
			if (count < f->most)
				f->changed[count] = (uint32_t)w * 32 + (uint32_t)__builtin_ctz(left);
	return count;
}

/* Of those, the ones that rank r is sent: their places there. */
static uint32_t list_places(mail_finder *f, int r, size_t changed)
{
	const uint32_t *sent = f->sent + (size_t)r * f->words, *before = f->before + (size_t)r * f->words;
	uint32_t count = 0;
	for (size_t i = 0; i < changed; i++) {
		uint32_t v = f->changed[i], w = v / 32, bit = 1u << v % 32;
		f->places[count] = before[w] + (uint32_t)__builtin_popcount(sent[w] & (bit - 1));
		f->vertices[count] = v;
		count += (sent[w] & bit) != 0;
	}
	return count;
}

bool gemp_gas_mail_pack_few(gemp_gas_mail *mail, const uint32_t *bits, const char *values)
{
	mail_finder *f = &mail->finder;
	const mail_side *out = &mail->out;
	const size_t changed = f->most ? list_changed(f, bits) : 1;
	if (changed > f->most)
		return false;
	for (int r = 0; r < mail->ranks; r++) {
		if (!out->count[r])
			continue;
		const uint32_t count = list_places(f, r, changed);
		if (mail_form_of(out->count[r], count) != MAIL_PAIRS)
			return false;
		mail_head *head = (mail_head *)(void *)mail_of(out, r);
		char *to = (char *)head + mail_values_at(MAIL_PAIRS, out->count[r], count);
		*head = (mail_head){ MAIL_PAIRS, count };
		memcpy(head + 1, f->places, count * sizeof *f->places);
		for (uint32_t i = 0; mail->size && i < count; i++, to += mail->size)
			memcpy(to, values + f->vertices[i] * mail->size, mail->size);
	}
	return true;
}
