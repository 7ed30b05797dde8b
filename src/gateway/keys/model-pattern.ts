// Patterns of model ids, in which `*` stands for any text.

/** Whether a model, as one provider serves it, is among those that patterns name. */
export type MatchesModel = (id: string, providerId: string) => boolean

/** Each pattern is for the id of a model, or for `provider/id`. */
export function matcherOf(patterns: readonly string[]): MatchesModel {
  return (id, providerId) => {
    const full = `${providerId}/${id}`
    return patterns.some((pattern) => matchesPattern(pattern, id) || matchesPattern(pattern, full))
  }
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
