import { useState } from 'react'
import { Link } from 'wouter'
import { pickModel } from '../../../shared/tools/tool-models.ts'
import { useChatModels } from '../../data/hooks.ts'
import { Button } from '../../kit/button.tsx'
import { Answer } from '../../parts/answer/answer.tsx'
import { usePlayground } from '../../parts/chats/playground-store.ts'
import { setAddProviderOpen } from '../../parts/controls/add-provider.ts'

const QUESTION = 'What can you do for me?'

export function TryStep({ onAsk }: { onAsk: () => void }) {
  const models = useChatModels()
  const { startChat, change, send, streaming } = usePlayground()
  const [chatId, setChatId] = useState<string | null>(null)
  const model = models.length > 0 ? pickModel(models) : ''
  const sandbox = model.startsWith('sandbox')
  const ask = () => {
    startChat()
    change({ models: [model] })
    setChatId(usePlayground.getState().currentId)
    onAsk()
    void send(QUESTION)
  }
  return (
    <>
      <p className="text-ink-2">
        {sandbox
          ? 'The sandbox answers immediately, on this computer, without an account. It streams and counts tokens as a real model would; its costs are samples and count in no total.'
          : `${model || 'A model'} answers, and you see what it cost.`}
      </p>
      {chatId === null ? (
        <div className="mt-2.5 flex flex-wrap gap-2">
          <Button variant="primary" disabled={model === '' || streaming} onClick={ask}>
            {sandbox ? 'Try the sandbox' : `Ask ${model}`}
          </Button>
          <Button onClick={() => setAddProviderOpen(true)}>Connect a provider</Button>
        </div>
      ) : (
        <div className="mt-2.5 rounded-lg border border-line bg-canvas px-4 py-3">
          <p className="mb-2 text-ink-3">{QUESTION}</p>
          <QuickAnswer chatId={chatId} />
          <Link href="/playground" className="font-medium text-accent-ink hover:underline">
            Continue in the playground
          </Link>
        </div>
      )}
    </>
  )
}

function QuickAnswer({ chatId }: { chatId: string }) {
  const answer = usePlayground(({ chats }) =>
    chats.find(({ id }) => id === chatId)?.exchanges[0]?.answers.at(-1),
  )
  if (!answer) return null
  return <Answer answer={answer} />
}
