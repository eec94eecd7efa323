#include "assembly/kmer_graph.h"

#include "core/memory.h"
#include "core/search.h"

#include <string.h>

/* Number of samples for each rank. The number of k-mers on a rank then varies by about a sixteenth (1 / sqrt(256)). */
enum { SAMPLES_PER_RANK = 256 };

/* A k-mer that is sent to the owner of its source, or of its target. */
typedef struct counted_kmer {
	gemp_kmer kmer;
	uint64_t times;
} counted_kmer;

void gemp_kmer_graph_free(gemp_kmer_graph *graph)
{
	gemp_free_all(graph->bounds, graph->kmer, graph->times, graph->next, graph->previous, graph->row_index);
	*graph = (gemp_kmer_graph){ 0 };
}

/* The rank r with bounds[r] <= vertex < bounds[r + 1]. */
static int owner_of(const uint64_t *bounds, int ranks, uint64_t vertex)
{
	return (int)gemp_range_find(bounds, (size_t)ranks, vertex);
}

int gemp_kmer_graph_owner(const gemp_kmer_graph *graph, gemp_kmer vertex)
{
	return owner_of(graph->bounds, graph->comm->size, vertex);
}

/* Collective. Chooses ranges of vertices with about the same number of k-mers, by a sample sort. Every rank contributes
 * samples of its sorted k-mers in proportion to their number. Samples are sources, so all edges that leave a vertex lie
 * on one rank. */
static gemp_code choose_bounds(gemp_kmer_graph *graph, const gemp_kmer *kmer, size_t count)
{
	const gemp_comm *comm = graph->comm;
	size_t ranks = (size_t)comm->size;
	GEMP_OWNED size_t *begin = NULL;
	GEMP_OWNED gemp_kmer *own = NULL, *all = NULL;
	uint64_t total = gemp_comm_sum1(comm, count), wanted = SAMPLES_PER_RANK * (uint64_t)ranks;
	size_t samples = total > wanted ? (size_t)((double)count / (double)total * (double)wanted) : count;
	gemp_code code = gemp_new_all(GEMP_ARRAY(graph->bounds, ranks + 1), GEMP_ARRAY(own, samples));
	for (size_t i = 0; code == GEMP_OK && i < samples; i++)
		own[i] = gemp_kmer_source(kmer[count / samples * i + count % samples * i / samples]);
	GEMP_TRY(gemp_comm_allgather(comm, code, own, samples * sizeof *own, (void **)&all, &begin));
	samples = begin[ranks] / sizeof *all;
	GEMP_TRY(gemp_comm_agree(comm, gemp_kmer_sort(all, NULL, samples)));
	for (size_t r = 1; r < ranks; r++)
		graph->bounds[r] = samples ? all[samples * r / ranks] : 0;
	graph->bounds[ranks] = gemp_kmer_mask(graph->k - 1) + 1;
	return GEMP_OK;
}

/* Collective. Sends k-mers to the owners of their sources, which sort them and add up the counts of equal k-mers. The
 * arrays are allocated for all received k-mers, so equal k-mers of several ranks leave some entries unused. */
static gemp_code distribute_kmers(gemp_kmer_graph *graph, counted_kmer *records, size_t count)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = graph->comm;
	GEMP_OWNED int *owner = NULL;
	GEMP_OWNED counted_kmer *received = NULL;
	GEMP_OWNED size_t *from = NULL;
	size_t incoming, kept = 0;
	code = GEMP_NEW(owner, count);
	for (size_t i = 0; code == GEMP_OK && i < count; i++)
		owner[i] = owner_of(graph->bounds, comm->size, gemp_kmer_source(records[i].kmer));
	GEMP_TRY(gemp_exchange_records(comm, code, records, count, sizeof *records, owner, (void **)&received, &from,
	                               &graph->traffic));
	incoming = from[comm->size];
	code = gemp_new_all(GEMP_ARRAY(graph->kmer, incoming), GEMP_ARRAY(graph->times, incoming));
	for (size_t i = 0; i < incoming && code == GEMP_OK; i++) {
		graph->kmer[i] = received[i].kmer;
		graph->times[i] = received[i].times;
	}
	GEMP_THEN(gemp_kmer_sort(graph->kmer, graph->times, incoming));
	GEMP_TRY(gemp_comm_agree(comm, code));
	for (size_t i = 0; i < incoming; i++) {
		bool again = kept > 0 && graph->kmer[i] == graph->kmer[kept - 1];
		graph->kmer[kept - again] = graph->kmer[i];
		graph->times[kept - again] = graph->times[i] + (again ? graph->times[kept - 1] : 0);
		kept += !again;
	}
	graph->count = kept;
	return GEMP_OK;
}

