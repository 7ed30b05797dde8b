// Owns saying plainly what cannot be connected, and why.
import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Card, CardHeader } from '../../components/page.tsx'

export function Limits() {
  return (
    <Card>
      <CardHeader title="What cannot be connected" />
      <ul className="flex flex-col gap-2 px-4 pb-4 text-ink-2">
        <Limit>
          <strong className="font-medium text-ink">Cursor</strong> sends its calls from its own servers, which
          cannot reach an address on this machine.
        </Limit>
        <Limit>
          <strong className="font-medium text-ink">Claude Code</strong> speaks Anthropic’s format and{' '}
          <strong className="font-medium text-ink">Codex</strong> OpenAI’s Responses format; this gateway
          serves neither yet.
        </Limit>
        <Limit>
          <strong className="font-medium text-ink">Containers and other computers</strong> have a 127.0.0.1 of
          their own. The gateway listens on this computer only.
        </Limit>
        <Limit>
          <strong className="font-medium text-ink">Web pages</strong> are refused unless you allow their
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
