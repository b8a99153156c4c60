"""Language packs are files that a person put there; they are found, checked, and used, and never fetched."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import pytest

from desktop_rag.core.errors import ModelError
from desktop_rag.core.settings import Settings
from desktop_rag.ingest.later import Part, PartRead
from desktop_rag.ingest.ocr_packs import check_pack, find_pack, pack_folder
from desktop_rag.ingest.ocr_stage import OcrEntry
from desktop_rag.ingest.parse import ParseFailure
from desktop_rag.sync.recognition import recognition
from tests.fixtures.scans import drawn, paragraph, scanned_pdf

WORDS = ["The mill wheel turns", "once in nine seconds."]


def in_wheel(name: str) -> Path:
    spec = importlib.util.find_spec("rapidocr")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "models" / name


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """Return a pack for Latin letters: the model that comes along, under the name of one."""
    path = pack_folder(tmp_path) / "latin_PP-OCRv5_rec_mobile.onnx"
    path.parent.mkdir()
    shutil.copyfile(in_wheel("PP-OCRv6_rec_small.onnx"), path)
    return path


def test_no_language_is_the_model_that_comes_along(tmp_path: Path) -> None:
    assert find_pack(tmp_path, "") is None
    assert recognition(Settings(), tmp_path).model == ""


def test_a_pack_is_found_by_its_language(tmp_path: Path, pack: Path) -> None:
    assert find_pack(tmp_path, "latin") == pack
    assert recognition(Settings(ocr_language="latin"), tmp_path).model == str(pack)


def test_a_pack_that_is_missing_is_named_with_its_folder_and_does_not_stop_the_work(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"'korean' \(Korean\) is not in .*ocr.*korean_PP-OCRv5_rec_mobile\.onnx"):
        find_pack(tmp_path, "korean")
    assert recognition(Settings(ocr_language="korean"), tmp_path).model == ""


def test_a_file_that_is_no_model_or_reads_no_text_is_told(tmp_path: Path) -> None:
    bad = tmp_path / "latin_rec.onnx"
    bad.write_bytes(b"not a model")
    with pytest.raises(ModelError, match="damaged"):
        check_pack(bad)
    with pytest.raises(ModelError, match="no list of characters"):
        check_pack(in_wheel("PP-OCRv6_det_small.onnx"))


@pytest.mark.slow
def test_the_pack_reads_the_scan(tmp_path: Path, pack: Path) -> None:
    path = scanned_pdf(tmp_path / "mill.pdf", [drawn(paragraph(60, 40, WORDS))])
    read = OcrEntry()("d", path, None, 160, lambda _: None, Part("Mill", 1, 1, 2, str(pack)))
    assert isinstance(read, PartRead)
    assert "mill wheel" in read.elements[0].text
    pack.write_bytes(b"broken")
    failed = OcrEntry()("d", path, None, 160, lambda _: None, Part("Mill", 1, 1, 2, str(pack)))
    assert isinstance(failed, ParseFailure)
    assert pack.name in failed.reason
