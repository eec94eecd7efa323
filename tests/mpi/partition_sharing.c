/* Which ranks are on one device, whatever number each of them gives it. */
#include "harness/collective.h"

#include "partition/sharing.h"

#include <stdio.h>

static gemp_device_pick card(const char *pci, const char *uuid)
{
	gemp_device_pick pick = { .info = { .name = "Card", .platform = "Maker", .gpu = true } };
	snprintf(pick.info.pci, sizeof pick.info.pci, "%s", pci);
	snprintf(pick.info.uuid, sizeof pick.info.uuid, "%s", uuid);
	return pick;
}

/* As SLURM gives each rank its own: all call it number 0. */
static void own_cards_under_one_number(void **state)
{
	char pci[16];
	(void)state;
	snprintf(pci, sizeof pci, "0000:%02x:00.0", test_comm.rank);
	gemp_device_pick pick = card(pci, "");
	pick.shared_by = test_comm.size;
	gemp_sharing_find(&test_comm, &pick);
	assert_all(pick.shared_by == 1 && pick.position == 0);
}

static void one_card_under_two_numbers(void **state)
{
	(void)state;
	gemp_device_pick pick = card("0000:65:00.0", "");
	pick.index = test_comm.rank;
	gemp_sharing_find(&test_comm, &pick);
	assert_all(pick.shared_by == test_comm.size && pick.position == test_comm.rank);
}

/* Parts of one card (MIG) have one place, and a UUID each. */
static void parts_of_a_card(void **state)
{
	char uuid[48];
	(void)state;
	snprintf(uuid, sizeof uuid, "GPU-0000000%x", test_comm.rank % 2);
	gemp_device_pick pick = card("0000:65:00.0", uuid);
	gemp_sharing_find(&test_comm, &pick);
	assert_all(pick.shared_by == (test_comm.size + 1 - test_comm.rank % 2) / 2);
	assert_all(pick.position == test_comm.rank / 2);
}

static void without_names_by_number(void **state)
{
	(void)state;
	gemp_device_pick pick = { .info = { .name = "CPU", .platform = "PoCL" }, .index = test_comm.rank % 3 };
	gemp_sharing_find(&test_comm, &pick);
	assert_all(pick.shared_by == (test_comm.size - pick.index + 2) / 3 && pick.position == test_comm.rank / 3);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_cards_under_one_number),
		cmocka_unit_test(one_card_under_two_numbers),
		cmocka_unit_test(parts_of_a_card),
		cmocka_unit_test(without_names_by_number),
	};
	return test_main_all(argc, argv, tests);
}
