import { Check, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { KeyCreated, KeyMetadata } from '../../../shared/api/keys.ts'
import { cn } from '../../kit/cn.ts'
import { IconButton } from '../../kit/icon-button.tsx'
import { Card } from '../../kit/page.tsx'
import { KeyStep } from './key-step.tsx'
import { ToolStep } from './tool-step.tsx'
import { TryStep } from './try-step.tsx'

interface FirstStepsCardProps {
  /** A model has answered. */
  tried: boolean
  keysForTools: readonly KeyMetadata[]
  /** A tool has used one of them. */
  connected: boolean
  onStepTaken: () => void
  onDismiss: () => void
}

export function FirstStepsCard({
  tried,
  keysForTools,
  connected,
  onStepTaken,
  onDismiss,
}: FirstStepsCardProps) {
  const [asked, setAsked] = useState(false)
  const [created, setCreated] = useState<KeyCreated | null>(null)
  const hasKey = keysForTools.length > 0
  const toolKey = created ?? keysForTools[0] ?? null
  return (
    <Card>
      <header className="flex items-center justify-between gap-4 px-5 pt-4">
        <div>
          <h2 className="font-semibold text-lg">Get started in three steps</h2>
          <p className="text-ink-2">Nothing leaves this computer until you connect a provider.</p>
        </div>
        <IconButton label="Dismiss" icon={X} small className="self-start" onClick={onDismiss} />
      </header>
      <ol className="flex flex-col gap-5 px-5 pt-4 pb-5">
        <Step number={1} title="Try a model" done={tried} open={!tried || asked} next={!tried}>
          <TryStep
            onAsk={() => {
              setAsked(true)
              onStepTaken()
            }}
          />
        </Step>
        <Step
          number={2}
          title="Create a key"
          done={hasKey}
          open={!hasKey || created !== null}
          next={tried && !hasKey}
        >
          <KeyStep
            created={created}
            onCreated={(key) => {
              setCreated(key)
              onStepTaken()
            }}
          />
        </Step>
        <Step number={3} title="Connect a tool" done={connected} open next={tried && hasKey && !connected}>
          {toolKey ? (
            <ToolStep keyId={toolKey.id} keyName={toolKey.name} />
          ) : (
            <p className="text-ink-2">Your setup snippet appears here after you create a key.</p>
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
