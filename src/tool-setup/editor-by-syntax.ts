import type { ConfigSyntax } from '../shared/tools/tool-config.ts'
import { dotenvEditor } from './edit-dotenv.ts'
import { jsonEditor } from './edit-json.ts'
import { tomlEditor } from './edit-toml.ts'
import { yamlEditor } from './edit-yaml.ts'
import type { Editor } from './editor.ts'

export const editors: Readonly<Record<ConfigSyntax, Editor>> = {
  json: jsonEditor,
  yaml: yamlEditor,
  toml: tomlEditor,
  dotenv: dotenvEditor,
}
