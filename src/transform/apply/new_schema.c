#include "transform/apply/new_schema.h"

#include "core/pages.h"
#include "core/status.h"
#include "core/threads.h"

#include <string.h>

/* Graphs have few attributes, so a linear search is fast enough. */
size_t gemp_new_schema_column(const gemp_patch_columns *columns, const char *name)
{
	size_t i = 0;
	while (i < columns->count && strcmp(columns->columns[i].name, name) != 0)
		i++;
	return i;
}

/* Returns whether both types are numbers. An attribute with integers and floats becomes a float attribute. */
static bool are_numbers(gemp_type a, gemp_type b)
{
	return (a == GEMP_INTEGER || a == GEMP_FLOAT) && (b == GEMP_INTEGER || b == GEMP_FLOAT);
}

/* ATTRIBUTES */

/* Adds a new attribute, or another use of a known one. *fits becomes true if the known column can store values of this
 * type. */
static gemp_code add_column(gemp_patch_columns *all, const char *name, gemp_type type, bool *fits)
{
	size_t at = gemp_new_schema_column(all, name);
	*fits = true;
	if (at == all->count) {
		GEMP_TRY(GEMP_RESERVE(all->columns, all->capacity, at + 1));
		all->columns[all->count++] = (gemp_patch_column){ gemp_strdup(name), type };
		return all->columns[at].name ? GEMP_OK : GEMP_ENOMEM;
	}
	if (all->columns[at].type != type) {
		*fits = are_numbers(all->columns[at].type, type);
		all->columns[at].type = *fits ? GEMP_FLOAT : all->columns[at].type;
	}
	return GEMP_OK;
}

/* Relations may share attributes, so all tables must agree on the types. */
static gemp_code add_table(gemp_patch_columns *all, const gemp_table *table)
{
	for (size_t c = 0; c < table->count; c++) {
		bool fits;
		GEMP_TRY(add_column(all, table->columns[c].name, table->columns[c].type, &fits));
		if (!fits)
			return gemp_fail(GEMP_EDATA,
			                 "edges have a column '%s' of %ss in one type and of %ss in another, which no "
			                 "rule can rewrite; import one of them under another name",
			                 table->columns[c].name,
			                 gemp_type_name[all->columns[gemp_new_schema_column(all, table->columns[c].name)].type],
			                 gemp_type_name[table->columns[c].type]);
	}
	return GEMP_OK;
}

/* The message about a value that a column cannot hold names the place in the rules. */
static gemp_code add_update(gemp_patch_columns *all, const gemp_rule_set *rules, const gemp_update *u,
                            const gemp_frame *frame)
{
	bool fits;
	gemp_type type = u->constant ? u->literal.type : frame->columns[u->column].values.type;
	if (u->constant && u->literal.null)
		return GEMP_OK;
	if (type == GEMP_LIST)
		return gemp_rule_set_fail(rules, u->line, u->place,
		                          "'%s' cannot hold a list; set it to a number, a string or a "
		                          "boolean",
		                          u->names[0]);
	GEMP_TRY(add_column(all, u->names[0], type, &fits));
	if (!fits)
		return gemp_rule_set_fail(rules, u->line, u->place,
		                          "'%s' has values of type %s, and this one is of type %s; take "
		                          "another name",
		                          u->names[0],
		                          gemp_type_name[all->columns[gemp_new_schema_column(all, u->names[0])].type],
		                          gemp_type_name[type]);
	return GEMP_OK;
}

/* The columns of the graph come first, in their order; the columns that the rule adds follow. A constant NULL needs no
 * column, since it removes the attribute. */
gemp_code gemp_new_schema_columns(gemp_patch_columns *out, const gemp_shard *graph, const gemp_rule_set *rules,
                                  const gemp_rule *rule, const gemp_frame *frame, bool edges)
{
	if (!edges)
		GEMP_TRY(add_table(out, &graph->attributes));
	for (size_t r = 0; r < graph->relation_count && edges; r++)
		GEMP_TRY(add_table(out, &graph->relations[r].props));
	for (size_t i = 0; i < rule->update_count; i++)
		if (rule->updates[i].kind == GEMP_SET_ATTRIBUTE && rule->updates[i].element.edge == edges)
			GEMP_TRY(add_update(out, rules, &rule->updates[i], frame));
	return GEMP_OK;
}

/* LABEL SETS */

/* One update of labels. `used` and `becomes` are indexed by label set. The sets of the graph have the first numbers,
 * and the sets of the patch follow. */
typedef struct label_context {
	const gemp_shard *graph;
	gemp_patch *patch;
	const gemp_update *u;
	const gemp_change *change;
	uint8_t *used;     /* nonzero if a vertex of the change has this set */
	uint32_t *becomes; /* the set that replaces it; NULL: this is the first pass, which only fills used[] */
} label_context;

/* Returns whether the name is one of the update's labels. Names in the patch's sets are not ended by 0. */
static bool is_named(const gemp_update *u, const char *name, size_t size)
{
	for (size_t i = 0; i < u->name_count; i++)
		if (strlen(u->names[i]) == size && memcmp(u->names[i], name, size) == 0)
			return true;
	return false;
}

/* The names of a set are joined by semicolons, as in the dictionary of sets. */
static void add_name(gemp_text *out, const char *name, size_t size)
{
	gemp_text_add(out, ";", out->size > 0);
	gemp_text_add(out, name, size);
}

