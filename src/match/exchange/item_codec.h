/* item_codec: partial matches as bytes on the wire, in groups that agree in everything but what was bound last. Host
 * only.
 *
 *   group  number of items; which words of what they have in common differ from those of the group before (a bit each, eight
 *          to a byte), and by how much; for each item the vertex bound last, as a difference, and the edge
 *
 * Numbers are coded as in partition/fetch/row_code.h, and differences have their sign in the lowest bit. Items of a
 * group stay in order; groups are in the order of their first items. Several workers append to one outbox, so that a
 * group need not lie together. What would not become shorter travels in whole words.
 */

#ifndef GEMP_MATCH_EXCHANGE_ITEM_CODEC_H
#define GEMP_MATCH_EXCHANGE_ITEM_CODEC_H

#include "match/codegen/kernel_text.h"

/* Items are coded so many at a time. */
enum { GEMP_ITEM_PIECE = 1 << 16 };

/* Where in an item of a stage the words are that its group has in common: [0, vertex) and [behind, edge). */
typedef struct gemp_item_form {
	uint32_t words;
	uint32_t vertex, behind; /* the vertex bound last; equal: there is none */
	uint32_t edge;           /* of two words; = words: there is none */
} gemp_item_form;

gemp_item_form gemp_item_form_of(const gemp_plan *plan, const gemp_item_layout *layout, size_t stage);

/* Room for coding one piece at a time. */
typedef struct gemp_item_coder gemp_item_coder;
gemp_code gemp_item_coder_new(gemp_item_coder **out);
void gemp_item_coder_free(gemp_item_coder *coder);

/* Bytes behind those that a piece takes in whole words, which coding may touch. */
size_t gemp_item_slack(const gemp_item_form *form);

/* At most GEMP_ITEM_PIECE items to `to`, where there is room for them in whole words and the slack. Returns the bytes: fewer
 * than in whole words, or just as many, and then it is these. */
size_t gemp_items_encode(gemp_item_coder *coder, const gemp_item_form *form, const uint32_t *items, size_t count,
                         uint8_t *to);

/* The items of `size` bytes; false where they are corrupt. */
bool gemp_items_decode(const gemp_item_form *form, const uint8_t *from, size_t size, uint32_t *items, size_t count);

#endif
