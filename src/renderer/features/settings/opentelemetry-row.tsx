import type { Telemetry } from '../../../shared/api/telemetry.ts'
import { TelemetryUpdate } from '../../../shared/api/telemetry.ts'
import { updateTelemetry } from '../../data/mutations.ts'
import type { ApiError } from '../../kit/api-error.ts'
import { OpenTelemetryOptions } from './opentelemetry-options.tsx'
import { OpenTelemetryStatus } from './opentelemetry-status.tsx'
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
