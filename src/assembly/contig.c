/* Three steps, each cheaper than the next one: the owners of the vertices check the balance of the graph of unitigs; if a path may
 * exist, every rank gathers the whole graph and finds the same path; the k-mers send their letters to the places on the path. */

#include "assembly/contig.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/search.h"
#include "core/status.h"

#include <math.h>
#include <stdlib.h>

/* THE GRAPH OF UNITIGS, the same on every rank: vertices are the words of k - 1 letters where unitigs meet, edges are the unitigs, in
 * the order of their heads. All ranks find the same Eulerian path by Hierholzer's method (1873), which takes the smallest edge first. */

/* A unitig of any rank. */
typedef struct contig_edge {
	gemp_item item;                     /* its first k-mer */
	gemp_kmer head, tail, reverse_head; /* of its reverse complement */
	uint64_t kmers, copies;
	size_t from, to; /* vertices */
} contig_edge;

typedef struct contig_graph {
	size_t edges, vertices;
	contig_edge *edge; /* [edges] by item, and so by head */
	gemp_kmer *word;   /* [vertices] ascending */
	size_t *begin;     /* [vertices + 1] edges that leave it: neighbours, in the order of heads */
} contig_graph;

static void free_graph(contig_graph *graph)
{
	gemp_free_all(graph->edge, graph->word, graph->begin);
	*graph = (contig_graph){ 0 };
}

/* The number of the vertex that has this word, which must be one of the graph. */
static size_t find(const contig_graph *graph, gemp_kmer word)
{
	return gemp_range_find(graph->word, graph->vertices, word);
}

/* Local. Finds the vertices and sets both ends of all edges. Edges come in the order of heads, and so of the vertices that they
 * leave: the edges of a vertex lie behind one another. */
static gemp_code index_graph(contig_graph *graph, unsigned k)
{
	GEMP_TRY(GEMP_NEW(graph->word, 2 * graph->edges));
	for (size_t e = 0; e < graph->edges; e++) {
		graph->word[2 * e] = gemp_kmer_source(graph->edge[e].head);
		graph->word[2 * e + 1] = gemp_kmer_target(graph->edge[e].tail, k);
	}
	GEMP_TRY(gemp_kmer_sort(graph->word, NULL, 2 * graph->edges));
	for (size_t i = 0; i < 2 * graph->edges; i++)
		if (i == 0 || graph->word[i] != graph->word[i - 1])
			graph->word[graph->vertices++] = graph->word[i];
	GEMP_TRY(GEMP_NEW(graph->begin, graph->vertices + 1));
	for (size_t e = 0; e < graph->edges; e++) {
		graph->edge[e].from = find(graph, gemp_kmer_source(graph->edge[e].head));
		graph->edge[e].to = find(graph, gemp_kmer_target(graph->edge[e].tail, k));
		graph->begin[graph->edge[e].from + 1]++;
	}
	for (size_t v = 0; v < graph->vertices; v++)
		graph->begin[v + 1] += graph->begin[v];
	return GEMP_OK;
}

/* Union-find with path halving; the graph is on every rank, so no atomics are needed (topology/disjoint_sets.h has
 * the concurrent one). */
static size_t root(size_t *part, size_t v)
{
	while (part[v] != v)
		v = part[v] = part[part[v]];
	return v;
}

/* How many components there are; part[vertices] are the same for vertices of one. */
static uint64_t find_components(const contig_graph *graph, size_t *part)
{
	uint64_t components = 0;
	for (size_t v = 0; v < graph->vertices; v++)
		part[v] = v;
	for (size_t e = 0; e < graph->edges; e++) {
		size_t a = root(part, graph->edge[e].from), b = root(part, graph->edge[e].to);
		part[a < b ? b : a] = a < b ? a : b;
	}
	for (size_t v = 0; v < graph->vertices; v++) {
		part[v] = root(part, v);
		components += part[v] == v;
	}
	return components;
}

