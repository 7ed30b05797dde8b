// The paths of the API, and errors for paths that are not endpoints: they name what to use instead.

import type { IncomingHttpHeaders } from 'node:http'
import type { ClientFormat, Operation } from '../../shared/api/operations/operation.ts'
import { type OperationId, operations } from '../../shared/api/operations.ts'
import { type GatewayError, invalidRequest, notFound } from '../platform/errors.ts'
import { callerText } from '../platform/ids.ts'

/** A path at which an operation is served. */
interface Route {
  id: OperationId
  operation: Operation
  path: string
  /** Matches paths with an id, which is its first group; null for a path without one. */
  pattern: RegExp | null
  /** Selects this route, among those that match a path, for requests with this header. */
  header: string | null
}

/** An operation, and the id in the path: empty for a path without one. */
export interface FoundRoute extends Pick<Route, 'id' | 'operation'> {
  pathId: string
}

/** Ids of models may be longer. */
const MAX_ID_LENGTH = 100

/** The path in OpenAPI's syntax. */
export function openApiPath(path: string): string {
  return path.replace('{id+}', '{id}')
}

function createRoute(id: OperationId, operation: Operation, path: string): Route {
  const pattern = path.replaceAll('.', '\\.').replace('{id+}', '(.+)').replace('{id}', '([^/]+)')
  return {
    id,
    operation,
    path,
    pattern: pattern.includes('(') ? new RegExp(`^${pattern}$`) : null,
    header: path === operation.path ? null : (operation.header ?? null),
  }
}

const OPERATION_IDS = Object.keys(operations).filter((id): id is OperationId => id in operations)

const routes: readonly Route[] = OPERATION_IDS.flatMap((id) => {
  const operation: Operation = operations[id]
  return [operation.path, ...(operation.otherPaths ?? [])].map((path) => createRoute(id, operation, path))
})

/** Routes without an id, by path. */
const fixedRoutes: ReadonlyMap<string, readonly Route[]> = Map.groupBy(
  routes.filter(({ pattern }) => pattern === null),
  ({ path }) => path,
)
const routesWithId = routes.filter(({ pattern }) => pattern !== null)

/** The operation of a request; null if there is none. */
export function findRoute(method: string, path: string, headers: IncomingHttpHeaders): FoundRoute | null {
  const operationMethod = method === 'HEAD' ? 'GET' : method
  const fixedRoute = chooseRoute(fixedRoutes.get(path) ?? [], operationMethod, headers)
  if (fixedRoute) return { id: fixedRoute.id, operation: fixedRoute.operation, pathId: '' }
  const plain = decodeColons(path)
  const matching = routesWithId.filter(({ pattern }) => pattern?.test(plain))
  const withId = chooseRoute(matching, operationMethod, headers)
  const pathId = withId ? readPathId(withId, plain) : null
  return withId && pathId !== null ? { id: withId.id, operation: withId.operation, pathId } : null
}

/** Whether a path is written as in the table of operations. */
export function isFixedPath(path: string): boolean {
  return fixedRoutes.has(path)
}

/** The methods allowed for a path; empty when the path does not exist. */
export function allowedMethods(path: string): string[] {
  if (path === '/openapi.json') return ['GET']
  return [...new Set(findRoutes(path).map(({ operation }) => operation.method))]
}

/** The operation that a request without headers gets; without a method, the first one of the path. */
function findOperation(path: string, method?: string): Operation | undefined {
  const matching = findRoutes(path)
  if (method === undefined) return matching.find(({ header }) => header === null)?.operation
  return chooseRoute(matching, method === 'HEAD' ? 'GET' : method, {})?.operation
}

function findRoutes(path: string): readonly Route[] {
  const plain = decodeColons(path)
  return routes.filter((route) => route.pattern?.test(plain) ?? route.path === plain)
}

function chooseRoute(
  candidates: readonly Route[],
  method: string,
  headers: IncomingHttpHeaders,
): Route | undefined {
  let chosen: Route | undefined
  for (const route of candidates) {
    if (route.operation.method !== method) continue
    if (route.header === null) chosen ??= route
    else if (headers[route.header] !== undefined) return route
  }
  return chosen
}

/** Null for an id that is too long or cannot be decoded. */
function readPathId({ pattern, path: template }: Route, path: string): string | null {
  try {
    const id = decodeURIComponent(pattern?.exec(path)?.[1] ?? '')
    return id.length > MAX_ID_LENGTH && !template.includes('{id+}') ? null : id
  } catch {
    return null
  }
}

