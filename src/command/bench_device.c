#include "command/bench.h"

#include "device/rate.h"

/* Collective; what rank 0 finds is shown. */
gemp_code gemp_bench_device(gemp_report *report, gemp_comm *comm, const gemp_options *options)
{
	gemp_code code = GEMP_OK;
	gemp_context *context = NULL;
	gemp_rates rates;
	GEMP_TRY(gemp_bench_context(&context, comm, options));
	GEMP_TRY(gemp_comm_agree(comm, gemp_device_rates(context->device, &rates)));
	gemp_report_print(report, "%s\n  %-10s %10.1f GB/s read and written\n", context->device->name, "copy",
	                  rates.copy / 1e9);
	gemp_report_print(report, "  %-10s %10.1f us with the host waiting, %.1f us on the device\n", "launch",
	                  rates.launch * 1e6, rates.empty * 1e6);
	gemp_report_set(report, "copy_bytes_per_second", json_real(rates.copy));
	gemp_report_set(report, "units", gemp_json_count(context->device->units));
	gemp_report_set(report, "launch_us", json_real(rates.launch * 1e6));
	gemp_report_set(report, "empty_kernel_us", json_real(rates.empty * 1e6));
	gemp_report_set(report, "tuning", json_string(context->device->tuning.source));
	GEMP_TRY(gemp_report_devices(report, context));
done:
	gemp_context_free(context);
	return code;
}