/* An Eulerian path or circuit of the edges whose vertices are in part `wanted`, from `start`: order[*count] of edges,
 * each as often as it has copies, which must be as many as there is room for. *count is less if there is none. */
/* An Eulerian path or circuit over the edges whose vertices are in part `wanted`, from `start` on, by Hierholzer: a walk goes
 * on over unused edges until it is stuck, and the last edge of the walk is then the last one of the path that is not yet known.
 * The order therefore comes out backwards and is turned round in the end. order must have an entry for each copy of an edge of
 * the part; *count is less than that if there is no path. */
static gemp_code find_path(const contig_graph *graph, const size_t *part, size_t wanted, size_t start, size_t *order,
                           size_t *count)
{
	GEMP_OWNED size_t *next = NULL, *trail = NULL;
	size_t depth = 0, edges = 0, at = start;
	GEMP_OWNED uint64_t *left = NULL;
	for (size_t e = 0; e < graph->edges; e++)
		edges += part[graph->edge[e].from] == wanted ? graph->edge[e].copies : 0;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(next, graph->vertices), GEMP_ARRAY(left, graph->edges), GEMP_ARRAY(trail, edges)));
	for (size_t v = 0; v < graph->vertices; v++)
		next[v] = graph->begin[v];
	for (size_t e = 0; e < graph->edges; e++)
		left[e] = graph->edge[e].copies;
	*count = 0;
	for (;;) { /* trail is the walk so far */
		while (next[at] < graph->begin[at + 1] && left[next[at]] == 0)
			next[at]++;
		if (next[at] < graph->begin[at + 1]) {
			left[next[at]]--;
			trail[depth++] = next[at];
			at = graph->edge[next[at]].to;
		} else if (depth > 0) {
			order[(*count)++] = trail[--depth];
			at = graph->edge[trail[depth]].from;
		} else {
			break;
		}
	}
	for (size_t i = 0; i < *count / 2; i++) {
		size_t other = order[i];
		order[i] = order[*count - 1 - i];
		order[*count - 1 - i] = other;
	}
	return GEMP_OK;
}

enum { MEAN_RESOLUTION = 1024 }; /* means are told apart to such a part of one */

/* How often the k-mers of a unitig occur in the mean, in fractions of MEAN_RESOLUTION, which bisection can count in whole
 * numbers. */
static uint64_t mean_coverage(const gemp_unitig *unitig)
{
	return (uint64_t)((double)unitig->times / (double)unitig->kmers * MEAN_RESOLUTION);
}

/* Collective. The mean coverage of the unitig that the median k-mer lies on. Bisection takes about 30 reductions of one number,
 * where a sort over all ranks would move every unitig. */
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

/* Collective. copies[unitigs->count] become the estimated numbers of copies in the genome. A unitig is there at least once,
 * since a read has it. */
static void set_copies(const gemp_unitigs *u, gemp_assembly_copies how, uint64_t *copies, double *coverage)
{
	*coverage = how == GEMP_COPIES_BY_COVERAGE ? median_coverage(u) : 0;
	for (size_t i = 0; i < u->count; i++) {
		double mean = (double)u->unitig[i].times / (double)u->unitig[i].kmers;
		double times = how == GEMP_COPIES_ONE ? 1 : how == GEMP_COPIES_BY_COUNT ? mean : mean / *coverage;
		copies[i] = times < 1 ? 1 : (uint64_t)llround(times);
	}
}

static int by_word(const void *a, const void *b)
{
	gemp_kmer x = ((const gemp_contig_vertex *)a)->word, y = ((const gemp_contig_vertex *)b)->word;
	return (x > y) - (x < y);
}

/* The vertices of this rank that are not balanced. */
typedef struct imbalance {
	size_t count, capacity;
	gemp_contig_vertex *vertex; /* [count] by word */
	bool beyond_path;           /* some by more than one */
} imbalance;

