import { expect, test } from 'vitest'
import { parseAccessKey } from '../expiring-cache.ts'
import { findSignatureFault } from '../testing/aws-verifier.ts'
import { signAws } from './aws.ts'

const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
const credentials = { accessKeyId: 'AKIDEXAMPLEAKIDEXAMP', secretAccessKey: SECRET }

// The figures of AWS's guide "Create a signed AWS API request".
const published = {
  method: 'GET',
  path: '/?Action=ListUsers&Version=2010-05-08',
  body: '',
  headers: {
    'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
    host: 'iam.amazonaws.com',
    'x-amz-date': '20150830T123600Z',
    authorization:
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
  },
}

test('the check of these tests accepts the signature that AWS publishes, and no other', () => {
  expect(findSignatureFault(published, SECRET)).toBeNull()
  expect(findSignatureFault({ ...published, method: 'POST' }, SECRET)).not.toBeNull()
  expect(findSignatureFault(published, `${SECRET}x`)).not.toBeNull()
})

test.each([
  ['a model id with a colon', '/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke'],
  [
    'an ARN',
    `/model/${encodeURIComponent('arn:aws:bedrock:eu-central-1:1:inference-profile/eu.anthropic.claude-opus-5')}/invoke`,
  ],
  ['a query', '/foundation-models?byOutputModality=TEXT&z=a%20b'],
])('the signature covers %s', async (_, path) => {
  const host = 'bedrock-runtime.eu-central-1.amazonaws.com'
  const request = {
    method: 'POST' as const,
    url: `https://${host}${path}`,
    headers: { 'content-type': 'application/json', 'user-agent': 'Tollgate' },
    body: '{"text":"Grüße"}',
  }
  const signed = await signAws(request, credentials)
  const received = { ...request, path, headers: { ...request.headers, ...signed, host } }
  expect(findSignatureFault(received, SECRET)).toBeNull()
  expect(signed.authorization).toContain('/eu-central-1/bedrock/aws4_request')
  expect(signed.host).toBeUndefined()
  expect(findSignatureFault({ ...received, body: '{}' }, SECRET)).not.toBeNull()
  expect(findSignatureFault({ ...received, path: '/other' }, SECRET)).not.toBeNull()
})

test('temporary credentials send their session token, which is signed', async () => {
  const token = 'IQoJb3JpZ2luX2VjEXAMPLE//////////wEaCXVz'
  const request = { method: 'GET' as const, url: 'http://127.0.0.1:8080/x', headers: {}, body: null }
  const signed = await signAws(request, { ...credentials, sessionToken: token })
  expect(signed['x-amz-security-token']).toBe(token)
  expect(signed.authorization).toMatch(/SignedHeaders=[^,]*x-amz-security-token/)
  const headers = { ...signed, host: '127.0.0.1:8080' }
  expect(findSignatureFault({ method: 'GET', path: '/x', body: '', headers }, SECRET)).toBeNull()
})

test('an access key is read with and without a session token, and nothing else is', () => {
  const text = `AKIDEXAMPLEAKIDEXAMP:${SECRET}`
  expect(parseAccessKey(text)).toEqual(credentials)
  expect(parseAccessKey(`${text}:session/token+of=16`)).toEqual({
    ...credentials,
    sessionToken: 'session/token+of=16',
  })
  for (const wrong of ['', 'AKIDEXAMPLEAKIDEXAMP', `${text}:`, `${text}:a b`, `x y:${SECRET}`, `:${SECRET}`])
    expect(parseAccessKey(wrong)).toBeNull()
})
