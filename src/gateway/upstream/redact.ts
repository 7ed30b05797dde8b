// Every text that an upstream wrote is redacted here before a client or a log sees it.
import { printable } from '../../shared/values/text.ts'
import { UpstreamFailure } from '../formats/chat/failure.ts'

export interface Secrets {
  /** The credential, and the values of the headers that the provider's configuration adds. */
  values: readonly string[]
  /** Its host is replaced by the provider's name. */
  baseUrl: string
  providerId: string
}

/** The secrets of a call to this provider. */
export function listSecrets(
  target: { baseUrl: string; providerId: string; headers: Readonly<Record<string, string>> },
  credential: string | null,
): Secrets {
  const { baseUrl, providerId, headers } = target
  const secrets = credential === null ? [] : [credential, ...listParts(credential)]
  return { values: [...secrets, ...Object.values(headers)], baseUrl, providerId }
}

/** An access key of AWS is entered with its secret and its session token. */
function listParts(credential: string): string[] {
  return credential.includes(':') ? credential.split(':').filter(({ length }) => length >= SHORTEST_PART) : []
}

const SHORTEST_PART = 16
const MAX_LENGTH = 1000
/** Patterns are only run over this much, for the time they take. Known secrets are replaced before. */
const MAX_SCANNED = 8192
/** A shorter value is no secret, and replacing it would only make texts unreadable. */
const SHORTEST_SECRET = 4
const HIDDEN = '[redacted]'

/** Each replaces its match, but keeps group 1 (a header's or parameter's name). */
const SECRET_PATTERNS: readonly RegExp[] = [
  /\b((?:proxy-)?authorization["']?\s*[:=]\s*["']?)(?:(?:bearer|basic|token)\s+)?[^\s"',;]+/gi,
  /\b((?:bearer|basic)\s+)[\w.~+/=-]{6,}/gi,
  /\b((?:[\w-]{0,40}api[-_]?key|access[-_]token|auth[-_]token|[\w-]{0,40}secret|token|key|password|cookie)["']?\s*[:=]\s*["']?)[^\s"',;&]{4,}/gi,
  /()\b(?:sk|pk|rk|tg|gsk|xai|hf|nvapi|pplx|fw|csk|r8|key)[-_][\w*.-]{6,}/g,
  /()\bAIza[\w*-]{10,}/g,
  /()\beyJ[\w-]{10,}\.[\w-]{10,}(?:\.[\w-]*)?/g,
  /()\bya29\.[\w.-]{6,}/g,
  /()\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g,
  /()-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{0,8000}/g,
]

/** URLs and addresses that only mean something inside the upstream's own network. */
const PRIVATE_ADDRESSES: readonly RegExp[] = [
  /\b[a-z][a-z0-9+.-]{0,20}:\/\/(?:[^\s/@"']{0,200}@)?(?:\[[0-9a-f:]+\]|\d{1,3}(?:\.\d{1,3}){3}|[a-z0-9-]{1,63}|[a-z0-9.-]{1,250}\.(?:internal|local|localhost|lan|svc|cluster\.local))(?::\d+)?(?![\w.])[^\s"'<>)]*/gi,
  /\b(?:10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d{1,3}){2,3}(?::\d+)?\b/g,
]

/** The ways in which a text may quote the secret. */
function listEncodings(secret: string): string[] {
  const base64 = Buffer.from(secret).toString('base64')
  const forms = [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    base64,
    base64.replace(/=+$/, ''),
    Buffer.from(secret).toString('base64url'),
  ]
  return [...new Set(forms)].sort((a, b) => b.length - a.length)
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
}

function replaceHost(text: string, baseUrl: string, providerId: string): string {
  if (!URL.canParse(baseUrl)) return text
  const { host, hostname } = new URL(baseUrl)
  const name = escapeRegExp(host)
  let clean = text.replace(
    new RegExp(`\\b(?:https?|wss?)://(?:[^\\s/@"']{0,200}@)?${name}(?![\\w.-])[^\\s"'<>)]*`, 'gi'),
    providerId,
  )
  if (host.includes('.') || host.includes(':')) {
    clean = clean.replace(new RegExp(`(?<![\\w.-])${name}(?![\\w-])`, 'gi'), providerId)
  }
  if (hostname !== host && hostname.includes('.')) {
    clean = clean.replace(new RegExp(`(?<![\\w.-])${escapeRegExp(hostname)}(?![\\w-])`, 'gi'), providerId)
  }
  return clean
}

/** The text without credentials, keys, addresses of the upstream, control and invisible characters; at most 1,000 characters. */
export function redact(text: string, { values, baseUrl, providerId }: Secrets): string {
  let clean = text
  for (const value of values) {
    if (value.length < SHORTEST_SECRET) continue
    for (const form of listEncodings(value)) clean = clean.replaceAll(form, HIDDEN)
  }
  // The word at the cut may be half of a key, which the patterns would no longer match.
  if (clean.length > MAX_SCANNED) clean = clean.slice(0, MAX_SCANNED).replace(/\S{0,500}$/, '')
  clean = replaceHost(clean, baseUrl, providerId)
  for (const pattern of SECRET_PATTERNS) clean = clean.replace(pattern, `$1${HIDDEN}`)
  for (const pattern of PRIVATE_ADDRESSES) clean = clean.replace(pattern, providerId)
  clean = printable(clean)
  return clean.length <= MAX_LENGTH ? clean : `${clean.slice(0, MAX_LENGTH - 1)}…`
}

/** The failure again, without secrets. `sent` replaces whether the request was sent. */
export function redactFailure(
  failure: UpstreamFailure,
  secrets: Secrets,
  sent = failure.sent,
): UpstreamFailure {
  const values = secrets.values.filter(({ length }) => length >= SHORTEST_SECRET)
  return new UpstreamFailure({
    ...failure,
    sent,
    message: redact(failure.message, secrets),
    code: failure.code === null ? null : redact(failure.code, secrets).slice(0, 100),
    body: values.reduce((body, value) => body?.replaceAll(value, HIDDEN) ?? null, failure.body),
    param: failure.param === null ? null : redact(failure.param, secrets).slice(0, 200),
  })
}
