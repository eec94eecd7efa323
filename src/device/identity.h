/* identity: what tells a device from all others of its machine, whatever number it has in whose list: its place on the PCI bus
 * and its UUID. Drivers of GPUs know them (cl_khr_pci_bus_info or cl_nv_device_attribute_query, cl_khr_device_uuid); CPU
 * devices have none.
 */
#ifndef GEMP_DEVICE_IDENTITY_H
#define GEMP_DEVICE_IDENTITY_H

#include "device/device.h"

/* Fills info->pci ("0000:65:00.0") and info->uuid ("GPU-01234567-89ab-...", as nvidia-smi writes it); "" where the driver does
 * not know. info->gpu is set before. */
void gemp_device_identify(gemp_device_info *info, cl_device_id id);

/* Is the device named by text[0..length)? By PCI: "65:00.0", "0000:65:00.0" or "00000000:65:00.0", the function may be left
 * out. By UUID: with or without "GPU-", or the first eight digits or more. In upper or lower case. */
bool gemp_device_is(const gemp_device_info *info, const char *text, size_t length);

/* Less than, equal to or greater than 0: a comes before, with, or after b on the PCI bus; devices without a place are equal to
 * all, for a stable order. */
int gemp_device_compare(const gemp_device_info *a, const gemp_device_info *b);

enum { GEMP_IDENTITY_SIZE = 224 };
/* The same text on ranks of a machine for the same device only. index: in the list of devices, for those without a name of
 * their own. */
void gemp_device_identity(char out[GEMP_IDENTITY_SIZE], const gemp_device_info *info, int index);

#endif
