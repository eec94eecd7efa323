#include "match/groups/device_groups.h"

#include "core/limits.h"
#include "device/launch.h"
#include "device/transfer.h"

#include <stdlib.h>
#include <string.h>

enum {
	GROUP = 256,         /* work-items of a work-group */
	MIN_SLOTS = 1 << 20, /* slots of a new table, at least; 16 MiB */
	MAX_FIRST = 1 << 26, /* and at most; 1 GiB. The table grows with its groups, which may be far fewer than rows */
	WORDS = GEMP_GROUP_VALUES,
};

static unsigned lanes_of(const gemp_device *device)
{
	return device->gpu ? 32 : 1;
}

static bool is_chosen(const char *choice)
{
	const char *chosen = getenv("GEMP_DEVICE_GROUPS");
	return chosen && strcmp(chosen, choice) == 0;
}

/* On a CPU device each row costs a cache miss in the table, and the host's threads group rows in parts that fit into
 * their caches. */
bool gemp_device_groups_suit(const gemp_device *device, size_t vertices, size_t rows)
{
	const size_t free = device->memory - gemp_min(device->memory, device->buffer_bytes);
	const size_t row = 2 * WORDS * sizeof(uint64_t) + vertices * sizeof(gemp_vertex);
	const bool wanted = device->gpu || gemp_limits_now()->device_group_slots || is_chosen("on");
	return wanted && !is_chosen("off") && rows * row <= free / 4 &&
	       gemp_device_has(device, "cl_khr_int64_base_atomics");
}

/* A quarter of the free memory: a table that grows is beside a smaller one, and ranks exchange groups from one table to
 * another. */
static size_t max_slots(const gemp_device *device)
{
	const size_t free = device->memory - gemp_min(device->memory, device->buffer_bytes);
	const size_t bytes = gemp_min(free / 4, device->max_buffer);
	size_t slots = 1;
	if (gemp_limits_now()->device_group_max)
		return gemp_limits_now()->device_group_max;
	while (2 * slots * WORDS * sizeof(uint64_t) <= bytes && slots < (size_t)1 << 32)
		slots *= 2;
	return slots;
}

static size_t first_slots(double expected, size_t most)
{
	size_t slots = MIN_SLOTS;
	if (gemp_limits_now()->device_group_slots)
		return gemp_limits_now()->device_group_slots;
	while ((double)slots < expected && slots < MAX_FIRST)
		slots *= 2;
	return gemp_min(slots, most);
}

static gemp_code build(gemp_device_groups *g)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	gemp_text_print(&text, "#define GEMP_LANES %u\n#define VERTICES %zu\n", lanes_of(g->device), g->key->vertices);
	gemp_group_key_print(g->key, &text);
	GEMP_TRY(gemp_kernel_append(&text, "row_records.clh"));
	GEMP_TRY(gemp_text_status(&text));
	GEMP_TRY(gemp_program_new(&g->program, g->device, text.data, ""));
	GEMP_TRY(gemp_kernel_new(&g->kernel, &g->program, "row_records"));
	return gemp_kernel_new(&g->filter, &g->program, "row_filter");
}

gemp_code gemp_device_groups_new(gemp_device_groups **out, gemp_device *device, const gemp_group_key *key,
                                 uint64_t vertices, double expected, gemp_groups_lost *lost, void *self)
{
	GEMP_OWNED_BY(gemp_device_groups_free_at) gemp_device_groups *g = NULL;
	const size_t most = max_slots(device);
	GEMP_TRY(GEMP_NEW(g, 1));
	*g = (gemp_device_groups){ .device = device, .key = key, .lost = lost, .self = self };
	GEMP_TRY(build(g));
	for (size_t i = 0; i < key->count; i++)
		if (key->digits[i].classes)
			GEMP_TRY(gemp_buffer_load(&g->classes[i], device, vertices * sizeof(uint32_t), key->digits[i].classes->of));
	GEMP_TRY(gemp_toolbox_new(&g->box, device, GEMP_FORM_AUTO));
	GEMP_TRY(gemp_group_table_new(&g->table, g->box, WORDS, 0, first_slots(expected, most), most));
	GEMP_TRY(gemp_buffer_new(&g->count, device, sizeof(uint32_t), NULL));
	*out = g;
	g = NULL;
	return GEMP_OK;
}

void gemp_device_groups_free(gemp_device_groups *g)
{
	if (!g)
		return;
	gemp_group_table_free(g->table);
	gemp_toolbox_free(g->box);
	gemp_buffers_free(g->device, &g->records, &g->kept, &g->count);
	for (size_t i = 0; i < g->key->count; i++)
		gemp_buffer_free(&g->classes[i], g->device);
	gemp_kernels_free(&g->kernel, &g->filter);
	gemp_program_store_and_free(g->device, &g->program);
	gemp_free(g);
}

/* Copies records to the host through page-locked memory. */
static gemp_code download(gemp_device *device, const gemp_buffer *from, uint64_t **records, size_t count)
{
	GEMP_TRY(GEMP_NEW(*records, count * WORDS + 1));
	return gemp_transfer_download(device, from, 0, (gemp_transfer_numbers){ .narrow = (uint32_t *)*records },
	                              count * WORDS * 2);
}

