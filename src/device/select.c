#include "device/select.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/text.h"
#include "device/cache.h"
#include "device/device.h"
#include "device/drivers.h"

#include <CL/cl_ext.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { PCI_BUS_NV = 0x4008, PCI_SLOT_NV = 0x4009, PCI_DOMAIN_NV = 0x400A }; /* cl_nv_device_attribute_query */
enum { UUID_SIZE = 16, LEAST_UUID_DIGITS = 8 };

static bool query(cl_device_id id, cl_device_info what, void *out, size_t size)
{
	return clGetDeviceInfo(id, what, size, out, NULL) == CL_SUCCESS;
}

/* The Khronos extension has all four numbers. NVIDIA's older extension has the bus and a slot: the upper bits of the
 * slot are the device, and the lower three bits are the function. */
static void find_pci(gemp_device_info *info, cl_device_id id)
{
	struct {
		cl_uint domain, bus, device, function;
	} place = { 0 };
	cl_uint slot = 0;
	bool known = query(id, CL_DEVICE_PCI_BUS_INFO_KHR, &place, sizeof place);
	if (!known && query(id, PCI_BUS_NV, &place.bus, sizeof place.bus) && query(id, PCI_SLOT_NV, &slot, sizeof slot)) {
		known = true;
		place.device = slot >> 3;
		place.function = slot & 7;
		if (!query(id, PCI_DOMAIN_NV, &place.domain, sizeof place.domain))
			place.domain = 0;
	}
	if (known)
		snprintf(info->pci, sizeof info->pci, "%04x:%02x:%02x.%x", place.domain & 0xFFFFF, place.bus & 0xFF,
		         place.device & 0xFF, place.function & 0xF);
}

/* Ignores a UUID of zeros, which some drivers return for all of their devices. */
static void find_uuid(gemp_device_info *info, cl_device_id id)
{
	unsigned char u[UUID_SIZE] = { 0 }, any = 0;
	if (!query(id, CL_DEVICE_UUID_KHR, u, sizeof u))
		return;
	for (size_t i = 0; i < sizeof u; i++)
		any |= u[i];
	if (any)
		snprintf(info->uuid, sizeof info->uuid,
		         "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0], u[1], u[2], u[3],
		         u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14], u[15]);
}

/* Fills info->pci ("0000:65:00.0") and info->uuid ("GPU-01234567-89ab-...", as nvidia-smi writes it), with "" if the
 * driver does not know them. info->gpu must be set. */
static void device_identify(gemp_device_info *info, cl_device_id id)
{
	info->pci[0] = info->uuid[0] = '\0';
	if (!info->gpu)
		return;
	find_pci(info, id);
	find_uuid(info, id);
}

/* Returns a place on the PCI bus as one number, or -1 if the text is not such a place. */
static long long pci_number(const char *text, size_t length)
{
	char copy[24];
	unsigned domain = 0, bus, device, function = 0;
	int end = 0;
	if (length >= sizeof copy || !memchr(text, ':', length))
		return -1;
	memcpy(copy, text, length);
	copy[length] = '\0';
	bool domained = strchr(copy, ':') != strrchr(copy, ':');
	int read = domained ? sscanf(copy, "%8x:%2x:%2x%n", &domain, &bus, &device, &end) - 1
	                    : sscanf(copy, "%2x:%2x%n", &bus, &device, &end);
	if (read != 2 || strspn(copy, "0123456789abcdefABCDEF:.") != length)
		return -1;
	if (copy[end] == '.' && sscanf(copy + end, ".%1x", &function) == 1)
		end += 2;
	if (copy[end])
		return -1;
	return (long long)domain << 20 | (long long)bus << 12 | device << 4 | function;
}

/* Copies the hexadecimal digits of text[0..length) without hyphens. Returns false if there are other characters, fewer
 * than 8 digits or more than 32. */
static bool digits(char out[2 * UUID_SIZE + 1], const char *text, size_t length)
{
	size_t count = 0;
	if (length > 4 && strncasecmp(text, "GPU-", 4) == 0) {
		text += 4;
		length -= 4;
	}
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '-')
			continue;
		if (!isxdigit((unsigned char)text[i]) || count == 2 * UUID_SIZE)
			return false;
		out[count++] = (char)tolower((unsigned char)text[i]);
	}
	out[count] = '\0';
	return count >= LEAST_UUID_DIGITS;
}

/* Does text[0..length) name the device? A PCI place is "65:00.0", "0000:65:00.0" or "00000000:65:00.0", and the
 * function may be left out. A UUID may have the prefix "GPU-", and its first eight digits or more suffice. Upper and
 * lower case are equal. */
