// Fences and code spans, which are code whatever stands in them; one that has not ended yet runs to the end.
const CODE = /(^|\n)(`{3,}|~{3,})[\s\S]*?(?:\n\2[^\n]*|$)|`[^`\n]+`/g
const BLOCK = /\\\[([\s\S]+?)\\\]/g
const INLINE = /\\\(([\s\S]+?)\\\)/g

/** `\[…\]` and `\(…\)` become `$$…$$`, outside of code. A lone `$` stays: it is mostly money. */
export function normaliseMath(text: string): string {
  let result = ''
  let from = 0
  for (const code of text.matchAll(CODE)) {
    result += inProse(text.slice(from, code.index)) + code[0]
    from = code.index + code[0].length
  }
  return result + inProse(text.slice(from))
}

function inProse(text: string): string {
  return text
    .replace(BLOCK, (_, maths: string) => `\n\n$$\n${maths.trim()}\n$$\n\n`)
    .replace(INLINE, (_, maths: string) => `$$${maths.trim()}$$`)
}
