"""`--output FILE`: where a person's file goes."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from ophiuchus.text.new_file import CannotBeWritten, replace_file


def write_output(name: str, data: bytes) -> None:
    """Write `data` to the file `name`, whole or not at all. Raises CannotBeWritten.

    A relative name is opened beneath the working folder, which may be somebody else's checkout: no link on
    the way is followed. An absolute name, or one with `..`, is taken at its word up to its folder. What is
    there and no plain file, such as /dev/stdout, is left alone.
    """
    place = Path(name)
    if (place.exists() or place.is_symlink()) and (place.is_symlink() or not place.is_file()):
        raise CannotBeWritten(f"{name} is there and is no plain file", "name a file of its own")
    if place.is_absolute() or ".." in place.parts:
        replace_file(place.parent, PurePosixPath(place.name), data)
    else:
        replace_file(Path(), PurePosixPath(place), data)
