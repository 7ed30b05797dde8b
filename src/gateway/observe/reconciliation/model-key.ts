/**
 * What the names of a model have in common: `anthropic/claude-opus-4.7:beta`, `claude-opus-4-7-20260910` and "Claude Opus
 * 4.7" are one model in an export and another in the log.
 */
export function modelKey(name: string): string {
  const last = name.trim().toLowerCase().split('/').at(-1) ?? ''
  return last
    .replace(/:[\w-]+$/, '')
    .replaceAll(/[\s._]+/g, '-')
    .replace(/-latest$/, '')
    .replace(/-(20\d\d-\d\d-\d\d|20\d{6}|\d\d-20\d\d)$/, '')
}
