#include "primitive/split.h"

#include "primitive/pass.h"

gemp_code gemp_split_host(const gemp_split *split, const void *keys, const void *values, size_t count, void *out_keys,
                          void *out_values, uint64_t *begin)
{
	gemp_pass pass = { .map = gemp_key_map_of(split->key, split->descending), .least = split->least, .shift = split->shift,
		.bits = split->bits, .value_size = split->value_size, .keys = (void *)(uintptr_t)keys, .values = (void *)(uintptr_t)values, .out_keys = out_keys,
		.out_values = out_values };
	gemp_code code = gemp_pass_new(&pass, split->bits, count);
	if (code == GEMP_OK) {
		gemp_pass_count(&pass, begin);
		gemp_pass_move(&pass);
	}
	gemp_pass_free(&pass);
	return code;
}