/* Collective. The counter is freed before the k-mers are sent, so they are not held twice during the exchange. */
static gemp_code merge_counters(gemp_kmer_graph *graph, gemp_kmer_counter *counter)
{
	GEMP_OWNED counted_kmer *records = NULL;
	GEMP_TRY(gemp_comm_agree(graph->comm, gemp_kmer_counter_finish(counter)));
	GEMP_TRY(choose_bounds(graph, counter->kmer, counter->count));
	GEMP_TRY(gemp_comm_agree(graph->comm, GEMP_NEW(records, counter->count)));
	for (size_t i = 0; i < counter->count; i++)
		records[i] = (counted_kmer){ counter->kmer[i], counter->times[i] };
	graph->occurrences = gemp_comm_sum1(graph->comm, counter->occurrences);
	size_t count = counter->count;
	gemp_kmer_counter_free(counter);
	GEMP_TRY(distribute_kmers(graph, records, count));
	graph->distinct = gemp_comm_sum1(graph->comm, graph->count);
	return GEMP_OK;
}

/* Collective. Removes k-mers that occur less often than min_times, which are mostly errors of reading. */
static void filter(gemp_kmer_graph *graph, uint64_t min_times)
{
	size_t kept = 0;
	for (size_t i = 0; i < graph->count; i++) {
		if (graph->times[i] < min_times)
			continue;
		graph->kmer[kept] = graph->kmer[i];
		graph->times[kept++] = graph->times[i];
	}
	graph->count = kept;
	graph->kept = gemp_comm_sum1(graph->comm, kept);
}

/* Collective. Adds the reverse complement of each k-mer as an edge. Bounds are chosen again, since reverse complements
 * are distributed differently. A k-mer that is its own reverse complement remains one edge. */
static gemp_code add_reverses(gemp_kmer_graph *graph)
{
	GEMP_OWNED counted_kmer *records = NULL;
	GEMP_OWNED gemp_kmer *kmers = NULL;
	size_t count = 0;
	GEMP_TRY(gemp_comm_agree(graph->comm,
	                         gemp_new_all(GEMP_ARRAY(records, 2 * graph->count), GEMP_ARRAY(kmers, 2 * graph->count))));
	for (size_t i = 0; i < graph->count; i++) {
		gemp_kmer reverse = gemp_kmer_reverse(graph->kmer[i], graph->k);
		records[count++] = (counted_kmer){ graph->kmer[i], graph->times[i] };
		if (reverse != graph->kmer[i])
			records[count++] = (counted_kmer){ reverse, graph->times[i] };
	}
	for (size_t i = 0; i < count; i++)
		kmers[i] = records[i].kmer;
	gemp_free_all(graph->bounds, graph->kmer, graph->times); /* choose_bounds and distribute_kmers make them again */
	graph->bounds = graph->kmer = graph->times = NULL;
	GEMP_TRY(gemp_comm_agree(graph->comm, gemp_kmer_sort(kmers, NULL, count)));
	GEMP_TRY(choose_bounds(graph, kmers, count));
	return distribute_kmers(graph, records, count);
}

/* Local. Makes a direct-mapped index with about one entry for every two edges. A search for a source begins a few
 * edges before the source, without bisection. */
static gemp_code index_sources(gemp_kmer_graph *graph)
{
	uint64_t low = graph->bounds[graph->comm->rank], range = graph->bounds[graph->comm->rank + 1] - low;
	graph->shift = 0;
	while ((range >> graph->shift) > graph->count / 2 + 1)
		graph->shift++;
	graph->row_index_size = (size_t)(range >> graph->shift) + 2;
	GEMP_TRY(GEMP_NEW(graph->row_index, graph->row_index_size));
	for (size_t i = graph->count; i-- > 0;)
		graph->row_index[(gemp_kmer_source(graph->kmer[i]) - low) >> graph->shift] = i + 1;
	/* An entry is 1 + an edge. If it is 0, no edge belongs to it, and it takes the edge of the next entry. */
	size_t behind = graph->count;
	for (size_t p = graph->row_index_size; p-- > 0;)
		graph->row_index[p] = behind = graph->row_index[p] ? graph->row_index[p] - 1 : behind;
	return GEMP_OK;
}

/* The index gives an edge at or shortly before the first edge of the vertex. */
size_t gemp_kmer_graph_row(const gemp_kmer_graph *graph, gemp_kmer vertex, size_t *end)
{
	size_t at = graph->row_index[(vertex - graph->bounds[graph->comm->rank]) >> graph->shift];
	while (at < graph->count && gemp_kmer_source(graph->kmer[at]) < vertex)
		at++;
	*end = at;
	while (*end < graph->count && gemp_kmer_source(graph->kmer[*end]) == vertex)
		++*end;
	return at;
}

