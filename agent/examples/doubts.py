"""Where a text denies, supposes, guesses or reports: there nothing is a promise. Words by language, places by one pass."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from typing import Literal

from .reading import Reading

Doubt = Literal["denied", "supposed", "imagined", "reported", "about"]

_WORDS: dict[Doubt, str] = {
    "denied": r"""
not|never|neither|nor|no(?! caso| momento)|no longer|isn't|doesn't|don't|shouldn't|won't|can't|cannot|mustn't|aren't|wouldn't|didn't|hardly|barely|without|avoid|unlike|untrue|illegal|ignoring
nicht|nie|niemals|kein\w*|ohne|kaum|anders als
pas|jamais|aucun\w*|sans|ni|faux|contrairement
nunca|jamás|ningún\w*|sin(?!\()|ni|tampoco|falso
non(?!-)|mai|nessun\w*|senza|né|falso
não|nunca|jamais|nenhum\w*|sem|nem|falso
не|никогда|ни|нельзя|без|неверно|неправда|нет
不|没有?|别|勿|并非
ない|ません|なく|ず(?=に)|禁止
niet|geen|nie|inte|değil|않
""",
    "supposed": r"""
if(?! (?:you |we |i |one )?(?:call|run|invoke|evaluate))|unless|whether|might|may|maybe|perhaps|possibly|probably|could|can|think\w*|thought|believ\w+|claim\w*|guess\w*|hypothetical\w*|wish|what if|myth|as long as|until|let's say|would be|consider if|wonder\w*|doubt\w*|unclear|unsure|not sure
wenn(?! (?:man|ich|wir|du)\b)|falls|vielleicht|könnte|kann|möglicherweise|glaub\w+|denk\w+|behaupt\w+|ob|solange|vermutlich|wohl|zweifle
si(?! on | vous | tu | se llama| se invoca| llam\w+| ha\b| ottiene| restituisce| att\w+| aspetta)|s'il|peut-être|pourrait|peut|croi\w+|pens\w+|prétend\w*|tant que
quizás?|tal vez|podría|puede|cree\w*|piens\w+
(?:se|als|om)(?= `?[\w.]+\()|forse|potrebbe|può|cred\w+|pens\w+|finché
talvez|poderia|pode|acha\w*|pens\w+|enquanto
если(?! вызвать| вызываем| вызовем| вызывать)|возможно|может|дума\w+|счита\w+|утвержда\w+|пока|ли|вдруг
如果(?!调用|输入)|假如|若(?!输入)|要是|可能|也许|或许|认为|以为|是否
もし|仮に|かもしれ|たぶん|おそらく|思う|思って
jeśli|gdyby|eğer|만약
""",
    "imagined": r"""
suppos\w+|imagine\w*|assum(?:e|ing) (?:that|for)|pretend\w*|let's say|hypothetical\w*|not true|untrue|not the case
angenommen|annahme|stell dir vor|stimmt nicht|nicht wahr
suppos\w+|imagin\w+|il est faux|pas vrai
supong\w+|supon\w+|imagin\w+|digamos|no es (?:cierto|verdad)
suppon\w+|immagin\w+|ammettiamo|non è vero
suponha\w*|supond\w+|não é verdade
предполож\w+|допустим|представ(?:ь|им)\w*|неверно
假设|假設|假定|想象|并不是说
仮定|想定
""",
    "reported": r"""
wrong\w*|incorrect\w*|bugs?|buggy|broken|crash\w*|currently|at the moment|right now|presently|previously|formerly|used to|old|older|actual|actually|mistake\w*|mistakenly|erroneous\w*|naive|so far|until now|before|at present|now it|these days|legacy|one might|some people|what i see|what i get|i get|i got|i see|got|observed|today|as of now|for some reason|strange\w*|weird\w*|unexpected\w*|surprising\w*|fails|failed|broke|where(?= [\w'\"\[({-]+ = )|by accident|in error
falsch\w*|fehler\w*|kaputt|derzeit|zurzeit|momentan|im moment|aktuell|bisher|bislang|früher|vorher|damals|tatsächlich|irrtümlich\w*|im augenblick|ist-\w+|seltsam\w*|komisch\w*
actuellement|pour l'instant|en ce moment|avant|auparavant|erreur|erroné\w*|incorrect\w*|bogue|cassée?|à tort|jusqu'ici|bizarre\w*
actualmente|ahora mismo|por ahora|antes|anteriormente|errór|erróne\w+|incorrect\w+|mal|roto|rota|por error|equivocad\w+|hasta ahora|fallo|falla
attualmente|al momento|per ora|prima|sbagliat\w+|errat\w+|errore|rotto|rotta|finora|adesso
atualmente|no momento|por enquanto|antes|anteriormente|errad\w+|erro|incorret\w+|quebrad\w+|agora|até agora
сейчас|пока что|раньше|прежде|ранее|неправильн\w+|неверн\w+|ошиб\w+|сломан\w*|баг\w*|на данный момент|теперь|почему-то|до сих пор
目前|现在|現在|当前|以前|之前|原来|过去|错误(?!类型)|错的|不对|实际(?:上)?|却|坏了|有误|错了|不正确
現在|以前|いま|今は|今のところ|これまで|かつて|間違\w*|誤\w*|バグ|実際|おかしい|なぜか|壊れ\w*
""",
    "about": r"""
approximately|illustrat\w*|similar|something like|about|around|roughly|almost|nearly|circa|approx|or so|more or less|some(?= \d)|not allowed|illegal|depending|usually|sometimes|mostly|often
ungefähr|etwa(?= -?\d)|rund|fast|beinahe|circa|ca|meistens|manchmal|je nach
environ|presque|à peu près|parfois|souvent|selon
aproximadamente|casi|más o menos|a veces|según
circa|quasi|più o meno|a volte|secondo
aproximadamente|cerca de|quase|mais ou menos|às vezes
примерно|около|приблизительно|почти|иногда|обычно
大约|大概|约|大致|左右|有时
約|およそ|だいたい|ほぼ|くらい|ぐらい|時々
""",
}
_BUG_TALK = r"""
bugs?(?! ?fix)|buggy|broken|traceback \(most recent call last\):\s*file|stack trace|regression|(?<!not\x20)(?<!never\x20)(?<!to\x20)(?<!without\x20)crash(?:es|ed|ing)?|(?:please )?(?:fix|repair|debug) (?:this|it|that|the|my|our|these|me)|(?:does not|doesn't|isn't|not) work\w*|wrong (?:results?|answers?|outputs?|values?)|(?:is|are|that's|which is) (?:wrong|incorrect)|what(?:'s| is) wrong|find the (?:bug|mistake|error)
fehlerhaft|funktioniert nicht|repariere|korrigiere|behebe|ist falsch|absturz|stürzt
ne (?:marche|fonctionne) pas|corrige|répare|plante|est faux
no funciona|corrige|arregla|está mal|está roto
non funziona|correggi|ripara|è sbagliato
não funciona|corrija|conserte|está errado
не работает|исправь\w*|почини\w*|неправильно работает|падает
不工作|修复|修正|有问题|出错|有 ?bug|崩溃
動かない|動きません|直して|修正して|バグ
"""
"""Says that the whole text tells of code that does wrong."""

_ASKS = re.compile(
    r"[?？]|¿|\b(?:why|how come|warum|wieso|weshalb|pourquoi|почему|por qu[eé]|perché mai)\b|为什么|为何|なぜ|どうして",
    re.I,
)
_POINTS_BACK = re.compile(
    r"\s*(?:[-*>]\s*)?(?:(?:but|and|aber|mais|pero|ma|mas|но)\s+)?(?:this|that|it|which|these|those|both|all of|the result|das|dies\w*|es|c'est|cela|ceci|ça|eso|esto|es(?=\s)"
    r"|questo|è|ciò|isso|isto|это|этот|这|这是|那|これ|それ)",
    re.I,
)
_BREAKS = re.compile(r"[,;:—–(]\s|\s-\s|\b(?:but|however|aber|mais|pero|но)\b", re.I)
_COMPLEMENT = re.compile(r"\s*(?:that|dass|daß|que|qu'|che|что)\b", re.I)


def compiled(words: str) -> re.Pattern[str]:
    """Any of the alternatives, longest first; whole words in scripts that part words, anywhere in those that do not."""
    items = sorted((item for line in words.split("\n") for item in _alternatives(line)), key=len, reverse=True)
    parted = [item.replace(" ", r"\s+") for item in items if not _UNPARTED.search(item)]
    joined = [item for item in items if _UNPARTED.search(item)]
    guarded = rf"(?<!\w)(?:{'|'.join(parted)})(?:(?!\w)|(?<='))"
    return re.compile("|".join([*([guarded] if parted else []), *joined]), re.I)


_UNPARTED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def _alternatives(line: str) -> list[str]:
    """Parts of a line between bars that stand in no bracket."""
    parts, depth, start = list[str](), 0, 0
    for place, sign in enumerate(line):
        depth += (sign in "([") - (sign in ")]")
        if sign == "|" and not depth:
            parts.append(line[start:place])
            start = place + 1
    return [part for part in (*parts, line[start:]) if part.strip()]


_FIND = {kind: compiled(words) for kind, words in _WORDS.items()}
_TALK = compiled(_BUG_TALK)


@dataclass(frozen=True)
class Doubts:
    """The places of a text's doubtful words."""

    reading: Reading
    places: dict[Doubt, list[int]]
    bug_talk: bool
    """The text as a whole tells of code that does wrong."""

    def between(self, start: int, end: int, *kinds: Doubt) -> bool:
        """Whether a word of one of the kinds begins in `text[start:end]`."""
        return any(bisect_left(self.places[kind], end) > bisect_left(self.places[kind], start) for kind in kinds)

    def own_clause(self, begin: int, place: int) -> int:
        """Where the clause begins that leads to `place`, not before `begin`; one or two words before a comma ("Roughly,
        ...") belong to it, and so does what a "that" depends on ("it is not true, that ...")."""
        text = self.reading.masked
        starts = [begin, *(match.end() for match in _BREAKS.finditer(text, begin, place))]
        while len(starts) > 1 and (_COMPLEMENT.match(text, starts[-1]) or len(text[starts[-2] : starts[-1]].split()) <= 2):
            starts.pop()
        return starts[-1]

    def asked(self, begin: int, end: int) -> bool:
        """Whether the sentence asks instead of telling."""
        return bool(_ASKS.search(self.reading.masked, begin, end))

    def taken_back(self, end: int) -> bool:
        """Whether the next sentence says "that is wrong" of the one that ends at `end`."""
        text = self.reading.masked
        if not _POINTS_BACK.match(text, end):
            return False
        start = len(text[:end]) + len(text[end:]) - len(text[end:].lstrip())
        return self.between(start, self.reading.sentence(start, start)[1], "reported", "denied")


def doubts_in(reading: Reading) -> Doubts:
    """One pass over the text for each kind of doubt."""
    places = {kind: [match.start() for match in pattern.finditer(reading.masked)] for kind, pattern in _FIND.items()}
    return Doubts(reading, places, bool(_TALK.search(reading.masked)))
