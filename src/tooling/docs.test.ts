import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { root } from './commands.ts'

const documents = globSync(['*.md', 'docs/*.md', '.github/*.md'], { cwd: root }).map((path) =>
  path.replaceAll('\\', '/'),
)
const read = (path: string) => readFileSync(join(root, path), 'utf8')

test.each(['docs/architecture.md', 'docs/contributing.md'])(
  'every source file that %s names exists',
  (path) => {
    const named = [...read(path).matchAll(/`([\w./-]+(?:\.tsx?|\/))`/g)].map(([, name = '']) => name)
    expect(named.length).toBeGreaterThan(10)
    expect(
      named.filter((name) => !['', 'src/gateway'].some((base) => existsSync(join(root, base, name)))),
    ).toEqual([])
  },
)

/** In the sources of other programs. */
const FOREIGN_FILES = ['core/util/paths.ts', 'packages/opencode/src/session/llm.ts']

test('every source file that a comment names exists', () => {
  const paths = globSync(['{src,e2e}/**/*.{ts,tsx}', '*.ts'], { cwd: root }).map((path) =>
    path.replaceAll('\\', '/'),
  )
  const missing = paths.flatMap((path) => {
    const comments = read(path).match(/^\s*(?:\/\/|\/?\*).*$|\s\/\/ .*$/gm) ?? []
    const names = comments.flatMap((comment) =>
      [...comment.replace(/https?:\S+/g, '').matchAll(/(?<![\w./-])(?:\.\/)?(\w[\w./-]*\.tsx?)\b/g)].map(
        ([, name = '']) => name,
      ),
    )
    return names
      .filter((name) => !FOREIGN_FILES.includes(name))
      .filter((name) => !paths.some((other) => other === name || other.endsWith(`/${name}`)))
      .map((name) => `${path}: ${name}`)
  })
  expect(missing).toEqual([])
})

test('every promise in docs/security.md names tests that exist', () => {
  const promises = read('docs/security.md').split('## Promises')[1] ?? ''
  const rows = [...promises.matchAll(/^\| (?!promise \|)(.+?) \| (.+) \|$/gm)]
  expect(rows.length).toBeGreaterThan(25)
  for (const [, promise, cell = ''] of rows) {
    const tests = cell.split(', ').map((name) => /^`(.+\.(test|spec)\.tsx?)`$/.exec(name)?.[1] ?? name)
    expect(
      tests.filter((path) => !existsSync(join(root, path))),
      promise,
    ).toEqual([])
  }
})

test.each([...documents, ...globSync('.github/workflows/*.yml', { cwd: root })])(
  'every npm script that %s names exists',
  (path) => {
    const { scripts } = z
      .object({ scripts: z.record(z.string(), z.string()) })
      .parse(JSON.parse(read('package.json')))
    const named = [...read(path).matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name)
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([])
  },
)

test.each(documents)('every file that %s links to exists', (path) => {
  const links = [...read(path).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, link = '']) => link)
  expect(links.filter((link) => !existsSync(join(root, path, '..', link)))).toEqual([])
})
