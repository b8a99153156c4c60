"""Language packs of text recognition: models that rapidocr knows, as files in a folder. They are never fetched."""

from __future__ import annotations

from pathlib import Path

from desktop_rag.core.errors import ModelError
from desktop_rag.core.settings import OCR_LANGUAGES


def pack_folder(base: Path) -> Path:
    """Return the folder for language packs in the data folder ``base``."""
    return base / "ocr"


def find_pack(base: Path, language: str) -> Path | None:
    """Return the newest model for ``language`` in the folder for packs; None for "", which is the one that comes along.

    Files have the names under which rapidocr's makers publish them, such as ``korean_PP-OCRv5_rec_mobile.onnx``. Raises
    ModelError when there is none.
    """
    if not language:
        return None
    folder = pack_folder(base)
    found = sorted(folder.glob(f"{language}_*rec*.onnx"))
    if not found:
        raise ModelError(
            f"The language pack '{language}' ({OCR_LANGUAGES[language]}) is not in {folder}. Put rapidocr's model "
            f"for it there, a file such as {language}_PP-OCRv5_rec_mobile.onnx, or empty the setting ocr_language."
        )
    return found[-1]


def check_pack(path: Path) -> None:
    """Raise ModelError unless ``path`` is a recognition model that knows its characters.

    Without them rapidocr would fetch a list of characters, so this is looked at before.
    """
    import onnxruntime

    try:
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        known = session.get_modelmeta().custom_metadata_map
    except Exception as error:  # onnxruntime has many, and none of them is public
        raise ModelError(f"{path} is damaged or no model of the kind ONNX. Get a fresh copy of the pack.") from error
    if "character" not in known:
        raise ModelError(
            f"{path} is not a model that reads text: it has no list of characters. Get rapidocr's own file."
        )
