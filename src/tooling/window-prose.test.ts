import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseSync } from '@swc/core'
import { describe, expect, test } from 'vitest'
import { allowedTexts, windowPhrases } from './window-prose.ts'

const root = resolve(import.meta.dirname, '../..')
const files = globSync('src/{renderer,main}/**/*.{ts,tsx}', { cwd: root }).filter(
  (file) => !/\.test\.tsx?$|[\\/]testing[\\/]/.test(file),
)

/** What is no text: imports, types, and classes. */
const SKIPPED =
  /^(Import|Export(All|Named))Declaration$|^Ts(?!AsExpression|SatisfiesExpression|NonNull|ConstAssertion)/

/** What a file shows: its strings and the texts of its elements. */
function listTexts(file: string): string[] {
  const tree = parseSync(readFileSync(join(root, file), 'utf8'), {
    syntax: 'typescript',
    tsx: file.endsWith('x'),
  })
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
    if (type !== undefined && SKIPPED.test(type)) return
    if (type === 'JSXAttribute' && name?.value === 'className') return
    if ((type === 'StringLiteral' || type === 'JSXText') && typeof value === 'string') texts.push(value)
    if (type === 'TemplateElement' && raw !== undefined) texts.push(raw)
    Object.values(node).forEach(visit)
  }
  visit(tree.body)
  return texts.map((text) => text.replaceAll(/\s+/g, ' ')).filter((text) => /[a-z]/i.test(text))
}

function findPhrases(text: string): string[] {
  if (allowedTexts.some((allowed) => text.includes(allowed.text))) return []
  return windowPhrases
    .filter(({ pattern }) => pattern.test(text.trim()))
    .map(({ pattern, instead }) => `${pattern.source} → ${instead}: ${text}`)
}

describe.each(windowPhrases)('“$example”', ({ pattern, example }) => {
  test('is found', () => expect(example).toMatch(pattern))
})

test('the texts of the window have no such phrase', () => {
  expect(files.length).toBeGreaterThan(200)
  expect(
    files.flatMap((file) =>
      listTexts(file)
        .flatMap(findPhrases)
        .map((found) => `${file}: ${found}`),
    ),
  ).toEqual([])
})
