#include "device/list.h"

#include "device/identity.h"
#include "device/pocl.h"

#include "core/memory.h"

#include <string.h>

/* Cut to fit. */
static void copy_text(char *out, size_t size, const char *text)
{
	size_t length = strlen(text);
	if (length >= size)
		length = size - 1;
	memcpy(out, text, length);
	out[length] = '\0';
}

static void device_text(char *out, size_t size, cl_device_id id, cl_device_info what)
{
	char text[1024] = "";
	clGetDeviceInfo(id, what, sizeof text, text, NULL);
	copy_text(out, size, text);
}

static gemp_code describe(gemp_device_info *out, cl_platform_id platform, cl_device_id id)
{
	gemp_code code = GEMP_OK;
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
	out->largest = largest;
	out->local = local;
	gemp_device_identify(out, id);
done:
	return code;
}

/* Appends the devices of one platform; a platform without any is passed over. */
static gemp_code add_platform(cl_platform_id platform, gemp_device_info **infos, cl_device_id **ids, size_t *count)
{
	gemp_code code = GEMP_OK;
	cl_uint number = 0;
	if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &number) != CL_SUCCESS || number == 0)
		return GEMP_OK;
	gemp_device_info *more_infos = gemp_realloc(*infos, *count + number, sizeof **infos);
	if (!more_infos)
		return GEMP_ENOMEM;
	*infos = more_infos;
	cl_device_id *more_ids = gemp_realloc(*ids, *count + number, sizeof(cl_device_id));
	if (!more_ids)
		return GEMP_ENOMEM;
	*ids = more_ids;
	GEMP_TRY(GEMP_CL(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, number, *ids + *count, NULL)));
	for (cl_uint i = 0; i < number; i++, ++*count)
		GEMP_TRY(describe(&(*infos)[*count], platform, (*ids)[*count]));
done:
	return code;
}

gemp_code gemp_device_list_ids(gemp_device_info **out, cl_device_id **ids, size_t *count)
{
	gemp_code code = GEMP_OK;
	cl_uint number = 0;
	cl_platform_id *platforms = NULL;
	*out = NULL;
	*ids = NULL;
	*count = 0;
	gemp_pocl_claim_folder();
	/* An ICD loader without platforms answers with an error of its own. */
	if (clGetPlatformIDs(0, NULL, &number) != CL_SUCCESS)
		number = 0;
	GEMP_TRY(GEMP_NEW(platforms, number));
	if (number)
		GEMP_TRY(GEMP_CL(clGetPlatformIDs(number, platforms, NULL)));
	for (cl_uint i = 0; i < number; i++)
		GEMP_TRY(add_platform(platforms[i], out, ids, count));
done:
	gemp_free(platforms);
	if (code != GEMP_OK) {
		gemp_free(*out);
		gemp_free(*ids);
		*out = NULL;
		*ids = NULL;
		*count = 0;
	}
	return code;
}

gemp_code gemp_device_list(gemp_device_info **out, size_t *count)
{
	cl_device_id *ids = NULL;
	gemp_code code = gemp_device_list_ids(out, &ids, count);
	gemp_free(ids);
	return code;
}
