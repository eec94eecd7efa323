#include "cypher/change/change.h"

#include "core/random.h"
#include "cypher/change/value.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_WORDS = 2, WORDS };

static void init_records(gemp_cypher_records *all)
{
	gemp_record_table_init(&all->index, WORDS, KEY_WORDS, SIZE_MAX / 2);
}

static void free_records(gemp_cypher_records *all)
{
	gemp_free(all->records);
	gemp_record_table_free(&all->index);
	*all = (gemp_cypher_records){ 0 };
}

void gemp_cypher_change_init(gemp_cypher_change *change)
{
	*change = (gemp_cypher_change){ 0 };
	init_records(&change->nodes);
	init_records(&change->relationships);
	gemp_cypher_change_read_init(change);
}

void gemp_cypher_change_forget(gemp_cypher_change *change)
{
	free_records(&change->nodes);
	free_records(&change->relationships);
	init_records(&change->nodes);
	init_records(&change->relationships);
	gemp_free(change->settings);
	change->settings = NULL;
	change->setting_count = change->setting_capacity = 0;
}

void gemp_cypher_change_free(gemp_cypher_change *change)
{
	free_records(&change->nodes);
	free_records(&change->relationships);
	gemp_dictionary_free(&change->names);
	gemp_dictionary_free(&change->sets);
	gemp_free_all(change->settings, change->lists, change->ghosts);
	gemp_arena_free(&change->arena);
	*change = (gemp_cypher_change){ 0 };
}

bool gemp_cypher_change_is_pending(const gemp_cypher_change *change)
{
	return change->nodes.count || change->relationships.count;
}

/* RECORDS */

static gemp_cypher_records *records_of(gemp_cypher_change *change, gemp_datum element)
{
	return element.kind == GEMP_DATUM_NODE ? &change->nodes : &change->relationships;
}

gemp_cypher_record *gemp_cypher_change_find(gemp_cypher_change *change, gemp_datum element)
{
	gemp_cypher_records *all = records_of(change, element);
	uint32_t record[WORDS];
	if (gemp_cypher_is_created(element.id))
		return &all->records[element.id ^ GEMP_CY_CREATED];
	if (!all->index.count)
		return NULL;
	memcpy(record, &element.id, sizeof element.id);
	const uint32_t *found = gemp_record_table_find(&all->index, record, gemp_hash(&element.id, sizeof element.id, 0));
	return found ? &all->records[found[KEY_WORDS]] : NULL;
}

static gemp_code add_record(gemp_cypher_records *all, gemp_cypher_record **out)
{
	if (all->count >= UINT32_MAX - 1)
		return gemp_fail(GEMP_ENOMEM, "a query changes more than 2^32 - 2 elements; split it into several");
	GEMP_TRY(GEMP_RESERVE(all->records, all->capacity, all->count + 1));
	*out = &all->records[all->count++];
	**out = (gemp_cypher_record){ 0 };
	return GEMP_OK;
}

gemp_code gemp_cypher_change_fail_deleted(gemp_datum element)
{
	const bool node = element.kind == GEMP_DATUM_NODE;
	return gemp_fail(GEMP_EUSAGE,
	                 "this query has deleted the %s, so its %s can be neither read nor set; read them before DELETE",
	                 node ? "node" : "relationship", node ? "labels and properties" : "properties");
}

/* The record of an element that is about to change. */
static gemp_code touch(gemp_cypher_change *change, gemp_datum element, gemp_cypher_record **out)
{
	gemp_cypher_records *all = records_of(change, element);
	uint32_t record[WORDS], *found;
	bool added;
	*out = gemp_cypher_is_ghost(element.id) ? NULL : gemp_cypher_change_find(change, element);
	if (gemp_cypher_is_ghost(element.id) || (*out && (*out)->deleted))
		return gemp_cypher_change_fail_deleted(element);
	if (*out)
		return GEMP_OK;
	memcpy(record, &element.id, sizeof element.id);
	record[KEY_WORDS] = (uint32_t)all->count;
	GEMP_TRY(gemp_record_table_add(&all->index, record, gemp_hash(&element.id, sizeof element.id, 0), &found, &added));
	if (!found)
		return gemp_fail(GEMP_ENOMEM, "a query changes more than 2^32 - 2 elements; split it into several");
	GEMP_TRY(add_record(all, out));
	(*out)->id = element.id;
	return GEMP_OK;
}

/* NAMES AND LABEL SETS */

gemp_code gemp_cypher_change_name(gemp_cypher_change *change, const char *name, uint32_t *number)
{
	return gemp_dictionary_add(&change->names, name, strlen(name), number);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static gemp_code check_label(const char *label)
{
	if (!*label)
		return gemp_fail(GEMP_EUSAGE, "a label has at least one character; name the label");
	if (!strchr(label, ';'))
		return GEMP_OK;
	return gemp_fail(GEMP_EUSAGE, "the label '%s' has a semicolon, which separates labels in graph files; take another",
	                 label);
}

/* names[count] are sorted here, and each name counts once. */
static gemp_code number_set(gemp_cypher_change *change, const char **names, size_t count, uint32_t *set)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	qsort(names, count, sizeof *names, compare_names);
	gemp_text_add(&text, "", 0);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || strcmp(names[i], names[i - 1]) != 0)
			gemp_text_print(&text, "%s%s", text.size ? ";" : "", names[i]);
	GEMP_TRY(gemp_text_status(&text));
	return gemp_dictionary_add(&change->sets, text.data, text.size, set);
}

