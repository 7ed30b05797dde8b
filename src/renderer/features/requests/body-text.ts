/** The text of a body as it is shown. */
export function formatBody(text: string): { kind: string; text: string } {
  try {
    return { kind: 'JSON', text: JSON.stringify(JSON.parse(text), null, 2) }
  } catch {
    return { kind: /^(event|data|:)/.test(text) ? 'Event stream' : 'Text', text }
  }
}

export interface TextBlock {
  text: string
  /** How many lines it has at least. */
  lines: number
}

const BLOCK_CHARS = 4_000

/** Cuts a text after lines, and within a line that is longer than a block. */
export function splitIntoBlocks(text: string): TextBlock[] {
  const blocks: TextBlock[] = []
  for (let start = 0; start < text.length; ) {
    const limit = start + BLOCK_CHARS
    const lineEnd = text.lastIndexOf('\n', limit)
    // Not between the halves of a character.
    const cut = /[\ud800-\udbff]/.test(text.charAt(limit - 1)) ? limit - 1 : limit
    const end = limit >= text.length ? text.length : lineEnd > start ? lineEnd + 1 : cut
    const part = text.slice(start, end)
    // A block ends its line by itself.
    const block = part.endsWith('\n') ? part.slice(0, -1) : part
    blocks.push({ text: block === '' ? '\n' : block, lines: part.split('\n').length })
    start = end
  }
  return blocks
}
