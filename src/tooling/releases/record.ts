// `node src/tooling/releases/record.ts --ref v0.2.0`: uses a released version as a user would, kills it, and stores what it
// leaves in its data folder as a fixture of the tests, with what that version itself says of it.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { packRelease, type ReleaseFacts, releasesDir } from '../../gateway/store/testing/releases.ts'
import { testClient } from '../../gateway/testing/gateway.ts'
import { root } from '../commands.ts'
import { fillGateway, leaveRunning } from './fill-gateway.ts'
import { startRelease } from './release-program.ts'

/** Files that a crash leaves and the next start rebuilds, or that say nothing. */
const LEFT_OUT = /^(logs|window|.*-shm|tollgate\.sock)$/

const { values } = parseArgs({ options: { ref: { type: 'string' }, name: { type: 'string' } } })
if (values.ref === undefined) throw new Error('Give the commit or tag of the release: --ref v0.2.0')
const commit = git('rev-parse', '--short', values.ref).toString('utf8').trim()
const folder = mkdtempSync(join(tmpdir(), 'tollgate-release-'))
try {
  const program = join(folder, 'program')
  checkOut(program)
  const { version } = z.object({ version: z.string() }).parse(readJson(join(program, 'package.json')))
  const dataDir = join(folder, 'data')
  mkdirSync(dataDir, { mode: 0o700 })
  // The desktop app writes this file; a gateway without a window reads it.
  writeFileSync(join(dataDir, 'preferences.json'), `${JSON.stringify({ port: 18655 })}\n`, { mode: 0o600 })

  const first = await startRelease(program, dataDir)
  const admin = first.adminKey ?? ''
  const used = await fillGateway(testClient(first.baseUrl, admin))
  const runningId = await leaveRunning(testClient(first.baseUrl, admin), used.keys.roomy.secret)
  await first.kill()
  const left = join(folder, 'left')
  cpSync(dataDir, left, { recursive: true })

  const second = await startRelease(program, dataDir)
  const facts: ReleaseFacts = {
    version,
    commit,
    recordedAt: Date.now(),
    admin,
    ...used,
    runningId,
    said: await whatItSays(testClient(second.baseUrl, admin)),
  }
  await second.kill()
  const name = values.name ?? version
  const files = readdirSync(left).filter((file) => !LEFT_OUT.test(file))
  packRelease(
    name,
    facts,
    files.map((file) => ({ name: file, bytes: readFileSync(join(left, file)) })),
  )
  console.log(`Wrote ${name} to ${releasesDir}: ${files.join(', ')}`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Its sources, with the packages that it had. */
function checkOut(into: string): void {
  mkdirSync(into)
  const archive = git('archive', '--format=tar', commit)
  execFileSync('tar', ['x', '-C', into], { input: archive })
  console.log(`Installing the packages of ${commit}`)
  const flags = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', flags, { cwd: into, stdio: 'inherit' })
}

async function whatItSays(client: ReturnType<typeof testClient>): Promise<ReleaseFacts['said']> {
  const get = async (path: string) => (await client.call('GET', path)).json
  return {
    keys: (await get('/v1/keys')).data,
    account: await get('/v1/account'),
    requests: await client.records(),
    byModel: (await get('/v1/usage?groupBy=model')).data,
    byDay: (await get('/v1/usage?groupBy=day')).data,
  }
}

function git(...args: string[]): Buffer {
  return execFileSync('git', args, { cwd: root, maxBuffer: 1024 ** 3 })
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'))
}
