#include "match/filter/semi_join.h"

#include "core/log.h"
#include "core/threads.h"
#include "match/filter/bits_union.h"
#include "match/filter/kept_results.h"
#include "match/planner/plan_rows.h"

#include <string.h>

/* CHUNK: number of rows that a thread reads at a time. SELECTIVE: an operation reads at most this part of the entries,
 * and there is one only if some vertex has at most this part of the vertices as candidates. REDUCES: a spread reads at
 * most this part of the number of the candidates that it replaces. */
enum { CHUNK = 1 << 12, SELECTIVE = 8, REDUCES = 4, ARCS = 2 * GEMP_MAX_PATTERN_EDGES };

/* A pattern edge seen from one of its ends. Arcs 2 e and 2 e + 1 are edge e from its first and from its second end. */
typedef struct arc {
	int from, to, match; /* pattern vertices; the edge's MATCH */
	gemp_view_key key;
	bool used;             /* the arc takes part, and the rows from `from` are loaded */
	bool differ;           /* the images of both ends differ */
	gemp_view_lists lists; /* the rows from `from` */
	uint64_t entries, all; /* of all ranks: entries in the rows of candidates of `from`; in all rows */
	/* 1 + the version of `from`, `from` and `to` at the last such operation; 0: none */
	uint64_t counted, spread, tested;
	unsigned needed; /* number of entries that a row needs among the candidates of `to` */
} arc;

typedef struct semi_join {
	gemp_candidates *candidates;
	gemp_runtime *context;
	const gemp_shard *graph;
	const gemp_pattern *pattern;
	gemp_semantics semantics;
	size_t arc_count;
	arc arcs[ARCS];
	uint64_t version[GEMP_MAX_PATTERN_VERTICES]; /* number of times that a quarter of the candidates was removed */
} semi_join;

/* An operation: a test of a pattern vertex, or a spread along an arc to the vertex. */
typedef struct operation {
	const semi_join *join;
	int vertex;              /* the vertex whose candidates are reduced */
	const arc *along;        /* NULL: a test */
	const uint32_t *among;   /* [words] the candidates that are tested */
	uint32_t *found;         /* [words + 1] the entries that a spread has read */
	uint32_t *kept, *failed; /* [words + 1] own candidates that have passed and failed a test */
	uint64_t *entries;       /* [chunks] result of count_entries */
} operation;

/* The vertices that take part: all but trees without a bitmap, whose leaves are removed repeatedly. */
static uint64_t vertices_used(const semi_join *j)
{
	uint64_t used = UINT64_MAX;
	bool more = true;
	while (more) {
		more = false;
		for (int v = 0; v < (int)j->pattern->vertex_count; v++) {
			unsigned degree = 0;
			for (size_t e = 0; e < j->pattern->edge_count; e++) {
				const gemp_pattern_edge *edge = &j->pattern->edges[e];
				degree += edge->from != edge->to && (edge->from == v || edge->to == v) && used >> edge->from & 1 &&
				          used >> edge->to & 1;
			}
			if (degree > 1 || j->candidates->bits[v] || !(used >> v & 1))
				continue;
			used &= ~GEMP_BIT(v);
			more = true;
		}
	}
	return used;
}

/* Local. Lists the arcs and their rows. */
static gemp_code list_arcs(semi_join *j)
{
	const uint64_t used = vertices_used(j);
	for (size_t i = 0; i < 2 * j->pattern->edge_count; i++) {
		const gemp_pattern_edge *edge = &j->pattern->edges[i / 2];
		const bool back = i % 2;
		arc *a = &j->arcs[j->arc_count++];
		*a = (arc){ .from = back ? edge->to : edge->from, .to = back ? edge->from : edge->to, .match = edge->match };
		a->key = gemp_pattern_edge_key(j->pattern, edge, back);
		a->differ = (j->semantics == GEMP_ISO || j->semantics == GEMP_INDUCED) &&
		            !j->pattern->vertices[a->from].repeatable && !j->pattern->vertices[a->to].repeatable;
		a->used = a->from != a->to && used >> a->from & used >> a->to & 1 && gemp_view_is_loaded(j->graph, &a->key);
		if (!a->used)
			continue;
		GEMP_TRY(gemp_view_lists_new(&a->lists, j->graph, &a->key));
		a->all = gemp_view_entries(&a->lists, 0, j->graph->rows);
	}
	return GEMP_OK;
}

