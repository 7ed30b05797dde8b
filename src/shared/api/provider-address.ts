// Base URLs that contain names of the user's own, such as a region or a project.
import { z } from 'zod'

const AddressField = z
  .object({
    name: z.string().describe('Its name in the template.'),
    label: z.string(),
    hint: z.string().describe('Where the user finds it.'),
    example: z.string(),
  })
  .meta({ id: 'ProviderAddressField' })

export const ProviderAddress = z
  .object({
    template: z.string().describe('The base URL, with each field as `{name}`.'),
    fields: z.array(AddressField),
    exceptions: z
      .record(z.string(), z.string())
      .optional()
      .describe('Origins that do not follow the template, by what the template makes of them.'),
  })
  .meta({ id: 'ProviderAddress', description: 'How the base URL is made of what the user enters.' })
export type ProviderAddress = z.infer<typeof ProviderAddress>

/** A name that can be a part of a host or a path: letters, digits, dots and hyphens. */
export const AddressValue = z.string().regex(/^[A-Za-z0-9](?:[A-Za-z0-9.:-]{0,98}[A-Za-z0-9])?$/)

/** The base URL with these values of the fields, each an `AddressValue`. */
export function fillAddress(
  { template, exceptions = {} }: ProviderAddress,
  values: Readonly<Record<string, string>>,
): string {
  const url = template.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
  const found = Object.entries(exceptions).find(([origin]) => url === origin || url.startsWith(`${origin}/`))
  return found ? found[1] + url.slice(found[0].length) : url
}
