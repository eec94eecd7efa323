#include "euler/ranks_forest.h"

#include "core/memory.h"
#include "euler/ranks_subset.h"

enum { FIELDS = 3 };

/* What is redundant is dropped. */
static gemp_code reduce(gemp_euler_joint *joints, size_t *count, uint64_t bound)
{
	gemp_code code = GEMP_OK;
	gemp_euler_subset circuits = { 0 };
	uint64_t *parent = NULL;
	size_t kept = 0;
	GEMP_TRY(gemp_euler_subset_new(&circuits, bound));
	for (size_t i = 0; i < *count; i++) {
		gemp_euler_subset_add(&circuits, joints[i].a);
		gemp_euler_subset_add(&circuits, joints[i].b);
	}
	gemp_euler_subset_seal(&circuits);
	GEMP_TRY(GEMP_NEW(parent, circuits.count));
	for (size_t i = 0; i < circuits.count; i++)
		parent[i] = i;
	for (size_t i = 0; i < *count; i++)
		if (gemp_unite(parent, gemp_euler_subset_index(&circuits, joints[i].a),
		               gemp_euler_subset_index(&circuits, joints[i].b), true))
			joints[kept++] = joints[i];
	*count = kept;
done:
	gemp_euler_subset_free(&circuits);
	gemp_free(parent);
	return code;
}

typedef struct merging {
	gemp_euler_team *team;
	size_t *sizes;   /* [2 * teams] bytes sent and received */
	char *packed;
	void *received;
	size_t received_capacity;
} merging;

static gemp_code pack(merging *m, const gemp_euler_joint *forest, size_t count)
{
	bool wide = m->team->wide;
	size_t size = FIELDS * gemp_number_size(wide);
	m->packed = gemp_calloc(count, size);
	if (!m->packed)
		return GEMP_ENOMEM;
	for (size_t i = 0; i < count; i++) {
		gemp_number_put(m->packed + i * size, 0, forest[i].a, wide);
		gemp_number_put(m->packed + i * size, 1, forest[i].b, wide);
		gemp_number_put(m->packed + i * size, 2, forest[i].slot, wide);
	}
	return GEMP_OK;
}

static gemp_code add_received(merging *m, gemp_euler_joint **forest, size_t *count, size_t bytes)
{
	bool wide = m->team->wide;
	size_t size = FIELDS * gemp_number_size(wide), more = bytes / size;
	gemp_euler_joint *larger = gemp_realloc(*forest, *count + more, sizeof *larger);
	if (!larger)
		return GEMP_ENOMEM;
	*forest = larger;
	for (size_t i = 0; i < more; i++) {
		const char *from = (const char *)m->received + i * size;
		larger[(*count)++] = (gemp_euler_joint){ gemp_number_in(from, 0, wide), gemp_number_in(from, 1, wide),
			gemp_number_in(from, 2, wide) };
	}
	return GEMP_OK;
}

/* Teams that are an odd multiple of `step` send theirs to the one `step` before. */
static gemp_code merge_step(merging *m, gemp_euler_joint **forest, size_t *count, uint64_t bound, size_t step)
{
	gemp_code code = GEMP_OK;
	gemp_euler_team *team = m->team;
	size_t sending = team->team % (2 * step) == step ? *count : 0, bytes = 0;
	GEMP_TRY(gemp_comm_agree(team->comm, pack(m, *forest, sending)));
	memset(m->sizes, 0, 2 * team->teams * sizeof *m->sizes);
	if (sending)
		m->sizes[team->team - step] = sending * FIELDS * gemp_number_size(team->wide);
	GEMP_TRY(gemp_exchange(team->comm, m->packed, m->sizes, &m->received, &m->received_capacity, m->sizes + team->teams,
	                       &team->traffic));
	for (size_t t = 0; t < team->teams; t++)
		bytes += m->sizes[team->teams + t];
	if (sending)
		*count = 0;
	if (bytes)
		code = add_received(m, forest, count, bytes);
	if (code == GEMP_OK && bytes)
		code = reduce(*forest, count, bound);
	GEMP_TRY(gemp_comm_agree(team->comm, code));
done:
	gemp_free(m->packed);
	m->packed = NULL;
	return code;
}

gemp_code gemp_euler_forest_merge(gemp_euler_team *team, gemp_euler_joint **forest, size_t *count, uint64_t bound)
{
	gemp_code code = GEMP_OK;
	merging m = { .team = team };
	GEMP_TRY(gemp_comm_agree(team->comm, GEMP_NEW(m.sizes, 2 * team->teams)));
	for (size_t step = 1; step < team->teams; step *= 2)
		GEMP_TRY(merge_step(&m, forest, count, bound, step));
done:
	gemp_free(m.sizes);
	gemp_free(m.received);
	return code;
}
