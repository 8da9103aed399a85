#!/usr/bin/env python3
"""Installs a file under another name: two of the same name can't be made in one folder (Meson's install script)."""
import os
import shutil
import sys

source, target, mode = sys.argv[1:]
target = os.environ.get("DESTDIR", "") + target
os.makedirs(os.path.dirname(target), exist_ok=True)
shutil.copyfile(source, target)
os.chmod(target, 0o755 if mode.startswith("rwx") else 0o644)
