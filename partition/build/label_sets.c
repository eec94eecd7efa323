/* Sets of labels. The texts "A;B" of all ranks are united first, so that every rank parses the same few texts and
 * numbers names and sets alike without a further exchange. Sets are compared as ascending numbers of names; equal sets
 * in different spellings become one.
 */

#include "partition/build/label_sets.h"

#include "core/memory.h"
#include "core/search.h"

#include <stdlib.h>
#include <string.h>

/* A label set as ascending numbers of label names. */
typedef struct parsed_set {
	size_t count;
	uint32_t *labels;
} parsed_set;

/* The names between the semicolons of "A;B". */
static gemp_code split(const char *text, size_t size, gemp_bytes *names)
{
	gemp_code code = GEMP_OK;
	for (const char *end = text + size; text < end && code == GEMP_OK; text++) {
		const char *stop = memchr(text, ';', (size_t)(end - text));
		if (!stop)
			stop = end;
		if (stop > text)
			code = gemp_bytes_add(names, text, (size_t)(stop - text));
		text = stop;
	}
	return code;
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	return (left > right) - (left < right);
}

/* Lexicographic, a prefix before what it begins: the order in which a graph lists its label sets. */
static int compare_sets(const void *a, const void *b)
{
	const parsed_set *left = a, *right = b;
	for (size_t i = 0; i < left->count && i < right->count; i++)
		if (left->labels[i] != right->labels[i])
			return left->labels[i] < right->labels[i] ? -1 : 1;
	return (left->count > right->count) - (left->count < right->count);
}

/* The labels of "A;B" as ascending numbers, each once. */
static gemp_code parse_set(const char *text, size_t size, const gemp_bytes *names, parsed_set *set)
{
	GEMP_OWNED_BY(gemp_bytes_free) gemp_bytes parts = { 0 };
	GEMP_TRY(split(text, size, &parts));
	GEMP_TRY(GEMP_NEW(set->labels, parts.count));
	for (size_t i = 0; i < parts.count; i++) {
		size_t length;
		const char *name = gemp_bytes_at(&parts, i, &length);
		set->labels[i] = (uint32_t)gemp_bytes_find(names, name, length);
	}
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
	for (size_t i = 0; i < texts->count && code == GEMP_OK; i++) {
		size_t size;
		const char *text = gemp_bytes_at(texts, i, &size);
		code = split(text, size, &parts);
	}
	GEMP_TRY(gemp_bytes_union(comm, code, &parts, names));
	code = GEMP_NEW(graph->labels, names->count);
	for (; code == GEMP_OK && graph->label_count < names->count; graph->label_count++) {
		graph->labels[graph->label_count] = gemp_bytes_copy(names, graph->label_count);
		code = graph->labels[graph->label_count] ? GEMP_OK : GEMP_ENOMEM;
	}
	return gemp_comm_agree(comm, code);
}

/* Gives the graph its distinct sets. sets: sorted, taken over. */
static gemp_code keep_sets(parsed_set *sets, size_t count, gemp_shard *graph)
{
	GEMP_TRY(GEMP_NEW(graph->label_sets, count));
	for (size_t i = 0; i < count; i++)
		if (i == 0 || compare_sets(&sets[i - 1], &sets[i]) != 0) {
			gemp_label_set *set = &graph->label_sets[graph->label_set_count];
			GEMP_TRY(GEMP_NEW(set->labels, sets[i].count));
			set->count = sets[i].count;
			if (set->count)
				memcpy(set->labels, sets[i].labels, set->count * sizeof *set->labels);
			graph->label_set_count++;
		}
	return GEMP_OK;
}

/* The sets are sorted, and the wanted one is among them. */
static uint32_t find_set(const gemp_shard *graph, const parsed_set *set)
{
	const gemp_label_set *sets = graph->label_sets;
	size_t after;
	GEMP_PARTITION_POINT(after, 1, graph->label_set_count,
	                     compare_sets(set, &(parsed_set){ sets[after].count, sets[after].labels }) >= 0);
	return (uint32_t)(after - 1);
}

/* Local. Sets of all ranks' texts, and the set of each of this rank's texts. */
static gemp_code number_sets(const gemp_bytes *mine, const gemp_bytes *texts, const gemp_bytes *names,
                             gemp_shard *graph, uint32_t *set_of)
{
	gemp_code code = GEMP_OK;
	parsed_set *sets = NULL, own = { 0 };
	GEMP_TRY_DONE(GEMP_NEW(sets, texts->count));
	for (size_t i = 0; i < texts->count; i++) {
		size_t size;
		const char *text = gemp_bytes_at(texts, i, &size);
		GEMP_TRY_DONE(parse_set(text, size, names, &sets[i]));
	}
	qsort(sets, texts->count, sizeof *sets, compare_sets);
	GEMP_TRY_DONE(keep_sets(sets, texts->count, graph));
	for (size_t i = 0; i < mine->count; i++) {
		size_t size;
		const char *text = gemp_bytes_at(mine, i, &size);
		GEMP_TRY_DONE(parse_set(text, size, names, &own));
		set_of[i] = find_set(graph, &own);
		gemp_free(own.labels);
		own = (parsed_set){ 0 };
	}
done:
	for (size_t i = 0; sets && i < texts->count; i++)
		gemp_free(sets[i].labels);
	gemp_free_all(sets, own.labels);
	return code;
}

/* Two unions: of the texts, which are few, and then of the names in them. */
gemp_code gemp_builder_label_sets(const gemp_comm *comm, const gemp_bytes *mine, gemp_shard *graph, uint32_t *set_of)
{
	GEMP_OWNED_BY(gemp_bytes_free) gemp_bytes texts = { 0 }, names = { 0 };
	GEMP_TRY(gemp_bytes_union(comm, GEMP_OK, mine, &texts));
	GEMP_TRY(name_labels(comm, &texts, &names, graph));
	return gemp_comm_agree(comm, number_sets(mine, &texts, &names, graph, set_of));
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
