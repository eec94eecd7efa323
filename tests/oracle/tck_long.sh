# Runs all scenarios of the TCK.
exec "${GEMP_PYTHON:-/usr/bin/python3}" "$(dirname "$0")/tck.py" --all
