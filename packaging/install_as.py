#!/usr/bin/env python3
"""Meson's install script: installs a file under another name, because a build folder can't contain two files with the
same name."""
import os
import shutil
import sys

source, target, mode = sys.argv[1:]
target = os.environ.get("DESTDIR", "") + target
os.makedirs(os.path.dirname(target), exist_ok=True)
shutil.copyfile(source, target)
os.chmod(target, 0o755 if mode.startswith("rwx") else 0o644)
