// The npm package `tollgate`: the command and the interface for browsers, without Electron.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { z } from 'zod'
import { root } from '../commands.ts'
import { listCommandFiles } from './command-files.ts'

const Project = z.object({
  name: z.string(),
  version: z.string(),
  description: z.string(),
  license: z.string(),
  author: z.string(),
  homepage: z.string(),
  repository: z.unknown(),
  bugs: z.unknown(),
  bin: z.object({ tollgate: z.string() }),
  engines: z.object({ node: z.string() }),
  dependencies: z.object({ 'better-sqlite3': z.string(), '@github/keytar': z.string() }),
})

/** The documents of the project in the package, by path in the package. */
const DOCUMENTS = {
  'README.md': 'resources/npm/README.md',
  LICENSE: 'LICENSE',
  'deploy/tollgate.service': 'resources/deploy/tollgate.service',
  'deploy/dev.tollgate.serve.plist': 'resources/deploy/dev.tollgate.serve.plist',
} as const

/** The note that makes Node load the files as CommonJS. The licenses are next to the interface. */
const BESIDE_CODE = ['package.json'] as const

/** Writes the folder of the package, from the build in `out`. */
export function createNpmPackage(dir: string): void {
  rmSync(dir, { recursive: true, force: true })
  const copy = (from: string, to = from) => {
    mkdirSync(dirname(join(dir, to)), { recursive: true })
    cpSync(join(root, from), join(dir, to), {
      recursive: true,
      filter: (path) => extname(path) !== '.map',
    })
  }
  const files = [...listCommandFiles(join(root, 'out/main')), ...BESIDE_CODE]
  for (const name of files) copy(`out/main/${name}`)
  copy('out/renderer')
  for (const [to, from] of Object.entries(DOCUMENTS)) copy(from, to)
  writeFileSync(join(dir, 'package.json'), `${JSON.stringify(createManifest(), null, 2)}\n`)
}

function createManifest() {
  const { dependencies, ...project } = Project.parse(
    JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')),
  )
  return {
    ...project,
    keywords: ['llm', 'gateway', 'openai', 'anthropic', 'gemini', 'cost', 'budget', 'proxy', 'claude-code'],
    dependencies: { 'better-sqlite3': dependencies['better-sqlite3'] },
    // Servers have no keychain, and some systems no build of it: without it, credentials come from the environment.
    optionalDependencies: { '@github/keytar': dependencies['@github/keytar'] },
  }
}
