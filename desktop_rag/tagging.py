"""The part of an open library that tags files and folders."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path

from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.tags import TagRow, checked_tag
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.sync.rules import is_inside


class Tagging(ABC):
    """The tags of one workspace; the library is one of these."""

    _catalogue: Catalogue

    @abstractmethod
    def _need_writer(self) -> None:
        """Raise UserFacingError when the workspace is open for reading only."""

    def tags(self) -> tuple[TagRow, ...]:
        """Return the tags that anything has, by name."""
        if not self._catalogue.tags.are_there:
            return ()
        files = self._catalogue.tags.of_files(self._catalogue.files.all()).values()
        folders = self._catalogue.tags.of_folders()
        names = frozenset().union(*files, *folders.values())
        return tuple(
            TagRow(
                name,
                sum(name in tags for tags in files),
                tuple(sorted(str(folder) for folder, tags in folders.items() if name in tags)),
            )
            for name in sorted(names)
        )

    def tag(self, documents: Sequence[str], name: str) -> None:
        """Give these files a tag. Raises UserFacingError for what cannot be a tag."""
        self._need_writer()
        self._catalogue.tags.put(checked_tag(name), self._known(documents), ())

    def untag(self, documents: Sequence[str], name: str) -> None:
        """Take a tag from these files. Raises UserFacingError when one of them has it from its folder."""
        self._need_writer()
        wanted = checked_tag(name)
        self._catalogue.tags.take(wanted, self._known(documents), ())
        records = self._catalogue.files.all()
        left = self._catalogue.tags.of_files(records)
        kept = next(
            (one for one in records if one.document in documents and wanted in left.get(one.document, ())), None
        )
        if kept is not None:
            raise UserFacingError(
                f"'{kept.shown}' has the tag '{wanted}' from its folder or its message. Take it from that one: in the "
                f'window by the menu of the folder, or with: desktop-rag tag remove "{wanted}" FOLDER'
            )

    def tag_folder(self, folder: int, name: str, wanted: bool = True) -> None:
        """Give a tag to a watched folder (or single file), or take it; all its files have it, those to come as well.

        Raises UserFacingError for what cannot be a tag; nothing happens when the folder is not watched any more.
        """
        self._need_writer()
        tag = checked_tag(name)
        change = self._catalogue.tags.put if wanted else self._catalogue.tags.take
        for record in self._catalogue.folders.all():
            if record.id == folder and record.is_file:
                file = self._catalogue.files.at(record.path)
                change(tag, [] if file is None else [file.document], ())
            elif record.id == folder:
                change(tag, (), [record.path])

    def tag_paths(self, paths: Sequence[str], name: str, wanted: bool = True) -> None:
        """Give a tag to files and folders on the disk, or take it from them; a folder's holds for all files below it.

        Raises UserFacingError, before anything is changed, for a path that the workspace does not have.
        """
        self._need_writer()
        tag = checked_tag(name)
        documents, folders = list[str](), list[Path]()
        watched = [folder.path for folder in self._catalogue.folders.all() if not folder.is_file]
        for shown in paths:
            path = Path(shown).resolve()
            record = self._catalogue.files.at(path)
            if record is not None:
                documents.append(record.document)
            elif any(is_inside(path, folder) for folder in watched) and not path.is_file():
                folders.append(path)
            else:
                raise UserFacingError(
                    f"The workspace does not have '{shown}'. Add it first: desktop-rag index \"{shown}\""
                )
        (self._catalogue.tags.put if wanted else self._catalogue.tags.take)(tag, documents, folders)

    def _known(self, documents: Sequence[str]) -> list[str]:
        return [one for one in documents if self._catalogue.files.get(one) is not None]
