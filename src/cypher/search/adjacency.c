#include "cypher/search/adjacency.h"

#include "core/memory.h"
#include "core/random.h"
#include "cypher/search/grouping.h"

#include <stdlib.h>

enum { RECORD_WORDS = 2 };

void gemp_cypher_adjacency_free(gemp_cypher_adjacency *a)
{
	gemp_record_table_free(&a->table);
	gemp_free_all(a->begin, a->neighbours);
	*a = (gemp_cypher_adjacency){ 0 };
}

static uint64_t hash_of(gemp_vertex vertex)
{
	return gemp_hash(&vertex, sizeof vertex, 0);
}

gemp_code gemp_cypher_adjacency_want(gemp_cypher_adjacency *a, gemp_vertex vertex)
{
	uint32_t record[RECORD_WORDS] = { vertex, (uint32_t)a->table.count }, *found;
	bool added;
	if (!a->table.words)
		gemp_record_table_init(&a->table, RECORD_WORDS, 1, SIZE_MAX / 2);
	GEMP_TRY(gemp_record_table_add(&a->table, record, hash_of(vertex), &found, &added));
	return found ? GEMP_OK : gemp_fail(GEMP_ENOMEM, "a path of variable length visits more than 2^32 - 1 nodes");
}

static size_t number_of(const gemp_cypher_adjacency *a, gemp_vertex vertex)
{
	const uint32_t *found = gemp_record_table_find(&a->table, &vertex, hash_of(vertex));
	GEMP_CHECK(found);
	return found[1];
}

/* For qsort. The order does not depend on the number of ranks. */
static int by_edge(const void *a, const void *b)
{
	const gemp_cypher_neighbour *x = a, *y = b;
	return (x->edge > y->edge) - (x->edge < y->edge);
}

/* Appends the lists of the vertices that were missing, in the order of their numbers. */
static gemp_code append(gemp_cypher_adjacency *a, const gemp_cypher_found *found)
{
	GEMP_OWNED_BY(gemp_cypher_groups_free) gemp_cypher_groups groups = { 0 };
	GEMP_OWNED size_t *group = NULL;
	const size_t missing = a->table.count - a->fetched, old = a->begin[a->fetched];
	GEMP_TRY(GEMP_NEW(group, found->rows));
	for (size_t i = 0; i < found->rows; i++)
		group[i] = number_of(a, found->vertices[i * found->vertex_count]) - a->fetched;
	GEMP_TRY(gemp_cypher_groups_new(&groups, group, found->rows, missing));
	GEMP_TRY(GEMP_RESERVE(a->neighbours, a->capacity, old + found->rows));
	for (size_t t = 0; t < missing; t++) {
		for (size_t i = groups.begin[t]; i < groups.begin[t + 1]; i++) {
			const size_t row = groups.members[i];
			a->neighbours[old + i] = (gemp_cypher_neighbour){ found->edges[row],
				                                              found->vertices[row * found->vertex_count + 1] };
		}
		if (groups.begin[t + 1] - groups.begin[t] > 1)
			qsort(a->neighbours + old + groups.begin[t], groups.begin[t + 1] - groups.begin[t], sizeof *a->neighbours,
			      by_edge);
		a->begin[a->fetched + t + 1] = old + groups.begin[t + 1];
	}
	a->fetched += missing;
	return GEMP_OK;
}

/* A step without a pattern has no relationship in this graph. */
gemp_code gemp_cypher_adjacency_fetch(gemp_cypher_adjacency *a, gemp_cypher_session *session, size_t plan, size_t step,
                                      bool exists)
{
	GEMP_OWNED_BY(gemp_cypher_found_free) gemp_cypher_found found = { 0 };
	GEMP_OWNED gemp_vertex *missing = NULL;
	const size_t count = a->table.count - a->fetched;
	const bool first = !a->begin;
	if (!count)
		return GEMP_OK;
	GEMP_TRY(GEMP_RESERVE(a->begin, a->range_capacity, a->table.count + 1));
	if (first)
		a->begin[0] = 0;
	GEMP_TRY(GEMP_NEW(missing, count));
	for (size_t i = 0; i < count; i++)
		missing[i] = *gemp_record_table_record(&a->table, a->fetched + i);
	if (exists)
		GEMP_TRY(gemp_cypher_command_search(session, plan, step, missing, count, &found));
	return append(a, &found);
}

const gemp_cypher_neighbour *gemp_cypher_adjacency_of(const gemp_cypher_adjacency *a, gemp_vertex vertex, size_t *count)
{
	const size_t number = number_of(a, vertex);
	*count = a->begin[number + 1] - a->begin[number];
	return a->neighbours + a->begin[number];
}
