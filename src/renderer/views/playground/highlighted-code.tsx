import { type CodeHighlighterPlugin, createCodePlugin } from '@streamdown/code'
import { type ComponentProps, isValidElement, type ReactNode, useEffect, useState } from 'react'
import { useIsCodeFenceIncomplete } from 'streamdown'
import { CopyIconButton } from '../../components/copy.tsx'

type Tokens = Parameters<NonNullable<Parameters<CodeHighlighterPlugin['highlight']>[1]>>[0]['tokens']

/** These two themes have enough contrast. A language is loaded when it first appears. */
const highlighter = createCodePlugin({ themes: ['github-light-high-contrast', 'github-dark-high-contrast'] })
const languages = new Map(highlighter.getSupportedLanguages().map((name) => [String(name), name]))

export function HighlightedCode({ children }: { children?: ReactNode }) {
  const code = readText(children).replace(/\n$/, '')
  const language = readLanguage(children)
  const tokens = useTokens(code, language)
  return (
    <div className="highlighted-code">
      <div className="highlighted-code-header">
        <span>{language}</span>
        <CopyIconButton text={code} label="Copy code" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable from the keyboard */}
      <pre tabIndex={0}>
        <code>{tokens === null ? code : tokens.map(renderLine)}</code>
      </pre>
    </div>
  )
}

function renderLine(line: Tokens[number], index: number) {
  return (
    <span key={index}>
      {index > 0 ? '\n' : null}
      {line.map((token) => (
        <span key={token.offset} style={token.htmlStyle}>
          {token.content}
        </span>
      ))}
    </span>
  )
}

/** The tokens of `code`; null until they have been computed. */
function useTokens(code: string, language: string): Tokens | null {
  const incomplete = useIsCodeFenceIncomplete()
  const [coloured, setColoured] = useState<{ code: string; tokens: Tokens } | null>(null)
  useEffect(() => {
    const known = languages.get(language)
    if (known === undefined) return
    let current = true
    const show = ({ tokens }: { tokens: Tokens }) => {
      if (current) setColoured({ code, tokens })
    }
    const ready = highlighter.highlight(
      { code, language: known, themes: highlighter.getThemes(), isIncomplete: incomplete },
      show,
    )
    if (ready) show(ready)
    return () => {
      current = false
    }
  }, [code, language, incomplete])
  return coloured?.code === code ? coloured.tokens : null
}

function readLanguage(node: ReactNode): string {
  if (!isValidElement<ComponentProps<'code'>>(node)) return ''
  return /language-([\w+#-]+)/.exec(node.props.className ?? '')?.[1]?.toLowerCase() ?? ''
}

function readText(node: ReactNode): string {
  if (typeof node === 'string' || typeof node === 'number') return String(node)
  if (Array.isArray(node)) return node.map(readText).join('')
  return isValidElement<ComponentProps<'code'>>(node) ? readText(node.props.children) : ''
}
