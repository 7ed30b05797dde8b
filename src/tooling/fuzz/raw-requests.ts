// Owns the requests of the fuzzer as bytes: well framed ones with odd contents, and ones that are no HTTP at all.
import type { Draw } from '../soak/draw.ts'
import { damaged, type Json, spoilt, withDoubledMember } from './odd.ts'

export interface RawRequest {
  bytes: Buffer
  method: string
  path: string
  /**
   * `framed`: proper HTTP/1.1, must be answered by one response. `last`: proper too, but the response may end with the
   * connection. `damaged`: anything may become of it, but no bad response.
   */
  kind: 'framed' | 'last' | 'damaged'
}

export interface Surroundings {
  host: string
  secrets: { admin: string; full: string; readOnly: string; capped: string }
  keyId: string
}

const chat = (more: Json): Json => ({
  model: 'sandbox-small',
  messages: [{ role: 'user', content: 'Hello' }],
  max_tokens: 3,
  ...(typeof more === 'object' ? more : {}),
})
const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }
const schema = { type: 'object', properties: { a: { type: 'string' } } }

interface Template {
  weight: number
  method: string
  path: string
  body?: Json
}

const TEMPLATES: readonly Template[] = [
  { weight: 8, method: 'POST', path: '/v1/chat/completions', body: chat({}) },
  { weight: 8, method: 'POST', path: '/v1/chat/completions', body: chat({ stream: true, n: 2, seed: 1 }) },
  {
    weight: 6,
    method: 'POST',
    path: '/v1/chat/completions',
    body: chat({
      stream: true,
      stream_options: { include_usage: true },
      temperature: 1,
      stop: ['a', 'b'],
      tools: [tool],
      tool_choice: 'auto',
      parallel_tool_calls: true,
    }),
  },
  {
    weight: 6,
    method: 'POST',
    path: '/v1/chat/completions',
    body: chat({
      model: 'sandbox-large',
      user: 'u',
      max_completion_tokens: 4,
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be brief' }] },
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }] },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: 'done', name: 'f' },
      ],
    }),
  },
  {
    weight: 2,
    method: 'POST',
    path: '/v1/keys',
    body: { name: 'K', scope: 'full', spendLimitUsd: 1, rpmLimit: 5, tpmLimit: 5 },
  },
  {
    weight: 4,
    method: 'PATCH',
    path: '/v1/keys/KEY',
    body: { name: 'K', spendLimitUsd: 1, rpmLimit: null, tpmLimit: 9 },
  },
  {
    weight: 4,
    method: 'POST',
    path: '/v1/pricing/estimate',
    body: { model: 'sandbox-small', monthlyInputTokens: 1e6, monthlyOutputTokens: 5 },
  },
  {
    weight: 3,
    method: 'PUT',
    path: '/v1/models/fuzzed',
    body: {
      provider: 'sandbox',
      upstreamModel: 'sandbox-small',
      pricing: { inputPerMillion: 1, outputPerMillion: 2 },
      capabilities: ['vision'],
      contextWindow: 1000,
      maxOutputTokens: 10,
      fallbacks: ['sandbox-small'],
    },
  },
  { weight: 1, method: 'DELETE', path: '/v1/models/fuzzed' },
  { weight: 1, method: 'PATCH', path: '/v1/account', body: { plan: 'bundle' } },
  { weight: 1, method: 'PATCH', path: '/v1/settings', body: { notifyAtPercent: [50, 80] } },
  { weight: 3, method: 'GET', path: '/v1/requests?limit=5' },
  {
    weight: 2,
    method: 'GET',
    path: '/v1/usage?groupBy=day&splitBy=key&from=2026-01-01&timeZone=Europe/Berlin',
  },
  { weight: 1, method: 'GET', path: '/v1/keys/KEY' },
  { weight: 2, method: 'GET', path: '/v1/key' },
  { weight: 1, method: 'GET', path: '/v1/account' },
  { weight: 1, method: 'GET', path: '/v1/models' },
  { weight: 1, method: 'GET', path: '/v1/models/sandbox-small' },
  { weight: 1, method: 'GET', path: '/v1/plans' },
  { weight: 1, method: 'GET', path: '/v1/providers' },
  { weight: 1, method: 'GET', path: '/healthz' },
  { weight: 1, method: 'GET', path: '/v1/requests/req_00000000000000000000000000000000' },
]

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY']
const PATHS = [
  ...[
    '/',
    '/v1',
    '/v1/',
    '//v1/keys',
    '/v1//keys',
    '/v1/../v1/keys',
    '/v1/%2e%2e/keys',
    '/%76%31/keys',
    '/V1/KEYS',
  ],
  ...[
    '/v1/keys/',
    '/v1/keys/%00',
    '/v1/keys/%ff',
    '/v1/keys/__proto__',
    '/v1/models/%E0%A4%A',
    '/v1/models/a/b/c',
  ],
  ...[
    '/v1/keys?x=tg-abc',
    '/healthz?&&&&',
    '/v1/chat/completions/',
    '/v1/responses',
    '/v1/messages',
    '/openapi.json',
  ],
  ...['/v1/requests?limit=0', '/v1/requests?cursor=%00', '/v1/requests?from=x', '/v1/requests/x/bodies', '*'],
  ...['http://127.0.0.1/v1/keys', '/\\v1\\keys', '/v1/keys#x', '/v1/keys;x', '/v1/usage?groupBy=constructor'],
]
const HEADERS = [
  ...[
    'Accept: */*',
    'Accept-Encoding: gzip, br',
    'Connection: keep-alive',
    'Cookie: a=b',
    'X-Forwarded-For: 1.2.3.4',
  ],
  ...[
    'User-Agent: \xe4\xf6\xfc',
    'User-Agent:',
    'Origin: null',
    'Origin: https://evil.example',
    'Sec-Fetch-Site: cross-site',
  ],
  ...[
    'Content-Type: text/plain',
    'Content-Encoding: gzip',
    'If-None-Match: *',
    'Range: bytes=0-1',
    'TE: trailers',
  ],
  ...[
    'Idempotency-Key: a',
    'Idempotency-Key:',
    'Idempotency-Key: a b',
    'Idempotency-Key: \xff',
    'X-Request-Id: mine',
  ],
  ...[
    'Host: evil.example',
    'Authorization: Bearer x',
    'x-api-key: tg-x',
    'Transfer-Encoding: identity',
    'Via: 1.1 x',
  ],
  ...[
    'Accept: text/html',
    'Sec-WebSocket-Version: 13',
    `X-Long: ${'y'.repeat(4000)}`,
    'anthropic-version: 1',
    'Date: x',
  ],
]

