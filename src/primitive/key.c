#include "primitive/key.h"

const char *const gemp_key_name[GEMP_KEY_KINDS] = { "u32", "u64", "i32", "i64", "f32", "f64" };

gemp_key_map gemp_key_map_of(gemp_key_kind kind, bool descending)
{
	gemp_key_map map = { .size = gemp_key_size(kind) };
	uint64_t all = map.size == 4 ? UINT32_MAX : UINT64_MAX, sign = all ^ all >> 1;
	if (kind != GEMP_KEY_U32 && kind != GEMP_KEY_U64)
		map.flip = sign;
	if (kind == GEMP_KEY_F32 || kind == GEMP_KEY_F64)
		map.spread = all ^ sign;
	if (descending)
		map.flip ^= all;
	return map;
}