gemp_code gemp_cypher_change_label_set(gemp_cypher_change *change, const gemp_cypher_label *labels, uint32_t *set)
{
	GEMP_OWNED const char **names = NULL;
	size_t count = 0;
	for (const gemp_cypher_label *label = labels; label; label = label->next) {
		GEMP_TRY(check_label(label->name.bytes));
		GEMP_TRY(GEMP_APPEND(names, count, &label->name.bytes));
	}
	if (!count)
		return gemp_dictionary_add(&change->sets, "", 0, set);
	return number_set(change, names, count, set);
}

/* Makes the list of a set whose text is "A;B". */
static gemp_code make_list(gemp_cypher_change *change, gemp_string text, gemp_datum *list)
{
	GEMP_OWNED gemp_datum *items = NULL;
	size_t count = 0;
	const char *at = text.bytes, *end = at + text.size;
	while (at < end) {
		const char *stop = memchr(at, ';', (size_t)(end - at));
		gemp_datum label;
		stop = stop ? stop : end;
		GEMP_TRY(gemp_datum_string(&label, &change->arena, at, (size_t)(stop - at)));
		GEMP_TRY(GEMP_APPEND(items, count, &label));
		at = stop + (stop < end);
	}
	return gemp_datum_list(list, &change->arena, items, count);
}

gemp_code gemp_cypher_change_set_list(gemp_cypher_change *change, uint32_t set, gemp_datum *list)
{
	GEMP_TRY(GEMP_RESERVE(change->lists, change->list_capacity, change->sets.list.count));
	for (; change->list_count < change->sets.list.count; change->list_count++)
		GEMP_TRY(make_list(change, gemp_bytes_at(&change->sets.list, change->list_count),
		                   &change->lists[change->list_count]));
	*list = change->lists[set];
	return GEMP_OK;
}

static bool lists(const gemp_cypher_label *labels, const char *name)
{
	for (; labels; labels = labels->next)
		if (strcmp(labels->name.bytes, name) == 0)
			return true;
	return false;
}

static bool is_within(gemp_datum list, const char *name)
{
	for (uint32_t i = 0; i < list.size; i++)
		if (strcmp(list.items[i].text, name) == 0)
			return true;
	return false;
}

gemp_code gemp_cypher_change_labels(gemp_cypher_change *change, gemp_datum node, const gemp_cypher_label *labels,
                                    bool adds)
{
	GEMP_OWNED const char **names = NULL;
	gemp_cypher_record *record = NULL;
	gemp_datum old;
	size_t count = 0, kept = 0, changed = 0;
	uint32_t set;
	GEMP_TRY(touch(change, node, &record));
	GEMP_TRY(change->graph.labels(change->graph.self, node.id, &change->arena, &old));
	for (const gemp_cypher_label *label = labels; label; label = label->next)
		count++;
	GEMP_TRY(GEMP_NEW(names, old.size + count));
	for (uint32_t i = 0; i < old.size; i++)
		if (adds || !lists(labels, old.items[i].text))
			names[kept++] = old.items[i].text;
	changed = old.size - kept;
	for (const gemp_cypher_label *label = labels; label && adds; label = label->next)
		if (!is_within(old, label->name.bytes) && !lists(label->next, label->name.bytes)) {
			GEMP_TRY(check_label(label->name.bytes));
			names[kept++] = label->name.bytes;
			changed++;
		}
	if (!changed)
		return GEMP_OK;
	*(adds ? &change->counts.labels_added : &change->counts.labels_removed) += changed;
	GEMP_TRY(number_set(change, names, kept, &set));
	record->name = set + 1;
	return GEMP_OK;
}

/* ELEMENTS */

/* The number of labels in a set, whose text is "A;B". */
static uint64_t labels_of(const gemp_cypher_change *change, uint32_t set)
{
	const gemp_string text = gemp_bytes_at(&change->sets.list, set);
	uint64_t count = text.size > 0;
	for (size_t i = 0; i < text.size; i++)
		count += text.bytes[i] == ';';
	return count;
}

gemp_code gemp_cypher_change_create_node(gemp_cypher_change *change, uint32_t set, gemp_datum *node)
{
	gemp_cypher_record *record = NULL;
	if (change->first_key < 1 || change->nodes.count > (uint64_t)(INT64_MAX - change->first_key))
		return gemp_fail(GEMP_EUSAGE,
		                 "no keys are left for new nodes above the largest key; give the vertices smaller keys");
	GEMP_TRY(add_record(&change->nodes, &record));
	record->id = GEMP_CY_CREATED | (change->nodes.count - 1);
	record->name = set + 1;
	change->counts.nodes_created++;
	change->counts.labels_added += labels_of(change, set);
	*node = (gemp_datum){ .kind = GEMP_DATUM_NODE, .id = record->id };
	return GEMP_OK;
}

