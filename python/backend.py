"""Builds the package by maturin, and compresses its wheel again.

zopfli tries for longer than zlib which bytes unpack to the same: it takes a minute, and the wheel is a twentieth smaller.
Frames with pointers have shorter tables for unwinding: another sixtieth.
"""

import os
import pathlib
import zipfile

import zopfli.zlib
from maturin import (  # noqa: F401  what pip calls of a back end
    build_editable,
    build_sdist,
    build_wheel as built,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)


class Zopfli:
    """A compressor as `zipfile` has them, of all that it is given at once."""

    def __init__(self):
        self.parts = []

    def compress(self, data):
        self.parts.append(bytes(data))
        return b""

    def flush(self):
        # An archive has neither the header nor the sum of zlib.
        return zopfli.zlib.compress(b"".join(self.parts), numiterations=15, blocksplittingmax=0)[2:-4]


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """maturin's wheel, compressed again."""
    os.environ["RUSTFLAGS"] = " ".join([os.environ.get("RUSTFLAGS", ""), "-C force-frame-pointers=yes"]).strip()
    name = built(wheel_directory, config_settings, metadata_directory)
    path = pathlib.Path(wheel_directory, name)
    smaller = path.with_suffix(".smaller")
    with zipfile.ZipFile(path) as wheel, zipfile.ZipFile(smaller, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as written:
        for entry in wheel.infolist():
            data = wheel.read(entry)
            same = zipfile.ZipInfo(entry.filename, entry.date_time)
            same.compress_type, same.external_attr = zipfile.ZIP_DEFLATED, entry.external_attr
            with written.open(same, "w") as stream:
                # Where a later Python has no such attribute it is zlib that compresses.
                stream._compressor = Zopfli()
                stream.write(data)
    os.replace(smaller, path)
    return name
