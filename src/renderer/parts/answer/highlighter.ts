import {
  createHighlighterCore,
  type GrammarState,
  type LanguageRegistration,
  type ThemedToken,
} from 'shiki/core'
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript'
import dark from 'shiki/themes/github-dark-high-contrast.mjs'
import light from 'shiki/themes/github-light-high-contrast.mjs'

// Tokens of code, by Shiki's grammars. Loaded with the first code block.

/** The tokens of each line. */
export type Lines = ThemedToken[][]

/** Returns the tokens of a text. Tokens of earlier lines are not computed again when the text has only grown. */
export type Tokenize = (code: string) => Lines

const highlighter = createHighlighterCore({
  langs: [],
  // These two have enough contrast.
  themes: [light, dark],
  engine: createJavaScriptRegexEngine({ forgiving: true }),
})

/**
 * Very long lines are not highlighted. The time limit only guards against grammars that would never end: what it cuts off,
 * for which the default of half a second suffices on a busy machine, leaves the rest of the code with wrong colors.
 */
const LIMITS = { tokenizeMaxLineLength: 5_000, tokenizeTimeLimit: 3_000 }

/** Loads a language; null for one that is not highlighted. */
export async function createTokenizer(language: string): Promise<Tokenize | null> {
  const name = ALIASES[language] ?? language
  const load = grammars[`./${name}.mjs`]
  if (load === undefined) return null
  const { codeToTokens, loadLanguage } = await highlighter
  await loadLanguage(load)
  const options = {
    ...LIMITS,
    lang: name,
    themes: { light: light.name ?? '', dark: dark.name ?? '' },
  }

  /** The whole lines of the text before, their tokens, and the state of the grammar after them. */
  let before: { text: string; lines: Lines; state: GrammarState | undefined } = emptyText
  return (code) => {
    if (!code.startsWith(before.text)) before = emptyText
    const end = code.lastIndexOf('\n') + 1
    if (end > before.text.length) {
      const added = codeToTokens(code.slice(before.text.length, end - 1), {
        ...options,
        ...resume(before.state),
      })
      before = {
        text: code.slice(0, end),
        lines: [...before.lines, ...added.tokens],
        state: added.grammarState,
      }
    }
    const last = codeToTokens(code.slice(end), { ...options, ...resume(before.state) })
    return [...before.lines, ...last.tokens]
  }
}

const emptyText = { text: '', lines: [], state: undefined }

function resume(state: GrammarState | undefined): { grammarState?: GrammarState } {
  return state === undefined ? {} : { grammarState: state }
}

/** The grammars by the names of their files, which are those of languages and short ones. Each is loaded when it is first needed. */
const grammars = import.meta.glob<{ default: LanguageRegistration[] }>(
  [
    './{asm,c,cpp,go,objc,objective-c,rs,rust,swift,wasm,zig}.mjs',
    './{clj,clojure,cs,csharp,fs,fsharp,groovy,java,kotlin,kt,kts,scala,vb}.mjs',
    './{common-lisp,elixir,erl,erlang,haskell,hs,jl,julia,lisp,matlab,ocaml,r,scheme}.mjs',
    './{cjs,cts,dart,javascript,js,jsx,lua,mjs,perl,php,py,python,rb,ruby,ts,tsx,typescript}.mjs',
    './{astro,css,graphql,gql,handlebars,hbs,html,jinja,less,scss,svelte,vue}.mjs',
    './{bash,bat,batch,cmd,console,powershell,ps,ps1,pwsh,sh,shell,shellscript,shellsession,zsh}.mjs',
    './{cmake,make,makefile,vim,viml,vimscript}.mjs',
    './{apache,docker,dockerfile,dotenv,hcl,ini,nginx,nix,properties,terraform,tf,tfvars}.mjs',
    './{csv,json,json5,jsonc,prisma,proto,protobuf,sql,toml,xml,yaml,yml}.mjs',
    './{diff,http,latex,log,markdown,md,mermaid,mmd,regex,regexp,solidity,tex}.mjs',
  ],
  { base: '../../../../node_modules/shiki/dist/langs' },
)

/** Other words that may follow the fence of a code block. */
const ALIASES: Readonly<Record<string, string>> = {
  'c++': 'cpp',
  'c#': 'csharp',
  'f#': 'fsharp',
  containerfile: 'docker',
  golang: 'go',
  nginxconf: 'nginx',
  patch: 'diff',
  python3: 'python',
}
