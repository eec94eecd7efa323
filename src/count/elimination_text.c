/* Text of an elimination for --explain. */
#include "count/elimination.h"

static void print_product(const gemp_elimination *e, int product, gemp_text *out);

static void print_edge(const gemp_elimination *e, const gemp_fold_edge *edge, gemp_text *out)
{
	const char *separator = "";
	bool all = true;
	for (size_t r = 0; r < e->graph->relation_count; r++)
		all &= gemp_type_set(e->types, edge->types)[r];
	gemp_text_print(out, "%s%s[", edge->exists ? "EXISTS " : "", edge->direction == GEMP_VIEW_IN ? "<-" : "-");
	for (size_t r = 0; r < e->graph->relation_count && !(all && e->graph->relation_count > 1); r++)
		if (gemp_type_set(e->types, edge->types)[r]) {
			gemp_text_print(out, "%s%s%s", *separator ? "" : ":", separator, e->graph->relations[r].name);
			separator = "|";
		}
	gemp_text_print(out, "]%s", edge->direction == GEMP_VIEW_OUT ? "->" : "-");
}

static void print_fold(const gemp_elimination *e, const gemp_fold *fold, gemp_text *out)
{
	for (int k = 0; k < fold->edge_count; k++) {
		if (k)
			gemp_text_print(out, " & ");
		print_edge(e, &fold->edges[k], out);
	}
	if (fold->child < 0)
		gemp_text_print(out, "self");
	else
		print_product(e, fold->child, out);
}

/* "(candidates, {weight} * -[:T]->(...) * ...)"; "()" is any vertex. */
static void print_product(const gemp_elimination *e, int product, gemp_text *out)
{
	const gemp_fold_product *p = &e->products[product];
	const char *separator = p->candidates ? ", " : "";
	gemp_text_print(out, "(%s", p->candidates ? "candidate" : "");
	for (uint64_t left = p->weights; left; left &= left - 1) {
		gemp_text_print(out, "%s{%d}", separator, __builtin_ctzll(left));
		separator = " * ";
	}
	for (int k = 0; k < p->fold_count; k++) {
		gemp_text_print(out, "%s", separator);
		separator = " * ";
		print_fold(e, &e->folds[p->folds[k]], out);
	}
	gemp_text_print(out, ")");
}

void gemp_elimination_print(const gemp_elimination *e, int target, gemp_text *out)
{
	for (size_t i = 0; i < e->sum_count; i++) {
		const gemp_elimination_sum *s = &e->sums[i];
		if (s->target != target)
			continue;
		gemp_text_print(out, "  %+lld * %s", (long long)s->factor, s->count > 1 ? "walk " : "sum ");
		for (int v = 0; v < s->count; v++) {
			gemp_text_print(out, "%s%d ", v ? "; " : "", v);
			for (size_t k = 0; k < s->check_count[v]; k++) {
				gemp_text_print(out, "%s%d", k ? "& " : "", s->checks[v][k].from);
				print_edge(e, &s->checks[v][k].edge, out);
				gemp_text_print(out, " ");
			}
			print_product(e, s->products[v], out);
		}
		gemp_text_print(out, "\n");
	}
}