/** A colon may be encoded. */
function decodeColons(path: string): string {
  return path.includes('%') ? path.replaceAll(/%3a/gi, ':') : path
}

interface UnsupportedEndpoint {
  path: RegExp
  /** Any method if absent. */
  method?: 'POST'
  /** The API whose clients call it; OpenAI's if absent. */
  format?: ClientFormat
  /** The endpoint to use instead. */
  hint: string
}

const CHAT = 'POST /v1/chat/completions'
const OPENAI_TOOL = `Set the tool to an OpenAI-compatible provider: it then uses ${CHAT}.`
const GEMINI =
  'Of the Gemini API it serves generateContent, streamGenerateContent and countTokens: POST /v1beta/models/MODEL:generateContent.'
const MEDIA =
  'For images use POST /v1/images/generations or /v1/images/edits; for audio POST /v1/audio/speech, /v1/audio/transcriptions or /v1/audio/translations.'

/** Endpoints of well-known APIs that Tollgate does not support. The first match counts. */
const unsupported: readonly UnsupportedEndpoint[] = [
  {
    path: /^\/v1\/messages\/(?!(count_tokens|batches)(\/|$)).*$/,
    format: 'anthropic-messages',
    hint: 'Send each message by POST /v1/messages.',
  },
  {
    path: /^\/v1(alpha|beta)?\/models\/.+:(batchE|e)mbedContents?$/,
    format: 'gemini-generate',
    method: 'POST',
    hint: 'For embeddings use POST /v1/embeddings.',
  },
  {
    path: /^\/v1(alpha|beta)?\/models\/.+:\w+$/,
    method: 'POST',
    format: 'gemini-generate',
    hint: GEMINI,
  },
  { path: /^\/v1alpha\/.+/, format: 'gemini-generate', hint: GEMINI },
  { path: /^\/v1beta\/(?!models(\/|$)).+/, format: 'gemini-generate', hint: GEMINI },
  {
    path: /^\/v1\/responses\/.+$/,
    method: 'POST',
    format: 'openai-responses',
    hint: `Use POST /v1/responses or ${CHAT}.`,
  },
  {
    path: /^\/v1\/(images\/(?!(generations|edits)$).+|audio\/(?!(speech|transcriptions|translations)$).+)$/,
    hint: MEDIA,
  },
  {
    path: /^\/v1\/fine_tuning(\/.*)?$/,
    hint: "To train a model, use the provider's own API.",
  },
  {
    path: /^\/v1\/(uploads|vector_stores|containers)(\/.*)?$/,
    hint: 'Send a file within the request, as base64 data, or its text. The requests of a batch are sent by POST /v1/files.',
  },
  {
    path: /^\/v1\/(conversations|assistants|threads)(\/.*)?$/,
    hint: 'Send the whole conversation by POST /v1/responses, or refer to an earlier answer by "previous_response_id".',
  },
  { path: /^\/v1\/realtime(\/.*)?$/, hint: `For text use ${CHAT}. ${MEDIA}` },
  { path: /^\/v1\/videos(\/.*)?$/, hint: `Of media it serves images and audio. ${MEDIA}` },
  { path: /^\/v1\/complete$/, hint: 'Use POST /v1/messages.' },
  {
    path: /^\/v1internal(:|\/).*/,
    format: 'gemini-generate',
    hint: "This is Google's Code Assist, which Gemini CLI uses when it is signed in with Google. Choose the sign-in with an API key there, or start it by: tollgate run -- gemini",
  },
  {
    path: /^\/backend-api\/.+/,
    hint: "This is ChatGPT's own API. Set up a provider of its own in Codex, or start it by: tollgate run -- codex",
  },
  {
    path: /^\/v1(beta1)?\/projects\/.+/,
    format: 'gemini-generate',
    hint: `This is a path of Vertex AI. Set the tool to the Gemini API. ${GEMINI}`,
  },
  { path: /^\/openai\/deployments\/.+/, hint: `This is a path of Azure. ${OPENAI_TOOL}` },
  {
    path: /^\/api\/(tags|chat|generate|show|version|ps|embed|embeddings)$/,
    hint: `This is Ollama's own API. ${OPENAI_TOOL}`,
  },
]

const NO_ENDPOINT = { code: 'endpoint_not_found' }

