import type { CredentialStore } from '../../../gateway/models/providers/credential-store.ts'
import {
  readSecretHeaders,
  SecretEntries,
  writeSecretHeaders,
} from '../../../gateway/models/providers/credentials.ts'
import { formatTime } from '../../../gateway/platform/clock.ts'
import { invalidRequest, serverError } from '../../../gateway/platform/errors.ts'
import { omitUndefined } from '../../../gateway/platform/fields.ts'
import { SerialQueue } from '../../../gateway/platform/wait.ts'
import type { CommonServices } from '../../../gateway/settings/settings.ts'
import type {
  RequestTrace,
  TraceArrival,
  TraceOutcome,
  Tracer,
} from '../../../gateway/upstream/request-trace.ts'
import { StoredTelemetry, type TelemetryUpdate, type Telemetry as TelemetryView } from '../api/telemetry.ts'
import { isInsecure, type OtlpTarget, readOtlpEnvironment } from './otlp-environment.ts'
import { ExportStatus } from './otlp-exporter.ts'
import type { Pipeline } from './pipeline.ts'
import { listenToSettled } from './settled-requests.ts'

const SETTING = 'telemetry'
/** The entry of the headers in the credential store. The id of a provider contains no `#`. */
const HEADERS_ENTRY = '#otlp-headers'
const DEFAULTS: StoredTelemetry = {
  endpoint: null,
  traces: true,
  metrics: true,
  includePrompts: false,
  headerNames: [],
}

export interface TelemetryDeps extends CommonServices {
  credentials: CredentialStore
  installId: string
  version: string
  /** The variables of OpenTelemetry; empty where the environment decides nothing. */
  environment: Readonly<Record<string, string | undefined>>
}

/** The export of traces and metrics to OpenTelemetry. Off until an endpoint is set; then the SDK is loaded. */
export class Telemetry implements Tracer {
  readonly #deps: TelemetryDeps
  readonly #secrets: SecretEntries
  readonly #status: ExportStatus
  readonly #changes = new SerialQueue()
  #value: StoredTelemetry
  #pipeline: Pipeline | null = null
  #activeEndpoint: string | null = null
  #stopListening: () => void = () => {}

  constructor(deps: TelemetryDeps) {
    this.#deps = deps
    this.#secrets = new SecretEntries(deps.credentials, deps.installId)
    this.#status = new ExportStatus(deps.clock, deps.log)
    const stored = StoredTelemetry.partial().safeParse(deps.settings.stored(SETTING))
    this.#value = { ...DEFAULTS, ...omitUndefined(stored.data ?? {}) }
  }

  /** Not to be awaited by the start: the SDK is loaded, and a keychain may prompt the user. */
  start(): Promise<void> {
    return this.#changes
      .run(() => this.#restart())
      .catch((err: unknown) => {
        this.#status.failed('The headers cannot be read from the keychain. Unlock it, or enter them again.')
        this.#deps.log.error('The export to OpenTelemetry could not be started', { err })
      })
  }

  get isOn(): boolean {
    return this.#pipeline !== null
  }

  startRequest(arrival: TraceArrival): RequestTrace | null {
    return this.#pipeline?.startRequest(arrival) ?? null
  }

  endRequest(requestId: string, outcome: TraceOutcome | null): void {
    this.#pipeline?.end(requestId, outcome)
  }

  view(): TelemetryView {
    const { lastExportAt, lastProblem, spansSent, spansLost } = this.#status
    return {
      ...this.#value,
      activeEndpoint: this.#activeEndpoint,
      lastExportAt: formatTime(lastExportAt),
      lastProblem,
      spansSent,
      spansLost,
    }
  }

  /** Throws 400 for headers that cannot be stored, and 503 when the keychain is not available. */
  update({ headers, ...patch }: TelemetryUpdate): Promise<TelemetryView> {
    return this.#changes.run(async () => {
      const next: StoredTelemetry = { ...this.#value, ...omitUndefined(patch) }
      if (headers) next.headerNames = Object.keys(headers)
      if (next.endpoint !== null && isInsecure(next.endpoint))
        throw invalidRequest(explainInsecure(next.endpoint), { param: 'endpoint', code: 'insecure_http' })
      const undo = headers ? await this.#storeHeaders(headers) : null
      try {
        await this.#deps.store.write('putSettings', [{ name: SETTING, value: next }])
      } catch (error) {
        await undo?.()
        throw error
      }
      this.#value = next
      await this.#restart()
      return this.view()
    })
  }

  /** Sends what waits. For tests and for shutting down. */
  async close(): Promise<void> {
    await this.#changes.run(() => this.#stop())
  }

  async #restart(): Promise<void> {
    await this.#stop()
    const { traces, metrics, includePrompts } = this.#value
    const target = traces || metrics ? await this.#findTarget() : null
    if (!target) return
    const { version, installId, events } = this.#deps
    const { Pipeline: Loaded } = await import('./pipeline.ts')
    const status = this.#status
    const pipeline = new Loaded({ target, traces, metrics, includePrompts, status, version, installId })
    this.#stopListening = listenToSettled(events, (record, repeats) => pipeline.settled(record, repeats))
    this.#activeEndpoint = target.endpoint
    this.#pipeline = pipeline
  }

  async #stop(): Promise<void> {
    const pipeline = this.#pipeline
    this.#stopListening()
    this.#stopListening = () => {}
    this.#pipeline = null
    this.#activeEndpoint = null
    await pipeline?.close()
  }

  /** An endpoint in the settings replaces the whole environment: its headers belong to another address. */
  async #findTarget(): Promise<OtlpTarget | null> {
    const { endpoint } = this.#value
    if (endpoint !== null) return { endpoint, headers: await this.#readHeaders() }
    const target = readOtlpEnvironment(this.#deps.environment)
    if (!target || !isInsecure(target.endpoint)) return target
    this.#status.failed(`OTEL_EXPORTER_OTLP_ENDPOINT is not used. ${explainInsecure(target.endpoint)}`)
    return null
  }

  async #readHeaders(): Promise<Readonly<Record<string, string>>> {
    if (this.#value.headerNames.length === 0) return {}
    const text = await this.#secrets.get(HEADERS_ENTRY)
    const headers = text === null ? null : readSecretHeaders(text)
    if (headers) return headers
    throw serverError(
      'The headers for OpenTelemetry are not in the keychain: it is locked, or the entry was deleted. Unlock it, or enter the headers again under Settings.',
      503,
      'credentials_unavailable',
    )
  }

  async #storeHeaders(headers: Readonly<Record<string, string>>): Promise<() => Promise<void>> {
    const hasHeaders = Object.keys(headers).length > 0
    const hadHeaders = this.#value.headerNames.length > 0
    if (hasHeaders && this.#secrets.kind === 'env') {
      throw invalidRequest(
        'Headers cannot be stored while credentials come from the environment. Set OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS instead, and restart Tollgate.',
        { param: 'headers' },
      )
    }
    const text = writeSecretHeaders(headers)
    return await this.#secrets.change(async (change) => {
      if (hasHeaders) await change.put(HEADERS_ENTRY, text, hadHeaders)
      else if (hadHeaders) await change.drop(HEADERS_ENTRY)
    })
  }
}

function explainInsecure(endpoint: string): string {
  return `http:// is only for receivers on this computer or in a private network. Use https://${new URL(endpoint).host}.`
}
