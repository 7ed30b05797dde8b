import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { knownProviders } from '../gateway/compose/start-gateway.ts'
import { tempDirForFile } from '../gateway/testing/temp-dir.ts'
import { envCredentials, readSecretFiles, vendorOrigins } from './provider-secrets.ts'

const dir = tempDirForFile()
function secretFile(name: string, content: string): string {
  writeFileSync(join(dir, name), content)
  return join(dir, name)
}

test('a credential is read from the file that a variable with _FILE names', async () => {
  const store = envCredentials(
    readSecretFiles({
      OPENAI_API_KEY_FILE: secretFile('openai', 'sk-from-file\n'),
      TOLLGATE_CREDENTIAL_MY_SERVER_FILE: secretFile('mine', '{ "two":\n "lines" }'),
      GROQ_API_KEY: 'from-environment',
      GOOGLE_API_KEY_FILE: secretFile('google', 'of-gemini'),
      LOG_FILE: '/does/not/exist',
      // The variable of another program.
      SONARR_API_KEY_FILE: '/does/not/exist',
    }),
  )
  expect(await store.get('openai')).toBe('sk-from-file')
  expect(await store.get('my-server')).toBe('{ "two":\n "lines" }')
  expect(await store.get('groq')).toBe('from-environment')
  expect(await store.get('gemini')).toBe('of-gemini')
})

test.each([
  [
    'is missing',
    { OPENAI_API_KEY_FILE: '/does/not/exist' },
    /OPENAI_API_KEY_FILE names cannot be read: ENOENT/,
  ],
  ['is empty', { OPENAI_API_KEY_FILE: secretFile('empty', ' \n') }, /OPENAI_API_KEY_FILE names is empty/],
  [
    'has a rival',
    { OPENAI_API_KEY_FILE: secretFile('one', 'a'), OPENAI_API_KEY: 'b' },
    /OPENAI_API_KEY and OPENAI_API_KEY_FILE are both set/,
  ],
])('a file that %s is an error, which names the variable', (_, env, message) => {
  expect(() => readSecretFiles(env)).toThrow(message)
})

test('the pages on which users create credentials may be opened', () => {
  const pages = knownProviders.flatMap(({ consoleUrl }) => consoleUrl ?? [])
  expect(pages.length).toBeGreaterThan(5)
  expect(pages.filter((page) => !vendorOrigins.includes(new URL(page).origin))).toEqual([])
  expect(vendorOrigins.filter((origin) => !origin.startsWith('https://'))).toEqual([])
})