/* Local. The list keeps a vertex whose in- and out-degree differ. */
static gemp_code add_unbalanced(imbalance *l, const gemp_contig_vertex *vertex)
{
	if (vertex->in == vertex->out)
		return GEMP_OK;
	l->beyond_path |= vertex->in + 1 != vertex->out && vertex->out + 1 != vertex->in;
	gemp_code code = GEMP_RESERVE(l->vertex, l->capacity, l->count + 1);
	if (code == GEMP_OK)
		l->vertex[l->count++] = *vertex;
	return code;
}

/* Request handler: the ends of unitigs at each vertex, with copies. */
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

/* Collective. Each unitig leaves the vertex of its first letters and enters that of its last, once for every copy. */
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

/* Collective. Counts the vertices that are not balanced, and takes the first of them as examples for the report. *far: the
 * degrees of a vertex differ by more than one, and then there is neither path nor circuit. */
static gemp_code check_balance(gemp_contig *out, const gemp_unitigs *u, const uint64_t *copies, bool *far,
                               gemp_traffic *traffic)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = u->graph->comm;
	imbalance l = { 0 };
	gemp_contig_vertex *all = NULL;
	size_t *begin = NULL;
	GEMP_TRY_DONE(send_ends(&l, u, copies, traffic));
	out->unbalanced = gemp_comm_sum1(comm, l.count);
	*far = gemp_comm_sum1(comm, l.beyond_path) > 0;
	size_t own = l.count < GEMP_CONTIG_EXAMPLES ? l.count : GEMP_CONTIG_EXAMPLES;
	GEMP_TRY_DONE(gemp_comm_allgather(comm, GEMP_OK, l.vertex, own * sizeof *all, (void **)&all, &begin));
	size_t count = begin[comm->size] / sizeof *all;
	out->examples = count < GEMP_CONTIG_EXAMPLES ? count : GEMP_CONTIG_EXAMPLES;
	for (size_t i = 0; i < out->examples; i++)
		out->example[i] = all[i];
done:
	gemp_free_all(l.vertex, all, begin);
	return code;
}

const char *const gemp_contig_verdict_name[GEMP_CONTIG_VERDICTS] = {
	[GEMP_CONTIG_PATH] = "path",          [GEMP_CONTIG_CIRCUIT] = "circuit", [GEMP_CONTIG_UNBALANCED] = "unbalanced",
	[GEMP_CONTIG_DISCONNECTED] = "apart", [GEMP_CONTIG_STRANDS] = "strands", [GEMP_CONTIG_TOO_LARGE] = "too large",
};

void gemp_contig_free(gemp_contig *contig)
{
	gemp_sequences_free(&contig->sequences);
	*contig = (gemp_contig){ 0 };
}

/* The part of the graph that a path is to run over, and the path. */
typedef struct route {
	size_t *part; /* [vertices] */
	size_t wanted, start;
	size_t copies; /* edges of the part, copies counted */
	size_t count;
	size_t *order; /* [count] edges */
	uint64_t kmers;
} route;

/* Collective. Every rank gets the whole graph of unitigs, of at most gemp_limits.contig_unitigs edges: a path is a sequential
 * search, which more ranks would not make faster. */
static gemp_code gather(contig_graph *graph, const gemp_unitigs *u, const uint64_t *copies)
{
	const gemp_comm *comm = u->graph->comm;
	GEMP_OWNED contig_edge *own = NULL;
	GEMP_OWNED size_t *begin = NULL;
	size_t edge = 0;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(own, u->count)));
	for (size_t i = 0; i < u->count; i++) {
		const gemp_unitig *g = &u->unitig[i];
		while (u->graph->kmer[edge] < g->head)
			edge++;
		own[i] = (contig_edge){ .item = gemp_item_of(comm->rank, edge),
			                    .head = g->head,
			                    .tail = g->tail,
			                    .reverse_head = gemp_kmer_reverse(g->tail, u->graph->k),
			                    .kmers = g->kmers,
			                    .copies = copies[i] };
	}
	GEMP_TRY(gemp_comm_allgather(comm, GEMP_OK, own, u->count * sizeof *own, (void **)&graph->edge, &begin));
	graph->edges = begin[comm->size] / sizeof *own;
	return gemp_comm_agree(comm, index_graph(graph, u->graph->k));
}

