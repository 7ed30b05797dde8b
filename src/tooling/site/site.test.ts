import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { expect, test } from 'vitest'
import { operations } from '../../shared/api/operations.ts'
import { configurableTools } from '../../shared/tools/tool-table.ts'
import { root } from '../commands.ts'
import { createGroups, findUnlisted, listDocuments } from './groups.ts'

const pages = createGroups().flatMap((group) => group.pages)

test('every document is in the navigation, once', () => {
  expect(findUnlisted()).toEqual([])
  const paths = pages.map(({ path }) => path)
  expect(new Set(paths).size).toBe(paths.length)
})

test('docs/README.md links to every document', () => {
  const index = readFileSync(join(root, 'docs/README.md'), 'utf8')
  expect(listDocuments().filter((name) => !index.includes(`(${name}.md)`))).toEqual([])
})

test('every tool that can be set up has a page with its command and its files', () => {
  for (const { id, files } of configurableTools) {
    const { text } = pages.find(({ path }) => path === `tools/${id}`) ?? { text: '' }
    expect(text).toContain(`tollgate setup ${id} --undo`)
    for (const file of files({ baseUrl: 'http://127.0.0.1:8655/v1', secret: 'tg-', model: 'm' }))
      expect(text).toContain(`**~/${file.path}**`)
  }
})

test('every operation of the API is in the reference', () => {
  const reference = pages
    .filter(({ path }) => path.startsWith('reference/'))
    .map(({ text }) => text)
    .join('\n')
  const headings = [...reference.matchAll(/^`(GET|POST|PUT|PATCH|DELETE) \/.*`$/gm)]
  expect(headings).toHaveLength(Object.keys(operations).length)
})

test('every link of a generated page leads to a page', () => {
  const known = new Set(pages.map(({ path }) => path))
  const links = pages
    .filter(({ path }) => path.includes('/'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/\]\(([^):#]+)\.md(?:#[^)]*)?\)/g)].map(([, link = '']) =>
        link.startsWith('/') ? link.slice(1) : posix.join(posix.dirname(path), link),
      ),
    )
  expect(links.length).toBeGreaterThan(100)
  expect([...new Set(links)].filter((link) => !known.has(link))).toEqual([])
})
