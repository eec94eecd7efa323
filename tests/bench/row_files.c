/* row_files: writes rows to files of every form, beside as many bytes that are only written.
 *
 *     [mpirun -n RANKS] row_files FOLDER MILLIONS [REPEAT]
 *
 * The rows are MILLIONS of million pairs of integers, like the edges of a graph by source, and an eighth as many rows
 * of three names. Each rank has an equal part of them in memory. Prints for each form the size of the file, the least
 * seconds of REPEAT writings (3) from the opening to the closing of the file, the processor seconds of all ranks in the
 * fastest one, the rows and the megabytes of values a second, and the least seconds of writing as many bytes from
 * memory by all ranks. Files stay in the cache of the system; the time of a disk is that of `dd conv=fsync`. */
#include "core/random.h"
#include "core/threads.h"
#include "core/timer.h"
#include "io/file/output.h"
#include "io/rows/row_writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COLUMNS = 3, WORDS = 500, NAMES = 20000, MAX_NAME = 64 };

static gemp_comm comm;

static void must(gemp_code code)
{
	if (code == GEMP_OK)
		return;
	fprintf(stderr, "rank %d: %s\n", comm.rank, gemp_message());
	MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ROWS */

typedef struct table {
	const char *name;
	size_t count, rows;
	uint64_t all_rows, bytes; /* of all ranks; bytes of values */
	gemp_projected columns[COLUMNS];
} table;

static table pairs_of(uint64_t rows)
{
	const gemp_block_range mine = gemp_comm_block(&comm, rows);
	table t = { "pairs of integers", 2, mine.end - mine.begin, rows, 16 * rows, { { .name = "a" }, { .name = "b" } } };
	for (size_t c = 0; c < t.count; c++) {
		must(gemp_column_init(&t.columns[c].value, t.columns[c].name, GEMP_INTEGER));
		must(gemp_column_reserve(&t.columns[c].value, t.rows, 0));
		t.columns[c].value.rows = t.rows;
	}
	for (uint64_t i = 0; i < t.rows; i++) {
		t.columns[0].value.integers[i] = (int64_t)((mine.begin + i) / 8);
		t.columns[1].value.integers[i] = (int64_t)(gemp_mix(mine.begin + i) % (rows / 8 + 1));
	}
	return t;
}

/* Name number `name`: up to four words of a vocabulary. */
static size_t put_name(char *out, uint64_t name, uint64_t column)
{
	size_t size = 0;
	for (uint64_t w = 0; w <= gemp_mix(name + 100 * column) % 4; w++) {
		const uint64_t word = gemp_mix(gemp_mix(name + 7 * w + column) % WORDS);
		if (w)
			out[size++] = ' ';
		for (uint64_t i = 0; i < 3 + word % 8; i++)
			out[size++] = (char)('a' + gemp_mix(word + i) % 26);
	}
	return size;
}

static table names_of(uint64_t rows)
{
	static const char *const names[COLUMNS] = { "person", "film", "role" };
	const gemp_block_range mine = gemp_comm_block(&comm, rows);
	table t = { .name = "three strings", .count = COLUMNS, .rows = mine.end - mine.begin, .all_rows = rows };
	for (size_t c = 0; c < COLUMNS; c++) {
		t.columns[c].name = names[c];
		must(gemp_column_init(&t.columns[c].value, names[c], GEMP_STRING));
		must(gemp_column_reserve(&t.columns[c].value, t.rows, t.rows * 20));
		for (uint64_t i = mine.begin; i < mine.end; i++) {
			char text[MAX_NAME];
			const uint64_t name = c == 0 ? i / 100 : gemp_mix(i + c) % NAMES;
			const gemp_value value = { .type = GEMP_STRING, .string = { text, put_name(text, name, c) } };
			must(gemp_column_add(&t.columns[c].value, &value));
		}
		t.bytes += t.rows ? t.columns[c].value.offsets[t.rows] : 0;
	}
	t.bytes = gemp_comm_sum1(&comm, t.bytes);
	return t;
}

/* TIMES */

static double processor_seconds(void)
{
	struct rusage used;
	getrusage(RUSAGE_SELF, &used);
	const uint64_t mine = (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000 +
	                      (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
	return (double)gemp_comm_sum1(&comm, mine) / 1e6;
}

static uint64_t size_of(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
}

static void write_rows(const char *path, table *t)
{
	const gemp_rows_options options = { .path = path, .limit = UINT64_MAX, .semantics = "", .distinct = "" };
	const gemp_result_info info = { "", "", "", 0, true };
	gemp_row_writer *writer;
	must(gemp_row_writer_open(&writer, &comm, t->columns, t->count, &options));
	must(gemp_row_writer_write(writer, t->columns, t->count, t->rows));
	must(gemp_row_writer_close(writer, &info));
}

/* The ranks write `size` bytes that they have in memory. */
static double plain_seconds(const char *path, uint64_t size, int repeat)
{
	const gemp_block_range mine = gemp_comm_block(&comm, size);
	const size_t bytes = (size_t)(mine.end - mine.begin);
	GEMP_OWNED char *block = gemp_calloc(bytes + 1, 1);
	double least = 1e30;
	must(block ? GEMP_OK : GEMP_ENOMEM);
	memset(block, 'x', bytes);
	for (int i = 0; i < repeat; i++) {
		gemp_output *output;
		GEMP_MPI(MPI_Barrier(comm.world));
		const double began = gemp_now();
		must(gemp_output_open(&output, &comm, path));
		must(gemp_output_write(output, block, bytes));
		must(gemp_output_close(output));
		const double seconds = gemp_now() - began;
		least = seconds < least ? seconds : least;
	}
	return least;
}

static void measure(const char *folder, const char *form, table *t, int repeat)
{
	char path[4096];
	double least = 1e30, processor = 0;
	snprintf(path, sizeof path, "%s/rows.%s", folder, form);
	for (int i = 0; i < repeat; i++) {
		const double before = processor_seconds(), began = gemp_now();
		write_rows(path, t);
		const double seconds = gemp_now() - began, used = processor_seconds() - before;
		if (seconds >= least)
			continue;
		least = seconds;
		processor = used;
	}
	const uint64_t size = size_of(path);
	GEMP_MPI(MPI_Barrier(comm.world));
	snprintf(path, sizeof path, "%s/rows.plain", folder);
	const double plain = plain_seconds(path, size, repeat);
	if (comm.rank == 0)
		printf("| %s | %s | %d x %u | %.1f | %.3f | %.3f | %.1f | %.0f | %.3f |\n", t->name, form, comm.size,
		       gemp_threads(), (double)size / 1e6, least, processor, (double)t->all_rows / least / 1e6,
		       (double)t->bytes / least / 1e6, plain);
	fflush(stdout);
}

int main(int count, char **arguments)
{
	static const char *const forms[] = { "tsv", "csv", "jsonl", "h5" };
	MPI_Init(&count, &arguments);
	gemp_comm_new(&comm, MPI_COMM_WORLD);
	gemp_comm_share_cores(&comm);
	if (count < 3 || count > 4)
		return fprintf(stderr, "usage: row_files FOLDER MILLIONS [REPEAT]\n"), 2;
	const uint64_t rows = strtoull(arguments[2], NULL, 10) * 1000000;
	const int repeat = count > 3 ? atoi(arguments[3]) : 3;
	if (comm.rank == 0)
		printf(
			"| rows | form | ranks x threads | MB | s | processor s | M rows/s | MB/s of values | s of a plain write |\n"
			"|---|---|---|---|---|---|---|---|---|\n");
	table tables[] = { pairs_of(rows), names_of(rows / 8) };
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
			measure(arguments[1], forms[f], &tables[i], repeat);
		for (size_t c = 0; c < tables[i].count; c++)
			gemp_column_free(&tables[i].columns[c].value);
	}
	gemp_comm_free(&comm);
	MPI_Finalize();
	return 0;
}
