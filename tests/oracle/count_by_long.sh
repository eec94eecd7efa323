# Counts all connected patterns of three to five vertices.
exec "${GEMP_PYTHON:-/usr/bin/python3}" "$(dirname "$0")/count_by.py" --all
