"""A real folder goes through everything that happens to folders; after each change the index says what the disk says.

What it must say is asked of a second index, made anew from the same disk.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import docx
import openpyxl
import pymupdf
import pytest

from desktop_rag.core.job import Job
from desktop_rag.core.ledger import Stage
from desktop_rag.core.rules import FolderRules
from tests.fixtures.in_step import LARGEST_BYTES, IndexOfDisk
from tests.fixtures.permissions import binding_permissions

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

BULK = 2_000


class Disk:
    """Two watched folders and the means to change them."""

    def __init__(self, base: Path) -> None:
        self.one, self.two = base / "one", base / "two"
        self.outside = base / "outside"
        for folder in (self.one, self.two, self.outside):
            folder.mkdir()

    def put(self, path: str, text: str = "") -> Path:
        """Write a text file, by default one that tells its own name."""
        file = self.one.parent / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text or f"This is the note called {file.stem}. It was kept in {file.parent.name}.\n", "utf-8")
        return file

    def append(self, path: str, text: str) -> None:
        """Write more into a text file."""
        with self.at(path).open("a", encoding="utf-8") as file:
            file.write(text)

    def at(self, path: str) -> Path:
        """Return a path below both folders."""
        return self.one.parent / path

    def pdf(self, path: str, *pages: str) -> None:
        """Write a PDF with a page for each text."""
        with pymupdf.open() as document:
            for text in pages:
                document.new_page().insert_text((72, 100), text, fontsize=12)
            document.save(self.at(path))

    def word(self, path: str, *paragraphs: str) -> None:
        """Write a Word document."""
        document = docx.Document()
        document.add_heading("Minutes of the club", 1)
        for text in paragraphs:
            document.add_paragraph(text)
        document.save(str(self.at(path)))

    def sheet(self, path: str, *rows: tuple[object, ...]) -> None:
        """Write a workbook."""
        book = openpyxl.Workbook()
        assert book.active is not None
        for row in rows:
            book.active.append(row)
        book.save(self.at(path))


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    return Disk(tmp_path)


@pytest.fixture
def index(tmp_path: Path, disk: Disk) -> Iterator[IndexOfDisk]:
    opened = IndexOfDisk(tmp_path / "index")
    opened.watch(disk.one)
    opened.watch(disk.two)
    yield opened
    opened.close()


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[IndexOfDisk]:
    opened = IndexOfDisk(tmp_path / "fresh")
    yield opened
    opened.close()


def made_anew(fresh: IndexOfDisk, like: IndexOfDisk) -> IndexOfDisk:
    """Empty ``fresh`` and index the same folders by the same rules."""
    for root in fresh.watched():
        fresh.unwatch(root)
    assert fresh.elements.count() == 0
    for root, rules in like.watched().items():
        fresh.watch(root, rules)
    fresh.sync()
    return fresh


Step = Callable[[Disk, IndexOfDisk], object]


def _first_files(disk: Disk, _: IndexOfDisk) -> None:
    disk.put("one/heating.md", "# Heat pump\n\nThe pump was installed in March 2021.\n\n## Care\n\nClean the filter.\n")
    disk.put("one/garden.txt")
    disk.put("one/data/members.csv", "name,since\nAnna,1998\nBert,2004\n")
    disk.put("two/deep/er/page.html", "<h1>Bees</h1><p>The hive stands behind the shed.</p>")
    disk.pdf("two/report.pdf", "The bridge is 83 metres long.", "It was painted green in 2009.")
    disk.word("one/minutes.docx", "The treasurer reported a surplus.", "The meeting closed at nine.")
    disk.sheet("two/budget.xlsx", ("item", "euros"), ("paint", 120), ("nails", 14))


def _save_as_programs_do(disk: Disk, _: IndexOfDisk) -> None:
    disk.put("one/garden.txt.tmp1", "The garden was dug over. There are leeks now.\n").replace(
        disk.at("one/garden.txt")
    )


def _same_size_older_time(disk: Disk, _: IndexOfDisk) -> None:
    file = disk.at("one/garden.txt")
    text = file.read_text("utf-8")
    file.write_text(text.replace("leeks", "beans"), "utf-8")
    os.utime(file, ns=(10**18, 10**18))


def _swap(disk: Disk, _: IndexOfDisk) -> None:
    a, b, c = disk.at("one/a.txt"), disk.at("one/b.txt"), disk.at("one/c.txt")
    a.rename(c)
    b.rename(a)
    c.rename(b)


def _replace_by_folder(disk: Disk, _: IndexOfDisk) -> None:
    disk.at("one/a.txt").unlink()
    disk.put("one/a.txt/inside.txt")


def _replace_by_file(disk: Disk, _: IndexOfDisk) -> None:
    shutil.rmtree(disk.at("one/a.txt"))
    disk.put("one/a.txt", "This was a folder and is a file again.\n")


def _odd_names(disk: Disk, _: IndexOfDisk) -> None:
    for name in ("two\nlines", "bee \N{HONEYBEE}", "caf\u00e9", "cafe\u0301", "x" * 251, " blank", "50% 'off'; --"):
        disk.put(f"one/odd/{name}.txt", f"A file with {len(name)} letters in its name.\n")


def _links(disk: Disk, _: IndexOfDisk) -> None:
    disk.put("outside/linked.txt")
    disk.at("one/loop").symlink_to(disk.one, target_is_directory=True)
    disk.at("one/link.txt").symlink_to(disk.at("outside/linked.txt"))
    disk.at("two/into-one").symlink_to(disk.at("one/data"), target_is_directory=True)
    os.link(disk.at("one/b.txt"), disk.at("two/hard.txt"))


def _bulk(disk: Disk, _: IndexOfDisk) -> None:
    for number in range(BULK):
        disk.put(f"two/bulk/{number % 20}/note-{number}.txt", f"Bulk note {number} speaks of matter {number * 7}.\n")


STEPS: dict[str, Step] = {
    "files of many kinds appear": _first_files,
    "nothing happens": lambda disk, index: None,
    "a file is created": lambda disk, index: disk.put("one/a.txt"),
    "another one is created": lambda disk, index: disk.put("one/b.txt"),
    "a file is edited": lambda disk, index: disk.put("one/a.txt", "Now it speaks of plums.\n"),
    "a file grows": lambda disk, index: disk.append("one/heating.md", "\n## Price\n\nIt cost 18 euros.\n"),
    "a file is saved over": _save_as_programs_do,
    "a file gets the same size and an old time": _same_size_older_time,
    "a file is touched": lambda disk, index: os.utime(disk.at("one/a.txt")),
    "a file is renamed": lambda disk, index: disk.at("one/b.txt").rename(disk.at("one/bees.txt")),
    "it is renamed back": lambda disk, index: disk.at("one/bees.txt").rename(disk.at("one/b.txt")),
    "two files change names": _swap,
    "a file becomes one of another kind": lambda d, i: d.at("one/garden.txt").rename(d.at("one/garden.md")),
    "a PDF is renamed": lambda d, i: d.at("two/report.pdf").rename(d.at("two/bridge_report.pdf")),
    "a page is added to a PDF": lambda d, i: d.pdf("two/bridge_report.pdf", "It is 83 metres long.", "Green.", "Old."),
    "a Word document changes": lambda d, i: d.word("one/minutes.docx", "The treasurer reported a loss."),
    "a workbook changes": lambda d, i: d.sheet("two/budget.xlsx", ("item", "euros"), ("paint", 130)),
    "a file moves between the folders": lambda d, i: d.at("one/minutes.docx").rename(d.at("two/minutes.docx")),
    "a folder moves between them": lambda d, i: d.at("two/deep").rename(d.at("one/deep")),
    "a folder is renamed": lambda d, i: d.at("one/deep").rename(d.at("one/deeper")),
    "a file is copied": lambda d, i: shutil.copy2(d.at("one/heating.md"), d.at("two/heating copy.md")),
    "a folder is copied": lambda d, i: shutil.copytree(d.at("one/data"), d.at("two/data")),
    "the original of a copy goes": lambda d, i: d.at("one/heating.md").unlink(),
    "a file is replaced by a folder": _replace_by_folder,
    "a folder is replaced by a file": _replace_by_file,
    "names are odd": _odd_names,
    "links lead in and round": _links,
    "what a link leads to changes": lambda d, i: d.put("outside/linked.txt", "Changed behind the link.\n"),
    "a link goes": lambda d, i: d.at("one/link.txt").unlink(),
    "a file is closed": lambda d, i: d.at("one/b.txt").chmod(0),
    "it is opened again": lambda d, i: d.at("one/b.txt").chmod(0o644),
    "a file is emptied": lambda d, i: d.at("one/b.txt").write_bytes(b""),
    "it is filled again": lambda d, i: d.put("one/b.txt", "Full again, with pears.\n"),
    "a PDF is damaged": lambda d, i: d.at("two/bridge_report.pdf").write_bytes(b"%PDF-1.7\nnothing more"),
    "it is mended": lambda d, i: d.pdf("two/bridge_report.pdf", "Mended, and 83 metres long."),
    "a sound appears": lambda d, i: d.at("one/song.mp3").write_bytes(b"ID3\x04\x00" + bytes(64)),
    "a file is too large": lambda d, i: d.put("one/large.txt", "word " * (LARGEST_BYTES // 5 + 1)),
    "it shrinks": lambda d, i: d.put("one/large.txt", "Not large any more.\n"),
    "an ignore file comes": lambda d, i: d.put("one/.ragignore", "odd/\n*.mp3\n"),
    "it lets more in": lambda d, i: d.put("one/.ragignore", "*.mp3\n"),
    "it goes": lambda d, i: d.at("one/.ragignore").unlink(),
    "rules are given": lambda d, i: i.watch(d.two, FolderRules(("*.pdf", "*.txt"), ("data/",))),
    "rules are taken away": lambda d, i: i.watch(d.two),
    "hidden and temporary files come": lambda d, i: [d.put(f"one/{n}") for n in (".secret", "~$b.docx", "c.part")],
    "a folder inside is watched by itself": lambda d, i: i.watch(d.at("one/data")),
    "one of the folders is let go": lambda d, i: i.unwatch(d.at("one/data")),
    "two thousand files come at once": _bulk,
    "half of them move": lambda d, i: [d.at(f"two/bulk/{n}").rename(d.at(f"one/bulk-{n}")) for n in range(0, 20, 2)],
    "the rest goes": lambda d, i: shutil.rmtree(d.at("two/bulk")),
}
assert len(STEPS) >= 40


def test_after_each_change_the_index_says_what_the_disk_says(
    disk: Disk, index: IndexOfDisk, fresh: IndexOfDisk
) -> None:
    for name, step in STEPS.items():
        step(disk, index)
        with binding_permissions():
            index.sync()
        expected = made_anew(fresh, index).content()
        found = index.content()
        assert found.keys() == expected.keys(), name
        for file in expected:
            assert found[file] == expected[file], f"{name}: {file}"
        assert index.check().sound, name
    assert index.check().stray_vectors == 0


def test_a_drive_that_goes_and_comes_back_loses_nothing(disk: Disk, index: IndexOfDisk) -> None:
    for number in range(5):
        disk.put(f"two/note-{number}.txt")
    index.sync()
    before = index.content()

    away = disk.two.rename(disk.at("unplugged"))
    index.sync()
    assert (index.offline(), index.content()) == ({disk.two}, before)

    disk.two.mkdir()  # the empty mount point is left
    index.sync()
    assert (index.offline(), index.content()) == ({disk.two}, before)

    disk.two.rmdir()
    away.rename(disk.two)
    (disk.two / "note-3.txt").unlink()
    index.sync()
    assert index.offline() == set()
    gone = str(disk.two / "note-3.txt")
    assert index.content() == {file: content for file, content in before.items() if file != gone}


def test_a_folder_that_its_owner_empties_is_empty(disk: Disk, index: IndexOfDisk) -> None:
    disk.put("two/a.txt")
    index.sync()
    disk.at("two/a.txt").unlink()
    index.sync()
    assert (index.offline(), index.content(), index.elements.count()) == (set(), {}, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are another matter there")
def test_what_is_closed_keeps_what_is_known_of_it_until_it_can_be_read_again(disk: Disk, index: IndexOfDisk) -> None:
    file, folder = disk.put("one/a.txt"), disk.put("one/closed/b.txt").parent
    index.sync()
    before = index.content()

    disk.put("one/a.txt", "It speaks of cherries now.\n")
    file.chmod(0)
    folder.chmod(0)
    with binding_permissions():
        index.sync()
    found = index.content()
    assert found[str(file)].state == "failed"
    assert "cannot be opened" in found[str(file)].reason
    assert found[str(file)].elements == before[str(file)].elements
    assert found[str(folder / "b.txt")] == before[str(folder / "b.txt")]

    file.chmod(0o644)
    folder.chmod(0o755)
    with binding_permissions():
        index.sync()
    found = index.content()
    assert found.keys() == before.keys()
    assert found[str(file)].state == "indexed"
    assert "cherries" in found[str(file)].elements[0][2]
    assert index.check().sound


def test_a_file_that_moves_before_all_of_its_stages_are_done_keeps_its_tags_and_its_text(
    disk: Disk, index: IndexOfDisk
) -> None:
    waiting, locked = disk.put("one/waiting.txt"), disk.at("one/broken.pdf")
    locked.write_bytes(b"%PDF-1.7\nnothing more")
    index.synchronizer.run([Stage.TEXT], Job(), lambda _: None)
    records = index.catalogue.files.all()
    assert {str(record.state) for record in records} == {"working", "failed"}
    index.catalogue.tags.put("mine", [record.document for record in records], [])
    (known,) = index.elements._select("true")

    waiting.rename(disk.at("two/waiting.txt"))
    locked.rename(disk.at("two/damaged.pdf"))
    index.synchronizer.run([Stage.TEXT], Job(), lambda _: None)
    moved = {record.path.name: record for record in index.catalogue.files.all()}
    assert {record.document for record in records} == {record.document for record in moved.values()}
    assert set(index.catalogue.tags.of_files([*moved.values()]).values()) == {frozenset({"mine"})}
    assert [element.id for element in index.elements._select("true")] == [known.id]
    assert "damaged.pdf" in moved["damaged.pdf"].reason

    index.sync()
    assert index.content()[str(disk.at("two/waiting.txt"))].vectors == 1


def test_a_renamed_document_costs_no_vector(disk: Disk, index: IndexOfDisk) -> None:
    disk.pdf("one/x.pdf", *(f"Page {number} tells of parcel {number * 13}." for number in range(40)))
    index.sync()
    before = index.content()[str(disk.at("one/x.pdf"))]
    index.embedder.batches.clear()
    disk.at("one/x.pdf").rename(disk.at("two/parcel_list.pdf"))
    index.sync()
    assert index.embedder.batches == []
    after = index.content()[str(disk.at("two/parcel_list.pdf"))]
    assert [element[2] for element in after.elements] == [element[2] for element in before.elements]
    assert {element[6] for element in after.elements} == {"parcel list"}
    assert replace(after, title="", elements=()) == replace(before, title="", elements=())


def test_one_changed_page_costs_few_vectors(disk: Disk, index: IndexOfDisk) -> None:
    pages = [f"Page {number} tells of parcel {number * 13}." for number in range(40)]
    disk.pdf("one/x.pdf", *pages)
    index.sync()
    index.embedder.batches.clear()
    disk.pdf("one/x.pdf", *pages[:20], "This page was written anew.", *pages[21:])
    index.sync()
    assert 0 < sum(index.embedder.batches) < 5


def test_copies_share_their_vectors(disk: Disk, index: IndexOfDisk) -> None:
    disk.put("one/heating.md", "# Heat pump\n\nThe pump was installed in March 2021.\n")
    index.sync()
    index.embedder.batches.clear()
    shutil.copy(disk.at("one/heating.md"), disk.at("two/heating.md"))
    index.sync()
    assert index.embedder.batches == []
