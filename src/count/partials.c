#include "count/partials.h"

#include "core/memory.h"
#include "kernels/abi.h"

gemp_code gemp_partials_new(gemp_partials *out, gemp_device *device, size_t capacity)
{
	gemp_code code = GEMP_OK;
	static const uint32_t zero[GEMP_COUNT_CONTROL_WORDS];
	*out = (gemp_partials){ .capacity = capacity, .checked = true };
	GEMP_TRY(GEMP_NEW(out->words, 2 * capacity));
	GEMP_TRY(gemp_buffer_new(&out->out, device, 2 * capacity * sizeof *out->words, NULL));
	GEMP_TRY(gemp_buffer_new(&out->control, device, sizeof zero, zero));
done:
	if (code != GEMP_OK)
		gemp_partials_free(out, device);
	return code;
}

void gemp_partials_free(gemp_partials *partials, gemp_device *device)
{
	gemp_buffer_free(&partials->control, device);
	gemp_buffer_free(&partials->out, device);
	gemp_free(partials->words);
	*partials = (gemp_partials){ 0 };
}

/* Did a kernel say that a value may have passed? */
static gemp_code check(const gemp_partials *partials, gemp_device *device)
{
	gemp_code code = GEMP_OK;
	uint32_t passed = 0;
	size_t at = GEMP_COUNT_PASSED * sizeof passed;
	GEMP_TRY(gemp_buffer_read(device, &partials->control, at, sizeof passed, &passed));
	if (!passed)
		return GEMP_OK;
	GEMP_TRY(gemp_buffer_zero(device, &partials->control, at, sizeof passed));
	code = gemp_fail(GEMP_EDATA, "what is counted here passes what sums of 64 bits hold; --count-by enumerate does not "
	                 "sum, and remains");
done:
	return code;
}

gemp_code gemp_partials_read(gemp_partials *partials, gemp_device *device, size_t groups)
{
	gemp_code code = GEMP_OK;
	GEMP_CHECK(groups <= partials->capacity);
	GEMP_TRY(gemp_buffer_read(device, &partials->out, 0, 2 * groups * sizeof *partials->words, partials->words));
	if (partials->checked)
		GEMP_TRY(check(partials, device));
done:
	return code;
}

__int128 gemp_partials_total(const gemp_partials *partials, size_t first, size_t groups)
{
	__int128 low = 0, high = 0;
	GEMP_CHECK(first + groups <= partials->capacity);
	for (size_t g = first; g < first + groups; g++) {
		low += partials->words[2 * g];
		high += partials->words[2 * g + 1];
	}
	return low + high * ((__int128)1 << 32);
}
