"""The words that negation knows: verbs in all their forms, auxiliaries, and words that make its rules unsure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Literal, NamedTuple

__all__ = [
    "AUXILIARIES",
    "DETERMINERS",
    "HAVE",
    "MODALS",
    "NOUNS_TOO",
    "OBJECTLESS",
    "OF_A_STATE",
    "PLURAL_PRONOUNS",
    "PREPOSITIONS",
    "UNSURE",
    "VerbForm",
    "lemma_of_third_person",
    "verb_forms",
    "words_of",
]

Tense = Literal["base", "third", "past", "participle", "gerund"]


class VerbForm(NamedTuple):
    """One form of a verb: ``carries`` is the third person of ``carry``."""

    lemma: str
    tense: Tense


def words_of(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


AUXILIARIES = words_of("is are was were am will would could can cannot may")
"""Words behind which a "not" stands."""
MODALS = words_of("will would could can may must should might to cannot")
"""Words behind which a verb has its base form."""
HAVE = words_of("has have had")

# Negating them says another thing than that it is not the case ("must not", "might not"), or takes no "not".
UNSURE = words_of(
    "not no never none nothing nobody nowhere neither nor all every everything each everyone everybody some something "
    "somewhere somebody someone any anything both either only always often sometimes usually already still "
    "cannot without but exactly just even also too most many much few fewer several unless until except should might "
    "that which who whom whose where when whenever while if because whether what how why so anymore longer "
    "needn't"
)
DETERMINERS = words_of("a an the its their his her this that these those my our your one two three")
PLURAL_PRONOUNS = words_of("i we they you")
PREPOSITIONS = words_of(
    "at in on to from of off onto into inside outside within under over above below behind beside between by with "
    "near next through across along around towards toward against for about after before beneath underneath beyond "
    "opposite past via among aboard upon adjacent as"
)
OF_A_STATE = words_of("have hold carry own possess need know contain want like wear")
"""Verbs with which a snippet may leave out "I": have cheese."""

_REGULAR = """
    abut accept access activate add adjoin affect afford aim align allow anchor answer appear apply approach arrive
    ask assemble assign attach attack attend await bake balance belong block board book border bound bridge
    broadcast brush cache calibrate call care carry cause change charge chase check claim clean clear climb close
    coat collect combine communicate compare complete comprise conflict connect consist construct consume contain
    continue contradict control cook cool correspond count cover crave create cross cure damage decorate
    defend deliver demand deny depart depend deploy deserve design destroy detach detect determine differ direct
    disable discover dock dominate double download drain drop dry dye eject embark employ empty enable enclose encode
    end enter equal escape establish examine exceed execute exhaust exist exit expect explode explore extend face fail
    fasten fear feature fill filter finish fire fit fix flip float flow fold follow form free freeze fuel gain gather
    generate grab grasp greet guard guide handle harbour harvest hate heat help hire hook host house identify ignite
    image include increase indicate infect inform inhabit inhibit inspect install interfere interlock intersect
    invite involve issue join jump kick kill kiss knock label lack land last launch license lift light like link list
    listen live load locate lock look love lower maintain manage map march mark match measure melt mention merge mine
    miss mix monitor mount move name navigate neighbour neighbor need notice obey observe obstruct occupy offer open
    operate oppose orbit order outrank overlap overlook own pack paint park pass paste patrol perform permit
    photograph pick pierce place plan plant play plow plough point polish pollute possess pour power practise precede
    prefer prepare press prevent print process produce program promise protect provide pull pump push qualify queue
    radiate raise range reach react receive record refer reflect refuel refuse register release rely remain remove
    rent repair replace represent request require rescue reserve reside resist rest restrict return reveal reverse
    rotate row rule sail sample satisfy save scan schedule seal search seat secure seem separate serve share
    ship sign signal skip smell sniff solve spawn spell spray stack staff start station stay steer step stop
    store stretch succeed suffer suffice supply support surround survey switch talk tag target taste tend terminate
    test thaw tie tile touch tow trace track trade train transfer transmit transport travel traverse treat trigger
    trust try turn unload unlock use vary view violate visit vote wait walk want warm wash waste watch water weigh
    weld wipe wish work worry wrap yield advance improve rain snow flash blink glow pay fuse alarm orient
    absorb alert ascend associate authenticate authorise authorize boil calculate capture catalyse catalyze chill chop
    clamp clone compile compute copy craft decrypt descend digest dispense dissociate dissolve divide encrypt excrete
    exploit fasten ferment forward fry grill grip hover hunt infiltrate inspect inject insert knead loot manipulate
    mutate oxidise oxidize parse peel perceive phosphorylate publish purify query reboot recharge regulate relay render
    interact prey rinse roast route scrub secrete simmer slice sort specialise specialize stabilise stabilize
    sterilise sterilize stimulate stir stock stream subscribe suppress survive synthesise synthesize teleport threaten
    tilt transcribe whisk
    assist trap transform translate recognise recognize analyse analyze vaccinate quarantine escort accompany
