import { Check, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { type Telemetry, type TelemetryTest, TelemetryUpdate } from '../../../shared/api/telemetry.ts'
import { api } from '../../data/api.ts'
import { updateTelemetry } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { refresh } from '../../data/query-client.ts'
import type { ApiError } from '../../kit/api-error.ts'
import { Button } from '../../kit/button.tsx'
import { formatCount } from '../../kit/format.ts'
import { useSubmit } from '../../kit/use-submit.ts'
import { RelativeTime } from '../../parts/controls/relative-time.tsx'
import { OpenTelemetryOptions } from './opentelemetry-options.tsx'
import { SavedField } from './saved-field.tsx'
import { Row } from './section.tsx'

interface OpenTelemetryRowProps {
  /** Null while it is loading. */
  telemetry: Telemetry | null
  error: ApiError | null
}

export function OpenTelemetryRow({ telemetry, error }: OpenTelemetryRowProps) {
  const isOn = telemetry !== null && (telemetry.endpoint !== null || telemetry.source === 'environment')
  return (
    <Row
      title="OpenTelemetry"
      text="Sends a trace of each request, with its tokens and cost, and metrics to a collector by OTLP over HTTP. Prompts and answers stay here unless you include them. Off without an endpoint."
      error={error}
      below={
        telemetry === null ? null : (
          <div className="mt-2 flex flex-col gap-3">
            <SavedField
              label="OTLP endpoint"
              wide
              stored={telemetry.endpoint ?? ''}
              placeholder={
                telemetry.source === 'environment'
                  ? 'From OTEL_EXPORTER_OTLP_ENDPOINT'
                  : 'http://localhost:4318'
              }
              parse={parseEndpoint}
              save={(endpoint) => updateTelemetry({ endpoint })}
            />
            {isOn ? (
              <>
                <OpenTelemetryOptions telemetry={telemetry} />
                <OpenTelemetryStatus telemetry={telemetry} />
              </>
            ) : null}
          </div>
        )
      }
    />
  )
}

function parseEndpoint(text: string): { value: string | null } | string {
  if (text === '') return { value: null }
  const parsed = TelemetryUpdate.safeParse({ endpoint: text })
  if (parsed.success) return { value: text }
  return 'Enter an address such as http://localhost:4318, without a query. Put a credential into a header.'
}

/** How the exports went, and a test. */
function OpenTelemetryStatus({ telemetry }: { telemetry: Telemetry }) {
  const { pending, error, submit } = useSubmit()
  const [test, setTest] = useState<TelemetryTest | null>(null)
  const { lastExportAt, lastProblem, spansSent, spansLost, activeEndpoints } = telemetry
  const run = () => {
    setTest(null)
    void submit(async () => {
      const result = await api('testTelemetry')
      await refresh(queries.telemetry)
      return result
    }, setTest)
  }
  return (
    <div className="flex flex-col gap-2 text-sm">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p role="status" className="min-w-0 text-ink-2">
          {lastExportAt === null ? (
            'Nothing was sent yet'
          ) : (
            <>
              Last sent <RelativeTime iso={lastExportAt} />
            </>
          )}
          {` · ${formatCount(spansSent)} ${spansSent === 1 ? 'span' : 'spans'} since the start`}
          {spansLost > 0 ? ` · ${formatCount(spansLost)} lost` : ''}
        </p>
        <Button small pending={pending} disabled={activeEndpoints.length === 0} onClick={run}>
          Send test
        </Button>
      </div>
      {lastProblem !== null && test === null ? <Problem text={lastProblem.message} /> : null}
      {error ? <Problem text={error.message} /> : null}
      <ul className="flex flex-col gap-1">
        {test?.data.map(({ signal, ok, ms, error: problem }) => (
          <li key={signal}>
            {ok ? (
              <p className="flex gap-2 text-good">
                <Check size={14} aria-hidden className="mt-0.5 shrink-0" />
                The collector took the {signal} in {ms} ms.
              </p>
            ) : (
              <Problem text={`${signal === 'traces' ? 'Traces' : 'Metrics'}: ${problem ?? 'not sent'}`} />
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}

function Problem({ text }: { text: string }) {
  return (
    <p role="alert" className="flex gap-2 text-bad">
      <TriangleAlert size={14} aria-hidden className="mt-0.5 shrink-0" />
      {text}
    </p>
  )
}
