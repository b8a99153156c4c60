"""The menu that tags the chosen files: each tag that there is, with a tick where all of them have it, and a new one."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QMenu, QWidget

from desktop_rag.core.ledger import FileRow
from desktop_rag.ui.dialogs import ask_name
from desktop_rag.ui.session import Session


def _tr(text: str) -> str:
    return QCoreApplication.translate("tag_menu", text)


def add_tag_menu(menu: QMenu, session: Session, rows: Sequence[FileRow], owner: QWidget) -> QMenu:
    """Add the menu of tags to ``menu`` and return it; it is off while no file is chosen."""
    tags = menu.addMenu(_tr("Tags"))
    tags.setEnabled(bool(rows))
    documents = [row.document for row in rows]
    for name in session.tags:
        action = tags.addAction(name.replace("&", "&&"))
        action.setCheckable(True)
        action.setChecked(bool(rows) and all(name in row.tags for row in rows))
        action.triggered.connect(lambda on, tag=name: session.set_tag(documents, tag, on))
    if session.tags:
        tags.addSeparator()
    new = tags.addAction(_tr("New tag …"))
    new.triggered.connect(
        lambda: ask_name(owner, _tr("New tag"), _tr("Tag:"), "", lambda tag: session.set_tag(documents, tag, True))
    )
    return tags
