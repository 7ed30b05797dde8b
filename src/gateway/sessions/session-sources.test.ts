import { expect, test } from 'vitest'
import { readSession, readTag } from './live-sessions.ts'

const ID = '0199a5c4-77aa-7f21-9d3e-5b1f0c2d4e6a'

function read({ headers = {}, body = {}, clientName = '' }: Partial<Parameters<typeof readSession>[0]>) {
  const found = readSession({ headers, body, clientName })
  return found && [found.source, found.value, found.persistsAcrossRuns]
}

const named: [string, string, Parameters<typeof read>[0]][] = [
  ['header', 'nightly build 7', { headers: { 'x-tollgate-session': 'nightly build 7' } }],
  ['claude-code', ID, { headers: { 'x-claude-code-session-id': ID } }],
  [
    'claude-code',
    ID,
    {
      body: { metadata: { user_id: `user_${'a'.repeat(64)}_account_${crypto.randomUUID()}_session_${ID}` } },
    },
  ],
  [
    'claude-code',
    ID,
    {
      body: {
        metadata: {
          user_id: JSON.stringify({ device_id: 'd', account_uuid: crypto.randomUUID(), session_id: ID }),
        },
      },
    },
  ],
  ['codex', ID, { clientName: 'Codex', headers: { session_id: ID, conversation_id: 'other' } }],
  ['codex', ID, { clientName: 'Codex', headers: { 'session-id': ID, 'thread-id': 'other' } }],
  ['codex', ID, { clientName: 'Codex', body: { prompt_cache_key: ID } }],
  ['codex', 'my key', { clientName: 'Codex', body: { prompt_cache_key: 'my key' } }],
  ['opencode', 'ses_1', { headers: { 'x-opencode-session': 'ses_1' } }],
  ['opencode', 'ses_1', { clientName: 'opencode', headers: { 'x-session-affinity': 'ses_1' } }],
  [
    'opencode',
    'ses_1',
    { clientName: 'opencode', headers: { 'x-opencode-session': 'ses_2', 'x-parent-session-id': 'ses_1' } },
  ],
  ['header', 'ses_1', { headers: { 'x-session-id': 'ses_2', 'x-parent-session-id': 'ses_1' } }],
  ['header', 'ses_1', { headers: { 'x-session-affinity': 'ses_1' } }],
  ['header', ID, { headers: { session_id: ID } }],
  ['metadata', ID, { body: { metadata: { session_id: ID } } }],
  ['metadata', 'c-1', { body: { metadata: { conversation_id: 'c-1' } } }],
  ['metadata', ID, { body: { prompt_cache_key: ID } }],
]

test.each(named)('%s: %s', (source, value, sent) => {
  expect(read(sent)).toEqual([source, value, false])
})

test('the first place in the table counts, and Tollgate’s own header before all', () => {
  const headers = { session_id: 'a', 'x-claude-code-session-id': 'b' }
  expect(read({ headers })).toEqual(['claude-code', 'b', false])
  expect(read({ headers: { ...headers, 'x-tollgate-session': 'c' } })).toEqual(['header', 'c', false])
})

test('"user" is a session only if it says so, and one that a pause ends', () => {
  expect(read({ body: { user: 'session-4711' } })).toEqual(['user', 'session-4711', true])
  for (const user of ['ada@example.com', ID, 'user-123', 'session', 42])
    expect(read({ body: { user } })).toBeNull()
})

test('what could be constant or identify a person is no session', () => {
  for (const body of [
    { prompt_cache_key: 'my-app' },
    { metadata: { user_id: 'ada' } },
    { metadata: { user_id: '{"session_id":' } },
    { metadata: { user_id: 'user_1_account__session_' } },
    { metadata: null, session_id: 5 },
  ])
    expect(read({ body })).toBeNull()
})

test('an unusable id of a client is skipped; one in our own header is refused', () => {
  expect(read({ headers: { session_id: 'x'.repeat(201), 'thread-id': 't' } })).toEqual(['header', 't', false])
  expect(read({ headers: { 'x-tollgate-session': '' } })).toBeNull()
  for (const value of ['x'.repeat(201), 'a\u0007b', 'a\u202eb'])
    expect(() => read({ headers: { 'x-tollgate-session': Buffer.from(value).toString('latin1') } })).toThrow(
      /X-Tollgate-Session.*200/,
    )
})

test('a tag is text of at most 100 characters', () => {
  expect(readTag({})).toBeNull()
  expect(readTag({ 'x-tollgate-tag': Buffer.from('Büro 👩‍💻').toString('latin1') })).toBe('Büro 👩‍💻')
  expect(() => readTag({ 'x-tollgate-tag': 'x'.repeat(101) })).toThrow(/X-Tollgate-Tag.*100/)
})

// A pattern that tries each place would take longer than a test may.
test('a value of any length is read', () => {
  expect(read({ body: { metadata: { user_id: `${'_session_'.repeat(60_000)}!` } } })).toBeNull()
})
