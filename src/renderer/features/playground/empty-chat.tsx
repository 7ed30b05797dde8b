import { useQuery } from '@tanstack/react-query'
import { MessageSquare } from 'lucide-react'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'
import { EmptyState, LoadError } from '../../kit/notice.tsx'

const suggestions = [
  'Explain what an LLM gateway does, in three sentences.',
  'Write a TypeScript function that groups an array by a key.',
  'List three ways to cap what a program spends, as a table.',
]

interface EmptyChatProps {
  models: readonly string[]
  onSuggest: (text: string) => void
}

export function EmptyChat({ models, onSuggest }: EmptyChatProps) {
  const { error, isLoadingError, refetch } = useQuery(queries.models)
  const [first] = models
  if (isLoadingError) return <LoadError error={error} onRetry={() => void refetch()} />
  if (first === undefined) return <EmptyState icon={MessageSquare} title="Ask something" />
  return (
    <EmptyState
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
        ? 'The sandbox runs on this computer and needs no account. It shows what you would see with a real model: streaming, tokens and a sample cost.'
        : 'Each answer shows its model, tokens, cost and time.'}
    </EmptyState>
  )
}
