import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import type { DesktopState } from '../../../shared/desktop/desktop.ts'
import { useBaseUrl } from '../../data/hooks.ts'
import { setPort } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'
import { CopyIconButton } from '../../kit/copy.tsx'
import { useSubmit } from '../../kit/use-submit.ts'
import { Row, SavedField } from '../../parts/settings/section.tsx'

function parsePort(text: string): { value: number } | string {
  const port = Number(text)
  return /^\d+$/.test(text) && port >= 1 && port <= 65_535 ? { value: port } : 'Enter a port from 1 to 65535.'
}

export function PortRow({ desktop }: { desktop: DesktopState }) {
  const { pending, error, submit } = useSubmit()
  const [changed, setChanged] = useState(false)
  const { listenError, suggestedPort, port } = desktop
  const problem = listenError ?? error?.message ?? null
  const change = async (next: number) => {
    await setPort(next)
    setChanged(true)
  }
  return (
    <Row
      text={
        problem === null ? (
          'The gateway listens on this port of this computer only. After a change, tools need the new base URL.'
        ) : (
          <span className="text-bad">{problem}</span>
        )
      }
      below={changed && problem === null ? <NewAddress /> : null}
    >
      {listenError && suggestedPort !== null ? (
        <Button pending={pending} onClick={() => void submit(() => change(suggestedPort))}>
          {`Use ${suggestedPort}`}
        </Button>
      ) : null}
      <SavedField label="Port" inputMode="numeric" stored={String(port)} parse={parsePort} save={change} />
    </Row>
  )
}

const DAY_MS = 86_400_000

/** The steps for tools after a change of the port, and which tools are likely to be in use. */
function NewAddress() {
  const baseUrl = useBaseUrl()
  const { data: keys = [] } = useQuery(queries.keys)
  if (baseUrl === null) return null
  const since = Date.now() - DAY_MS
  const used = keys.filter(
    ({ purpose, revokedAt, lastUsedAt }) =>
      purpose === 'user' && revokedAt === null && lastUsedAt !== null && Date.parse(lastUsedAt) >= since,
  )
  return (
    <div role="status" className="mt-2 rounded-md bg-warn-soft px-3 py-2 text-sm">
      <div className="flex flex-wrap items-center gap-x-1.5">
        The base URL is now
        <code className="font-mono">{baseUrl}</code>
        <CopyIconButton text={baseUrl} label="Copy base URL" />
      </div>
      <p>
        {used.length > 0
          ? `Tools with these keys were used in the last day and need it: ${used.map(({ name }) => name).join(', ')}. `
          : 'No tool was used in the last day. '}
        <Link href="/connect" className="whitespace-nowrap font-medium text-accent-ink hover:underline">
          Open Connect
        </Link>
      </p>
    </div>
  )
}
