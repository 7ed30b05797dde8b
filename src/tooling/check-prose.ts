// `npm run check` looks for phrases that read oddly: in all comments, names and texts, and others in what the window shows.
import { globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { parseSync } from '@swc/core'
import { root } from './commands.ts'
import { BRITISH, discouragedPhrases, FRAGMENT } from './prose.ts'
import { allowedTexts, windowPhrases } from './window-prose.ts'

const SOURCES = ['{src,docs,e2e,.github}/**/*.{ts,tsx,md,css,yml}', '*.md']
/** They have such phrases on purpose, or are generated from test names. */
const SKIPPED = new Set([
  ...['src/tooling/prose.ts', 'src/tooling/window-prose.ts', 'src/tooling/check.test.ts'],
  'docs/conformance.md',
])
const TESTS = /\.test\.tsx?$|\/testing\//

/** Nodes without text: imports, types, and classes. */
const NO_TEXT =
  /^(Import|Export(All|Named))Declaration$|^Ts(?!AsExpression|SatisfiesExpression|NonNull|ConstAssertion)/

/** `file:line: phrase → replacement: text` for each phrase. */
function findPhrases(baseDir: string): string[] {
  return globSync(SOURCES, { cwd: baseDir, exclude: ['**/node_modules/**', 'docs/site/pages/**'] })
    .map((file) => file.split(sep).join('/'))
    .filter((file) => !SKIPPED.has(file))
    .flatMap((file) => {
      const source = readFileSync(join(baseDir, file), 'utf8')
      const isShown =
        /^src\/(renderer|main|features\/[\w-]+\/view)\/.*\.tsx?$/.test(file) && !TESTS.test(file)
      return [...findInLines(file, source), ...(isShown ? findInTexts(file, source) : [])]
    })
}

function findInLines(file: string, source: string): string[] {
  const isDocument = file.endsWith('.md') && file !== 'docs/performance.md'
  const isCode = /\.tsx?$/.test(file)
  return source.split('\n').flatMap((line, index, lines) => {
    const found = discouragedPhrases.filter(([pattern]) => pattern.test(line))
    const place = `${file}:${index + 1}`
    const continues = /^\s*\/\//.test(lines[index - 1] ?? '')
    const isFragment = isCode && FRAGMENT.test(line) && !(continues && /^\s*\/\//.test(line))
    return [
      ...(isFragment ? [`${place}: a comment is a sentence or a noun phrase: ${line.trim()}`] : []),
      ...found.map(([pattern, instead]) => `${place}: ${pattern.source} → ${instead}: ${line.trim()}`),
      ...(isDocument && BRITISH.test(line) ? [`${place}: American spelling: ${line.trim()}`] : []),
    ]
  })
}

function findInTexts(file: string, source: string): string[] {
  return listTexts(file, source).flatMap((text) =>
    allowedTexts.some(([allowed]) => text.includes(allowed))
      ? []
      : windowPhrases
          .filter(([pattern]) => pattern.test(text.trim()))
          .map(([pattern, instead]) => `${file}: ${pattern.source} → ${instead}: ${text}`),
  )
}

/** The texts of a file: its strings and the texts of its elements. */
function listTexts(file: string, source: string): string[] {
  const tree = parseSync(source, { syntax: 'typescript', tsx: file.endsWith('x') })
  const texts: string[] = []
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const item of node) visit(item)
    if (typeof node !== 'object' || node === null) return
    const { type, value, raw, name } = node as {
      type?: string
      value?: unknown
      raw?: string
      name?: { value?: string }
    }
    if (type !== undefined && NO_TEXT.test(type)) return
    if (type === 'JSXAttribute' && name?.value === 'className') return
    if ((type === 'StringLiteral' || type === 'JSXText') && typeof value === 'string') texts.push(value)
    if (type === 'TemplateElement' && raw !== undefined) texts.push(raw)
    Object.values(node).forEach(visit)
  }
  visit(tree.body)
  return texts.map((text) => text.replaceAll(/\s+/g, ' ')).filter((text) => /[a-z]/i.test(text))
}

if (import.meta.main) {
  const found = findPhrases(root)
  for (const sentence of found) console.log(sentence)
  process.exitCode = found.length === 0 ? 0 : 1
}
