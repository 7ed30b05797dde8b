// The commands in README, `docs` and the pages of the site.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './commands.ts'
import { createToolPages } from './site/tool-pages.ts'

export interface CommandBlock {
  /** `docs/cli.md:47` */
  where: string
  code: string
}

/** Programs that no test runs, and why. A block that uses one of them is not run. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  'create-key.sh': 'needs two gateways behind HAProxy.',
  docker: 'needs a Docker daemon.',
  duckdb: 'is not in Debian; it was run by hand, as docs/data.md says.',
  gh: 'reads the attestations of a release on GitHub.',
  git: 'publishes a release, or commits: src/cli/git/git-cost.test.ts does.',
  haproxy: 'needs a second gateway: the long tests of docs/scaling.md start it.',
  journalctl: 'needs systemd.',
  launchctl: 'needs macOS.',
  litestream: 'is installed by hand.',
  loginctl: 'needs systemd.',
  npm: 'installs, builds or tests the whole project: continuous integration does.',
  npx: 'installs from the registry: the long tests install the npm package from its archive.',
  sha256sum: 'checks the files of a release: src/tooling/release/release.test.ts does.',
  sqlite3:
    'is not installed everywhere; src/gateway/store/engine/views.test.ts runs the queries of docs/data.md.',
  sudo: 'changes the system.',
  systemctl: 'needs systemd.',
  'tollgate serve': 'runs until it is stopped: src/contract/headless.test.ts starts it.',
}

/**
 * The programs that the test has, besides those of every shell. Its `claude` is a stand-in; npm run test:tools has the real
 * one.
 */
export const RUN = new Set(['curl', 'tollgate', 'claude', 'export', 'echo', 'cat', 'printf', 'cd', 'mkdir'])

/** Blocks of the language `sh` or `bash`. */
export function listBlocks(): CommandBlock[] {
  const files = globSync(['*.md', 'docs/*.md'], { cwd: root }).map((path) => ({
    path: path.replaceAll('\\', '/'),
    text: readFileSync(join(root, path), 'utf8'),
  }))
  return files.flatMap(({ path, text }) => findBlocks(path, text))
}

/** The commands that set up one of the tools, as its page of the site has them. */
export function setupBlock(tool: string): CommandBlock | undefined {
  const page = createToolPages().find(({ path }) => path === `tools/${tool}`)
  return page && findBlocks(page.path, page.text)[0]
}

/** Blocks without a language whose first line looks like a command: they would not be tested. */
export function findUnmarked(): string[] {
  return globSync(['*.md', 'docs/*.md'], { cwd: root }).flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    return [...text.matchAll(/^```(?:\w*)\n(?:[A-Z_]+=\S+ )*(\S+) /gm)]
      .filter(([block, program = '']) => /^```\n/.test(block) && (RUN.has(program) || program in NOT_RUN))
      .map(([block]) => `${path}: ${block}`)
  })
}

function findBlocks(path: string, text: string): CommandBlock[] {
  return [...text.matchAll(/^```(?:sh|bash)\n(.*?)^```$/gms)].map(({ index, 1: code = '' }) => ({
    where: `${path}:${text.slice(0, index).split('\n').length}`,
    code,
  }))
}

/** The programs that a block starts itself. */
export function listPrograms(code: string): string[] {
  const commands = code
    .replaceAll(/\\\n/g, ' ')
    .replaceAll(/'[^']*'|"[^"]*"/g, 'text')
    .replaceAll(/(^|\s)#.*$/gm, '')
    .split(/\n|&&|\|\||[|;]/)
    .map((command) => command.trim().replace(/^(?:[A-Z_]+=\S*\s+)+/, ''))
  return commands.filter(Boolean).map((command) => /^(?:tollgate serve|\S+)/.exec(command)?.[0] ?? '')
}
