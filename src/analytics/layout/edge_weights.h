/* edge_weights: weights of edges, from columns of the graph to what a layout keeps; and keys of vertices for messages of all ranks.
 *
 * On its way between ranks a weight is 0, 1 or 2 words of 32 bits, of which the layout keeps the lowest bytes.
 */

#ifndef GEMP_ANALYTICS_LAYOUT_EDGE_WEIGHTS_H
#define GEMP_ANALYTICS_LAYOUT_EDGE_WEIGHTS_H

#include "analytics/layout/layout.h"

#include <string.h>

size_t gemp_layout_weight_size(gemp_layout_weights weights); /* bytes; 0: unweighted */

struct gemp_layout_state;

/* Collective. Finds the column of each type, decides how weights are kept, and refuses invalid weights; sets the
 * layout's smallest and largest weight and the sum. */
gemp_code gemp_layout_make_weights(struct gemp_layout_state *m, const gemp_layout_options *options);

/* Words of 32 bits of a weight on its way. */
static inline unsigned gemp_layout_weight_words(gemp_layout_weights weights)
{
	return (unsigned)(gemp_layout_weight_size(weights) + sizeof(uint32_t) - 1) / (unsigned)sizeof(uint32_t);
}

/* Their lowest bytes, which are the first, become element `place` of a layout's weights; and the way back. */
static inline void gemp_layout_weight_set(void *weight, uint64_t place, const uint32_t *words, size_t size)
{
	memcpy((char *)weight + place * size, words, size);
}

static inline void gemp_layout_weight_get(uint32_t *words, const void *weight, uint64_t place, size_t size)
{
	*words = 0;
	memcpy(words, (const char *)weight + place * size, size);
}

/* The weight of an edge as words. Columns are integers or floats. */
static inline void gemp_layout_weight_load(uint32_t *words, gemp_layout_weights weights, const gemp_column *column,
                                           size_t row)
{
	double real;
	float single;
	switch (weights) {
	case GEMP_LAYOUT_U8:
	case GEMP_LAYOUT_U16:
	case GEMP_LAYOUT_U32: words[0] = (uint32_t)column->integers[row]; return;
	case GEMP_LAYOUT_U64: memcpy(words, &column->integers[row], sizeof(uint64_t)); return;
	case GEMP_LAYOUT_F32:
		single = column->integers ? (float)column->integers[row] : (float)column->floats[row];
		memcpy(words, &single, sizeof single);
		return;
	case GEMP_LAYOUT_F64:
		real = (column->integers ? (double)column->integers[row] : column->floats[row]) + 0.0; /* -0 becomes 0 */
		memcpy(words, &real, sizeof real);
		return;
	default: return;
	}
}

/* Collective. The key of an id that is the same on all ranks, of graphs whose keys are loaded; cut where there is no
 * room. */
gemp_code gemp_layout_print_key(const gemp_comm *comm, const gemp_shard *graph, uint64_t id, char *text, size_t room);

#endif
