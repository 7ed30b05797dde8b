import { describe, expect, it } from 'vitest'
import { clientError } from './answers.ts'
import { Breakers } from './breaker.ts'
import { type FailureDetail, UpstreamFailure } from './failure.ts'
import { redact } from './redact.ts'
import { nextStep } from './retry.ts'
import { readRetryAfter } from './retry-after.ts'

function failure(detail: Partial<FailureDetail>): UpstreamFailure {
  return new UpstreamFailure({ kind: 'status', message: 'm', ...detail })
}

describe('nextStep', () => {
  const step = (detail: Partial<FailureDetail>, tries = 1) => nextStep(failure(detail), tries, () => 0.5)

  it.each<[string, Partial<FailureDetail>]>([
    ['a broken connection', { kind: 'network' }],
    ['silence', { kind: 'timeout' }],
    ['a malformed answer', { kind: 'malformed' }],
    ...[408, 409, 429, 500, 502, 503, 504, 529].map((status): [string, object] => [
      `status ${status}`,
      { status },
    ]),
  ])('tries again after %s, twice, then elsewhere', (_, detail) => {
    expect(step(detail, 1)).toEqual({ step: 'retry', delayMs: 750 })
    expect(step(detail, 2)).toEqual({ step: 'retry', delayMs: 1250 })
    expect(step(detail, 3)).toEqual({ step: 'failover' })
  })

  it.each<[string, Partial<FailureDetail>]>([
    ['a credential that is missing', { kind: 'credential' }],
    ...[401, 402, 403, 307, 405].map((status): [string, object] => [`status ${status}`, { status }]),
    ['an empty account', { status: 429, code: 'insufficient_quota' }],
    ['an enforced spend limit', { status: 429, code: 'enforced_spend_limit_reached' }],
    ['an error without a status', { status: null }],
  ])('goes elsewhere at once after %s', (_, detail) => {
    expect(step(detail)).toEqual({ step: 'failover' })
  })

  it.each<[string, Partial<FailureDetail>]>([
    ['an abort', { kind: 'aborted' }],
    ...[400, 404, 413, 422].map((status): [string, object] => [`status ${status}`, { status }]),
  ])('stops after %s', (_, detail) => {
    expect(step(detail)).toEqual({ step: 'stop' })
  })

  it('keeps to a Retry-After of up to 10 s, and waits for no longer one', () => {
    expect(step({ status: 429, retryAfterMs: 10_000 })).toEqual({ step: 'retry', delayMs: 10_000 })
    expect(step({ status: 503, retryAfterMs: 0 })).toEqual({ step: 'retry', delayMs: 0 })
    expect(step({ status: 429, retryAfterMs: 10_001 })).toEqual({ step: 'failover' })
  })
})

