/* devices: what --devices can choose from, and how the ranks of this run share the devices. */

#include "cli/report/report_run.h"

static gemp_code devices(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	(void)options;
	return gemp_context_devices(context, report);
}

const gemp_command gemp_command_devices = {
	.name = "devices",
	.bit = GEMP_ON_DEVICES,
	.arguments = "",
	.summary = "Lists the OpenCL devices of this machine, and which rank gets which",
	.text = "GPUs are shown with their PCI address and UUID, which --devices accepts. The ranks of a node take "
			"the selected devices in turn, in PCI order; a warning says if several ranks share a GPU. If there "
			"are more devices than ranks, each rank gets several neighbouring devices, a line each.\n",
	.examples = "gemp-mpi devices\ngemp-mpi devices --devices all\nmpirun -n 4 gemp-mpi devices --devices gpu\n"
				"mpirun -n 2 gemp-mpi devices --devices 65:00.0,ca:00.0\n",
	.run = devices,
};
