// Fenced code blocks and code spans. A block that is still streaming extends to the end of the text.
const CODE = /(^|\n)(`{3,}|~{3,})[\s\S]*?(?:\n\2[^\n]*|$)|`[^`\n]+`/g
const BLOCK = /\\\[([\s\S]+?)\\\]/g
const INLINE = /\\\(([\s\S]+?)\\\)/g

/** Between single dollar signs, with what amounts and variables of shells do not have: a command, a power or an index. */
const DOLLARS = /(?<![\\$\w])\$(?![\s$])([^$\n]*?[\\^_][^$\n]*?)(?<![\s\\])\$(?![$\w])/g

/**
 * `\[…\]` and `\(…\)` become `$$…$$`, outside of code, and so does `$…$` that looks like a formula. Otherwise a single `$` is kept,
 * because it usually means dollars.
 */
export function normalizeMath(text: string): string {
  let result = ''
  let from = 0
  for (const code of text.matchAll(CODE)) {
    result += convertMath(text.slice(from, code.index)) + code[0]
    from = code.index + code[0].length
  }
  return result + convertMath(text.slice(from))
}

function convertMath(text: string): string {
  return text
    .replace(BLOCK, (_, maths: string) => `\n\n$$\n${maths.trim()}\n$$\n\n`)
    .replace(INLINE, (_, maths: string) => `$$${maths.trim()}$$`)
    .replace(DOLLARS, (_, maths: string) => `$$${maths}$$`)
}
