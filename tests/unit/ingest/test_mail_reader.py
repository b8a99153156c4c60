"""Mail: the headers that people read, the text in its charset, and the names of attachments."""

from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path

from desktop_rag.core.types import ReadDocument
from desktop_rag.ingest.readers import find_reader


def read(path: Path, content: bytes) -> ReadDocument:
    path.write_bytes(content)
    return find_reader(path).read(path, None)


def message() -> EmailMessage:
    mail = EmailMessage()
    mail["From"], mail["To"] = "Depot Office <office@example.org>", "All Staff <staff@example.org>"
    mail["Date"], mail["Subject"] = "Wed, 21 Sep 2022 10:28:53 -0600", "Tag der offenen Tür"
    mail["Message-ID"] = "<1@example.org>"
    return mail


def texts(document: ReadDocument) -> list[str]:
    return [block.text for block in document.blocks]


def test_headers_text_and_attachments(tmp_path: Path) -> None:
    mail = message()
    mail.set_content("Hello everyone,\n\nthere will be café tables on platform 3.\n")
    mail.add_alternative("<p>Hello <b>HTML</b></p>", subtype="html")
    mail.add_attachment(b"%PDF-1.7", maintype="application", subtype="pdf", filename="Plan Süd.pdf")
    document = read(tmp_path / "a.eml", mail.as_bytes())
    assert document.title == "Tag der offenen Tür"
    title, headers, *body = texts(document)
    assert title == "Tag der offenen Tür"
    assert headers.split("\n") == [
        "From: Depot Office <office@example.org>",
        "To: All Staff <staff@example.org>",
        "Date: Wed, 21 Sep 2022 10:28:53 -0600",
        "Subject: Tag der offenen Tür",
    ]
    assert body == [
        "Hello everyone,",
        "there will be café tables on platform 3.",
        "Attachment: Plan Süd.pdf (application/pdf)",
    ]


def test_a_message_in_html_only(tmp_path: Path) -> None:
    mail = message()
    mail.set_content("<h2>News</h2><p>Bring <b>boots</b>.</p><p hidden>trap</p>", subtype="html")
    assert texts(read(tmp_path / "a.eml", mail.as_bytes()))[2:] == ["News", "Bring boots."]


def test_a_wrong_charset_is_guessed(tmp_path: Path) -> None:
    head = b"From: a@example.org\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=x-unknown\r\n\r\n"
    document = read(tmp_path / "a.eml", head + "Die Fähre fährt über die Mühlache.".encode("latin-1"))
    assert texts(document)[-1] == "Die Fähre fährt über die Mühlache."
    assert document.title == "a"


def test_broken_headers_do_not_stop_the_reader(tmp_path: Path) -> None:
    head = (
        b"From: =?utf-8?q?broken\r\nTo: <<>,,@@\r\nDate: yesterday\r\nSubject: Hello\r\nMIME-Version: 1.0\r\n\r\nText."
    )
    assert texts(read(tmp_path / "a.eml", head))[-1] == "Text."


def test_mail_is_known_by_its_content(tmp_path: Path) -> None:
    mail = message()
    mail.set_content("Hello.")
    path = tmp_path / "saved.txt"
    read(path, mail.as_bytes())
    assert find_reader(path).name == "mail"
    note = tmp_path / "note.txt"
    read(note, b"From: the kitchen\nTo: everyone\n\nThe soup is ready.\n")
    assert find_reader(note).name == "text"