/* True if two arcs read the same rows of the same vertex. */
static bool same_rows(const semi_join *j, const arc *a, const arc *b)
{
	return a->from == b->from && a->key.direction == b->key.direction &&
	       memcmp(a->key.relations, b->key.relations, j->pattern->relation_count * sizeof *a->key.relations) == 0;
}

/* Sets how many entries a row needs for an arc. Under iso the images of all vertices to which such arcs lead differ,
 * and under edge-iso the edges differ. */
static void count_needed(semi_join *j, arc *a)
{
	uint64_t ends = 0, edges = 0;
	for (size_t i = 0; i < j->arc_count; i++) {
		const arc *b = &j->arcs[i];
		if (!b->used || !same_rows(j, a, b) || !gemp_candidates_same(j->candidates, a->to, b->to))
			continue;
		ends |= b->differ ? GEMP_BIT(b->to) : 0;
		edges |= b->match == a->match ? GEMP_BIT(i / 2) : 0;
	}
	const int count = a->differ                       ? __builtin_popcountll(ends)
	                  : j->semantics == GEMP_EDGE_ISO ? __builtin_popcountll(edges)
	                                                  : 1;
	a->needed = count > 1 ? (unsigned)count : 1;
}

/* Moves *row to the first own row from *row on that is a candidate; false: there is none before `end`. */
static bool next_candidate(const semi_join *j, const uint32_t *bits, size_t *row, size_t end)
{
	while (*row < end) {
		const uint64_t id = j->graph->first_vertex + *row;
		const uint32_t rest = bits[id / 32] >> id % 32;
		*row += rest ? (size_t)__builtin_ctz(rest) : 32 - id % 32;
		if (rest)
			return *row < end;
	}
	return false;
}

/* True if the row has as many entries among the candidates of the arc's other end as are needed. An entry that several
 * lists of the row have may count several times, which only keeps more candidates. */
static bool reaches(const semi_join *j, const arc *a, size_t row)
{
	const uint64_t id = j->graph->first_vertex + row;
	unsigned found = 0;
	for (size_t k = 0; k < a->lists.count; k++) {
		const gemp_view_list *list = &a->lists.list[k];
		uint64_t last = UINT64_MAX;
		for (uint64_t i = list->offsets[row]; i < list->offsets[row + 1]; last = list->neighbours[i++]) {
			const gemp_vertex other = list->neighbours[i];
			if ((a->differ && (other == last || other == id)) || !gemp_candidates_has(j->candidates, a->to, other))
				continue;
			if (++found == a->needed)
				return true;
		}
	}
	return false;
}

/* True if a test of the arc's first end uses it. */
static bool is_testable(const semi_join *j, const arc *a)
{
	return a->used && j->candidates->bits[a->to];
}

static void test_rows(void *context, size_t chunk, size_t begin, size_t end)
{
	(void)chunk;
	const operation *o = context;
	const semi_join *j = o->join;
	for (size_t row = begin; next_candidate(j, o->among, &row, end); row++) {
		bool stays = true;
		for (size_t i = 0; i < j->arc_count && stays; i++)
			if (j->arcs[i].from == o->vertex && is_testable(j, &j->arcs[i]))
				stays = reaches(j, &j->arcs[i], row);
		gemp_bits32_set_atomic(stays ? o->kept : o->failed, j->graph->first_vertex + row);
	}
}

static void spread_rows(void *context, size_t chunk, size_t begin, size_t end)
{
	(void)chunk;
	const operation *o = context;
	const semi_join *j = o->join;
	for (size_t row = begin; next_candidate(j, j->candidates->bits[o->along->from], &row, end); row++)
		for (size_t k = 0; k < o->along->lists.count; k++) {
			const gemp_view_list *list = &o->along->lists.list[k];
			for (uint64_t i = list->offsets[row]; i < list->offsets[row + 1]; i++)
				if (gemp_candidates_has(j->candidates, o->vertex, list->neighbours[i]))
					gemp_bits32_set_atomic(o->found, list->neighbours[i]);
		}
}

