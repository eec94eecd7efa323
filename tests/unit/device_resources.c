/* Tests that registers are found in the log of an NVIDIA compiler. */
#include "harness/harness.h"

#include "device/resources.h"

static const char log_text[] = "ptxas info    : 0 bytes gmem\n"
							   "ptxas info    : Compiling entry function 'shuffle_gather' for 'sm_90'\n"
							   "ptxas info    : Function properties for shuffle_gather\n"
							   "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
							   "ptxas info    : Used 38 registers, 32768 bytes smem, 392 bytes cmem[0]\n"
							   "ptxas info    : Compiling entry function 'shuffle_bounds' for 'sm_90'\n"
							   "ptxas info    : Compiling entry function 'shuffle_gather_2' for 'sm_90'\n"
							   "ptxas info    : Used 7 registers, 392 bytes cmem[0]\n";

static void registers(void **state)
{
	(void)state;
	assert_int_equal(gemp_registers_in_log(log_text, "shuffle_gather"), 38);
	assert_int_equal(gemp_registers_in_log(log_text, "shuffle_gather_2"), 7);
	assert_int_equal(gemp_registers_in_log(log_text, "shuffle_bounds"), GEMP_REGISTERS_UNKNOWN); /* not told */
	assert_int_equal(gemp_registers_in_log(log_text, "gather"), GEMP_REGISTERS_UNKNOWN);
	assert_int_equal(gemp_registers_in_log("", "shuffle_gather"), GEMP_REGISTERS_UNKNOWN);
	assert_int_equal(gemp_registers_in_log("Compiling entry function 'a'\nUsed many registers", "a"),
	                 GEMP_REGISTERS_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(registers) };
	return test_main(tests);
}
