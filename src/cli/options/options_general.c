/* options_general: reports, devices, budgets, and options of all commands. */

#include "cli/options/option_list.h"

static const gemp_option options[] = {
	/* Options of all commands that have a report. */
	{ "json", 0, GEMP_OPTION_TEXT, "FILE", NULL, ON_REPORT, OF_OUTPUT, AT(json),
	  "Write the report as JSON. -: to stdout, and text for people goes to stderr." },
	{ "trace", 0, GEMP_OPTION_TEXT, "FILE", NULL, ON_REPORT, OF_OUTPUT, AT(trace),
	  "Write a timeline of all ranks and devices as Chrome trace events, which Perfetto and chrome://tracing show." },

	/* Budgets. Tests use small values to force several rounds. */
	{ "devices", 'd', GEMP_OPTION_TEXT, "SPEC", "auto",
	  ON_DEVICE | GEMP_ON_DEVICES | GEMP_ON_BENCH | GEMP_ON_WARM | ON_HOST_OR_DEVICE | ON_ANALYSIS | GEMP_ON_SOM,
	  OF_BUDGETS, AT(devices),
	  "auto (GPUs if there are any, else CPUs), gpu, cpu, or a list of numbers (0,1), PCI addresses (65:00.0), UUIDs "
	  "or parts of names, joined by commas. The ranks of a node take the devices in turn. If a list, or the word all "
	  "(the same devices as auto), has more devices than there are ranks, each rank gets several: a search then uses "
	  "all of them, other work the first." },
	{ "host-memory", 0, GEMP_OPTION_SIZE, "SIZE", NULL, ON_DEVICE, OF_BUDGETS, POSITIVE(host_memory),
	  "Host memory of a rank for removing duplicates, which takes several passes if it is too small, and for groups "
	  "and rows to sort, which go to a temporary file (in the folder TMPDIR, or /tmp) if they exceed half of it. "
	  "A query that runs clause by clause ends with an error when a rank would hold "
	  "more; by default this is 80 % of the memory that the node has left." },
	{ "device-memory", 0, GEMP_OPTION_SIZE, "SIZE", NULL,
	  ON_DEVICE | GEMP_ON_BENCH | ON_HOST_OR_DEVICE | ON_ANALYSIS | GEMP_ON_SOM, OF_BUDGETS, POSITIVE(device_memory),
	  "Memory that a rank may use on each of its devices." },
	{ "result-buffer", 0, GEMP_OPTION_COUNT, "N", NULL, ON_DEVICE | GEMP_ON_BENCH, OF_BUDGETS, POSITIVE(result_buffer),
	  "Matches that one kernel launch can store on the device." },
	{ "outbox", 0, GEMP_OPTION_COUNT, "N", NULL, ON_DEVICE | GEMP_ON_BENCH, OF_BUDGETS, POSITIVE(outbox),
	  "Partial matches that can wait for each step and destination rank." },
	{ "row-cache", 0, GEMP_OPTION_SIZE, "SIZE", NULL, ON_DEVICE | GEMP_ON_BENCH, OF_BUDGETS, AT(row_cache),
	  "Device memory for adjacency rows that come in rounds (--exchange pull, or a graph larger than the device). "
	  "Default: half of the free memory." },

	/* All commands accept --help and --version, so they work even if other options are missing. */
	{ "config", 0, GEMP_OPTION_TEXT, "FILE", NULL, ON_REPORT, OF_GENERAL, AT(config),
	  "Read options from FILE, one `long-option = value` a line. Options on the command line take precedence. Relative "
	  "paths of files that are read begin at the folder of FILE." },
	{ "dry-run", 'n', GEMP_OPTION_FLAG, NULL, NULL, ON_RUN, OF_GENERAL, AT(dry_run),
	  "Print the plan and sizes, and stop before kernels are built." },
	{ "trust", 0, GEMP_OPTION_FLAG, NULL, NULL,
	  ON_GRAPH | GEMP_ON_BENCH | ON_TOPOLOGY | GEMP_ON_EULER | ON_ANALYSIS | GEMP_ON_SOM | GEMP_ON_WARM, OF_GENERAL,
	  AT(trust),
	  "Read graph files without comparing what is read with the sums at their end. Meant for files that another program "
	  "has changed. A damaged file can then give wrong answers." },
	{ "quiet", 'q', GEMP_OPTION_FLAG, NULL, NULL, ON_REPORT, OF_GENERAL, AT(quiet), "Print only errors and results." },
	{ "verbose", 'v', GEMP_OPTION_FLAG, NULL, NULL, ON_REPORT, OF_GENERAL, AT(verbose),
	  "Print decisions: plan, sizes, launches." },
	{ "debug", 0, GEMP_OPTION_FLAG, NULL, NULL, ON_REPORT, OF_GENERAL, AT(debug), "Print what each round does." },
	{ "help", 'h', GEMP_OPTION_FLAG, NULL, NULL, ON_ALL, OF_GENERAL, AT(help), "Show this help." },
	{ "version", 0, GEMP_OPTION_FLAG, NULL, NULL, ON_ALL, OF_GENERAL, AT(version), "Show the version." },
};

const gemp_option_part gemp_options_general = { options, sizeof options / sizeof *options };
