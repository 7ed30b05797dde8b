// Sessions of a repository, and what its branches and commits have cost.
import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { forFile } from '../../gateway/testing/lifetime.ts'
import { getEnd, spawnProgram } from '../../gateway/testing/program.ts'
import { SOURCE_FLAGS } from '../../gateway/testing/source-flags.ts'
import { tempDirForTest } from '../../gateway/testing/temp-dir.ts'
import { startCommandHost } from '../testing/command-host.ts'
import { formatTrailer } from './commit-costs.ts'

const command = await forFile(startCommandHost())
const env = {
  ...command.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_AUTHOR_NAME: 'Ann',
  GIT_AUTHOR_EMAIL: 'ann@example.org',
  GIT_COMMITTER_NAME: 'Ann',
  GIT_COMMITTER_EMAIL: 'ann@example.org',
}

let dir = ''
beforeEach(() => {
  dir = tempDirForTest()
  git('init', '--quiet', '--initial-branch=main')
  git('remote', 'add', 'origin', `https://example.org/ann/${dir.split('/').at(-1)}.git`)
  git('commit', '--quiet', '--allow-empty', '--message=Begin')
})

function git(...args: string[]): string {
  return execFileSync('git', ['-C', dir, ...args], { env, encoding: 'utf8', stdio: 'pipe' }).trim()
}

async function tollgate(args: string[], input = ''): Promise<string> {
  const { code, stdout, stderr } = await getEnd(spawnProgram(args, { env, cwd: dir, input }))
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('tollgate:')])
  return stdout
}
const readCosts = async (...args: string[]) => JSON.parse(await tollgate(['git-cost', '--json', ...args]))

/** A program that asks a model, and calls Git in between. */
function agent(...steps: (string | string[])[]): string[] {
  const lines = steps.map((step) =>
    typeof step === 'string'
      ? `await fetch(process.env.OPENAI_BASE_URL + '/chat/completions', { method: 'POST',
          headers: { authorization: 'Bearer ' + process.env.OPENAI_API_KEY, 'content-type': 'application/json',
            'x-tollgate-session': ${JSON.stringify(step)} },
          body: JSON.stringify({ model: 'sandbox-small', messages: [{ role: 'user', content: 'Hi' }] }) })
        await new Promise((resolve) => setTimeout(resolve, 1100 - Date.now() % 1000))`
      : `execFileSync('git', ${JSON.stringify(step)})`,
  )
  const code = ["import { execFileSync } from 'node:child_process'", ...lines].join('\n')
  return [process.execPath, ...SOURCE_FLAGS, '--input-type=module', '-e', code]
}

test('a run is divided by its commits; an amended one keeps its cost, and the rest waits for the next commit', async () => {
  git('switch', '--quiet', '--create', 'fix')
  const commit = (name: string, ...more: string[]) => [
    ...['commit', '--quiet', '--allow-empty', `--message=${name}`],
    ...more,
  ]
  const steps = ['one', commit('One'), 'one', 'one', commit('Two'), 'one']
  await tollgate(['run', '--', ...agent(...steps)])
  git(...commit('Two, amended', '--amend'))
  const costs = await readCosts()
  expect(costs.commits.map(({ subject, requests }: Record<string, unknown>) => [subject, requests])).toEqual([
    ['Two, amended', 3],
    ['One', 1],
  ])
  expect(costs).toMatchObject({ branch: 'fix', range: null, uncommitted: { requests: 0 } })
  const range = await readCosts('HEAD~2..HEAD~1')
  expect(range).toMatchObject({ commits: [{ subject: 'One' }], uncommitted: null, total: { requests: 1 } })
  expect(await tollgate(['git-cost'])).toMatch(/Not committed yet[\s\S]*Two, amended[\s\S]*Total/)
  expect(await tollgate(['git-cost', '--trailer', 'main..HEAD'])).toMatch(/^AI-Cost: \$0\.00\n$/)
  const branch = `${costs.repository} fix`
  const spend = JSON.parse(await tollgate(['spend', 'month', '--by', 'branch', '--json']))
  expect(spend.data.find(({ group }: { group: string }) => group === branch)?.requests).toBe(4)
  expect(JSON.parse(await tollgate(['sessions', '--branch', branch, '--json']))).toHaveLength(1)
  const { code, stderr } = await getEnd(spawnProgram(['git-cost', 'none..HEAD'], { env, cwd: dir }))
  expect([code, stderr]).toEqual([1, expect.stringContaining('"none..HEAD"')])
})

test('a folder from someone else runs nothing, whatever its configuration says', async () => {
  git('switch', '--quiet', '--create', 'fix')
  await tollgate(['run', '--', ...agent('two', ['commit', '--quiet', '--allow-empty', '--message=Two'])])
  const name = git('remote', 'get-url', 'origin')
  dir = tempDirForTest()
  const trace = join(dir, 'trace')
  const script = join(dir, 'script.sh')
  writeFileSync(script, `#!/bin/sh\necho "$0 $*" >> '${trace}'\n`, { mode: 0o700 })
  git('init', '--quiet', '--initial-branch=main')
  git('commit', '--quiet', '--allow-empty', '--message=Theirs')
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
  const hook = (input: string) => tollgate(['git-hook'], input)
  const input = JSON.stringify({ session_id: 'of the hook', cwd: dir, hook_event_name: 'SessionStart' })
  expect([await hook(input), await hook('no JSON'), await hook('{"session_id":"x","cwd":"/"}')]).toEqual([
    '',
    '',
    '',
  ])
  const key = JSON.parse((await command.tollgate('keys', 'create', 'hooked', '--json')).stdout)
  await fetch(`${command.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key.secret}`,
      'content-type': 'application/json',
      'x-tollgate-session': 'of the hook',
    },
    body: JSON.stringify({ model: 'sandbox-small', messages: [{ role: 'user', content: 'Hi' }] }),
  })
  const costs = await readCosts()
  expect(costs.uncommitted).toMatchObject({ requests: 1 })
  expect(await tollgate(['git-cost', '--trailer'])).toMatch(/^AI-Cost: \$0\.00\n$/)
})
