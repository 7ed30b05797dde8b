import type { ComponentProps } from 'react'
import { TextField } from '../../kit/field.tsx'

/** The spend at which a key stops; blank for no cap. */
export function CapField(props: Omit<ComponentProps<typeof TextField>, 'label'>) {
  return <TextField label="Spend cap (USD)" inputMode="decimal" placeholder="No cap" {...props} />
}
