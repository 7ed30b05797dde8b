import { useBaseUrl } from '../../data/hooks.ts'
import { CodeBlock } from '../../kit/code-block.tsx'
import { prometheusConfig } from '../../parts/snippets/integration-snippets.ts'
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
