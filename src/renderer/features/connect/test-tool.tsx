import { useQuery } from '@tanstack/react-query'
import { PlugZap } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import { latestRequest } from '../../data/latest-request.ts'
import { StatusDot } from '../../kit/badge.tsx'
import { Button } from '../../kit/button.tsx'
import { CodeBlock } from '../../kit/code-block.tsx'
import { Arrival } from '../../parts/arrival/arrival.tsx'
import type { Snippet } from '../../parts/snippets/snippet.ts'

/** After that, a tool that was set up right would have called. */
const PATIENCE_MS = 45_000

interface TestToolProps {
  tool: Snippet
  /** The key that the tool uses. */
  chosen: Pick<KeyMetadata, 'id' | 'name'> | null
}

/** Waits for the next request with the key, and says how it ended. */
export function TestTool({ tool, chosen }: TestToolProps) {
  const [startedAt, setStartedAt] = useState<string | null>(null)
  return (
    <section aria-label={`Test ${tool.name}`} className="flex flex-col gap-3 border-line border-t pt-4">
      <div className="flex flex-wrap items-center gap-3">
        <Button
          icon={PlugZap}
          disabled={chosen === null}
          onClick={() => setStartedAt(new Date().toISOString())}
        >
          {startedAt === null ? 'Test this tool' : 'Test again'}
        </Button>
        <p className="text-ink-3">
          {chosen === null
            ? 'Create a key first.'
            : startedAt === null
              ? 'Checks whether a request of the tool reaches Tollgate.'
              : null}
        </p>
      </div>
      {chosen !== null && startedAt !== null ? (
        // A new test waits from the beginning.
        <Waiting key={`${chosen.id} ${startedAt}`} tool={tool} chosen={chosen} startedAt={startedAt} />
      ) : null}
    </section>
  )
}

interface WaitingProps {
  tool: Snippet
  chosen: Pick<KeyMetadata, 'id' | 'name'>
  startedAt: string
}

function Waiting({ tool, chosen, startedAt }: WaitingProps) {
  const { data: latest } = useQuery({ ...latestRequest(chosen.id, null), enabled: false })
  const [isLate, setIsLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsLate(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [])
  const arrived = latest && (latest.lastAt ?? latest.createdAt) >= startedAt ? latest : null
  const command = testCommand(tool.id)
  return (
    <>
      {command === null ? (
        <p className="text-ink-2">{describeStep(tool)}</p>
      ) : (
        <CodeBlock title="Run this in a terminal" code={command} copyLabel="Copy test command" />
      )}
      <p role="status" className="flex min-h-5 flex-wrap items-center gap-x-1.5 text-ink-2">
        {arrived ? (
          <Arrival request={arrived} keyName={chosen.name} />
        ) : (
          <>
            <StatusDot tone="accent" pulse>
              Waiting for the next request with “{chosen.name}”…
            </StatusDot>
            {isLate ? (
              <span className="basis-full">
                Nothing has arrived yet. Start {tool.name} again so that it reads its settings, and check that
                it uses the base URL and the key above.
              </span>
            ) : null}
          </>
        )}
      </p>
    </>
  )
}

function describeStep({ group, name }: Snippet): string {
  return group === 'code' ? 'Run the program above.' : `Send a message in ${name}.`
}

/** A command that makes a tool of the terminal send one request, as each tool documents it. */
const commands: Readonly<Record<string, string>> = {
  aider: 'aider --message "Say hello" --no-git',
  'claude-code': 'claude -p "Say hello"',
  codex: 'codex exec --skip-git-repo-check "Say hello"',
  copilot: 'copilot -p "Say hello"',
  crush: 'crush run "Say hello"',
  gemini: 'gemini -p "Say hello"',
  opencode: 'opencode run "Say hello"',
  pi: 'pi -p "Say hello"',
  qwen: 'qwen -p "Say hello"',
}

/** Null for a tool that is tested by using it. */
function testCommand(tool: string): string | null {
  return commands[tool] ?? null
}
