// Owns what is told of a path that is no endpoint: which API it belongs to, in whose error format the answer comes, and
// what to use instead.
import { callerText } from '../platform/caller-text.ts'
import { type GatewayError, invalidRequest, notFound } from '../platform/errors.ts'
import { allowedMethods } from './route-paths.ts'

/** Whose error format a client expects there. */
export type ErrorFormat = 'openai' | 'anthropic' | 'gemini'

interface UnservedPath {
  path: RegExp
  /** Any where absent. */
  method?: 'POST'
  format: ErrorFormat
  /** What to use instead. */
  hint: string
}

const CHAT = 'POST /v1/chat/completions'
const OPENAI_TOOL = `Set the tool to an OpenAI-compatible provider: it then uses ${CHAT}.`
const CHAT_ONLY = `The one kind of request that it serves is ${CHAT}.`

/** Endpoints of well-known APIs that are not served, the first that matches. One that is served leaves this table. */
const unserved: readonly UnservedPath[] = [
  { path: /^\/v1\/messages(\/.*)?$/, format: 'anthropic', hint: OPENAI_TOOL },
  { path: /^\/v1(alpha|beta)\/.+/, format: 'gemini', hint: OPENAI_TOOL },
  {
    path: /^\/v1\/models\/.+:\w+$/,
    method: 'POST',
    format: 'gemini',
    hint: OPENAI_TOOL,
  },
  {
    path: /^\/v1\/responses(\/.*)?$/,
    format: 'openai',
    hint: `Set the tool to chat completions instead of Responses: ${CHAT}.`,
  },
  {
    path: /^\/v1\/completions$/,
    format: 'openai',
    hint: `Use ${CHAT}, with "messages" instead of "prompt".`,
  },
  {
    path: /^\/v1\/(embeddings|moderations|rerank|images\/.+|audio\/.+)$/,
    format: 'openai',
    hint: CHAT_ONLY,
  },
  { path: /^\/openai\/deployments\/.+/, format: 'openai', hint: `This is a path of Azure. ${OPENAI_TOOL}` },
  {
    path: /^\/api\/(tags|chat|generate|show|version|ps|embed|embeddings)$/,
    format: 'openai',
    hint: `This is Ollama's own API. ${OPENAI_TOOL}`,
  },
]

const NO_ENDPOINT = { code: 'endpoint_not_found' }

/** The format in which an error of this path is written. */
export function errorFormatOf(method: string, url: string): ErrorFormat {
  return unservedAt(method, meant(pathOf(url)).path)?.format ?? 'openai'
}

/** 404 for a path that is no endpoint, 405 with `Allow` for a method that it does not have. */
export function noSuchEndpoint(method: string, url: string): GatewayError {
  const allowed = allowedMethods(pathOf(url))
  if (unservedAt(method, pathOf(url))) return noSuchPath(method, url)
  // With its own method allowed, it is an id longer than any there is that found no route.
  if (allowed.length > 0 && !allowed.includes(method)) {
    const list = allowed.map((one) => `${one} ${shownPath(url)}`).join(' or ')
    return invalidRequest(`There is no ${method} ${shownPath(url)}. Use ${list}.`, {
      status: 405,
      code: 'method_not_allowed',
      headers: { allow: allowed.join(', ') },
    })
  }
  return noSuchPath(method, url)
}

/** 404 with what to use instead. */
export function noSuchPath(method: string, url: string): GatewayError {
  const shown = `${method} ${shownPath(url)}`
  const { path: right, why } = meant(pathOf(url))
  const known = unservedAt(method, right)
  if (known) return notFound(`Tollgate does not serve ${shown} yet. ${known.hint}`, NO_ENDPOINT)
  const served = why === null ? [] : allowedMethods(right)
  if (served.length > 0) {
    const use = served.includes(method) ? method : served.join(' or ')
    return notFound(`There is no ${shown}. ${why} Use ${use} ${shownPath(right)}.`, NO_ENDPOINT)
  }
  return notFound(`There is no endpoint ${shown}. GET /openapi.json lists them.`, NO_ENDPOINT)
}

/** The path as it may be shown and kept: without the query, as that may hold anything. */
export function shownPath(url: string): string {
  return callerText(pathOf(url), LONGEST_SHOWN)
}

const LONGEST_SHOWN = 120

/** The model that a path itself names, as Gemini's do; null where it names none. */
export function modelInPath(url: string): string | null {
  return /^\/v1(?:alpha|beta)?\/models\/([^:]+):\w+$/.exec(pathOf(url))?.[1] ?? null
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? ''
}

function unservedAt(method: string, path: string): UnservedPath | undefined {
  return unserved.find((row) => row.path.test(path) && (row.method ?? method) === method)
}

interface Mistake {
  sentence: string
  corrected(path: string): string
}

/** What base URLs often get wrong. */
const mistakes: readonly Mistake[] = [
  { sentence: 'There is a slash too many.', corrected: (path) => path.replaceAll(/\/{2,}/g, '/') },
  { sentence: 'There is a slash too many at the end.', corrected: (path) => path.replace(/(?<=.)\/$/, '') },
  { sentence: 'The base URL has /v1 twice.', corrected: (path) => path.replace(/^(\/v1)+(?=\/v1\/)/, '') },
  {
    sentence: 'The base URL must end in /v1.',
    corrected: (path) =>
      path.replace(
        /^(?=\/(chat\/completions|completions|embeddings|messages|models|responses)(\/|$))/,
        '/v1',
      ),
  },
]

/** The path that was meant, and the first mistake in the one that came; null where there is none. */
function meant(path: string): { path: string; why: string | null } {
  let right = path
  let why: string | null = null
  for (const { sentence, corrected } of mistakes) {
    const better = corrected(right)
    if (better !== right) why ??= sentence
    right = better
  }
  return { path: right, why }
}
