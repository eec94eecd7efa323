/* item_codec: partial matches as bytes on the wire, in groups of items that agree in all words but those of the vertex and
 * edge bound last. Host only. A group is coded as
 *
 *   the number of its items;
 *   a bit for each common word, eight to a byte: 1 where the word differs from that of the group before;
 *   the differences of these words;
 *   for each item the vertex and the edge bound last, as differences to the item before.
 *
 * Numbers are coded as in partition/fetch/row_code.h, and differences have their sign in the lowest bit. Items of a
 * group stay in order; groups are in the order of their first items. Several workers append to one outbox, so the items
 * of a group need not be adjacent. A chunk that would not become shorter travels in whole words.
 */

#ifndef GEMP_MATCH_EXCHANGE_ITEM_CODEC_H
#define GEMP_MATCH_EXCHANGE_ITEM_CODEC_H

#include "match/codegen/kernel_text.h"

enum { GEMP_ITEM_PIECE = 1 << 16 }; /* the greatest number of items that one call codes */

/* The layout of the items of a stage. Words [0, vertex) and [behind, edge) are common to a group. */
typedef struct gemp_item_form {
	uint32_t words;          /* of an item */
	uint32_t vertex, behind; /* word of the vertex bound last, and the next one; equal if the last step bound none */
	uint32_t edge;           /* first of the two words of the edge bound last; = words if there is none */
} gemp_item_form;

gemp_item_form gemp_item_form_of(const gemp_plan *plan, const gemp_item_layout *layout, size_t stage);

typedef struct gemp_item_coder gemp_item_coder;
gemp_code gemp_item_coder_new(gemp_item_coder **out);
void gemp_item_coder_free(gemp_item_coder *coder);

/* Coding may write this many bytes behind those that the items take in whole words. */
size_t gemp_item_slack(const gemp_item_form *form);

/* Codes at most GEMP_ITEM_PIECE items to `to`, which has space for them in whole words and for the slack. Returns the
 * number of bytes: fewer than in whole words, or as many, and then the items were copied. */
size_t gemp_items_encode(gemp_item_coder *coder, const gemp_item_form *form, const uint32_t *items, size_t count,
                         uint8_t *to);

/* Decodes `count` items of `size` bytes. Returns false if the bytes are corrupt. */
bool gemp_items_decode(const gemp_item_form *form, const uint8_t *from, size_t size, uint32_t *items, size_t count);

#endif
