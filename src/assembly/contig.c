/* There are three steps, each cheaper than the next. First the owners of the vertices check the balance of the graph of
 * unitigs. If a path may exist, every rank gathers the whole graph and finds the same path. Then k-mers send their
 * letters to the places on the path. */

#include "assembly/contig.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/search.h"
#include "core/status.h"

#include <math.h>
#include <stdlib.h>

const char *const gemp_contig_verdict_name[GEMP_CONTIG_VERDICTS] = {
	[GEMP_CONTIG_PATH] = "path",          [GEMP_CONTIG_CIRCUIT] = "circuit", [GEMP_CONTIG_UNBALANCED] = "unbalanced",
	[GEMP_CONTIG_DISCONNECTED] = "apart", [GEMP_CONTIG_STRANDS] = "strands", [GEMP_CONTIG_TOO_LARGE] = "too large",
};

void gemp_contig_free(gemp_contig *contig)
{
	gemp_sequences_free(&contig->sequences);
	*contig = (gemp_contig){ 0 };
}

/* COPIES */

enum { MEAN_RESOLUTION = 1024 }; /* means are rounded down to multiples of 1 / 1024 */

/* The mean number of occurrences of a unitig's k-mers, in units of 1 / MEAN_RESOLUTION, so bisection works with whole
 * numbers. */
static uint64_t mean_coverage(const gemp_unitig *unitig)
{
	return (uint64_t)((double)unitig->times / (double)unitig->kmers * MEAN_RESOLUTION);
}

/* Collective. The mean coverage of the unitig on which the median k-mer lies. Bisection takes about 30 reductions of
 * one number, whereas a sort over all ranks would move every unitig. */
static double median_coverage(const gemp_unitigs *u)
{
	uint64_t low = 0, high = 0, kmers = 0;
	for (size_t i = 0; i < u->count; i++) {
		uint64_t mean = mean_coverage(&u->unitig[i]);
		high = mean > high ? mean : high;
		kmers += u->unitig[i].kmers;
	}
	gemp_comm_max(u->graph->comm, &high, 1);
	kmers = gemp_comm_sum1(u->graph->comm, kmers);
	while (low < high) {
		uint64_t middle = low + (high - low) / 2, below = 0;
		for (size_t i = 0; i < u->count; i++)
			below += mean_coverage(&u->unitig[i]) <= middle ? u->unitig[i].kmers : 0;
		if (2 * gemp_comm_sum1(u->graph->comm, below) >= kmers)
			high = middle;
		else
			low = middle + 1;
	}
	return (double)low / MEAN_RESOLUTION;
}

/* Collective. copies[unitigs->count] become the estimated numbers of copies in the genome. Each number is at least 1,
 * since a read has the unitig. */
static void set_copies(const gemp_unitigs *u, gemp_assembly_copies how, uint64_t *copies, double *coverage)
{
	*coverage = how == GEMP_COPIES_BY_COVERAGE ? median_coverage(u) : 0;
	for (size_t i = 0; i < u->count; i++) {
		double mean = (double)u->unitig[i].times / (double)u->unitig[i].kmers;
		double times = how == GEMP_COPIES_ONE ? 1 : how == GEMP_COPIES_BY_COUNT ? mean : mean / *coverage;
		copies[i] = times < 1 ? 1 : (uint64_t)llround(times);
	}
}

/* BALANCE */

static int by_word(const void *a, const void *b)
{
	gemp_kmer x = ((const gemp_contig_vertex *)a)->word, y = ((const gemp_contig_vertex *)b)->word;
	return (x > y) - (x < y);
}

/* The vertices of this rank whose in- and out-degree differ. */
typedef struct imbalance {
	size_t count, capacity;
	gemp_contig_vertex *vertex; /* [count] by word */
	bool beyond_path;           /* the degrees of a vertex differ by more than one, so no path exists */
} imbalance;

static void free_imbalance(imbalance *l)
{
	gemp_free(l->vertex);
}

static gemp_code add_unbalanced(imbalance *l, const gemp_contig_vertex *vertex)
{
	if (vertex->in == vertex->out)
		return GEMP_OK;
	l->beyond_path |= vertex->in + 1 != vertex->out && vertex->out + 1 != vertex->in;
	GEMP_TRY(GEMP_RESERVE(l->vertex, l->capacity, l->count + 1));
	l->vertex[l->count++] = *vertex;
	return GEMP_OK;
}