/* The edge that begins with this k-mer, or the last one before it if there is none. */
static size_t find_edge(const contig_graph *graph, gemp_kmer head)
{
	size_t after;
	GEMP_PARTITION_POINT(after, 1, graph->edges, graph->edge[after].head <= head);
	return after - 1;
}

/* Is some unitig in the same component as its reverse complement? Then a path would use both strands. */
static bool strands_meet(const contig_graph *graph, const size_t *part)
{
	for (size_t e = 0; e < graph->edges; e++) {
		const contig_edge *edge = &graph->edge[e];
		const contig_edge *other = &graph->edge[find_edge(graph, edge->reverse_head)];
		if (other->head == edge->reverse_head && part[other->from] == part[edge->from])
			return true;
	}
	return false;
}

/* Local. The balance of the component decides between path and circuit, and where a path begins: at the vertex with one more
 * edge out than in. */
static gemp_code find_start(const contig_graph *graph, route *r, gemp_contig_verdict *verdict)
{
	GEMP_OWNED int64_t *surplus = NULL;
	size_t above = 0, below = 0, other = 0;
	GEMP_TRY(GEMP_NEW(surplus, graph->vertices));
	for (size_t e = 0; e < graph->edges; e++) {
		surplus[graph->edge[e].from] += (int64_t)graph->edge[e].copies;
		surplus[graph->edge[e].to] -= (int64_t)graph->edge[e].copies;
		r->copies += r->part[graph->edge[e].from] == r->wanted ? graph->edge[e].copies : 0;
	}
	r->start = graph->edge[0].from;
	for (size_t v = 0; v < graph->vertices; v++) {
		if (r->part[v] != r->wanted)
			continue;
		above += surplus[v] == 1;
		below += surplus[v] == -1;
		other += surplus[v] < -1 || surplus[v] > 1;
		if (surplus[v] == 1)
			r->start = v;
	}
	*verdict = above ? GEMP_CONTIG_PATH : GEMP_CONTIG_CIRCUIT;
	if (other || above > 1 || below > 1)
		*verdict = GEMP_CONTIG_UNBALANCED;
	return GEMP_OK;
}

/* Evaluated alike on every rank, so the verdict needs no agreement. */
static gemp_code find_route(gemp_contig *out, const contig_graph *graph, bool both, route *r)
{
	GEMP_TRY(GEMP_NEW(r->part, graph->vertices));
	out->components = find_components(graph, r->part);
	r->wanted = r->part[graph->edge[0].from];
	if (both && strands_meet(graph, r->part)) {
		out->verdict = GEMP_CONTIG_STRANDS;
	} else if (out->components > (both ? 2 : 1)) {
		out->verdict = GEMP_CONTIG_DISCONNECTED;
	} else {
		GEMP_TRY(find_start(graph, r, &out->verdict));
	}
	if (out->verdict > GEMP_CONTIG_CIRCUIT)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(r->order, r->copies));
	GEMP_TRY(find_path(graph, r->part, r->wanted, r->start, r->order, &r->count));
	GEMP_CHECK(r->count == r->copies);
	for (size_t i = 0; i < r->count; i++)
		r->kmers += graph->edge[r->order[i]].kmers;
	return GEMP_OK;
}

/* Local. (*place)[(*begin)[e]] to (*place)[(*begin)[e + 1] - 1] become the positions of unitig e on the path, in k-mers; a
 * unitig with several copies has several. */
static gemp_code list_places(const contig_graph *graph, const route *r, size_t **begin, uint64_t **place)
{
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(*begin, graph->edges + 2), GEMP_ARRAY(*place, r->count)));
	size_t *next = *begin + 1; /* becomes the begin of the edge behind */
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

