#include "primitive/group_table.h"

#include <string.h>

enum {
	PROBES = 64,          /* slots that a record looks at, before a larger table is made */
	GROUP = 256,          /* work-items of a work-group */
	GROUPS_OF_UNIT = 16,  /* work-groups of a compute unit of a GPU */
	GROWTH = 4,           /* factor by which a table grows */
	MIN_PART = 1 << 16,   /* slots that are listed at a time, at least */
	MAX_PART = 1 << 24,   /* and at most; 256 MiB of records of two words */
	PART = 16,            /* otherwise the table is listed in so many parts */
	FEW_GROUPS = 1 << 14, /* so many groups beyond `top` cost less than another pass over the table */
	NARROW = 4,           /* groups are removed if at most one of so many stays */
};

/* Some slots of a table. */
typedef struct slot_range {
	size_t first, count;
} slot_range;

static gemp_code kernel_of(gemp_group_table *t, cl_kernel *out, size_t *group, const char *name)
{
	*group = gemp_tool_group(t->box, GROUP);
	return gemp_tool_kernel(t->box, out, "group_table.cl", name, *group, "-DWORDS=%zu -DMAXIMA=%u", t->words,
	                        t->maxima);
}

/* The number of work-groups, or of work-items of a CPU device, that step through `count` records. */
static size_t launch_size(const gemp_group_table *t, size_t count, size_t group)
{
	const size_t units = t->box->device->units;
	return group ? gemp_min((count + group - 1) / group, units * GROUPS_OF_UNIT) : gemp_min(count, units);
}

static size_t bytes_of(const gemp_group_table *t, size_t records)
{
	return records * t->words * sizeof(uint64_t);
}

gemp_code gemp_group_table_new(gemp_group_table **out, gemp_toolbox *box, size_t words, uint32_t maxima, size_t slots,
                               size_t max_slots)
{
	GEMP_OWNED_BY(gemp_group_table_free_at) gemp_group_table *t = NULL;
	GEMP_TRY(GEMP_NEW(t, 1));
	*t = (gemp_group_table){
		.box = box, .words = words, .maxima = maxima, .slots = slots, .max_slots = gemp_max(slots, max_slots)
	};
	GEMP_TRY(gemp_buffer_new(&t->table, box->device, bytes_of(t, slots), NULL));
	GEMP_TRY(gemp_buffer_new(&t->figures, box->device, GEMP_GROUP_FIGURES * sizeof(uint32_t), NULL));
	GEMP_TRY(gemp_buffer_new(&t->bins, box->device, GEMP_GROUP_BINS * sizeof(uint64_t), NULL));
	GEMP_TRY(gemp_group_table_clear(t));
	*out = t;
	t = NULL;
	return GEMP_OK;
}

/* Launches that use the buffers keep them alive. */
void gemp_group_table_free(gemp_group_table *t)
{
	if (!t)
		return;
	gemp_buffers_free(t->box->device, &t->table, &t->left[0], &t->left[1], &t->figures, &t->bins);
	gemp_free(t);
}

gemp_code gemp_group_table_clear(gemp_group_table *t)
{
	t->groups = 0;
	return gemp_buffer_zero(t->box->device, &t->table, 0, t->table.size);
}

static gemp_code clear_figures(gemp_group_table *t)
{
	static const uint32_t none[GEMP_GROUP_FIGURES];
	return gemp_buffer_write(t->box->device, &t->figures, 0, sizeof none, none);
}

static gemp_code read_figures(gemp_group_table *t, uint32_t figures[GEMP_GROUP_FIGURES])
{
	return gemp_buffer_read(t->box->device, &t->figures, 0, GEMP_GROUP_FIGURES * sizeof *figures, figures);
}

/* Launches one merge of `count` records into the table. A record that finds no free slot in `probes` attempts is copied
 * to the buffer left[0], which has room for all records, and counts in *left. */