/* Request handler: sums up the ends of unitigs at each vertex, with copies, in the order of words. */
static gemp_code sum_ends(void *self, const void *records, size_t count, uint64_t *answers)
{
	(void)answers;
	GEMP_OWNED gemp_contig_vertex *vertex = NULL;
	GEMP_TRY(GEMP_NEW(vertex, count));
	for (size_t i = 0; i < count; i++)
		vertex[i] = ((const gemp_contig_vertex *)records)[i];
	qsort(vertex, count, sizeof *vertex, by_word);
	for (size_t i = 0, next; i < count; i = next) {
		for (next = i + 1; next < count && vertex[next].word == vertex[i].word; next++) {
			vertex[i].in += vertex[next].in;
			vertex[i].out += vertex[next].out;
		}
		GEMP_TRY(add_unbalanced(self, &vertex[i]));
	}
	return GEMP_OK;
}

/* Collective. Each unitig leaves the vertex of its first k - 1 letters and enters the vertex of its last k - 1 letters,
 * once for every copy. */
static gemp_code send_ends(imbalance *l, const gemp_unitigs *u, const uint64_t *copies, gemp_traffic *traffic)
{
	GEMP_OWNED gemp_contig_vertex *ends = NULL;
	GEMP_OWNED int *owner = NULL;
	size_t count = 2 * u->count;
	GEMP_TRY(gemp_comm_agree(u->graph->comm, gemp_new_all(GEMP_ARRAY(ends, count), GEMP_ARRAY(owner, count))));
	for (size_t i = 0; i < u->count; i++) {
		gemp_kmer from = gemp_kmer_source(u->unitig[i].head);
		gemp_kmer to = gemp_kmer_target(u->unitig[i].tail, u->graph->k);
		ends[2 * i] = (gemp_contig_vertex){ from, 0, copies[i] };
		ends[2 * i + 1] = (gemp_contig_vertex){ to, copies[i], 0 };
	}
	for (size_t i = 0; i < count; i++)
		owner[i] = gemp_kmer_graph_owner(u->graph, ends[i].word);
	const gemp_request request = { ends, count, sizeof *ends, owner, sum_ends, l };
	return gemp_request_records(u->graph->comm, GEMP_OK, &request, 0, NULL, traffic);
}

/* Collective. Counts the unbalanced vertices, and takes the vertices with the smallest words as examples for the
 * report. Ranks own ascending ranges of words, so these vertices come first among the gathered examples. */
static gemp_code check_balance(gemp_contig *out, const gemp_unitigs *u, const uint64_t *copies, bool *beyond_path,
                               gemp_traffic *traffic)
{
	const gemp_comm *comm = u->graph->comm;
	GEMP_OWNED_BY(free_imbalance) imbalance l = { 0 };
	GEMP_OWNED gemp_contig_vertex *all = NULL;
	GEMP_OWNED size_t *begin = NULL;
	GEMP_TRY(send_ends(&l, u, copies, traffic));
	out->unbalanced = gemp_comm_sum1(comm, l.count);
	*beyond_path = gemp_comm_sum1(comm, l.beyond_path) > 0;
	size_t own = gemp_min(l.count, GEMP_CONTIG_EXAMPLES);
	GEMP_TRY(gemp_comm_allgather(comm, GEMP_OK, l.vertex, own * sizeof *all, (void **)&all, &begin));
	out->examples = gemp_min(begin[comm->size] / sizeof *all, GEMP_CONTIG_EXAMPLES);
	for (size_t i = 0; i < out->examples; i++)
		out->example[i] = all[i];
	return GEMP_OK;
}

/* SPELLING */

/* Local. (*place)[(*begin)[e]] to (*place)[(*begin)[e + 1] - 1] become the positions of unitig e on the path, in
 * k-mers. A unitig with several copies has several positions. */
static gemp_code list_places(const gemp_contig_graph *graph, const gemp_contig_route *r, size_t **begin,
                             uint64_t **place)
{
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(*begin, graph->edges + 2), GEMP_ARRAY(*place, r->count)));
	size_t *next = *begin + 1; /* becomes the begin of the next edge */
	for (size_t i = 0; i < r->count; i++)
		next[r->order[i] + 1]++;
	for (size_t e = 0; e < graph->edges; e++)
		next[e + 1] += next[e];
	uint64_t at = 0;
	for (size_t i = 0; i < r->count; i++) {
		(*place)[next[r->order[i]]++] = at;
		at += graph->edge[r->order[i]].kmers;
	}
	return GEMP_OK;
}

/* Local. Lists the letters that this rank knows, with their positions in the contig, and returns their number. Each
 * k-mer gives its last letter, and the first k-mer of an open path gives all its letters. On a circuit positions wrap
 * round. If placed is NULL, letters are only counted. */
