// A client that is generated from the OpenAPI document, by a generator that takes seconds to load.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { generateApi } from 'swagger-typescript-api'
import { expect, test } from 'vitest'
import { tempDirForFile } from '../gateway/testing/temp-dir.ts'
import { shareProgram } from './testing/program.ts'

const tollgate = await shareProgram()

const run = promisify(execFile)
const require = createRequire(import.meta.url)
const TSC = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc')
const directory = tempDirForFile()

/** The code of a user of the generated client. Its types are checked before it runs. */
const PROGRAM = `

import { Api, type ApiKey, type ChatCompletion, type RequestRecord } from './client.js'
const [baseUrl, secret] = process.argv.slice(2)

const clientWith = (key = '') =>
  new Api({ baseUrl: baseUrl ?? '', securityWorker: () => ({ headers: { authorization: 'Bearer ' + key } }) })

const admin = clientWith(secret)
const { data: key } = await admin.apiKeys.createKey({ name: 'generated', scope: 'full', spendLimitUsd: 1, allowedModels: ['sandbox-*'] })
const client = clientWith(key.secret)
const { data: models } = await client.models.listModels()

const { data: completion } = await client.chatCompletions.createChatCompletion({
  model: 'sandbox-small',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
})

const text: string | null = (completion satisfies ChatCompletion).choices[0]?.message.content ?? null
const { data: requests } = await client.requests.listRequests({ key: key.id, limit: 5 })
const { data: keys } = await admin.apiKeys.listKeys()
const own: ApiKey | undefined = keys.data.find(({ id }) => id === key.id)
const { data: settings } = await admin.settings.updateSettings({ retentionDays: 30 })
const refused = await client.apiKeys.listKeys().catch((response: { error: { error: { type: string } } }) => response)
const records: RequestRecord[] = requests.data

console.log(
  JSON.stringify({
    models: models.data.map(({ id }) => id),
    text,
    records: records.map(({ id, model, costStatus }) => ({ id, model, costStatus })),
    completion: completion.id,
    spent: (own?.spendUsd ?? 0) > 0,
    retentionDays: settings.retentionDays,
    refused: 'error' in refused ? refused.error?.error.type : null,
  }),
)

`

test('a TypeScript client that is generated from the OpenAPI document has types and works', async () => {
  const { files } = await generateApi({
    spec: (await tollgate.call('GET', '/openapi.json')).json,
    fileName: 'client.ts',
    output: false,
    silent: true,
    generateUnionEnums: true,
    moduleNameFirstTag: true,
  })
  const client = files[0]?.fileContent ?? ''
  expect(
    client.match(/^export interface (ApiKey|ChatCompletionRequest|Provider|ModelRecord) /gm),
  ).toHaveLength(4)
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(directory, 'client.ts'), client)
  writeFileSync(join(directory, 'program.ts'), `declare const process: { argv: string[] }\n${PROGRAM}`)
  await run(process.execPath, [TSC, ...COMPILER_OPTIONS, 'program.ts'], {
    cwd: directory,
  }).catch(({ stdout }) => expect(stdout).toBe(''))

  const { stdout } = await run(
    process.execPath,
    ['program.js', new URL(tollgate.baseUrl).origin, tollgate.admin],
    {
      cwd: directory,
    },
  )
  const result = JSON.parse(stdout)
  expect(result).toEqual({
    models: ['sandbox-large', 'sandbox-small'],
    text: expect.stringMatching(/./),
    records: [{ id: result.completion, model: 'sandbox-small', costStatus: 'exact' }],
    completion: expect.any(String),
    spent: true,
    retentionDays: 30,
    refused: 'permission_error',
  })
})

const COMPILER_OPTIONS = [
  ...['--strict', '--noUncheckedIndexedAccess'],
  ...['--target', 'es2024', '--lib', 'es2024,dom,dom.iterable', '--module', 'nodenext', '--types', ''],
]
