#include "som/map/search.h"

#include "core/memory.h"
#include "device/launch.h"
#include "device/program.h"

#include <assert.h>
#include <stdio.h>

/* equal to the constants in kernels/som/som_search*.cl[h] */
enum { TILE = 128, TILES_GROUP = 256, WIDE = 16, SEEKERS = 32 };
enum { STEP = 12 }; /* units; a multiple of the number that som_search_items.clh compares at a time */
/* Groups for each compute unit of a GPU, and tasks for each core of a CPU device. There are several for each, so a
 * compute unit or core that finishes early takes another, and few are idle at the end. */
enum { GROUPS_OF_UNIT = 24, TASKS_OF_CORE = 8 };
/* Form ITEMS: the bytes of units that stay in a core's cache, and the bytes of samples that a work-item has on its
 * stack. */
enum { CACHE = 1 << 17, STACK = 1 << 16 };
/* the program that finds the best unit, and the program that finds the two best units */
enum { BEST, BEST_TWO, PROGRAMS };

typedef struct search_program {
	gemp_program program;
	cl_kernel begin, search, seek, distances; /* seek: finds second-best units on GPUs */
} search_program;

struct gemp_som_search {
	gemp_device *device;
	uint32_t dims;
	gemp_som_metric metric;
	bool missing;
	gemp_som_search_shape shape;
	uint32_t blocks;                   /* form ITEMS: number of blocks of 16 samples that a work-item has */
	search_program programs[PROGRAMS]; /* each is made when it is first needed */
};

static uint32_t or_default(uint32_t value, uint32_t otherwise)
{
	return value ? value : otherwise;
}

static uint32_t clamp(uint64_t least, uint64_t value, uint64_t most)
{
	return (uint32_t)(value < least ? least : value > most ? most : value);
}

/* Returns the samples of a work-item in form REGISTERS. On an H200 at 12 dimensions 6 samples are fastest, since more
 * samples leave too few registers. */
static uint32_t samples_per_item(uint32_t dims, bool missing)
{
	return clamp(1, (missing ? 48 : 96) / dims, 6);
}

/* Chooses the form by the device and the dimensions, and sets the members of the shape that the caller has left 0. On a
 * GPU, registers can hold whole samples only if the samples have few dimensions. Samples with missing values also need
 * registers for the presence of each value, so form TILES is chosen from fewer dimensions on. */
static void complete_shape(gemp_som_search *s)
{
	gemp_som_search_shape *shape = &s->shape;
	uint32_t row = gemp_som_stride(s->dims) * (uint32_t)sizeof(float);
	if (shape->form == GEMP_SOM_FORM_AUTO)
		shape->form = !s->device->gpu                       ? GEMP_SOM_FORM_ITEMS
		              : s->dims <= (s->missing ? 16u : 24u) ? GEMP_SOM_FORM_REGISTERS
		                                                    : GEMP_SOM_FORM_TILES;
	if (shape->form == GEMP_SOM_FORM_REGISTERS) {
		shape->group = or_default(shape->group, 128);
		shape->samples = or_default(shape->samples, samples_per_item(s->dims, s->missing));
		shape->units = or_default(shape->units, clamp(1, 16384 / row, 128));
		shape->chunk = or_default(shape->chunk, 256);
	} else if (shape->form == GEMP_SOM_FORM_TILES) {
		*shape = (gemp_som_search_shape){ shape->form, TILES_GROUP, 8, TILE, or_default(shape->chunk, 4 * TILE) };
	} else {
		s->blocks = clamp(1, STACK / (WIDE * sizeof(float) * s->dims), 8);
		*shape = (gemp_som_search_shape){ shape->form, 1, s->blocks * WIDE,
			                              or_default(shape->units,
			                                         clamp(STEP, CACHE / row / STEP * STEP, 2048 / STEP * STEP)),
			                              or_default(shape->chunk, 1024) };
	}
}

/* Local. program_for builds the programs later, when it is known whether second-best units are wanted. */
gemp_code gemp_som_search_new(gemp_som_search **out, gemp_device *device, uint32_t dims, gemp_som_metric metric,
                              bool missing, const gemp_som_search_shape *shape)
{
	gemp_som_search *s;
	*out = NULL;
	if (dims == 0 || dims > GEMP_SOM_MAX_DIMS)
		return gemp_fail(GEMP_EUSAGE, "vectors of %u dimensions: a map takes 1 to %d; leave columns out", dims,
		                 (int)GEMP_SOM_MAX_DIMS);
	GEMP_TRY(GEMP_NEW(s, 1));
	*s = (gemp_som_search){ .device = device, .dims = dims, .metric = metric, .missing = missing };
	if (shape)
		s->shape = *shape;
	complete_shape(s);
	*out = s;
	return GEMP_OK;
}

