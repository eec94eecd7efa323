#include "match/distinct/device_set.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/text.h"
#include "device/launch.h"

#include <stdlib.h>
#include <string.h>

enum {
	GROUP = 256,             /* work-items of a work-group */
	UNKNOWN_SLOTS = 1 << 24, /* slots if nobody knows how many classes to expect */
	MIN_SLOTS = 1 << 10,
	COUNTS = 3, /* counts of a launch: rows that pass, new rows, rows that wait */
};

static bool is_chosen(const char *choice)
{
	const char *chosen = getenv("GEMP_DEVICE_SET");
	return chosen && strcmp(chosen, choice) == 0;
}

/* Writes the macro FORM, whose lines are joined by backslashes. A choice is a comparison for each point of the orbit
 * and a selection for each vertex, without arrays, so that everything stays in registers. */
static void put_choice(gemp_text *text, const gemp_packed_form *form, const gemp_packed_choice *choice, size_t step)
{
	const size_t last = choice->orbit_size - 1;
	gemp_text_print(text, "\tuint least_%zu = x_%d, at_%zu = 0;\\\n", step, choice->orbit[0], step);
	for (size_t i = 1; i <= last; i++)
		gemp_text_print(text, "\tif (x_%d < least_%zu) { least_%zu = x_%d; at_%zu = %zu; }\\\n", choice->orbit[i], step,
		                step, choice->orbit[i], step, i);
	for (size_t v = 0; v < form->vertices; v++) {
		gemp_text_print(text, "\tconst uint y_%zu_%zu = ", step, v);
		for (size_t i = 0; i < last; i++)
			if (choice->to[i][v] != choice->to[last][v])
				gemp_text_print(text, "at_%zu == %zu ? x_%d : ", step, i, choice->to[i][v]);
		gemp_text_print(text, "x_%d;\\\n", choice->to[last][v]);
	}
	for (size_t v = 0; v < form->vertices; v++)
		gemp_text_print(text, "\tx_%zu = y_%zu_%zu;\\\n", v, step, v);
}

static void put_number(gemp_text *text, const char *name, const gemp_packed_form *form, size_t begin, size_t end)
{
	gemp_text_print(text, "\t%s = 0;\\\n", name);
	for (size_t v = begin; v < end; v++)
		gemp_text_print(text, "\t%s = %s * %lluul + x_%zu;\\\n", name, name, (unsigned long long)form->base, v);
}

static void put_form(gemp_text *text, const gemp_packed_form *form)
{
	const size_t first = gemp_min(form->digits, form->vertices);
	gemp_text_print(text, "#define FORM(v, low, high) {\\\n");
	for (size_t v = 0; v < form->vertices; v++)
		gemp_text_print(text, "\tuint x_%zu = v[%zu];\\\n", v, v);
	for (size_t s = 0; s < form->swap_count; s++) {
		const int a = form->swaps[s][0], b = form->swaps[s][1];
		gemp_text_print(text, "\t{ const uint a = min(x_%d, x_%d), b = max(x_%d, x_%d); x_%d = a; x_%d = b; }\\\n", a,
		                b, a, b, a, b);
	}
	for (size_t c = 0; c < form->choice_count; c++)
		put_choice(text, form, &form->choices[c], c);
	put_number(text, "low", form, 0, first);
	gemp_text_print(text, "\tlow++;\\\n");
	put_number(text, "high", form, first, form->vertices);
	gemp_text_print(text, "}\n");
}

static unsigned lanes_of(const gemp_device *device)
{
	return device->gpu ? 32 : 1;
}

/* A CPU device runs the work-items of a group one after another, so that small groups cost more than lanes save. */
static size_t group_of(const gemp_device *device)
{
	return device->gpu ? gemp_worker_group_size(device, lanes_of(device), GROUP) : GROUP;
}

