import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { tempDirForTest } from '../../testing/temp-dir.ts'
import { UpstreamPool } from '../connection-pool.ts'
import { findSignatureFault } from '../testing/aws-verifier.ts'
import { PoolTo } from '../testing/pool-to.ts'
import { startTestUpstream } from '../testing/test-upstream.ts'
import { authorizationMethods } from './method-table.ts'

let folder = ''
beforeEach(() => {
  folder = tempDirForTest()
  // No login of the machine that runs the tests.
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(folder, 'none'))
  vi.stubEnv('AWS_CONFIG_FILE', join(folder, 'none'))
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
})
afterEach(() => {
  vi.unstubAllEnvs()
})

const request = { method: 'POST' as const, url: 'http://127.0.0.1:1/x', headers: {}, body: '{}' }

test('the AWS login of this machine signs requests', async () => {
  const secret = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
  const file = join(folder, 'credentials')
  writeFileSync(file, `[work]\naws_access_key_id = AKIDEXAMPLEAKIDEXAMP\naws_secret_access_key = ${secret}\n`)
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', file)
  vi.stubEnv('AWS_PROFILE', 'work')
  const headers = await authorizationMethods['aws-login'](request, null, new UpstreamPool())
  const received = { method: 'POST', path: '/x', body: '{}', headers: { ...headers, host: '127.0.0.1:1' } }
  expect(findSignatureFault(received, secret)).toBeNull()
})

test('without an AWS login the failure says how to sign in', async () => {
  const authorize = authorizationMethods['aws-login']
  await expect(authorize(request, null, new UpstreamPool())).rejects.toMatchObject({
    kind: 'credential',
    message: expect.stringContaining('aws configure'),
  })
})

/** The login that `gcloud auth application-default login` stores. */
function storeGoogleLogin(): void {
  const login = {
    type: 'authorized_user',
    client_id: 'id',
    client_secret: 'secret',
    refresh_token: 'refresh',
  }
  const file = join(folder, 'application_default_credentials.json')
  writeFileSync(file, JSON.stringify(login))
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', file)
}

test('the Google login of this machine is exchanged for an access token, once', async () => {
  storeGoogleLogin()
  const server = await startTestUpstream((exchange) =>
    exchange.reply(200, { access_token: 'token-1', expires_in: 3599, token_type: 'Bearer' }),
  )
  const pool = new PoolTo(server.url)
  const authorize = authorizationMethods['google-login']
  const headers = await Promise.all([authorize(request, null, pool), authorize(request, null, pool)])
  expect(headers).toEqual([{ authorization: 'Bearer token-1' }, { authorization: 'Bearer token-1' }])
  expect(server.requests).toHaveLength(1)
  expect(server.requests[0]?.body).toContain('refresh_token=refresh')
  await pool.close()
  await server.close()
})

test('the token of a Google login is not sent to others', async () => {
  storeGoogleLogin()
  const foreign = { ...request, url: 'https://aiplatform.googleapis.com.example.org/v1' }
  await expect(authorizationMethods['google-login'](foreign, null, new UpstreamPool())).rejects.toMatchObject(
    { kind: 'credential', message: expect.stringContaining('googleapis.com') },
  )
})

test('an expired Google login is a failure that says how to sign in again', async () => {
  storeGoogleLogin()
  const server = await startTestUpstream((exchange) =>
    exchange.reply(400, { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' }),
  )
  const pool = new PoolTo(server.url)
  await expect(authorizationMethods['google-login'](request, null, pool)).rejects.toMatchObject({
    kind: 'credential',
    message: expect.stringMatching(/expired or revoked\)\. Sign in with "gcloud auth/),
  })
  await pool.close()
  await server.close()
})

test('a Google login that is not there is a failure that says how to sign in', async () => {
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', join(folder, 'none.json'))
  await expect(authorizationMethods['google-login'](request, null, new UpstreamPool())).rejects.toMatchObject(
    {
      kind: 'credential',
      message: expect.stringMatching(/^No Google login was found .*gcloud/),
    },
  )
})