static gemp_code launch_merge(gemp_group_table *t, cl_mem records, size_t count, size_t probes, size_t *left)
{
	const cl_ulong n = count, mask = t->slots - 1, most = probes;
	uint32_t figures[GEMP_GROUP_FIGURES];
	cl_kernel kernel;
	size_t group;
	GEMP_TRY(kernel_of(t, &kernel, &group, "group_merge"));
	GEMP_TRY(clear_figures(t));
	GEMP_TRY(gemp_tool_launch(t->box, kernel, launch_size(t, count, group), group, GEMP_ARG(&n), GEMP_ARG(&records),
	                          GEMP_ARG(&mask), GEMP_ARG(&most), GEMP_ARG(&t->table.mem), GEMP_ARG(&t->left[0].mem),
	                          GEMP_ARG(&t->figures.mem)));
	GEMP_TRY(read_figures(t, figures));
	*left = figures[GEMP_GROUP_LISTED];
	t->groups += figures[GEMP_GROUP_ADDED];
	return GEMP_OK;
}

static gemp_code merge(gemp_group_table *t, cl_mem records, size_t count, size_t *left)
{
	GEMP_TRY(gemp_buffer_reserve(&t->left[0], t->box->device, bytes_of(t, count)));
	return launch_merge(t, records, count, PROBES, left);
}

/* True if the device has room for a table of so many slots beside the present one. */
static bool fits(const gemp_group_table *t, size_t slots)
{
	const gemp_device *device = t->box->device;
	const size_t bytes = bytes_of(t, slots);
	return bytes <= device->max_buffer && bytes <= device->memory - gemp_min(device->memory, device->buffer_bytes);
}

/* Moves the groups to a table of more slots, in which each of them finds one. If the device has no room for a larger
 * table, the present one is the largest. */
static gemp_code grow(gemp_group_table *t, bool *grown)
{
	gemp_device *device = t->box->device;
	const size_t old_slots = t->slots;
	size_t slots = gemp_min(t->slots * GROWTH, t->max_slots), left;
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer old = { 0 }, table = { 0 };
	while (slots > t->slots && !fits(t, slots))
		slots /= 2;
	*grown = slots > t->slots;
	if (!*grown) {
		t->max_slots = t->slots;
		return GEMP_OK;
	}
	GEMP_TRY(gemp_buffer_new(&table, device, bytes_of(t, slots), NULL));
	GEMP_TRY(gemp_buffer_zero(device, &table, 0, table.size));
	old = t->table;
	t->table = table;
	table = (gemp_buffer){ 0 };
	t->slots = slots;
	t->groups = 0;
	return launch_merge(t, old.mem, old_slots, slots, &left);
}

/* A table that is half full grows before the next records come, since long probes take time. */
gemp_code gemp_group_table_add(gemp_group_table *t, const gemp_buffer *records, size_t count, size_t *left)
{
	bool grown = true;
	*left = 0;
	if (!count)
		return GEMP_OK;
	GEMP_TRY(merge(t, records->mem, count, left));
	while (*left && grown) {
		GEMP_TRY(grow(t, &grown));
		if (!grown)
			break;
		const gemp_buffer again = t->left[0];
		t->left[0] = t->left[1];
		t->left[1] = again;
		GEMP_TRY(merge(t, again.mem, *left, left));
	}
	return t->groups > t->slots / 2 && t->slots < t->max_slots ? grow(t, &grown) : GEMP_OK;
}

/* The slots that are listed at a time. */
static size_t part_of(const gemp_group_table *t)
{
	return gemp_min(t->slots, gemp_min(gemp_max(t->slots / PART, (size_t)MIN_PART), (size_t)MAX_PART));
}

/* Appends groups of a rank to `out`, whose figures the caller has cleared. *count becomes the number of all groups
 * there. */
static gemp_code take(gemp_group_table *t, const slot_range *slots, uint64_t min_rows, unsigned ranks, unsigned rank,
                      const gemp_buffer *out, size_t *count)
{
	const cl_ulong first = slots->first, n = slots->count;
	const cl_uint all = ranks, one = rank;
	uint32_t figures[GEMP_GROUP_FIGURES];
	cl_kernel kernel;
	size_t group;
	GEMP_TRY(kernel_of(t, &kernel, &group, "group_take"));
	GEMP_TRY(gemp_tool_launch(t->box, kernel, launch_size(t, slots->count, group), group, GEMP_ARG(&first),
	                          GEMP_ARG(&n), GEMP_ARG(&min_rows), GEMP_ARG(&all), GEMP_ARG(&one),
	                          GEMP_ARG(&t->table.mem), GEMP_ARG(&out->mem), GEMP_ARG(&t->figures.mem)));
	GEMP_TRY(read_figures(t, figures));
	*count = figures[GEMP_GROUP_LISTED];
	return GEMP_OK;
}