static gemp_code build(gemp_device_set *set, const gemp_packed_form *form)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	gemp_text_print(&text, "#define GEMP_LANES %u\n#define VERTICES %zu\n#define WORDS %zu\n#define LATE %d\n",
	                lanes_of(set->device), form->vertices, form->words, is_chosen("late"));
	put_form(&text, form);
	GEMP_TRY(gemp_kernel_append(&text, "device_set.clh"));
	GEMP_TRY(gemp_text_status(&text));
	GEMP_TRY(gemp_program_new(&set->program, set->device, text.data, ""));
	return gemp_kernel_new(&set->kernel, &set->program, "device_set");
}

/* On a CPU device a set in one table costs a cache miss for each row, which is what match/distinct/class_set avoids. */
static bool is_wanted(const gemp_device *device)
{
	const bool on = is_chosen("on") || is_chosen("late");
	return !is_chosen("off") && (device->gpu || gemp_limits_now()->device_set_slots || on);
}

/* Two slots for each class, as far as half of the free memory has room for them. */
static size_t choose_slots(const gemp_device *device, size_t slot_bytes, size_t kept_bytes, double expected)
{
	const size_t free = device->memory - gemp_min(device->memory, device->buffer_bytes);
	const size_t bytes = gemp_min(free - gemp_min(free, kept_bytes), device->max_buffer) / 2;
	const double wanted = expected > 0 ? 2 * expected : UNKNOWN_SLOTS;
	size_t slots = MIN_SLOTS;
	if (gemp_limits_now()->device_set_slots)
		return gemp_limits_now()->device_set_slots;
	while ((double)slots < wanted && 2 * slots * slot_bytes <= bytes)
		slots *= 2;
	return slots * slot_bytes <= bytes ? slots : 0;
}

gemp_code gemp_device_set_new(gemp_device_set **out, gemp_device *device, const gemp_packed_form *form, double expected,
                              size_t rows, bool counts)
{
	GEMP_OWNED_BY(gemp_device_set_free_at) gemp_device_set *set = NULL;
	const size_t waiting = counts ? rows * sizeof(uint32_t) : sizeof(uint32_t);
	const size_t kept = rows * form->vertices * sizeof(gemp_vertex);
	*out = NULL;
	if (!is_wanted(device) || !gemp_device_has(device, "cl_khr_int64_base_atomics"))
		return GEMP_OK;
	const size_t slots = choose_slots(device, form->words * sizeof(uint64_t), kept + 2 * waiting, expected);
	if (!slots)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(set, 1));
	set->device = device;
	set->vertices = form->vertices;
	set->words = form->words;
	set->slots = slots;
	GEMP_TRY(build(set, form));
	GEMP_TRY(gemp_buffer_new(&set->table, device, slots * form->words * sizeof(uint64_t), NULL));
	GEMP_TRY(gemp_buffer_new(&set->kept, device, kept, NULL));
	GEMP_TRY(gemp_buffer_new(&set->counts, device, COUNTS * sizeof(uint32_t), NULL));
	for (int i = 0; i < 2; i++)
		GEMP_TRY(gemp_buffer_new(&set->waiting[i], device, waiting, NULL));
	set->counts_classes = counts;
	GEMP_TRY(gemp_device_set_clear(set));
	*out = set;
	set = NULL;
	return GEMP_OK;
}

void gemp_device_set_free(gemp_device_set *set)
{
	if (!set)
		return;
	gemp_buffers_free(set->device, &set->table, &set->kept, &set->counts, &set->waiting[0], &set->waiting[1]);
	gemp_kernels_free(&set->kernel);
	gemp_program_store_and_free(set->device, &set->program);
	gemp_free(set);
}

gemp_code gemp_device_set_clear(gemp_device_set *set)
{
	set->counting = set->counts_classes;
	set->counted = 0;
	return gemp_buffer_zero(set->device, &set->table, 0, set->table.size);
}

