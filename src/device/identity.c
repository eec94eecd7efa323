#include "device/identity.h"

#include <CL/cl_ext.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { PCI_BUS_NV = 0x4008, PCI_SLOT_NV = 0x4009, PCI_DOMAIN_NV = 0x400A }; /* cl_nv_device_attribute_query */
enum { UUID_SIZE = 16, LEAST_UUID_DIGITS = 8 };

static bool ask(cl_device_id id, cl_device_info what, void *out, size_t size)
{
	return clGetDeviceInfo(id, what, size, out, NULL) == CL_SUCCESS;
}

static void find_pci(gemp_device_info *info, cl_device_id id)
{
	struct { cl_uint domain, bus, device, function; } place = { 0 };
	cl_uint slot = 0;
	bool known = ask(id, CL_DEVICE_PCI_BUS_INFO_KHR, &place, sizeof place);
	if (!known && ask(id, PCI_BUS_NV, &place.bus, sizeof place.bus) && ask(id, PCI_SLOT_NV, &slot, sizeof slot)) {
		known = true;
		place.device = slot >> 3;
		place.function = slot & 7;
		if (!ask(id, PCI_DOMAIN_NV, &place.domain, sizeof place.domain))
			place.domain = 0;
	}
	if (known)
		snprintf(info->pci, sizeof info->pci, "%04x:%02x:%02x.%x", place.domain & 0xFFFFF, place.bus & 0xFF,
		         place.device & 0xFF, place.function & 0xF);
}

static void find_uuid(gemp_device_info *info, cl_device_id id)
{
	unsigned char u[UUID_SIZE] = { 0 }, any = 0;
	if (!ask(id, CL_DEVICE_UUID_KHR, u, sizeof u))
		return;
	for (size_t i = 0; i < sizeof u; i++)
		any |= u[i];
	if (any)
		snprintf(info->uuid, sizeof info->uuid,
		         "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0], u[1], u[2], u[3], u[4],
		         u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14], u[15]);
}

void gemp_device_identify(gemp_device_info *info, cl_device_id id)
{
	info->pci[0] = info->uuid[0] = '\0';
	if (!info->gpu)
		return;
	find_pci(info, id);
	find_uuid(info, id);
}

/* Place on the bus as one number, or -1 for what is not written like one. */
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

/* Hexadecimal digits of text[0..length) without hyphens; false for anything else. */
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

bool gemp_device_is(const gemp_device_info *info, const char *text, size_t length)
{
	char wanted[2 * UUID_SIZE + 1], own[2 * UUID_SIZE + 1];
	long long place = pci_number(text, length);
	if (place >= 0)
		return info->pci[0] && place == pci_number(info->pci, strlen(info->pci));
	return digits(wanted, text, length) && digits(own, info->uuid, strlen(info->uuid)) &&
	       strncmp(own, wanted, strlen(wanted)) == 0;
}

int gemp_device_compare(const gemp_device_info *a, const gemp_device_info *b)
{
	long long first = pci_number(a->pci, strlen(a->pci)), second = pci_number(b->pci, strlen(b->pci));
	if (first < 0 || second < 0)
		return 0;
	return (first > second) - (first < second);
}

void gemp_device_identity(char out[GEMP_IDENTITY_SIZE], const gemp_device_info *info, int index)
{
	memset(out, 0, GEMP_IDENTITY_SIZE);
	if (info->uuid[0] || info->pci[0])
		snprintf(out, GEMP_IDENTITY_SIZE, "%s", info->uuid[0] ? info->uuid : info->pci);
	else
		snprintf(out, GEMP_IDENTITY_SIZE, "%d %.60s %.60s", index, info->platform, info->name);
}
