"""Says what this machine lacks before something fails without a reason: ``check_machine.py build|qt|cmake-args``.

``build``: a C and a C++ compiler, because llama-cpp-python comes as source. ``qt``: the system libraries that Qt loads
on Linux. Uses the standard library alone, so that it runs before anything is installed. Exit code 1 means something
is missing; with ``--apt`` the missing Debian packages are printed, one a line, and nothing else. ``cmake-args`` prints
what llama-cpp-python is to be built with here.
"""

from __future__ import annotations

import ctypes
import importlib.metadata
import os
import shutil
import subprocess
import sys

# Found with `ldd` on PySide6 6.12: QtCore, QtGui, QtWidgets, QtSvg and the offscreen platform.
QT_LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libX11.so.6": "libx11-6",
    "libzstd.so.1": "libzstd1",
}
# What the X11 platform loads on top of that, and only when a window is to be shown there.
X11_LIBRARIES = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def missing_for_qt() -> list[str]:
    """Return the Debian packages that hold the libraries which Qt would not find here."""
    if not sys.platform.startswith("linux"):
        return []
    wanted = dict(QT_LIBRARIES)
    shown_by_x11 = os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY")
    if shown_by_x11 and os.environ.get("QT_QPA_PLATFORM") != "offscreen":
        wanted |= X11_LIBRARIES
    return [package for library, package in wanted.items() if not _loads(library)]


def _has_llama() -> bool:
    """Whether llama-cpp-python is installed, or pip keeps a wheel of it that was built here before."""
    try:
        importlib.metadata.version("llama-cpp-python")
    except importlib.metadata.PackageNotFoundError:
        listing = subprocess.run(
            [sys.executable, "-m", "pip", "cache", "list", "llama_cpp_python"],
            capture_output=True,
            text=True,
            check=False,
        )
        return "llama_cpp_python" in listing.stdout
    return True


def _compiler(variable: str, names: tuple[str, ...]) -> bool:
    return any(shutil.which(name) for name in (os.environ.get(variable, ""), *names) if name)


def missing_for_build() -> list[str]:
    """Return the Debian packages without which llama-cpp-python cannot be built here."""
    has_compilers = _compiler("CC", ("cc", "gcc", "clang")) and _compiler("CXX", ("c++", "g++", "clang++"))
    return [] if has_compilers or _has_llama() else ["build-essential"]


def cmake_arguments() -> str:
    """Return the arguments for the build of llama-cpp-python: without Intel's AMX where the compiler knows it.

    GCC 12 and its like throw away the stores that fill the tile configuration, as its ``_tile_loadconfig`` claims to
    read 8 of its 64 bytes. llama.cpp built so dies of SIGILL at the first long prompt on a processor that has AMX.
    """
    compiler = os.environ.get("CC") or "cc"
    flag = "-mno-amx-int8"
    try:
        known = subprocess.run(
            [*compiler.split(), flag, "-x", "c", "-E", os.devnull], capture_output=True, check=False, timeout=30
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return f"-DCMAKE_C_FLAGS={flag} -DCMAKE_CXX_FLAGS={flag}" if known.returncode == 0 else ""


def _explain(what: str, packages: list[str]) -> str:
    if what == "build":
        reason = (
            "There is no C and C++ compiler here. llama-cpp-python, which runs the chat model, comes as source and is\n"
            "built once (5 to 6 minutes on two cores; pip keeps the result, and brings its own CMake)."
        )
        other = "On macOS: xcode-select --install."
    else:
        reason = "Qt, which draws the window, needs system libraries that are not here."
        other = "On other Linux systems the packages have similar names."
    return f"{reason}\nOn Debian or Ubuntu: sudo apt-get install {' '.join(packages)}\n{other}"


def main(arguments: list[str]) -> int:
    """Check what the arguments name, and say on stderr what is missing and how to get it."""
    if arguments == ["cmake-args"]:
        print(cmake_arguments())
        return 0
    checks = {"build": missing_for_build, "qt": missing_for_qt}
    wanted = [argument for argument in arguments if argument in checks]
    failed = False
    for what in wanted:
        packages = checks[what]()
        if packages and "--apt" in arguments:
            print("\n".join(packages))
        elif packages:
            print(_explain(what, packages), file=sys.stderr)
        failed = failed or bool(packages)
    return int(failed or not wanted)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
