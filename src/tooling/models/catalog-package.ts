// The model catalog of the package `@earendil-works/pi-ai` (MIT), which its authors generate from the vendors' model and
// price pages. Only its data is downloaded: as a dependency it would bring the SDKs of several vendors.
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { ModelData, ModelPrice } from '../../gateway/models/catalog/model-data.ts'
import { cacheDir, readOutput, run, runNpm } from '../commands.ts'

export const CATALOG = {
  package: '@earendil-works/pi-ai',
  version: '1.5.2',
  integrity:
    'sha512-2tWPSnV3qzfiDIY3aWluBag3vC++Vs+VsXt/UquSU5onPMohPih72FUhIhaqmDdMYubOgB3Byl9uF4Vk40JLvQ==',
}

/** The files of the package, by the vendor's id in the price database. */
const FILES = {
  openai: 'openai.json',
  anthropic: 'anthropic.json',
  google: 'google.json',
  'x-ai': 'xai.json',
  mistral: 'mistral.json',
  deepseek: 'deepseek.json',
  groq: 'groq.json',
  together: 'together.json',
  aws: 'amazon-bedrock.json',
}

export interface CatalogModel extends ModelData {
  vendor: string
  id: string
}

const Cost = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
})
const ChatModel = z.object({
  type: z.literal('chat'),
  id: z.string(),
  contextWindow: z.int(),
  maxTokens: z.int(),
  reasoning: z.boolean(),
  input: z.array(z.string()),
  cost: Cost.extend({
    tiers: z
      .array(Cost.extend({ inputTokensAbove: z.int() }))
      .max(1)
      .optional(),
  }),
})
type ChatModel = z.infer<typeof ChatModel>
const OtherModel = z.object({ type: z.string() })
/** The models by API, then by a key of the package. */
const CatalogFile = z.record(z.string(), z.record(z.string(), z.union([ChatModel, OtherModel])))

/** Downloads the package with npm and returns its chat models. Throws an Error if npm or tar fails. */
export async function downloadCatalog(): Promise<CatalogModel[]> {
  const directory = join(cacheDir, 'models')
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  const { package: name, version, integrity } = CATALOG
  const args = ['pack', `${name}@${version}`, '--json', '--silent', '--pack-destination', directory]
  const packed = await readOutput(runNpm(args), 'npm pack')
  const [archive] = z
    .array(z.object({ filename: z.string(), integrity: z.string() }))
    .parse(JSON.parse(packed))
  if (archive?.integrity !== integrity) throw new Error(`${name} ${version} does not match its checksum.`)
  const tar = ['-xzf', join(directory, archive.filename), '-C', directory]
  await readOutput(run('tar', tar, { stdio: 'pipe' }), 'tar')
  return Object.entries(FILES).flatMap(([vendor, file]) =>
    readCatalogFile(vendor, readFileSync(join(directory, 'package/dist/providers/data', file), 'utf8')),
  )
}

/** The chat models of one file. */
export function readCatalogFile(vendor: string, json: string): CatalogModel[] {
  const apis = Object.values(CatalogFile.parse(JSON.parse(json)))
  return apis.flatMap((models) =>
    Object.values(models).flatMap((model) => ('cost' in model ? [catalogModel(vendor, model)] : [])),
  )
}

function catalogModel(vendor: string, model: ChatModel): CatalogModel {
  const { id, contextWindow, maxTokens, reasoning, input } = model
  const price = modelPrice(model)
  return {
    vendor,
    id,
    contextWindow,
    maxOutputTokens: maxTokens,
    capabilities: [
      ...(input.includes('image') ? (['vision'] as const) : []),
      'tools',
      'json',
      ...(reasoning ? (['reasoning'] as const) : []),
      'streaming',
    ],
    ...(price && { price }),
  }
}

/** The package writes 0 where it has no price. */
function modelPrice({ cost: { tiers, ...base } }: ChatModel): ModelPrice | null {
  if (base.input === 0 && base.output === 0) return null
  const [tier] = tiers ?? []
  return {
    ...tokenPrices(base),
    ...(tier && { above: { tokens: tier.inputTokensAbove, ...tokenPrices(tier) } }),
  }
}

function tokenPrices({ input, output, cacheRead, cacheWrite }: z.infer<typeof Cost>) {
  return { input, output, ...(cacheRead > 0 && { cacheRead }), ...(cacheWrite > 0 && { cacheWrite }) }
}
