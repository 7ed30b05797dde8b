import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { queries } from '../../data/queries.ts'
import { CodeBlock } from '../../kit/code-block.tsx'
import { Card, CardHeader } from '../../kit/page.tsx'

const OPTION = '--add-host=host.docker.internal:host-gateway'

/** How a program in a container reaches the gateway. */
export function FromContainer() {
  const { data: info } = useQuery(queries.gateway)
  if (!info) return null
  const { enabled, baseUrl, problem } = info.containers
  return (
    <Card>
      <CardHeader title="From a container" />
      <div className="flex flex-col gap-3 px-4 pb-4">
        {baseUrl !== null ? (
          <>
            <p className="max-w-2xl text-ink-2">
              Inside a container, 127.0.0.1 is the container itself. Use this base URL there, with the same
              keys. On Linux, start the container with the option, or add the lines to its service.
            </p>
            <div className="grid grid-cols-2 items-start gap-3 max-lg:grid-cols-1">
              <div className="col-span-full">
                <CodeBlock
                  title="Base URL in a container"
                  code={`${baseUrl}/v1`}
                  copyLabel="Copy base URL in a container"
                />
              </div>
              <CodeBlock title="docker run" code={OPTION} copyLabel="Copy docker run option" />
              <CodeBlock
                title="compose.yaml"
                code={'extra_hosts:\n  - "host.docker.internal:host-gateway"'}
                copyLabel="Copy compose.yaml"
              />
            </div>
          </>
        ) : (
          <p className="max-w-2xl text-ink-2">
            {enabled && problem !== null ? <span className="text-bad">{problem} </span> : null}
            {enabled
              ? null
              : 'Inside a container, 127.0.0.1 is the container itself, so it cannot reach the gateway yet. '}
            <Link href="/settings#gateway" className="font-medium text-accent-ink hover:underline">
              {enabled ? 'Open Settings' : 'Let containers reach the gateway in Settings'}
            </Link>
          </p>
        )}
      </div>
    </Card>
  )
}
