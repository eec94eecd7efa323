#include "device/tuning.h"

#include "core/memory.h"
#include "core/text.h"
#include "device/program.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const gemp_tunable tunables[] = {
	{ "nested.lanes", 2, 32, true, "cycle:4", true, "lanes that share a row in nested counting" },
	{ "nested.group", 32, 1024, true, "cycle:4", true, "work-items of a work-group in nested counting" },
	{ "nested.local", 1024, 32768, true, "cycle:5", true, "bytes of local memory for bitmaps in nested counting" },
	{ "match.group", 32, 1024, true, NULL, false, "work-items of a work-group in searches" },
	{ "match.unit_items", 64, 1u << 14, true, NULL, false, "work-items a compute unit in searches" },
	{ "match.chunk_cost", 1, 1u << 31, false, NULL, false, "entries of rows below which a chunk of pivots is not cut" },
	{ "induced.group", 32, 1024, true, NULL, false, "work-items of a work-group that copies induced rows" },
	{ "count.triangle.lanes", 1, 32, true, "triangle", false, "lanes that share a row in sums over triangles" },
	{ "count.triangle.group", 32, 1024, true, "triangle", false, "work-items of a work-group in sums over triangles" },
	{ "count.wedges.lanes", 1, 32, true, "cycle:4", false, "lanes that share a row while two-paths are counted" },
	{ "count.wedges.group", 64, 1024, true, "cycle:4", false,
	  "work-items of a work-group while two-paths are counted" },
	{ "count.wedges.window", 1024, 16384, true, "cycle:4", false, "words of a window of counters in local memory" },
	{ "count.clique.group", 32, 1024, true, "clique:4", false, "work-items of a work-group in sums over cliques" },
	{ "sort.host_below", 1, 1u << 31, false, NULL, false, "keys below which the host sorts" },
	{ "distinct.host_below", 1, 1u << 31, false, NULL, false, "keys below which the host finds the distinct ones" },
	{ "edges.host_below", 1, 1u << 31, false, NULL, false, "rows and edges below which the host lists edges" },
	{ "degrees.host_below", 1, 1u << 31, false, NULL, false, "rows and edges below which the host counts edges" },
	{ "reverse.host_below", 1, 1u << 31, false, NULL, false, "rows and edges below which the host turns edges round" },
	{ "components.host_below", 1, 1u << 31, false, NULL, false,
	  "rows and edges below which the host finds components" },
	{ "gas.pull.group", 32, 1024, true, NULL, false, "work-items of a work-group that gathers over rows" },
	{ "gas.pull.groups", 1, 1u << 16, true, NULL, false, "work-groups per compute unit, for gathering over rows" },
	{ "gas.pull.slice", 32, 1u << 20, true, NULL, false, "edges of a slice of a long row in gathering" },
	{ "gas.pull.middle", 1, 1u << 20, true, NULL, false, "edges; rows with more are shared by gas.pull.middle_lanes" },
	{ "gas.pull.middle_lanes", 1, 32, true, NULL, false, "lanes that share a row of middle length in gathering" },
	{ "gas.pull.lanes", 1, 32, true, NULL, false, "lanes that share a short row in gathering" },
	{ "gas.bin.range", 256, 32768, true, NULL, false, "rows of a bin in gathering" },
	{ "gas.bin.tile", 1024, 1u << 24, true, NULL, false, "edges of a bin that a work-group goes through" },
	{ "euler.host_below", 1, 1u << 31, false, NULL, false, "edges below which the host finds Euler circuits" },
};

enum { TUNABLES = sizeof tunables / sizeof *tunables };
_Static_assert(sizeof tunables / sizeof *tunables <= (size_t)GEMP_MAX_TUNINGS, "GEMP_MAX_TUNINGS is too small");

/* This table is the only list of names. Files, `bench tune` and gemp_tuning use it. */
const gemp_tunable *gemp_tunables(size_t *count)
{
	*count = TUNABLES;
	return tunables;
}

/* A linear search suffices, since there are few names, and a number is looked up once for each run of an engine. */
static size_t find(const char *name)
{
	size_t i = 0;
	while (i < TUNABLES && strcmp(tunables[i].name, name) != 0)
		i++;
	return i;
}

/* On a CPU device a number with gpu_only is ignored, even if the device's file has it. */
uint32_t gemp_tuning(const gemp_device *device, const char *name, uint32_t otherwise)
{
	size_t i = find(name);
	GEMP_CHECK(i < TUNABLES);
	return device->tuning.values[i] && !(tunables[i].gpu_only && !device->gpu) ? device->tuning.values[i] : otherwise;
}

/* `bench tune` tries values with this function, without a file. */
void gemp_tuning_set(gemp_device *device, const char *name, uint32_t value)
{
	size_t i = find(name);
	GEMP_CHECK(i < TUNABLES);
	device->tuning.values[i] = value;
}

