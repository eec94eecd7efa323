#include "assembly/overlap.h"

#include "assembly/list_rank.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/text.h"

#include <inttypes.h>
#include <string.h>

/* The word of a vertex. prefix (all letters except the last) and suffix (all letters except the first) are hashes for
 * texts and numbers for numbers. */
typedef struct word {
	uint64_t prefix, suffix;
	uint32_t rank; /* number of the key in the order of keys */
	uint32_t size;
	char last;
} word;

/* How keys are read: as texts, or as numbers of `digits` digits over an alphabet. */
typedef struct word_reader {
	const gemp_shard *graph;
	const char *alphabet;
	uint64_t base; /* number of letters of the alphabet */
	size_t digits; /* digits of a number */
} word_reader;

void gemp_overlap_free(gemp_overlap *overlap)
{
	gemp_free_all(overlap->head, overlap->letter);
	*overlap = (gemp_overlap){ 0 };
}

/* Also finds the number of digits. The graph must have all words of some length, so it must have base^digits
 * vertices. */
static gemp_code check_alphabet(word_reader *r)
{
	if (!r->alphabet) {
		if (r->graph->keys.type == GEMP_STRING)
			return GEMP_OK;
		return gemp_fail(GEMP_EUSAGE,
		                 "the keys of vertices are numbers; --alphabet says which letters their digits are");
	}
	r->base = strlen(r->alphabet);
	if (r->graph->keys.type != GEMP_INTEGER)
		return gemp_fail(GEMP_EUSAGE, "--alphabet is for keys that are numbers, and here they are texts; leave it out");
	uint64_t words = 1;
	while (r->base > 1 && words < r->graph->vertex_count) {
		words *= r->base;
		r->digits++;
	}
	if (r->digits == 0 || words != r->graph->vertex_count)
		return gemp_fail(GEMP_EUSAGE,
		                 "the graph has %" PRIu64 " vertices, which is no power of the %" PRIu64 " letters of "
		                 "--alphabet",
		                 r->graph->vertex_count, r->base);
	return GEMP_OK;
}

/* Called before the expensive part of the job, so wrong options are refused early. */
gemp_code gemp_overlap_check(const gemp_shard *graph, const char *alphabet)
{
	word_reader r = { .graph = graph, .alphabet = alphabet };
	return check_alphabet(&r);
}

/* A word overlaps the next word if its suffix equals the prefix of the next word. A number beyond the last word gets a
 * size that no other word has, so no edge to it passes the check. */
static word read_word(const word_reader *r, size_t row)
{
	gemp_value key = gemp_column_get(&r->graph->keys, row);
	word w = { .rank = r->graph->key_ranks[row] };
	if (!r->alphabet) {
		w.size = (uint32_t)key.string.size;
		w.last = w.size ? key.string.bytes[w.size - 1] : 0;
		w.prefix = w.size ? gemp_hash(key.string.bytes, w.size - 1, 0) : 0;
		w.suffix = w.size ? gemp_hash(key.string.bytes + 1, w.size - 1, 0) : 0;
		return w;
	}
	uint64_t number = (uint64_t)key.integer;
	w.size = number < r->graph->vertex_count ? (uint32_t)r->digits : UINT32_MAX;
	w.last = r->alphabet[number % r->base];
	w.prefix = number / r->base;
	w.suffix = number % (r->digits ? r->graph->vertex_count / r->base : 1);
	return w;
}

/* The vertex where this rank's last edge ends. It is the first source of the next rank that has edges. If no later rank
 * has edges, it is the end of the path, or the first source of the whole order of a circuit. */
static gemp_vertex end_vertex(const gemp_comm *comm, const gemp_vertex *firsts, gemp_vertex path_end)
{
	for (int q = comm->rank + 1; q < comm->size; q++)
		if (firsts[q] != GEMP_NO_VERTEX)
			return firsts[q];
	for (int q = 0; q < comm->size && path_end == GEMP_NO_VERTEX; q++)
		path_end = firsts[q];
	return path_end;
}

/* The item for a vertex: its owner and its row there. */
static gemp_item item_of(const gemp_shard *graph, gemp_vertex v)
{
	if (v == GEMP_NO_VERTEX)
		return GEMP_NO_ITEM;
	int owner = gemp_shard_owner(graph, v);
	return gemp_item_of(owner, (size_t)(v - graph->bounds[owner]));
}

/* Collective. along[order->count + 1] becomes the words of the vertices along this rank's places, and the word where
 * the last edge ends. The owners of the vertices compute the words, since no other rank has the keys. */
static gemp_code fetch_words(const word_reader *r, const gemp_comm *comm, const gemp_euler_edges *edges,
                             const gemp_euler_order *order, word *along)
{
	GEMP_OWNED word *table = NULL;
	GEMP_OWNED gemp_item *items = NULL;
	GEMP_OWNED gemp_vertex *firsts = NULL;
	gemp_vertex first = order->count ? order->source[0] : GEMP_NO_VERTEX;
	GEMP_OWNED size_t *begin = NULL;
	gemp_code code = gemp_new_all(GEMP_ARRAY(table, r->graph->rows), GEMP_ARRAY(items, order->count + 1));
	for (size_t row = 0; code == GEMP_OK && row < r->graph->rows; row++)
		table[row] = read_word(r, row);
	GEMP_TRY(gemp_comm_allgather(comm, code, &first, sizeof first, (void **)&firsts, &begin));
	for (size_t i = 0; i < order->count; i++)
		items[i] = item_of(r->graph, order->source[i]);
	items[order->count] = item_of(r->graph, end_vertex(comm, firsts, edges->path_end));
	return gemp_items_look_up(comm, items, order->count + 1, table, sizeof *table, along, NULL);
}

