// The order of the documents in the site. A page is there as soon as its file is.
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { root } from '../commands.ts'
import { createApiPages } from './api-pages.ts'
import { getTitle, type SiteGroup, type SitePage } from './page.ts'
import { createToolPages } from './tool-pages.ts'

/** The list of documents that GitHub shows for `docs`; the site has its navigation instead. */
const INDEX = 'README'

/** The names of files in `docs`, without `.md`. */
const DOCUMENTS: readonly (readonly [group: string, names: readonly string[]])[] = [
  ['Start', ['start', 'install', 'cli', 'faq']],
  ['Connect a tool', ['connect']],
  [
    'Caps and money',
    [
      'caps',
      'rules',
      'money',
      'sessions',
      'plans',
      'caching',
      'batches',
      'runaway-guard',
      'receipts',
      'reconcile',
      'reprice',
      'history',
    ],
  ],
  ['Providers and prices', ['providers', 'formats']],
  ['API', ['api', 'webhooks', 'integrations', 'data']],
  ['API reference', []],
  ['Operations', ['server', 'network', 'updates', 'diagnostics', 'scaling']],
  ['Trust', ['security', 'secrets', 'performance', 'contract', 'conformance']],
  ['Project', ['architecture', 'contributing', 'design', 'glossary', 'packaging', 'release']],
]

const generated: Readonly<Record<string, () => readonly SitePage[]>> = {
  'Connect a tool': createToolPages,
  'API reference': createApiPages,
  Project: () => [readPage('changelog', 'CHANGELOG.md')],
}

export function createGroups(): SiteGroup[] {
  const existing = new Set(listDocuments())
  return DOCUMENTS.map(([title, names]) => ({
    title,
    pages: [
      ...names.filter((name) => existing.has(name)).map((name) => readPage(name, `docs/${name}.md`)),
      ...(generated[title]?.() ?? []),
    ],
  }))
}

/** Documents that are in no group. */
export function findUnlisted(): string[] {
  const listed = new Set(DOCUMENTS.flatMap(([, names]) => names))
  return listDocuments().filter((name) => !listed.has(name))
}

export function listDocuments(): string[] {
  return globSync('docs/*.md', { cwd: root })
    .map((path) => basename(path, '.md'))
    .filter((name) => name !== INDEX)
}

function readPage(path: string, file: string): SitePage {
  // The site shows diagrams as their source.
  const text = readFileSync(join(root, file), 'utf8').replaceAll('```mermaid', '```txt')
  return { path, title: getTitle(text), text }
}
