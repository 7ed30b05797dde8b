// Installs the npm package from its archive, with its dependencies from the registry, in an empty folder, and uses it in the
// oldest Node that it supports and in the one that the desktop app has.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildIfNeeded } from '../build.ts'
import { packArchive } from './archive.ts'
import { createNpmPackage } from './create.ts'
import { AS_EXPECTED, exerciseCommand } from './testing/exercise-command.ts'

const run = promisify(execFile)
const INSTALL_MS = 300_000

let dir = ''
let archive = ''
beforeAll(async () => {
  expect(await buildIfNeeded()).toBe(0)
  dir = mkdtempSync(join(tmpdir(), 'tollgate-npm-'))
  createNpmPackage(join(dir, 'folder'))
  archive = await packArchive(join(dir, 'folder'), dir)
}, INSTALL_MS)
afterAll(() => rm(dir, { recursive: true, force: true }), INSTALL_MS)

/** Installs packages in an empty project; install scripts run only where the test needs them. */
async function install(name: string, ...packages: string[]): Promise<string> {
  const project = join(dir, name)
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{}')
  await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages], { cwd: project })
  return project
}

async function installNode(version: string): Promise<string> {
  const project = await install(`node-${version}`, `node@${version}`)
  return join(project, 'node_modules/node/bin/node')
}

test.each(['22.14.0', '24.21.0'])(
  'npm installs the package, and its command works in Node %s',
  async (version) => {
    const [node, project] = [await installNode(version), await install(`with-${version}`, archive)]
    const home = mkdtempSync(join(dir, 'home-'))
    const used = await exerciseCommand({ node, script: join(project, 'node_modules/.bin/tollgate'), home })
    expect(used).toMatchObject(AS_EXPECTED)
    expect(used.sandbox.costUsd).toBeGreaterThan(0)
  },
  INSTALL_MS,
)

test(
  'without install scripts and without the keychain, it works all the same',
  async () => {
    const flags = ['--ignore-scripts', '--omit=optional']
    const project = await install('bare', ...flags, archive)
    const home = mkdtempSync(join(dir, 'home-'))
    const script = join(project, 'node_modules/.bin/tollgate')
    expect(await exerciseCommand({ node: process.execPath, script, home })).toMatchObject(AS_EXPECTED)
  },
  INSTALL_MS,
)

test(
  'an older Node is rejected with a sentence instead of a crash',
  async () => {
    const [node, project] = [await installNode('22.13.1'), await install('for-old', archive)]
    const script = join(project, 'node_modules/.bin/tollgate')
    await expect(run(node, [script, 'serve'])).rejects.toMatchObject({
      code: 5,
      stderr: 'tollgate: Node.js 22.13.1 is too old; Tollgate needs 22.14, 23.6 or later.\n',
    })
  },
  INSTALL_MS,
)
