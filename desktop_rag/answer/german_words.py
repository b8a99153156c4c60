"""The small words of German by what they do in a sentence, folded, and its strong verbs."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PARTICLES = _words("""
    ab an auf aus bei durch ein entgegen fehl fest fort frei gegenuber her heraus herab hervor hin hinaus hinzu los mit
    nach nieder statt teil uber um unter vor voran voraus vorbei weg weiter wieder zu zuruck zusammen
""")
"""First parts of verbs that may stand apart at the end of a clause: "lehnte … ab"."""

PREPOSITIONS = _words("""
    ab abzuglich als am an auf aufgrund aus ausser ausserhalb bei beim binnen bis dank durch einschliesslich fur gegen
    gegenuber gemass hinter im in infolge innerhalb ins je laut mit nach neben oberhalb ohne pro samt seit statt trotz
    uber um unter unterhalb vom von vor wahrend wegen wie zu zum zur zuzuglich zwischen
""")
"""What governs the noun behind it; "als" and "wie", which compare, too."""

ARTICLES = _words("alle beide das der die diese dieser dieses ein eine einer ihr ihre jede jeder kein keine sein seine")
"""What may stand before the one who does something."""

OBLIQUE = _words("dem den des diesem diesen einem einen eines herrn ihm ihn ihnen jedem jeden keinem keinen")
"""What stands before those to whom or with whom something is done, never before the one who does it."""

GENITIVES = _words("der des einer eines ihrer seiner")
TITLES = _words("dr firma frau herr herrn prof")

DETERMINERS = (
    ARTICLES | OBLIQUE | _words("allen am an auf aus bei beim dieser fur im in ins mit nach vom von zu zum zur")
)
"""What an adjective stands behind, so that the word between it and a noun is no verb."""

AUXILIARIES = _words("""
    darf durfen hat haben hatte hatten ist kann konnen muss mussen sind soll sollen war waren werden wird wurde wurden
""")

NO_VERBS = _words("""
    allerdings bereits dagegen damit deswegen erst etwa fast fruhestens gemeinsam hingegen hochstens insgesamt jedoch
    jetzt laut leicht meist mindestens nicht oft rund selten sonst spatestens trotz zuletzt zudem zunachst
""")
"""Words in lower case that end as verbs do."""

TURNING = _words("""
    alle allen alles ausgenommen ausschliesslich ausser betragt betrug bevor darf durfen einige erst erste ersten falls
    geplant hochstens immer jede jeder jedes kaum konnen konnte lag lagen lediglich letzte letzten liegen liegt maximal
    mehr meisten mindestens muss mussen selten sofern soll sollen sollte soweit stets viele voraussichtlich weniger
    wenige
""")
"""Words on which the rules of the audit turn, so that none stands for another."""

_STRONG = """
    bat bet bitt | beginn begann begonn | beiss biss | beweg bewog | biet bot | bind band bund | bleib blieb
    brech brach bricht broch | brenn brannt | bring bracht | denk dacht | dring drang drung | empfang empfing
    empfehl empfahl empfiehl empfohl | ess ass isst gess | fahr fuhr fahrt | fall fiel | find fand fund | flieg flog
    fliess floss | frier fror | geb gab gibt | geh ging gang | gelt galt gilt golt | geling gelang gelung
    geniess genoss | gewinn gewann gewonn | giess goss | gleich glich | gleit glitt | greif griff | halt hielt
    hang hing | heb hob | heiss hiess | helf half hilf holf | kenn kannt | kling klang klung | komm kam | lad lud
    lass liess | lauf lief | leid litt | leih lieh | les las lies | lieg lag leg | losch losch lisch | lug log
    meid mied | mess mass miss | nehm nahm nimm nomm | nenn nannt | pfeif pfiff | rat riet | reiss riss | reit ritt
    ring rang rung | ruf rief | schaff schuf | scheid schied | schein schien | schieb schob | schiess schoss
    schlaf schlief | schlag schlug | schliess schloss | schmelz schmolz | schneid schnitt | schreib schrieb
    schrei schrie | schreit schritt | schweig schwieg | schwimm schwamm schwomm | schwind schwand schwund
    seh sah sieht sieh | send sandt | sing sang sung | sink sank sunk | sitz sass sess | sprech sprach sprich sproch
    spring sprang sprung | stech stach stich stoch | steh stand | stehl stahl stiehl stohl | steig stieg
    sterb starb stirb storb | stoss stiess | streich strich | streit stritt | trag trug | treff traf triff troff
    treib trieb | tret trat tritt | trink trank trunk | tu tat tan | verderb verdarb verdirb verdorb | vergess vergass
    verlier verlor | wachs wuchs | wasch wusch | weich wich | weis wies | wend wandt | werb warb wirb worb
    werf warf wirf worf | wieg wog | wind wand wund | wiss wuss weiss | zieh zog | zwing zwang zwung
"""


def strong_verbs() -> dict[str, str]:
    """Return each stem of a strong verb, of its present, past or participle, with that of its present."""
    groups = (group.split() for line in _STRONG.strip().splitlines() for group in line.split("|"))
    return {form: forms[0] for forms in groups for form in forms}