/* Makes `out` large enough for the groups of the next part of the table. */
static gemp_code begin_part(gemp_group_table *t, size_t slot, gemp_buffer *out, slot_range *part)
{
	*part = (slot_range){ slot, gemp_min(part_of(t), t->slots - slot) };
	GEMP_TRY(gemp_buffer_reserve(out, t->box->device, bytes_of(t, part->count)));
	return clear_figures(t);
}

gemp_code gemp_group_table_take(gemp_group_table *t, size_t *slot, uint64_t min_rows, gemp_buffer *out, size_t *count)
{
	slot_range part;
	GEMP_TRY(begin_part(t, *slot, out, &part));
	GEMP_TRY(take(t, &part, min_rows, 1, 0, out, count));
	*slot += part.count;
	return GEMP_OK;
}

/* EXCHANGE */

/* Local. Lists the groups of the next part of the table in the order of their owners; send[ranks] are their numbers. */
static gemp_code list_by_owner(gemp_group_table *t, unsigned ranks, size_t *slot, gemp_buffer *out, uint64_t *send)
{
	slot_range part;
	size_t before = 0, count;
	GEMP_TRY(begin_part(t, *slot, out, &part));
	for (unsigned r = 0; r < ranks; r++) {
		GEMP_TRY(take(t, &part, 0, ranks, r, out, &count));
		send[r] = count - before;
		before = count;
	}
	*slot += part.count;
	return GEMP_OK;
}

/* Local. */
static gemp_code add_received(gemp_group_table *t, const gemp_buffer *records, const uint64_t *received, int ranks,
                              gemp_group_lost *lost, void *self)
{
	size_t count = 0, left;
	for (int r = 0; r < ranks; r++)
		count += received[r];
	GEMP_TRY(gemp_group_table_add(t, records, count, &left));
	return left ? lost(self, left) : GEMP_OK;
}

/* Collective. Sends all parts of `from`. Ranks with fewer parts send nothing in the last rounds. */
static gemp_code send_parts(gemp_group_table *from, gemp_group_table *to, const gemp_comm *comm,
                            gemp_device_exchange *exchange, gemp_group_lost *lost, void *self)
{
	const size_t ranks = (size_t)comm->size, size = from->words * sizeof(uint64_t);
	GEMP_OWNED uint64_t *numbers = NULL;
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer listed = { 0 }, records = { 0 };
	uint64_t parts = (from->slots - 1) / part_of(from) + 1;
	size_t slot = 0;
	gemp_code code = GEMP_NEW(numbers, 2 * ranks);
	gemp_comm_max(comm, &parts, 1);
	for (uint64_t p = 0; p < parts; p++) {
		if (code == GEMP_OK)
			memset(numbers, 0, 2 * ranks * sizeof *numbers);
		if (slot < from->slots)
			GEMP_THEN(list_by_owner(from, (unsigned)ranks, &slot, &listed, numbers));
		GEMP_TRY(gemp_device_exchange_run(exchange, code, &listed, numbers, size, &records, numbers + ranks));
		code = add_received(to, &records, numbers + ranks, comm->size, lost, self);
	}
	return gemp_comm_agree(comm, code);
}

/* Two slots for each group that a rank is expected to own, as far as the device has room. */
static size_t owned_slots(const gemp_group_table *t, const gemp_comm *comm)
{
	const uint64_t expected = gemp_comm_sum1(comm, t->groups) / (uint64_t)comm->size;
	size_t slots = 1;
	while (slots < 2 * expected && slots < t->max_slots)
		slots *= 2;
	while (slots > 1 && !fits(t, slots))
		slots /= 2;
	return slots;
}

gemp_code gemp_group_table_exchange(gemp_group_table *t, const gemp_comm *comm, gemp_group_lost *lost, void *self)
{
	gemp_group_table *owned = NULL;
	gemp_device_exchange *exchange = NULL;
	if (comm->size == 1)
		return GEMP_OK;
	const size_t slots = owned_slots(t, comm);
	gemp_code code = gemp_device_exchange_new(&exchange, comm, t->box->device);
	GEMP_TRY_DONE(code);
	code = gemp_group_table_new(&owned, t->box, t->words, t->maxima, slots, t->max_slots);
	GEMP_TRY_DONE(gemp_comm_agree(comm, code));
	GEMP_TRY_DONE(send_parts(t, owned, comm, exchange, lost, self));
	const gemp_group_table sent = *t;
	*t = *owned;
	*owned = sent;
done:
	gemp_group_table_free(owned);
	gemp_device_exchange_free(exchange);
	return code;
}

