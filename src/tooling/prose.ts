/** Phrases that read oddly in technical English, with the usual term. */
export const discouragedPhrases: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [
    /\bOwns (a|an|all|every|the|what|how|which|who|one|where|when|whether)\b/,
    'say what the code does, or nothing',
  ],
  [/\bknows nothing of\b/i, 'omit'],
  [/(^\/\/|\*\/?) .*\bPure\./, 'omit'],
  [/\b(lately|of late)\b/i, 'recently'],
  [/\bbark(s|ed|ing)?\b/i, 'timed out'],
  [/\b(lest|wherein|as it were|on and on)\b/i, 'plain English'],
  [/\bwhoever\b/i, 'anyone who'],
  [/\b(hung|hangs|hanging) up\b/i, 'disconnected'],
  [/\bnobody\b/i, 'no one, or name the subject'],
  [/\bturn(s|ed|ing)? away\b/i, 'rejected'],
  [/\bmend(s|ed|ing)?\b/i, 'repair, fix'],
  [/\bfor good\b/i, 'permanently'],
  [/\bbe had\b/i, 'is unavailable'],
  [/\bwas asked for\b|\bis asked for\b/i, 'requested'],
  [/\b(broken|breaks?|broke|breaking) off\b/i, 'interrupted, aborted'],
  [/\breads? away\b|readAway/i, 'drain'],
  [/\b(is|are|was|were|be|been) told\b(?! apart)/i, 'receives, is sent'],
  [/\btells? (of|nobody)\b/i, 'report, return'],
  [/\b(unheard|sureness|unserved)\b/i, 'plain English'],
  [/\bupkeep\b/i, 'maintenance'],
  [/\bknock(s|ed|ing)?\b/i, 'connect'],
  [/\b(openDoor|front door|window's door|the door)\b/i, 'entry point'],
  [/\b(no|make|more) room\b|\brooms\b/i, 'capacity; folders'],
  [/\b(rested|resting) (provider|credential)s?\b|\bis rested\b/i, 'open circuit breaker; cooling down'],
  [/\blos(e|es|t|ing) track\b|loseTrack/i, 'mark as unknown'],
  [/\b(may|can|could) be said of\b/i, 'plain English'],
  [/\b(a|one|each|every|next|first|last|earlier) (try|tries)\b/i, 'attempt'],
  [/\b(interface|decisions)(\.md| section)?,? \d+(\.\d+)?\b/, 'cite docs/contract.md'],
  [/\bcalled off\b/i, 'canceled'],
  [/\bwhat became of\b/i, 'outcome'],
  [/\bbeside\b/i, 'next to, relative to, in addition to'],
  [/\banew\b/i, 'again, from scratch'],
  [/\bas it (came|comes)\b/i, 'unchanged'],
  [/\b(a|an|another|one|[a-z]+s) of ours\b/i, 'our'],
]

/** The first words of a comment that is a fragment, and not a sentence or a noun phrase. */
export const FRAGMENT =
  /^\s*(?:\/\*\*?|\/\/) (?:Of|By|As|For|Those|That|What|The same|From|With|In|On|Said)\b(?! (?:of|long|default|example|order|the|a|this|each|macOS|Windows|Linux|Docker|Electron|SQLite)\b)/

/** The texts are in American English. Code has other spellings in names. */
export const BRITISH =
  /\b(behaviou|colou|honou|favou|neighbou)r|\b(cancell|labell|modell|travell)(ed|ing)\b|\b(recogn|normal|initial|serial|minim|optim|organ|summar|author|custom)is(e|ed|es|ing|ation)\b|\b(analyse|catalogue|grey|licence|learnt|spelt|centre|artefact|judgement|whilst)/i