void gemp_som_search_free(gemp_som_search *search)
{
	if (!search)
		return;
	for (int p = 0; p < PROGRAMS; p++) {
		search_program *program = &search->programs[p];
		gemp_kernels_free(&program->begin, &program->search, &program->seek, &program->distances);
		gemp_program_free(&program->program);
	}
	gemp_free(search);
}

/* Writes the compiler options of program `which`: BEST or BEST_TWO. */
static void options_of(char *out, size_t size, const gemp_som_search *s, int which)
{
	const gemp_som_search_shape *shape = &s->shape;
	int used = snprintf(out, size, "-DSOM_METRIC=%d%s%s -DSOM_DIMS=%u -DSOM_STRIDE=%u", (int)s->metric,
	                    s->missing ? " -DSOM_MISSING" : "", which == BEST_TWO ? " -DSOM_TWO" : "", s->dims,
	                    gemp_som_stride(s->dims));
	if (shape->form == GEMP_SOM_FORM_REGISTERS)
		snprintf(out + used, size - (size_t)used, " -DSOM_REGISTERS -DSOM_GROUP=%u -DSOM_SAMPLES=%u -DSOM_UNITS=%u",
		         shape->group, shape->samples, shape->units);
	else if (shape->form == GEMP_SOM_FORM_TILES)
		snprintf(out + used, size - (size_t)used, " -DSOM_TILES");
	else
		snprintf(out + used, size - (size_t)used, " -DSOM_ITEMS -DSOM_BLOCKS=%u -DSOM_UNITS=%u", s->blocks,
		         shape->units);
}

/* A program is built when it is first needed, as most runs need only one program. `distances` is the last kernel that a
 * build makes, so the program is complete if this kernel exists. Kernels of a failed build are freed before the next
 * attempt. */
static gemp_code program_for(gemp_som_search *s, int which, search_program **out)
{
	search_program *program = *out = &s->programs[which];
	char options[256];
	if (program->distances)
		return GEMP_OK;
	gemp_kernels_free(&program->begin, &program->search, &program->seek);
	gemp_program_free(&program->program);
	options_of(options, sizeof options, s, which);
	return gemp_program_build(
		&program->program, s->device, "som_search.cl", options, { "som_begin", &program->begin },
		{ "som_search", &program->search },
		{ which == BEST_TWO && s->shape.form != GEMP_SOM_FORM_ITEMS ? "som_seek" : NULL, &program->seek },
		{ "som_distances", &program->distances });
}

gemp_code gemp_som_search_build(gemp_som_search *search, bool with_second)
{
	search_program *program;
	return program_for(search, with_second ? BEST_TWO : BEST, &program);
}

/* Returns the number of work-items for kernels whose work-items stride over the samples: enough to fill the device, and
 * at most one for each sample. */
static size_t items_for(const gemp_device *device, size_t count)
{
	size_t most = device->gpu ? device->units * (size_t)2048 : device->units * (size_t)4;
	return count < most ? count : most;
}

/* Returns the work-items of a group in the kernels begin, seek and distances. The form determines the group of the
 * search itself. */
static size_t group_for(const gemp_device *device)
{
	return device->gpu ? 128 : 1;
}

/* Searches the units on the device. The units are cut into chunks, so there are enough groups for the whole device even
 * with few samples. Groups with the same samples and different chunks combine their keys by atomic minimum. A chunk
 * that is larger than a tile has whole tiles of units, so all its tiles are full, except at the end of the units. */