/* Local. The letters that this rank knows, with their positions in the contig; their number. Each k-mer gives its last letter,
 * and the first k-mer of an open path all its letters. On a circuit positions wrap round. placed NULL: only the number is
 * wanted. */
static size_t place_letters(const gemp_unitigs *u, const contig_graph *graph, const size_t *begin,
                            const uint64_t *place, const route *r, bool closed, uint64_t *placed)
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

/* Collective. Letters go directly from the owners of the k-mers to the ranks that hold their positions: no rank has the whole
 * contig. */
static gemp_code spell(gemp_contig *out, const gemp_unitigs *u, const contig_graph *graph, const route *r,
                       gemp_traffic *traffic)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = u->graph->comm;
	bool closed = out->verdict == GEMP_CONTIG_CIRCUIT;
	GEMP_OWNED size_t *begin = NULL;
	size_t letters = 0;
	GEMP_OWNED uint64_t *place = NULL, *placed = NULL;
	gemp_sequence all = { .size = r->kmers + (closed ? 0 : u->graph->k - 1), .kmers = r->kmers, .closed = closed };
	code = list_places(graph, r, &begin, &place);
	if (code == GEMP_OK) {
		letters = place_letters(u, graph, begin, place, r, closed, NULL);
		code = GEMP_NEW(placed, letters);
	}
	GEMP_TRY(gemp_comm_agree(comm, code));
	place_letters(u, graph, begin, place, r, closed, placed);
	GEMP_TRY(gemp_sequences_new(&out->sequences, comm, all.size, &all, comm->rank == 0, traffic));
	return gemp_sequences_put(&out->sequences, comm, placed, letters, traffic);
}

static uint64_t sum(const uint64_t *numbers, size_t count)
{
	uint64_t all = 0;
	for (size_t i = 0; i < count; i++)
		all += numbers[i];
	return all;
}

/* Collective. Everything that can be decided without gathering the graph. Both strands together may have twice as many
 * unbalanced vertices as one path. */
static gemp_code decide(gemp_contig *out, const gemp_unitigs *u, gemp_assembly_copies copying, uint64_t *copies,
                        gemp_traffic *traffic)
{
	bool far = false;
	set_copies(u, copying, copies, &out->coverage);
	out->unitigs = gemp_comm_sum1(u->graph->comm, u->count);
	out->copies = gemp_comm_sum1(u->graph->comm, sum(copies, u->count));
	gemp_code code = check_balance(out, u, copies, &far, traffic);
	if (far || out->unbalanced > (u->graph->both_strands ? 4 : 2))
		out->verdict = GEMP_CONTIG_UNBALANCED;
	else if (out->copies > gemp_limits_now()->contig_unitigs)
		out->verdict = GEMP_CONTIG_TOO_LARGE;
	return code;
}

gemp_code gemp_contig_new(gemp_contig *out, const gemp_unitigs *u, gemp_assembly_copies copying, gemp_traffic *traffic)
{
	gemp_code code = GEMP_OK;
	gemp_contig contig = { 0 };
	contig_graph graph = { 0 };
	route r = { 0 };
	uint64_t *copies = NULL;
	GEMP_TRY_DONE(gemp_comm_agree(u->graph->comm, GEMP_NEW(copies, u->count)));
	GEMP_TRY_DONE(decide(&contig, u, copying, copies, traffic));
	if (contig.verdict <= GEMP_CONTIG_CIRCUIT && contig.unitigs > 0) {
		GEMP_TRY_DONE(gather(&graph, u, copies));
		GEMP_TRY_DONE(gemp_comm_agree(u->graph->comm, find_route(&contig, &graph, u->graph->both_strands, &r)));
	}
	if (r.count > 0)
		GEMP_TRY_DONE(spell(&contig, u, &graph, &r, traffic));
	*out = contig;
	contig = (gemp_contig){ 0 };
done:
	gemp_contig_free(&contig);
	free_graph(&graph);
	gemp_free_all(r.part, r.order, copies);
	return code;
}
