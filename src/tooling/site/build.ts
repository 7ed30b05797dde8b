// `npm run docs`: writes the pages of the site to docs/site/pages and builds them with VitePress, which has its own
// package.json and fails on links that lead nowhere. `npm run docs -- dev` serves them instead.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { cacheDir, root, runNode } from '../commands.ts'
import { createGroups } from './groups.ts'

const site = join(root, 'docs/site')
const pages = join(site, 'pages')
/** Pages that are generated, or have another place. */
const NOT_EDITABLE = '---\neditLink: false\n---\n\n'
const vitepress = join(site, 'node_modules/vitepress/bin/vitepress.js')

if (existsSync(vitepress)) {
  writePages()
  const { code } = await runNode(vitepress, [process.argv[2] ?? 'build'], {
    cwd: site,
    env: { ...process.env, TOLLGATE_SITE_CACHE: join(cacheDir, 'site') },
  })
  process.exitCode = code
} else {
  console.error('The packages of the site are missing: npm ci --prefix docs/site')
  process.exitCode = 1
}

function writePages(): void {
  rmSync(pages, { recursive: true, force: true })
  const groups = createGroups()
  for (const { path, text } of groups.flatMap((group) => group.pages))
    write(`${path}.md`, existsSync(join(root, `docs/${path}.md`)) ? text : `${NOT_EDITABLE}${text}`)
  cpSync(join(site, 'home.md'), join(pages, 'index.md'))
  write('navigation.json', JSON.stringify(createNavigation(groups), null, 2))
  cpSync(join(root, 'docs/images'), join(pages, 'images'), { recursive: true })
  cpSync(join(root, 'docs/images'), join(pages, 'public/images'), { recursive: true })
  cpSync(join(root, 'resources/icon.svg'), join(pages, 'public/icon.svg'))
}

function createNavigation(groups: ReturnType<typeof createGroups>) {
  const { homepage, version, bugs } = z
    .object({ homepage: z.string(), version: z.string(), bugs: z.string() })
    .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))
  return {
    base: new URL(homepage).pathname,
    version,
    repository: bugs.replace(/\/issues$/, ''),
    sidebar: groups.map(({ title, pages: items }) => ({
      text: title,
      collapsed: title !== 'Start',
      items: items.map((page) => ({ text: page.title, link: `/${page.path}` })),
    })),
  }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(pages, path)), { recursive: true })
  writeFileSync(join(pages, path), text)
}