/** The format of error responses for this path, whether or not it is an endpoint. */
export function findErrorFormat(method: string, url: string): ClientFormat {
  const { path } = correctPath(stripQuery(url))
  const row =
    findOperation(path, method) ??
    unsupported.find((endpoint) => endpoint.path.test(path)) ??
    findOperation(path)
  return row?.format ?? 'openai-chat'
}

/** 404 for a path that is not an endpoint, or 405 with `Allow` for a method that it does not support. */
export function endpointNotFound(method: string, url: string): GatewayError {
  const allowed = allowedMethods(stripQuery(url))
  if (findRow(unsupported, method, stripQuery(url))) return pathNotFound(method, url)
  // If the method is allowed, the router found no route because the id in the path is too long.
  if (allowed.length > 0 && !allowed.includes(method)) {
    const list = allowed.map((method) => `${method} ${displayPath(url)}`).join(' or ')
    return invalidRequest(`There is no ${method} ${displayPath(url)}. Use ${list}.`, {
      status: 405,
      code: 'method_not_allowed',
      headers: { allow: allowed.join(', ') },
    })
  }
  return pathNotFound(method, url)
}

/** 426 for a WebSocket at another path. Only this status makes Codex use HTTP immediately. */
export function noWebSockets(): GatewayError {
  return invalidRequest(
    'Tollgate serves WebSockets at /v1/responses only. Send a POST request: its stream is server-sent events.',
    { status: 426, code: 'websocket_not_supported', headers: { connection: 'close', upgrade: 'HTTP/1.1' } },
  )
}

/** A 404 that names the endpoint to use instead. */
export function pathNotFound(method: string, url: string): GatewayError {
  const endpoint = `${method} ${displayPath(url)}`
  const { path: corrected, mistake } = correctPath(stripQuery(url))
  const unsupportedRow = findRow(unsupported, method, corrected)
  if (unsupportedRow)
    return notFound(`Tollgate does not serve ${endpoint} yet. ${unsupportedRow.hint}`, NO_ENDPOINT)
  const allowed = mistake === null ? [] : allowedMethods(corrected)
  if (allowed.length > 0) {
    const use = allowed.includes(method) ? method : allowed.join(' or ')
    return notFound(`There is no ${endpoint}. ${mistake} Use ${use} ${displayPath(corrected)}.`, NO_ENDPOINT)
  }
  return notFound(`There is no endpoint ${endpoint}. GET /openapi.json lists them.`, NO_ENDPOINT)
}

/** The path of a URL, safe to show, store and log: without the query, keys or control characters. */
export function displayPath(url: string): string {
  const path = stripQuery(url)
  return isFixedPath(path) ? path : callerText(path, MAX_DISPLAY_LENGTH)
}

const MAX_DISPLAY_LENGTH = 120

/** The model in a path, as Gemini's API has it; null if there is none. */
export function modelInPath(url: string): string | null {
  return /^\/v1(?:alpha|beta)?\/models\/([^:]+):\w+$/.exec(stripQuery(url))?.[1] ?? null
}

function stripQuery(url: string): string {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}

function findRow<Row extends { path: RegExp; method?: string }>(
  rows: readonly Row[],
  method: string,
  path: string,
): Row | undefined {
  return rows.find((row) => row.path.test(path) && (row.method ?? method) === method)
}

interface Mistake {
  sentence: string
  correct(path: string): string
}

/** Common mistakes in base URLs. */
const mistakes: readonly Mistake[] = [
  { sentence: 'There is a slash too many.', correct: (path) => path.replaceAll(/\/{2,}/g, '/') },
  { sentence: 'There is a slash too many at the end.', correct: (path) => path.replace(/(?<=.)\/$/, '') },
  { sentence: 'The base URL has /v1 twice.', correct: (path) => path.replace(/^(\/v1)+(?=\/v1\/)/, '') },
  {
    sentence: 'The base URL must end in /v1.',
    correct: (path) =>
      path.replace(
        /^(?=\/(batches|chat\/completions|completions|embeddings|files|messages|models|responses)(\/|$))/,
        '/v1',
      ),
  },
]

/** The path without common mistakes, and the first mistake as a sentence; null if there is none. */
function correctPath(path: string): { path: string; mistake: string | null } {
  let corrected = path
  let mistake: string | null = null
  for (const { sentence, correct } of mistakes) {
    const next = correct(corrected)
    if (next !== corrected) mistake ??= sentence
    corrected = next
  }
  return { path: corrected, mistake }
}