/* Prints the labels of a set that the update does not mention, in their order. */
static void print_others(const label_context *r, size_t set, gemp_text *out)
{
	const gemp_shard *g = r->graph;
	if (set < g->label_set_count) {
		for (size_t i = 0; i < g->label_sets[set].count; i++) {
			const char *name = g->labels[g->label_sets[set].labels[i]];
			if (!is_named(r->u, name, strlen(name)))
				add_name(out, name, strlen(name));
		}
		return;
	}
	const gemp_string text = gemp_bytes_at(&r->patch->sets.list, set - g->label_set_count);
	const char *at = text.bytes, *end = at + text.size;
	while (at < end) {
		const char *stop = memchr(at, ';', (size_t)(end - at));
		stop = stop ? stop : end;
		if (!is_named(r->u, at, (size_t)(stop - at)))
			add_name(out, at, (size_t)(stop - at));
		at = stop + (stop < end);
	}
}

/* *set becomes the number of a new set after the sets of the graph. A set that equals a set of the graph gets a second
 * number here; the patch merges equal sets. */
static gemp_code add_label_set(const label_context *r, const gemp_text *text, uint32_t *set)
{
	GEMP_TRY(gemp_text_status(text));
	GEMP_TRY(gemp_dictionary_add(&r->patch->sets, text->size ? text->data : "", text->size, set));
	*set += (uint32_t)r->graph->label_set_count;
	return GEMP_OK;
}

/* A vertex has one label set, so an update maps sets to sets. Only sets that a vertex of the change has are mapped. */
static gemp_code find_sets(label_context *r, size_t sets)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	for (size_t set = 0; set < sets; set++) {
		if (!r->used[set])
			continue;
		gemp_text_clear(&text);
		print_others(r, set, &text);
		for (size_t i = 0; i < r->u->name_count && r->u->kind == GEMP_ADD_LABELS; i++)
			add_name(&text, r->u->names[i], strlen(r->u->names[i]));
		GEMP_TRY(add_label_set(r, &text, &r->becomes[set]));
	}
	return GEMP_OK;
}

/* The first pass marks the sets in use. The second pass replaces them. */
static void relabel_range(void *self, size_t range, size_t begin, size_t end)
{
	(void)range;
	const label_context *r = self;
	for (size_t i = begin; i < end; i++) {
		uint32_t *set = &r->patch->label_set[r->change->elements[i] - r->graph->first_vertex];
		if (r->becomes)
			*set = r->becomes[*set];
		else if (!__atomic_load_n(&r->used[*set], __ATOMIC_RELAXED))
			__atomic_store_n(&r->used[*set], 1, __ATOMIC_RELAXED);
	}
}

static gemp_code apply_update(label_context *r)
{
	size_t sets = r->graph->label_set_count + r->patch->sets.list.count;
	GEMP_OWNED uint8_t *used = NULL;
	GEMP_OWNED uint32_t *becomes = NULL;
	if (r->change->count == 0)
		return GEMP_OK;
	if (!r->patch->label_set)
		GEMP_TRY(GEMP_COPY(r->patch->label_set, r->graph->label_set_of, r->graph->rows));
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(used, sets), GEMP_ARRAY(becomes, sets)));
	r->used = used;
	r->becomes = NULL;
	gemp_for_ranges(r->change->count, relabel_range, r);
	r->becomes = becomes;
	GEMP_TRY(find_sets(r, sets));
	gemp_for_ranges(r->change->count, relabel_range, r);
	return GEMP_OK;
}

/* The sets of one match are repeated for every match. */
typedef struct set_repeat {
	const uint32_t *sets; /* [width] */
	size_t width;
	uint32_t *to;
} set_repeat;

static void repeat_sets(void *context, size_t begin, size_t end)
{
	const set_repeat *r = context;
	for (size_t i = begin; i < end; i++)
		r->to[i] = r->sets[i % r->width];
}

/* All vertices that the same CREATE makes have the same label set, so the sets of one match are repeated for every
 * match. */
static gemp_code label_created(const label_context *r, const gemp_new_vertices *created)
{
	GEMP_OWNED uint32_t *sets = NULL;
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	size_t width = created->rule->created_vertices;
	if (width == 0)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(sets, width));
	GEMP_TRY(GEMP_NEW_UNSET(r->patch->added_sets, r->patch->new_vertices));
	for (size_t i = 0; i < created->rule->update_count; i++) {
		const gemp_update *u = &created->rule->updates[i];
		if (u->kind != GEMP_CREATE_VERTEX)
			continue;
		gemp_text_clear(&text);
		for (size_t n = 0; n < u->name_count; n++)
			add_name(&text, u->names[n], strlen(u->names[n]));
		GEMP_TRY(add_label_set(r, &text, &sets[u->element.index]));
	}
	gemp_for_elements(r->patch->new_vertices, repeat_sets, &(set_repeat){ sets, width, r->patch->added_sets });
	return GEMP_OK;
}

/* The updates are applied one after the other. Each update starts from the sets that the previous updates have made. */
gemp_code gemp_new_schema_labels(gemp_patch *patch, const gemp_shard *graph, const gemp_new_vertices *created,
                                 const gemp_changes *changes)
{
	label_context r = { .graph = graph, .patch = patch };
	for (size_t i = 0; i < changes->rule->update_count; i++) {
		r.u = &changes->rule->updates[i];
		r.change = &changes->changes[i];
		if ((r.u->kind == GEMP_ADD_LABELS || r.u->kind == GEMP_REMOVE_LABELS) && !r.u->element.created)
			GEMP_TRY(apply_update(&r));
	}
	return label_created(&r, created);
}
