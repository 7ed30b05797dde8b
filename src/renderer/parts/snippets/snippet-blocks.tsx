import { CodeBlock } from '../../kit/copy.tsx'
import type { Snippet } from './snippet.ts'

export function SnippetBlocks({ blocks }: Pick<Snippet, 'blocks'>) {
  return blocks.map(({ title, code }) => (
    <CodeBlock
      key={title}
      title={title}
      code={code}
      copyLabel={title === 'Terminal' ? 'Copy command' : `Copy ${title}`}
    />
  ))
}
