// Patterns of model ids, in which `*` stands for any text.

/**
 * Whether a model, as one provider serves it, is among those that patterns name. Where the provider is not known (''), such
 * as of a request that a crash ended, it may have been any: spend then counts under each limit that it may be under.
 */
export type MatchesModel = (id: string, providerId: string) => boolean

/** Each pattern is for the id of a model, or for `provider/id`. */
export function createMatcher(patterns: readonly string[]): MatchesModel {
  return (id, providerId) => {
    if (providerId === '') return patterns.some((pattern) => matchesWithAnyProvider(pattern, id))
    const full = `${providerId}/${id}`
    return patterns.some((pattern) => matchesPattern(pattern, id) || matchesPattern(pattern, full))
  }
}

/** Whether the pattern matches the id, or `provider/id` of some provider, whose id has no slash. */
function matchesWithAnyProvider(pattern: string, id: string): boolean {
  if (matchesPattern(pattern, id)) return true
  const slash = pattern.indexOf('/')
  const last = slash < 0 ? pattern.length : slash
  for (let at = 0; at <= last; at++) if (matchesPattern(pattern.slice(at), `/${id}`)) return true
  return false
}

/** Takes at most the product of both lengths: a regular expression could take far longer. */
export function matchesPattern(pattern: string, text: string): boolean {
  let at = 0
  let inPattern = 0
  let star = -1
  let afterStar = 0
  while (at < text.length) {
    if (pattern[inPattern] === '*') {
      star = inPattern++
      afterStar = at
    } else if (pattern[inPattern] === text[at]) {
      at++
      inPattern++
    } else if (star >= 0) {
      inPattern = star + 1
      at = ++afterStar
    } else return false
  }
  while (pattern[inPattern] === '*') inPattern++
  return inPattern === pattern.length
}
