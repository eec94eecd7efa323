# Runs all queries on the real graphs.
exec "${GEMP_PYTHON:-/usr/bin/python3}" "$(dirname "$0")/shared.py" --full