gemp_code gemp_device_groups_lose(void *self, size_t count)
{
	gemp_device_groups *g = self;
	GEMP_OWNED uint64_t *records = NULL;
	GEMP_TRY(download(g->device, &g->table->left[0], &records, count));
	return g->lost(g->self, records, count);
}

/* Adds the first `count` records of the buffer to the table. */
static gemp_code add_records(gemp_device_groups *g, size_t count)
{
	size_t left;
	GEMP_TRY(gemp_group_table_add(g->table, &g->records, count, &left));
	return left ? gemp_device_groups_lose(g, left) : GEMP_OK;
}

static size_t group_of(const gemp_device *device)
{
	return device->gpu ? gemp_worker_group_size(device, lanes_of(device), GROUP) : GROUP;
}

/* Launches a kernel for `rows` rows. Its arguments follow those of the key. */
static gemp_code launch(gemp_device_groups *g, cl_kernel kernel, size_t rows, const gemp_argument *arguments,
                        size_t argument_count)
{
	enum { MOST = 8 };
	gemp_argument all[GEMP_MAX_PATTERN_VERTICES + MOST];
	size_t count = 0;
	GEMP_CHECK(argument_count <= MOST);
	for (size_t i = 0; i < g->key->count; i++)
		if (g->classes[i].mem)
			all[count++] = GEMP_ARG(&g->classes[i].mem);
	for (size_t i = 0; i < argument_count; i++)
		all[count++] = arguments[i];
	return gemp_launch_with(g->device, kernel, rows, group_of(g->device), all, count);
}

gemp_code gemp_device_groups_add(gemp_device_groups *g, const gemp_buffer *ids, size_t rows)
{
	gemp_device *device = g->device;
	const uint32_t n = (uint32_t)rows, none = 0;
	uint32_t count;
	if (!rows)
		return GEMP_OK;
	g->rows += rows;
	GEMP_TRY(gemp_buffer_reserve(&g->records, device, rows * WORDS * sizeof(uint64_t)));
	GEMP_TRY(gemp_buffer_write(device, &g->count, 0, sizeof none, &none));
	const gemp_argument arguments[] = { GEMP_ARG(&n), GEMP_ARG(&ids->mem), GEMP_ARG(&g->records.mem),
		                                GEMP_ARG(&g->count.mem) };
	GEMP_TRY(launch(g, g->kernel, rows, arguments, sizeof arguments / sizeof *arguments));
	GEMP_TRY(gemp_buffer_read(device, &g->count, 0, sizeof count, &count));
	return add_records(g, count);
}

/* The rows that pass are copied back, since no two work-groups of a kernel may move rows within one buffer. */
gemp_code gemp_device_groups_filter(gemp_device_groups *g, const gemp_buffer *ids, size_t *rows)
{
	gemp_device *device = g->device;
	const cl_ulong min_rows = g->min_rows, mask = g->table->slots - 1;
	const uint32_t n = (uint32_t)*rows, none = 0;
	const size_t row = g->key->vertices * sizeof(gemp_vertex);
	uint32_t count;
	if (!n || !min_rows)
		return GEMP_OK;
	GEMP_TRY(gemp_buffer_reserve(&g->kept, device, n * row));
	GEMP_TRY(gemp_buffer_write(device, &g->count, 0, sizeof none, &none));
	const gemp_argument arguments[] = { GEMP_ARG(&n),
		                                GEMP_ARG(&ids->mem),
		                                GEMP_ARG(&min_rows),
		                                GEMP_ARG(&mask),
		                                GEMP_ARG(&g->table->table.mem),
		                                GEMP_ARG(&g->kept.mem),
		                                GEMP_ARG(&g->count.mem) };
	GEMP_TRY(launch(g, g->filter, n, arguments, sizeof arguments / sizeof *arguments));
	GEMP_TRY(gemp_buffer_read(device, &g->count, 0, sizeof count, &count));
	*rows = count;
	if (!count || count == n)
		return GEMP_OK;
	GEMP_TRY(GEMP_CL(clEnqueueCopyBuffer(device->queue, g->kept.mem, ids->mem, 0, 0, count * row, 0, NULL, NULL)));
	return GEMP_CL(clFinish(device->queue));
}

gemp_code gemp_device_groups_add_records(gemp_device_groups *g, const uint64_t *records, size_t count, uint64_t rows)
{
	const size_t bytes = count * WORDS * sizeof *records;
	g->rows += rows;
	if (!count)
		return GEMP_OK;
	GEMP_TRY(gemp_buffer_reserve(&g->records, g->device, bytes));
	GEMP_TRY(gemp_buffer_write(g->device, &g->records, 0, bytes, records));
	return add_records(g, count);
}

gemp_code gemp_device_groups_read(gemp_device_groups *g, size_t *slot, uint64_t min_rows, uint64_t **records,
                                  size_t *count)
{
	*records = NULL;
	GEMP_TRY(gemp_group_table_take(g->table, slot, min_rows, &g->records, count));
	return *count ? download(g->device, &g->records, records, *count) : GEMP_OK;
}
