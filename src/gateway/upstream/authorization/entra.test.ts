import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { forTest } from '../../testing/lifetime.ts'
import { tempDirForTest } from '../../testing/temp-dir.ts'
import { PoolTo } from '../testing/pool-to.ts'
import { startTestUpstream, type TestHandler } from '../testing/test-upstream.ts'
import { authorizationMethods } from './method-table.ts'

const TENANT = '11111111-2222-3333-4444-555555555555'
const CLIENT = '66666666-7777-8888-9999-000000000000'
const SECRET = 'a~Secret.Value_of-40.characters'
const address = 'https://my-resource.openai.azure.com/openai/v1/chat/completions'
const request = { method: 'POST' as const, url: address, headers: {}, body: '{}' }

let folder = ''
beforeEach(() => {
  folder = tempDirForTest()
  // No login of the machine that runs the tests, and no Azure CLI but that of a test.
  vi.stubEnv('PATH', `relative:${folder}`)
  for (const name of ['TENANT_ID', 'CLIENT_ID', 'CLIENT_SECRET', 'FEDERATED_TOKEN_FILE', 'AUTHORITY_HOST'])
    vi.stubEnv(`AZURE_${name}`, undefined)
  vi.stubEnv('IDENTITY_ENDPOINT', undefined)
  vi.stubEnv('IDENTITY_HEADER', undefined)
})
afterEach(() => {
  vi.unstubAllEnvs()
})

const issue: TestHandler = (exchange) =>
  exchange.reply(200, { token_type: 'Bearer', expires_in: 3599, access_token: 'token-1' })

async function startEntra(handler: TestHandler = issue) {
  const server = await forTest(startTestUpstream(handler))
  const pool = await forTest(Promise.resolve(new PoolTo(server.url)))
  const authorize = (
    kind: 'entra-client-secret' | 'azure-login',
    url = address,
    credential: string | null = null,
  ) => Promise.resolve(authorizationMethods[kind]({ ...request, url }, credential, pool))
  return { server, pool, authorize }
}

/** Puts a program named `az` into a folder of the PATH. It notes its folder and arguments, one call a line. */
function installAz(script: string): { calls(): string[] } {
  const log = join(folder, 'calls')
  const program = join(folder, 'az')
  writeFileSync(program, `#!/bin/sh\necho "$(/bin/pwd) $*" >> '${log}'\n${script}\n`)
  chmodSync(program, 0o755)
  return { calls: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []) }
}

const azToken = (token: string, seconds = 3600) =>
  `echo '${JSON.stringify({ accessToken: token, expires_on: Math.floor(Date.now() / 1000) + seconds, tenant: TENANT })}'`