/* THRESHOLD */

/* The least number of a bin (group_bin in group_table.cl). */
static uint64_t bin_begin(unsigned bin)
{
	return bin < 32 ? bin : (uint64_t)(32 + bin % 32) << (bin / 32 - 1);
}

/* Local. Counts the groups with low to high rows by the bin of their rows beyond low. */
static gemp_code count_bins(gemp_group_table *t, uint64_t low, uint64_t high, uint64_t bins[GEMP_GROUP_BINS])
{
	const cl_ulong slots = t->slots;
	cl_kernel kernel;
	size_t group;
	GEMP_TRY(kernel_of(t, &kernel, &group, "group_bins"));
	GEMP_TRY(gemp_buffer_zero(t->box->device, &t->bins, 0, t->bins.size));
	GEMP_TRY(gemp_tool_launch(t->box, kernel, launch_size(t, t->slots, group), group, GEMP_ARG(&slots), GEMP_ARG(&low),
	                          GEMP_ARG(&high), GEMP_ARG(&t->table.mem), GEMP_ARG(&t->bins.mem)));
	return gemp_buffer_read(t->box->device, &t->bins, 0, GEMP_GROUP_BINS * sizeof *bins, bins);
}

/* Radix selection, whose digits are bins: the bin in which the group number `top` lies is divided again, until it is
 * one number or has few groups. */
gemp_code gemp_group_table_threshold(gemp_group_table *t, const gemp_comm *comm, uint64_t top, uint64_t *min_rows)
{
	GEMP_OWNED uint64_t *bins = NULL;
	uint64_t low = 1, high = UINT64_MAX;
	gemp_code code = GEMP_NEW(bins, GEMP_GROUP_BINS);
	for (;;) {
		GEMP_THEN(count_bins(t, low, high, bins));
		GEMP_TRY(gemp_comm_agree(comm, code));
		gemp_comm_sum(comm, bins, GEMP_GROUP_BINS);
		unsigned b = GEMP_GROUP_BINS - 1;
		while (b > 0 && bins[b] < top)
			top -= bins[b--];
		const uint64_t width = bin_begin(b + 1) - bin_begin(b);
		low += bin_begin(b);
		if (width == 1 || bins[b] <= top + FEW_GROUPS)
			break;
		high = low + width - 1;
	}
	*min_rows = low;
	return GEMP_OK;
}

/* NARROWING */

/* Local. Appends the keys of the groups with at least min_rows rows. */
static gemp_code list_keys(gemp_group_table *t, uint64_t min_rows, uint64_t **keys, size_t *capacity, size_t *count)
{
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer listed = { 0 };
	GEMP_OWNED uint64_t *records = NULL;
	size_t record_capacity = 0, more;
	*count = 0;
	for (size_t slot = 0; slot < t->slots;) {
		GEMP_TRY(gemp_group_table_take(t, &slot, min_rows, &listed, &more));
		GEMP_TRY(GEMP_RESERVE(records, record_capacity, more * t->words));
		GEMP_TRY(GEMP_RESERVE(*keys, *capacity, *count + more));
		if (more)
			GEMP_TRY(gemp_buffer_read(t->box->device, &listed, 0, bytes_of(t, more), records));
		for (size_t i = 0; i < more; i++)
			(*keys)[(*count)++] = records[i * t->words + GEMP_GROUP_KEY];
	}
	return GEMP_OK;
}

/* Local. Makes a table of groups with these keys, and the words of `from` for them. *out becomes NULL if they find no
 * slots. */
