"""Words and their opposites, and words that say of a number that it went the same way; English and German."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

from desktop_rag.core.words import fold, stem

_OPPOSITES = """
increase/decrease increase/decline increase/fall increase/fell increase/drop rise/decrease rise/decline rise/drop
rise/fall rose/fell rose/decrease rose/decline rose/drop risen/fallen grow/shrink grew/shrank gain/loss up/down
above/below more/less more/fewer higher/lower high/low highest/lowest larger/smaller large/small largest/smallest
greatest/least most/least maximum/minimum long/short longer/shorter longest/shortest early/late earlier/later
earliest/latest before/after first/last start/end begin/end begins/ends opened/closed open/closed enable/disable
allow/prohibit allow/forbid permit/prohibit permit/forbid accept/reject approve/reject approve/deny pass/fail
include/exclude import/export imported/exported buy/sell win/lose won/lost north/south northern/southern east/west
eastern/western left/right men/women male/female man/woman boys/girls hot/cold warm/cold warmer/colder wet/dry
full/empty inside/outside internal/external public/private urban/rural
old/new older/newer older/younger add/remove added/removed
true/false positive/negative surplus/deficit profit/loss assets/liabilities optional/mandatory optional/required
voluntary/mandatory temporary/permanent weekly/daily weekly/monthly daily/monthly monthly/yearly weekly/yearly
annual/monthly monday/tuesday same/different strong/weak stronger/weaker fast/slow faster/slower best/worst better/worse
improve/worsen upper/lower front/rear input/output encrypt/decrypt lock/unlock attach/detach land/water
clockwise/counterclockwise horizontal/vertical single/multiple known/unknown safe/unsafe supported/unsupported
steigen/fallen hoch/niedrig mehr/weniger größer/kleiner länger/kürzer vor/nach nord/süd warm/kalt erlaubt/verboten
"""

_GERMAN = """
steigen steigt stieg stiegen gestiegen zunehmen zunimmt zunahm zugenommen zunahme anstieg erhöhen erhöht erhöhte
erhöhung wachsen wächst wuchs gewachsen / sinken sinkt sank sanken gesunken fallen fällt fiel fielen gefallen abnehmen
abnimmt abnahm abgenommen abnahme rückgang zurückgehen zurückgeht zurückging zurückgegangen senken senkt senkte
gesenkt verringern verringert verringerte reduzieren reduziert schrumpfen schrumpft schrumpfte geschrumpft;
verbessern verbessert verbesserte / verschlechtern verschlechtert verschlechterte;
annehmen annahm angenommen zustimmen zustimmt zustimmte zugestimmt genehmigen genehmigt genehmigte gebilligt /
ablehnen ablehnt ablehnte abgelehnt verwerfen verwarf verworfen zurückgewiesen;
öffnen öffnet öffnete geöffnet offen / schließen schließt schloss geschlossen;
einschalten einschaltet eingeschaltet anschalten angeschaltet / ausschalten ausschaltet ausgeschaltet abschalten
abgeschaltet;
beginnen beginnt begann begonnen anfangen / enden endet endete beenden beendet geendet;
kaufen kauft kaufte gekauft erwerben erwarb erworben / verkaufen verkauft verkaufte veräußert;
einstellen eingestellt / entlassen entließ;
überschreiten überschreitet überschritt überschritten übersteigt überstieg / unterschreiten unterschreitet
unterschritt unterschritten;
erlaubt zulässig gestattet / verboten unzulässig untersagt;
einfuhr einfuhren import importe importiert / ausfuhr ausfuhren export exporte exportiert;
täglich / wöchentlich / monatlich / vierteljährlich / halbjährlich / jährlich;
montags / dienstags / mittwochs / donnerstags / freitags / samstags / sonntags
"""
"""Forms of German words, with "/" between opposites and ";" behind them; forms on one side can stand for each other."""
_GERMAN_ALIKE = """
erhalten erhält erhielt erhielten bekommen bekommt bekam bekamen
verwenden verwendet verwendete benutzen benutzt benutzte nutzen genutzt nutzt eingesetzt
leiten leitet leitete geleitet führen führt führte geführt
durchgeführt vorgenommen
"""
_ALIKE = """
fall fell fallen decrease decline drop sank
rise rose risen increase grow grew grown climb
"""
_GERMAN_PAIRS = """
höher/niedriger hoch/niedrig hohe/niedrige höchste/niedrigste größer/kleiner groß/klein größte/kleinste länger/kürzer
lang/kurz längste/kürzeste schneller/langsamer schnell/langsam früher/später frühestens/spätestens älter/jünger
älter/neuer teurer/günstiger teurer/billiger schwerer/leichter schwer/leicht stärker/schwächer stark/schwach
besser/schlechter gut/schlecht wärmer/kälter heiß/kalt nass/trocken voll/leer mehr/weniger meisten/wenigsten über/unter
oberhalb/unterhalb innerhalb/außerhalb innen/außen intern/extern links/rechts linke/rechte oben/unten obere/untere
vorne/hinten nördlich/südlich östlich/westlich ost/west männer/frauen öffentlich/privat freiwillig/verpflichtend
befristet/unbefristet vorläufig/endgültig schriftlich/mündlich positiv/negativ wahr/falsch gewinn/verlust
einnahmen/ausgaben anfang/ende vorher/nachher erste/letzte käufer/verkäufer gläubiger/schuldner
arbeitgeber/arbeitnehmer auftraggeber/auftragnehmer zunächst/zuletzt brutto/netto
"""


def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    pairs = [tuple(pair.split("/")) for pair in (*_OPPOSITES.split(), *_GERMAN_PAIRS.split())]
    for pair in (*pairs, *_german_forms()):
        one, other = (stem(fold(word)) for word in pair)
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}


def _german_groups() -> list[list[list[str]]]:
    return [[side.split() for side in line.split("/")] for line in _GERMAN.split(";")]


def _german_forms() -> Iterator[tuple[str, str]]:
    """Yield each form of a German word with each form of its opposites."""
    for sides in _german_groups():
        for one, other in combinations(sides, 2):
            yield from product(one, other)


_OPPOSITE_OF = _opposites()


_SAME_WAY = tuple(
    frozenset(stem(fold(word)) for word in group)
    for group in (
        *(line.split() for line in (_ALIKE + _GERMAN_ALIKE).splitlines()),
        *(side for sides in _german_groups() for side in sides),
    )
)


def same_way(word: str) -> frozenset[str]:
    """Return the stems that can stand for the stem ``word``: of a number, that it went where ``word`` says it went."""
    return frozenset().union(*(group for group in _SAME_WAY if word in group))


def opposites(word: str) -> frozenset[str]:
    """Return the stems that mean the opposite of the stem ``word``, as far as they are known here."""
    return _OPPOSITE_OF.get(word, frozenset())