static void count_entries(void *context, size_t chunk, size_t begin, size_t end)
{
	const operation *o = context;
	const semi_join *j = o->join;
	uint64_t entries = 0;
	for (size_t row = begin; next_candidate(j, j->candidates->bits[o->along->from], &row, end); row++)
		entries += gemp_view_entries(&o->along->lists, row, row + 1);
	o->entries[chunk] = entries; /* once, as chunks that are counted at the same time share cache lines */
}

/* Local. Counts the entries in the own rows of candidates for each arc whose candidates have changed. */
static gemp_code count_own(semi_join *j, uint64_t counts[ARCS])
{
	const size_t chunks = (j->graph->rows + CHUNK - 1) / CHUNK;
	GEMP_OWNED uint64_t *entries = NULL;
	GEMP_TRY(GEMP_NEW(entries, chunks + 1));
	for (size_t i = 0; i < j->arc_count; i++) {
		arc *a = &j->arcs[i];
		operation count = { .join = j, .along = a, .entries = entries };
		counts[i] = 0;
		if (!a->used || !j->candidates->bits[a->from] || a->counted == j->version[a->from] + 1)
			continue;
		memset(entries, 0, chunks * sizeof *entries);
		gemp_for_chunks(j->graph->rows, CHUNK, count_entries, &count);
		for (size_t c = 0; c < chunks; c++)
			counts[i] += entries[c];
	}
	return GEMP_OK;
}

/* Collective. Sets the entries of all arcs. */
static gemp_code count_costs(semi_join *j)
{
	uint64_t counts[ARCS];
	GEMP_TRY(gemp_comm_agree(j->context->comm, count_own(j, counts)));
	gemp_comm_sum(j->context->comm, counts, (int)j->arc_count);
	for (size_t i = 0; i < j->arc_count; i++) {
		arc *a = &j->arcs[i];
		if (a->counted != j->version[a->from] + 1)
			a->entries = counts[i];
		a->counted = j->candidates->bits[a->from] ? j->version[a->from] + 1 : 0;
		count_needed(j, a);
	}
	return GEMP_OK;
}

/* The entries that a test of the vertex reads at most; UINT64_MAX if the test would remove nothing or read too much. */
static uint64_t test_cost(const semi_join *j, int vertex)
{
	uint64_t entries = 0, all = 0;
	bool stale = false;
	for (size_t i = 0; i < j->arc_count && j->candidates->bits[vertex]; i++) {
		const arc *a = &j->arcs[i];
		if (a->from != vertex || !is_testable(j, a))
			continue;
		stale |= a->tested != j->version[a->to] + 1;
		entries += a->entries;
		all += a->all;
	}
	return stale && entries <= all / SELECTIVE ? entries : UINT64_MAX;
}

static uint64_t spread_cost(const semi_join *j, const arc *a)
{
	const bool stale = a->used && j->candidates->bits[a->from] && a->spread != j->version[a->from] + 1;
	const uint64_t most = gemp_min(a->all / SELECTIVE, j->candidates->count[a->to] / REDUCES);
	return stale && a->entries <= most ? a->entries : UINT64_MAX;
}

/* Chooses the operation that reads the fewest entries. All ranks choose the same one, because they know the same
 * sums. Returns false if no operation is left. */
static bool choose(const semi_join *j, operation *o)
{
	uint64_t least = UINT64_MAX;
	for (size_t i = 0; i < j->arc_count; i++)
		if (spread_cost(j, &j->arcs[i]) < least) {
			least = spread_cost(j, &j->arcs[i]);
			*o = (operation){ .join = j, .vertex = j->arcs[i].to, .along = &j->arcs[i] };
		}
	for (int v = 0; v < (int)j->pattern->vertex_count; v++)
		if (test_cost(j, v) < least) {
			least = test_cost(j, v);
			*o = (operation){ .join = j, .vertex = v };
		}
	return least < UINT64_MAX;
}

/* Both operations test the vertex against the present candidates of its neighbours. */
static void note_done(semi_join *j, const operation *o)
{
	for (size_t i = 0; i < j->arc_count; i++) {
		arc *a = &j->arcs[i];
		if (a == o->along)
			a->spread = j->version[a->from] + 1;
		if (a->from == o->vertex && is_testable(j, a))
			a->tested = j->version[a->to] + 1;
	}
}

