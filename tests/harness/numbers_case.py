"""Reads and writes numpy arrays without numpy, and sorts numbers as the command sort does."""
import ast
import math
import struct

CODES = {"u1": "B", "i2": "h", "u4": "I", "i4": "i", "u8": "Q", "i8": "q", "f4": "f", "f8": "d"}


def key(x):
    """Returns a key that sorts NaN last and -0.0 before 0.0."""
    return (math.isnan(x), 0 if math.isnan(x) else x, 0 if math.isnan(x) else math.copysign(1, x)) if isinstance(x, float) else (x,)


def write_npy(path, kind, numbers):
    head = f"{{'descr': '{'|' if kind[1] == '1' else '<'}{kind}', 'fortran_order': False, 'shape': ({len(numbers)},), }}"
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        file.write(struct.pack(f"<{len(numbers)}{CODES[kind]}", *numbers))


def read_npy(path):
    """Returns the type and the numbers of a .npy file."""
    with open(path, "rb") as file:
        data = file.read()
    size, = struct.unpack("<H", data[8:10])
    head = ast.literal_eval(data[10:10 + size].decode())
    assert (10 + size) % 64 == 0 and not head["fortran_order"]
    kind, (count,) = head["descr"][1:], head["shape"]
    return kind, list(struct.unpack(f"<{count}{CODES[kind]}", data[10 + size:]))
