/* shuffle [SIZE BITS GROUP ITEMS WINDOW REGISTERS PACKED]...: measures the seconds of the method `decode` in the given
 * launch shapes and checks the result outside of the measured time. Tuples have SIZE bytes: tuples of 4 bytes contain
 * their destination, tuples of 12 bytes have destinations and values in separate arrays, and other tuples have an
 * additional column of destinations. Destinations fall into 2^BITS ranges. The other five numbers are the fields of
 * gemp_split_shape (src/primitive/split.h); GROUP 0 takes the tuned shape. The last number of a line is the rate
 * divided by copy bandwidth / (2 SIZE + 4). `gemp-mpi bench shuffle` measures all methods in the shapes that this
 * program found. Environment: TUPLES is the number of tuples; with EXTENT only the device knows this number. */
#include "shuffle/shuffle.h"
#include "core/status.h"
#include "device/device.h"
#include "device/open.h"
#include "primitive/split.h"
#include "primitive/toolbox.h"

#include <stdio.h>
#include <stdlib.h>

enum { TRIES = 5 };

static gemp_device *device;
static gemp_toolbox *box;

static void need(gemp_code code)
{
	if (code == GEMP_OK)
		return;
	fprintf(stderr, "%s\n", gemp_message());
	exit(1);
}

static double best_of(const gemp_shuffle *how, const gemp_tuples *in, const gemp_tuples *out, const gemp_buffer *begin)
{
	double best = 1e9, seconds;
	for (int i = 0; i < TRIES; i++) {
		gemp_code code = gemp_shuffle_decode(box, how, in, out, begin);
		if (code == GEMP_OK)
			code = gemp_toolbox_seconds(box, &seconds);
		if (code != GEMP_OK) {
			printf("  %s\n", gemp_message());
			return 0;
		}
		best = seconds < best ? seconds : best;
	}
	return best;
}

static void measure(gemp_shuffle how, size_t count, double copy)
{
	const bool column_too = how.layout != GEMP_SHUFFLE_AOS, apart = how.layout == GEMP_SHUFFLE_SOA;
	gemp_buffer column, out_column, tuple, out, begin, extent;
	const cl_uint known[2] = { 0, (cl_uint)count };
	uint64_t digest[2], astray;
	double seconds;
	need(gemp_buffer_new(&column, device, column_too ? count * 4 : 4, NULL));
	need(gemp_buffer_new(&out_column, device, apart ? count * 4 : 4, NULL));
	need(gemp_buffer_new(&tuple, device, count * how.size, NULL));
	need(gemp_buffer_new(&out, device, count * how.size, NULL));
	need(gemp_buffer_new(&begin, device, (((size_t)1 << how.bits) + 1) * 4, NULL));
	need(gemp_buffer_new(&extent, device, sizeof known, known));
	const gemp_tuples in = { column_too ? &column : NULL, &tuple, count, getenv("EXTENT") ? &extent : NULL };
	const gemp_tuples to = { apart ? &out_column : NULL, &out, count, NULL };
	need(gemp_test_tuples_make(box, &how, &(gemp_test_tuples){ .owners = 1, .seed = 1 }, &in));
	need(gemp_toolbox_seconds(box, &seconds));
	double best = best_of(&how, &in, &to, &begin), bound = copy / (2 * how.size + 4);
	if (best > 0) {
		need(gemp_test_tuples_check(box, &how, &in, NULL, &digest[0], &astray));
		need(gemp_test_tuples_check(box, &how, &to, &begin, &digest[1], &astray));
		printf("%8.3f ms %7.1f Gt/s  %.3f%s\n", 1e3 * best, 1e-9 * (double)count / best, (double)count / best / bound,
		       digest[0] == digest[1] && !astray ? "" : "  WRONG");
	}
	fflush(stdout);
	gemp_buffer_free(&column, device);
	gemp_buffer_free(&out_column, device);
	gemp_buffer_free(&tuple, device);
	gemp_buffer_free(&out, device);
	gemp_buffer_free(&begin, device);
	gemp_buffer_free(&extent, device);
}

int main(int argc, char **argv)
{
	gemp_rates rates;
	const char *wanted = getenv("TUPLES");
	need(gemp_device_open(&device, NULL, 0, 1, 0));
	need(gemp_toolbox_new(&box, device, GEMP_FORM_AUTO));
	need(gemp_device_rates(device, &rates));
	printf("%s: copy %.2f TB/s\n", device->name, rates.copy * 1e-12);
	for (char **a = argv + 1; a + 7 <= argv + argc; a += 7) {
		unsigned size = (unsigned)atoi(a[0]), bits = (unsigned)atoi(a[1]);
		size_t most = device->gpu ? (size_t)2 << 30 : (size_t)128 << 20, count = most / size;
		count = wanted ? (size_t)atol(wanted) : device->gpu && count > (size_t)1 << 28 ? (size_t)1 << 28 : count;
		gemp_split_force_shape((gemp_split_shape){ (size_t)atoi(a[2]), (unsigned)atoi(a[3]), (unsigned)atoi(a[4]),
		                                           (unsigned)atoi(a[5]), atoi(a[6]) != 0 });
		printf("%2u B, %4u ranges, %4s x %2s, window %5s, registers %3s, packed %s: ", size, 1u << bits, a[2], a[3],
		       a[4], a[5], a[6]);
		const gemp_shuffle how = {
			.layout = size == 4    ? GEMP_SHUFFLE_AOS
			          : size == 12 ? GEMP_SHUFFLE_SOA
			                       : GEMP_SHUFFLE_AOS_KEYS,
			.size = size,
			.bits = bits,
			.shift = size == 4 ? 16 - bits : 13,
		};
		measure(how, count, rates.copy);
	}
	gemp_toolbox_free(box);
	gemp_device_close(device);
	return 0;
}
