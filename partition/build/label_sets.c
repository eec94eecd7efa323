/* Sets of labels. The texts "A;B" of all ranks are united first, so every rank parses the same few texts and
 * numbers names and sets alike without a further exchange. Sets are compared as ascending numbers of names; equal sets
 * in different spellings become one.
 */

#include "partition/build/label_sets.h"

#include "core/memory.h"
#include "core/search.h"

#include <stdlib.h>
#include <string.h>

/* The names between the semicolons of "A;B". */
static gemp_code split(gemp_string text, gemp_bytes *names)
{
	const char *end = text.bytes + text.size, *stop;
	for (const char *at = text.bytes; at < end; at = stop + 1) {
		stop = memchr(at, ';', (size_t)(end - at));
		stop = stop ? stop : end;
		if (stop > at)
			GEMP_TRY(gemp_bytes_add(names, at, (size_t)(stop - at)));
	}
	return GEMP_OK;
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	return (left > right) - (left < right);
}

/* Lexicographic, a prefix before what it begins: the order in which a graph lists its label sets. */
static int compare_sets(const void *a, const void *b)
{
	const gemp_label_set *left = a, *right = b;
	for (size_t i = 0; i < left->count && i < right->count; i++)
		if (left->labels[i] != right->labels[i])
			return left->labels[i] < right->labels[i] ? -1 : 1;
	return (left->count > right->count) - (left->count < right->count);
}

/* The labels of "A;B" as ascending numbers, each once. */
static gemp_code parse_set(gemp_string text, const gemp_bytes *names, gemp_label_set *set)
{
	GEMP_OWNED_BY(gemp_bytes_free) gemp_bytes parts = { 0 };
	GEMP_TRY(split(text, &parts));
	GEMP_TRY(GEMP_NEW(set->labels, parts.count));
	for (size_t i = 0; i < parts.count; i++)
		set->labels[i] = (uint32_t)gemp_bytes_find(names, gemp_bytes_at(&parts, i));
	if (parts.count)
		qsort(set->labels, parts.count, sizeof *set->labels, compare_numbers);
	for (size_t i = 0; i < parts.count; i++)
		if (i == 0 || set->labels[i] != set->labels[set->count - 1])
			set->labels[set->count++] = set->labels[i];
	return GEMP_OK;
}

/* Collective. The label names of all ranks in bytewise order become those of the graph. */
static gemp_code name_labels(const gemp_comm *comm, const gemp_bytes *texts, gemp_bytes *names, gemp_shard *graph)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(gemp_bytes_free) gemp_bytes parts = { 0 };
	for (size_t i = 0; i < texts->count && code == GEMP_OK; i++)
		code = split(gemp_bytes_at(texts, i), &parts);
	GEMP_TRY(gemp_bytes_union(comm, code, &parts, names));
	code = GEMP_NEW(graph->labels, names->count);
	for (; code == GEMP_OK && graph->label_count < names->count; graph->label_count++) {
		graph->labels[graph->label_count] = gemp_bytes_copy(names, graph->label_count);
		code = graph->labels[graph->label_count] ? GEMP_OK : GEMP_ENOMEM;
	}
	return gemp_comm_agree(comm, code);
}

/* Local. The sets of all texts become those of the graph, sorted and each once. A set that is there already is
 * freed. */
static gemp_code make_sets(const gemp_bytes *texts, const gemp_bytes *names, gemp_shard *graph)
{
	GEMP_TRY(GEMP_NEW(graph->label_sets, texts->count));
	for (; graph->label_set_count < texts->count; graph->label_set_count++)
		GEMP_TRY(
			parse_set(gemp_bytes_at(texts, graph->label_set_count), names, &graph->label_sets[graph->label_set_count]));
	gemp_label_set *sets = graph->label_sets;
	qsort(sets, texts->count, sizeof *sets, compare_sets);
	size_t kept = 0;
	for (size_t i = 0; i < texts->count; i++)
		if (kept && compare_sets(&sets[kept - 1], &sets[i]) == 0)
			gemp_free(sets[i].labels);
		else
			sets[kept++] = sets[i];
	graph->label_set_count = kept;
	return GEMP_OK;
}

/* Local. The sets are sorted, and the set of each of this rank's texts is among them. */
static gemp_code find_sets(const gemp_bytes *mine, const gemp_bytes *names, const gemp_shard *graph, uint32_t *set_of)
{
	for (size_t i = 0; i < mine->count; i++) {
		gemp_label_set own = { 0 };
		size_t after = 0;
		gemp_code code = parse_set(gemp_bytes_at(mine, i), names, &own);
		if (code == GEMP_OK)
			GEMP_PARTITION_POINT(after, 1, graph->label_set_count, compare_sets(&own, &graph->label_sets[after]) >= 0);
		gemp_free(own.labels);
		GEMP_TRY(code);
		set_of[i] = (uint32_t)(after - 1);
	}
	return GEMP_OK;
}

/* Two unions: of the texts, which are few, and then of the names in them. */
gemp_code gemp_builder_label_sets(const gemp_comm *comm, const gemp_bytes *mine, gemp_shard *graph, uint32_t *set_of)
{
	GEMP_OWNED_BY(gemp_bytes_free) gemp_bytes texts = { 0 }, names = { 0 };
	GEMP_TRY(gemp_bytes_union(comm, GEMP_OK, mine, &texts));
	GEMP_TRY(name_labels(comm, &texts, &names, graph));
	gemp_code code = make_sets(&texts, &names, graph);
	GEMP_THEN(find_sets(mine, &names, graph, set_of));
	return gemp_comm_agree(comm, code);
}

/* Vertices refer to texts until here, and to sets from here on. */
gemp_code gemp_builder_labels(gemp_builder *builder, gemp_shard *graph)
{
	GEMP_OWNED uint64_t *counts = NULL;
	GEMP_OWNED uint32_t *set_of = NULL;
	GEMP_TRY(gemp_comm_agree(builder->comm, gemp_new_all(GEMP_ARRAY(set_of, builder->labels.list.count),
	                                                     GEMP_ARRAY(graph->label_set_of, graph->rows))));
	GEMP_TRY(gemp_builder_label_sets(builder->comm, &builder->labels.list, graph, set_of));
	GEMP_TRY(gemp_comm_agree(builder->comm, GEMP_NEW(counts, graph->label_set_count)));
	for (size_t v = 0; v < graph->rows; v++) {
		graph->label_set_of[v] = set_of[builder->vertices.records[v].labels];
		counts[graph->label_set_of[v]]++;
	}
	gemp_comm_sum(builder->comm, counts, (int)graph->label_set_count);
	for (size_t s = 0; s < graph->label_set_count; s++)
		graph->label_sets[s].vertex_count = counts[s];
	gemp_free(builder->vertices.records); /* of the vertices only keys are asked for from here on */
	builder->vertices.records = NULL;
	builder->vertices.capacity = 0;
	return GEMP_OK;
}
