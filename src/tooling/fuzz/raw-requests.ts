// The fuzzer's requests as bytes: valid HTTP with odd content, and bytes that are not HTTP.
import type { Random } from '../../gateway/testing/random.ts'
import { corruptValue, damageBytes, duplicateMember, frameChunk, type Json } from './odd-values.ts'
import { TEMPLATES } from './request-templates.ts'

export interface RawRequest {
  bytes: Buffer
  method: string
  path: string
  /** Whether method and path are those of an endpoint, and the rest is valid HTTP. */
  isOfEndpoint: boolean
  /**
   * `framed`: valid HTTP/1.1, must get one response. `last`: valid too, but the response may close the connection.
   * `damaged`: may have any outcome except an invalid response.
   */
  kind: 'framed' | 'last' | 'damaged'
}

export interface FuzzTarget {
  host: string
  secrets: { admin: string; full: string; readOnly: string; capped: string }
  keyId: string
}

const METHODS = 'GET HEAD POST PUT PATCH DELETE OPTIONS TRACE PROPFIND QUERY'.split(' ')
const PATHS = [
  '/ /v1 /v1/ //v1/keys /v1//keys /v1/../v1/keys /v1/%2e%2e/keys /%76%31/keys /V1/KEYS /v1/keys/ /v1/keys/%00',
  '/v1/keys/%ff /v1/keys/__proto__ /v1/models/%E0%A4%A /v1/models/a/b/c /v1/keys?x=tg-abc /healthz?&&&&',
  '/v1/chat/completions/ /v1/responses /v1/messages /openapi.json /v1/requests?limit=0 /v1/requests?cursor=%00',
  '/v1/requests?from=x /v1/requests/x/bodies * http://127.0.0.1/v1/keys /\\v1\\keys /v1/keys#x /v1/keys;x',
  '/v1/usage?groupBy=constructor',
].flatMap((paths) => paths.split(' '))
const HEADERS = [
  'Accept: */* | Accept-Encoding: gzip, br | Connection: keep-alive | Cookie: a=b | X-Forwarded-For: 1.2.3.4',
  'User-Agent: \xe4\xf6\xfc | User-Agent: | Origin: null | Origin: https://evil.example | Via: 1.1 x | Date: x',
  'Sec-Fetch-Site: cross-site | Content-Type: text/plain | Content-Encoding: gzip | If-None-Match: *',
  'Range: bytes=0-1 | TE: trailers | Idempotency-Key: a | Idempotency-Key: | Idempotency-Key: a b',
  'Idempotency-Key: \xff | X-Request-Id: mine | Host: evil.example | Authorization: Bearer x | x-api-key: tg-x',
  'Transfer-Encoding: identity | Accept: text/html | Sec-WebSocket-Version: 13 | anthropic-version: 1',
  `X-Long: ${'y'.repeat(4000)}`,
].flatMap((headers) => headers.split(' | '))

/** A random request. */
export function rawRequest(target: FuzzTarget, random: Random): RawRequest {
  const template = random.pick(TEMPLATES)
  const method = random.chance(0.04) ? random.any(METHODS) : template.method
  const endpoint = template.path.replace('KEY', target.keyId)
  const path = createPath(endpoint, random)
  const body =
    template.body === undefined
      ? random.chance(0.05)
        ? Buffer.from('{}')
        : null
      : createBody(template.body, random)
  const isHttp10 = random.chance(0.02)
  const lines = [
    `${method} ${path} HTTP/1.${isHttp10 ? 0 : 1}`,
    `Host: ${target.host}`,
    ...createAuthHeaders(target, random),
  ]
  if (body !== null) lines.push('Content-Type: application/json')
  for (let more = random.chance(0.25) ? random.between(1, 3) : 0; more > 0; more--)
    lines.push(random.any(HEADERS))
  const framed = frameBody(body, random, isHttp10)
  lines.push(...framed.lines)
  const bytes = Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), framed.bytes])
  if (!random.chance(0.06)) {
    const kind = isHttp10 || mayCloseConnection(lines) ? 'last' : 'framed'
    const isOfEndpoint = kind === 'framed' && method === template.method && path === endpoint
    return { bytes, method, path, isOfEndpoint, kind }
  }
  return {
    bytes: random.chance(0.15) ? createNoise(random) : damageBytes(bytes, random),
    method,
    path,
    isOfEndpoint: false,
    kind: 'damaged',
  }
}

/** Headers and methods that close the connection, or may. */
function mayCloseConnection(lines: readonly string[]): boolean {
  return lines.some((line) =>
    /^(Transfer-Encoding: identity|Connection|TE|Expect|TRACE|QUERY|PROPFIND)/.test(line),
  )
}

function createPath(path: string, random: Random): string {
  if (random.chance(0.05)) return random.any(PATHS)
  if (!random.chance(0.05)) return path
  const at = random.between(1, path.length)
  return (
    path.slice(0, at) +
    random.any(['%', '%00', '/', '?', '&limit=1', '=', '.', 'x'.repeat(500), '%F0%9F', '+']) +
    path.slice(at)
  )
}

function createAuthHeaders({ secrets }: FuzzTarget, random: Random): string[] {
  const { admin, full, readOnly, capped } = secrets
  const secret = random.chance(0.7) ? admin : random.any([full, readOnly, capped, 'tg-wrong', ''])
  switch (random.below(25)) {
    case 0:
      return []
    case 1:
      return [`x-api-key: ${secret}`]
    case 2:
      return [`authorization: bearer ${secret}`]
    case 3:
      return [`Authorization: Bearer ${secret}`, `Authorization: Bearer ${secret}`]
    case 4:
      return [`Authorization: Basic ${secret}`]
    default:
      return [`Authorization: Bearer ${secret}`]
  }
}

/** The JSON of the body, in most cases with defects. */
export function createBody(good: Json, random: Random): Buffer {
  if (random.chance(0.15)) return Buffer.from(JSON.stringify(good))
  let value = good
  for (let times = random.between(1, 2); times > 0; times--) value = corruptValue(value, random)
  let text = JSON.stringify(value)
  if (random.chance(0.04)) text = duplicateMember(text, random)
  const bytes = Buffer.from(text)
  return random.chance(0.1) ? damageBytes(bytes, random) : bytes
}

function frameBody(
  body: Buffer | null,
  random: Random,
  isHttp10: boolean,
): { lines: string[]; bytes: Buffer } {
  if (body === null) return { lines: [], bytes: Buffer.alloc(0) }
  if (isHttp10 || !random.chance(0.1)) return { lines: [`Content-Length: ${body.length}`], bytes: body }
  const cut = random.below(body.length + 1)
  const chunks = [body.subarray(0, cut), body.subarray(cut)].filter((part) => part.length > 0)
  return {
    lines: ['Transfer-Encoding: chunked'],
    bytes: Buffer.concat([...chunks.map(frameChunk), Buffer.from('0\r\n\r\n')]),
  }
}

function createNoise(random: Random): Buffer {
  const starts = [
    '',
    'GET / HTTP/0.9\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01',
    'GET /v1/keys\r\n\r\n',
  ]
  const rest = Array.from({ length: random.below(200) }, () => random.below(256))
  return Buffer.concat([Buffer.from(random.any(starts), 'latin1'), Buffer.from(rest)])
}