"""
_IRREGULAR = """
    be:was:been bear:bore:borne begin:began:begun bind:bound:bound break:broke:broken bring:brought:brought
    build:built:built burn:burnt:burnt buy:bought:bought catch:caught:caught choose:chose:chosen cling:clung:clung
    come:came:come dig:dug:dug do:did:done draw:drew:drawn drink:drank:drunk drive:drove:driven eat:ate:eaten
    fall:fell:fallen feed:fed:fed feel:felt:felt fight:fought:fought find:found:found fly:flew:flown
    forget:forgot:forgotten get:got:gotten give:gave:given go:went:gone grow:grew:grown hang:hung:hung hear:heard:heard
    hide:hid:hidden hold:held:held keep:kept:kept know:knew:known lead:led:led leave:left:left lend:lent:lent
    lie:lay:lain lose:lost:lost make:made:made mean:meant:meant meet:met:met outgrow:outgrew:outgrown
    overcome:overcame:overcome ride:rode:ridden ring:rang:rung rise:rose:risen run:ran:run say:said:said see:saw:seen
    seek:sought:sought sell:sold:sold send:sent:sent shake:shook:shaken shine:shone:shone shoot:shot:shot
    show:showed:shown sing:sang:sung sink:sank:sunk sit:sat:sat sleep:slept:slept slide:slid:slid sow:sowed:sown
    speak:spoke:spoken spend:spent:spent stand:stood:stood steal:stole:stolen stick:stuck:stuck swim:swam:swum
    take:took:taken teach:taught:taught tell:told:told think:thought:thought throw:threw:thrown
    understand:understood:understood wear:wore:worn win:won:won wind:wound:wound withstand:withstood:withstood
    write:wrote:written cost::cost cut::cut hit::hit hurt::hurt let::let put::put read::read set::set shut::shut
    split::split spread::spread