static bool device_matches(const gemp_device_info *info, const char *text, size_t length)
{
	char wanted[2 * UUID_SIZE + 1], own[2 * UUID_SIZE + 1];
	long long place = pci_number(text, length);
	if (place >= 0)
		return info->pci[0] && place == pci_number(info->pci, strlen(info->pci));
	return digits(wanted, text, length) && digits(own, info->uuid, strlen(info->uuid)) &&
	       strncmp(own, wanted, strlen(wanted)) == 0;
}

/* Compares the places of a and b on the PCI bus, like memcmp. A device without a place is equal to all, so that a
 * stable sort keeps it where it is. */
static int compare_pci(const gemp_device_info *a, const gemp_device_info *b)
{
	long long first = pci_number(a->pci, strlen(a->pci)), second = pci_number(b->pci, strlen(b->pci));
	if (first < 0 || second < 0)
		return 0;
	return (first > second) - (first < second);
}

/* CPU devices have no UUID and no place on the bus. Their platform, name and index identify them on one machine. */
void gemp_device_identity(char out[GEMP_IDENTITY_SIZE], const gemp_device_info *info, int index)
{
	memset(out, 0, GEMP_IDENTITY_SIZE);
	if (info->uuid[0] || info->pci[0])
		snprintf(out, GEMP_IDENTITY_SIZE, "%s", info->uuid[0] ? info->uuid : info->pci);
	else
		snprintf(out, GEMP_IDENTITY_SIZE, "%d %.60s %.60s", index, info->platform, info->name);
}

/* Copies as much as fits. */
static void copy_text(char *out, size_t size, const char *text)
{
	size_t length = strlen(text);
	if (length >= size)
		length = size - 1;
	memcpy(out, text, length);
	out[length] = '\0';
}

/* A property that the driver does not know becomes an empty text. */
static void device_text(char *out, size_t size, cl_device_id id, cl_device_info what)
{
	char text[1024] = "";
	clGetDeviceInfo(id, what, sizeof text, text, NULL);
	copy_text(out, size, text);
}

/* Every device that is not a CPU counts as a GPU, since accelerators have lanes and memory of their own, too. */
static gemp_code query_info(gemp_device_info *out, cl_platform_id platform, cl_device_id id)
{
	cl_device_type type = 0;
	cl_uint units = 0;
	cl_ulong memory = 0, largest = 0, local = 0;
	char text[1024] = "";
	*out = (gemp_device_info){ 0 };
	device_text(out->name, sizeof out->name, id, CL_DEVICE_NAME);
	device_text(out->vendor, sizeof out->vendor, id, CL_DEVICE_VENDOR);
	device_text(out->driver, sizeof out->driver, id, CL_DRIVER_VERSION);
	GEMP_TRY(GEMP_CL(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof text, text, NULL)));
	copy_text(out->platform, sizeof out->platform, text);
	GEMP_TRY(GEMP_CL(clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, NULL)));
	GEMP_TRY(GEMP_CL(clGetDeviceInfo(id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL)));
	GEMP_TRY(GEMP_CL(clGetDeviceInfo(id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL)));
	GEMP_TRY(GEMP_CL(clGetDeviceInfo(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof largest, &largest, NULL)));
	GEMP_TRY(GEMP_CL(clGetDeviceInfo(id, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local, &local, NULL)));
	out->gpu = (type & CL_DEVICE_TYPE_CPU) == 0;
	out->units = units;
	out->memory = memory;
	out->max_buffer = largest;
	out->local_memory = local;
	device_identify(out, id);
	return GEMP_OK;
}

/* Appends the devices of one platform, which may have none. */
static gemp_code add_platform(cl_platform_id platform, gemp_device_info **infos, cl_device_id **ids, size_t *count)
{
	cl_uint number = 0;
	if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &number) != CL_SUCCESS || number == 0)
		return GEMP_OK;
	size_t info_capacity = *count, id_capacity = *count;
	GEMP_TRY(GEMP_RESERVE(*infos, info_capacity, *count + number));
	GEMP_TRY(GEMP_RESERVE(*ids, id_capacity, *count + number));
	GEMP_TRY(GEMP_CL(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, number, *ids + *count, NULL)));
	for (cl_uint i = 0; i < number; i++, ++*count)
		GEMP_TRY(query_info(&(*infos)[*count], platform, (*ids)[*count]));
	return GEMP_OK;
}