describe('readRetryAfter', () => {
  const now = Date.parse('2026-11-01T12:00:00Z')
  it.each([
    [{ 'retry-after': '3' }, 3000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after': 'Sun, 01 Nov 2026 12:00:05 GMT' }, 5000],
    [{ 'retry-after': 'Sun, 01 Nov 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': '-1' }, null],
    [{ 'retry-after': '99999999999' }, 86_400_000],
    [{}, null],
  ])('%j is %s ms', (headers, expected) => {
    expect(readRetryAfter(headers, now)).toBe(expected)
  })
})

describe('clientError', () => {
  it.each<[Partial<FailureDetail>, object]>([
    [{ kind: 'timeout' }, { status: 408, type: 'upstream_error' }],
    [
      { status: 400, code: 'c', param: 'p' },
      { status: 400, type: 'invalid_request_error', code: 'c', param: 'p', message: 'm' },
    ],
    [{ status: 404 }, { status: 400, type: 'invalid_request_error' }],
    [{ status: 413 }, { status: 400, type: 'invalid_request_error' }],
    [{ status: 422 }, { status: 400, type: 'invalid_request_error' }],
    [{ status: 401 }, { status: 502, type: 'upstream_error', code: 'upstream_credential' }],
    [{ status: 402 }, { status: 502, code: 'upstream_credential' }],
    [
      { status: 403, code: 'x' },
      { status: 502, code: 'upstream_credential' },
    ],
    [{ kind: 'credential' }, { status: 502, code: 'upstream_credential' }],
    [
      { kind: 'credential', code: 'credentials_unavailable' },
      { status: 503, code: 'credentials_unavailable' },
    ],
    [{ status: 408 }, { status: 408, type: 'upstream_error' }],
    [
      { status: 429, retryAfterMs: 1200 },
      { status: 503, type: 'upstream_error', retryAfterSeconds: 2 },
    ],
    [{ status: 429 }, { status: 503 }],
    [{ status: 500 }, { status: 502 }],
    [{ status: 502 }, { status: 502 }],
    [{ status: 503 }, { status: 503 }],
    [{ status: 529 }, { status: 503 }],
    [{ status: 504 }, { status: 504 }],
    [{ status: 307 }, { status: 502 }],
    [{ status: null }, { status: 502 }],
    [{ kind: 'network' }, { status: 502, type: 'upstream_error' }],
    [{ kind: 'malformed' }, { status: 502, type: 'upstream_error' }],
  ])('%j becomes %j', (detail, expected) => {
    expect(clientError(failure(detail))).toMatchObject(expected)
  })
})

describe('Breakers', () => {
  function setUp() {
    let time = 1000
    const changes: string[] = []
    const breakers = new Breakers({ now: () => time + 1_000_000, monotonic: () => time }, (id) =>
      changes.push(id),
    )
    const fail = (times: number) => {
      for (let n = 0; n < times; n += 1) breakers.failed('acme', 'broken')
    }
    const pass = (ms: number) => {
      time += ms
    }
    return { breakers, changes, fail, pass }
  }

  it('rests a provider after 5 failures in a row, for 30 s', () => {
    const { breakers, changes, fail, pass } = setUp()
    fail(4)
    breakers.succeeded('acme')
    fail(4)
    expect(breakers.state('acme')).toEqual({ state: 'ready', until: null, lastError: 'broken' })
    fail(1)
    expect(breakers.isReady('acme')).toBe(false)
    expect(breakers.state('acme')).toEqual({ state: 'resting', until: 1_031_000, lastError: 'broken' })
    pass(30_000)
    expect(breakers.isReady('acme')).toBe(true)
    expect(changes).toEqual(['acme'])
  })

  it('lets one probe through, rests twice as long after a failed one, at most 5 minutes', () => {
    const { breakers, fail, pass } = setUp()
    fail(5)
    for (const rest of [30_000, 60_000, 120_000, 240_000, 300_000, 300_000]) {
      pass(rest - 1)
      expect(breakers.isReady('acme')).toBe(false)
      pass(1)
      expect(breakers.isReady('acme')).toBe(true)
      breakers.calling('acme')
      expect(breakers.isReady('acme')).toBe(false)
      fail(1)
    }
  })

  it('is ready after a good probe, and forgets how long it rested', () => {
    const { breakers, fail, pass } = setUp()
    fail(5)
    pass(30_000)
    breakers.calling('acme')
    breakers.succeeded('acme')
    expect(breakers.state('acme')).toEqual({ state: 'ready', until: null, lastError: null })
  })

  it('lets the next one probe when a probe says nothing', () => {
    const { breakers, fail, pass } = setUp()
    fail(5)
    pass(30_000)
    breakers.calling('acme')
    breakers.released('acme')
    expect(breakers.isReady('acme')).toBe(true)
  })

  it('does not lengthen a rest for calls that were made in spite of it', () => {
    const { breakers, fail, pass } = setUp()
    fail(5)
    pass(10_000)
    fail(3)
    pass(20_000)
    expect(breakers.isReady('acme')).toBe(true)
  })
})

describe('redact', () => {
  const secrets = {
    credential: 'canary/secret+4711',
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

  it('leaves other words and links alone', () => {
    const text = 'See https://platform.example.com/docs: max_tokens must be at most 4096, not 1.2.3'
    expect(clean(text)).toBe(text)
  })

  it('takes control characters out and keeps to 1,000 characters', () => {
    expect(clean('a\u0000b\r\n\u001b[31mc')).toBe('a b [31mc')
    expect(clean('x'.repeat(5000))).toHaveLength(1000)
  })

  it('hides a credential however much text is around it', () => {
    const text = clean(`${'k-'.repeat(40_000)}${secrets.credential}`)
    expect(text).not.toContain('canary')
  })

  it('is quick with hostile texts', () => {
    const startedAt = performance.now()
    for (const piece of ['sk-', 'a://', 'Bearer ', '1.1.1.', 'key=', '"key": ', 'api-key-', '----'])
      clean(piece.repeat(200_000))
    expect(performance.now() - startedAt).toBeLessThan(2000)
  })
})