static size_t place_letters(const gemp_unitigs *u, const gemp_contig_graph *graph, const size_t *begin,
                            const uint64_t *place, const gemp_contig_route *r, bool closed, uint64_t *placed)
{
	const gemp_kmer_graph *kmers = u->graph;
	unsigned k = kmers->k;
	size_t letters = 0;
	for (size_t i = 0; i < kmers->count; i++) {
		size_t after;
		GEMP_PARTITION_POINT(after, 1, graph->edges, graph->edge[after].item <= u->head[i]);
		for (size_t p = begin[after - 1]; p < begin[after]; p++) {
			uint64_t at = place[p] + u->before[i];
			size_t back = at == 0 && !closed ? k : 1;
			for (; placed && back-- > 0; placed++)
				*placed = gemp_sequences_letter((at + k - 1 - back) % (closed ? r->kmers : UINT64_MAX),
				                                (unsigned)(kmers->kmer[i] >> 2 * back & 3));
			letters += at == 0 && !closed ? k : 1;
		}
	}
	return letters;
}

/* Collective. Letters go directly from the owners of the k-mers to the ranks that hold their positions, so no rank has
 * the whole contig. */
static gemp_code spell(gemp_contig *out, const gemp_unitigs *u, const gemp_contig_graph *graph,
                       const gemp_contig_route *r, gemp_traffic *traffic)
{
	const gemp_comm *comm = u->graph->comm;
	bool closed = out->verdict == GEMP_CONTIG_CIRCUIT;
	GEMP_OWNED size_t *begin = NULL;
	size_t letters = 0;
	GEMP_OWNED uint64_t *place = NULL, *placed = NULL;
	gemp_sequence all = { .size = r->kmers + (closed ? 0 : u->graph->k - 1), .kmers = r->kmers, .closed = closed };
	gemp_code code = list_places(graph, r, &begin, &place);
	if (code == GEMP_OK) {
		letters = place_letters(u, graph, begin, place, r, closed, NULL);
		code = GEMP_NEW(placed, letters);
	}
	GEMP_TRY(gemp_comm_agree(comm, code));
	place_letters(u, graph, begin, place, r, closed, placed);
	GEMP_TRY(gemp_sequences_new(&out->sequences, comm, all.size, &all, comm->rank == 0, traffic));
	return gemp_sequences_put(&out->sequences, comm, placed, letters, traffic);
}

/* Collective. Decides everything that can be decided without gathering the graph. With both strands there may be twice
 * as many unbalanced vertices as on one path. */
static gemp_code decide(gemp_contig *out, const gemp_unitigs *u, gemp_assembly_copies copying, uint64_t *copies,
                        gemp_traffic *traffic)
{
	bool beyond_path = false;
	uint64_t own = 0;
	set_copies(u, copying, copies, &out->coverage);
	for (size_t i = 0; i < u->count; i++)
		own += copies[i];
	out->unitigs = gemp_comm_sum1(u->graph->comm, u->count);
	out->copies = gemp_comm_sum1(u->graph->comm, own);
	GEMP_TRY(check_balance(out, u, copies, &beyond_path, traffic));
	if (beyond_path || out->unbalanced > (u->graph->both_strands ? 4 : 2))
		out->verdict = GEMP_CONTIG_UNBALANCED;
	else if (out->copies > gemp_limits_now()->contig_unitigs)
		out->verdict = GEMP_CONTIG_TOO_LARGE;
	return GEMP_OK;
}

static void free_route(gemp_contig_route *r)
{
	gemp_free_all(r->part, r->order);
}

gemp_code gemp_contig_new(gemp_contig *out, const gemp_unitigs *u, gemp_assembly_copies copying, gemp_traffic *traffic)
{
	const gemp_comm *comm = u->graph->comm;
	GEMP_OWNED_BY(gemp_contig_free) gemp_contig contig = { 0 };
	GEMP_OWNED_BY(gemp_contig_graph_free) gemp_contig_graph graph = { 0 };
	GEMP_OWNED_BY(free_route) gemp_contig_route route = { 0 };
	GEMP_OWNED uint64_t *copies = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(copies, u->count)));
	GEMP_TRY(decide(&contig, u, copying, copies, traffic));
	if (contig.verdict <= GEMP_CONTIG_CIRCUIT && contig.unitigs > 0) {
		GEMP_TRY(gemp_contig_graph_gather(&graph, u, copies));
		GEMP_TRY(gemp_comm_agree(
			comm, gemp_contig_route_find(&route, &graph, u->graph->both_strands, &contig.verdict, &contig.components)));
	}
	if (route.count > 0)
		GEMP_TRY(spell(&contig, u, &graph, &route, traffic));
	*out = contig;
	contig = (gemp_contig){ 0 };
	return GEMP_OK;
}