"""

NOUNS_TOO = words_of(
    "blocks covers links ends starts uses works costs stands needs faces fits matches boards books borders bounds "
    "bridges calls causes changes charges checks claims conflicts connects controls cools counts cries cures demands "
    "designs docks doubles downloads drains drops dyes enters equals exits features fills filters fires fixes flips "
    "floats flows folds follows forms fuels gains guards guides handles harvests heats helps hooks hosts houses images "
    "issues joins jumps keys kicks kisses knocks labels lands lasts lifts lights lists loads locks looks maps marks "
    "measures mines mixes mounts moves names neighbours neighbors notices offers opens orbits orders packs paints "
    "parks passes pastes patrols picks places plans plants plays plows points powers practises presses prints "
    "processes produces programs pulls pumps pushes queues ranges reaches records refuses registers releases rents "
    "repairs requests reserves rests returns reverses rows rules samples saves scans schedules seals searches seats "
    "shares ships signals signs skips smells spawns spells sprays stacks staffs stations stays steps stops stores "
    "stretches supplies supports surveys switches tags talks targets tastes tests ties tiles touches tows traces "
    "tracks trades trains transfers transports travels treats triggers trusts turns views visits votes waits walks "
    "wants washes wastes watches waters wraps yields bears breaks burns buys catches draws drinks drives falls feeds "
    "fights finds flies hides holds keeps leads leaves lies makes means meets rides rings rises runs sees shoots shows "
    "sinks sits slides stands steals sticks swims tells throws wins winds cuts hits hurts puts reads sets shuts splits "
    "spreads likes cares leads lives alerts clamps clones copies crafts forwards grips hunts queries relays roasts "
    "routes slices stocks streams whisks"
)
"""Third persons that are common nouns too: they count as verbs only where no noun can stand."""
OBJECTLESS = words_of(
    "walk travel move go arrive depart appear climb jump land sail fly come fall rise run sleep stay remain "
    "spawn exist wait work start stop finish end succeed fail explode return swim survive escape board"
)
"""Verbs whose past form before a preposition is no passive: ``{?x} walked to {?y}``, but not "placed on"."""


@cache
def verb_forms() -> Mapping[str, tuple[VerbForm, ...]]:
    """Every form of every known verb, with what it may be."""
    found: dict[str, dict[VerbForm, None]] = {}
    for lemma, past, participle in _verbs():
        for word, tense in (
            (lemma, "base"),
            (_third_person(lemma), "third"),
            (past, "past"),
            (participle, "participle"),
            (_gerund(lemma), "gerund"),
        ):
            if word:
                found.setdefault(word, {})[VerbForm(lemma, tense)] = None  # type: ignore[arg-type]
    return MappingProxyType({word: tuple(forms) for word, forms in found.items()})


def _verbs() -> Iterator[tuple[str, str, str]]:
    for lemma in _REGULAR.split():
        yield lemma, _regular_past(lemma), _regular_past(lemma)
    for entry in _IRREGULAR.split():
        lemma, past, participle = entry.split(":")
        yield lemma, past, participle


_DOUBLED = words_of(
    "abut chat ship stop drop plan scan skip step tag wrap grab hop mop pin plug trap trip flip map get sit run put "
    "chop grip cut set shut hit let dig swim win begin forget split refer prefer transfer transmit permit abet equip"
)


def _third_person(lemma: str) -> str:
    if lemma in ("be", "have"):
        return {"be": "is", "have": "has"}[lemma]
    if lemma.endswith("y") and lemma[-2] not in "aeiou":
        return f"{lemma[:-1]}ies"
    return f"{lemma}es" if lemma.endswith(("s", "x", "z", "ch", "sh", "o")) else f"{lemma}s"


def _regular_past(lemma: str) -> str:
    if lemma.endswith("e"):
        return f"{lemma}d"
    if lemma.endswith("y") and lemma[-2] not in "aeiou":
        return f"{lemma[:-1]}ied"
    return f"{lemma}{lemma[-1]}ed" if lemma in _DOUBLED else f"{lemma}ed"


def _gerund(lemma: str) -> str:
    if lemma.endswith("ie"):
        return f"{lemma[:-2]}ying"
    if lemma.endswith("e") and not lemma.endswith(("ee", "ye", "oe")) and lemma != "be":
        return f"{lemma[:-1]}ing"
    return f"{lemma}{lemma[-1]}ing" if lemma in _DOUBLED else f"{lemma}ing"


def lemma_of_third_person(word: str) -> str | None:
    """The verb that a word in -s would be the third person of: by the list, else by spelling."""
    for form in verb_forms().get(word, ()):
        if form.tense == "third":
            return form.lemma
    if len(word) < 4 or not word.isalpha() or not word.endswith("s") or word.endswith(("ss", "us", "is", "ous")):
        return None
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    if word.endswith(("sses", "xes", "shes", "zzes", "oes", "tches", "aches", "nches", "rches")):
        return word[:-2]
    return word[:-1]
