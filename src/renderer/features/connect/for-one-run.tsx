import { Link } from 'wouter'
import { CodeBlock } from '../../kit/code-block.tsx'
import { Card, CardHeader } from '../../kit/page.tsx'

/** How a tool is started with a key for one run. */
export function ForOneRun() {
  return (
    <Card>
      <CardHeader title="For one run" />
      <div className="flex flex-col gap-3 px-4 pb-4">
        <p className="max-w-2xl text-ink-2">
          The tollgate command starts any tool with a new key that has a cap. It changes no files, prints what
          the run cost, and revokes the key.{' '}
          <Link href="/help/cli#run" className="font-medium text-accent-ink hover:underline">
            About the command line
          </Link>
        </p>
        <CodeBlock title="Terminal" code="tollgate run --cap 2 -- claude" copyLabel="Copy the command" />
      </div>
    </Card>
  )
}
