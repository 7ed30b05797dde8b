import { expect, it } from 'vitest'
import { ProviderRecord } from '../../../shared/providers.ts'
import { emptyForm, idFromName, readForm } from './provider-form.ts'

const stored = ProviderRecord.parse({
  ...{ id: 'my-server', name: 'My Server', apiFormat: 'openai-chat', baseUrl: 'http://127.0.0.1:8080/v1' },
  ...{ configured: true, enabled: true, hasCredential: true, credentialCount: 1, needsCredential: true },
  ...{ local: false, priority: 100, headerNames: [], modelCount: 0, modelsFetchedAt: null, consoleUrl: null },
  ...{ connectTimeoutMs: 1000, firstByteTimeoutMs: 1000, stallTimeoutMs: 1000, totalTimeoutMs: 1000 },
  health: { state: 'ready', until: null, lastError: null },
})
const custom = { ...emptyForm(null), name: 'My Server', baseUrl: 'http://127.0.0.1:8080/v1/' }

it('makes an id of a name that is not taken', () => {
  expect(idFromName('My Server!', new Set())).toBe('my-server')
  expect(idFromName('My Server', new Set(['my-server', 'my-server-2']))).toBe('my-server-3')
  expect(idFromName('…', new Set())).toBeNull()
})

it('sends a custom server as OpenAI-compatible, without a trailing slash or a blank credential', () => {
  expect(readForm(custom, null, new Set())).toEqual({
    ok: true,
    id: 'my-server',
    put: { apiFormat: 'openai-chat', name: 'My Server', baseUrl: 'http://127.0.0.1:8080/v1', enabled: true },
  })
})

it('says which field is wrong', () => {
  const outcome = readForm({ ...custom, name: '', baseUrl: 'ftp://x', priority: 'high' }, null, new Set())
  expect(outcome.ok ? [] : Object.keys(outcome.errors)).toEqual(['name', 'baseUrl', 'priority'])
})

it('trims the credential that was pasted', () => {
  const outcome = readForm({ ...custom, credential: ' sk-1\n' }, null, new Set())
  expect(outcome.ok && outcome.put.credential).toBe('sk-1')
})

it('sends several credentials together, without those left blank', () => {
  const outcome = readForm({ ...custom, credential: 'sk-1', more: ['', ' sk-2 '] }, null, new Set())
  expect(outcome.ok && outcome.put).toMatchObject({ credentials: ['sk-1', 'sk-2'] })
  expect(outcome.ok && 'credential' in outcome.put).toBe(false)
})

it('does not let a stored credential be lost to one that was only meant to be added', () => {
  const form = { ...custom, more: ['sk-2'] }
  const outcome = readForm(form, stored, new Set())
  expect(outcome.ok ? [] : Object.keys(outcome.errors)).toEqual(['credential'])
  expect(readForm({ ...form, credential: 'sk-1' }, stored, new Set()).ok).toBe(true)
})

it('wants to be told that a credential may go unencrypted beyond the local network', () => {
  const far = { ...custom, baseUrl: 'http://llm.example.com/v1', credential: 'sk-1' }
  const refused = readForm(far, null, new Set())
  expect(refused.ok ? [] : Object.keys(refused.errors)).toEqual(['allowInsecureHttp'])
  const allowed = readForm({ ...far, allowInsecureHttp: true }, null, new Set())
  expect(allowed.ok && allowed.put.allowInsecureHttp).toBe(true)
})

it('wants no such word for https, the local network, no credential, or a change of something else', () => {
  const secure = { ...custom, credential: 'sk-1' }
  const far = 'http://llm.example.com/v1'
  for (const [form, provider] of [
    [{ ...secure, baseUrl: 'https://llm.example.com/v1' }, null],
    [{ ...secure, baseUrl: 'http://gpu-box:8000/v1' }, null],
    [{ ...custom, baseUrl: far }, null],
    [
      { ...emptyForm(stored), baseUrl: far, priority: '5' },
      { ...stored, baseUrl: far },
    ],
  ] as const) {
    const outcome = readForm(form, provider, new Set())
    expect(outcome.ok && outcome.put.allowInsecureHttp).toBeUndefined()
  }
})