describe('a client secret', () => {
  const credential = `${TENANT}:${CLIENT}:${SECRET}`

  test('is exchanged at its tenant, once for all requests that wait', async () => {
    const { server, pool, authorize } = await startEntra()
    const headers = await Promise.all(
      Array.from({ length: 100 }, () => authorize('entra-client-secret', address, credential)),
    )
    expect(new Set(headers.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer token-1']))
    expect(pool.hosts).toEqual(['login.microsoftonline.com'])
    const [sent] = server.requests
    expect([sent?.method, sent?.path]).toEqual(['POST', `/${TENANT}/oauth2/v2.0/token`])
    expect(Object.fromEntries(new URLSearchParams(sent?.body))).toEqual({
      grant_type: 'client_credentials',
      client_id: CLIENT,
      client_secret: SECRET,
      scope: 'https://cognitiveservices.azure.com/.default',
    })
  })

  test.each([
    [
      'https://my.services.ai.azure.com/openai/v1/x',
      'login.microsoftonline.com',
      'https://ai.azure.com/.default',
    ],
    [
      'https://my.openai.azure.us/openai/v1/x',
      'login.microsoftonline.us',
      'https://cognitiveservices.azure.us/.default',
    ],
    [
      'https://my.openai.azure.cn/openai/v1/x',
      'login.chinacloudapi.cn',
      'https://cognitiveservices.azure.cn/.default',
    ],
  ])('has the audience and the issuer of %s', async (url, host, scope) => {
    const { server, pool, authorize } = await startEntra()
    await authorize('entra-client-secret', url, credential)
    expect(pool.hosts).toEqual([host])
    expect(new URLSearchParams(server.requests[0]?.body).get('scope')).toBe(scope)
  })

  test('that Entra rejects is a failure in its words, without the secret', async () => {
    const { authorize } = await startEntra((exchange) =>
      exchange.reply(401, {
        error: 'invalid_client',
        error_description: `AADSTS7000215: Invalid client secret provided.\r\nTrace ID: 1 Correlation ID: 2`,
      }),
    )
    const failure = await authorize('entra-client-secret', address, credential).catch(
      (error: unknown) => error,
    )
    expect(failure).toMatchObject({
      kind: 'credential',
      message: expect.stringMatching(/\(AADSTS7000215: Invalid client secret provided\)\. Check the tenant/),
    })
    expect(JSON.stringify(failure)).not.toContain(SECRET)
  })

  test('is not sent when the service fails, and the next request asks again', async () => {
    let fails = true
    const { authorize } = await startEntra((exchange) => (fails ? exchange.reply(503, '') : issue(exchange)))
    const first = authorize('entra-client-secret', address, credential)
    await expect(first).rejects.toMatchObject({ message: expect.stringContaining('status 503') })
    fails = false
    await authorize('entra-client-secret', address, credential)
  })
})

test('a token is only sent to Azure', async () => {
  const { pool, authorize } = await startEntra()
  for (const kind of ['azure-login', 'entra-client-secret'] as const) {
    const credential = `${TENANT}:${CLIENT}:${SECRET}`
    const sent = authorize(kind, 'https://openai.azure.com.example.org/openai/v1', credential)
    await expect(sent).rejects.toMatchObject({
      message: expect.stringContaining('only sent to addresses of Azure'),
    })
  }
  expect(pool.hosts).toEqual([])
})

describe('the Azure login of this computer', () => {
  test('is that of the environment', async () => {
    const { server, authorize } = await startEntra()
    vi.stubEnv('AZURE_TENANT_ID', TENANT)
    vi.stubEnv('AZURE_CLIENT_ID', CLIENT)
    vi.stubEnv('AZURE_CLIENT_SECRET', SECRET)
    expect(await authorize('azure-login')).toEqual({ authorization: 'Bearer token-1' })
    expect(server.requests[0]?.body).toContain('client_secret=')
  })

  test('is a workload, whose file is read for every token', async () => {
    let issued = 0
    const { server, pool, authorize } = await startEntra((exchange) =>
      exchange.reply(200, { expires_in: 3599, access_token: `token-${++issued}` }),
    )
    const file = join(folder, 'token')
    vi.stubEnv('AZURE_TENANT_ID', TENANT)
    vi.stubEnv('AZURE_CLIENT_ID', CLIENT)
    vi.stubEnv('AZURE_FEDERATED_TOKEN_FILE', file)
    await expect(authorize('azure-login')).rejects.toMatchObject({
      message: expect.stringContaining('AZURE_FEDERATED_TOKEN_FILE'),
    })
    const assertions: (string | null)[] = []
    for (const text of ['first\n', 'second\n']) {
      writeFileSync(file, text)
      await authorize('azure-login')
      assertions.push(new URLSearchParams(server.requests.at(-1)?.body).get('client_assertion'))
      pool.tokenCaches.drop(`token-${issued}`)
    }
    expect(assertions).toEqual(['first', 'second'])
  })

  test('is the identity of an App Service', async () => {
    const { server, authorize } = await startEntra((exchange) =>
      exchange.reply(200, {
        access_token: 'token-1',
        expires_on: String(Math.floor(Date.now() / 1000) + 3600),
      }),
    )
    vi.stubEnv('IDENTITY_ENDPOINT', 'http://127.0.0.1:41000/msi/token')
    vi.stubEnv('IDENTITY_HEADER', 'canary-header')
    vi.stubEnv('AZURE_CLIENT_ID', CLIENT)
    expect(await authorize('azure-login')).toEqual({ authorization: 'Bearer token-1' })
    const [sent] = server.requests
    expect(sent?.headers['x-identity-header']).toBe('canary-header')
    expect(sent?.path).toBe(
      `/msi/token?api-version=2019-08-01&resource=https%3A%2F%2Fcognitiveservices.azure.com&client_id=${CLIENT}`,
    )
  })

  test('is the identity of a virtual machine, where there is no Azure CLI', async () => {
    const { server, pool, authorize } = await startEntra()
    expect(await authorize('azure-login')).toEqual({ authorization: 'Bearer token-1' })
    expect(pool.hosts).toEqual(['169.254.169.254'])
    expect(server.requests[0]?.headers.metadata).toBe('true')
    expect(server.requests[0]?.path).toBe(
      '/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https%3A%2F%2Fcognitiveservices.azure.com',
    )
  })

  test('is asked of the Azure CLI once for all requests that wait, in a folder of the system', async () => {
    const az = installAz(azToken('token-az'))
    const { server, authorize } = await startEntra()
    const headers = await Promise.all(Array.from({ length: 100 }, () => authorize('azure-login')))
    expect(new Set(headers.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer token-az']))
    expect(az.calls()).toEqual([
      expect.stringMatching(
        /^(\/usr)?\/bin account get-access-token --output json --resource https:\/\/cognitiveservices\.azure\.com$/,
      ),
    ])
    expect(server.requests).toEqual([])
  })

  test('of the Azure CLI is used for half its life if that is shorter than the usual notice', async () => {
    const az = installAz(azToken('token-az', 240))
    const { authorize } = await startEntra()
    await authorize('azure-login')
    await authorize('azure-login')
    expect(az.calls()).toHaveLength(1)
  })

  test('that has expired is a failure that says how to sign in', async () => {
    installAz(
      `echo "ERROR: AADSTS70043: The refresh token has expired or is invalid due to sign-in frequency checks.\nTo re-authenticate, please run: az login" >&2; exit 1`,
    )
    const { authorize } = await startEntra((exchange) => exchange.reply(404, ''))
    await expect(authorize('azure-login')).rejects.toMatchObject({
      kind: 'credential',
      message: expect.stringMatching(/AADSTS70043.*Sign in with "az login".*az login --tenant TENANT/),
    })
  })

  test('that is not there is a failure that says what to install and run', async () => {
    const { authorize } = await startEntra((exchange) => exchange.reply(404, ''))
    await expect(authorize('azure-login')).rejects.toMatchObject({
      message: expect.stringMatching(/^No login of Azure was found.*run "az login"/),
    })
  })
})