/* Like gemp_device_list, with handles: ids[i] is the handle of out[i]. The caller frees both arrays. Finding no device
 * is no error. */
static gemp_code list_ids(gemp_device_info **out, cl_device_id **ids, size_t *count)
{
	GEMP_OWNED gemp_device_info *infos = NULL;
	GEMP_OWNED cl_device_id *own_ids = NULL;
	GEMP_OWNED cl_platform_id *platforms = NULL;
	size_t found = 0;
	cl_uint number = 0;
	*out = NULL;
	*ids = NULL;
	*count = 0;
	gemp_pocl_claim_folder();
	gemp_drivers_wait();
	/* an ICD loader without platforms returns an error of its own */
	if (clGetPlatformIDs(0, NULL, &number) != CL_SUCCESS)
		number = 0;
	GEMP_TRY(GEMP_NEW(platforms, number));
	if (number)
		GEMP_TRY(GEMP_CL(clGetPlatformIDs(number, platforms, NULL)));
	for (cl_uint i = 0; i < number; i++)
		GEMP_TRY(add_platform(platforms[i], &infos, &own_ids, &found));
	*out = infos;
	*ids = own_ids;
	*count = found;
	infos = NULL;
	own_ids = NULL;
	return GEMP_OK;
}

/* The handles are dropped, since drivers keep their devices without a reference of ours. */
gemp_code gemp_device_list(gemp_device_info **out, size_t *count)
{
	GEMP_OWNED cl_device_id *ids = NULL;
	return list_ids(out, &ids, count);
}

/* Ignores case, because users type the names. */
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

/* If there is no GPU, the words auto and all mean CPUs. */
static bool has_gpu(const gemp_device_info *devices, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (devices[i].gpu)
			return true;
	return false;
}

/* A word of digits alone is an index or a part of a UUID, never a part of a name: "0" would fit nearly every name. */
static bool spec_fits(const gemp_device_info *devices, size_t count, size_t index, const char *part, size_t length)
{
	const gemp_device_info *device = &devices[index];
	if (is_word(part, length, "auto") || is_word(part, length, "all"))
		return device->gpu == has_gpu(devices, count);
	if (is_word(part, length, "gpu"))
		return device->gpu;
	if (is_word(part, length, "cpu"))
		return !device->gpu;
	if (strspn(part, "0123456789") >= length)
		return strtoull(part, NULL, 10) == index || device_matches(device, part, length);
	return device_matches(device, part, length) || contains(device->name, part, length) ||
	       contains(device->platform, part, length);
}

/* A device that fits several words is chosen once, at the first of these words. */
static size_t add_index(size_t *chosen, size_t chosen_count, size_t index)
{
	for (size_t i = 0; i < chosen_count; i++)
		if (chosen[i] == index)
			return chosen_count;
	chosen[chosen_count] = index;
	return chosen_count + 1;
}

/* Sorts the devices of one word, from `first` on, by their places on the PCI bus. */
static void sort_by_pci(const gemp_device_info *devices, size_t *chosen, size_t first, size_t count)
{
	for (size_t i = first + 1; i < count; i++)
		for (size_t j = i; j > first && compare_pci(&devices[chosen[j]], &devices[chosen[j - 1]]) < 0; j--) {
			size_t other = chosen[j - 1];
			chosen[j - 1] = chosen[j];
			chosen[j] = other;
		}
}

/* The message lists the machine's devices, so the user can choose without another command. */
static gemp_code no_match(const char *spec, const char *part, size_t length, const gemp_device_info *devices,
                          size_t count)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text there = { 0 };
	for (size_t i = 0; i < count; i++)
		gemp_text_print(&there, "%s%zu: %s (%s, %s%s%s)", i ? "; " : "", i, devices[i].name,
		                devices[i].gpu ? "gpu" : "cpu", devices[i].platform, devices[i].pci[0] ? ", " : "",
		                devices[i].pci);
	return gemp_fail(GEMP_ENODEVICE, "no OpenCL device fits '%.*s' of devices '%s'; this machine has %s", (int)length,
	                 part, spec, there.data ? there.data : "none");
}

/* Handles the words one by one. An empty word fits no device and is an error. */
gemp_code gemp_device_choose(const char *spec, const gemp_device_info *devices, size_t count, size_t *chosen,
                             size_t *chosen_count)
{
	*chosen_count = 0;
	if (!spec || !*spec)
		spec = "auto";
	for (const char *part = spec;;) {
		size_t length = strcspn(part, ","), found = 0, first = *chosen_count;
		for (size_t i = 0; i < count && length; i++)
			if (spec_fits(devices, count, i, part, length)) {
				*chosen_count = add_index(chosen, *chosen_count, i);
				found++;
			}
		if (!found)
			return no_match(spec, part, length, devices, count);
		sort_by_pci(devices, chosen, first, *chosen_count);
		if (part[length] == '\0')
			return GEMP_OK;
		part += length + 1;
	}
}

