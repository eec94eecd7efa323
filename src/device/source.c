#include "device/device.h"
#include "device/embedded.h"

#include "core/memory.h"
#include "core/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 8 }; /* includes within includes */

static gemp_code read_file(gemp_text *out, FILE *file, const char *path)
{
	char piece[4096];
	size_t got;
	while ((got = fread(piece, 1, sizeof piece, file)) > 0)
		gemp_text_add(out, piece, got);
	if (ferror(file))
		return gemp_fail(GEMP_EIO, "%s: %s", path, strerror(errno));
	return gemp_text_status(out);
}

/* From GEMP_KERNEL_DIR where that has the file, else the one within the program. */
static gemp_code read_kernel(gemp_text *out, const char *name)
{
	const char *folder = getenv("GEMP_KERNEL_DIR");
	if (folder && *folder) {
		char path[4096];
		snprintf(path, sizeof path, "%s/%s", folder, name);
		FILE *file = fopen(path, "rb");
		if (file) {
			gemp_code code = read_file(out, file, path);
			fclose(file);
			return code;
		}
		if (errno != ENOENT)
			return gemp_fail(GEMP_ENOINPUT, "%s: %s (GEMP_KERNEL_DIR)", path, strerror(errno));
	}
	for (size_t i = 0; i < gemp_embedded_count; i++)
		if (strcmp(gemp_embedded_files[i].name, name) == 0) {
			gemp_text_add(out, gemp_embedded_files[i].text, gemp_embedded_files[i].size);
			return gemp_text_status(out);
		}
	return gemp_fail(GEMP_EINTERNAL, "there is no kernel file %s", name);
}

/* The name in `#include "name"`, or an empty one. */
static void included_name(char name[64], const char *line, size_t length)
{
	char copy[128];
	name[0] = '\0';
	if (length < sizeof copy) {
		memcpy(copy, line, length);
		copy[length] = '\0';
		sscanf(copy, " # include \"%63[^\"]\"", name);
	}
}

static gemp_code expand(gemp_text *out, const char *file, int depth)
{
	gemp_code code = GEMP_OK;
	gemp_text text = { 0 };
	if (depth > DEEPEST)
		return gemp_fail(GEMP_EINTERNAL, "kernel file %s: #include goes in a circle", file);
	GEMP_TRY(read_kernel(&text, file));
	gemp_text_print(out, "#line 1 \"%s\"\n", file);
	int number = 1;
	for (size_t at = 0; at < text.size; number++) {
		const char *line = text.data + at, *end = memchr(line, '\n', text.size - at);
		size_t length = end ? (size_t)(end - line) : text.size - at;
		char name[64];
		included_name(name, line, length);
		if (name[0]) {
			GEMP_TRY(expand(out, name, depth + 1));
			gemp_text_print(out, "#line %d \"%s\"\n", number + 1, file);
		} else {
			gemp_text_add(out, line, length);
			gemp_text_add(out, "\n", 1);
		}
		at += length + 1;
	}
	GEMP_TRY(gemp_text_status(out));
done:
	gemp_text_free(&text);
	return code;
}

gemp_code gemp_kernel_source(char **out, const char *file)
{
	gemp_text text = { 0 };
	gemp_code code = expand(&text, file, 0);
	if (code == GEMP_OK)
		*out = text.data;
	else
		gemp_text_free(&text);
	return code;
}
