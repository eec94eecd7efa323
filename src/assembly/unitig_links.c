/* Links are found in two requests: unitigs that are not kept learn the numbers of their reverse complements, and then
 * each unitig gets the unitigs that begin where it ends, from the owner of that vertex. */

#include "assembly/unitig_links.h"

#include "core/memory.h"
#include "core/search.h"

/* A unitig in one direction: twice its number, plus one for its reverse complement. */
typedef uint64_t oriented_unitig;
static const oriented_unitig NO_UNITIG = UINT64_MAX;

enum { BASES = 4 };

/* The unitigs that begin where one ends: NO_UNITIG fills the array. */
typedef struct successors {
	oriented_unitig next[BASES];
} successors;

typedef struct link_search {
	const gemp_unitigs *unitigs;
	oriented_unitig *name; /* [unitigs->count] NO_UNITIG for a closed unitig that is not kept */
} link_search;

/* The unitig that begins at edge `head` of this rank; NULL: none does. */
static const gemp_unitig *unitig_at(const gemp_unitigs *unitigs, size_t head)
{
	gemp_kmer kmer = unitigs->graph->kmer[head];
	size_t at;
	GEMP_PARTITION_POINT(at, 0, unitigs->count, unitigs->unitig[at].head < kmer);
	return at < unitigs->count && unitigs->unitig[at].head == kmer ? &unitigs->unitig[at] : NULL;
}

/* Request handler: the number of the unitig that begins with each k-mer. */
static gemp_code answer_numbers(void *self, const void *records, size_t count, uint64_t *answers)
{
	const gemp_unitigs *u = self;
	const gemp_kmer *head = records;
	for (size_t i = 0; i < count; i++) {
		size_t end, at = gemp_kmer_graph_row(u->graph, gemp_kmer_source(head[i]), &end);
		while (at < end && u->graph->kmer[at] != head[i])
			at++;
		const gemp_unitig *unitig = at < end ? unitig_at(u, at) : NULL;
		answers[i] = unitig ? unitig->number : NO_UNITIG;
	}
	return GEMP_OK;
}

/* Collective. Unitigs that are not kept are named after their reverse complements. A closed unitig has no
 * neighbours. */
static gemp_code name_unitigs(oriented_unitig *name, const gemp_unitigs *u, gemp_traffic *traffic)
{
	const gemp_kmer_graph *graph = u->graph;
	GEMP_OWNED gemp_kmer *reverse = NULL;
	GEMP_OWNED uint64_t *number = NULL;
	GEMP_OWNED int *owner = NULL;
	size_t count = 0;
	GEMP_TRY(gemp_comm_agree(graph->comm, gemp_new_all(GEMP_ARRAY(reverse, u->count), GEMP_ARRAY(number, u->count),
	                                                   GEMP_ARRAY(owner, u->count))));
	for (size_t i = 0; i < u->count; i++) {
		name[i] = u->unitig[i].kept ? 2 * u->unitig[i].number : NO_UNITIG;
		if (u->unitig[i].kept || u->unitig[i].closed)
			continue;
		reverse[count] = gemp_kmer_reverse(u->unitig[i].tail, graph->k);
		owner[count] = gemp_kmer_graph_owner(graph, gemp_kmer_source(reverse[count]));
		count++;
	}
	const gemp_request request = { reverse, count, sizeof *reverse, owner, answer_numbers, (void *)u };
	GEMP_TRY(gemp_request_records(graph->comm, GEMP_OK, &request, sizeof *number, number, traffic));
	for (size_t i = 0, at = 0; i < u->count; i++)
		if (!u->unitig[i].kept && !u->unitig[i].closed)
			name[i] = 2 * number[at++] + 1;
	return GEMP_OK;
}

/* Request handler: the unitigs that begin at a vertex where others end. */
static gemp_code answer_next(void *self, const void *records, size_t count, uint64_t *answers)
{
	const link_search *s = self;
	const gemp_kmer *vertex = records;
	successors *next = (void *)answers;
	for (size_t i = 0; i < count; i++) {
		size_t end, at = gemp_kmer_graph_row(s->unitigs->graph, vertex[i], &end);
		for (int b = 0; b < BASES; b++) {
			const gemp_unitig *unitig = at < end ? unitig_at(s->unitigs, at++) : NULL;
			next[i].next[b] = unitig ? s->name[unitig - s->unitigs->unitig] : NO_UNITIG;
		}
	}
	return GEMP_OK;
}

/* Where reads come from both strands every link appears twice; the smaller form is kept. */
static bool is_canonical(oriented_unitig from, oriented_unitig to)
{
	oriented_unitig back = to ^ 1, back_to = from ^ 1;
	return from < back || (from == back && to <= back_to);
}

/* Each unitig has at most four successors, one for each base. */
static void list_links(gemp_unitig_link *links, size_t *count, const link_search *s, const successors *next)
{
	*count = 0;
	for (size_t i = 0; i < s->unitigs->count; i++)
		for (int b = 0; b < BASES && s->name[i] != NO_UNITIG; b++) {
			oriented_unitig from = s->name[i], to = next[i].next[b];
			if (to != NO_UNITIG && (!s->unitigs->graph->both_strands || is_canonical(from, to)))
				links[(*count)++] = (gemp_unitig_link){ from / 2, to / 2, from & 1, to & 1 };
		}
}

gemp_code gemp_unitig_links_find(gemp_unitig_link **out, size_t *count, const gemp_unitigs *u, gemp_traffic *traffic)
{
	GEMP_OWNED oriented_unitig *name = NULL;
	GEMP_OWNED gemp_kmer *vertex = NULL;
	GEMP_OWNED int *owner = NULL;
	GEMP_OWNED successors *next = NULL;
	GEMP_OWNED gemp_unitig_link *links = NULL;
	GEMP_TRY(gemp_comm_agree(u->graph->comm, gemp_new_all(GEMP_ARRAY(name, u->count), GEMP_ARRAY(vertex, u->count),
	                                                      GEMP_ARRAY(owner, u->count), GEMP_ARRAY(next, u->count),
	                                                      GEMP_ARRAY(links, BASES * u->count))));
	link_search s = { .unitigs = u, .name = name };
	GEMP_TRY(name_unitigs(name, u, traffic));
	for (size_t i = 0; i < u->count; i++) {
		vertex[i] = gemp_kmer_target(u->unitig[i].tail, u->graph->k);
		owner[i] = gemp_kmer_graph_owner(u->graph, vertex[i]);
	}
	const gemp_request request = { vertex, u->count, sizeof *vertex, owner, answer_next, &s };
	GEMP_TRY(gemp_request_records(u->graph->comm, GEMP_OK, &request, sizeof *next, next, traffic));
	list_links(links, count, &s, next);
	*out = links;
	links = NULL;
	return GEMP_OK;
}
