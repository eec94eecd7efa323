#include "match/groups/group_key.h"

#include <string.h>

gemp_group_key gemp_group_key_new(size_t vertices, uint64_t keys, uint64_t base)
{
	gemp_group_key key = { .vertices = vertices };
	for (size_t v = 0; v < vertices; v++)
		if (keys >> v & 1)
			key.digits[key.count++] = (gemp_group_digit){ .vertex = (int)v, .base = base };
	return key;
}

/* The largest number is the product of the bases - 1, and the word of a record is 1 more. */
bool gemp_group_key_fits(const gemp_group_key *key)
{
	uint64_t numbers = 1;
	for (size_t i = 0; i < key->count; i++)
		if (__builtin_mul_overflow(numbers, key->digits[i].base, &numbers))
			return false;
	return true;
}

void gemp_group_key_classify(gemp_group_key *key, int vertex, const gemp_value_classes *classes)
{
	for (size_t i = 0; i < key->count; i++)
		if (key->digits[i].vertex == vertex)
			key->digits[i] = (gemp_group_digit){ vertex, classes->count, classes };
}

uint64_t gemp_group_key_pack(const gemp_group_key *key, const gemp_vertex *row)
{
	uint64_t number = 0;
	for (size_t i = 0; i < key->count; i++) {
		const gemp_group_digit *digit = &key->digits[i];
		const gemp_vertex vertex = row[digit->vertex];
		number = number * digit->base + (digit->classes ? digit->classes->of[vertex] : vertex);
	}
	return number + 1;
}

void gemp_group_key_unpack(const gemp_group_key *key, uint64_t word, gemp_vertex *row)
{
	uint64_t number = word - 1;
	memset(row, 0, key->vertices * sizeof *row);
	for (size_t i = key->count; i-- > 0;) {
		const gemp_group_digit *digit = &key->digits[i];
		const uint64_t value = number % digit->base;
		row[digit->vertex] = digit->classes ? digit->classes->first[value] : (gemp_vertex)value;
		number /= digit->base;
	}
}

static void print_digit(const gemp_group_digit *digit, gemp_text *out)
{
	gemp_text_print(out, digit->classes ? "class_%d[(v)[%d]]" : "(v)[%d]", digit->vertex, digit->vertex);
}

/* Horner's rule. */
void gemp_group_key_print(const gemp_group_key *key, gemp_text *out)
{
	gemp_text_print(out, "#define KEY_PARAMETERS");
	for (size_t i = 0; i < key->count; i++)
		if (key->digits[i].classes)
			gemp_text_print(out, " __global const uint *class_%d,", key->digits[i].vertex);
	gemp_text_print(out, "\n#define KEY(v) (");
	for (size_t i = 1; i < key->count; i++)
		gemp_text_print(out, "(");
	gemp_text_print(out, "(ulong)");
	print_digit(&key->digits[0], out);
	for (size_t i = 1; i < key->count; i++) {
		gemp_text_print(out, " * %lluul + ", (unsigned long long)key->digits[i].base);
		print_digit(&key->digits[i], out);
		gemp_text_print(out, ")");
	}
	gemp_text_print(out, ")\n");
}
