#include "command/apart.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* The file of a place, which may be a dataset: F.h5 of F.h5:/values. */
static size_t file_length(const char *place)
{
	const char *dataset = strstr(place, ".h5:");
	return dataset ? (size_t)(dataset - place) + strlen(".h5") : strlen(place);
}

static bool look(const char *place, struct stat *status)
{
	char path[4096];
	size_t length = file_length(place);
	if (length >= sizeof path)
		return false;
	snprintf(path, sizeof path, "%.*s", (int)length, place);
	return stat(path, status) == 0;
}

/* A name that is not there yet is only itself. */
static bool same_file(const char *one, const char *other)
{
	struct stat a, b;
	size_t length = file_length(one);
	if (length == file_length(other) && memcmp(one, other, length) == 0)
		return true;
	return look(one, &a) && look(other, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static gemp_code apart_from(const char *option, const char *path, const char *dashes, const char *what,
                            const char *other)
{
	if (!other || !same_file(path, other))
		return GEMP_OK;
	return gemp_fail(GEMP_EUSAGE, "--%s %s is the file of %s%s, too; give it a name of its own", option, path, dashes,
	                 what);
}

/* By what help calls its value. */
static bool takes_file(const gemp_option *option)
{
	static const char *const files[] = { "FILE", "G.h5", "H.h5", "F", "F.dot", "F.jsonl", "OUT" };
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		if (option->value && strcmp(option->value, files[i]) == 0)
			return true;
	return false;
}

static gemp_code is_apart(const gemp_options *options, const char *option, const char *path)
{
	gemp_code code = GEMP_OK;
	if (!path || strcmp(path, "-") == 0)
		return GEMP_OK;
	for (size_t i = 0; i < options->argument_count; i++)
		GEMP_TRY(apart_from(option, path, "", "an argument", options->arguments[i]));
	for (size_t i = 0; i < options->given_count; i++) {
		const gemp_given *given = &options->given[i];
		if (takes_file(given->option) && strcmp(given->option->name, option) != 0)
			GEMP_TRY(apart_from(option, path, "--", given->option->name, given->text));
	}
done:
	return code;
}

gemp_code gemp_files_apart(const gemp_options *options)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(is_apart(options, "trace", options->trace));
	GEMP_TRY(is_apart(options, "json", options->json));
	GEMP_TRY(is_apart(options, "output", options->output));
	GEMP_TRY(is_apart(options, "subgraph", options->subgraph));
	GEMP_TRY(is_apart(options, "dot", options->dot));
	GEMP_TRY(is_apart(options, "tree", options->tree));
	GEMP_TRY(is_apart(options, "unitigs", options->unitigs));
	GEMP_TRY(is_apart(options, "gfa", options->gfa));
done:
	return code;
}