/* Collective. Replaces the candidates of the vertex by those that the ranks have kept. The ranks send one another what
 * they have kept or what has failed, whichever is less. Candidates without a bitmap send what they have kept. */
static gemp_code unite(semi_join *j, operation *o, gemp_code code)
{
	gemp_candidates *c = j->candidates;
	uint32_t *old = c->bits[o->vertex];
	uint64_t counts[2] = { 0, 0 };
	if (code == GEMP_OK) {
		counts[0] = gemp_bits32_count(o->kept, c->words);
		counts[1] = gemp_bits32_count(o->failed, c->words);
	}
	gemp_comm_sum(j->context->comm, counts, 2);
	const bool sends_failed = !o->along && counts[1] < counts[0];
	GEMP_TRY(gemp_bits_unite(j->context, code, sends_failed ? o->failed : o->kept, c->words));
	for (size_t w = 0; w < c->words && sends_failed; w++)
		o->kept[w] = old[w] & ~o->failed[w];
	gemp_free(old);
	c->bits[o->vertex] = o->kept;
	o->kept = NULL;
	c->count[o->vertex] = counts[0];
	return GEMP_OK;
}

/* Collective. Performs an operation. */
static gemp_code perform(semi_join *j, operation *o)
{
	const gemp_candidates *c = j->candidates;
	const uint64_t before = c->count[o->vertex];
	gemp_code code = gemp_new_all(GEMP_ARRAY(o->kept, c->words + 1), GEMP_ARRAY(o->failed, c->words + 1),
	                              GEMP_ARRAY(o->found, o->along ? c->words + 1 : 0));
	if (code == GEMP_OK && o->along)
		gemp_for_chunks(j->graph->rows, CHUNK, spread_rows, o);
	if (o->along)
		code = gemp_bits_to_owners(j->context, code, j->graph, o->found, c->words);
	o->among = o->along ? o->found : c->bits[o->vertex];
	if (code == GEMP_OK)
		gemp_for_chunks(j->graph->rows, CHUNK, test_rows, o);
	code = unite(j, o, code);
	gemp_free_all(o->kept, o->failed, o->found);
	if (code != GEMP_OK)
		return code;
	note_done(j, o);
	j->version[o->vertex] += c->count[o->vertex] < before && c->count[o->vertex] <= before - before / 4;
	gemp_log(GEMP_VERBOSE, "semi-join: %s leaves pattern vertex %d %llu of %llu candidates",
	         o->along ? "spread" : "test", o->vertex, (unsigned long long)c->count[o->vertex],
	         (unsigned long long)before);
	return GEMP_OK;
}

/* True if some vertex has few candidates. */
static bool is_selective(const gemp_candidates *candidates, const gemp_shard *graph, const gemp_pattern *pattern)
{
	for (size_t v = 0; v < pattern->vertex_count; v++)
		if (candidates->bits[v] && candidates->count[v] <= graph->vertex_count / SELECTIVE)
			return true;
	return false;
}

/* A vertex's version grows only if a quarter of its candidates goes, so there are not many operations. */
static gemp_code join(gemp_candidates *candidates, gemp_runtime *context, const gemp_shard *graph,
                      const gemp_pattern *pattern, gemp_semantics semantics)
{
	gemp_code code = GEMP_OK;
	semi_join j = {
		.candidates = candidates, .context = context, .graph = graph, .pattern = pattern, .semantics = semantics
	};
	uint64_t all[ARCS] = { 0 };
	operation next = { 0 };
	GEMP_TRY_DONE(gemp_comm_agree(context->comm, list_arcs(&j)));
	for (size_t i = 0; i < j.arc_count; i++)
		all[i] = j.arcs[i].all;
	gemp_comm_sum(context->comm, all, (int)j.arc_count);
	for (size_t i = 0; i < j.arc_count; i++)
		j.arcs[i].all = all[i];
	GEMP_TRY_DONE(count_costs(&j));
	while (choose(&j, &next)) {
		GEMP_TRY_DONE(perform(&j, &next));
		GEMP_TRY_DONE(count_costs(&j));
	}
done:
	for (size_t i = 0; i < j.arc_count; i++)
		gemp_view_lists_free(&j.arcs[i].lists);
	return code;
}