bool gemp_device_spec_prefers_gpus(const char *spec)
{
	const size_t length = spec ? strlen(spec) : 0;
	return !length || is_word(spec, length, "auto") || is_word(spec, length, "all") || is_word(spec, length, "gpu");
}

bool gemp_device_spec_is_list(const char *spec)
{
	return spec && (strchr(spec, ',') || is_word(spec, strlen(spec), "all"));
}

/* With a list of more devices than ranks, each rank has a contiguous range, since neighbours on the bus often share a
 * switch. Otherwise the ranks use one device each, in turn. */
void gemp_device_rank_range(const char *spec, size_t chosen, int node_rank, int node_size, size_t *first, size_t *count)
{
	size_t rank = (size_t)node_rank, ranks = (size_t)node_size;
	*first = rank % chosen;
	*count = 1;
	if (!gemp_device_spec_is_list(spec) || chosen <= ranks)
		return;
	*first = chosen * rank / ranks;
	*count = chosen * (rank + 1) / ranks - *first;
}

/* PoCL silently hides its devices if it cannot write its cache folder, so the message names the folder. */
static gemp_code no_device(const char *spec)
{
	const char *pocl = getenv("POCL_CACHE_DIR");
	return gemp_fail(GEMP_ENODEVICE,
	                 "no OpenCL device on this machine (devices %s). For the CPU: apt install "
	                 "pocl-opencl-icd. For an NVIDIA GPU: its driver, and a file /etc/OpenCL/vendors/nvidia.icd with "
	                 "the line libnvidia-opencl.so.1. PoCL hides its devices when it cannot write to POCL_CACHE_DIR "
	                 "(now %s)",
	                 spec && *spec ? spec : "auto", pocl ? pocl : "not set");
}

/* The devices that a --devices text chooses. */
typedef struct device_set {
	gemp_device_info *infos;
	cl_device_id *ids;
	size_t *chosen, count;
} device_set;

/* Lists all devices of the machine and chooses among them. */
static gemp_code choose_set(device_set *c, const char *spec)
{
	size_t all = 0;
	GEMP_TRY(list_ids(&c->infos, &c->ids, &all));
	if (all == 0)
		return no_device(spec);
	GEMP_TRY(GEMP_NEW(c->chosen, all));
	return gemp_device_choose(spec, c->infos, all, c->chosen, &c->count);
}

/* Frees the list of handles; the devices belong to the driver. */
static void free_set(device_set *c)
{
	gemp_free_all(c->chosen, c->ids, c->infos);
}

/* Hashes the identities in the order of the choice, because ranks use the devices in this order. */
gemp_code gemp_device_spec_hash(uint64_t *digest, const char *spec)
{
	char identity[GEMP_IDENTITY_SIZE];
	GEMP_OWNED_BY(free_set) device_set c = { 0 };
	*digest = 0;
	GEMP_TRY(choose_set(&c, spec));
	for (size_t i = 0; i < c.count; i++) {
		gemp_device_identity(identity, &c.infos[c.chosen[i]], (int)c.chosen[i]);
		*digest = gemp_hash(identity, sizeof identity, *digest);
	}
	return GEMP_OK;
}

/* A rank's position among the ranks on the same device follows from its number on the node, so no message is needed. */
gemp_code gemp_device_assign(gemp_device_pick **picks, size_t *count, const char *spec, int node_rank, int node_size)
{
	GEMP_OWNED_BY(free_set) device_set c = { 0 };
	size_t first;
	*picks = NULL;
	GEMP_TRY(choose_set(&c, spec));
	gemp_device_rank_range(spec, c.count, node_rank, node_size, &first, count);
	GEMP_TRY(GEMP_NEW(*picks, *count));
	int devices = (int)c.count, ranks = devices < node_size ? (node_size - (int)first + devices - 1) / devices : 1;
	for (size_t i = 0; i < *count; i++) {
		size_t index = c.chosen[first + i];
		(*picks)[i] = (gemp_device_pick){ .id = c.ids[index],
			                              .info = c.infos[index],
			                              .index = (int)index,
			                              .shared_by = ranks,
			                              .position = devices < node_size ? node_rank / devices : 0 };
	}
	return GEMP_OK;
}
