/* item_codec: partial matches as bytes on the wire. Host only. Items are coded in groups. The items of a group agree in
 * all words except the words of the vertex and the edge bound last; the equal words are the group's common words. A
 * group is coded as
 *
 *   the number of its items;
 *   a bit for each common word, eight to a byte: 1 if the word differs from the word of the previous group;
 *   the differences of these words;
 *   for each item the vertex and the edge bound last, as differences to the previous item.
 *
 * Numbers are coded as in partition/fetch/row_code.h, and the sign of a difference is its lowest bit. The items of a
 * group stay in order, and groups are in the order of their first items. Several workers append to one outbox, so the
 * items of a group need not be adjacent. If the code of a chunk is not shorter than the chunk, the chunk is sent in
 * whole words. */

#ifndef GEMP_MATCH_EXCHANGE_ITEM_CODEC_H
#define GEMP_MATCH_EXCHANGE_ITEM_CODEC_H

#include "match/codegen/kernel_text.h"

enum { GEMP_ITEM_PIECE = 1 << 16 }; /* maximum number of items that one call codes */

/* The layout of the items of a stage. Words [0, vertex) and [behind, edge) are common to a group. */
typedef struct gemp_item_form {
	uint32_t words; /* words of an item */
	/* word of the vertex bound last, and the word after it; equal if the last step bound no vertex */
	uint32_t vertex, behind;
	/* first of the two words of the edge bound last; equal to `words` if the last step bound no edge */
	uint32_t edge;
} gemp_item_form;

gemp_item_form gemp_item_form_of(const gemp_plan *plan, const gemp_item_layout *layout, size_t stage);

typedef struct gemp_item_coder gemp_item_coder;
gemp_code gemp_item_coder_new(gemp_item_coder **out);
void gemp_item_coder_free(gemp_item_coder *coder);

/* The encoder may write this number of bytes beyond the size of the items in whole words. */
size_t gemp_item_slack(const gemp_item_form *form);

/* Codes at most GEMP_ITEM_PIECE items to `to`, which has space for the items in whole words and for the slack. Returns
 * the number of bytes. If this number is the size of the items in whole words, the items were copied; otherwise it is
 * smaller. */
size_t gemp_items_encode(gemp_item_coder *coder, const gemp_item_form *form, const uint32_t *items, size_t count,
                         uint8_t *to);

/* Decodes `count` items from `size` bytes. Returns false if the bytes are corrupt. */
bool gemp_items_decode(const gemp_item_form *form, const uint8_t *from, size_t size, uint32_t *items, size_t count);

#endif
