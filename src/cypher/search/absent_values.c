#include "cypher/search/absent_values.h"

#include "core/log.h"
#include "core/memory.h"
#include "cypher/check/graph_names.h"

#include <string.h>

enum { MAX_LABEL_SETS = 1 << 16, LISTED = 5 };

typedef struct labelled_attribute {
	const gemp_cypher_label *labels;
	const gemp_cypher_word *attribute;
} labelled_attribute;

typedef struct absence {
	const gemp_cypher_tree *tree;
	const gemp_shard *graph;
	const gemp_comm *comm;
	size_t asked_count, asked_capacity;
	labelled_attribute *asked; /* [asked_count] */
} absence;

/* True if a vertex with this label set can stand for a node with these labels. `any`: one of the labels suffices. */
static bool fits(const gemp_shard *graph, const gemp_label_set *set, const gemp_cypher_label *labels, bool any)
{
	for (const gemp_cypher_label *label = labels; label; label = label->next) {
		bool found = label->parts && fits(graph, set, label->parts, label->any);
		for (size_t i = 0; !label->parts && i < set->count && !found; i++)
			found = strcmp(graph->labels[set->labels[i]], label->name.bytes) == 0;
		if (found == any)
			return any;
	}
	return !any;
}

/* seen[s] becomes 1 for label sets of this rank's vertices with a value. The search ends at a vertex that fits. */
static void look(const absence *a, const gemp_column *column, const bool *fitting, uint64_t *seen)
{
	const uint32_t *set_of = a->graph->label_set_of;
	for (size_t row = 0; row < a->graph->rows; row++) {
		if (column->null && column->null[row])
			continue;
		seen[set_of[row]] = 1;
		if (fitting[set_of[row]])
			return;
	}
}

/* Lists the labels of the vertices that have the attribute. */
static void add_labels(gemp_text *out, const gemp_shard *graph, const uint64_t *seen)
{
	size_t listed = 0;
	for (size_t label = 0; label < graph->label_count && listed < LISTED; label++) {
		bool has = false;
		for (size_t s = 0; s < graph->label_set_count && !has; s++)
			for (size_t i = 0; seen[s] && i < graph->label_sets[s].count; i++)
				has |= graph->label_sets[s].labels[i] == label;
		if (has)
			gemp_text_print(out, "%s%s", listed++ ? ", " : "; vertices with it have the label ", graph->labels[label]);
	}
}

static gemp_code warn(const absence *a, const gemp_cypher_label *labels, const gemp_cypher_word *attribute,
                      const uint64_t *seen)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	const char *file = a->tree->source.file;
	int line, column;
	gemp_source_place(&a->tree->source, attribute->place.begin, &line, &column);
	gemp_text_print(&text, "%s:%d:%d: no vertex with ", file ? file : "query", line, column);
	if (labels->next || labels->parts)
		gemp_text_print(&text, "these labels");
	else
		gemp_text_print(&text, "the label %s", labels->name.bytes);
	gemp_text_print(&text, " has the attribute '%s'", attribute->bytes);
	add_labels(&text, a->graph, seen);
	GEMP_TRY(gemp_text_status(&text));
	gemp_warn("%s", text.data);
	return GEMP_OK;
}

/* Collective. The last element of seen[] tells whether a rank has not loaded the column. */
static gemp_code check(const absence *a, const gemp_cypher_label *labels, const gemp_cypher_word *attribute)
{
	const gemp_shard *graph = a->graph;
	const gemp_column *column = gemp_table_find(&graph->attributes, attribute->bytes);
	const size_t sets = graph->label_set_count;
	GEMP_OWNED uint64_t *seen = NULL;
	GEMP_OWNED bool *fitting = NULL;
	bool found = false;
	if (!column || sets > MAX_LABEL_SETS)
		return GEMP_OK;
	gemp_code code = GEMP_NEW(seen, sets + 1);
	GEMP_THEN(GEMP_NEW(fitting, sets));
	GEMP_TRY(gemp_comm_agree(a->comm, code));
	seen[sets] = !graph->label_set_of || !gemp_column_loaded(column);
	for (size_t s = 0; s < sets; s++)
		fitting[s] = fits(graph, &graph->label_sets[s], labels, false);
	if (!seen[sets])
		look(a, column, fitting, seen);
	gemp_comm_max(a->comm, seen, (int)sets + 1);
	for (size_t s = 0; s < sets; s++)
		found |= seen[s] && fitting[s];
	return gemp_comm_agree(a->comm, found || seen[sets] ? GEMP_OK : warn(a, labels, attribute, seen));
}

/* Lists an attribute of a labelled node, since ranks must agree on the list before they check it. */
static gemp_code list_attribute(void *self, const gemp_cypher_label *labels, const gemp_cypher_word *attribute)
{
	absence *a = self;
	GEMP_TRY(GEMP_RESERVE(a->asked, a->asked_capacity, a->asked_count + 1));
	a->asked[a->asked_count++] = (labelled_attribute){ labels, attribute };
	return GEMP_OK;
}

gemp_code gemp_cypher_warn_of_absent_values(const gemp_cypher_tree *tree, const gemp_shard *graph,
                                            const gemp_comm *comm)
{
	absence a = { .tree = tree, .graph = graph, .comm = comm };
	gemp_code code = gemp_comm_agree(comm, gemp_cypher_visit_labelled(tree, list_attribute, &a));
	for (size_t i = 0; i < a.asked_count && code == GEMP_OK; i++)
		code = check(&a, a.asked[i].labels, a.asked[i].attribute);
	gemp_free(a.asked);
	return code;
}
