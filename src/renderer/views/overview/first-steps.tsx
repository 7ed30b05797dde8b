import { useQuery } from '@tanstack/react-query'
import { Check, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { KeyCreated } from '../../../shared/keys.ts'
import { IconButton } from '../../components/button.tsx'
import { cn } from '../../components/cn.ts'
import { Card } from '../../components/page.tsx'
import { queries } from '../../server-state/queries.ts'
import { KeyStep } from './key-step.tsx'
import { ToolStep } from './tool-step.tsx'
import { TryStep } from './try-step.tsx'

const SLOT = 'tollgate.firstStepsDismissed'

/** Guides a new user. Hidden once all steps are done, or when it is dismissed. */
export function FirstSteps() {
  const { data: keys } = useQuery(queries.keys)
  const { data: usage } = useQuery(queries.usage)
  const [dismissed, setDismissed] = useState(() => localStorage.getItem(SLOT) !== null)
  const [asked, setAsked] = useState(false)
  const [created, setCreated] = useState<KeyCreated | null>(null)
  if (!keys || !usage || dismissed) return null

  const forTools = keys.filter(
    (key) => key.revokedAt === null && key.scope !== 'admin' && key.name !== 'Playground',
  )
  const tried = usage.total.requests > 0
  const hasKey = forTools.length > 0
  const connected = forTools.some((key) => key.lastUsedAt !== null)
  // Steps completed just now stay visible until the user leaves.
  if (tried && connected && !asked && !created) return null
  const toolKey = created ?? forTools[0] ?? null
  return (
    <Card>
      <header className="flex items-center justify-between gap-4 px-5 pt-4">
        <div>
          <h2 className="font-semibold text-lg">Three steps to a metered tool</h2>
          <p className="text-ink-2">Nothing leaves this computer until you connect a provider.</p>
        </div>
        <IconButton
          label="Dismiss"
          icon={X}
          small
          className="self-start"
          onClick={() => {
            localStorage.setItem(SLOT, '1')
            setDismissed(true)
          }}
        />
      </header>
      <ol className="flex flex-col gap-5 px-5 pt-4 pb-5">
        <Step number={1} title="Try a model" done={tried} open={!tried || asked} next={!tried}>
          <TryStep onAsk={() => setAsked(true)} />
        </Step>
        <Step
          number={2}
          title="Create a key"
          done={hasKey}
          open={!hasKey || created !== null}
          next={tried && !hasKey}
        >
          <KeyStep created={created} onCreated={setCreated} />
        </Step>
        <Step
          number={3}
          title="Point a tool at it"
          done={connected}
          open
          next={tried && hasKey && !connected}
        >
          {toolKey ? (
            <ToolStep keyId={toolKey.id} keyName={toolKey.name} />
          ) : (
            <p className="text-ink-2">What to paste appears here once there is a key.</p>
          )}
        </Step>
      </ol>
    </Card>
  )
}

interface StepProps {
  number: number
  title: string
  done: boolean
  open: boolean
  /** The step to do now. */
  next: boolean
  children: ReactNode
}

function Step({ number, title, done, open, next, children }: StepProps) {
  return (
    <li className="flex gap-3">
      <span
        className={cn(
          'flex size-6 shrink-0 items-center justify-center rounded-full font-semibold text-sm',
          done ? 'bg-good-soft text-good' : next ? 'bg-accent text-white' : 'bg-sunken text-ink-2',
        )}
      >
        {done ? <Check size={13} aria-hidden /> : number}
      </span>
      <div className="min-w-0 flex-1">
        <h3 className={cn('font-medium leading-6', done && !open && 'text-ink-2')}>
          {title}
          {done ? <span className="sr-only"> (done)</span> : null}
        </h3>
        {open ? children : null}
      </div>
    </li>
  )
}
