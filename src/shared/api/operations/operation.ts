import type { z } from 'zod'
import type { Scope } from '../keys.ts'

export const TAGS = [
  'Chat completions',
  'Messages',
  'Text completions',
  'Responses',
  'Gemini API',
  'Embeddings, images and audio',
  'Batches',
  'Models',
  'API keys',
  'Requests',
  'Receipts',
  'Reconciliation',
  'Sessions',
  'Usage',
  'History',
  'Account',
  'Estimates',
  'Rules',
  'Providers',
  'Prices',
  'Settings',
  'Backups',
  'Activity',
  'Events',
  'Integrations',
  'Gateway',
] as const
type Tag = (typeof TAGS)[number]

/** The APIs that clients speak. */
export type ClientFormat =
  | 'openai-chat'
  | 'openai-completions'
  | 'openai-responses'
  | 'mistral-fim'
  | 'anthropic-messages'
  | 'gemini-generate'

/** Endpoints whose requests and answers pass through unchanged. */
export type PassThroughEndpoint =
  | 'embeddings'
  | 'moderations'
  | 'rerank'
  | 'images'
  | 'imageEdits'
  | 'transcriptions'
  | 'translations'
  | 'speech'

export interface Operation {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** OpenAPI notation. `{id+}` matches across slashes: model ids have them. */
  path: string
  /** Paths of the same operation in other versions of its API. */
  otherPaths?: readonly string[]
  /** Selects this operation, among those with a path in `otherPaths`, for requests with this header. */
  header?: string
  tag: Tag
  /** What the id in its path is, where that does not follow from the path. */
  idDescription?: string
  /** The API it belongs to, which decides the form of its errors: OpenAI's if absent. */
  format?: ClientFormat
  /** The handler writes the response: a stream, or a provider's own bytes. All others answer with one JSON object. */
  writes?: true
  /** A POST that changes nothing and costs nothing: an Idempotency-Key is ignored, because a repetition does no harm. */
  reads?: true
  /** The request passes through unchanged, except for the model's name, and so does the answer. */
  passThrough?: PassThroughEndpoint
  summary: string
  description?: string
  /** Scopes that may call it; `public` needs no key. */
  scopes: readonly Scope[] | 'public'
  body?: z.ZodType
  /** The body may be left out, which means `{}`. */
  optionalBody?: true
  query?: z.ZodType
  response: z.ZodType
  status?: 201
  /** Error statuses beyond those that follow from the method, path, body and scopes. */
  errors?: readonly number[]
  /** `events`: always server-sent events. `optional-events`: when the body says `stream: true`. */
  streams?: 'events' | 'optional-events'
  /** The data of each event, if it is neither `response` nor a chunk of a chat completion. */
  event?: z.ZodType
  /**
   * The part that is not JSON: `body` is a file, which is not read into memory; `response` a database file; and `metrics` the
   * text format of Prometheus.
   */
  file?: 'body' | 'response' | 'metrics'
  /** The media types and schema of a file, if it is not a database. */
  fileContent?: { types: readonly string[]; schema: z.ZodType }
  /** The body is `multipart/form-data` instead of JSON, or either. Its schema has the texts, and the size of a file. */
  form?: true | 'or-json'
}

type Route = Pick<Operation, 'method' | 'path'>
type Row<Common> = Omit<Operation, keyof Route | keyof Common> &
  Partial<Pick<Operation, keyof Common & keyof Operation>>

/** Returns what describes the operations of a subject: each has its method and path from `routes`, and from `common` what its row does not state. */
export function describeOperations<
  const Routes extends Readonly<Record<string, Route>>,
  const Common extends Partial<Operation>,
>(routes: Routes, common: Common) {
  return <const Rows extends Readonly<Record<string, Row<Common>>>>(
    rows: Rows & { readonly [Name in Exclude<keyof Rows, keyof Routes>]: never },
  ): {
    readonly [Name in keyof Rows & keyof Routes]: Routes[Name] & Rows[Name] & Omit<Common, keyof Rows[Name]>
  } => {
    const operations = Object.entries(rows).map(([name, row]) => [
      name,
      { ...routes[name], ...common, ...row },
    ])
    return Object.fromEntries(operations)
  }
}

/** Scopes of operations. */
export const anyone = ['admin', 'full', 'read-only', 'completions-only'] as const
export const inference = ['admin', 'full', 'completions-only'] as const
export const reading = ['admin', 'full', 'read-only'] as const
export const admin = ['admin'] as const

/** Whether an Idempotency-Key of a request is stored with its answer. */
export function takesIdempotencyKey({ method, file, reads }: Operation): boolean {
  return method === 'POST' && file !== 'body' && !reads
}