/** The request with this number's draws. */
export function rawRequest(around: Surroundings, draw: Draw): RawRequest {
  const template = draw.pick(TEMPLATES)
  const method = draw.happens(0.04) ? draw.any(METHODS) : template.method
  const path = pathOf(template.path.replace('KEY', around.keyId), draw)
  const body =
    template.body === undefined
      ? draw.happens(0.05)
        ? Buffer.from('{}')
        : null
      : bodyOf(template.body, draw)
  const isHttp10 = draw.happens(0.02)
  const lines = [
    `${method} ${path} HTTP/1.${isHttp10 ? 0 : 1}`,
    `Host: ${around.host}`,
    ...authorization(around, draw),
  ]
  if (body !== null) lines.push('Content-Type: application/json')
  for (let more = draw.happens(0.25) ? draw.between(1, 3) : 0; more > 0; more--) lines.push(draw.any(HEADERS))
  const framed = framedBody(body, draw, isHttp10)
  lines.push(...framed.lines)
  const bytes = Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), framed.bytes])
  if (!draw.happens(0.06))
    return { bytes, method, path, kind: isHttp10 || isOddHead(lines) ? 'last' : 'framed' }
  return { bytes: draw.happens(0.15) ? noise(draw) : damaged(bytes, draw), method, path, kind: 'damaged' }
}

/** What ends a connection, or may. */
function isOddHead(lines: readonly string[]): boolean {
  return lines.some((line) =>
    /^(Transfer-Encoding: identity|Connection|TE|Expect|TRACE|QUERY|PROPFIND)/.test(line),
  )
}

function pathOf(path: string, draw: Draw): string {
  if (draw.happens(0.05)) return draw.any(PATHS)
  if (!draw.happens(0.05)) return path
  const at = draw.between(1, path.length)
  return (
    path.slice(0, at) +
    draw.any(['%', '%00', '/', '?', '&limit=1', '=', '.', 'x'.repeat(500), '%F0%9F', '+']) +
    path.slice(at)
  )
}

function authorization({ secrets }: Surroundings, draw: Draw): string[] {
  const { admin, full, readOnly, capped } = secrets
  const secret = draw.happens(0.7) ? admin : draw.any([full, readOnly, capped, 'tg-wrong', ''])
  switch (draw.below(25)) {
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

function bodyOf(good: Json, draw: Draw): Buffer {
  if (draw.happens(0.15)) return Buffer.from(JSON.stringify(good))
  let value = good
  for (let times = draw.between(1, 2); times > 0; times--) value = spoilt(value, draw)
  let text = JSON.stringify(value)
  if (draw.happens(0.04)) text = withDoubledMember(text, draw)
  const bytes = Buffer.from(text)
  return draw.happens(0.1) ? damaged(bytes, draw) : bytes
}

function framedBody(body: Buffer | null, draw: Draw, isHttp10: boolean): { lines: string[]; bytes: Buffer } {
  if (body === null) return { lines: [], bytes: Buffer.alloc(0) }
  if (isHttp10 || !draw.happens(0.1)) return { lines: [`Content-Length: ${body.length}`], bytes: body }
  const cut = draw.below(body.length + 1)
  const chunks = [body.subarray(0, cut), body.subarray(cut)].filter((part) => part.length > 0)
  const framed = chunks.map((part) =>
    Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]),
  )
  return {
    lines: ['Transfer-Encoding: chunked'],
    bytes: Buffer.concat([...framed, Buffer.from('0\r\n\r\n')]),
  }
}

function noise(draw: Draw): Buffer {
  const starts = [
    '',
    'GET / HTTP/0.9\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01',
    'GET /v1/keys\r\n\r\n',
  ]
  const rest = Array.from({ length: draw.below(200) }, () => draw.below(256))
  return Buffer.concat([Buffer.from(draw.any(starts), 'latin1'), Buffer.from(rest)])
}