/* The key of the candidates that remain. Arcs whose rows are not loaded are not used. */
static gemp_text key_of(const gemp_candidates *candidates, const gemp_shard *graph, const gemp_pattern *pattern,
                        gemp_semantics semantics)
{
	const char kind = GEMP_KEPT_JOINED;
	gemp_text key = { .failed = candidates->keyless };
	gemp_text_add(&key, &kind, 1);
	gemp_kept_key_pattern(&key, pattern);
	gemp_kept_key_number(&key, semantics);
	for (size_t i = 0; i < 2 * pattern->edge_count; i++) {
		const gemp_view_key rows = gemp_pattern_edge_key(pattern, &pattern->edges[i / 2], i % 2);
		gemp_kept_key_number(&key, gemp_view_is_loaded(graph, &rows));
	}
	gemp_candidates_add_keys(candidates, pattern->vertex_count, &key);
	return key;
}

/* The key of one vertex's bitmap, or of the set of vertices with bitmaps (vertex_count). */
static gemp_text key_of_vertex(const gemp_text *key, size_t v)
{
	gemp_text own = { .failed = key->failed };
	gemp_text_add(&own, key->data, key->size);
	gemp_kept_key_number(&own, v);
	return own;
}

/* Local. Keeps the remaining candidates, and gives them their new keys. */
static void keep(gemp_candidates *candidates, const gemp_shard *graph, size_t vertex_count, const gemp_text *key)
{
	uint64_t filtered = 0;
	for (size_t v = 0; v < vertex_count; v++) {
		if (!candidates->bits[v])
			continue;
		gemp_text own = key_of_vertex(key, v);
		gemp_kept_results_put(graph, &own, candidates->bits[v], candidates->words * sizeof *candidates->bits[v]);
		gemp_text_free(&candidates->key[v]);
		candidates->keyless |= own.failed;
		candidates->key[v] = own;
		filtered |= GEMP_BIT(v);
	}
	GEMP_OWNED_BY(gemp_text_free) gemp_text set = key_of_vertex(key, vertex_count);
	gemp_kept_results_put(graph, &set, &filtered, sizeof filtered);
}

/* Collective. Replaces the candidates by those that an earlier query has kept, if all of them are there. */
static gemp_code take_kept(gemp_candidates *candidates, const gemp_runtime *context, const gemp_shard *graph,
                           size_t vertex_count, const gemp_text *key, bool *found)
{
	uint64_t filtered;
	GEMP_OWNED_BY(gemp_text_free) gemp_text set = key_of_vertex(key, vertex_count);
	*found = gemp_kept_results_get(context->comm, graph, &set, &filtered, sizeof filtered);
	for (size_t v = 0; *found && v < vertex_count; v++) {
		GEMP_OWNED uint32_t *bits = NULL;
		if (!(filtered >> v & 1))
			continue;
		GEMP_OWNED_BY(gemp_text_free) gemp_text own = key_of_vertex(key, v);
		GEMP_TRY(gemp_comm_agree(context->comm, GEMP_NEW(bits, candidates->words + 1)));
		*found = gemp_kept_results_get(context->comm, graph, &own, bits, candidates->words * sizeof *bits);
		if (!*found)
			return GEMP_OK; /* the candidates so far are correct, and the join removes the others again */
		gemp_free(candidates->bits[v]);
		candidates->bits[v] = bits;
		bits = NULL;
		candidates->count[v] = gemp_bits32_count(candidates->bits[v], candidates->words);
	}
	return GEMP_OK;
}

gemp_code gemp_candidates_semi_join(gemp_candidates *candidates, gemp_runtime *context, const gemp_shard *graph,
                                    const gemp_pattern *pattern, gemp_semantics semantics)
{
	bool found;
	GEMP_OWNED_BY(gemp_text_free) gemp_text key = { .failed = true };
	if (!pattern->edge_count || !is_selective(candidates, graph, pattern))
		return GEMP_OK;
	if (graph->kept)
		key = key_of(candidates, graph, pattern, semantics);
	GEMP_TRY(take_kept(candidates, context, graph, pattern->vertex_count, &key, &found));
	if (!found)
		GEMP_TRY(join(candidates, context, graph, pattern, semantics));
	keep(candidates, graph, pattern->vertex_count, &key);
	return GEMP_OK;
}
