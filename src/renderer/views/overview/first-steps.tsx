// Owns leading a new user: try it, make a key, point a tool at it. Gone once all three are done, or when dismissed.
import { ArrowRight, Check, X } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { IconButton } from '../../components/button.tsx'
import { classes } from '../../components/classes.ts'
import { Card } from '../../components/page.tsx'
import { useKeys } from '../../stores/keys.ts'
import { useUsage } from '../../stores/usage.ts'

const SLOT = 'tollgate.firstStepsDismissed'

export function FirstSteps() {
  const keys = useKeys((store) => store.keys)
  const known = useKeys((store) => store.state === 'ready')
  const usageKnown = useUsage((store) => store.state === 'ready')
  const total = useUsage((store) => store.total)
  const [dismissed, setDismissed] = useState(() => localStorage.getItem(SLOT) !== null)
  if (!known || !usageKnown || dismissed) return null

  const forTools = keys.filter((key) => key.scope !== 'admin' && key.name !== 'Playground')
  const steps = [
    {
      title: 'Try a model',
      text: 'The sandbox answers at once, with no account.',
      action: { label: 'Open the playground', href: '/playground' },
      done: total.requests > 0,
    },
    {
      title: 'Create a key',
      text: 'One for each tool, with a cap that holds.',
      action: { label: 'Create a key', href: '/keys?new=1' },
      done: forTools.length > 0,
    },
    {
      title: 'Point a tool at it',
      text: 'Paste an address and the key; see the first call arrive.',
      action: { label: 'Connect a tool', href: '/connect' },
      done: forTools.some((key) => key.lastUsedAt !== null),
    },
  ]
  if (steps.every(({ done }) => done)) return null
  const next = steps.findIndex(({ done }) => !done)
  return (
    <Card>
      <header className="flex items-center justify-between px-4 pt-3">
        <h2 className="font-semibold">Three steps to a metered tool</h2>
        <IconButton
          label="Dismiss"
          icon={X}
          small
          onClick={() => {
            localStorage.setItem(SLOT, '1')
            setDismissed(true)
          }}
        />
      </header>
      <ol className="grid grid-cols-3 gap-4 p-4 pt-2">
        {steps.map((step, index) => (
          <li key={step.title} className="flex gap-3">
            <span
              className={classes(
                'flex size-6 shrink-0 items-center justify-center rounded-full font-semibold text-sm',
                step.done
                  ? 'bg-good-soft text-good'
                  : index === next
                    ? 'bg-accent text-white'
                    : 'bg-sunken text-ink-2',
              )}
            >
              {step.done ? <Check size={13} aria-hidden /> : index + 1}
            </span>
            <div className="min-w-0">
              <h3 className="font-medium leading-6">
                {step.title}
                {step.done ? <span className="sr-only"> (done)</span> : null}
              </h3>
              <p className="text-ink-2 text-sm">{step.text}</p>
              <Link
                href={step.action.href}
                className="mt-1.5 inline-flex items-center gap-1 font-medium text-accent-ink hover:underline"
              >
                {step.action.label} <ArrowRight size={13} aria-hidden />
              </Link>
            </div>
          </li>
        ))}
      </ol>
    </Card>
  )
}