/* Local. Both words of every edge must have the same length, and must overlap by all letters except one. */
static gemp_code check_words(const word *along, size_t count, uint64_t first)
{
	for (size_t i = 0; i < count; i++)
		if (along[i].size != along[i + 1].size || along[i].size == 0 || along[i].suffix != along[i + 1].prefix)
			return gemp_fail(GEMP_EDATA,
			                 "the keys at the ends of the edge at place %" PRIu64 " do not overlap: the second must be "
			                 "the first without its first letter, and one more letter; --sequence needs such "
			                 "keys, as `gemp-mpi generate debruijn` makes them",
			                 first + i);
	return GEMP_OK;
}

/* Collective. A path starts at its first edge. A circuit starts at the edge with the smallest pair of keys. If several
 * edges have this pair, the first place decides. */
static gemp_code choose_start(gemp_overlap *out, const gemp_comm *comm, const gemp_euler_order *order,
                              const word *along, bool path)
{
	typedef struct candidate {
		uint64_t keys, place;
	} candidate;
	candidate own = { UINT64_MAX, UINT64_MAX };
	GEMP_OWNED candidate *all = NULL;
	GEMP_OWNED size_t *begin = NULL;
	for (size_t i = 0; i < order->count; i++) {
		uint64_t keys = path ? 0 : (uint64_t)along[i].rank << 32 | along[i + 1].rank;
		if (keys < own.keys)
			own = (candidate){ keys, order->first + i };
	}
	GEMP_TRY(gemp_comm_allgather(comm, GEMP_OK, &own, sizeof own, (void **)&all, &begin));
	for (int q = 0; q < comm->size; q++)
		if (all[q].keys < own.keys || (all[q].keys == own.keys && all[q].place < own.place))
			own = all[q];
	out->start = own.place;
	return GEMP_OK;
}

/* Adds the letters of a key. The digits of a number go from the highest to the lowest. */
static void add_word(gemp_text *out, const word_reader *r, size_t row)
{
	gemp_value key = gemp_column_get(&r->graph->keys, row);
	if (!r->alphabet) {
		gemp_text_add(out, key.string.bytes, key.string.size);
		return;
	}
	uint64_t number = (uint64_t)key.integer, unit = 1;
	for (size_t i = 1; i < r->digits; i++)
		unit *= r->base;
	for (; unit > 0; unit /= r->base)
		gemp_text_add(out, &r->alphabet[number / unit % r->base], 1);
}

/* Collective. Sets the word of the vertex where the edge at out->start begins. */
static gemp_code find_head(gemp_overlap *out, const gemp_comm *comm, const word_reader *r,
                           const gemp_euler_order *order)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	GEMP_OWNED size_t *begin = NULL;
	bool is_local = out->start >= order->first && out->start - order->first < order->count;
	uint64_t vertex = is_local ? order->source[out->start - order->first] : 0;
	gemp_comm_max(comm, &vertex, 1);
	if (gemp_shard_owner(r->graph, vertex) == comm->rank)
		add_word(&text, r, (size_t)(vertex - r->graph->first_vertex));
	gemp_code code = gemp_text_status(&text);
	GEMP_TRY(gemp_comm_allgather(comm, code, text.data, text.size, (void **)&out->head, &begin));
	out->word = begin[comm->size];
	return GEMP_OK;
}

/* A circuit begins at its smallest edge, since the text must not depend on the engine or the number of ranks. */
gemp_code gemp_overlap_new(gemp_overlap *out, const gemp_comm *comm, const gemp_shard *graph,
                           const gemp_euler_edges *edges, const gemp_euler_order *order, const char *alphabet)
{
	word_reader r = { .graph = graph, .alphabet = alphabet };
	GEMP_OWNED_BY(gemp_overlap_free)
	gemp_overlap o = { .edges = order->edges, .first = order->first, .count = order->count };
	GEMP_OWNED word *along = NULL;
	GEMP_TRY(check_alphabet(&r));
	GEMP_TRY(
		gemp_comm_agree(comm, gemp_new_all(GEMP_ARRAY(along, order->count + 1), GEMP_ARRAY(o.letter, order->count))));
	GEMP_TRY(fetch_words(&r, comm, edges, order, along));
	GEMP_TRY(gemp_comm_agree(comm, check_words(along, order->count, order->first)));
	for (size_t i = 0; i < order->count; i++)
		o.letter[i] = along[i + 1].last;
	if (order->edges > 0) {
		GEMP_TRY(choose_start(&o, comm, order, along, edges->path_end != GEMP_NO_VERTEX));
		GEMP_TRY(find_head(&o, comm, &r, order));
	}
	*out = o;
	o = (gemp_overlap){ 0 };
	return GEMP_OK;
}

const char *gemp_overlap_stretch(const gemp_overlap *o, int stretch, bool circular, size_t *size)
{
	/* the text begins at `start`, and only its first `wanted` places are spelled */
	uint64_t left_out = circular ? gemp_min(o->word, o->edges) : 0, wanted = o->edges - left_out;
	uint64_t from = stretch == 0 ? o->start : 0, to = stretch == 0 ? o->start + wanted : o->start;
	if (stretch == 1)
		to = wanted > o->edges - o->start ? wanted - (o->edges - o->start) : 0;
	from = gemp_max(from, o->first);
	to = gemp_min(gemp_min(to, o->edges), o->first + o->count);
	*size = to > from ? (size_t)(to - from) : 0;
	return *size ? o->letter + (from - o->first) : "";
}
