# Runs the property test for up to half an hour.
exec "${GEMP_PYTHON:-/usr/bin/python3}" "$(dirname "$0")/random_match.py" --seconds 1800
