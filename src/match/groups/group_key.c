#include "match/groups/group_key.h"

#include <string.h>

/* The largest number is base^count - 1, and the word of a record is 1 more. */
bool gemp_group_key_new(gemp_group_key *out, size_t vertices, uint64_t keys, uint64_t base)
{
	uint64_t numbers = 1;
	*out = (gemp_group_key){ .vertices = vertices, .base = base };
	for (size_t v = 0; v < vertices; v++) {
		if (!(keys >> v & 1))
			continue;
		if (__builtin_mul_overflow(numbers, base, &numbers))
			return false;
		out->vertex[out->count++] = (int)v;
	}
	return true;
}

uint64_t gemp_group_key_pack(const gemp_group_key *key, const gemp_vertex *row)
{
	uint64_t number = 0;
	for (size_t i = 0; i < key->count; i++)
		number = number * key->base + row[key->vertex[i]];
	return number + 1;
}

void gemp_group_key_unpack(const gemp_group_key *key, uint64_t word, gemp_vertex *row)
{
	uint64_t number = word - 1;
	memset(row, 0, key->vertices * sizeof *row);
	for (size_t i = key->count; i-- > 0; number /= key->base)
		row[key->vertex[i]] = (gemp_vertex)(number % key->base);
}

/* Horner's rule. */
void gemp_group_key_print(const gemp_group_key *key, gemp_text *out)
{
	gemp_text_print(out, "#define KEY(v) (");
	for (size_t i = 1; i < key->count; i++)
		gemp_text_print(out, "(");
	gemp_text_print(out, "(ulong)(v)[%d]", key->vertex[0]);
	for (size_t i = 1; i < key->count; i++)
		gemp_text_print(out, " * %lluul + (v)[%d])", (unsigned long long)key->base, key->vertex[i]);
	gemp_text_print(out, ")\n");
}
