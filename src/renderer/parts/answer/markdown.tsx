import { type ComponentProps, isValidElement, memo, type ReactNode, useEffect, useState } from 'react'
import { type Components, type PluginConfig, Streamdown } from 'streamdown'
import { CopyIconButton } from '../../kit/copy.tsx'
import { ExternalLink, plainElements } from '../../kit/markdown-elements.tsx'
import type { Lines, Tokenize } from './highlighter.ts'

const components: Components = {
  ...plainElements,
  a: ({ href, children }) => <ExternalLink href={href}>{children}</ExternalLink>,
  img: ({ src, alt }) => (
    <ExternalLink href={typeof src === 'string' ? src : undefined}>{alt || 'image'}</ExternalLink>
  ),
  pre: ({ children }) => <HighlightedCode>{children}</HighlightedCode>,
}

const noPlugins: PluginConfig = {}
const linkSafety = { enabled: false }

export interface MarkdownProps {
  text: string
  /** The text is still growing. */
  streaming: boolean
}

/**
 * Renders an answer. Images are shown as links, so that an answer cannot make the window fetch anything. Only the blocks
 * that changed are parsed again, also when the answer ends: a long text takes hundreds of milliseconds.
 */
export const Markdown = memo(function Markdown({ text, streaming }: MarkdownProps) {
  const markdown = normalizeMath(text)
  const plugins = useMathPlugin(markdown.includes('$$'))
  return (
    <Streamdown
      mode="streaming"
      parseIncompleteMarkdown={streaming}
      className="markdown"
      components={components}
      plugins={plugins}
      controls={false}
      lineNumbers={false}
      linkSafety={linkSafety}
    >
      {markdown}
    </Streamdown>
  )
})

/** The plugin for mathematics, which is loaded when an answer first contains some. */
function useMathPlugin(needed: boolean): PluginConfig {
  const [plugins, setPlugins] = useState(noPlugins)
  useEffect(() => {
    if (!needed) return
    let current = true
    // Until then the source of a formula is shown.
    void import('./math-plugin.ts').then(({ math }) => current && setPlugins({ math }))
    return () => {
      current = false
    }
  }, [needed])
  return plugins
}

// Fenced code blocks and code spans. A block that is still streaming extends to the end of the text.
const CODE = /(^|\n)(`{3,}|~{3,})[\s\S]*?(?:\n\2[^\n]*|$)|`[^`\n]+`/g
const BLOCK = /\\\[([\s\S]+?)\\\]/g
const INLINE = /\\\(([\s\S]+?)\\\)/g

/** Between single dollar signs, with what amounts and variables of shells do not have: a command, a power or an index. */
const DOLLARS = /(?<![\\$\w])\$(?![\s$])([^$\n]*?[\\^_][^$\n]*?)(?<![\s\\])\$(?![$\w])/g

/**
 * `\[…\]` and `\(…\)` become `$$…$$`, outside of code, and so does `$…$` that looks like a formula. Otherwise a single `$` is kept,
 * because it usually means dollars.
 */
export function normalizeMath(text: string): string {
  let result = ''
  let from = 0
  for (const code of text.matchAll(CODE)) {
    result += convertMath(text.slice(from, code.index)) + code[0]
    from = code.index + code[0].length
  }
  return result + convertMath(text.slice(from))
}

function convertMath(text: string): string {
  return text
    .replace(BLOCK, (_, maths: string) => `\n\n$$\n${maths.trim()}\n$$\n\n`)
    .replace(INLINE, (_, maths: string) => `$$${maths.trim()}$$`)
    .replace(DOLLARS, (_, maths: string) => `$$${maths}$$`)
}

export function HighlightedCode({ children }: { children?: ReactNode }) {
  const code = readText(children).replace(/\n$/, '')
  const language = readLanguage(children)
  const lines = useTokenizer(language)?.(code) ?? null
  return (
    <div className="highlighted-code">
      <div className="highlighted-code-header">
        <span>{language}</span>
        <CopyIconButton text={code} label="Copy code" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable from the keyboard */}
      <pre tabIndex={0}>
        <code>{lines === null ? code : lines.map(renderLine)}</code>
      </pre>
    </div>
  )
}

function renderLine(line: Lines[number], index: number) {
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

/** Null until the language has been loaded, and for one that is not highlighted. */
function useTokenizer(language: string): Tokenize | null {
  const [loaded, setLoaded] = useState<{ language: string; tokenize: Tokenize | null } | null>(null)
  useEffect(() => {
    if (language === '') return
    let current = true
    void import('./highlighter.ts')
      .then(({ createTokenizer }) => createTokenizer(language))
      .then((tokenize) => current && setLoaded({ language, tokenize }))
    return () => {
      current = false
    }
  }, [language])
  return loaded?.language === language ? loaded.tokenize : null
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
