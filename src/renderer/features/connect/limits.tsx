import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Card, CardHeader } from '../../kit/page.tsx'

export function Limits() {
  return (
    <Card>
      <CardHeader title="Not supported yet" />
      <ul className="flex flex-col gap-2 px-4 pb-4 text-ink-2">
        <Limit>
          <strong className="font-medium text-ink">Cursor</strong> sends requests from its own servers, which
          cannot reach this computer.
        </Limit>
        <Limit>
          <strong className="font-medium text-ink">Other computers</strong> cannot reach the gateway: it
          listens on this computer only.
        </Limit>
        <Limit>
          <strong className="font-medium text-ink">Web pages</strong> are rejected unless you allow their
          origin in Settings.
        </Limit>
      </ul>
    </Card>
  )
}

function Limit({ children }: { children: ReactNode }) {
  return (
    <li className="flex gap-2">
      <TriangleAlert size={14} aria-hidden className="mt-[3px] shrink-0 text-ink-3" />
      <p>{children}</p>
    </li>
  )
}
