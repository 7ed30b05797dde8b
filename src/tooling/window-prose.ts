// The voice of the window (docs/design.md, "Text"): phrases that read as translated, with what to write instead.

/** A pattern, what to write instead, and a text that has the phrase. */
type WindowPhrase = readonly [pattern: RegExp, instead: string, example: string]

export const windowPhrases: readonly WindowPhrase[] = [
  [
    /\bstands? (here|there|under|below|above|beside|for|in|on|twice)\b/i,
    'appears, is',
    'What to paste stands here once there is a key.',
  ],
  [/\b(go|goes|going) on\b/i, 'continue', 'Go on in the playground'],
  [/\b(take|takes|taking) the place of\b/i, 'replaces', 'it takes the place of the data'],
  [/\bkept aside\b/i, 'saved', 'The present data is kept aside.'],
  [/\bthe present (data|value|state)\b/i, 'the current', 'The present data is lost.'],
  [/\b(of (its|their|your) own|its own|your own)\b/i, 'custom; name the thing', 'Limits of its own'],
  [
    /^(What|Where|Whoever) (?!is new|.*\?)[a-z].*[a-z]/,
    'a noun, or a sentence with a subject',
    'What can be called, whoever serves it.',
  ],
  [
    /\b(tokens?|requests?|\$\d\S*|fee|USD|costs?) a (month|minute|day|year)\b/i,
    'per month',
    'Tokens a month',
  ],
  [/^ ?a (month|minute|day)\b/i, 'per month', 'a month'],
  [/\d[ \u00a0]%/, 'no space before %', '50 %'],
  [/\bcancell(ed|ing)\b/i, 'canceled', 'The request was cancelled.'],
  [/\bSept\b/, 'Sep', '23 Sept 2026'],
  [/\bcolour/i, 'color', 'The colours of this window.'],
  [/\bnothing of (that|the)\b/i, 'No results.', 'Nothing of that name.'],
  [
    /\b(nothing|no request) (was spent|was consumed|like that|that fits)\b/i,
    'No spend; No tokens were used',
    'Nothing was spent in this time.',
  ],
  [/\bpoint (a|any|your|the) (tool|SDK|app)/i, 'connect, set up', 'Point a tool at it'],
  [/\ball there is to\b/i, 'all', 'All there is to set up'],
  [/\bkeeps? only its\b|\bfingerprint\b/i, 'only a hash is stored', 'the gateway keeps only its fingerprint'],
  [/\band it holds\b|\bin its life\b/i, 'total', 'The most this key can spend in its life.'],
  [/\bas the (plan|system)\b(?! prompt)/i, 'Default', 'As the plan'],
  [/\bas far as\b/i, 'up to, everything before', 'As far as the part before /chat/completions.'],
  [/\b(does not work:|^works:)/i, 'Connection failed; Connected', 'Does not work: Not found'],
  [/\bkeep as it is\b/i, 'Save anyway', 'Keep as it is'],
  [/\bone is stored\b/i, 'Saved. Leave blank to keep it.', 'One is stored; leave blank to keep it'],
  [/\bis asked first\b/i, 'is tried first', 'the lowest number is asked first'],
  [
    /\bwins? over\b|\bwhat is known\b/i,
    'overrides; the default',
    'What you set here wins over what is known.',
  ],
  [/\bnot known\b/i, 'unknown', 'Not known'],
  [/\b(fits|fit) (this|the|these) filters?\b|\b(model|request)s? (fits|fit)\b/i, 'matches', 'No model fits.'],
  [/\bshow these costs\b/i, 'Apply', 'Show these costs'],
  [/\blooking through\b/i, 'searching', 'Looking through older requests…'],
  [/\bnone was called\b/i, 'Not sent to a provider', 'none was called'],
  [/\bto the first byte\b|\bwaiting in the gateway\b/i, 'Time to first token; Queued', 'To the first byte'],
  [/\bso much is counted\b/i, 'the upper bound counts', 'so much is counted until it is settled'],
  [/\bbilled to the key\b/i, 'Uses the … key', 'Billed to the key named "Playground".'],
  [/\bmakes a (line|branch)\b/i, 'for a new line; creates a branch', 'Shift+Enter makes a line.'],
  [/\b(model|provider)['’]s own\b/i, 'Default', 'Model’s own'],
  [/\btake \w+( \d)? out\b/i, 'remove', 'Take model 1 out'],
  [/\bdrop all\b/i, 'Discard', 'Drop all of this'],
  [/\bwhat was said\b|\bmore about this\b/i, 'Search chats; Chat options', 'Search what was said'],
  [/\bput it in place of\b/i, 'paste it in place of, replace', 'put it in place of tg-…'],
  [/\bcannot be connected\b/i, 'Not supported yet', 'What cannot be connected'],
  [/, exactly$/i, 'omit', 'Input tokens, exactly'],
  [/\btell me when\b|\bcomes near\b/i, 'Alert me at', 'Tell me when a cap comes near'],
  [/\bfor ever\b/i, 'Forever', 'For ever'],
  [/\bstays? counted\b/i, 'Totals are kept', 'What was spent stays counted.'],
  [/\bwhatever the\b/i, 'match', 'Light, dark, or whatever the system shows.'],
  [/\bdid not take\b/i, 'could not be changed', 'The desktop did not take the change.'],
  [/\bhas a fault\b/i, 'Something went wrong', 'This window has a fault'],
  [/\bmay be old\b|\bhas to end\b/i, 'out of date; must quit', 'What you see may be old.'],
  [/\buse my\b/i, 'Use', 'Use my last 30 days'],
]

/** Texts of the window with such a phrase that is right there, each with its reason. */
export const allowedTexts: readonly (readonly [text: string, reason: string])[] = [
  ['dark light system colour color mode', 'words that a user may search for'],
  [' sends requests from its own servers', 'servers that are not the user’s'],
]
