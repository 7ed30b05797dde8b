// Sessions of a repository, and what its branches and commits have cost.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { forFile } from '../../gateway/testing/lifetime.ts'
import { tempDirForTest } from '../../gateway/testing/temp-dir.ts'
import { startCommandHost } from '../testing/command-host.ts'
import { formatTrailer } from './commit-costs.ts'

const command = await forFile(startCommandHost())
const env = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_AUTHOR_NAME: 'Ann',
  GIT_AUTHOR_EMAIL: 'ann@example.org',
  GIT_COMMITTER_NAME: 'Ann',
  GIT_COMMITTER_EMAIL: 'ann@example.org',
}

// Commits have times of whole seconds. The gateway's clock is this one, too.
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / 1000) * 1000 + 100 }))
afterAll(() => void vi.useRealTimers())

let dir = ''
beforeEach(() => {
  dir = tempDirForTest()
  git('init', '--quiet', '--initial-branch=main')
  git('remote', 'add', 'origin', `https://example.org/ann/${dir.split('/').at(-1)}.git`)
  commit('Begin')
})

function git(...args: string[]): string {
  const date = `${Math.floor(Date.now() / 1000)} +0000`
  return execFileSync('git', ['-C', dir, ...args], {
    env: { ...command.env, ...env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim()
}

const commit = (name: string, ...more: string[]) =>
  git('commit', '--quiet', '--allow-empty', `--message=${name}`, ...more)

async function tollgate(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await command.tollgateIn({ cwd: dir, env }, ...args)
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('tollgate:')])
  return stdout
}
const readCosts = async (...args: string[]) => JSON.parse(await tollgate('git-cost', '--json', ...args))

/** Asks a model, a second before whatever comes next. */
async function ask(baseUrl: string, secret: string, session: string): Promise<void> {
  const answer = await fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      'x-tollgate-session': session,
    },
    body: JSON.stringify({ model: 'sandbox-small', messages: [{ role: 'user', content: 'Hi' }] }),
  })
  expect(answer.status).toBe(200)
  await answer.arrayBuffer()
  vi.setSystemTime(Date.now() + 1000)
}

const Access = z.tuple([z.string(), z.string()])

/** Works as the command of a run does, with the address and the key that it was given. */
async function work(session: string, steps: (ask: () => Promise<void>) => Promise<void>): Promise<void> {
  const worked = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    const [baseUrl, secret] = Access.parse(await json(request))
    await steps(() => ask(baseUrl, secret, session)).then(worked.resolve, worked.reject)
    response.end()
  }).listen(join(tempDirForTest(), 'work'))
  await once(server, 'listening')
  const agent = `const { OPENAI_BASE_URL, OPENAI_API_KEY } = process.env
    require('node:http').request({ method: 'POST', socketPath: ${JSON.stringify(server.address())} }, (answer) => answer.resume())
      .end(JSON.stringify([OPENAI_BASE_URL, OPENAI_API_KEY]))`
  await tollgate('run', '--', process.execPath, '-e', agent)
  server.close()
  await worked.promise
}

test('a run is divided by its commits; an amended one keeps its cost, and the rest waits for the next commit', async () => {
  git('switch', '--quiet', '--create', 'fix')
  await work('one', async (ask) => {
    await ask()
    commit('One')
    await ask()
    await ask()
    commit('Two')
    await ask()
  })
  commit('Two, amended', '--amend')
  const costs = await readCosts()
  expect(costs.commits.map(({ subject, requests }: Record<string, unknown>) => [subject, requests])).toEqual([
    ['Two, amended', 3],
    ['One', 1],
  ])
  expect(costs).toMatchObject({ branch: 'fix', range: null, uncommitted: { requests: 0 } })
  const range = await readCosts('HEAD~2..HEAD~1')
  expect(range).toMatchObject({ commits: [{ subject: 'One' }], uncommitted: null, total: { requests: 1 } })
  expect(await tollgate('git-cost')).toMatch(/Not committed yet[\s\S]*Two, amended[\s\S]*Total/)
  expect(await tollgate('git-cost', '--trailer', 'main..HEAD')).toMatch(/^AI-Cost: \$0\.00\n$/)
  const branch = `${costs.repository} fix`
  const spend = JSON.parse(await tollgate('spend', 'month', '--by', 'branch', '--json'))
  expect(spend.data.find(({ group }: { group: string }) => group === branch)?.requests).toBe(4)
  expect(JSON.parse(await tollgate('sessions', '--branch', branch, '--json'))).toHaveLength(1)
  const { code, stderr } = await command.tollgateIn({ cwd: dir, env }, 'git-cost', 'none..HEAD')
  expect([code, stderr]).toEqual([1, expect.stringContaining('"none..HEAD"')])
})

test('a folder from someone else runs nothing, whatever its configuration says', async () => {
  git('switch', '--quiet', '--create', 'fix')
  await work('two', async (ask) => {
    await ask()
    commit('Two')
  })
  const name = git('remote', 'get-url', 'origin')
  dir = tempDirForTest()
  const trace = join(dir, 'trace')
  const script = join(dir, 'script.sh')
  writeFileSync(script, `#!/bin/sh\necho "$0 $*" >> '${trace}'\n`, { mode: 0o700 })
  git('init', '--quiet', '--initial-branch=main')
  commit('Theirs')
  for (const [key, value] of Object.entries({
    'core.repositoryFormatVersion': '1',
    'extensions.partialClone': 'origin',
    'protocol.allow': 'always',
    'remote.origin.promisor': 'true',
    'remote.origin.url': `ext::${script} %S`,
    'core.fsmonitor': script,
    'core.hooksPath': dir,
    'core.pager': script,
    'pager.log': 'true',
    'diff.external': script,
    'gpg.program': script,
    'log.showSignature': 'true',
  }))
    git('config', key, value)
  await readCosts()
  // The name of another repository, so that the hashes of its commits are looked up here.
  git('config', 'remote.origin.url', name)
  git('config', 'remote.origin.uploadPack', script)
  git('config', `url.ext::${script} %S .insteadOf`, name)
  await readCosts()
  expect(existsSync(trace)).toBe(false)
})

test('a trailer has the worth of what a plan paid for', () => {
  const sums = { requests: 2, tokensIn: 1, tokensOut: 1, unpriced: 0, costUsd: 0.5, worthUsd: 1.32 }
  expect(formatTrailer(sums)).toBe('AI-Cost: $0.50 (worth $1.32)')
})

test('the hook of Claude Code records the branch of its session, and never disturbs it', async () => {
  const input = JSON.stringify({ session_id: 'of the hook', cwd: dir, hook_event_name: 'SessionStart' })
  for (const each of [input, 'no JSON', '{"session_id":"x","cwd":"/"}'])
    expect(await command.tollgateIn({ cwd: dir, env, input: each }, 'git-hook')).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
  const key = JSON.parse((await command.tollgate('keys', 'create', 'hooked', '--json')).stdout)
  await ask(`${command.baseUrl}/v1`, key.secret, 'of the hook')
  const costs = await readCosts()
  expect(costs.uncommitted).toMatchObject({ requests: 1 })
  expect(await tollgate('git-cost', '--trailer')).toMatch(/^AI-Cost: \$0\.00\n$/)
})
