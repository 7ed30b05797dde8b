// AWS Signature Version 4, written from AWS's description of it and without the library that signs: it checks that library.
import { createHash, createHmac } from 'node:crypto'
import type { RecordedRequest } from './test-upstream.ts'

interface SignedRequest extends Pick<RecordedRequest, 'method' | 'path' | 'body'> {
  headers: Readonly<Record<string, string | string[] | undefined>>
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** Why AWS would reject the request's signature; null for a valid one. */
export function findSignatureFault(request: SignedRequest, secretAccessKey: string): string | null {
  const header = String(request.headers.authorization ?? '')
  const match =
    /^AWS4-HMAC-SHA256 Credential=[^/]+\/(\d{8}\/[^/]+\/[^/]+\/aws4_request), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      header,
    )
  if (!match) return `no signature: ${header}`
  const [, scope = '', names = '', signature = ''] = match
  if (!names.split(';').includes('host')) return 'the host is not signed'
  const { pathname, searchParams } = new URL(request.path, 'http://host')
  const query = [...searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`).sort()
  const headers = names.split(';').map((name) => `${name}:${String(request.headers[name]).trim()}\n`)
  const canonical = [
    request.method,
    // Every service but S3 signs the path encoded once more.
    pathname.split('/').map(encode).join('/'),
    query.join('&'),
    headers.join(''),
    names,
    sha256(request.body),
  ].join('\n')
  const date = String(request.headers['x-amz-date'])
  const text = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n')
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`)
  return hmac(key, text).toString('hex') === signature ? null : 'the signature does not match the request'
}
