#include "cypher/change/batch.h"
#include "cypher/change/value.h"

const char gemp_cypher_still_attached[] =
	"cannot delete a node that still has relationships; delete these, too, or write DETACH DELETE";

static const gemp_cypher_record *end_of(gemp_cypher_batch *b, uint64_t id)
{
	return gemp_cypher_change_find(b->change, (gemp_datum){ .kind = GEMP_DATUM_NODE, .id = id });
}

/* A created relationship ends with a node that DETACH DELETE has deleted. */
static gemp_code is_alive(gemp_cypher_batch *b, const gemp_cypher_record *record, uint8_t *alive)
{
	*alive = !record->deleted;
	if (!*alive || !gemp_cypher_is_created(record->id))
		return GEMP_OK;
	const gemp_cypher_record *from = end_of(b, record->from), *to = end_of(b, record->to);
	const bool from_ends = from && from->deleted, to_ends = to && to->deleted;
	if (!from_ends && !to_ends)
		return GEMP_OK;
	if (!(from_ends && from->detached) && !(to_ends && to->detached))
		return gemp_fail(GEMP_EUSAGE, "%s", gemp_cypher_still_attached);
	*alive = 0;
	b->dropped_edges++;
	return GEMP_OK;
}

/* The types of created relationships get groups in the order of their first use. */
static gemp_code find_group(gemp_cypher_batch *b, const gemp_cypher_record *record, uint32_t *group)
{
	size_t type = 0;
	if (!gemp_cypher_is_created(record->id)) {
		*group = (uint32_t)gemp_edge_relation(&b->owners, record->id);
		return GEMP_OK;
	}
	while (type < b->type_count && b->type_names[type] != record->name)
		type++;
	if (type == b->type_count)
		GEMP_TRY(GEMP_APPEND(b->type_names, b->type_count, &record->name));
	*group = (uint32_t)(b->graph->relation_count + type);
	return GEMP_OK;
}

static gemp_code number_nodes(gemp_cypher_batch *b)
{
	gemp_cypher_survey *s = &b->nodes;
	for (size_t i = 0; i < s->all->count; i++) {
		const gemp_cypher_record *record = &s->all->records[i];
		s->alive[i] = !record->deleted;
		if (s->alive[i] && gemp_cypher_is_created(record->id))
			s->number[i] = (uint32_t)b->new_nodes++;
	}
	s->groups = 1;
	return GEMP_OK;
}

static gemp_code number_relationships(gemp_cypher_batch *b)
{
	gemp_cypher_survey *s = &b->relationships;
	GEMP_OWNED uint32_t *counts = NULL;
	for (size_t i = 0; i < s->all->count; i++) {
		GEMP_TRY(is_alive(b, &s->all->records[i], &s->alive[i]));
		if (s->alive[i])
			GEMP_TRY(find_group(b, &s->all->records[i], &s->group[i]));
	}
	s->groups = b->graph->relation_count + b->type_count;
	GEMP_TRY(GEMP_NEW(counts, s->groups));
	for (size_t i = 0; i < s->all->count; i++)
		if (s->alive[i] && gemp_cypher_is_created(s->all->records[i].id))
			s->number[i] = counts[s->group[i]]++;
	return GEMP_OK;
}

/* Two passes over the settings: the first counts those of each cell, the second lists them. */
static gemp_code list_uses(const gemp_cypher_change *change, gemp_cypher_survey *s)
{
	const size_t cells = s->groups * s->names;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(s->begin, cells + 1), GEMP_ARRAY(s->types, cells)));
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < s->all->count; i++)
			for (uint32_t at = s->alive[i] ? s->all->records[i].setting : 0; at; at = change->settings[at - 1].next) {
				const gemp_cypher_setting *setting = &change->settings[at - 1];
				const size_t cell = s->group[i] * s->names + setting->name;
				if (pass)
					s->uses[--s->begin[cell]] = (gemp_cypher_use){ (uint32_t)i, at - 1 };
				else
					s->begin[cell]++;
				if (!gemp_datum_is_null(setting->value))
					s->types[cell] |= (uint8_t)(1u << gemp_cypher_column_type(setting->value));
			}
		for (size_t cell = 0; cell < cells && !pass; cell++)
			s->begin[cell + 1] += s->begin[cell];
		if (!pass)
			GEMP_TRY(GEMP_NEW(s->uses, s->begin[cells]));
	}
	return GEMP_OK;
}

static gemp_code survey_new(gemp_cypher_survey *s, const gemp_cypher_change *change, gemp_cypher_records *all)
{
	s->all = all;
	s->names = change->names.list.count;
	return gemp_new_all(GEMP_ARRAY(s->alive, all->count), GEMP_ARRAY(s->number, all->count),
	                    GEMP_ARRAY(s->group, all->count));
}

gemp_code gemp_cypher_batch_survey(gemp_cypher_batch *b)
{
	GEMP_TRY(survey_new(&b->nodes, b->change, &b->change->nodes));
	GEMP_TRY(survey_new(&b->relationships, b->change, &b->change->relationships));
	GEMP_TRY(number_nodes(b));
	GEMP_TRY(number_relationships(b));
	GEMP_TRY(list_uses(b->change, &b->nodes));
	return list_uses(b->change, &b->relationships);
}

static void survey_free(gemp_cypher_survey *s)
{
	gemp_free_all(s->alive, s->number, s->group, s->begin, s->types, s->uses);
	*s = (gemp_cypher_survey){ 0 };
}

void gemp_cypher_batch_free(gemp_cypher_batch *b)
{
	survey_free(&b->nodes);
	survey_free(&b->relationships);
	gemp_edge_owners_free(&b->owners);
	for (size_t i = 0; b->types && i < b->patch.added_edge_count; i++)
		gemp_free(b->types[i]);
	gemp_patch_free(&b->patch);
	gemp_free_all(b->type_names, b->deleted, b->entries, b->types);
	*b = (gemp_cypher_batch){ 0 };
}
