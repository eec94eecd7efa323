#include "match/exchange/item_codec.h"

#include "partition/fetch/row_code.h"

#include <string.h>

/* The table of groups is direct-mapped: if another group takes the place of a group, the next item of the replaced
 * group begins a new group. */
enum { TABLE = 1 << 12, EDGE_WORDS = 2, MAX_WORDS = 3 + GEMP_MAX_PATTERN_VERTICES + 2 * GEMP_MAX_PATTERN_EDGES };

typedef struct group {
	uint32_t first, last, size; /* first and last item; number of items */
} group;

struct gemp_item_coder {
	uint32_t next[GEMP_ITEM_PIECE]; /* the next item of the same group */
	group groups[GEMP_ITEM_PIECE];
	uint32_t table[TABLE]; /* 1 + index of a group; 0: empty */
};

gemp_code gemp_item_coder_new(gemp_item_coder **out)
{
	return GEMP_NEW(*out, 1);
}

void gemp_item_coder_free(gemp_item_coder *coder)
{
	gemp_free(coder);
}

/* An item has vertices and then edges, both in the order of the steps that bind them. The vertex of the last step is
 * therefore the last of the vertices, and its edge the last of the edges. */
gemp_item_form gemp_item_form_of(const gemp_plan *plan, const gemp_item_layout *layout, size_t stage)
{
	const gemp_plan_stage *at = &layout->stages[stage];
	int last = at->verify ? at->step : at->step - 1;
	uint32_t words = layout->item_words[stage], vertices = at->verify ? 3 : 1;
	for (int s = 0; s <= last; s++)
		vertices += plan->steps[s].kind != GEMP_BIND_EDGE;
	gemp_item_form form = { .words = words, .vertex = words, .behind = words, .edge = words };
	if (last >= 0 && plan->steps[last].kind != GEMP_BIND_EDGE) {
		form.vertex = vertices - 1;
		form.behind = vertices;
	}
	if (last >= 0 && plan->steps[last].edge >= 0)
		form.edge = words - EDGE_WORDS;
	if (form.vertex == words)
		form.vertex = form.behind = form.edge;
	return form;
}

/* Most numbers are below 128, and take one byte and no call. */
static inline uint8_t *put(uint8_t *to, uint64_t number)
{
	if (number >= 128)
		return gemp_varint_put(to, number);
	*to = (uint8_t)number;
	return to + 1;
}

static inline const uint8_t *get(const uint8_t *from, const uint8_t *end, uint64_t *number)
{
	if (from == end || *from >= 128)
		return gemp_varint_get(from, end, number);
	*number = *from;
	return from + 1;
}

/* Small differences of either sign become small numbers (zigzag coding). */
static inline uint64_t fold(int64_t difference)
{
	return (uint64_t)difference << 1 ^ (uint64_t)(difference >> 63);
}

static inline int64_t unfold(uint64_t number)
{
	return (int64_t)(number >> 1 ^ -(number & 1));
}

/* The edge bound last as one number. Items store its low word first. */
static inline uint64_t edge_of(const uint32_t *item, const gemp_item_form *form)
{
	return item[form->edge] | (uint64_t)item[form->edge + 1] << 32;
}

/* True if two items of a stage agree in all common words. */
static inline bool alike(const gemp_item_form *form, const uint32_t *a, const uint32_t *b)
{
	for (uint32_t w = form->vertex; w-- > 0;) /* later words differ more often, so they are compared first */
		if (a[w] != b[w])
			return false;
	for (uint32_t w = form->behind; w < form->edge; w++)
		if (a[w] != b[w])
			return false;
	return true;
}

/* The place of an item's group in the table: a hash of the common words. */
static inline uint32_t place_of(const gemp_item_form *form, const uint32_t *item)
{
	uint64_t hash = 0;
	for (uint32_t w = 0; w < form->vertex; w++)
		hash = (hash ^ item[w]) * UINT64_C(0x9E3779B97F4A7C15);
	for (uint32_t w = form->behind; w < form->edge; w++)
		hash = (hash ^ item[w]) * UINT64_C(0x9E3779B97F4A7C15);
	return (uint32_t)(hash >> 32) % TABLE;
}

/* Links the items of each group in their order. Returns the number of groups. */
static size_t find_groups(gemp_item_coder *c, const gemp_item_form *form, const uint32_t *items, size_t count)
{
	size_t found = 0, now = 0;
	memset(c->table, 0, sizeof c->table);
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t *item = items + (size_t)i * form->words;
		if (i > 0 && alike(form, item, items + (size_t)c->groups[now].first * form->words))
			goto join;
		uint32_t *place = &c->table[place_of(form, item)];
		if (*place == 0 || !alike(form, item, items + (size_t)c->groups[*place - 1].first * form->words)) {
			c->groups[found++] = (group){ i, i, 1 };
			*place = (uint32_t)found;
			now = found - 1;
			continue;
		}
		now = *place - 1;
	join:
		c->next[c->groups[now].last] = i;
		c->groups[now].last = i;
		c->groups[now].size++;
	}
	return found;
}

/* Writes the words [first, end) that differ from the previous group: sets the bit of each such word and appends the
 * difference. */