/* The message suggests the nearest name, because most unknown names are misspelt. */
static gemp_code unknown(const char *place, const char *name)
{
	const char *names[TUNABLES];
	for (size_t i = 0; i < TUNABLES; i++)
		names[i] = tunables[i].name;
	const char *near = gemp_text_nearest(name, names, TUNABLES);
	return gemp_fail(GEMP_EUSAGE, "%s: there is no tuning of the name %s%s%s%s", place, name,
	                 near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

/* Only powers of 2 are allowed, since kernels divide by these numbers and compilers turn such divisions into shifts. */
static gemp_code set_tunable(void *self, const char *place, char *name, char *text)
{
	gemp_tuning_table *table = self;
	char *end;
	size_t i = find(name);
	if (i == TUNABLES)
		return unknown(place, name);
	const gemp_tunable *t = &tunables[i];
	errno = 0;
	unsigned long value = strtoul(text, &end, 10);
	bool power = value && (value & (value - 1)) == 0;
	if (!isdigit((unsigned char)*text) || *end || errno || !power || value < t->min || value > t->max)
		return gemp_fail(GEMP_EUSAGE, "%s: %s: '%s' is not a power of 2 from %" PRIu32 " to %" PRIu32, place, name,
		                 text, t->min, t->max);
	table->values[i] = (uint32_t)value;
	return GEMP_OK;
}

/* Clears the table first, since all numbers of a table are from one file. */
gemp_code gemp_tuning_parse(gemp_tuning_table *table, const char *path, const char *text)
{
	memset(table, 0, sizeof *table);
	snprintf(table->source, sizeof table->source, "%s", path);
	return gemp_settings_parse(path, text, "name", set_tunable, table);
}

/* If there is no such file, *found becomes false, and it is an error if the file is required. */
static gemp_code parse_file(gemp_tuning_table *table, const char *path, bool required, bool *found)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	FILE *file = fopen(path, "r");
	*found = file != NULL;
	if (!file)
		return required ? gemp_fail(GEMP_ENOINPUT, "%s: %s (GEMP_TUNING)", path, strerror(errno)) : GEMP_OK;
	gemp_code code = gemp_text_read(&text, file, path);
	fclose(file);
	GEMP_THEN(gemp_tuning_parse(table, path, text.data));
	return code;
}

/* Letters become small, digits stay, and each run of other characters becomes one hyphen. There is no hyphen at the
 * beginning or the end. */
void gemp_tuning_file_name(char name[GEMP_TUNING_NAME], const char *device_name)
{
	size_t size = 0;
	for (; *device_name && size + sizeof ".conf" < GEMP_TUNING_NAME; device_name++)
		if (isalnum((unsigned char)*device_name))
			name[size++] = (char)tolower((unsigned char)*device_name);
		else if (size && name[size - 1] != '-')
			name[size++] = '-';
	while (size && name[size - 1] == '-')
		size--;
	strcpy(name + size, ".conf");
}

/* Returns false if the user has no home or the path is too long. Then an embedded file is used. */
static bool user_path(char *path, size_t room, const char *name)
{
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int length = -1;
	if (xdg && *xdg)
		length = snprintf(path, room, "%s/gemp-mpi/tuning/%s", xdg, name);
	else if (home && *home)
		length = snprintf(path, room, "%s/.config/gemp-mpi/tuning/%s", home, name);
	return length > 0 && (size_t)length < room;
}

/* Uses only the first file that exists. Files are not merged, so a user can see all numbers in one place. */
gemp_code gemp_tuning_load(gemp_tuning_table *table, const char *device_name)
{
	const char *given = getenv("GEMP_TUNING");
	char name[GEMP_TUNING_NAME], path[4096];
	bool found = false;
	gemp_code code = GEMP_OK;
	memset(table, 0, sizeof *table);
	if (given)
		return *given ? parse_file(table, given, true, &found) : GEMP_OK;
	gemp_tuning_file_name(name, device_name);
	if (user_path(path, sizeof path, name))
		code = parse_file(table, path, false, &found);
	for (size_t i = 0; code == GEMP_OK && !found && i < gemp_embedded_count; i++)
		if (strcmp(gemp_embedded_files[i].name, name) == 0)
			code = gemp_tuning_parse(table, name, gemp_embedded_files[i].text);
	return code;
}

/* With GEMP_PLACE_AUTO and a limit of 0 the host does all work. */
bool gemp_use_device(const gemp_device *device, gemp_placement place, uint64_t items, const char *tuning,
                     uint32_t otherwise)
{
	if (!device || place == GEMP_PLACE_HOST)
		return false;
	uint32_t below = gemp_tuning(device, tuning, device->gpu ? otherwise : 0);
	return place == GEMP_PLACE_DEVICE || (below && items >= below);
}
