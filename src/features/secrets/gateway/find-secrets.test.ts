import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findPosition, findSecrets, listFiles } from './find-secrets.ts'
import { computeChecksum, SECRET_BLOCKS, SECRET_FORMS, type SecretForm } from './forms.ts'

const AWS_SECRET = `${'aB3/'.repeat(9)}xY9+`

/** Secrets of the form, with their checksums. */
function createSecrets({ kind, pattern }: SecretForm, numRuns = 20): string[] {
  const whole = pattern.source.replace(/\(\?:\\\\\+.*(?=\[A-Z)|\(\?![^)]*\)$/g, '')
  // It draws some characters so often that a few of its secrets look like placeholders.
  const secrets = fc.stringMatching(new RegExp(`^${whole}$`)).filter((secret) => new Set(secret).size > 12)
  return fc.sample(secrets, { numRuns, seed: 1 }).map((secret) => {
    if (/^(?:gh[pousr]_|npm_)\w{36}$/.test(secret))
      return secret.slice(0, -6) + computeChecksum(secret.slice(4, -6))
    if (secret.startsWith('gl') && secret.includes('.'))
      return secret.slice(0, -7) + crc32(secret.slice(0, -7)).toString(36).padStart(7, '0')
    if (kind === 'private key') return secret.replace('KEY-----', 'KEY-----\n')
    return kind === 'AWS access key' ? `${secret}\nAWS_SECRET_ACCESS_KEY=${AWS_SECRET}` : secret
  })
}

const find = (text: string) => findSecrets(Buffer.from(text))
const kinds = (text: string) => find(text).map(({ kind }) => kind)

/** How clients, agents and terminals write a secret: in JSON, in JSON within JSON, in addresses, with colors. */
const CONTEXTS: Readonly<Record<string, (secret: string) => string>> = {
  text: (secret) => `Use ${secret} for it.`,
  'a message': (secret) => JSON.stringify({ messages: [{ content: `token:\n${secret}\n` }] }),
  'the arguments of a tool': (secret) =>
    JSON.stringify({ arguments: JSON.stringify({ command: `cat .env\n${secret}\ttrue` }) }),
  'a file of settings': (secret) => `A=1\nTOKEN="${secret}"\n`,
  'an address': (secret) => `https://x-access-token:${secret}@example.com/a.git?q=%3D${secret}`,
  'colored output': (secret) => JSON.stringify(`\u001b[1;32m${secret}\u001b[0m`),
}

test.each([...SECRET_FORMS, ...SECRET_BLOCKS].map((form) => [form.kind, form] as const))(
  'a %s is found wherever it is written',
  (kind, form) => {
    for (const secret of createSecrets(form))
      for (const [name, write] of Object.entries(CONTEXTS))
        expect([secret, name, kinds(write(secret))]).toEqual([secret, name, [kind]])
  },
)

test('a checksum that is wrong, a placeholder and an example are no secrets', () => {
  const secrets = [
    `ghp_${'a1B2c3'.repeat(6)}`,
    `npm_${'Zz9Yy8'.repeat(6)}`,
    `sk_live_${'x'.repeat(24)}`,
    `sk-or-v1-${'0'.repeat(64)}`,
    `AKIAIOSFODNN7EXAMPLE ${AWS_SECRET}`,
    // Without its secret, an id is none; a checksum of Git is no secret of AWS.
    `AKIAIOSFODNN7ABCDEFG ${'0123456789abcdef'.repeat(3).slice(0, 40)}`,
    '-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----',
    "const HEADER = '-----BEGIN RSA PRIVATE KEY-----'",
    `-----BEGIN ENCRYPTED PRIVATE KEY-----\n${'MIIFHzBJBgkqhkiG9w0BBQ'.repeat(3)}`,
    `-----BEGIN CERTIFICATE-----\n${'MIIFHzBJBgkqhkiG9w0BBQ'.repeat(3)}`,
  ]
  for (const secret of secrets) expect([secret, kinds(secret)]).toEqual([secret, []])
})

test('a secret is part of no longer word, and is found once', () => {
  const [secret] = SECRET_FORMS.filter(({ kind }) => kind === 'SendGrid key').flatMap((form) =>
    createSecrets(form, 1),
  )
  expect(kinds(`x${secret} ${secret}x`)).toEqual([])
  expect(kinds(`${secret} ${secret}`)).toHaveLength(1)
})

test('the position is the last member that has it, in the terms of the client', () => {
  const value = `npm_${'a1B2c3'.repeat(6)}`
  const position = (json: object) =>
    findPosition(JSON.parse(JSON.stringify(json)), { kind: 'npm token', value })
  const messages = [
    { content: value },
    { content: [{ type: 'tool_result', content: [{ text: `${value}\n` }] }] },
    {},
  ]
  expect(position({ system: 'Hi', messages })).toBe('messages[1]')
  expect(position({ system: [{ text: value }] })).toBe('system[0]')
  expect(position({ instructions: value, input: 'Hi' })).toBe('instructions')
  expect(position({ input: 'Hi' })).toBeNull()
  const json = { messages: [{ content: `-----BEGIN RSA PRIVATE KEY-----\n${'aB3/'.repeat(16)}\n` }] }
  const [key] = find(JSON.stringify(json))
  expect(key && findPosition(json, key)).toBe('messages[0]')
})

test('texts in files are read, and no images', () => {
  const encode = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64')
  const json = {
    contents: [
      {
        parts: [{ inlineData: { mimeType: 'text/plain', data: encode('KEY=ä value that is long enough') } }],
      },
    ],
    messages: [
      {
        content: [
          { type: 'file', file: { file_data: `data:text/csv;base64,${encode('a,b,c\n1,2,3\n'.repeat(9))}` } },
        ],
      },
      { content: [{ type: 'image', source: { data: encode(new Uint8Array(300).map((_, at) => at * 7)) } }] },
      { content: 'data: Hi' },
    ],
  }
  expect([...listFiles(json)].map(({ position }) => position)).toEqual(['contents[0]', 'messages[0]'])
})
