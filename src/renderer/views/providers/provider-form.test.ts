import { expect, it } from 'vitest'
import { emptyForm, idFromName, readForm } from './provider-form.ts'

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
    put: { wire: 'openai', name: 'My Server', baseUrl: 'http://127.0.0.1:8080/v1', enabled: true },
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
