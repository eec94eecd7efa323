/* group_states: groups with the states of their aggregates, as arrays: the unit in which threads, ranks and runs on
 * disk make, exchange and merge groups.
 *
 * The key of a group is `words` 64-bit words: the codes of its key columns (rows/codes.h), two in a word. The table of
 * keys numbers the groups, and the number indexes the arrays of each aggregate (clause/aggregate.h). A device that
 * groups rows itself delivers such a table: its keys, its arrays, and the codes of its cells. Local; a table belongs to
 * one thread at a time, and the codes may be shared. */

#ifndef GEMP_QUERY_CLAUSE_GROUP_STATES_H
#define GEMP_QUERY_CLAUSE_GROUP_STATES_H

#include "query/clause/aggregate.h"

/* What all tables of a stage have in common. */
typedef struct gemp_group_form {
	size_t key_count, words;
	gemp_frame_column *keys; /* [key_count] kind and type of each key */
	size_t aggregate_count;
	gemp_aggregate *aggregates; /* [aggregate_count] without states */
	int *arguments;             /* [aggregate_count] columns of the input; negative: none */
	gemp_codes *codes;
} gemp_group_form;

typedef struct gemp_group_states {
	gemp_code_table keys;
	gemp_aggregate *aggregates; /* [aggregate_count] */
} gemp_group_states;

gemp_code gemp_group_states_init(gemp_group_states *table, const gemp_group_form *form);
void gemp_group_states_free(gemp_group_states *table, const gemp_group_form *form);
/* Removes all groups and frees their memory. The table can be used again. */
void gemp_group_states_clear(gemp_group_states *table, const gemp_group_form *form);
size_t gemp_group_states_memory(const gemp_group_states *table, const gemp_group_form *form); /* in bytes */

/* A block of a frame's rows, from row `first` on, with the codes of their keys and arguments. */
typedef struct gemp_coded_rows {
	const gemp_frame *frame;
	size_t first;
	uint64_t *keys;   /* [rows * words] */
	uint32_t **codes; /* [aggregate_count] codes of an argument, [rows]; NULL if the aggregate needs none */
} gemp_coded_rows;

/* Adds rows of the block to their groups: rows[0..count), relative to the block, or, if rows is NULL, `count` rows from
 * row `begin` on. */
gemp_code gemp_group_states_add(gemp_group_states *table, const gemp_group_form *form, const gemp_coded_rows *block,
                                const uint32_t *rows, size_t begin, size_t count);
/* Merges the groups source[0..count) of another table into the groups with equal keys. */
gemp_code gemp_group_states_merge(gemp_group_states *table, const gemp_group_form *form, const gemp_group_states *from,
                                  const uint32_t *source, size_t count);

/* A hash of the content of a key, which is the same on all ranks. */
uint64_t gemp_group_hash(const gemp_group_form *form, const uint64_t *key);
/* The bytes of a group's key as gemp_group_states_pack writes them. */
void gemp_group_states_pack_key(const gemp_group_form *form, const uint64_t *key, gemp_text *out);

static inline uint32_t gemp_group_states_code(const uint64_t *key, size_t column)
{
	return (uint32_t)(column % 2 ? key[column / 2] >> 32 : key[column / 2]);
}

/* gemp_group_states_pack appends the content of a group as bytes: first its key, then its states. The key is unpacked
 * to key[form->words]. gemp_group_states_unpack merges the states into the group with a key. Both move *at behind what
 * they have read. */
gemp_code gemp_group_states_pack(const gemp_group_states *table, const gemp_group_form *form, size_t group,
                                 gemp_text *out);
gemp_code gemp_group_states_unpack_key(const gemp_group_form *form, const char **at, uint64_t *key);
gemp_code gemp_group_states_unpack(gemp_group_states *table, const gemp_group_form *form, const uint64_t *key,
                                   const char **at);

#endif
