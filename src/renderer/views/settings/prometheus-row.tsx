import { CodeBlock } from '../../components/code-block.tsx'
import { useBaseUrl } from '../../server-state/hooks.ts'
import { prometheusConfig } from '../../snippets/integration-snippets.ts'
import { Row } from './section.tsx'

export function PrometheusRow() {
  const baseUrl = useBaseUrl()
  return (
    <Row
      title="Prometheus"
      text={
        <>
          Requests, tokens, costs, durations and what is left of each cap, at{' '}
          <span className="font-mono text-ink-2">/metrics</span>. Use a key with the scope “Read only”.
        </>
      }
      below={
        baseUrl === null ? null : (
          <div className="mt-2">
            <CodeBlock
              title="prometheus.yml"
              copyLabel="Copy scrape configuration"
              code={prometheusConfig(baseUrl)}
            />
          </div>
        )
      }
    />
  )
}
