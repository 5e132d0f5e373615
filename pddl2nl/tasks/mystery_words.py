"""Ordinary English words that say nothing of planning tasks, for names in the manner of Mystery Blocksworld.

Actions are verbs, properties are nouns, relations are what one does to another, and types, functions and objects are
nouns of three more kinds. Words for what planning domains are about (vehicles, places, tools, containers, quantities
that are spent) are not among them, nor are keywords of PDDL.
"""

from __future__ import annotations

from collections.abc import Mapping


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


MYSTERY_WORDS: Mapping[str, tuple[str, ...]] = {
    "actions": _words(
        "applaud whisper forgive wander devour conjure mourn flatter yawn banish rehearse betray dazzle hum ponder "
        "scold tickle vanish wink abolish adore baptise blush boast chant cheat comfort confess congratulate crave "
        "daydream debate deceive denounce disguise doubt drown enchant envy exaggerate faint fascinate flirt forget "
        "frown giggle gossip grieve groan haunt hesitate hypnotise imitate insult interrupt invent kneel lament laugh "
        "marry meditate mock mutter nod obey offend pardon perish persuade philosophise pray preach pretend promise "
        "puzzle quarrel rejoice repent resign revolt ridicule salute scream seduce shiver shrug sigh sing sneeze "
        "snore sob stammer startle sulk surrender suspect swear tease tempt thrive translate tremble undermine worship"
    ),
    "properties": _words(
        "harmony twilight sorrow honour mercy riddle fever glory folly thunder nostalgia velvet wisdom dusk "
        "ecstasy misery luck shame valour jealousy prophecy silence slumber mischief melancholy innocence paradox "
        "rumour scandal serenity solitude spirit splendour stardom superstition sympathy symphony tragedy treason "
        "tyranny vanity vengeance virtue whim youth zeal zest agony anarchy apathy beauty bliss bravery candour "
        "charisma chivalry clarity comedy compassion courage curiosity decadence despair destiny dignity dread "
        "eloquence enigma eternity euphoria fantasy fate fervour fiction fury genius gloom gratitude grief guilt "
        "happiness heresy hope horror humour hysteria irony justice kindness laughter legend liberty loyalty lunacy "
        "madness majesty malice modesty mystique myth novelty optimism passion patience peril piety pity poetry "
        "poverty pride prudence remorse romance sarcasm satire sincerity suspense temperance torment tranquillity"
    ),
    "relations": _words(
        "admires adopts amuses annoys astonishes befriends bewilders blames bores charms consoles cherishes courts "
        "despises disappoints distrusts embarrasses emulates encourages entertains esteems fears flatters forgives "
        "frightens hates honours humiliates idolises ignores impresses inspires intimidates intrigues irritates loves "
        "misleads mistrusts nags outlives outwits pampers pesters pities pleases praises provokes rebukes remembers "
        "resembles resents respects reveres rivals scorns shocks shuns slanders soothes spoils surprises taunts "
        "terrifies thanks torments tolerates trusts upsets venerates woos adores avenges bewitches captivates dreads "
        "enrages favours haunts imitates misses obeys reproaches suspects tempts"
    ),
    "types": _words(
        "poet duchess wizard hermit jester prophet goblin pirate monk sorcerer bard baron bishop centaur cherub clown "
        "countess cousin cyclops demon dragon druid duke dwarf elf emperor fairy ghost giant gnome goddess hero "
        "heiress heretic imp jinn knave maiden martyr mermaid minstrel muse nymph ogre oracle orphan phantom phoenix "
        "pilgrim princess queen rogue sage saint satyr shaman siren sphinx sultan titan troll unicorn vampire viscount "
        "werewolf widow witch zombie"
    ),
    "functions": _words(
        "loudness sweetness sadness boldness elegance fame charm bitterness brilliance calmness coyness cunning "
        "eagerness fondness freshness gaiety gentleness grace greatness holiness humility idleness jolliness laziness "
        "loneliness meekness nastiness neatness politeness popularity rudeness sanity shyness silliness sleepiness "
        "softness sternness stubbornness subtlety tenderness ugliness vagueness warmth weirdness wittiness"
    ),
    "objects": _words(
        "almond apricot basil begonia bluebell buttercup camellia caramel cardamom carnation cashew cedar chestnut "
        "chicory cinnamon clover coconut coriander cowslip crocus cucumber currant cypress daffodil dahlia daisy "
        "dandelion elderberry fennel fern foxglove freesia fuchsia gardenia geranium ginger gooseberry hazel heather "
        "hibiscus holly honeysuckle hyacinth iris ivy jasmine juniper larch laurel lavender lettuce lilac lily "
        "linden lobelia lotus lupin magnolia mallow mango maple marigold marjoram mimosa mint mistletoe mulberry "
        "myrtle narcissus nettle nutmeg oleander olive orchid oregano pansy papaya paprika parsley peony peppermint "
        "petunia pistachio poppy primrose quince radish raspberry rhubarb rosemary saffron sesame snapdragon snowdrop "
        "sorrel spinach sycamore tamarind tarragon thistle thyme tulip turnip valerian vanilla verbena violet walnut "
        "willow wisteria yarrow zinnia"
    ),
}
"""The words of each kind; ``properties`` are for predicates of at most one argument, ``relations`` for the others."""
