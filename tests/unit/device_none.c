/* Tests the messages on a machine without OpenCL. */
#include "core/memory.h"
#include "core/status.h"
#include "device/device.h"
#include "device/open.h"
#include "device/select.h"

#include "harness/harness.h"

#include <stdlib.h>

static void the_message_says_how_to_get_a_driver(void **state)
{
	gemp_device *device = NULL;
	gemp_device_info *devices = NULL;
	size_t count = 77;
	(void)state;
	assert_ok(gemp_device_list(&devices, &count));
	assert_int_equal(count, 0);
	gemp_free(devices);
	assert_code(gemp_device_open(&device, "gpu", 0, 1, 0), GEMP_ENODEVICE);
	assert_null(device);
	assert_message("devices gpu");
	assert_message("pocl-opencl-icd");
	assert_message("POCL_CACHE_DIR");
	assert_int_equal(gemp_memory_blocks(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(the_message_says_how_to_get_a_driver) };
	setenv("OCL_ICD_VENDORS", test_folder(), 1); /* an empty folder has no drivers */
	setenv("OPENCL_VENDOR_PATH", test_folder(), 1);
	return test_main(tests);
}
