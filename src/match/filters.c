#include "match/filters.h"

/* One line for each bound vertex of the set. */
static void put(gemp_text *t, const gemp_plan *plan, uint64_t with, const char *guard, const char *format,
                const char *self, const char *reject)
{
	for (int v = 0; v < plan->vertex_count; v++)
		if (with >> v & 1) {
			gemp_text_print(t, "\t\t\t\tif (%s", guard);
			gemp_text_print(t, format, self, v);
			gemp_text_print(t, ") %s\n", reject);
		}
}

void gemp_emit_candidate(gemp_text *t, const gemp_plan *plan, int vertex, const char *self)
{
	gemp_text_print(t, plan->ranges >> vertex & 1 ? "within(%d, %s)" : "candidate(%d, %s)", vertex, self);
}

void gemp_emit_ranges(gemp_text *t, const gemp_plan *plan)
{
	for (int v = 0; v < plan->vertex_count; v++)
		if (plan->ranges >> v & 1)
			gemp_text_print(t, "\tconst uint low_%d = candidates[%d * candidate_words], wide_%d = candidates[%d * "
			                "candidate_words + 1];\n", v, v, v, v);
}

void gemp_emit_vertex_filters(gemp_text *t, const gemp_plan *plan, const gemp_step *step, const char *self,
                              const gemp_rejection *r)
{
	put(t, plan, step->differ, "", "%s == v_%d", self, r->reject);
	put(t, plan, step->same, "", "%s != v_%d", self, r->reject);
	put(t, plan, step->key_less, r->guard, "key_rank[%s] >= key_rank[v_%d]", self, r->reject);
	put(t, plan, step->key_most, r->guard, "key_rank[%s] > key_rank[v_%d]", self, r->reject);
	put(t, plan, step->key_greater, r->guard, "key_rank[%s] <= key_rank[v_%d]", self, r->reject);
	put(t, plan, step->key_least, r->guard, "key_rank[%s] < key_rank[v_%d]", self, r->reject);
	if (step->candidates && (step->kind != GEMP_SCAN || plan->pivot_off)) {
		gemp_text_print(t, "\t\t\t\tif (%s!", r->guard);
		gemp_emit_candidate(t, plan, step->vertex, self);
		gemp_text_print(t, ") %s\n", r->reject);
	}
}

void gemp_emit_edge_filters(gemp_text *t, const gemp_plan *plan, const gemp_step *step, const char *edge,
                            const gemp_rejection *r)
{
	for (int f = 0; plan->live_edges && f < plan->edge_count; f++) {
		if (step->edges_differ >> f & 1)
			gemp_text_print(t, "\t\t\t\tif (%s == e_%d) %s\n", edge, f, r->reject);
		if (step->edge_less >> f & 1)
			gemp_text_print(t, "\t\t\t\tif (%s >= e_%d) %s\n", edge, f, r->reject);
	}
}
