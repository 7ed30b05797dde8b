// `npm run generate:models`: writes the data that Tollgate ships about single models. Needs the npm registry.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { PriceDatabase } from '../../gateway/models/catalog/price-database.ts'
import { readOutput, root, runNpm } from '../commands.ts'
import { buildModelData, formatModelData } from './build.ts'
import { CATALOG, downloadCatalog } from './catalog-package.ts'

const FILE = join(root, 'src/gateway/models/catalog/models.generated.json')
const PRICES = '@pydantic/genai-prices'

const manifest = readFileSync(join(root, 'node_modules', PRICES, 'package.json'), 'utf8')
const { version } = z.object({ version: z.string() }).parse(JSON.parse(manifest))
const data = buildModelData(await downloadCatalog(), new PriceDatabase(), {
  prices: await source(PRICES, version),
  models: await source(CATALOG.package, CATALOG.version),
})
writeFileSync(FILE, formatModelData(data))
console.log(`${Object.values(data.models).flatMap((models) => Object.keys(models)).length} models → ${FILE}`)

/** A package and the day on which its version was published. */
async function source(name: string, version: string) {
  const times = await readOutput(runNpm(['view', name, 'time', '--json', '--silent']), 'npm view')
  const published = z.record(z.string(), z.string()).parse(JSON.parse(times))[version]
  if (published === undefined) throw new Error(`npm does not know ${name} ${version}.`)
  return { package: name, version, asOf: published.slice(0, 10) }
}
