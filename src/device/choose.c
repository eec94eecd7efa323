#include "device/choose.h"

#include "device/identity.h"

#include "core/text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool contains(const char *name, const char *part, size_t length)
{
	for (; *name; name++)
		if (strncasecmp(name, part, length) == 0)
			return true;
	return false;
}

static bool is_word(const char *part, size_t length, const char *word)
{
	return length == strlen(word) && strncasecmp(part, word, length) == 0;
}

static bool has_gpu(const gemp_device_info *devices, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (devices[i].gpu)
			return true;
	return false;
}

static bool fits(const gemp_device_info *devices, size_t count, size_t index, const char *part, size_t length)
{
	const gemp_device_info *device = &devices[index];
	if (is_word(part, length, "auto") || is_word(part, length, "all"))
		return device->gpu == has_gpu(devices, count);
	if (is_word(part, length, "gpu"))
		return device->gpu;
	if (is_word(part, length, "cpu"))
		return !device->gpu;
	if (strspn(part, "0123456789") >= length)
		return strtoull(part, NULL, 10) == index || gemp_device_is(device, part, length);
	return gemp_device_is(device, part, length) || contains(device->name, part, length) || contains(device->platform, part, length);
}

static size_t add(size_t *chosen, size_t chosen_count, size_t index)
{
	for (size_t i = 0; i < chosen_count; i++)
		if (chosen[i] == index)
			return chosen_count;
	chosen[chosen_count] = index;
	return chosen_count + 1;
}

/* What one word added, from `first` on: as it lies on the PCI bus. */
static void sort_by_place(const gemp_device_info *devices, size_t *chosen, size_t first, size_t count)
{
	for (size_t i = first + 1; i < count; i++)
		for (size_t j = i; j > first && gemp_device_compare(&devices[chosen[j]], &devices[chosen[j - 1]]) < 0; j--) {
			size_t other = chosen[j - 1];
			chosen[j - 1] = chosen[j];
			chosen[j] = other;
		}
}

static gemp_code none_fits(const char *spec, const char *part, size_t length, const gemp_device_info *devices,
                           size_t count)
{
	gemp_text there = { 0 };
	for (size_t i = 0; i < count; i++)
		gemp_text_print(&there, "%s%zu: %s (%s, %s%s%s)", i ? "; " : "", i, devices[i].name,
		                devices[i].gpu ? "gpu" : "cpu", devices[i].platform, devices[i].pci[0] ? ", " : "",
		                devices[i].pci);
	gemp_fail(GEMP_ENODEVICE, "no OpenCL device fits '%.*s' of --devices '%s'; this machine has %s", (int)length,
	          part, spec, there.data ? there.data : "none");
	gemp_text_free(&there);
	return GEMP_ENODEVICE;
}

gemp_code gemp_device_choose(const char *spec, const gemp_device_info *devices, size_t count, size_t *chosen,
                             size_t *chosen_count)
{
	*chosen_count = 0;
	if (!spec || !*spec)
		spec = "auto";
	for (const char *part = spec;;) {
		size_t length = strcspn(part, ","), found = 0, first = *chosen_count;
		for (size_t i = 0; i < count && length; i++)
			if (fits(devices, count, i, part, length)) {
				*chosen_count = add(chosen, *chosen_count, i);
				found++;
			}
		if (!found)
			return none_fits(spec, part, length, devices, count);
		sort_by_place(devices, chosen, first, *chosen_count);
		if (part[length] == '\0')
			return GEMP_OK;
		part += length + 1;
	}
}

bool gemp_device_shares_out(const char *spec)
{
	return spec && (strchr(spec, ',') || is_word(spec, strlen(spec), "all"));
}

void gemp_device_share(const char *spec, size_t chosen, int node_rank, int node_size, size_t *first, size_t *count)
{
	size_t rank = (size_t)node_rank, ranks = (size_t)node_size;
	*first = rank % chosen;
	*count = 1;
	if (!gemp_device_shares_out(spec) || chosen <= ranks)
		return;
	*first = chosen * rank / ranks;
	*count = chosen * (rank + 1) / ranks - *first;
}
