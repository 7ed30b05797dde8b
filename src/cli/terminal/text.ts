// Measures a text as a terminal shows it.

const segmenter = new Intl.Segmenter()
/** East Asian Width "Wide" and "Fullwidth" (Unicode Standard Annex 11), without emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u
const EMOJI = /\p{Emoji_Presentation}|\ufe0f/u

/** The number of columns that it takes. */
export function computeWidth(text: string): number {
  let width = 0
  for (const { segment } of segmenter.segment(text))
    width += WIDE.test(segment) || EMOJI.test(segment) ? 2 : 1
  return width
}

/** Cut to at most `width` columns, with an ellipsis. */
export function truncate(text: string, width: number): string {
  if (computeWidth(text) <= width) return text
  let cut = ''
  for (const { segment } of segmenter.segment(text)) {
    if (computeWidth(cut + segment) > width - 1) break
    cut += segment
  }
  return `${cut}…`
}

/** Paragraphs in lines of at most `width` columns. Lines that begin with a space stay as they are. */
export function wrap(text: string, width: number): string {
  const lines: string[] = []
  let isOpen = false
  for (const line of text.split('\n')) {
    const stays = line === '' || line.startsWith(' ')
    if (stays) lines.push(line)
    for (const word of stays ? [] : line.split(' ')) {
      const last = isOpen ? (lines.at(-1) ?? '') : null
      if (last !== null && computeWidth(last) + 1 + computeWidth(word) <= width)
        lines[lines.length - 1] = `${last} ${word}`
      else lines.push(word)
      isOpen = true
    }
    if (stays) isOpen = false
  }
  return lines.join('\n')
}

export function pad(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const spaces = ' '.repeat(Math.max(0, width - computeWidth(text)))
  return align === 'left' ? text + spaces : spaces + text
}
