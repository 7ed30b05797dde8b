// The calls between the desktop app's main thread and the thread of its gateway.
import type { MessagePort, Worker } from 'node:worker_threads'
import { type BirpcReturn, createBirpc } from 'birpc'
import {
  CredentialStoreError,
  type Gateway,
  type GatewayOptions,
  type LogFields,
  type LogLevel,
  StoreError,
} from '../../gateway/compose/host-api.ts'
import { PortTakenError } from '../../gateway/compose/start-gateway.ts'
import type { LiveEvent } from '../../shared/api/events.ts'
import { type SerializedError, serializeError } from '../serialize-error.ts'

/** The options of a gateway that can be copied to its thread. */
export interface ThreadData
  extends Pick<GatewayOptions, 'dataDir' | 'version' | 'interfaceDir' | 'createAdminKey'> {
  credentials: GatewayOptions['credentials']['kind']
  logLevel: LogLevel
}

/** The body, which is transferred, and what is copied of a request or a response. */
interface Packed {
  headers: [string, string][]
  body: ReadableStream<Uint8Array> | null
}

/** The functions of the gateway's thread. */
export interface GatewayCalls extends Pick<Gateway, 'listen' | 'listenLocally' | 'stopListening'> {
  /** Resolves with the secret of the admin key that this start created. Rejects with a StoreError. */
  start(): Promise<string | null>
  fetch(request: Packed & { url: string; method: string }): Promise<Packed & { status: number }>
  close(drainMs?: number): Promise<void>
  /** Ends the time that `close` gives to running requests. */
  hurry(): void
}

/** The functions of the main thread. */
export interface ShellCalls {
  log(level: LogLevel, message: string, fields: LogFields, error?: SerializedError): void
  getCredential(account: string): Promise<string | null>
  setCredential(account: string, secret: string): Promise<void>
  deleteCredential(account: string): Promise<void>
  findProxy(origin: string): Promise<{ url: string; source: string } | null>
  publish(event: LiveEvent): void
  fail(error: StoreError): void
  /** An error that nothing caught. The thread is about to end. */
  crash(error: SerializedError): void
}

/** Connects one side to the other: its functions can be called, and errors keep their class. */
export function connectCalls<Remote extends object, Local extends object>(
  port: Pick<MessagePort | Worker, 'postMessage' | 'on'>,
  local: Local,
): BirpcReturn<Remote, Local> {
  return createBirpc<Remote, Local>(local, {
    post: (message) => port.postMessage(message, findStreams(message)),
    on: (receive) => void port.on('message', receive),
    serialize: (message) => ('e' in message ? { ...message, e: serializeError(message.e) } : message),
    deserialize: (message) => ('e' in message ? { ...message, e: reviveError(message.e) } : message),
    // A request may take as long as its provider does.
    timeout: -1,
  })
}

/** The body of a request or response: a stream is moved to the other thread, not copied. */
function findStreams({ a: args = [], r: result }: { a?: unknown[]; r?: unknown }): ReadableStream[] {
  return [...args, result].flatMap((value) => {
    const body = typeof value === 'object' && value !== null && 'body' in value ? value.body : null
    return body instanceof ReadableStream ? [body] : []
  })
}

/** The errors that the other side tells apart. */
const CLASSES = [StoreError, PortTakenError, CredentialStoreError]

/** An error of the other thread, with the class that it had there if that matters. */
export function reviveError({ type, cause, ...fields }: SerializedError): Error {
  const error: Error = Object.create((CLASSES.find(({ name }) => name === type) ?? Error).prototype)
  return Object.assign(error, fields, { name: type }, cause && { cause: reviveError(cause) })
}
