"""Text recognition with rapidocr: the PP-OCRv6 models for Chinese and English, and Latin letters in general.

The models come in rapidocr's own wheel. Its pipeline would fetch other models and fonts over the network when its
settings name them; here its parts are put together by hand, each with a session that is already open, so that the
code that downloads is never reached.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from desktop_rag.ingest.ocr import Corners, Picture, RecognisedLine
from desktop_rag.ingest.ocr_packs import check_pack

_DETECT = "PP-OCRv6_det_small.onnx"
_TURNED = "ch_ppocr_mobile_v2.0_cls_mobile.onnx"
_READ = "PP-OCRv6_rec_small.onnx"

_DETECT_SIDE = 1600
"""Longest side for finding lines, in pixels. A page at 200 dpi is found as well at two thirds, in 40 % of the time;
the lines are then read from the full picture."""

_LEAST_SIDE = 64
_ASKED = 12
"""How many lines are asked whether they stand on their head: they decide for all of their direction."""

_READ_BOTH_WAYS = 4
_UPRIGHT_LINES = 1.5
_TALL_SIGN = 3.0
_WORTH_TURNING = 0.65
_TURNED_RIGHT = 0.8


class _Config(dict[str, Any]):
    """What rapidocr's parts are set up with: they read it both as a mapping and by attribute."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


@dataclass(frozen=True, slots=True)
class _Parts:
    detect: Any
    turned: Any
    read: Any
    crop: Any
    read_input: Any


@dataclass(slots=True)
class _Crop:
    """A line that was found: its picture as it would be read, and where the corners of that stand on the page."""

    picture: Any
    corners: Corners
    upright: bool

    def flip(self) -> _Crop:
        """Return it turned by half a turn."""
        c = self.corners
        return _Crop(np.ascontiguousarray(self.picture[::-1, ::-1]), (c[2], c[3], c[0], c[1]), self.upright)


class RapidRecogniser:
    """Finds lines at any angle, and reads them upright, turned by quarters or upside down.

    ``threads`` is the number of cores that a picture takes. ``engine`` is "onnxruntime", "openvino" (two to three
    times as fast with the same text, if it is installed) or "" for the faster one that there is. ``pack`` is the file
    of a language pack, which reads the lines in place of the model that comes along.
    """

    def __init__(self, threads: int, engine: str = "onnxruntime", pack: str = "") -> None:
        self._pack = pack
        self._threads = max(1, threads)
        self._engine = engine or ("openvino" if importlib.util.find_spec("openvino") else "onnxruntime")
        self._parts: _Parts | None = None
        self.name = f"rapidocr {metadata.version('rapidocr')} with {self._engine}"

    def recognise(self, picture: Picture) -> tuple[RecognisedLine, ...]:
        """Return the lines of ``picture``, in any order; those that are not text after all have a low confidence.

        Raises ModelError when a language pack is damaged or no model for reading.
        """
        parts = self._loaded()
        picture = _large_enough(picture)
        quads = parts.detect(picture).boxes
        if quads is None or not len(quads):
            return ()
        crops = list(_crops(parts, picture, np.asarray(quads, dtype=np.float32)))
        crops = _right_way_up(parts, crops)
        lines = _read(parts, crops)
        doubtful = [i for i, line in enumerate(lines) if line.confidence < _WORTH_TURNING]
        for index, other in zip(doubtful, _read(parts, [crops[i].flip() for i in doubtful]), strict=True):
            if other.confidence >= _TURNED_RIGHT:
                lines[index] = other
        return tuple(line for line in lines if line.text.strip())

    def _loaded(self) -> _Parts:
        if self._parts is None:
            self._parts = _load(self._engine, self._threads, self._pack)
        return self._parts


def _load(engine: str, threads: int, pack: str) -> _Parts:
    """Open the three models. Imports take about a second, so this happens at the first picture."""
    if pack:
        check_pack(Path(pack))
    if engine == "openvino":
        _without_telemetry()
    from rapidocr.ch_ppocr_cls import TextClassifier
    from rapidocr.ch_ppocr_det import TextDetector
    from rapidocr.ch_ppocr_rec import TextRecInput, TextRecognizer
    from rapidocr.utils.log import logger
    from rapidocr.utils.process_img import get_rotate_crop_image
    from rapidocr.utils.typings import EngineType, OCRVersion

    logger.setLevel("ERROR")
    kind = EngineType(engine)

    def config(model: str, **values: Any) -> _Config:
        return _Config(engine_type=kind, **_model(engine, _in_wheel(model), threads), **values)

    detect = config(
        _DETECT, limit_side_len=_DETECT_SIDE, limit_type="max", mean=[0.5] * 3, std=[0.5] * 3, thresh=0.3,
        box_thresh=0.5, max_candidates=3000, unclip_ratio=1.6, use_dilation=True, score_mode="fast",
    )  # fmt: skip
    turned = config(_TURNED, ocr_version=OCRVersion.PPOCRV4, cls_batch_num=6, cls_thresh=0.9, label_list=["0", "180"])
    reading = _model(engine, Path(pack) if pack else _in_wheel(_READ), threads)
    read = _Config(
        engine_type=kind, lang_type="ch", rec_batch_num=6, rec_img_shape=[3, 48, 320], font_path=None, **reading
    )
    return _Parts(
        TextDetector(detect), TextClassifier(turned), TextRecognizer(read), get_rotate_crop_image, TextRecInput
    )


