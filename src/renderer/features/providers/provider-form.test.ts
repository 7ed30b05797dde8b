import { expect, it } from 'vitest'
import type { ProviderRecord } from '../../../shared/api/providers.ts'
import { providerRow } from '../../testing/rows.ts'
import { createProviderForm, deriveId, type ProviderDraft, toProviderDraft, toPut } from './provider-form.ts'

const stored = providerRow('my-server', { name: 'My Server', baseUrl: 'http://127.0.0.1:8080/v1' })
const custom = { ...toProviderDraft(null), name: 'My Server', baseUrl: 'http://127.0.0.1:8080/v1/' }

function validate(draft: ProviderDraft, provider: ProviderRecord | null) {
  const circumstances = { provider, taken: new Set<string>() }
  const parsed = createProviderForm(circumstances).safeParse(draft)
  if (parsed.success) return { ok: true as const, ...toPut(parsed.data, circumstances) }
  const errors = parsed.error.issues.map(({ path, message }) => [path.join('.'), message])
  return { ok: false as const, errors: Object.fromEntries(errors) as Record<string, string> }
}

it('derives an unused id from the name', () => {
  expect(deriveId('My Server!', new Set())).toBe('my-server')
  expect(deriveId('My Server', new Set(['my-server', 'my-server-2']))).toBe('my-server-3')
  expect(deriveId('…', new Set())).toBeNull()
})

it('sends a custom server as OpenAI-compatible, without trailing slash or blank credential', () => {
  expect(validate(custom, null)).toEqual({
    ok: true,
    id: 'my-server',
    put: { apiFormat: 'openai-chat', name: 'My Server', baseUrl: 'http://127.0.0.1:8080/v1', enabled: true },
  })
})

it('sends the format of a custom server if the user has chosen another', () => {
  const form = { ...custom, apiFormat: 'openai-responses' as const }
  expect(validate(form, null)).toMatchObject({ put: { apiFormat: 'openai-responses' } })
  const changed = validate(form, stored)
  expect(changed.ok && changed.put.apiFormat).toBe('openai-responses')
  const same = validate(toProviderDraft(stored), stored)
  expect(same.ok && 'apiFormat' in same.put).toBe(false)
})

it('reports the invalid fields', () => {
  const outcome = validate({ ...custom, name: '', baseUrl: 'ftp://x' }, null)
  expect(outcome.ok ? [] : Object.keys(outcome.errors)).toEqual(['name', 'baseUrl'])
})

it('trims the credential', () => {
  const outcome = validate({ ...custom, credential: ' sk-1\n' }, null)
  expect(outcome.ok && outcome.put.credential).toBe('sk-1')
})

it('sends several credentials together, without blank ones', () => {
  const outcome = validate({ ...custom, credential: 'sk-1', more: ['', ' sk-2 '] }, null)
  expect(outcome.ok && outcome.put).toMatchObject({ credentials: ['sk-1', 'sk-2'] })
  expect(outcome.ok && 'credential' in outcome.put).toBe(false)
})

it('does not replace the stored credential when another one is added', () => {
  const form = { ...custom, more: ['sk-2'] }
  const outcome = validate(form, stored)
  expect(outcome.ok ? [] : Object.keys(outcome.errors)).toEqual(['credential'])
  expect(validate({ ...form, credential: 'sk-1' }, stored).ok).toBe(true)
})

it('requires consent to send a credential unencrypted beyond the local network', () => {
  const far = { ...custom, baseUrl: 'http://llm.example.com/v1', credential: 'sk-1' }
  const refused = validate(far, null)
  expect(refused.ok ? [] : Object.keys(refused.errors)).toEqual(['allowInsecureHttp'])
  const allowed = validate({ ...far, allowInsecureHttp: true }, null)
  expect(allowed.ok && allowed.put.allowInsecureHttp).toBe(true)
})

it('requires no consent for https, the local network, no credential, or an unrelated change', () => {
  const secure = { ...custom, credential: 'sk-1' }
  const far = 'http://llm.example.com/v1'
  for (const [form, provider] of [
    [{ ...secure, baseUrl: 'https://llm.example.com/v1' }, null],
    [{ ...secure, baseUrl: 'http://gpu-box:8000/v1' }, null],
    [{ ...custom, baseUrl: far }, null],
    [
      { ...toProviderDraft(stored), baseUrl: far },
      { ...stored, baseUrl: far },
    ],
  ] as const) {
    const outcome = validate(form, provider)
    expect(outcome.ok && outcome.put.allowInsecureHttp).toBeUndefined()
  }
})

const bedrock = {
  ...stored,
  id: 'bedrock',
  name: 'Amazon Bedrock',
  baseUrl: null,
  configured: false,
  hasCredential: false,
  credentialCount: 0,
  authorizations: ['bearer' as const, 'aws-login' as const],
  address: {
    template: 'https://bedrock-runtime.{region}.amazonaws.com',
    fields: [{ name: 'region', label: 'Region', hint: 'The region.', example: 'us-east-1' }],
  },
}

it('makes the base URL of the fields of the address', () => {
  const form = { ...toProviderDraft(bedrock), address: { region: ' eu-central-1 ' }, credential: 'key' }
  const outcome = validate(form, bedrock)
  expect(outcome.ok && outcome.put).toEqual({
    baseUrl: 'https://bedrock-runtime.eu-central-1.amazonaws.com',
    credential: 'key',
    enabled: true,
  })
})

it('reports a field of the address that is empty or more than a name', () => {
  for (const region of ['', 'https://x.example/', 'a/b', 'evil.com#']) {
    const form = { ...toProviderDraft(bedrock), address: { region }, credential: 'key' }
    const outcome = validate(form, bedrock)
    expect(outcome.ok ? null : outcome.errors['address.region']).toMatch(/such as us-east-1/)
  }
})

it('sends no credential with the login of this computer', () => {
  const form = { ...toProviderDraft(bedrock), address: { region: 'us-east-1' }, credential: 'typed before' }
  const outcome = validate({ ...form, authorization: 'aws-login' }, bedrock)
  expect(outcome.ok && outcome.put).toEqual({
    baseUrl: 'https://bedrock-runtime.us-east-1.amazonaws.com',
    authorization: 'aws-login',
    enabled: true,
  })
  const without = validate({ ...form, credential: '' }, bedrock)
  expect(without.ok ? [] : Object.keys(without.errors)).toEqual(['credential'])
})

it('the network is sent only when it was changed', () => {
  const form = toProviderDraft({ ...stored, network: 'system' })
  const getPut = (network: ProviderDraft['network']) => {
    const result = validate({ ...form, network }, { ...stored, network: 'system' })
    return result.ok ? result.put : null
  }
  expect(getPut('system')).not.toHaveProperty('network')
  expect(getPut('settings')).toHaveProperty('network', null)
  expect(getPut('direct')).toHaveProperty('network', 'direct')
})

it.each([
  ['promptCache', true],
  ['spreadSessions', false],
] as const)('%s is sent only when it was changed', (name, before) => {
  const form = toProviderDraft(stored)
  const getPut = (value: boolean) => {
    const result = validate({ ...form, [name]: value }, stored)
    return result.ok ? result.put : null
  }
  expect(getPut(before)).not.toHaveProperty(name)
  expect(getPut(!before)).toHaveProperty(name, !before)
})
