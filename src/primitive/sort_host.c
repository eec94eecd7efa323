#include "primitive/sort.h"

#include "core/memory.h"
#include "primitive/extent.h"
#include "primitive/pass.h"

#include <string.h>

enum { FEW = 1 << 16, DIGIT_OF_FEW = 8, DIGIT = 11 };

/* Which bits of the codes the next pass is about; false: none are left. Bits in which no keys differ are passed over, and the
 * others shared out evenly to as few passes as can be. */
static bool next_digit(gemp_pass *pass, uint64_t *differing)
{
	if (!*differing)
		return false;
	unsigned most = pass->count < FEW ? DIGIT_OF_FEW : DIGIT, top = 63 - (unsigned)__builtin_clzll(*differing);
	pass->shift = (unsigned)__builtin_ctzll(*differing);
	unsigned left = top - pass->shift + 1, passes = (left + most - 1) / most;
	pass->bits = (left + passes - 1) / passes;
	unsigned next = pass->shift + pass->bits;
	*differing = next < 64 ? *differing >> next << next : 0;
	return true;
}

static void swap(void **a, void **b)
{
	void *old = *a;
	*a = *b;
	*b = old;
}

static gemp_code sort_by(const gemp_sort *sort, void *keys, void *values, gemp_pass *pass, uint64_t differing)
{
	gemp_code code = GEMP_OK;
	void *more_keys = NULL, *more_values = NULL;
	code = GEMP_ENOMEM;
	more_keys = gemp_calloc(pass->count, pass->map.size);
	more_values = gemp_calloc(sort->value_size ? pass->count : 0, sort->value_size ? sort->value_size : 1);
	if (!more_keys || !more_values)
		goto done;
	GEMP_TRY(gemp_pass_new(pass, DIGIT, pass->count));
	pass->keys = keys;
	pass->values = values;
	pass->out_keys = more_keys;
	pass->out_values = more_values;
	while (next_digit(pass, &differing)) {
		gemp_pass_count(pass, NULL);
		gemp_pass_move(pass);
		swap(&pass->keys, &pass->out_keys);
		swap(&pass->values, &pass->out_values);
	}
	if (pass->keys != keys) {
		memcpy(keys, pass->keys, pass->count * pass->map.size);
		if (sort->value_size)
			memcpy(values, pass->values, pass->count * sort->value_size);
	}
done:
	gemp_pass_free(pass);
	gemp_free(more_keys);
	gemp_free(more_values);
	return code;
}

gemp_code gemp_sort_host(const gemp_sort *sort, void *keys, void *values, size_t count)
{
	gemp_pass pass = { .map = gemp_key_map_of(sort->key, sort->descending), .value_size = sort->value_size, .count = count };
	gemp_extent extent = gemp_extent_host(keys, count, pass.map);
	return extent.sorted ? GEMP_OK : sort_by(sort, keys, values, &pass, extent.differing);
}