/* Launches the kernel for the first `rows` rows of the buffer or, if again, for those that wait. */
static gemp_code launch(gemp_device_set *set, const gemp_buffer *buffer, uint32_t rows, uint32_t again,
                        uint32_t counts[COUNTS])
{
	gemp_device *device = set->device;
	const uint64_t mask = set->slots - 1;
	const uint32_t counting = set->counting;
	double seconds;
	GEMP_TRY(gemp_launch(device, set->kernel, rows, group_of(device), GEMP_ARG(&rows), GEMP_ARG(&counting),
	                     GEMP_ARG(&again), GEMP_ARG(&buffer->mem), GEMP_ARG(&set->waiting[1].mem), GEMP_ARG(&mask),
	                     GEMP_ARG(&set->table.mem), GEMP_ARG(&set->kept.mem), GEMP_ARG(&set->waiting[0].mem),
	                     GEMP_ARG(&set->counts.mem)));
	GEMP_TRY(gemp_buffer_read(device, &set->counts, 0, COUNTS * sizeof *counts, counts));
	GEMP_TRY(gemp_launch_seconds(device, &seconds));
	set->seconds += seconds;
	return GEMP_OK;
}

/* A launch writes all second words of its new slots, so the rows that wait for them become fewer with each launch. */
static gemp_code launch_until_known(gemp_device_set *set, const gemp_buffer *buffer, uint32_t rows,
                                    uint32_t counts[COUNTS])
{
	static const uint32_t none[COUNTS];
	GEMP_TRY(gemp_buffer_write(set->device, &set->counts, 0, sizeof none, none));
	GEMP_TRY(launch(set, buffer, rows, 0, counts));
	while (counts[2]) {
		const uint32_t waiting = counts[2], no_more = 0;
		const gemp_buffer before = set->waiting[1];
		set->waiting[1] = set->waiting[0];
		set->waiting[0] = before;
		GEMP_TRY(gemp_buffer_write(set->device, &set->counts, 2 * sizeof no_more, sizeof no_more, &no_more));
		GEMP_TRY(launch(set, buffer, waiting, 1, counts));
		if (counts[2] >= waiting)
			return gemp_fail(GEMP_EINTERNAL, "device %d: the set of classes has %u slots that are never written",
			                 set->device->index, waiting);
	}
	return GEMP_OK;
}

/* The rows that pass are copied back, since no two work-groups of a kernel may move rows within one buffer. */
gemp_code gemp_device_set_filter(gemp_device_set *set, const gemp_buffer *buffer, size_t *rows, size_t *added)
{
	gemp_device *device = set->device;
	const uint32_t count = (uint32_t)*rows;
	uint32_t counts[COUNTS];
	*added = 0;
	if (!count)
		return GEMP_OK;
	GEMP_TRY(launch_until_known(set, buffer, count, counts));
	const uint32_t kept = counts[0];
	*added = counts[1];
	set->counted += counts[1];
	set->counting &= kept == 0;
	*rows = kept;
	if (!kept || kept == count)
		return GEMP_OK;
	GEMP_TRY(GEMP_CL(clEnqueueCopyBuffer(device->queue, set->kept.mem, buffer->mem, 0, 0,
	                                     kept * set->vertices * sizeof(gemp_vertex), 0, NULL, NULL)));
	return GEMP_CL(clFinish(device->queue));
}

gemp_code gemp_device_set_forms(const gemp_device_set *set, size_t *slot, uint64_t *records, size_t *count)
{
	const size_t words = set->words, read = gemp_min(set->slots - *slot, (size_t)GEMP_DEVICE_SET_READ);
	*count = 0;
	GEMP_TRY(gemp_buffer_read(set->device, &set->table, *slot * words * sizeof *records, read * words * sizeof *records,
	                          records));
	for (size_t i = 0; i < read; i++) {
		if (!records[i * words])
			continue;
		records[*count * words] = records[i * words];
		if (words == 2)
			records[*count * words + 1] = records[i * words + 1] - 1;
		++*count;
	}
	*slot += read;
	return GEMP_OK;
}
