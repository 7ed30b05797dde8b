import { describe, expect, it } from 'vitest'
import { listSecrets, redact } from './redact.ts'

describe('redact', () => {
  const secrets = {
    values: ['canary/secret+4711', 'Team-Pass 99'],
    baseUrl: 'https://api.acme.example:8443/v1',
    providerId: 'acme',
  }
  const clean = (text: string): string => redact(text, secrets)

  it.each([
    ['as it is', 'canary/secret+4711'],
    ['URL-encoded', encodeURIComponent('canary/secret+4711')],
    ['in base64', Buffer.from('canary/secret+4711').toString('base64')],
    ['in base64url', Buffer.from('canary/secret+4711').toString('base64url')],
  ])('hides the credential %s', (_, form) => {
    const text = clean(`before ${form} after`)
    expect(text).not.toContain(form)
    expect(text).toMatch(/^before .* after$/)
  })

  it('hides the values of configured headers', () => {
    expect(clean('your X-Team-Pass "Team-Pass 99" is not known')).not.toContain('Team-Pass 99')
  })

  it.each([
    'Incorrect key sk-proj-abc123***xyz given',
    'tg-0123456789abcdefghij was here',
    'Authorization: Bearer abcdef.ghijkl',
    'authorization="Basic YTpi"',
    'x-api-key: hunter2hunter2',
    '{"api_key":"hunter2hunter2"}',
    'https://other.example/v1?key=hunter2hunter2&x=1',
    'AIzaSyA-1234567890abcdef',
    'gsk_1234567890abcdef',
    'Bearer hunter2hunter2',
  ])('hides the key in: %s', (text) => {
    expect(clean(text)).not.toMatch(/abc123|0123456789|abcdef\.|YTpi|hunter2|1234567890/)
    expect(clean(text)).toContain('[redacted]')
  })

  it.each([
    ['POST https://api.acme.example:8443/v1/chat failed', 'POST acme failed'],
    ['no route to api.acme.example:8443', 'no route to acme'],
    ['no route to api.acme.example', 'no route to acme'],
    ['connect http://10.1.2.3:9000/x and http://model-runner:80/y', 'connect acme and acme'],
    ['dial 192.168.1.9:443 or http://a.b.svc.cluster.local/x', 'dial acme or acme'],
  ])('names the provider instead of its address: %s', (text, expected) => {
    expect(clean(text)).toBe(expected)
  })

  it('does not change other words and links', () => {
    const text = 'See https://platform.example.com/docs: max_tokens must be at most 4096, not 1.2.3'
    expect(clean(text)).toBe(text)
  })

  it('removes invisible characters', () => {
    expect(clean('\ufeffa\u202eb\u202c\u200b\u2066c')).toBe('a b c')
  })

  it('removes control characters and truncates to 1,000 characters', () => {
    expect(clean('a\u0000b\r\n\u001b[31mc')).toBe('a b [31mc')
    expect(clean('x'.repeat(5000))).toHaveLength(1000)
  })

  it('hides a credential in text of any length', () => {
    const text = clean(`${'k-'.repeat(40_000)}${secrets.values[0]}`)
    expect(text).not.toContain('canary')
  })

  it('hides the secrets of clouds: access keys and their parts, access tokens, private keys', () => {
    const credential = 'AKIDEXAMPLEAKIDEXAMP:wJalrXUtnFEMI/K7MDENG+bPxRfi:IQoJb3JpZ2luX2VjEXAMPLE'
    const target = { baseUrl: 'https://api.acme.example', providerId: 'acme', headers: {} }
    const parts = credential.split(':')
    const hidden = redact(`Refused ${parts.join(' and ')}.`, listSecrets(target, credential))
    expect(hidden).toBe('Refused [redacted] and [redacted] and [redacted].')
    expect(clean('Who is ASIAEXAMPLEEXAMPLE1?')).toBe('Who is [redacted]?')
    expect(clean('Got ya29.a0AfH6SMC_x-y for it')).toBe('Got [redacted] for it')
    const pem = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----'
    expect(clean(`Sent ${pem}`)).not.toContain('MIIE')
  })

  // A pattern that looks at each text again from each of its places would take longer than a test may.
  it('takes hostile texts', () => {
    for (const piece of [
      'sk-',
      'a://',
      'Bearer ',
      '1.1.1.',
      'key=',
      '"key": ',
      'api-key-',
      '----',
      '-----BEGIN ',
    ])
      clean(piece.repeat(200_000))
  })
})
