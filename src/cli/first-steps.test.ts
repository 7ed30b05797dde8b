import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { describeFirstSteps, describeSignIn } from './first-steps.ts'

const base = {
  ...{ baseUrl: 'http://127.0.0.1:8655', dataDir: undefined, makesAdminKey: true },
  command: 'tollgate',
} as const
const here = { ssh: undefined }

test('the first start shows the address, the key and a request that works as it is', () => {
  const text = describeFirstSteps({ ...base, adminKey: 'tg-key' }, here)
  expect(text).toContain('Open     http://127.0.0.1:8655\n')
  expect(text).toContain('Sign in  tg-key\n')
  const request = text.split('\n').find((line) => line.includes('curl')) ?? ''
  expect(request).toContain('tollgate run --cap 1 -- sh -c ')
  expect(request).not.toContain('tg-key')
  const script = /'(.*)'$/.exec(request)?.[1]?.replace('curl', "printf '%s\\n'") ?? ''
  const env = { ...process.env, OPENAI_BASE_URL: 'http://127.0.0.1:8655/v1', OPENAI_API_KEY: 'tg-run' }
  const args = execFileSync('sh', ['-c', script], { encoding: 'utf8', env }).trim().split('\n')
  expect(args).toContain('http://127.0.0.1:8655/v1/chat/completions')
  expect(args).toContain('Authorization: Bearer tg-run')
  expect(JSON.parse(args.at(-1) ?? '')).toMatchObject({ model: 'sandbox-small' })
})

test('later starts say how to get another key, for the same data folder', () => {
  const text = describeFirstSteps({ ...base, dataDir: '/my data', adminKey: null }, here)
  expect(text).toContain('tollgate admin-key --reset --data-dir "/my data"')
  expect(text).not.toContain('curl')
})

test('in a copy of the repository, the command is called with npx', () => {
  const steps = { ...base, command: 'npx tollgate' } as const
  expect(describeFirstSteps({ ...steps, adminKey: null }, here)).toContain(
    'run: npx tollgate admin-key --reset',
  )
  expect(describeFirstSteps({ ...steps, adminKey: 'tg-key' }, here)).toContain('npx tollgate run --cap 1')
})

test('a person who is connected over SSH gets the command that forwards the port', () => {
  const text = describeFirstSteps({ ...base, adminKey: null }, { ssh: '192.0.2.7 50122 192.0.2.1 22' })
  expect(text).toContain('ssh -N -L 8655:127.0.0.1:8655 192.0.2.1\n')
})

test('the line for a log has no key, and says how to get one', () => {
  expect(describeSignIn({ ...base, adminKey: 'tg-key' })).toBe(
    'Open http://127.0.0.1:8655 in a browser and sign in with the admin key that was printed just now, which is not shown again',
  )
  expect(describeSignIn({ ...base, adminKey: null, makesAdminKey: false })).toContain(
    'Make one with: tollgate keys create Admin --scope admin',
  )
})
