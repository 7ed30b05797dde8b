interface Phrase {
  pattern: RegExp
  instead: string
}

/** Phrases that read oddly in technical English, with the usual term. */
export const discouragedPhrases: readonly Phrase[] = [
  {
    pattern: /\bOwns (a|an|all|every|the|what|how|which|who|one|where|when|whether)\b/,
    instead: 'say what the code does, or nothing',
  },
  { pattern: /\bknows nothing of\b/i, instead: 'omit' },
  { pattern: /(^\/\/|\*\/?) .*\bPure\./, instead: 'omit' },
  { pattern: /\b(lately|of late)\b/i, instead: 'recently' },
  { pattern: /\bbark(s|ed|ing)?\b/i, instead: 'timed out' },
  { pattern: /\b(lest|wherein|as it were|on and on)\b/i, instead: 'plain English' },
  { pattern: /\bwhoever\b/i, instead: 'anyone who' },
  { pattern: /\b(hung|hangs|hanging) up\b/i, instead: 'disconnected' },
  { pattern: /\bnobody\b/i, instead: 'no one, or name the subject' },
  { pattern: /\bturn(s|ed|ing)? away\b/i, instead: 'rejected' },
  { pattern: /\bmend(s|ed|ing)?\b/i, instead: 'repair, fix' },
  { pattern: /\bfor good\b/i, instead: 'permanently' },
  { pattern: /\bbe had\b/i, instead: 'is unavailable' },
  { pattern: /\bwas asked for\b|\bis asked for\b/i, instead: 'requested' },
  { pattern: /\b(broken|breaks?|broke|breaking) off\b/i, instead: 'interrupted, aborted' },
  { pattern: /\breads? away\b|readAway/i, instead: 'drain' },
  { pattern: /\b(is|are|was|were|be|been) told\b(?! apart)/i, instead: 'receives, is sent' },
  { pattern: /\btells? (of|nobody)\b/i, instead: 'report, return' },
  { pattern: /\b(unheard|sureness|unserved)\b/i, instead: 'plain English' },
  { pattern: /\bupkeep\b/i, instead: 'maintenance' },
  { pattern: /\bknock(s|ed|ing)?\b/i, instead: 'connect' },
  { pattern: /\b(openDoor|front door|window's door|the door)\b/i, instead: 'entry point' },
  { pattern: /\b(no|make|more) room\b|\brooms\b/i, instead: 'capacity; folders' },
  {
    pattern: /\b(rested|resting) (provider|credential)s?\b|\bis rested\b/i,
    instead: 'open circuit breaker; cooling down',
  },
  { pattern: /\blos(e|es|t|ing) track\b|loseTrack/i, instead: 'mark as unknown' },
  { pattern: /\b(may|can|could) be said of\b/i, instead: 'plain English' },
  { pattern: /\b(a|one|each|every|next|first|last|earlier) (try|tries)\b/i, instead: 'attempt' },
  { pattern: /\b(interface|decisions)(\.md| section)?,? \d+(\.\d+)?\b/, instead: 'cite docs/contract.md' },
  { pattern: /\bcalled off\b/i, instead: 'canceled' },
  { pattern: /\bwhat became of\b/i, instead: 'outcome' },
  { pattern: /\bbeside\b/i, instead: 'next to, relative to, in addition to' },
  { pattern: /\banew\b/i, instead: 'again, from scratch' },
  { pattern: /\bas it (came|comes)\b/i, instead: 'unchanged' },
  { pattern: /\b(a|an|another|one|[a-z]+s) of ours\b/i, instead: 'our' },
]

/** The first words of a comment that is a fragment, and not a sentence or a noun phrase. */
export const FRAGMENT =
  /^\s*(?:\/\*\*?|\/\/) (?:Of|By|As|For|Those|That|What|The same|From|With|In|On|Said)\b(?! (?:of|long|default|example|order|the|a|this|each|macOS|Windows|Linux|Docker|Electron|SQLite)\b)/

interface AllowedLine {
  /** Part of the line. */
  text: string
  reason: string
}

export const allowedLines: readonly AllowedLine[] = []

/** The texts are in American English. Code has other spellings in names. */
export const BRITISH =
  /\b(behaviou|colou|honou|favou|neighbou)r|\b(cancell|labell|modell|travell)(ed|ing)\b|\b(recogn|normal|initial|serial|minim|optim|organ|summar|author|custom)is(e|ed|es|ing|ation)\b|\b(analyse|catalogue|grey|licence|learnt|spelt|centre|artefact|judgement|whilst)/i
