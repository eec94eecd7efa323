# The property test for as long as half an hour.
exec "${GEMP_PYTHON:-/usr/bin/python3}" "$(dirname "$0")/random_match.py" --seconds 1800
