#include "sequence/spell.h"

#include "core/memory.h"

static gemp_code list_sequences(gemp_sequences *out, const gemp_unitigs *u, gemp_traffic *traffic)
{
	gemp_code code = GEMP_OK;
	gemp_sequence *mine = NULL;
	size_t count = 0;
	GEMP_TRY(gemp_comm_agree(u->graph->comm, GEMP_NEW(mine, u->count)));
	for (size_t i = 0; i < u->count; i++) {
		const gemp_unitig *g = &u->unitig[i];
		if (g->kept)
			mine[count++] = (gemp_sequence){ g->number, g->begin, g->kmers + u->graph->k - 1, g->kmers,
			                                g->times,
			                                 g->closed };
	}
	GEMP_TRY(gemp_sequences_new(out, u->graph->comm, u->letters, mine, count, traffic));
done:
	gemp_free(mine);
	return code;
}

/* Collective. Where the unitig of each edge begins; GEMP_NO_ITEM: it is not kept. */
static gemp_code find_begins(uint64_t *begin, const gemp_unitigs *u, gemp_traffic *traffic)
{
	gemp_code code = GEMP_OK;
	const gemp_kmer_graph *graph = u->graph;
	uint64_t *table = NULL;
	GEMP_TRY(gemp_comm_agree(graph->comm, GEMP_NEW(table, graph->count)));
	for (size_t edge = 0, i = 0; i < u->count; i++) {
		while (graph->kmer[edge] < u->unitig[i].head)
			edge++;
		table[edge] = u->unitig[i].kept ? u->unitig[i].begin : GEMP_NO_ITEM;
	}
	GEMP_TRY(gemp_items_look_up(graph->comm, u->head, graph->count, table, sizeof *table, begin, traffic));
done:
	gemp_free(table);
	return code;
}

static size_t letters_of(const gemp_unitigs *u, const uint64_t *begin, size_t edge)
{
	return begin[edge] == GEMP_NO_ITEM ? 0 : u->before[edge] == 0 ? u->graph->k : 1;
}

static void place_letters(const gemp_unitigs *u, const uint64_t *begin, uint64_t *placed)
{
	unsigned k = u->graph->k;
	for (size_t i = 0; i < u->graph->count; i++) {
		size_t letters = letters_of(u, begin, i);
		for (size_t back = letters; back-- > 0;) {
			unsigned base = (unsigned)(u->graph->kmer[i] >> 2 * back & 3);
			*placed++ = gemp_place_letter(begin[i] + u->before[i] + k - 1 - back, base);
		}
	}
}

gemp_code gemp_spell_unitigs(gemp_sequences *out, const gemp_unitigs *u, gemp_traffic *traffic)
{
	gemp_code code = GEMP_OK;
	gemp_sequences s = { 0 };
	uint64_t *begin = NULL, *placed = NULL;
	size_t letters = 0;
	GEMP_TRY(list_sequences(&s, u, traffic));
	GEMP_TRY(gemp_comm_agree(u->graph->comm, GEMP_NEW(begin, u->graph->count)));
	GEMP_TRY(find_begins(begin, u, traffic));
	for (size_t i = 0; i < u->graph->count; i++)
		letters += letters_of(u, begin, i);
	GEMP_TRY(gemp_comm_agree(u->graph->comm, GEMP_NEW(placed, letters)));
	place_letters(u, begin, placed);
	GEMP_TRY(gemp_sequences_put(&s, u->graph->comm, placed, letters, traffic));
	*out = s;
	s = (gemp_sequences){ 0 };
done:
	gemp_sequences_free(&s);
	gemp_free(begin);
	gemp_free(placed);
	return code;
}
