# Runs random_rules.py much longer, with other seeds.
exec "${GEMP_PYTHON:-/usr/bin/python3}" "$(dirname "$0")/random_rules.py" --seconds "${GEMP_TEST_SECONDS:-900}"