static gemp_code launch_search(gemp_som_search *s, search_program *program, const gemp_som_samples *samples,
                               const gemp_som_codebook *book, const gemp_buffer *best, const gemp_buffer *second)
{
	const gemp_som_search_shape *shape = &s->shape;
	bool items = shape->form == GEMP_SOM_FORM_ITEMS;
	size_t of_block = (items                                ? 1
	                   : shape->form == GEMP_SOM_FORM_TILES ? TILE / 8
	                                                        : shape->group) *
	                  (size_t)shape->samples;
	size_t blocks = (samples->count + of_block - 1) / of_block;
	size_t wanted = s->device->units * (size_t)(items ? TASKS_OF_CORE : GROUPS_OF_UNIT);
	size_t chunks = (book->resident + (size_t)shape->chunk - 1) / shape->chunk;
	if (!program->seek) /* the kernel `seek` searches the best chunk of each sample again, so its chunks stay small */
		chunks = clamp(1, (wanted + blocks - 1) / blocks, chunks);
	chunks = clamp(1, INT32_MAX / blocks, chunks); /* groups are counted in 32 bits */
	cl_uint per = clamp(1, (book->resident + chunks - 1) / chunks, UINT32_MAX), tile = items ? STEP : shape->units;
	per = per % tile && per > tile ? per + tile - per % tile : per;
	chunks = (book->resident + (size_t)per - 1) / per;
	cl_ulong count = samples->count;
	cl_uint of_chunk = (cl_uint)blocks;
	const gemp_argument arguments[] = {
		GEMP_ARG(&samples->x.mem), GEMP_ARG(&samples->present.mem), GEMP_ARG(&count), GEMP_ARG(&book->w.mem),
		GEMP_ARG(&book->resident), GEMP_ARG(&book->first),          GEMP_ARG(&per),   GEMP_ARG(&of_chunk),
		GEMP_ARG(&best->mem),      GEMP_ARG(&second->mem)
	};
	const size_t argument_count = sizeof arguments / sizeof *arguments;
	GEMP_TRY(gemp_launch_with(s->device, program->search, blocks * chunks * shape->group, shape->group, arguments,
	                          argument_count));
	if (program->seek)
		return gemp_launch_with(s->device, program->seek, samples->count * SEEKERS, group_for(s->device), arguments,
		                        argument_count);
	return GEMP_OK;
}

/* Local. Keys start at GEMP_SOM_NO_KEY and become the minimum over the units, of which `resident` units are on the
 * device at a time. A key has the unit's number on the whole map, so the parts of the codebook may be searched in any
 * order. Without `second` the kernel gets `best` in its place and does not read it, since every OpenCL argument must be
 * set. */
gemp_code gemp_som_search_run(gemp_som_search *search, const gemp_som_samples *samples, gemp_som_codebook *book,
                              const gemp_buffer *best, const gemp_buffer *second)
{
	search_program *program;
	cl_ulong count = samples->count;
	const gemp_buffer *next = second ? second : best;
	assert(gemp_som_codebook_is_valid(book));
	GEMP_CHECK(samples->dims == search->dims && book->dims == search->dims && (search->missing || !samples->missing));
	GEMP_CHECK(!search->missing || samples->missing || count == 0);
	if (count == 0)
		return GEMP_OK;
	GEMP_TRY(program_for(search, second ? BEST_TWO : BEST, &program));
	GEMP_TRY(gemp_launch(search->device, program->begin, items_for(search->device, samples->count),
	                     group_for(search->device), GEMP_ARG(&best->mem), GEMP_ARG(&next->mem), GEMP_ARG(&count)));
	for (uint32_t first = 0; first < book->units; first += book->resident) {
		GEMP_TRY(gemp_som_codebook_load(book, first));
		GEMP_TRY(launch_search(search, program, samples, book, best, next));
	}
	return GEMP_OK;
}

/* Local. Both programs have this kernel, so a program that a search has built is used. The kernel skips keys whose unit
 * is not on the device. */
gemp_code gemp_som_search_distances(gemp_som_search *search, const gemp_som_samples *samples, gemp_som_codebook *book,
                                    const gemp_buffer *keys, const gemp_buffer *distance)
{
	search_program *program;
	cl_ulong count = samples->count;
	if (count == 0)
		return GEMP_OK;
	GEMP_TRY(program_for(
		search, search->programs[BEST_TWO].distances && !search->programs[BEST].distances ? BEST_TWO : BEST, &program));
	for (uint32_t first = 0; first < book->units; first += book->resident) {
		GEMP_TRY(gemp_som_codebook_load(book, first));
		GEMP_TRY(gemp_launch(search->device, program->distances, items_for(search->device, samples->count),
		                     group_for(search->device), GEMP_ARG(&samples->x.mem), GEMP_ARG(&samples->present.mem),
		                     GEMP_ARG(&count), GEMP_ARG(&book->w.mem), GEMP_ARG(&book->resident),
		                     GEMP_ARG(&book->first), GEMP_ARG(&keys->mem), GEMP_ARG(&distance->mem)));
	}
	return GEMP_OK;
}