static gemp_code table_of_keys(gemp_group_table **out, gemp_group_table *from, const uint64_t *keys, size_t count)
{
	GEMP_OWNED_BY(gemp_group_table_free_at) gemp_group_table *t = NULL;
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer buffer = { 0 };
	GEMP_OWNED uint64_t *records = NULL;
	cl_kernel kernel;
	size_t slots = 1, group, left = 0;
	*out = NULL;
	while (slots < 2 * count)
		slots *= 2;
	const cl_ulong all = slots, mask = from->slots - 1;
	GEMP_TRY(GEMP_NEW(records, count * from->words + 1));
	for (size_t i = 0; i < count; i++)
		records[i * from->words + GEMP_GROUP_KEY] = keys[i];
	GEMP_TRY(gemp_group_table_new(&t, from->box, from->words, from->maxima, slots, slots));
	GEMP_TRY(gemp_buffer_new(&buffer, from->box->device, bytes_of(from, count + 1), NULL));
	GEMP_TRY(gemp_buffer_write(from->box->device, &buffer, 0, bytes_of(from, count), records));
	GEMP_TRY(gemp_group_table_add(t, &buffer, count, &left));
	GEMP_TRY(kernel_of(t, &kernel, &group, "group_copy"));
	GEMP_TRY(gemp_tool_launch(t->box, kernel, launch_size(t, slots, group), group, GEMP_ARG(&all),
	                          GEMP_ARG(&t->table.mem), GEMP_ARG(&mask), GEMP_ARG(&from->table.mem)));
	t->max_slots = gemp_max(slots, from->max_slots);
	if (left)
		return GEMP_OK;
	*out = t;
	t = NULL;
	return GEMP_OK;
}

/* Collective. Some rank has at least *least rows of each group with enough rows. */
static gemp_code least_of_a_rank(gemp_group_table *t, const gemp_comm *comm, uint64_t top, uint64_t min_rows,
                                 uint64_t *least)
{
	const uint64_t ranks = (uint64_t)comm->size;
	uint64_t parts, bound = 1;
	/* `top` times as many parts of groups as ranks are parts of at least `top` groups */
	if (top && !__builtin_mul_overflow(top, ranks, &parts))
		GEMP_TRY(gemp_group_table_threshold(t, comm, parts, &bound));
	bound = gemp_max(bound, min_rows);
	*least = bound / ranks + (bound % ranks > 0);
	return GEMP_OK;
}

/* Collective. True if few groups of all ranks have so many rows on a rank. */
static gemp_code are_few(gemp_group_table *t, const gemp_comm *comm, uint64_t least, bool *few)
{
	enum { SOME, ALL };
	GEMP_OWNED uint64_t *bins = NULL;
	uint64_t counts[] = { 0, t->groups };
	gemp_code code = GEMP_NEW(bins, GEMP_GROUP_BINS);
	GEMP_THEN(count_bins(t, least, UINT64_MAX, bins));
	for (size_t b = 0; code == GEMP_OK && b < GEMP_GROUP_BINS; b++)
		counts[SOME] += bins[b];
	GEMP_TRY(gemp_comm_agree(comm, code));
	gemp_comm_sum(comm, counts, 2);
	*few = counts[SOME] <= counts[ALL] / NARROW;
	return GEMP_OK;
}

gemp_code gemp_group_table_narrow(gemp_group_table *t, const gemp_comm *comm, uint64_t top, uint64_t min_rows)
{
	GEMP_OWNED_BY(gemp_group_table_free_at) gemp_group_table *narrow = NULL;
	GEMP_OWNED uint64_t *keys = NULL;
	GEMP_OWNED void *all = NULL;
	GEMP_OWNED size_t *begin = NULL;
	size_t capacity = 0, count;
	uint64_t least;
	bool few;
	if (comm->size == 1)
		return GEMP_OK;
	GEMP_TRY(least_of_a_rank(t, comm, top, min_rows, &least));
	if (least <= 1)
		return GEMP_OK;
	GEMP_TRY(are_few(t, comm, least, &few));
	if (!few)
		return GEMP_OK;
	gemp_code code = list_keys(t, least, &keys, &capacity, &count);
	GEMP_TRY(gemp_comm_allgather(comm, code, keys, count * sizeof *keys, &all, &begin));
	code = table_of_keys(&narrow, t, all, begin[comm->size] / sizeof *keys);
	GEMP_TRY(gemp_comm_agree(comm, code));
	if (gemp_comm_sum1(comm, narrow == NULL))
		return GEMP_OK;
	const gemp_group_table wide = *t;
	*t = *narrow;
	*narrow = wide;
	return GEMP_OK;
}
