/* Tests which ranks share a device, whatever numbers they have for it. */
#include "harness/collective.h"

#include "core/threads.h"
#include "device/select.h"
#include "partition/runtime.h"

#include <sched.h>
#include <stdio.h>

static gemp_device_pick card_pick(const char *pci, const char *uuid)
{
	gemp_device_pick pick = { .info = { .name = "Card", .platform = "Maker", .gpu = true } };
	snprintf(pick.info.pci, sizeof pick.info.pci, "%s", pci);
	snprintf(pick.info.uuid, sizeof pick.info.uuid, "%s", uuid);
	return pick;
}

/* SLURM may give each rank a card of its own, which every rank calls number 0. */
static void own_cards_under_one_number(void **state)
{
	char pci[16];
	(void)state;
	snprintf(pci, sizeof pci, "0000:%02x:00.0", test_comm.rank);
	gemp_device_pick pick = card_pick(pci, "");
	pick.shared_by = test_comm.size;
	gemp_device_sharing_find(&test_comm, &pick, 1);
	assert_all(pick.shared_by == 1 && pick.position == 0);
}

static void one_card_under_two_numbers(void **state)
{
	(void)state;
	gemp_device_pick pick = card_pick("0000:65:00.0", "");
	pick.index = test_comm.rank;
	gemp_device_sharing_find(&test_comm, &pick, 1);
	assert_all(pick.shared_by == test_comm.size && pick.position == test_comm.rank);
}

/* The parts of one card (MIG) have the same PCI address and different UUIDs. */
static void parts_of_a_card(void **state)
{
	char uuid[48];
	(void)state;
	snprintf(uuid, sizeof uuid, "GPU-0000000%x", test_comm.rank % 2);
	gemp_device_pick pick = card_pick("0000:65:00.0", uuid);
	gemp_device_sharing_find(&test_comm, &pick, 1);
	assert_all(pick.shared_by == (test_comm.size + 1 - test_comm.rank % 2) / 2);
	assert_all(pick.position == test_comm.rank / 2);
}

static void devices_without_address(void **state)
{
	(void)state;
	gemp_device_pick pick = { .info = { .name = "CPU", .platform = "PoCL" }, .index = test_comm.rank % 3 };
	gemp_device_sharing_find(&test_comm, &pick, 1);
	assert_all(pick.shared_by == (test_comm.size - pick.index + 2) / 3 && pick.position == test_comm.rank / 3);
}

/* First, even ranks see the same devices and odd ranks see others. Then each rank sees its own devices. */
static void positions_among_equal_ranks(void **state)
{
	int position, count, size = test_comm.size, odd = test_comm.rank % 2;
	(void)state;
	gemp_device_sharing_rank(&test_comm, odd ? 77 : 5, &position, &count);
	assert_all(position == test_comm.rank / 2 && count == (size + 1 - odd) / 2);
	gemp_device_sharing_rank(&test_comm, (uint64_t)test_comm.rank, &position, &count);
	assert_all(position == 0 && count == 1);
}

/* Rank r has the cards r and r + 1, so two ranks share each card except the first and the last. */
static void several_cards_on_a_rank(void **state)
{
	gemp_device_pick picks[2];
	int rank = test_comm.rank, last = test_comm.size - 1;
	(void)state;
	for (int k = 0; k < 2; k++) {
		char pci[16];
		snprintf(pci, sizeof pci, "0000:%02x:00.0", rank + k);
		picks[k] = card_pick(pci, "");
	}
	gemp_device_sharing_find(&test_comm, picks, 2);
	assert_all(picks[0].shared_by == (rank > 0 ? 2 : 1) && picks[0].position == (rank > 0));
	assert_all(picks[1].shared_by == (rank < last ? 2 : 1) && picks[1].position == 0);
}

/* First all ranks are bound to one core. Then only rank 0 is, and the other ranks divide all cores. */
static void cores_of_bound_ranks(void **state)
{
	cpu_set_t all, one;
	gemp_device_pick pick = { .info = { .name = "CPU", .platform = "PoCL" } };
	(void)state;
	assert_all(sched_getaffinity(0, sizeof all, &all) == 0);
	CPU_ZERO(&one);
	for (size_t core = 0; CPU_COUNT(&one) == 0; core++)
		if (CPU_ISSET(core, &all))
			CPU_SET(core, &one);
	assert_all(sched_setaffinity(0, sizeof one, &one) == 0);
	gemp_device_sharing_find(&test_comm, &pick, 1);
	assert_all(pick.cores == 1 && gemp_threads() == 1);
	assert_all(test_comm.rank == 0 || sched_setaffinity(0, sizeof all, &all) == 0);
	gemp_device_sharing_find(&test_comm, &pick, 1);
	int others = test_comm.size - 1, cores = others > 0 ? CPU_COUNT(&all) / others : 1;
	assert_all(pick.cores == (unsigned)(test_comm.rank == 0 || cores < 1 || CPU_EQUAL(&all, &one) ? 1 : cores));
	assert_all(sched_setaffinity(0, sizeof all, &all) == 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_cards_under_one_number),
		cmocka_unit_test(one_card_under_two_numbers),
		cmocka_unit_test(parts_of_a_card),
		cmocka_unit_test(devices_without_address),
		cmocka_unit_test(positions_among_equal_ranks),
		cmocka_unit_test(several_cards_on_a_rank),
		cmocka_unit_test(cores_of_bound_ranks),
	};
	return test_main_all(argc, argv, tests);
}
