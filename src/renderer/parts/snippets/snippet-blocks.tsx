import { CodeBlock } from '../../kit/code-block.tsx'
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
