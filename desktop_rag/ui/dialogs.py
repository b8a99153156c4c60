"""The few small dialogs: none of them holds up the window, and none is needed to mend anything."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMenu, QMessageBox, QWidget

from desktop_rag.ui.theme import Theme, ThemeName

_NAME_PX = 440


def ask_name(parent: QWidget, title: str, label: str, present: str, take: Callable[[str], None]) -> None:
    """Ask for a name; ``take`` gets it unless it is empty or the dialog was left."""
    dialog = QInputDialog(parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setWindowTitle(title)
    dialog.setLabelText(label)
    dialog.setTextValue(present)
    dialog.resize(_NAME_PX, dialog.sizeHint().height())
    dialog.textValueSelected.connect(lambda text: take(text.strip()) if text.strip() else None)
    dialog.open()


def ask_paths(
    parent: QWidget, title: str, mode: QFileDialog.FileMode, take: Callable[[list[str]], None]
) -> QFileDialog:
    """Let a person choose a folder or files; ``take`` gets their paths."""
    dialog = QFileDialog(parent, title)
    dialog.setFileMode(mode)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.filesSelected.connect(take)
    dialog.open()
    return dialog


def confirm(parent: QWidget, question: str, word: str, do: Callable[[], None], *, harmless: bool = False) -> None:
    """Ask before something that cannot be undone, or that costs something; ``word`` is on the button that does it.

    Enter does it only where it is ``harmless``.
    """
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setText(question)
    role = QMessageBox.ButtonRole.AcceptRole if harmless else QMessageBox.ButtonRole.DestructiveRole
    button = box.addButton(word, role)
    cancel = box.addButton(QMessageBox.StandardButton.Cancel)
    box.setDefaultButton(button if harmless else cancel)
    button.clicked.connect(lambda: do())
    box.open()


def appearance_menu(
    parent: QWidget,
    theme: Theme,
    choose: Callable[[ThemeName], None],
    keyboard: Callable[[], None],
    models: Callable[[], None],
) -> QMenu:
    """Return the menu of colours, with the models and the keyboard's help sheet below."""
    menu = QMenu(parent)
    names = {
        ThemeName.SYSTEM: parent.tr("Colours of the system"),
        ThemeName.LIGHT: parent.tr("Light"),
        ThemeName.DARK: parent.tr("Dark"),
        ThemeName.CONTRAST: parent.tr("High contrast"),
    }
    for name, text in names.items():
        action = menu.addAction(text)
        action.setCheckable(True)
        action.triggered.connect(lambda _checked, chosen=name: choose(chosen))
        menu.aboutToShow.connect(lambda a=action, n=name: a.setChecked(n is theme.choice))
    menu.addSeparator()
    menu.addAction(parent.tr("Models …")).triggered.connect(lambda: models())
    menu.addAction(parent.tr("Keyboard")).triggered.connect(lambda: keyboard())
    return menu
