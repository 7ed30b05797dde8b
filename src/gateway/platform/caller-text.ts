// Owns how a text that a caller chose is shown and kept: one short line without anything that looks like a key.

/** The keys of Tollgate and of providers, as they may stand in the wrong place. */
const KEY = /\b(?:(?:tg|sk|pk|rk|gsk|xai|hf|nvapi|pplx|csk)[-_]|AIza)[\w-]{16,}/g
/** Patterns are only run over this much, for the time they take. */
const MOST_SCANNED = 4_000

export function callerText(text: string, most: number): string {
  const line = text
    .slice(0, MOST_SCANNED)
    .replaceAll(/\p{Cc}+/gu, ' ')
    .replaceAll(KEY, '…')
  return line.length > most || text.length > MOST_SCANNED ? `${line.slice(0, most)}…` : line
}
