"""Sentences about models: what each kind does, what follows from another one, and what is known of one. No widgets."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from desktop_rag.core.job import Progress
from desktop_rag.core.model_rows import Fit, ModelKind, ModelRow, ModelState, ModelTrial, Redoing
from desktop_rag.ui import wording


def _tr(text: str) -> str:
    return QCoreApplication.translate("models", text)


def kind_title(kind: ModelKind) -> str:
    """Return the word on the tab of a kind."""
    titles = {
        ModelKind.CHAT: _tr("Answers"),
        ModelKind.VISION: _tr("Figures"),
        ModelKind.EMBEDDING: _tr("Meaning"),
        ModelKind.PAGE: _tr("Pages"),
        ModelKind.RERANKING: _tr("Second look"),
    }
    return titles[kind]


def kind_about(kind: ModelKind) -> str:
    """Return what a kind of model does, and what follows from choosing another one."""
    about = {
        ModelKind.CHAT: _tr("Writes the answer from the quotes. Nothing has to be read again for another one."),
        ModelKind.VISION: _tr(
            "Says what figures show, so that they are found; that is never quoted. Another one describes all figures "
            "anew, in the background."
        ),
        ModelKind.EMBEDDING: _tr(
            "Finds passages by what they mean. Another one works out the meaning of every passage anew, and of pages "
            "where no page model looks at them; until that is done, passages are found by their words."
        ),
        ModelKind.PAGE: _tr(
            "Compares whole pages by what they look like or, without a model, by their words and places. Another one "
            "looks at all pages anew; what was seen before serves until it is done."
        ),
        ModelKind.RERANKING: _tr(
            "Looks at the first places again and puts them in order. Nothing has to be read again; every question "
            "takes longer."
        ),
    }
    return about[kind]


def state_word(row: ModelRow) -> str:
    """Return where a model is, in a word or two."""
    if row.used and row.state is not ModelState.LOST:
        return _tr("in use")
    words = {
        ModelState.COMES_ALONG: _tr("comes along"),
        ModelState.INSTALLED: _tr("installed"),
        ModelState.LOST: _tr("files are gone"),
        ModelState.PARTLY: _tr("fetched in part"),
        ModelState.KNOWN: _tr("not installed"),
    }
    return words[row.state]


def memory_word(row: ModelRow) -> str:
    """Return the memory that a model needs, and a word if this machine has not so much."""
    if not row.memory:
        return ""
    words = {Fit.NOW: "{size}", Fit.LATER: _tr("{size}, not free"), Fit.NEVER: _tr("{size}, too much")}
    return words[row.fit].format(size=wording.size(row.memory))


def fit_sentence(row: ModelRow) -> str:
    """Return whether a model fits into the memory of this machine; empty where it needs none of its own."""
    if not row.memory:
        return ""
    size = wording.size(row.memory)
    sentences = {
        Fit.NOW: _tr("It needs about {size} of memory, which this machine has free."),
        Fit.LATER: _tr("It needs about {size} of memory: close other programs before it is used."),
        Fit.NEVER: _tr("It needs about {size} of memory, more than this machine has."),
    }
    return sentences[row.fit].format(size=size)


def details(row: ModelRow) -> str:
    """Return what is to be known of a model beyond its row in the table."""
    about = row.about[:1].upper() + row.about[1:]
    parts = [about if about.endswith(".") or not about else f"{about}."]
    parts.append(fit_sentence(row))
    if row.state is ModelState.LOST:
        parts.append(_tr("Its files are not where they were: add it again."))
    elif row.state is ModelState.PARTLY:
        sizes = {"have": wording.size(row.fetched), "all": wording.size(row.bytes)}
        parts.append(_tr("{have} of {all} are here; fetching goes on from there.").format(**sizes))
    return " ".join(filter(None, parts))


def fetch_question(row: ModelRow) -> str:
    """Return what is asked before a model is fetched."""
    return _tr(
        "Fetch {name} ({size}) from {source}?\n\nThis is the one thing for which the program uses the network. Only "
        "the model's name is sent, nothing of your documents. Every file is compared with the hub's checksum."
    ).format(name=row.name, size=wording.size(row.bytes - row.fetched), source=row.source)


def choose_question(row: ModelRow, redoing: Redoing) -> str:
    """Return what is asked before a model is chosen for which something has to be done anew."""
    follows = {
        ModelKind.EMBEDDING: _tr("The meaning of all passages is worked out anew: {what}."),
        ModelKind.PAGE: _tr("All pages are looked at anew: {what}."),
        ModelKind.VISION: _tr("All figures are described anew: {what}."),
    }
    what = follows[row.kind].format(what=redoing.sentence())
    return _tr(
        "Use {name} from now on?\n\n{what} This is done in the background and can be paused; other "
        "workspaces follow when they are opened."
    ).format(name=row.name, what=what)


def remove_question(row: ModelRow) -> str:
    """Return what is asked before a model goes."""
    if row.pulled:
        size = wording.size(row.fetched or row.bytes)
        return _tr("Delete {name} ({size}) from this computer? It can be fetched again.").format(
            name=row.name, size=size
        )
    return _tr("Take {name} off the list? Its files stay in {folder}.").format(name=row.name, folder=row.folder)


def fetching(name: str, progress: Progress | None, bytes_per_second: float) -> str:
    """Return how far the fetching of a model is."""
    if progress is None:
        return _tr("Asking the hub for {name} …").format(name=name)
    done, total = wording.size(progress.done), wording.size(progress.total)
    parts = [_tr("Fetching {name}: {done} of {total}").format(name=name, done=done, total=total)]
    if bytes_per_second > 0:
        parts.append(_tr("{size} a second").format(size=wording.size(round(bytes_per_second))))
        parts.append(wording.time_left((progress.total - progress.done) / bytes_per_second))
    return " · ".join(parts)


def trial_footer(trial: ModelTrial) -> str:
    """Return how long a trial took."""
    parts = [_tr("{seconds:.1f} s").format(seconds=trial.seconds)]
    if trial.load_seconds:
        parts.append(_tr("{seconds:.1f} s to load").format(seconds=trial.load_seconds))
    if trial.speed is not None:
        parts.append(trial.speed.sentence())
    return " · ".join(parts)
