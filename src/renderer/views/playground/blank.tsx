// Owns what stands in a conversation before its first message: what to ask, or why nothing can be asked yet.
import { MessageSquare } from 'lucide-react'
import { Link } from 'wouter'
import { Button } from '../../components/button.tsx'
import { Empty, Failed } from '../../components/notice.tsx'
import { useModels } from '../../stores/models.ts'

const suggestions = [
  'Explain what an LLM gateway does, in three sentences.',
  'Write a TypeScript function that groups an array by a key.',
  'List three ways to cap what a program spends, as a table.',
]

interface BlankProps {
  models: readonly string[]
  onSuggest: (text: string) => void
}

export function Blank({ models, onSuggest }: BlankProps) {
  const { state, error, refresh, models: served } = useModels()
  const [first] = models
  if (state === 'failed') return <Failed error={error} onRetry={() => void refresh()} />
  if (state === 'ready' && served.length === 0) {
    return (
      <Empty
        icon={MessageSquare}
        title="No model to ask"
        action={
          <Link href="/providers?add=1" className="font-medium text-accent-ink hover:underline">
            Add a provider
          </Link>
        }
      >
        Every model is turned off, or none of the providers that are on has one.
      </Empty>
    )
  }
  if (first === undefined) return <Empty icon={MessageSquare} title="Ask something" />
  return (
    <Empty
      icon={MessageSquare}
      title={`Ask ${models.length > 1 ? `${models.length} models` : first} something`}
      action={
        <div className="flex min-w-0 flex-col items-stretch gap-2">
          {suggestions.map((text) => (
            <Button key={text} className="min-w-0 justify-start font-normal" onClick={() => onSuggest(text)}>
              <span className="truncate">{text}</span>
            </Button>
          ))}
        </div>
      }
    >
      {first.startsWith('sandbox')
        ? 'The sandbox answers on this computer, with no account, and shows what a real model would: streaming, tokens, cost.'
        : 'Under each answer stands which model served it, its tokens, its cost and its time.'}
    </Empty>
  )
}
