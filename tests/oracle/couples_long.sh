# Creates couples and groups from all films.
exec "${GEMP_PYTHON:-/usr/bin/python3}" "$(dirname "$0")/couples.py" --full --ranks 3 --films 20000