/* EDGES THAT FOLLOW ONE ANOTHER */

typedef struct link_context {
	gemp_kmer_graph *graph;
	bool uniform;
	/* [count] for the first edge of each vertex: number of edges that enter the vertex, where 2 stands for more than
	 * 1 */
	uint8_t *entering;
} link_context;

/* Is the word its own reverse complement? Then paths in both directions pass the word, so it is a branch. */
static bool is_palindrome(const gemp_kmer_graph *graph, gemp_kmer word, unsigned size)
{
	return graph->both_strands && word == gemp_kmer_reverse(word, size);
}

/* The edge that follows on the path. A path continues only through a vertex with exactly one entering and one leaving
 * edge, and only where it would not turn back into its own reverse complement. With `uniform` both edges must also
 * occur equally often. */
static gemp_item next_edge(const link_context *l, const counted_kmer *entering)
{
	gemp_kmer_graph *graph = l->graph;
	gemp_kmer vertex = gemp_kmer_target(entering->kmer, graph->k);
	size_t end, at = gemp_kmer_graph_row(graph, vertex, &end);
	if (end - at != 1 || l->entering[at] != 1 || is_palindrome(graph, vertex, graph->k - 1) ||
	    is_palindrome(graph, entering->kmer, graph->k) || is_palindrome(graph, graph->kmer[at], graph->k) ||
	    (l->uniform && entering->times != graph->times[at]))
		return GEMP_NO_ITEM;
	graph->previous[at] = true;
	return gemp_item_of(graph->comm->rank, at);
}

/* Request handler. All records are counted first, since an edge continues only if it is the only edge that enters the
 * vertex. */
static gemp_code answer_next(void *self, const void *records, size_t count, uint64_t *answers)
{
	link_context *l = self;
	const counted_kmer *entering = records;
	gemp_item *next = answers;
	for (size_t i = 0; i < count; i++) {
		size_t end, at = gemp_kmer_graph_row(l->graph, gemp_kmer_target(entering[i].kmer, l->graph->k), &end);
		if (at < end && l->entering[at] < 2)
			l->entering[at]++;
	}
	for (size_t i = 0; i < count; i++)
		next[i] = next_edge(l, &entering[i]);
	return GEMP_OK;
}

/* Collective. The owner of each edge's target answers with the successor of the edge. */
static gemp_code link_edges(gemp_kmer_graph *graph, bool uniform)
{
	GEMP_OWNED counted_kmer *entering = NULL;
	GEMP_OWNED uint8_t *degree = NULL;
	GEMP_OWNED int *owner = NULL;
	gemp_code code = index_sources(graph);
	GEMP_THEN(gemp_new_all(GEMP_ARRAY(graph->next, graph->count), GEMP_ARRAY(graph->previous, graph->count),
	                       GEMP_ARRAY(degree, graph->count), GEMP_ARRAY(owner, graph->count),
	                       GEMP_ARRAY(entering, graph->count)));
	GEMP_TRY(gemp_comm_agree(graph->comm, code));
	for (size_t i = 0; i < graph->count; i++) {
		entering[i] = (counted_kmer){ graph->kmer[i], graph->times[i] };
		owner[i] = gemp_kmer_graph_owner(graph, gemp_kmer_target(graph->kmer[i], graph->k));
	}
	link_context l = { graph, uniform, degree };
	const gemp_request request = { entering, graph->count, sizeof *entering, owner, answer_next, &l };
	return gemp_request_records(graph->comm, GEMP_OK, &request, sizeof *graph->next, graph->next, &graph->traffic);
}

/* The filter runs before reverse complements are added, since both directions of a k-mer are counted together. */
gemp_code gemp_kmer_graph_new(gemp_kmer_graph *out, const gemp_comm *comm, gemp_kmer_counter *counter,
                              uint64_t min_times, bool uniform)
{
	GEMP_OWNED_BY(gemp_kmer_graph_free)
	gemp_kmer_graph graph = { .comm = comm, .k = counter->k, .both_strands = counter->both_strands };
	GEMP_TRY(merge_counters(&graph, counter));
	filter(&graph, min_times);
	if (graph.both_strands)
		GEMP_TRY(add_reverses(&graph));
	graph.edges = gemp_comm_sum1(comm, graph.count);
	GEMP_TRY(link_edges(&graph, uniform));
	*out = graph;
	graph = (gemp_kmer_graph){ 0 };
	return GEMP_OK;
}