static uint8_t *put_words(uint8_t *to, const uint32_t *item, const uint32_t *before, uint32_t first, uint32_t end,
                          uint32_t *bit, uint8_t *bits)
{
	for (uint32_t w = first; w < end; w++, ++*bit)
		if (item[w] != before[w]) {
			bits[*bit / 8] |= (uint8_t)(1 << *bit % 8);
			to = put(to, fold((int64_t)item[w] - before[w]));
		}
	return to;
}

/* Writes the common words of a group as differences to the previous group. */
static uint8_t *put_common(const gemp_item_form *form, uint8_t *to, const uint32_t *item, const uint32_t *before)
{
	uint8_t *bits = to;
	uint32_t words = form->vertex + form->edge - form->behind, bit = 0;
	memset(bits, 0, (words + 7) / 8);
	to += (words + 7) / 8;
	to = put_words(to, item, before, 0, form->vertex, &bit, bits);
	return put_words(to, item, before, form->behind, form->edge, &bit, bits);
}

/* The encoder tests for the end before each group and each item. Between two tests it writes at most the size of a
 * group, its common words, and the differences of one item. */
size_t gemp_item_slack(const gemp_item_form *form)
{
	return 6 * (size_t)form->words + 4 * GEMP_VARINT_MAX_BYTES;
}

/* As soon as the code is as long as whole words, the encoder stops and copies the items instead. */
size_t gemp_items_encode(gemp_item_coder *c, const gemp_item_form *form, const uint32_t *items, size_t count,
                         uint8_t *to)
{
	static const uint32_t none[MAX_WORDS];
	const uint8_t *begin = to, *end = to + count * form->words * sizeof *items;
	const uint32_t *before = none;
	size_t groups = find_groups(c, form, items, count);
	for (size_t g = 0; g < groups && to < end; g++) {
		const uint32_t *item = items + (size_t)c->groups[g].first * form->words;
		uint32_t vertex = 0;
		uint64_t edge = 0;
		to = put(to, c->groups[g].size);
		to = put_common(form, to, item, before);
		before = item;
		for (uint32_t i = c->groups[g].first, left = c->groups[g].size; left > 0 && to < end; left--, i = c->next[i]) {
			item = items + (size_t)i * form->words;
			if (form->vertex < form->behind) {
				to = put(to, fold((int64_t)item[form->vertex] - vertex));
				vertex = item[form->vertex];
			}
			if (form->edge < form->words) {
				to = put(to, fold((int64_t)(edge_of(item, form) - edge)));
				edge = edge_of(item, form);
			}
		}
	}
	if (to < end)
		return (size_t)(to - begin);
	memcpy((uint8_t *)(uintptr_t)begin, items, (size_t)(end - begin));
	return (size_t)(end - begin);
}

/* The inverse of put_words. Returns NULL if the message ends too early. */
static const uint8_t *get_words(const uint8_t *from, const uint8_t *end, uint32_t *item, uint32_t first,
                                uint32_t behind, uint32_t *bit, const uint8_t *bits)
{
	uint64_t number = 0;
	for (uint32_t w = first; from && w < behind; w++, ++*bit)
		if (bits[*bit / 8] >> *bit % 8 & 1) {
			from = get(from, end, &number);
			item[w] += (uint32_t)unfold(number);
		}
	return from;
}

/* The inverse of put_common. */
static const uint8_t *get_common(const gemp_item_form *form, const uint8_t *from, const uint8_t *end, uint32_t *item)
{
	const uint8_t *bits = from;
	uint32_t words = form->vertex + form->edge - form->behind, bit = 0;
	if ((size_t)(end - from) < (words + 7) / 8)
		return NULL;
	from = get_words(from + (words + 7) / 8, end, item, 0, form->vertex, &bit, bits);
	return from ? get_words(from, end, item, form->behind, form->edge, &bit, bits) : NULL;
}

/* Reads the items of a group: copies the common words, and adds up the differences of the last vertex and edge. */
static const uint8_t *get_group(const gemp_item_form *form, const uint8_t *from, const uint8_t *end,
                                const uint32_t *common, uint32_t *items, size_t count)
{
	uint64_t number = 0, edge = 0;
	uint32_t vertex = 0;
	for (uint32_t *item = items; count > 0 && from; count--, item += form->words) {
		memcpy(item, common, form->words * sizeof *item);
		if (form->vertex < form->behind) {
			from = get(from, end, &number);
			item[form->vertex] = vertex += (uint32_t)unfold(number);
		}
		if (form->edge < form->words && from) {
			from = get(from, end, &number);
			edge += (uint64_t)unfold(number);
			item[form->edge] = (uint32_t)edge;
			item[form->edge + 1] = (uint32_t)(edge >> 32);
		}
	}
	return from;
}

/* Every number is checked against the end of the message, because a corrupt message of another rank must not cause
 * writes beyond the items. */
bool gemp_items_decode(const gemp_item_form *form, const uint8_t *from, size_t size, uint32_t *items, size_t count)
{
	const uint8_t *end = from + size;
	uint32_t common[MAX_WORDS] = { 0 };
	uint64_t here = 0;
	if (size == count * form->words * sizeof *items) {
		memcpy(items, from, size);
		return true;
	}
	while (count > 0) {
		from = get(from, end, &here);
		if (!from || here == 0 || here > count)
			return false;
		from = get_common(form, from, end, common);
		if (from)
			from = get_group(form, from, end, common, items, (size_t)here);
		if (!from)
			return false;
		items += here * form->words;
		count -= (size_t)here;
	}
	return from == end;
}