/* An end must exist: it is no ghost, and no clause has deleted it. */
static gemp_code check_end(gemp_cypher_change *change, uint64_t id)
{
	const gemp_datum node = { .kind = GEMP_DATUM_NODE, .id = id };
	const gemp_cypher_record *record = gemp_cypher_is_ghost(id) ? NULL : gemp_cypher_change_find(change, node);
	if (!gemp_cypher_is_ghost(id) && !(record && record->deleted))
		return GEMP_OK;
	return gemp_fail(GEMP_EUSAGE, "this query has deleted an end of the new relationship");
}

gemp_code gemp_cypher_change_create_relationship(gemp_cypher_change *change, uint32_t type, uint64_t from, uint64_t to,
                                                 gemp_datum *relationship)
{
	gemp_cypher_record *record = NULL;
	GEMP_TRY(check_end(change, from));
	GEMP_TRY(check_end(change, to));
	GEMP_TRY(add_record(&change->relationships, &record));
	record->id = GEMP_CY_CREATED | (change->relationships.count - 1);
	record->name = type;
	record->from = from;
	record->to = to;
	change->counts.relationships_created++;
	*relationship = (gemp_datum){ .kind = GEMP_DATUM_RELATIONSHIP, .id = record->id };
	return GEMP_OK;
}

gemp_code gemp_cypher_change_delete(gemp_cypher_change *change, gemp_datum element, bool detaches)
{
	const bool node = element.kind == GEMP_DATUM_NODE;
	gemp_cypher_record *record = NULL;
	if (gemp_cypher_is_ghost(element.id))
		return GEMP_OK;
	record = gemp_cypher_change_find(change, element);
	if (record && record->deleted) {
		record->detached |= node && detaches;
		return GEMP_OK;
	}
	GEMP_TRY(touch(change, element, &record));
	record->deleted = true;
	record->detached = node && detaches;
	++*(node ? &change->counts.nodes_deleted : &change->counts.relationships_deleted);
	return GEMP_OK;
}

/* PROPERTIES */

/* A value that the property has already is no change. */
static gemp_code put(gemp_cypher_change *change, gemp_cypher_record *record, gemp_datum element, const char *name,
                     gemp_datum value)
{
	uint32_t number;
	gemp_datum copy, old;
	GEMP_TRY(change->graph.property(change->graph.self, element, name, &change->arena, &old));
	if (gemp_cypher_stored_alike(old, value))
		return GEMP_OK;
	GEMP_TRY(gemp_cypher_change_name(change, name, &number));
	GEMP_TRY(gemp_datum_copy(&copy, &change->arena, value));
	change->counts.properties_set++;
	for (uint32_t at = record->setting; at; at = change->settings[at - 1].next)
		if (change->settings[at - 1].name == number) {
			change->settings[at - 1].value = copy;
			return GEMP_OK;
		}
	if (gemp_datum_is_null(value) && gemp_cypher_is_created(record->id))
		return GEMP_OK;
	if (change->setting_count >= UINT32_MAX - 1)
		return gemp_fail(GEMP_ENOMEM, "a query sets more than 2^32 - 2 properties; split it into several");
	GEMP_TRY(GEMP_RESERVE(change->settings, change->setting_capacity, change->setting_count + 1));
	change->settings[change->setting_count++] = (gemp_cypher_setting){ .name = number,
		                                                               .next = record->setting,
		                                                               .value = copy };
	record->setting = (uint32_t)change->setting_count;
	return GEMP_OK;
}

gemp_code gemp_cypher_change_set(gemp_cypher_change *change, gemp_datum element, const char *name, gemp_datum value)
{
	gemp_cypher_record *record = NULL;
	GEMP_TRY(gemp_cypher_check_property(name, value));
	GEMP_TRY(touch(change, element, &record));
	return put(change, record, element, name, value);
}

/* The removed properties are those that the element has now and the map lacks. */
gemp_code gemp_cypher_change_set_all(gemp_cypher_change *change, gemp_datum element, gemp_datum map, bool replaces)
{
	GEMP_OWNED_BY(gemp_arena_free) gemp_arena scratch = { 0 };
	gemp_cypher_record *record = NULL;
	gemp_datum old = { 0 };
	for (uint32_t i = 0; i < map.size; i++)
		GEMP_TRY(gemp_cypher_check_property(map.entries[i].key, map.entries[i].value));
	GEMP_TRY(touch(change, element, &record));
	if (replaces)
		GEMP_TRY(change->graph.properties(change->graph.self, element, &scratch, &old));
	for (uint32_t i = 0; i < old.size; i++)
		if (!gemp_datum_find(map, old.entries[i].key))
			GEMP_TRY(put(change, record, element, old.entries[i].key, gemp_datum_null()));
	for (uint32_t i = 0; i < map.size; i++)
		GEMP_TRY(put(change, record, element, map.entries[i].key, map.entries[i].value));
	return GEMP_OK;
}