def _without_telemetry() -> None:
    """Keep OpenVINO from finding the package with which it would report its use; it does without."""
    modules: dict[str, Any] = sys.modules
    modules.setdefault("openvino_telemetry", None)


def _in_wheel(name: str) -> Path:
    spec = importlib.util.find_spec("rapidocr")
    assert spec is not None
    assert spec.origin is not None
    path = Path(spec.origin).parent / "models" / name
    if not path.is_file():
        raise FileNotFoundError(f"rapidocr was installed without its model {name}")
    return path


def _model(engine: str, path: Path, threads: int) -> dict[str, Any]:
    """Return what a part needs to run a model: an open session, or for OpenVINO the file."""
    if engine == "openvino":
        return {"model_path": path, "engine_cfg": {"inference_num_threads": threads, "num_streams": 1}}
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.enable_cpu_mem_arena = False  # pictures have many sizes: the arena would keep room for each
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # idle threads leave the core to others
    return {"session": onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])}


def _large_enough(picture: Picture) -> Picture:
    """Put a white margin to a picture that is too small for the network that finds lines."""
    height, width = picture.shape[:2]
    if min(height, width) >= _LEAST_SIDE:
        return picture
    missing = ((0, max(0, _LEAST_SIDE - height)), (0, max(0, _LEAST_SIDE - width)), (0, 0))
    return np.pad(picture, missing, constant_values=255)


def _crops(parts: _Parts, picture: Picture, quads: Any) -> Iterator[_Crop]:
    """Cut the lines out, those that run up or down the page turned to the right.

    Lines are told by their shape, and a single tall figure has the shape of a short vertical line: what most of the
    page's text does decides.
    """
    sizes = [(_distance(quad[0], quad[1]), _distance(quad[0], quad[3])) for quad in quads]
    across = sum(w for w, h in sizes if w > 2 * h) + 1e-6
    down = sum(h for w, h in sizes if h > 2 * w)
    level = across >= down
    for quad, (width, height) in zip(quads, sizes, strict=True):
        runs_down = height >= (_TALL_SIGN if level else 1 / _UPRIGHT_LINES) * width
        cut = parts.crop(picture, quad.copy())
        was_turned = height > width and cut.shape[1] > cut.shape[0]
        if runs_down != was_turned:
            cut = np.rot90(cut, 1 if runs_down else -1)
        tl, tr, br, bl = ((float(x), float(y)) for x, y in quad)
        corners = (tr, br, bl, tl) if runs_down else (tl, tr, br, bl)
        yield _Crop(np.ascontiguousarray(cut), corners, not runs_down)


def _distance(first: Any, second: Any) -> float:
    return float(np.hypot(*(first - second)))


def _right_way_up(parts: _Parts, crops: list[_Crop]) -> list[_Crop]:
    """Turn lines that stand on their head. The longest of each direction are asked, and the majority decides.

    Capitals with serifs look turned to that network: before a page is turned, some of its lines are read both ways.
    """
    upside_down: set[bool] = set()
    for upright in (True, False):
        same = [crop for crop in crops if crop.upright is upright]
        asked = sorted(same, key=lambda crop: -crop.picture.shape[1] / crop.picture.shape[0])[:_ASKED]
        if not asked:
            continue
        votes = parts.turned([crop.picture for crop in asked]).cls_res
        turned = sum(score if label == "180" else -score for label, score in votes) > 0
        if turned and _reads_better_turned(parts, asked[:_READ_BOTH_WAYS]):
            upside_down.add(upright)
    return [crop.flip() if crop.upright in upside_down else crop for crop in crops]


def _reads_better_turned(parts: _Parts, crops: list[_Crop]) -> bool:
    sure = sum(line.confidence for line in _read(parts, crops))
    return sum(line.confidence for line in _read(parts, [crop.flip() for crop in crops])) > sure


def _read(parts: _Parts, crops: Sequence[_Crop]) -> list[RecognisedLine]:
    if not crops:
        return []
    found = parts.read(parts.read_input(img=[crop.picture for crop in crops], return_word_box=True))
    return [
        RecognisedLine(text, crop.corners, float(score), _middles(text, words))
        for crop, text, score, words in zip(crops, found.txts, found.scores, found.word_results, strict=True)
    ]


def _middles(text: str, words: Any) -> tuple[float, ...]:
    """Return where each character stands along its line, from the columns in which the network saw them.

    It gives no column to blanks: they stand halfway between their neighbours.
    """
    columns = iter([column for word in words.word_cols for column in word])
    width = words.line_txt_len or 1.0
    seen = [None if char.isspace() else next(columns, None) for char in text]
    middles: list[float] = []
    for index, column in enumerate(seen):
        if column is not None:
            middles.append(min(1.0, (column + 0.5) / width))
        else:
            after = next((value for value in seen[index:] if value is not None), None)
            before = middles[-1] if middles else 0.0
            middles.append(before if after is None else (before + min(1.0, (after + 0.5) / width)) / 2)
    return tuple(middles)
