import { useQuery } from '@tanstack/react-query'
import { queries } from '../../data/queries.ts'
import { McpRow } from './mcp-row.tsx'
import { OpenTelemetryRow } from './opentelemetry-row.tsx'
import { PrometheusRow } from './prometheus-row.tsx'
import { Section } from './section.tsx'

/** Where other programs get what Tollgate knows. */
export function IntegrationsSection() {
  const { data: telemetry, error } = useQuery({ ...queries.telemetry, refetchInterval: 5_000 })
  return (
    <Section title="Integrations">
      <OpenTelemetryRow telemetry={telemetry ?? null} error={error} />
      <PrometheusRow />
      <McpRow />
    </Section>
  )
}
