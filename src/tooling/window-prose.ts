// The voice of the window (docs/design.md, "Text"): phrases that read as translated, with what to write instead.

interface WindowPhrase {
  pattern: RegExp
  instead: string
  /** A text that has the phrase. */
  example: string
}

export const windowPhrases: readonly WindowPhrase[] = [
  {
    pattern: /\bstands? (here|there|under|below|above|beside|for|in|on|twice)\b/i,
    instead: 'appears, is',
    example: 'What to paste stands here once there is a key.',
  },
  { pattern: /\b(go|goes|going) on\b/i, instead: 'continue', example: 'Go on in the playground' },
  {
    pattern: /\b(take|takes|taking) the place of\b/i,
    instead: 'replaces',
    example: 'it takes the place of the data',
  },
  { pattern: /\bkept aside\b/i, instead: 'saved', example: 'The present data is kept aside.' },
  {
    pattern: /\bthe present (data|value|state)\b/i,
    instead: 'the current',
    example: 'The present data is lost.',
  },
  {
    pattern: /\b(of (its|their|your) own|its own|your own)\b/i,
    instead: 'custom; name the thing',
    example: 'Limits of its own',
  },
  {
    pattern: /^(What|Where|Whoever) (?!is new|.*\?)[a-z].*[a-z]/,
    instead: 'a noun, or a sentence with a subject',
    example: 'What can be called, whoever serves it.',
  },
  {
    pattern: /\b(tokens?|requests?|\$\d\S*|fee|USD|costs?) a (month|minute|day|year)\b/i,
    instead: 'per month',
    example: 'Tokens a month',
  },
  { pattern: /^ ?a (month|minute|day)\b/i, instead: 'per month', example: 'a month' },
  { pattern: /\d[ \u00a0]%/, instead: 'no space before %', example: '50 %' },
  { pattern: /\bcancell(ed|ing)\b/i, instead: 'canceled', example: 'The request was cancelled.' },
  { pattern: /\bSept\b/, instead: 'Sep', example: '23 Sept 2026' },
  { pattern: /\bcolour/i, instead: 'color', example: 'The colours of this window.' },
  { pattern: /\bnothing of (that|the)\b/i, instead: 'No results.', example: 'Nothing of that name.' },
  {
    pattern: /\b(nothing|no request) (was spent|was consumed|like that|that fits)\b/i,
    instead: 'No spend; No tokens were used',
    example: 'Nothing was spent in this time.',
  },
  {
    pattern: /\bpoint (a|any|your|the) (tool|SDK|app)/i,
    instead: 'connect, set up',
    example: 'Point a tool at it',
  },
  { pattern: /\ball there is to\b/i, instead: 'all', example: 'All there is to set up' },
  {
    pattern: /\bkeeps? only its\b|\bfingerprint\b/i,
    instead: 'only a hash is stored',
    example: 'the gateway keeps only its fingerprint',
  },
  {
    pattern: /\band it holds\b|\bin its life\b/i,
    instead: 'total',
    example: 'The most this key can spend in its life.',
  },
  { pattern: /\bas the (plan|system)\b(?! prompt)/i, instead: 'Default', example: 'As the plan' },
  {
    pattern: /\bas far as\b/i,
    instead: 'up to, everything before',
    example: 'As far as the part before /chat/completions.',
  },
  {
    pattern: /\b(does not work:|^works:)/i,
    instead: 'Connection failed; Connected',
    example: 'Does not work: Not found',
  },
  { pattern: /\bkeep as it is\b/i, instead: 'Save anyway', example: 'Keep as it is' },
  {
    pattern: /\bone is stored\b/i,
    instead: 'Saved. Leave blank to keep it.',
    example: 'One is stored; leave blank to keep it',
  },
  { pattern: /\bis asked first\b/i, instead: 'is tried first', example: 'the lowest number is asked first' },
  {
    pattern: /\bwins? over\b|\bwhat is known\b/i,
    instead: 'overrides; the default',
    example: 'What you set here wins over what is known.',
  },
  { pattern: /\bnot known\b/i, instead: 'unknown', example: 'Not known' },
  {
    pattern: /\b(fits|fit) (this|the|these) filters?\b|\b(model|request)s? (fits|fit)\b/i,
    instead: 'matches',
    example: 'No model fits.',
  },
  { pattern: /\bshow these costs\b/i, instead: 'Apply', example: 'Show these costs' },
  { pattern: /\blooking through\b/i, instead: 'searching', example: 'Looking through older requests…' },
  { pattern: /\bnone was called\b/i, instead: 'Not sent to a provider', example: 'none was called' },
  {
    pattern: /\bto the first byte\b|\bwaiting in the gateway\b/i,
    instead: 'Time to first token; Queued',
    example: 'To the first byte',
  },
  {
    pattern: /\bso much is counted\b/i,
    instead: 'the upper bound counts',
    example: 'so much is counted until it is settled',
  },
  {
    pattern: /\bbilled to the key\b/i,
    instead: 'Uses the … key',
    example: 'Billed to the key named "Playground".',
  },
  {
    pattern: /\bmakes a (line|branch)\b/i,
    instead: 'for a new line; creates a branch',
    example: 'Shift+Enter makes a line.',
  },
  { pattern: /\b(model|provider)['’]s own\b/i, instead: 'Default', example: 'Model’s own' },
  { pattern: /\btake \w+( \d)? out\b/i, instead: 'remove', example: 'Take model 1 out' },
  { pattern: /\bdrop all\b/i, instead: 'Discard', example: 'Drop all of this' },
  {
    pattern: /\bwhat was said\b|\bmore about this\b/i,
    instead: 'Search chats; Chat options',
    example: 'Search what was said',
  },
  {
    pattern: /\bput it in place of\b/i,
    instead: 'paste it in place of, replace',
    example: 'put it in place of tg-…',
  },
  { pattern: /\bcannot be connected\b/i, instead: 'Not supported yet', example: 'What cannot be connected' },
  { pattern: /, exactly$/i, instead: 'omit', example: 'Input tokens, exactly' },
  {
    pattern: /\btell me when\b|\bcomes near\b/i,
    instead: 'Alert me at',
    example: 'Tell me when a cap comes near',
  },
  { pattern: /\bfor ever\b/i, instead: 'Forever', example: 'For ever' },
  { pattern: /\bstays? counted\b/i, instead: 'Totals are kept', example: 'What was spent stays counted.' },
  { pattern: /\bwhatever the\b/i, instead: 'match', example: 'Light, dark, or whatever the system shows.' },
  {
    pattern: /\bdid not take\b/i,
    instead: 'could not be changed',
    example: 'The desktop did not take the change.',
  },
  { pattern: /\bhas a fault\b/i, instead: 'Something went wrong', example: 'This window has a fault' },
  {
    pattern: /\bmay be old\b|\bhas to end\b/i,
    instead: 'out of date; must quit',
    example: 'What you see may be old.',
  },
  { pattern: /\buse my\b/i, instead: 'Use', example: 'Use my last 30 days' },
]

interface AllowedText {
  text: string
  reason: string
}

/** Texts of the window with such a phrase that is right there. */
export const allowedTexts: readonly AllowedText[] = [
  { text: 'dark light system colour color mode', reason: 'words that a user may search for' },
  { text: ' sends requests from its own servers', reason: 'servers that are not the user’s' },
]
