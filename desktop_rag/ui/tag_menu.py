"""The menu that tags files or a folder: each tag that there is, ticked where all of them have it, and a new one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QMenu, QWidget

from desktop_rag.ui.dialogs import ask_name

SetTag = Callable[[str, bool], None]
"""Gives a tag, or takes it."""


def _tr(text: str) -> str:
    return QCoreApplication.translate("tag_menu", text)


def add_tag_menu(
    menu: QMenu, known: Sequence[str], present: Sequence[Collection[str]], set_tag: SetTag, owner: QWidget
) -> QMenu:
    """Add the menu of the ``known`` tags to ``menu`` and return it; ``present`` are the tags of each thing chosen.

    It is off while nothing is chosen.
    """
    tags = menu.addMenu(_tr("Tags"))
    tags.setEnabled(bool(present))
    for name in known:
        action = tags.addAction(name.replace("&", "&&"))
        action.setCheckable(True)
        action.setChecked(bool(present) and all(name in one for one in present))
        action.triggered.connect(lambda on, tag=name: set_tag(tag, on))
    if known:
        tags.addSeparator()
    new = tags.addAction(_tr("New tag …"))
    new.triggered.connect(lambda: ask_name(owner, _tr("New tag"), _tr("Tag:"), "", lambda tag: set_tag(tag, True)))
    return tags
